/*
 * The whole road on random machines with neighbours that come and go: how often the values
 * hold what the hardware does when it is let, and how often levels, ways and entries are right, by
 * what is taken and how much of the time. Every machine is measured several times.
 *
 * suite MACHINES RUNS: three hundred and ten for the promise. FATHOM_MODEL_MACHINES asks for fewer
 * machines; FATHOM_MODEL_MISSES tells each point whose interval does not hold the truth.
 */
#include "coverage.h"
#include "crowds.h"
#include "figures.h"
#include "levels_found.h"
#include "machines.h"
#include "measure/probes/kit/probe.h"
#include "processes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct probe latency_probe;

enum {
    MACHINES_FULL = 300,
    RUNS_MOST = 10,
    ARENA_MOST = 512 << 20,
    TRUTHS_MOST = MODEL_LEVELS_MAX + 2,
    TRUTH_TRIALS = 201,
    TRUTH_TRIALS_SHORT = 101, /* where a machine is measured once or twice */
};
static const double truth_bytes = 4 << 20;

/* Documents hold floats. */
static const double rounding = 1e-6;

/* What is right or wrong, or was not found. */
struct answers {
    unsigned right, wrong, not_found;
};

enum asked { LATENCIES, CAPACITIES, FIRST_WAYS, SECOND_WAYS, ENTRIES, ASKED };
static const char *const asked_names[ASKED] = {"levels' latency within 2 %",
                                               "levels' capacity within 10 %", "ways of L1 exact",
                                               "ways of L2 exact", "TLB entries exact"};

/* Figures in their homes: cycles where all is the core's, else ns. */
struct coverage_count {
    unsigned points, held;
    double off;        /* sum of the values' distances from the truth */
    double half_width; /* sum, as shares of the values */
};

/* As findings have it. */
enum kind { KIND_GOOD, KIND_BESIDE, KIND_FEW, KINDS };
static const char *const kind_names[KINDS] = {"good", "beside others", "too few"};
enum { FEWEST_TRIALS = 6 };

struct outcome {
    bool done;
    struct crowd crowd;
    unsigned runs;
    struct coverage_count points[KINDS];
    struct coverage_count depths[MODEL_LEVELS_MAX + 1]; /* by level */
    struct answers answers[ASKED];
};

/* --- the truth of some points --- */

struct truth {
    double x, ns;
    unsigned level; /* where its set lies */
    bool core;      /* its time is the core's alone: cycles hold as well */
};

struct truths {
    struct truth list[TRUTHS_MOST];
    size_t count;
};

/* The level whose middle the size lies in; -1: too near to an edge. */
static int level_of_size(const struct model_machine *machine, double bytes)
{
    double above = 0;
    for (unsigned level = 0; level < machine->level_count; level++) {
        const double most = (double)machine_capacity(machine, level);
        if (bytes > 3 * above && bytes <= 0.6 * most)
            return (int)level;
        above = most;
    }
    return bytes >= 3 * above ? (int)machine->level_count : -1;
}

/* The point that was measured first in each level's middle, and what it takes when nothing is
 * taken. */
static void find_truths(struct truths *truths, struct measurement *measurement, uint64_t seed,
                        unsigned trials)
{
    const struct model_machine *machine = measurement->machine, let = model_let(machine);
    struct random random = {random_mix(seed)};
    bool known[MODEL_LEVELS_MAX + 1] = {false};
    for (size_t i = 0; i < measurement->trial_count; i++) {
        const struct kept_trial *trial = &measurement->trials[i];
        const int level = level_of_size(machine, trial->point.x);
        if (level < 0 || known[level] || trial->point.series != 0 || trial->point.x > truth_bytes)
            continue;
        known[level] = true;
        truths->list[truths->count++] =
            (struct truth){trial->point.x,
                           coverage_truth(measurement, &let, &trial->point, trial->repeats, 0, 600,
                                          trials, &random),
                           (unsigned)level, level < 2 && machine->huge_pages};
    }
}

/* --- one run --- */

/* A point in its home. */
struct figure_of {
    const struct point *point;
    float median, low, high;
    double truth; /* in the same unit */
};

static bool holds(float low, float high, double truth)
{
    return (double)low <= truth * (1 + rounding) && (double)high >= truth * (1 - rounding);
}

static void show_miss(const struct figure_of *figure, const struct truth *truth, enum kind kind,
                      uint64_t seed)
{
    const struct point *point = figure->point;
    if (!getenv("FATHOM_MODEL_MISSES"))
        return;
    fprintf(stderr,
            "# machine %" PRIu64
            ", level %u, %.0f bytes, %s: %.5g %s in truth, found %.5g (%.5g to "
            "%.5g) in %u trials of %.5g to %.5g ns, %.0f %% of them disturbed\n",
            seed, truth->level + 1, truth->x, kind_names[kind], figure->truth,
            truth->core ? "cycles" : "ns", (double)figure->median, (double)figure->low,
            (double)figure->high, point->y.n, (double)point->y.min, (double)point->y.max,
            100 * (double)point->disturbance.trials);
}

static void count_point(struct outcome *outcome, const struct point *point,
                        const struct truth *truth, double core_hz, uint64_t seed)
{
    const struct figure_of figure =
        truth->core
            ? (struct figure_of){point, point->cycles.median, point->cycles.low, point->cycles.high,
                                 truth->ns * core_hz * 1e-9}
            : (struct figure_of){point, point->y.median, point->y.low, point->y.high, truth->ns};
    const enum kind kind = point->y.n < FEWEST_TRIALS                               ? KIND_FEW
                           : (double)point->disturbance.trials > disturbance_beside ? KIND_BESIDE
                                                                                    : KIND_GOOD;
    const bool held = holds(figure.low, figure.high, figure.truth);
    if (!held)
        show_miss(&figure, truth, kind, seed);
    struct coverage_count *const counts[] = {&outcome->points[kind],
                                             &outcome->depths[truth->level]};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        counts[i]->points++;
        counts[i]->held += held;
        counts[i]->off += (double)figure.median / figure.truth - 1;
        counts[i]->half_width += (double)((figure.high - figure.low) / figure.median / 2);
    }
}

static void answer(struct answers *answers, double value, double truth, double tolerance)
{
    if (isnan(value))
        answers->not_found++;
    else if (fabs(value / truth - 1) <= tolerance)
        answers->right++;
    else
        answers->wrong++;
}

/* Of the last probe; what differs from what the name stands for counts as well. */
static double value_of(const struct measurement *measurement, const char *name)
{
    const struct probe_result *result = &measurement->result;
    for (size_t i = 0; i < result->finding_count; i++)
        if (strcmp(result->findings[i].name, name) == 0)
            return result->findings[i].value;
    return NAN;
}

/* As score_add() has it: cycles where all of a level is the core's, else nanoseconds. */
static void answer_levels(struct outcome *outcome, const struct measurement *measurement)
{
    const struct model_machine *machine = measurement->machine;
    char name[32];
    for (unsigned level = 0; level <= machine->level_count; level++) {
        const bool memory = level == machine->level_count;
        const bool core = !memory && machine->caches[level].ns == 0;
        char place[8];
        snprintf(place, sizeof place, memory ? "DRAM" : "L%u", level + 1);
        snprintf(name, sizeof name, "%s.latency%s", place, core ? "" : "_ns");
        answer(&outcome->answers[LATENCIES], value_of(measurement, name),
               core ? machine_latency_cycles(machine, level) : machine_latency_ns(machine, level),
               0.02);
        if (memory || !machine_capacity_defined(machine, level))
            continue;
        snprintf(name, sizeof name, "%s.capacity", place);
        answer(&outcome->answers[CAPACITIES], value_of(measurement, name),
               (double)machine_capacity(machine, level), 0.1);
    }
}

static bool ran(struct measurement *measurement, const struct probe *probe,
                const char *const *options)
{
    if (measurement_run(measurement, probe, options) == 0)
        return true;
    fprintf(stderr, "# machine %" PRIu64 ": %s\n", measurement->seed, measurement->error.text);
    return false;
}

/* The least stride that geometry looks at is half a way's. */
static bool ways_can_be_found(const struct model_machine *machine)
{
    return machine->caches[0].bytes / machine->caches[0].ways >= 2048;
}

static bool run_once(struct outcome *outcome, const struct model_machine *machine, uint64_t seed,
                     unsigned run, unsigned trials, struct truths *truths)
{
    static const char *const small[] = {"pages", "small", "to", "256", NULL};
    struct measurement measurement;
    if (!measurement_begin(&measurement, machine, ARENA_MOST, 1000 * seed + run))
        return false;
    bool done = ran(&measurement, probe_by_name("tlb"), small);
    if (done)
        answer(&outcome->answers[ENTRIES], value_of(&measurement, "dtlb1.4K.entries"),
               machine->tlbs[MODEL_SMALL_PAGES][0].entries, 0);
    done = done && ran(&measurement, &latency_probe, NULL);
    if (done && run == 0)
        find_truths(truths, &measurement, seed, trials);
    for (size_t i = 0; done && i < truths->count; i++) {
        const struct truth *truth = &truths->list[i];
        const struct point *point = series_point(&measurement.result.series[0], truth->x);
        if (!point)
            continue;
        count_point(outcome, point, truth, machine->core_hz, seed);
    }
    if (done)
        answer_levels(outcome, &measurement);
    if (done && ways_can_be_found(machine) && ran(&measurement, probe_by_name("geometry"), NULL)) {
        answer(&outcome->answers[FIRST_WAYS], value_of(&measurement, "L1.ways"),
               machine->caches[0].ways, 0);
        if (machine->huge_pages)
            answer(&outcome->answers[SECOND_WAYS], value_of(&measurement, "L2.ways"),
                   machine->caches[1].ways, 0);
    }
    measurement_end(&measurement);
    return done;
}

struct all {
    uint64_t first_seed;
    unsigned runs;
};

static void examine(void *of_machine, unsigned number, const void *what)
{
    const struct all *all = what;
    struct outcome *outcome = of_machine;
    struct model_machine machine;
    struct truths truths = {.count = 0};
    outcome->crowd = machine_crowded(&machine, all->first_seed + number);
    outcome->done = true;
    for (unsigned run = 0; run < all->runs && outcome->done; run++)
        outcome->done =
            run_once(outcome, &machine, all->first_seed + number, run,
                     all->runs < RUNS_MOST ? TRUTH_TRIALS_SHORT : TRUTH_TRIALS, &truths);
    outcome->runs = all->runs;
}

/* --- tables --- */

static void print_shares(const char *title)
{
    printf("# %-28s", title);
    for (unsigned share = 0; share < CROWD_SHARES; share++)
        printf(share ? "   to %2.0f %%" : "  nothing ", 100 * crowd_shares[share]);
    printf("\n");
}

enum cell { HELD, OFF, WIDTH };
static void print_row(const char *name, const struct coverage_count counts[CROWD_SHARES],
                      enum cell cell)
{
    printf("#   %-26s", name);
    for (unsigned share = 0; share < CROWD_SHARES; share++) {
        const struct coverage_count *count = &counts[share];
        if (!count->points)
            printf("        - ");
        else if (cell == HELD)
            printf("  %5.1f %% ", 100.0 * count->held / count->points);
        else
            printf(" %+6.2f %% ",
                   100 * (cell == OFF ? count->off : count->half_width) / count->points);
    }
    printf("\n");
}

static void add_coverage(struct coverage_count *sum, const struct coverage_count *count)
{
    sum->points += count->points;
    sum->held += count->held;
    sum->off += count->off;
    sum->half_width += count->half_width;
}

struct totals {
    unsigned done;
    struct coverage_count all[KINDS], by_share[KINDS][CROWD_SHARES],
        by_crowd[CROWD_KINDS][CROWD_SHARES], of_crowd_good[CROWD_KINDS][CROWD_SHARES],
        by_course[3][CROWD_SHARES], by_depth[MODEL_LEVELS_MAX + 1][CROWD_SHARES];
    struct answers answers[CROWD_SHARES][ASKED];
};

static void add_outcome(struct totals *totals, const struct outcome *outcome)
{
    const struct crowd *crowd = &outcome->crowd;
    totals->done += outcome->done;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        const struct coverage_count *count = &outcome->points[kind];
        add_coverage(&totals->all[kind], count);
        add_coverage(&totals->by_share[kind][crowd->share], count);
        add_coverage(&totals->by_crowd[crowd->kind][crowd->share], count);
        add_coverage(&totals->by_course[crowd->course][crowd->share], count);
    }
    add_coverage(&totals->of_crowd_good[crowd->kind][crowd->share], &outcome->points[KIND_GOOD]);
    for (unsigned level = 0; level <= MODEL_LEVELS_MAX; level++)
        add_coverage(&totals->by_depth[level][crowd->share], &outcome->depths[level]);
    for (enum asked asked = 0; asked < ASKED; asked++) {
        struct answers *sum = &totals->answers[crowd->share][asked];
        sum->right += outcome->answers[asked].right;
        sum->wrong += outcome->answers[asked].wrong;
        sum->not_found += outcome->answers[asked].not_found;
    }
}

static void print_answers(const struct totals *totals)
{
    print_shares("right / wrong / not found, %");
    for (enum asked asked = 0; asked < ASKED; asked++) {
        printf("#   %-26s", asked_names[asked]);
        for (unsigned share = 0; share < CROWD_SHARES; share++) {
            const struct answers *answers = &totals->answers[share][asked];
            const double of = answers->right + answers->wrong + answers->not_found;
            char cell[32];
            snprintf(cell, sizeof cell, "%.0f/%.0f/%.0f", 100 * answers->right / of,
                     100 * answers->wrong / of, 100 * answers->not_found / of);
            printf(" %9s", of > 0 ? cell : "-");
        }
        printf("\n");
    }
}

static void print_tables(const struct totals *totals)
{
    static const char *const depths[] = {"the first level", "the second", "the third", "DRAM"};
    print_shares("interval holds the truth, taken:");
    for (enum kind kind = 0; kind < KINDS; kind++)
        print_row(kind_names[kind], totals->by_share[kind], HELD);
    for (unsigned crowd = 0; crowd < CROWD_KINDS; crowd++)
        print_row(crowd_kind_names[crowd], totals->by_crowd[crowd], HELD);
    print_shares("  of kind good:");
    for (unsigned crowd = 0; crowd < CROWD_KINDS; crowd++)
        print_row(crowd_kind_names[crowd], totals->of_crowd_good[crowd], HELD);
    print_shares("  of all kinds:");
    for (unsigned course = 0; course < 3; course++)
        print_row(crowd_course_names[course], totals->by_course[course], HELD);
    for (unsigned level = 0; level <= MODEL_LEVELS_MAX; level++)
        print_row(depths[level], totals->by_depth[level], HELD);
    print_shares("value over the truth, mean:");
    for (enum kind kind = 0; kind < KINDS; kind++)
        print_row(kind_names[kind], totals->by_share[kind], OFF);
    for (unsigned crowd = 0; crowd < CROWD_KINDS; crowd++)
        print_row(crowd_kind_names[crowd], totals->by_crowd[crowd], OFF);
    for (unsigned level = 0; level <= MODEL_LEVELS_MAX; level++)
        print_row(depths[level], totals->by_depth[level], OFF);
    print_shares("half width, mean:");
    for (enum kind kind = 0; kind < KINDS; kind++)
        print_row(kind_names[kind], totals->by_share[kind], WIDTH);
    print_answers(totals);
}

/* --- figures --- */

/* What is to reach: up to half of the time taken as right as without neighbours, and beyond it
 * not found rather than wrong. What is held: this share of the first, and at most this share wrong.
 * Ways of the second level are found in every second machine without neighbours, and in every third
 * beside them, so nothing is held of the first. */
static const struct promise {
    double as_right, wrong;
} promises[ASKED] = {[LATENCIES] = {0.95, 0.15},
                     [CAPACITIES] = {0.95, 0.15},
                     [FIRST_WAYS] = {0.9, 0.05},
                     [SECOND_WAYS] = {0, 0.05},
                     [ENTRIES] = {0.85, 0.12}};

static struct answers answers_of(const struct totals *totals, enum asked asked, unsigned from,
                                 unsigned end)
{
    struct answers sum = {0, 0, 0};
    for (unsigned share = from; share < end; share++) {
        sum.right += totals->answers[share][asked].right;
        sum.wrong += totals->answers[share][asked].wrong;
        sum.not_found += totals->answers[share][asked].not_found;
    }
    return sum;
}

static unsigned asked_in(const struct answers *answers)
{
    return answers->right + answers->wrong + answers->not_found;
}

static void assert_or_skip(const struct figure *figure, bool full)
{
    if (figure->of)
        figure_assert(figure, full);
    else
        tell_skipped(figure->name, "no machine that it could be judged on");
}

static void tell_answers(const struct totals *totals, enum asked asked, bool full)
{
    const struct answers without = answers_of(totals, asked, 0, 1),
                         half = answers_of(totals, asked, 1, CROWD_SHARES_HALF),
                         beyond = answers_of(totals, asked, CROWD_SHARES_HALF, CROWD_SHARES);
    const double usual = asked_in(&without) ? (double)without.right / asked_in(&without) : 1;
    char name[80];
    snprintf(name, sizeof name, "%s, half taken", asked_names[asked]);
    assert_or_skip(
        &(struct figure){name, half.right, asked_in(&half), promises[asked].as_right * usual, 1},
        full);
    snprintf(name, sizeof name, "%s, wrong beyond", asked_names[asked]);
    assert_or_skip(
        &(struct figure){name, beyond.wrong, asked_in(&beyond), 0, promises[asked].wrong}, full);
}

int main(int count, char **arguments)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    unsigned machines = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : MACHINES_FULL;
    const unsigned runs = count > 2 ? (unsigned)strtoul(arguments[2], NULL, 10) : RUNS_MOST;
    const struct all all = {count > 3 ? strtoull(arguments[3], NULL, 10) : 1, runs};
    const char *wish = getenv("FATHOM_MODEL_MACHINES");
    const unsigned fewer = wish ? (unsigned)strtoul(wish, NULL, 10) : machines;
    machines = fewer < machines ? fewer : machines;
    const struct outcome *outcomes =
        machines && runs ? examine_all(machines, sizeof *outcomes, examine, &all) : NULL;
    if (!outcomes) {
        fprintf(stderr, "suite MACHINES RUNS [FIRST-SEED]: no machines, or no memory for them\n");
        return 2;
    }
    static struct totals totals;
    for (unsigned i = 0; i < machines; i++)
        add_outcome(&totals, &outcomes[i]);
    print_tables(&totals);
    tell(totals.done == machines, "every machine was measured to the end");
    const bool full = machines >= MACHINES_FULL && runs >= RUNS_MOST;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        char name[80];
        snprintf(name, sizeof name, "intervals hold the truth, kind %s", kind_names[kind]);
        const struct figure covered = {name, totals.all[kind].held, totals.all[kind].points,
                                       kind == KIND_FEW ? 0 : 0.93, kind == KIND_GOOD ? 0.98 : 1};
        assert_or_skip(&covered, full);
    }
    for (enum asked asked = 0; asked < ASKED; asked++)
        tell_answers(&totals, asked, full);
    return tell_end();
}
