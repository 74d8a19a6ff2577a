#include "support.h"

#include "measure/kernels/handoff.h"

#include <math.h>
#include <stdlib.h>

extern const struct probe cores_probe;

static void every_pair_is_planned_in_both_directions(void **state)
{
    struct bench *bench = *state;
    bool planned[BENCH_CPUS][BENCH_CPUS] = {0};
    assert_int_equal(bench_plan(bench, &cores_probe, NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->point_count, 5 * 4);
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct plan_point *point = &plan->points[i];
        assert_true(point->from != point->to && !planned[point->from][point->to]);
        planned[point->from][point->to] = true;
        assert_int_equal(point->seat_count, 2);
        assert_int_equal(plan_seat(point, 0).cpu, point->from);
        assert_int_equal(plan_seat(point, 0).role, MEASURED);
        assert_int_equal(plan_seat(point, 1).cpu, point->to);
        assert_int_equal(plan_seat(point, 1).role, PARTNER);
    }
    /* Every line twice, and as many batches in all. */
    assert_int_equal(plan->trials_max, 2 * 64);
    assert_int_equal(plan->trials_min, 2 * 64);
    assert_int_equal(plan->passes, 2);
    assert_int_equal(plan->batches, 6);
}

/* As single-line tools measure. */
static void one_line_is_measured_in_one_go(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &cores_probe, "lines", "1", "samples", "500", "iterations",
                                "4000", "cpus", "0-1", NULL),
                     0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->point_count, 4); /* both directions, two operations */
    assert_true(plan->trials_max == 1 && plan->passes == 1);
    assert_true(plan->batches == 500 && plan->repeats == 4000);
}

static uint32_t *flag_of(struct bench *bench, int side, size_t point, unsigned number)
{
    bench_trial(bench, &bench->task.plan.points[point], 99 + point, number);
    return ((struct handoff_cas *)bench->workers[side].state)->flag;
}

static void all_pairs_share_their_lines_and_each_comes_twice(void **state)
{
    struct bench *bench = *state;
    uint32_t *previous = NULL;
    assert_int_equal(bench_plan(bench, &cores_probe, NULL), 0);
    for (unsigned number = 0; number < 64; number++) {
        uint32_t *line = flag_of(bench, 0, 0, number);
        assert_ptr_equal(flag_of(bench, 1, 0, number), line);
        assert_true((unsigned char *)line >= bench->arena.memory);
        assert_true((unsigned char *)line < bench->arena.memory + bench->arena.bytes);
        assert_true(previous == NULL || line > previous);
        assert_ptr_equal(flag_of(bench, 0, 7, number), line);
        const void *side = bench->workers[0].state;
        assert_ptr_equal(flag_of(bench, 0, 7, number + 64), line);
        /* The same state too: the second time goes on where the first stopped. */
        assert_ptr_equal(bench->workers[0].state, side);
        previous = line;
    }
}

static bool same_line(const void *a, const void *b)
{
    return (uintptr_t)a / 128 == (uintptr_t)b / 128;
}

static void control_words_share_no_line_with_what_is_measured(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &cores_probe, "op", "readwrite", NULL), 0);
    bench_trial(bench, &bench->task.plan.points[0], 99, 3);
    struct handoff_readwrite *first = bench->workers[0].state, *second = bench->workers[1].state;
    assert_ptr_equal(first->mine, second->theirs);
    assert_ptr_equal(first->theirs, second->mine);
    assert_int_equal((const char *)first->theirs - (const char *)first->mine, 128);
    assert_int_equal((uintptr_t)first->mine % 128, 0);
    assert_false(same_line(first, second));
    assert_false(same_line(first, first->mine) || same_line(second, second->mine));
    assert_false(same_line(first, second->mine) || same_line(second, first->mine));
}

/* Everything that two pairs of a round touch. */
struct span {
    unsigned char *begin, *end;
};

static struct span span_of(const struct bench *bench, size_t payload)
{
    const struct handoff_turn *turn = bench->workers[0].state;
    unsigned char *states = bench->workers[0].state, *other = bench->workers[1].state;
    struct span span = {(unsigned char *)turn->line, states + 128};
    span.begin = other < span.begin ? other : span.begin;
    assert_true(turn->payload + payload <= other && other < states);
    return span;
}

static void pairs_side_by_side_share_nothing(void **state)
{
    struct bench *bench = *state;
    struct span spans[2 * 128];
    assert_int_equal(
        bench_plan(bench, &cores_probe, "parallel", NULL, "op", "payload", "payload", "20", NULL),
        0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->points[0].arena_bytes, plan->points[19].arena_bytes);
    size_t first = 0;
    for (size_t round = 0; round < plan->group_count; first += plan->groups[round++]) {
        size_t count = 0;
        for (size_t i = 0; i < plan->groups[round]; i++)
            for (unsigned number = 0; number < 64; number++) {
                bench_trial(bench, &plan->points[first + i], 99 + first + i, number);
                spans[count++] = span_of(bench, 20 * 64);
            }
        for (size_t i = 0; i < count; i++) {
            assert_true(spans[i].begin >= bench->arena.memory);
            assert_true(spans[i].end <= bench->arena.memory + bench->arena.bytes);
            for (size_t j = 0; j < i; j++)
                assert_true(spans[i].end <= spans[j].begin || spans[j].end <= spans[i].begin);
        }
    }
    assert_int_equal(first, plan->point_count);
}

/* A pair of 50 ns, from 45 to 55, whose values scatter so. */
static void what_single_values_scatter_over_is_named(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    const struct {
        struct scatter scatter;
        const char *said;
    } cases[] = {
        {{0.1f, 0.02f, 0.01f},
         "by 20 % from line to line; a single-line tool would have reported "
         "anything from 45.0 to 55.0 ns (standard deviations: 10.0 % from "
         "line to line, 2.0 % from time to time, 1.0 %"},
        {{0.01f, 0.01f, 0.8f},
         "by 20 % over the lines, most of it noise and not from line to line;"},
        {{0.01f, 0.02f, 0.01f},
         "by 20 % over the lines, most of it from time to time and not from line to line;"},
        {{NAN, NAN, NAN}, "by 20 % over the lines; a single-line tool"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        /* The other pair is wider, but by noise. */
        struct point points[] = {{.from = 0, .to = 1, .scatter = cases[i].scatter},
                                 {.from = 1, .to = 0, .scatter = {0.0f, 0.01f, 0.8f}}};
        for (int p = 0; p < 2; p++)
            points[p].y = (struct summary){.median = 50,
                                           .low = 49,
                                           .high = 52,
                                           .coverage = 0.95f,
                                           .min = 45,
                                           .max = p ? 150 : 55,
                                           .n = 64};
        assert_int_equal(bench_plan(bench, &cores_probe, NULL), 0);
        bench->task.plan.series->points = points;
        bench->task.plan.series->point_count = isnan(cases[i].scatter.line) ? 1 : 2;
        bench->result.series = bench->task.plan.series;
        bench->result.series_count = 1;
        assert_int_equal(conclude_twice(&bench->task, &outcome, NULL), 0);
        const struct finding *lines = bench_finding(bench, "cores.cas.lines");
        assert_true(lines->value > 19.99 && lines->value < 20.01);
        assert_non_null(strstr(lines->text, cases[i].said));
    }
}

static void operations_of_another_processor_are_refused_by_name(void **state)
{
    struct bench *bench = *state;
    static const char *const names[] = {"cas-llsc", "cas-lse"};
    for (size_t i = 0; i < 2; i++) {
        const char *missing;
        bool possible = handoff_find(i ? HANDOFF_CAS_LSE : HANDOFF_CAS_LLSC, &missing);
        int code = bench_plan(bench, &cores_probe, "op", names[i], NULL);
        assert_int_equal(code, possible ? 0 : ERROR_USAGE);
        if (!possible)
            assert_non_null(strstr(bench->error.text, names[i]));
    }
}

static const char *parameter(const struct bench *bench, const char *name)
{
    const struct factor *factor = probe_parameter(&bench->result, name);
    return factor ? factor->text : "";
}

static void assert_refused(struct bench *bench, const char *name, const char *value,
                           const char *other, const char *other_value, const char *said)
{
    assert_int_equal(bench_plan(bench, &cores_probe, name, value, other, other_value, NULL),
                     ERROR_USAGE);
    if (!strstr(bench->error.text, said))
        fail_msg("'%s' does not say '%s'", bench->error.text, said);
}

static void options_that_contradict_are_refused(void **state)
{
    struct bench *bench = *state;
    assert_refused(bench, "home", "third", NULL, NULL, "first, second or node:N");
    assert_refused(bench, "home", "node:7", NULL, NULL, "choose from 0");
    assert_refused(bench, "home", "node:", NULL, NULL, "choose from 0");
    assert_refused(bench, "payload", "8", NULL, NULL, "--op payload");
    assert_refused(bench, "parallel", NULL, "sequential", NULL, "leave one out");
    assert_refused(bench, "sequential", NULL, "bias", "1", "--bias");
    assert_refused(bench, "bias", "1", NULL, NULL, "give --parallel too");
    bench->machine.memory_available_bytes = 1 << 20;
    assert_refused(bench, "lines", "4096", NULL, NULL, "--lines 4096");
}

static void one_thread_of_each_core_is_kept(void **state)
{
    struct bench *bench = *state;
    for (int i = 0; i < BENCH_CPUS; i++)
        bench->places[i].core = i / 2; /* 0 1, 2 3, 4 (5) */
    assert_int_equal(bench_plan(bench, &cores_probe, "one-per-core", NULL, NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->point_count, 3 * 2);
    for (size_t i = 0; i < plan->point_count; i++)
        assert_true(plan->points[i].from % 2 == 0 && plan->points[i].to % 2 == 0);
    assert_refused(bench, "one-per-core", NULL, "cpus", "2,3", "--one-per-core");
}

static void a_quick_run_measures_one_pair_of_different_cores(void **state)
{
    struct bench *bench = *state;
    bench->places[1].core = 0;
    assert_int_equal(bench_plan(bench, &cores_probe, "quick", NULL, NULL), 0);
    assert_int_equal(bench->task.plan.point_count, 4);
    assert_int_equal(bench->task.plan.points[0].from, 0);
    assert_int_equal(bench->task.plan.points[0].to, 2);
    /* All of it is spread over the run. */
    assert_int_equal(bench->task.plan.look_count, 4);
    assert_true(plan_is_spread(&bench->task.plan));
    assert_string_equal(parameter(bench, "pairs"), "one"); /* its mean is of no other pair */
    assert_int_equal(bench_plan(bench, &cores_probe, "quick", NULL, "cpus", "0-2", NULL), 0);
    assert_int_equal(bench->task.plan.point_count, 6);
    assert_false(plan_is_spread(&bench->task.plan));
    assert_string_equal(parameter(bench, "pairs"), "");
}

static void neighbours_stand_side_by_side_where_asked(void **state)
{
    struct bench *bench = *state;
    static const int packages[BENCH_CPUS] = {0, 1, 0, 1, 0, 1};
    static const int wanted[] = {0, 2, 4, 1, 3};
    for (int i = 0; i < BENCH_CPUS; i++) {
        bench->places[i].package = packages[i];
        bench->places[i].kind = 0;
    }
    assert_int_equal(bench_plan(bench, &cores_probe, "order", "topology", NULL), 0);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(bench->task.plan.points[4 * i].from, wanted[i]);
}

/* Nodes 0 and 4: CPUs 0 to 2, and 3 and 4. */
static void put_on_two_nodes(struct bench *bench, struct numa_facts nodes[2])
{
    nodes[0] = (struct numa_facts){0, "0-2", 1 << 30};
    nodes[1] = (struct numa_facts){4, "3-5", 1 << 30};
    bench->machine.facts.nodes = nodes;
    bench->machine.facts.node_count = 2;
    for (int i = 3; i < BENCH_CPUS; i++)
        bench->places[i].node = 4;
}

static void each_home_has_a_plan_of_its_own(void **state)
{
    struct bench *bench = *state;
    struct numa_facts nodes[2];
    struct stage_outcome outcome = {.placement = {.node = 0}};
    put_on_two_nodes(bench, nodes);
    assert_int_equal(bench_plan(bench, &cores_probe, "home", "second", "op", "cas", NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->node, 0);
    assert_int_equal(plan->touch_cpu, 0);
    assert_int_equal(plan->point_count, 3 * 4);
    for (size_t i = 0; i < plan->point_count; i++)
        assert_true(plan->points[i].to < 3);
    assert_int_equal(probe_next(&bench->task, &outcome, 1, NULL), 1);
    assert_int_equal(plan->node, 4);
    assert_int_equal(plan->touch_cpu, 3);
    assert_int_equal(plan->point_count, 2 * 4);
    for (size_t i = 0; i < plan->point_count; i++)
        assert_true(plan->points[i].to >= 3);
    assert_int_equal(probe_next(&bench->task, &outcome, 2, NULL), 0);
    assert_int_equal(bench_plan(bench, &cores_probe, "home", "node:4", NULL), 0);
    assert_int_equal(plan->node, 4);
    assert_int_equal(plan->point_count, 5 * 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(every_pair_is_planned_in_both_directions),
        BENCH_TEST(one_line_is_measured_in_one_go),
        BENCH_TEST(all_pairs_share_their_lines_and_each_comes_twice),
        BENCH_TEST(control_words_share_no_line_with_what_is_measured),
        BENCH_TEST(pairs_side_by_side_share_nothing),
        BENCH_TEST(what_single_values_scatter_over_is_named),
        BENCH_TEST(operations_of_another_processor_are_refused_by_name),
        BENCH_TEST(options_that_contradict_are_refused),
        BENCH_TEST(one_thread_of_each_core_is_kept),
        BENCH_TEST(a_quick_run_measures_one_pair_of_different_cores),
        BENCH_TEST(neighbours_stand_side_by_side_where_asked),
        BENCH_TEST(each_home_has_a_plan_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
