#include "measure/probes/wake/wake.h"

#include "conclude/registry/finding.h"
#include "stats/ratio.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct standard wake_experiment[] = {
    {"way", STANDARD_NAMED, NULL, 0},
    {.factor = NULL},
};

const struct finding_line wake_lines[] = {
    {.patterns = "wake.futex.min",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .fact = FACT_WAKE,
     .meaning =
         "One wake-up of a thread that sleeps on another CPU, by futex, of the fastest pair.",
     .moves = "Idle states, a hypervisor, the distance of the two CPUs and the clock move it.",
     .advice = "Where messages are short and frequent, spin for about as long before sleeping."},
    {.patterns = "wake.futex.max, wake.eventfd.min, wake.eventfd.max, "
                 "wake.pipe.min, wake.pipe.max, wake.condition.min, wake.condition.max",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning =
         "One wake-up of a thread that sleeps on another CPU, of the fastest and the slowest "
         "pair.",
     .moves = "Idle states, a hypervisor, the distance of the two CPUs and the clock move it.",
     .advice = "Where messages are short and frequent, spin for about as long before sleeping."},
    {.patterns = "wake.spin.min, wake.spin.max",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "The same where nobody sleeps: the other CPU sees a word in memory change.",
     .moves = "It is a hand-off: the distance of the two CPUs moves it.",
     .advice = "Compare: it is what sleeping costs beyond."},
    {.patterns = "wake.*.switches",
     .unit = "",
     .role = ROLE_PROPERTY,
     .side = SIDE_NEITHER,
     .meaning = "Context switches that a wake-up took, as the system counts them.",
     .moves = "Below 1, threads were rung before they had come to sleep; above, others ran in "
              "between.",
     .advice = "Where it is well below 1, the time is not that of a wake-up from sleep."},
    {.patterns = "wake.after.<n>us",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "From the ring until a thread runs that had slept for that long.",
     .moves = "The longer a CPU is idle the deeper it sleeps; /sys/devices/system/cpu/cpu0/cpuidle "
              "has the states.",
     .advice = "Where the long sleeps are too slow, forbid deep idle states (cpupower idle-set -D "
               "LATENCY, or /dev/cpu_dma_latency)."},
    {.patterns = NULL},
};

/* --- what no series shows --- */

/* Whether the system counted any switch while threads went to sleep. */
static bool counts_switches(const struct wake_state *state)
{
    bool slept = false;
    for (int way = 0; way < BELL_KINDS; way++)
        for (size_t i = 0; way != BELL_SPIN && i < state->tallies[way].count; i++) {
            slept = true;
            if (state->tallies[way].switches[i] > 0)
                return true;
        }
    return !slept;
}

void wake_conclude(struct probe_task *task, const struct stage_outcome *outcome)
{
    struct error *error = pool_error(task->pool);
    const struct wake_state *state = task->state;
    const bool counts = counts_switches(state);
    (void)outcome;
    for (int way = 0; way < BELL_KINDS; way++) {
        const struct wake_tally *tally = &state->tallies[way];
        if (!tally->count)
            continue;
        const struct ratio ratio = ratio_of_sums(tally->switches, tally->wake_ups, tally->count);
        const char *name = pool_printf(task->pool, "wake.%s.switches", bell_names[way]);
        struct finding *finding = !name ? NULL
                                  : counts
                                      ? finding_add_value(task->result, task->pool, name, "",
                                                          ratio.value, ratio.low, ratio.high, 0)
                                      : finding_add(task->result, task->pool, name, "");
        finding->text =
            counts ? "context switches for each wake-up, by the system's count"
                   : "unknown: this system counts no context switches (getrusage), so nothing "
                     "shows that threads slept; measure outside this sandbox or emulator";
    }
    return (void)pool_check(task->pool, 0);
}

/* --- what the series show --- */

static int add_extreme(struct analysis *analysis, const struct series *series, const char *way,
                       const struct point *point, bool fastest, struct error *error)
{
    const size_t first = analysis->result->finding_count;
    const char *name = pool_printf(analysis->pool, "wake.%s.%s", way, fastest ? "min" : "max");
    struct finding *finding =
        name ? analysis_add_summary(analysis, name, series->y.unit, &point->y, point->flags) : NULL;
    finding->cpus = pool_printf(analysis->pool, "%d,%d", point->from, point->to);
    finding->text = pool_printf(analysis->pool, "%s pair: CPU %d and CPU %d, half of a round trip",
                                fastest ? "fastest" : "slowest", point->from, point->to);
    analysis_read_off(analysis, first, series);
    return finding->cpus && finding->text ? 0 : error_out_of_memory(error);
}

static int analyse_matrix(struct analysis *analysis, const struct series *series,
                          struct error *error)
{
    const struct point *least = NULL, *most = NULL;
    const char *way = analysis_factor(series, "way");
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (!point->y.n)
            continue;
        if (!least || point->y.median < least->y.median)
            least = point;
        if (!most || point->y.median > most->y.median)
            most = point;
    }
    if (!least)
        return 0;
    int code = add_extreme(analysis, series, way, least, true, error);
    return code == 0 ? add_extreme(analysis, series, way, most, false, error) : code;
}

static int analyse_sleeps(struct analysis *analysis, const struct series *series,
                          struct error *error)
{
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        const size_t first = analysis->result->finding_count;
        if (!point->y.n)
            continue;
        const char *name = pool_printf(analysis->pool, "wake.after.%.0fus", point->x);
        struct finding *finding =
            name ? analysis_add_summary(analysis, name, series->y.unit, &point->y, point->flags)
                 : NULL;
        finding->text = pool_printf(analysis->pool, "woken by %s, after a sleep of %g us",
                                    analysis_factor(series, "way"), point->x);
        analysis_read_off(analysis, first, series);
    }
    return 0;
}

void wake_analyse(struct analysis *analysis)
{
    struct error *error = pool_error(analysis->pool);
    const struct probe_result *result = analysis->result;
    int code = 0;
    for (size_t i = 0; i < result->series_count && code == 0; i++)
        code = result->series[i].matrix ? analyse_matrix(analysis, &result->series[i], error)
                                        : analyse_sleeps(analysis, &result->series[i], error);
    if (code < 0)
        return (void)pool_check(analysis->pool, code);
    return (void)pool_check(
        analysis->pool,
        (analysis_keep(analysis, "wake.*.switches", "context switches are in no series"), 0));
}
