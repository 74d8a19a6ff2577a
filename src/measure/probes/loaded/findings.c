#include "measure/probes/loaded/loaded.h"

#include "base/units.h"
#include "document/flag.h"
#include "measure/probes/kit/build.h"
#include "stats/curve.h"
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Injectors below this share of their usual bandwidth at that step had their CPUs for less than
 * half of the trial. */
static const double usual_least = 0.5;

static struct series *series_of(const struct probe_task *task, int which)
{
    return &task->result->series[which];
}

static struct point *point_at(const struct probe_task *task, int which, unsigned step)
{
    return series_point(series_of(task, which), step);
}

/* Copies a step's values without NAN to `values`, ascending; `values` has room for all trials.
 * Returns their number. */
static size_t kept(const struct loaded_state *state, const double *trials, double *values)
{
    size_t n = 0;
    for (unsigned trial = 0; trial < state->trials_max; trial++)
        if (!isnan(trials[trial]))
            values[n++] = trials[trial];
    sort_ascending(values, n);
    return n;
}

/* --- series --- */

/* The engine summarized all trials; steps with starved trials are summarized again from the kept
 * ones, because a latency measured while the injectors had no CPU is not a latency under load.
 * Cycles are dropped, because those of single trials are not known here. */
static void judge_starved(struct probe_task *task, double *values)
{
    const struct loaded_state *state = task->state;
    size_t failed = 0;
    const char *why = NULL;
    for (unsigned step = 0; step < LOADED_STEPS; step++) {
        const struct loaded_step *seen = &state->steps[step];
        struct point *point = point_at(task, LOADED_LATENCY, step);
        if (!point || !seen->starved)
            continue;
        const size_t n = kept(state, seen->latency, values);
        point->flags |= FLAG_BIT(FLAG_PREEMPTED);
        if (n) {
            summarize(values, n, values, &point->y);
            point_drop_details(point);
        }
        if (seen->starved < seen->trials)
            continue;
        why = point->failed =
            pool_printf(task->pool,
                        "the injector on CPU %d got no time to run: something else holds that CPU; "
                        "stop it, or choose others with --cpus",
                        seen->starved_cpu);
        point->y = summary_of_nothing();
        point_drop_details(point);
        failed++;
    }
    if (failed && task->result->status == PROBE_OK) {
        task->result->status = PROBE_PARTIAL;
        task->result->reason = pool_printf(task->pool, "%zu of %zu points failed: %s", failed,
                                           series_of(task, LOADED_LATENCY)->point_count, why);
    }
}

static struct point *add_point(struct probe_task *task, int which, double x,
                               const struct point *like)
{
    struct series *series = series_of(task, which);
    struct point *point =
        pool_append(task->pool, (void **)&series->points, &series->point_count, sizeof *point);
    *point = *like;
    point->x = x;
    return point;
}

/* --- what no series shows --- */

/* Why no knee was looked for. */
static const char *left_out(const struct probe_task *task)
{
    const struct loaded_state *state = task->state;
    unsigned measured = 0;
    for (unsigned step = 0; step < LOADED_STEPS; step++)
        measured += state->steps[step].trials > 0;
    const char *why = measured > 2 ? pool_printf(task->pool,
                                                 "there was time for %u of %u steps, too far "
                                                 "apart to find it",
                                                 measured, LOADED_STEPS)
                                   : "there was no time for the steps between the two ends";
    return pool_printf(task->pool, "%s; give --budget %.0f", why, ceil(state->left_out_s));
}

/* Each round's knee, from the curve through its own trials. `knees` has room for trials_max.
 * Returns the number of rounds with a curve, and in *found the number of knees. */
static size_t knees_of_rounds(const struct loaded_state *state, double *knees, size_t *found)
{
    size_t rounds = 0;
    *found = 0;
    for (unsigned trial = 0; trial < state->trials_max; trial++) {
        double rate[LOADED_STEPS], time[LOADED_STEPS];
        size_t n = 0;
        for (unsigned step = 0; step < LOADED_STEPS; step++) {
            rate[n] = state->steps[step].bandwidth[trial];
            time[n] = state->steps[step].latency[trial];
            n += isnan(rate[n]) ? 0 : 1;
        }
        if (n < LOADED_STEPS / 2)
            continue;
        double knee = knee_of_power(rate, time, n);
        rounds++;
        if (!isnan(knee))
            knees[(*found)++] = knee;
    }
    return rounds;
}

void loaded_conclude(struct probe_task *task)
{
    struct loaded_state *state = task->state;
    double *values = pool_alloc(task->pool, state->trials_max, sizeof *values);
    task->plan.series_count = task->result->series_count = LOADED_KNEE;
    /* If all injectors starve together, or there is only one, comparing them shows nothing;
     * comparing with the step's other trials does. */
    for (unsigned i = LOADED_NONE + 1; i < LOADED_STEPS; i++) {
        struct loaded_step *step = &state->steps[i];
        const size_t n = kept(state, step->bandwidth, values);
        const double least = n ? usual_least * median(values, n) : NAN;
        for (unsigned trial = 0; trial < state->trials_max; trial++)
            if (step->bandwidth[trial] < least) {
                step->bandwidth[trial] = step->latency[trial] = NAN;
                step->starved++;
            }
    }
    judge_starved(task, values);
    /* Adds bandwidth by step and the curve of latency over bandwidth. */
    for (unsigned step = 0; step < LOADED_STEPS; step++) {
        const struct point *latency = point_at(task, LOADED_LATENCY, step);
        const size_t n = kept(state, state->steps[step].bandwidth, values);
        if (!latency || !n)
            continue;
        struct point *bandwidth = add_point(task, LOADED_BANDWIDTH, step, latency);
        summarize(values, n, values, &bandwidth->y);
        point_drop_details(bandwidth);
        add_point(task, LOADED_CURVE, bandwidth->y.median, latency);
    }
    struct series *curve = series_of(task, LOADED_CURVE);
    if (curve->point_count > 1)
        qsort(curve->points, curve->point_count, sizeof *curve->points, point_by_x);
    curve->headline = curve->point_count > 2;
    build_note_text(task, "injects_own_core", state->shares_core ? "yes" : "no");
    struct series *series = series_of(task, LOADED_KNEE);
    if (state->left_out_s > 0) {
        build_note_text(task, "knee_left_out", left_out(task));
        return;
    }
    size_t found, rounds = knees_of_rounds(state, values, &found);
    if (!rounds)
        return;
    struct point *point = pool_alloc(task->pool, 1, sizeof *point);
    *point = point_bare(); /* no knee in any round is not a failure */
    point->x = (double)rounds;
    if (found)
        summarize(values, found, values, &point->y);
    series->points = point;
    series->point_count = 1;
    task->plan.series_count = task->result->series_count = LOADED_KNEE + 1;
}

/* --- findings --- */

static const struct series *analysed_series(const struct analysis *analysis, int which)
{
    return analysis_series(analysis, "loaded", "shows", loaded_shows[which]);
}

static const struct point *analysed_point(const struct analysis *analysis, int which, unsigned step)
{
    const struct series *series = analysed_series(analysis, which);
    return series ? series_point(series, step) : NULL;
}

static const char *traffic_text(struct analysis *analysis, const struct series *series)
{
    const double injectors = series_number(series, "injectors");
    const struct factor *own = analysis_parameter(analysis, "injects_own_core");
    return pool_printf(analysis->pool, "%.0f injector%s of %s traffic, %.0f %% of it reads%s",
                       injectors, injectors > 1 ? "s" : "", analysis_factor(series, "traffic"),
                       series_number(series, "mix"),
                       own && own->text && strcmp(own->text, "yes") == 0
                           ? ", one of them on the measuring CPU's own core"
                           : "");
}

/* Traffic can only make a load from DRAM slower. If a load is faster beside traffic, whatever other
 * programs did, one of the two was not served by DRAM. */
static bool add_contradiction(struct analysis *analysis, const struct point *none,
                              const struct point *full)
{
    const struct estimate alone = finding_time_of(none), beside = finding_time_of(full);
    if (!((double)beside.high < (double)alone.low))
        return false;
    analysis_add(analysis, "loaded.unloaded", "ns")->text = pool_printf(
        analysis->pool,
        "not DRAM: in %s a load took %.3g ns alone and only %.3g ns beside traffic, so a cache "
        "served some of them, or other programs took turns; repeat on a quieter machine",
        size_text(analysis->pool, analysis_number(analysis, "chase_bytes")), (double)alone.median,
        (double)beside.median);
    return true;
}

static void add_ends(struct analysis *analysis, const struct series *series)
{
    const struct point *none = analysed_point(analysis, LOADED_LATENCY, LOADED_NONE),
                       *full = analysed_point(analysis, LOADED_LATENCY, LOADED_FULL),
                       *most = analysed_point(analysis, LOADED_BANDWIDTH, LOADED_FULL);
    if (none && full && none->y.n && full->y.n && add_contradiction(analysis, none, full))
        return;
    if (none) {
        analysis_add_point(analysis, "loaded.unloaded", "ns", none, none->flags)->text =
            "a load from DRAM while no other CPU here uses it";
        analysis_add_value(analysis, "loaded.unloaded_cycles", "cycles",
                           estimate_interval(finding_cycles_of(none)), none->flags);
    }
    if (full && !analysis_parameter(analysis, "injects_own_core"))
        analysis_keep(analysis, "loaded.saturated",
                      "the document does not say whether an injector shared the core");
    else if (full)
        analysis_add_point(analysis, "loaded.saturated", "ns", full, full->flags)->text =
            pool_printf(analysis->pool, "the same under load: %s, as fast as they can",
                        traffic_text(analysis, series));
    if (full && most)
        analysis_add_point(analysis, "loaded.bandwidth", "B/s", most, most->flags)->text =
            "what these injectors moved meanwhile: lines read and lines written back";
}

static void add_knee(struct analysis *analysis, const struct series *latency)
{
    const struct factor *why = analysis_parameter(analysis, "knee_left_out");
    const struct series *rounds = analysed_series(analysis, LOADED_KNEE),
                        *curve = analysed_series(analysis, LOADED_CURVE);
    /* No knee was looked for: without a value the finding has no flags either. */
    if (why && why->text) {
        analysis_add(analysis, "loaded.knee", "B/s")->text =
            pool_printf(analysis->pool, "left out: %s", why->text);
        return;
    }
    if (!rounds || !rounds->point_count) {
        analysis_keep(analysis, "loaded.knee",
                      "the document does not hold the values of the rounds");
        return;
    }
    const struct point *knee = rounds->points;
    const unsigned flags = series_flags(curve);
    if (2 * knee->y.n > knee->x) {
        analysis_add_point(analysis, "loaded.knee", "B/s", knee, flags)->text =
            "the traffic up to which latency rises little: bandwidth over latency is greatest "
            "there";
        return;
    }
    /* There is no knee: without a value the finding has no flags either. */
    const double injectors = series_number(latency, "injectors");
    analysis_add(analysis, "loaded.knee", "B/s")->text =
        pool_printf(analysis->pool,
                    "no knee: %.0f injector%s not enough traffic to fill the memory; more CPUs "
                    "(--injectors) would",
                    injectors, injectors > 1 ? "s make" : " makes");
}

void loaded_analyse(struct analysis *analysis)
{
    const struct series *latency = analysed_series(analysis, LOADED_LATENCY);
    if (!latency)
        return;
    add_ends(analysis, latency);
    add_knee(analysis, latency);
    analysis_read_off(analysis, latency);
}

#include "loaded.findings.h"
