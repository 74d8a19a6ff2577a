/* What need says of programs whose need is known, because they are models: in the place of a run
 * stands a time that follows from what is taken away, from chance and from a drift. */
#include "measure/run/need.h"
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { CPUS = 4, PROGRAMS = 300 };

struct program {
    double cost[NEED_TAKEN]; /* more time where all of it is taken: 0.3 */
    double noise;            /* of a run: so much more at most */
    double drift;            /* more time at each run, as a share of the first */
    double keeps;            /* share of L3 that may be held without a cost */
    double moves;            /* bytes a second, beside all traffic, which loses two fifths of it */
    double scatter;          /* of traffic: so much more or less at most */
    unsigned nodes, threads; /* of the machine, and of its cores; 0: one */
    unsigned fails_at;       /* the run that fails; 0: none */
    unsigned runs, alone, saves;
    bool between; /* the last run was alone */
    struct random random;
};

static double traffic_beside(struct program *program, double moved)
{
    const double chance = 2 * random_unit(&program->random) - 1;
    return (20e9 - 0.4 * moved) * (1 + program->scatter * chance);
}

static int run_model(struct need *need, const struct need_condition *condition,
                     struct need_seen *seen, struct error *error)
{
    struct program *program = need->argument;
    const bool alone = condition->taken == NEED_NOTHING;
    /* Never two runs with something taken away in a row, so each has its neighbours. */
    assert_true(alone != program->between);
    program->between = alone;
    program->alone += alone;
    if (++program->runs == program->fails_at)
        return error_set(error, ERROR_IMPOSSIBLE, "it fails");
    const double drifted = 1 + program->drift * program->runs,
                 noise = 1 + program->noise * random_unit(&program->random);
    const bool spared = condition->taken == NEED_L3 && condition->share <= program->keeps;
    seen->cpu_s =
        drifted * noise * (1 + (spared ? 0 : program->cost[condition->taken] * condition->share));
    /* Beside all traffic a load takes 1.5 times as long, and from the farthest node twice. */
    seen->load_ticks = 300 * (1 + 0.01 * random_unit(&program->random)) *
                       (1 + (condition->taken == NEED_TRAFFIC ? 0.5 * condition->share : 0) +
                        (condition->taken == NEED_NEAR));
    seen->room = condition->taken == NEED_L3 && condition->share == 1 ? 33554432 : 0;
    seen->wall_s = seen->cpu_s;
    seen->pressed = (struct pressed){NAN, NAN};
    if (condition->taken == NEED_L3)
        seen->pressed.held = condition->share * 33554432;
    if (condition->taken == NEED_TRAFFIC)
        seen->pressed.traffic = condition->share * traffic_beside(program, program->moves);
    for (int i = 0; i < NEED_KNOWN && condition->taken == NEED_TRAFFIC && condition->share == 1;
         i++)
        seen->known[i] = (struct pressed){NAN, traffic_beside(program, i * 5e9), i * 5e9};
    return 0;
}

static int count_save(void *program, const struct document *document, struct error *error)
{
    ((struct program *)program)->saves++;
    return 0;
}

static int measure(struct program *program, struct document *document, struct error *error)
{
    static int ids[CPUS] = {0, 1, 2, 3};
    static struct cpu_place places[CPUS];
    static unsigned distances[] = {10, 12, 20};
    static struct numa_facts facts[] = {{.id = 0}, {.id = 1}, {.id = 4}};
    static struct node_place nodes[] = {{distances, 1, true}, {NULL, 1, true}, {NULL, 1, true}};
    const int threads = program->threads ? (int)program->threads : 1;
    for (int i = 0; i < CPUS; i++)
        places[i] = (struct cpu_place){.id = i, .core = i / threads, .sibling = i % threads};
    const struct machine machine = {.allowed = {ids, CPUS},
                                    .cpus = places,
                                    .cpu_count = CPUS,
                                    .nodes = nodes,
                                    .facts = {.nodes = facts, .node_count = program->nodes},
                                    .live = true};
    char name[] = "./model";
    char *const arguments[] = {name, NULL};
    program->random.state = program->random.state ? program->random.state : 1;
    struct need need = {.machine = &machine,
                        .document = document,
                        .arguments = arguments,
                        .budget_s = 60,
                        .seed = program->random.state,
                        .save = count_save,
                        .argument = program,
                        .once = run_model,
                        .blocks = 12};
    for (int i = 1; i <= 3; i++) {
        need.conditions[need.condition_count++] =
            (struct need_condition){.taken = NEED_L3, .share = i / 3.0};
        need.conditions[need.condition_count++] =
            (struct need_condition){.taken = NEED_TRAFFIC, .share = i / 3.0};
    }
    need.conditions[need.condition_count++] = (struct need_condition){.taken = NEED_PAGES};
    need.conditions[need.condition_count++] =
        (struct need_condition){.taken = NEED_PAGES, .share = 1};
    *document = (struct document){.run.id = NULL};
    return need_measure(&need, error);
}

static const struct finding *found(const struct document *document, const char *name)
{
    for (size_t i = 0; i < document->probes[0].finding_count; i++)
        if (strcmp(document->probes[0].findings[i].name, name) == 0)
            return &document->probes[0].findings[i];
    return NULL;
}

static void what_costs_time_is_told(void **state)
{
    struct program program = {.cost = {0, 0.3, 0.1, 0.2}, .noise = 0.02, .drift = 0.005};
    struct document document;
    struct error error;
    assert_int_equal(measure(&program, &document, &error), 0);
    static const char *const names[] = {"need.L3", "need.traffic", "need.pages"};
    for (int i = 0; i < 3; i++) {
        const struct finding *finding = found(&document, names[i]);
        const double truth = 1 + program.cost[i + 1];
        assert_non_null(finding);
        assert_true(fabs(finding->value / truth - 1) < 0.02);
        assert_true(finding->low <= finding->value && finding->value <= finding->high);
        assert_non_null(strstr(finding->text, "slower"));
    }
    assert_float_equal(found(&document, "need.L3.held")->value, 33554432, 1);
    assert_float_equal(found(&document, "need.traffic.beside")->value, 20e9, 1e4);
    assert_false(need_untold(&document.probes[0]));
    assert_int_equal(program.alone, 12 * 8 + 1);
    assert_int_equal(program.saves, 12);
    assert_true(document.run.complete);
    document_free(&document);
}

/* Beside the traffic it takes a tenth longer, so alone it moves a tenth more. */
static void what_it_moves_is_told(void **state)
{
    struct program program = {
        .cost = {0, 0, 0.1, 0}, .noise = 0.02, .moves = 12e9, .scatter = 0.01};
    struct document document;
    struct error error;
    assert_int_equal(measure(&program, &document, &error), 0);
    const struct finding *moves = found(&document, "need.moves");
    assert_non_null(moves);
    assert_true(fabs(moves->value / 13.2e9 - 1) < 0.1);
    assert_true(moves->low < 13.2e9 && 13.2e9 < moves->high);
    assert_non_null(strstr(moves->text, "alone ("));
    document_free(&document);
    program = (struct program){.noise = 0.02, .scatter = 0.01, .random = {2}};
    assert_int_equal(measure(&program, &document, &error), 0);
    moves = found(&document, "need.moves");
    assert_true(isnan(moves->value));
    assert_non_null(strstr(moves->text, "no more than"));
    document_free(&document);
}

/* Also where the others' traffic scatters by as much as a program of 12 GB/s takes of it. */
static void what_it_moves_is_in_the_interval(void **state)
{
    unsigned told = 0, within = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct program program = {.noise = 0.02, .moves = 12e9, .scatter = 0.2, .random = {seed}};
        struct document document;
        struct error error;
        assert_int_equal(measure(&program, &document, &error), 0);
        const struct finding *moves = found(&document, "need.moves");
        told += moves && isfinite(moves->value);
        within += moves && moves->low <= 12e9 && 12e9 <= moves->high;
        document_free(&document);
    }
    assert_true(told * 2 >= PROGRAMS);
    assert_true(within * 100 >= told * 93);
}

/* A machine that becomes a quarter slower with each block says nothing of the program. */
static void a_drift_is_no_need(void **state)
{
    struct program program = {.noise = 0.005, .drift = 0.03};
    struct document document;
    struct error error;
    assert_int_equal(measure(&program, &document, &error), 0);
    assert_non_null(strstr(found(&document, "need.L3")->text, "indifferent"));
    assert_non_null(strstr(found(&document, "need.traffic")->text, "indifferent"));
    assert_non_null(strstr(found(&document, "need.pages")->text, "indifferent"));
    document_free(&document);
}

/* Of many programs that need nothing: the seeds are fixed, so this is no matter of luck. */
static void the_indifferent_are_called_so(void **state)
{
    unsigned slower = 0, untold = 0, within = 0, all = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct program program = {.noise = 0.08, .random = {seed}};
        struct document document;
        struct error error;
        assert_int_equal(measure(&program, &document, &error), 0);
        static const char *const names[] = {"need.L3", "need.traffic", "need.pages"};
        for (int i = 0; i < 3; i++, all++) {
            const struct finding *finding = found(&document, names[i]);
            slower += strstr(finding->text, "slower") || strstr(finding->text, "faster");
            untold += strstr(finding->text, "can't tell") != NULL;
            within += finding->low <= 1 && 1 <= finding->high;
        }
        document_free(&document);
    }
    assert_true(slower * 20 <= all);
    assert_int_equal(untold, 0);
    assert_true(within * 100 >= all * 93);
}

static void what_drowns_is_not_told(void **state)
{
    struct program program = {.cost = {0, 0.05, 0, 0}, .noise = 1.5};
    struct document document;
    struct error error;
    assert_int_equal(measure(&program, &document, &error), 0);
    assert_non_null(strstr(found(&document, "need.L3")->text, "can't tell"));
    assert_true(need_untold(&document.probes[0]));
    document_free(&document);
}

/* What was measured before stays. */
static void a_failure_ends_it(void **state)
{
    struct program program = {.noise = 0.01, .fails_at = 60};
    struct document document;
    struct error error;
    assert_int_equal(measure(&program, &document, &error), ERROR_IMPOSSIBLE);
    assert_string_equal(error.text, "it fails");
    assert_int_equal(program.runs, 60);
    assert_non_null(found(&document, "need.time"));
    assert_false(document.run.complete);
    document_free(&document);
}

/* Where machine and program have several, cores and nodes are taken, too. */
static void cores_and_nodes_are_told(void **state)
{
    struct program program = {
        .cost = {[NEED_TRAFFIC] = 0.2, [NEED_CORES] = 0.6, [NEED_NEAR] = 0.4, [NEED_SPREAD] = 0.2},
        .noise = 0.02,
        .nodes = 3,
        .threads = 2};
    struct document document;
    struct error error;
    assert_int_equal(measure(&program, &document, &error), 0);
    assert_float_equal(found(&document, "need.cores")->value, 1.6, 0.03);
    assert_float_equal(found(&document, "need.far")->value, 1.4, 0.03);
    assert_float_equal(found(&document, "need.interleaved")->value, 1.2, 0.03);
    /* Loads from there take twice as long, and the program 1.4 times: it waits 40 %. */
    assert_float_equal(found(&document, "need.waits")->value, 0.4, 0.05);
    assert_non_null(strstr(found(&document, "need.waits")->text, "waits for memory 4"));
    document_free(&document);
    program = (struct program){.nodes = 1};
    assert_int_equal(measure(&program, &document, &error), 0);
    assert_null(found(&document, "need.cores"));
    assert_null(found(&document, "need.far"));
    document_free(&document);
}

/* The interval has the truth in 95 of 100 programs, from none of its time to all. */
static void waiting_is_told_by_what_longer_loads_cost(void **state)
{
    unsigned within = 0, untold = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        const double waits = (double)(seed % 11) / 10;
        struct program program = {
            .cost = {[NEED_TRAFFIC] = 0.5 * waits}, .noise = 0.04, .random = {seed}};
        struct document document;
        struct error error;
        assert_int_equal(measure(&program, &document, &error), 0);
        const struct finding *finding = found(&document, "need.waits");
        untold += isnan(finding->value) != 0;
        within += finding->low - 0.01 <= waits && waits <= finding->high + 0.01;
        document_free(&document);
    }
    assert_int_equal(untold, 0);
    assert_true(within * 100 >= PROGRAMS * 95);
}

/* What traffic costs a program that lives in L3 is no waiting, and no more than an upper end; where
 * loads take no longer nothing is told. */
static void what_takes_of_l3_is_no_waiting(void **state)
{
    struct program program = {.cost = {0, 0.5, 0.2}, .noise = 0.02};
    struct document document;
    struct error error;
    assert_int_equal(measure(&program, &document, &error), 0);
    assert_true(isnan(found(&document, "need.waits")->value));
    assert_non_null(strstr(found(&document, "need.waits")->text, "can't tell"));
    document_free(&document);
}

/* Half of L3 is its need: a third may be held without a cost, two thirds not. */
static void what_it_needs_of_l3_lies_between_two_levels(void **state)
{
    struct program program = {.cost = {0, 0.5}, .keeps = 0.5, .noise = 0.02};
    struct document document;
    struct error error;
    assert_int_equal(measure(&program, &document, &error), 0);
    const struct finding *finding = found(&document, "need.L3.bytes");
    assert_float_equal(finding->low, 33554432 / 3, 1e5);
    assert_float_equal(finding->high, 33554432 / 3 * 2, 1e5);
    assert_string_equal(finding->text,
                        "of the L3 it needs more than 10.7 MiB, no more than 21.3 MiB");
    document_free(&document);
    program = (struct program){.cost = {0, 0.5}, .noise = 0.02};
    assert_int_equal(measure(&program, &document, &error), 0);
    assert_string_equal(found(&document, "need.L3.bytes")->text,
                        "of the L3 it needs more than 10.7 MiB");
    document_free(&document);
}

/* `fathom analyse` finds the same in the document. */
static void it_is_found_again(void **state)
{
    struct program program = {.cost = {0, 0.3, 0.1, 0.2}, .noise = 0.02};
    struct document document;
    struct error error;
    const char *remarks;
    assert_int_equal(measure(&program, &document, &error), 0);
    const size_t count = document.probes[0].finding_count;
    const double value = found(&document, "need.L3")->value;
    assert_int_equal(document_analyse(&document, &remarks, &error), 0);
    assert_null(remarks);
    assert_int_equal(document.probes[0].finding_count, count);
    assert_true(found(&document, "need.L3")->value == value);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_costs_time_is_told),
        cmocka_unit_test(what_it_moves_is_told),
        cmocka_unit_test(what_it_moves_is_in_the_interval),
        cmocka_unit_test(a_drift_is_no_need),
        cmocka_unit_test(the_indifferent_are_called_so),
        cmocka_unit_test(what_drowns_is_not_told),
        cmocka_unit_test(a_failure_ends_it),
        cmocka_unit_test(cores_and_nodes_are_told),
        cmocka_unit_test(waiting_is_told_by_what_longer_loads_cost),
        cmocka_unit_test(what_takes_of_l3_is_no_waiting),
        cmocka_unit_test(what_it_needs_of_l3_lies_between_two_levels),
        cmocka_unit_test(it_is_found_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
