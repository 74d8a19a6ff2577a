/*
 * The whole road, from plan to findings, on many random machines of the model: how often it is
 * right. Prints the figures, and holds them against what was promised. Then the same with faults
 * planted in the estimators: the figures have to show them.
 *
 * suite MACHINES: three hundred for the promise; fewer for slow builds, where the figures are held
 * against what chance may make of it, and of very few no fault can be shown. FATHOM_MODEL_MACHINES
 * asks for fewer still, of a build that is tested again; FATHOM_MODEL_CURVES names a folder for the
 * curves of machines that were not read rightly.
 */
#include "base/random.h"
#include "conclude/levels/level.h"
#include "coverage.h"
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
    MACHINES_TELLING = 10, /* with fewer, chance may hide a fault */
    ARENA_MOST = 512 << 20,
    COVERED_POINTS = 2,
    COVERED_POINTS_SHORT = 24, /* where machines are few, or no fault could show */
    COVERED_TRIALS = 201,
    COVERED_BYTES = 128 << 10,
};

/* How coarsely people choose sizes. */
enum sampling { ONE_AN_OCTAVE, TWO_AN_OCTAVE, CHOSEN_SIZES, TABLE_OF_ONE, TABLE_OF_TWO, SAMPLINGS };
static const char *const sampling_names[SAMPLINGS] = {
    "one size an octave", "two sizes an octave", "three to six chosen sizes",
    "a table of one an octave", "a table of two an octave"};

/* Of one machine, or of all. */
struct outcome {
    unsigned done;
    struct tally tally[SAMPLINGS];
    struct score found, by_threshold;
    struct coverage coverage;
    unsigned tlbs, tlbs_right;
};

/* --- one machine --- */

static void write_curve(const struct measurement *measurement, uint64_t seed,
                        const struct found *found)
{
    const char *folder = getenv("FATHOM_MODEL_CURVES");
    const struct model_machine *machine = measurement->machine;
    if (!folder)
        return;
    char name[1024];
    int used = snprintf(name, sizeof name, "%s/%" PRIu64 "-%s-truth", folder, seed,
                        machine->huge_pages ? "huge" : "small");
    for (unsigned level = 0; level < machine->level_count; level++)
        used +=
            snprintf(name + used, sizeof name - (size_t)used, "-%" PRIu64 "K@%.2fns",
                     machine_capacity(machine, level) >> 10, machine_latency_ns(machine, level));
    used += snprintf(name + used, sizeof name - (size_t)used, "-DRAM@%.1fns-found",
                     machine_latency_ns(machine, machine->level_count));
    for (size_t i = 0; i < found->count; i++)
        used += snprintf(name + used, sizeof name - (size_t)used, "-%.0fK@%.2fns",
                         found->caches[i].capacity.value / 1024, found->caches[i].latency_ns.value);
    snprintf(name + used, sizeof name - (size_t)used, "-DRAM@%.1fns.csv",
             found->memory.latency_ns.value);
    FILE *file = fopen(name, "w");
    if (!file)
        return;
    fprintf(file, "size_bytes,latency_ns,low,high,cycles,trials\n");
    const struct series *series = &measurement->result.series[0];
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        fprintf(file, "%.0f,%.6g,%.6g,%.6g,%.6g,%u\n", point->x, (double)point->y.median,
                (double)point->y.low, (double)point->y.high, (double)point->cycles.median,
                point->y.n);
    }
    fclose(file);
}

static void score_tlb(struct outcome *outcome, const struct measurement *measurement,
                      enum model_pages pages, const char *name)
{
    const struct finding *finding = document_finding(&measurement->document, name);
    unsigned truth = measurement->machine->tlbs[pages][0].entries;
    bool right = finding && finding->value == truth;
    outcome->tlbs++;
    outcome->tlbs_right += right;
    if (!right && getenv("FATHOM_MODEL_CURVES"))
        fprintf(stderr, "# machine %" PRIu64 ": %s is %u, found %g\n", measurement->seed, name,
                truth, finding ? finding->value : NAN);
}

static void examine_tlb(struct outcome *outcome, struct measurement *measurement)
{
    const struct probe *tlb = probe_by_name("tlb");
    if (!tlb)
        return;
    /* Where pages are huge the latency probe asks nothing of the second level for small ones. */
    const char *const options[] = {"pages", "small", "to",
                                   measurement->machine->huge_pages ? "256" : "8192", NULL};
    if (measurement_run(measurement, tlb, options) < 0) {
        fprintf(stderr, "# machine %" PRIu64 ": %s\n", measurement->seed, measurement->error.text);
        return;
    }
    score_tlb(outcome, measurement, MODEL_SMALL_PAGES, "dtlb1.4K.entries");
}

/* Three to six sizes, anywhere from the smallest to the largest. */
static void choose_sizes(const struct measurement *measurement, char *text, size_t room)
{
    const double smallest_log = 10;
    struct random random = {measurement->seed};
    const struct series *series = &measurement->result.series[0];
    double most = 0;
    for (size_t i = 0; i < series->point_count; i++)
        most = fmax(most, series->points[i].x);
    const unsigned count = 3 + (unsigned)random_below(&random, 4);
    int used = 0;
    for (unsigned i = 0; i < count; i++) {
        const double octave = smallest_log + (log2(most) - smallest_log) * random_unit(&random);
        /* Some write powers of two, some what comes to their mind. */
        const double bytes = exp2(measurement->seed % 2 ? round(octave) : octave);
        used += snprintf(text + used, room - (size_t)used, "%s%.0f", i ? "," : "",
                         64 * round(fmax(bytes, 1024) / 64));
    }
}

/* What another tool's table of the same machine would say: of the points those nearest to that many
 * an octave, in ns alone, and nothing declared. */
static void examine_table(struct outcome *outcome, struct measurement *measurement,
                          enum sampling sampling, const struct series *whole)
{
    const double each = sampling == TABLE_OF_ONE ? 1 : 0.5;
    struct point *points =
        pool_alloc(&measurement->document.pool, whole->point_count, sizeof *points);
    struct series series = {.name = "latency", .x = whole->x, .y = whole->y, .points = points};
    struct probe_result result = {0};
    double last = -INFINITY;
    for (size_t i = 0; points && i < whole->point_count; i++) {
        const struct point *point = &whole->points[i];
        const double octave = round(log2(point->x) / each) * each;
        if (fabs(log2(point->x) - octave) > 0.02 || octave <= last)
            continue;
        last = octave;
        points[series.point_count++] =
            (struct point){.x = point->x,
                           .y = {.median = point->y.median, .low = NAN, .high = NAN, .n = 1},
                           .cycles = {NAN, NAN, NAN}};
    }
    findings_levels(&result, &measurement->document.pool, &series, NULL, NULL, -1, NULL, 0);
    tally_add(&outcome->tally[sampling], measurement->machine, &result, true);
}

static void examine_coarsely(struct outcome *outcome, struct measurement *measurement)
{
    char sizes[128];
    choose_sizes(measurement, sizes, sizeof sizes);
    const char *const options[][3] = {[ONE_AN_OCTAVE] = {"per-octave", "1", NULL},
                                      [TWO_AN_OCTAVE] = {"per-octave", "2", NULL},
                                      [CHOSEN_SIZES] = {"sizes", sizes, NULL}};
    for (enum sampling sampling = ONE_AN_OCTAVE; sampling <= CHOSEN_SIZES; sampling++) {
        struct tally *tally = &outcome->tally[sampling];
        const unsigned before = tally->levels_false;
        if (measurement_run(measurement, &latency_probe, options[sampling]) < 0) {
            fprintf(stderr, "# machine %" PRIu64 ": %s\n", measurement->seed,
                    measurement->error.text);
            continue;
        }
        tally_add(tally, measurement->machine, &measurement->result, false);
        if (tally->levels_false > before && getenv("FATHOM_MODEL_CURVES"))
            fprintf(stderr, "# machine %" PRIu64 ": a false level of %s\n", measurement->seed,
                    sampling_names[sampling]);
    }
}

struct all {
    uint64_t first_seed;
    bool full;
};

static void examine(void *of_machine, unsigned number, const void *what)
{
    const struct all *all = what;
    const uint64_t seed = all->first_seed + number;
    const bool full = all->full;
    struct outcome *outcome = of_machine;
    struct model_machine machine;
    struct measurement measurement;
    machine_random(&machine, seed);
    if (!measurement_begin(&measurement, &machine, ARENA_MOST, seed))
        return;
    examine_tlb(outcome, &measurement);
    if (measurement_run(&measurement, &latency_probe, NULL) == 0) {
        struct found found = found_in(&measurement.result);
        score_add(&outcome->found, &machine, &found);
        if (!score_perfect(&outcome->found))
            write_curve(&measurement, seed, &found);
        struct found mistaken = found_by_threshold(&measurement.result.series[0]);
        score_add(&outcome->by_threshold, &machine, &mistaken);
        coverage_add(&outcome->coverage, &measurement, full ? COVERED_POINTS : COVERED_POINTS_SHORT,
                     COVERED_TRIALS, COVERED_BYTES);
        examine_table(outcome, &measurement, TABLE_OF_ONE, &measurement.result.series[0]);
        examine_table(outcome, &measurement, TABLE_OF_TWO, &measurement.result.series[0]);
        examine_coarsely(outcome, &measurement);
        outcome->done = true;
    } else {
        fprintf(stderr, "# machine %" PRIu64 ": %s\n", seed, measurement.error.text);
    }
    measurement_end(&measurement);
}

/* --- all machines --- */

static void add_tally(struct tally *sum, const struct tally *tally)
{
    sum->machines += tally->machines;
    sum->with_false += tally->with_false;
    sum->levels += tally->levels;
    sum->levels_reported += tally->levels_reported;
    sum->levels_false += tally->levels_false;
}

static void add_score(struct score *sum, const struct score *score)
{
    sum->machines += score->machines;
    sum->levels_right += score->levels_right;
    sum->levels_too_many += score->levels_too_many;
    sum->capacities += score->capacities;
    sum->capacities_right += score->capacities_right;
    sum->latencies += score->latencies;
    sum->latencies_right += score->latencies_right;
    sum->intervals += score->intervals;
    sum->intervals_right += score->intervals_right;
}

static struct outcome add_up(const struct outcome *outcomes, unsigned machines)
{
    struct outcome totals = {0};
    for (unsigned i = 0; i < machines; i++) {
        const struct outcome *outcome = &outcomes[i];
        totals.done += outcome->done;
        totals.tlbs += outcome->tlbs;
        totals.tlbs_right += outcome->tlbs_right;
        add_score(&totals.found, &outcome->found);
        for (enum sampling sampling = 0; sampling < SAMPLINGS; sampling++)
            add_tally(&totals.tally[sampling], &outcome->tally[sampling]);
        add_score(&totals.by_threshold, &outcome->by_threshold);
        totals.coverage.points += outcome->coverage.points;
        totals.coverage.disagreements += outcome->coverage.disagreements;
        totals.coverage.few += outcome->coverage.few;
        for (unsigned e = 0; e < ESTIMATORS; e++) {
            totals.coverage.covered[e] += outcome->coverage.covered[e];
            totals.coverage.few_covered[e] += outcome->coverage.few_covered[e];
        }
    }
    return totals;
}

/* --- figures --- */

/* A planted fault shows when one of the figures it bears upon leaves its bounds. */
static void assert_shows(const char *fault, const struct figure *figures, size_t count,
                         unsigned machines)
{
    bool shows = false;
    for (size_t i = 0; i < count; i++) {
        figure_show(&figures[i]);
        shows = shows || !figure_holds(&figures[i], machines >= MACHINES_FULL);
    }
    if (machines >= MACHINES_TELLING)
        tell(shows, fault);
    else
        tell_skipped(fault, "too few machines to tell");
}

static void score_figures(const struct score *score, struct figure figures[4])
{
    const unsigned machines = score->machines;
    figures[0] = (struct figure){"number of levels right", score->levels_right, machines, 0.97, 1};
    figures[1] =
        (struct figure){"a level that isn't there", score->levels_too_many, machines, 0, 0.00999};
    figures[2] = (struct figure){"capacity within 10 %", score->capacities_right, score->capacities,
                                 0.95, 1};
    figures[3] =
        (struct figure){"latency within 2 %", score->latencies_right, score->latencies, 0.95, 1};
}

static struct figure coverage_figure(const char *name, const struct coverage *coverage,
                                     enum estimator estimator)
{
    return (struct figure){name, coverage->covered[estimator], coverage->points, 0.93, 0.98};
}

static void tell_all(const struct outcome *totals, unsigned machines)
{
    const bool full = machines >= MACHINES_FULL;
    struct figure figures[4];
    tell(totals->done == machines, "every machine was measured to the end");
    score_figures(&totals->found, figures);
    for (size_t i = 0; i < 4; i++)
        figure_assert(&figures[i], full);
    for (enum sampling sampling = 0; sampling < SAMPLINGS; sampling++) {
        const struct tally *tally = &totals->tally[sampling];
        char name[80];
        snprintf(name, sizeof name, "false levels: %s", sampling_names[sampling]);
        struct figure wrong = {name, tally->levels_false, tally->levels, 0, 0.00999};
        figure_assert(&wrong, full);
        printf("# %-42s %6.2f %%  (%u of %u)\n", "    levels reported",
               tally->levels ? 100.0 * tally->levels_reported / tally->levels : NAN,
               tally->levels_reported, tally->levels);
    }
    struct figure tlbs = {"TLB entries exact", totals->tlbs_right, totals->tlbs, 0.9, 1};
    figure_assert(&tlbs, full);
    const struct score *found = &totals->found;
    struct figure held = {"intervals of levels that hold the truth", found->intervals_right,
                          found->intervals, 0.9, 1};
    figure_assert(&held, full);
    const struct coverage *coverage = &totals->coverage;
    struct figure covered =
        coverage_figure("intervals that hold the true median", coverage, ESTIMATOR_SOUND);
    figure_assert(&covered, full);
    tell(coverage->disagreements == 0, "intervals of the document are those of its trials");

    struct figure rank = {"... by ranks one too far in, few trials",
                          coverage->few_covered[ESTIMATOR_ONE_RANK_IN], coverage->few, 0.93, 0.98};
    assert_shows("a rank that is off by one is caught", &rank, 1, machines);
    struct figure pooled =
        coverage_figure("... by batches taken for trials", coverage, ESTIMATOR_POOLED);
    assert_shows("pooled batches are caught", &pooled, 1, machines);
    score_figures(&totals->by_threshold, figures);
    assert_shows("a fixed threshold for levels is caught", figures, 4, machines);
}

int main(int count, char **arguments)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    unsigned machines = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : MACHINES_FULL;
    uint64_t first_seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    const char *wish = getenv("FATHOM_MODEL_MACHINES");
    const unsigned fewer = wish ? (unsigned)strtoul(wish, NULL, 10) : machines;
    machines = fewer < machines ? fewer : machines;
    const struct all all = {first_seed, machines >= MACHINES_FULL};
    const struct outcome *outcomes =
        machines ? examine_all(machines, sizeof *outcomes, examine, &all) : NULL;
    if (!outcomes) {
        fprintf(stderr, "suite MACHINES [FIRST-SEED]: no machines, or no memory for them\n");
        return 2;
    }
    struct outcome totals = add_up(outcomes, machines);
    tell_all(&totals, machines);
    return tell_end();
}
