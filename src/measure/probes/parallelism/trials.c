/*
 * Results of a stage's trials, computed before the next stage is planned, and their series in the
 * document.
 */
#include "measure/probes/kit/build.h"
#include "measure/probes/parallelism/parallelism.h"
#include "stats/order.h"

#include <math.h>

enum { TRIALS_MOST = 512, FOUR = 4 };
/* Values within this share of the best count as equally good. */
const double parallelism_tolerance = 0.05;
/* From this many accesses at once on, two of them overlap; below it none do. */
static const double overlap_ends = 1.5;

/* Summary of the values of tell() over the trials, without NAN. */
static struct summary by_trial(const struct probe_task *task,
                               double (*tell)(const struct probe_task *, unsigned, const void *),
                               const void *about)
{
    const struct parallelism_state *state = task->state;
    double values[TRIALS_MOST];
    size_t n = 0;
    for (unsigned trial = 0; trial < state->values.trials && n < TRIALS_MOST; trial++) {
        double value = tell(task, trial, about);
        if (isfinite(value))
            values[n++] = value;
    }
    if (!n)
        return summary_of_nothing();
    struct summary summary;
    summarize(values, n, values, &summary);
    return summary;
}

/* The trial's value at x in a series of the plan; NAN if there is none. */
static double value_at(const struct probe_task *task, int series, double x, unsigned trial)
{
    const struct parallelism_state *state = task->state;
    for (size_t i = 0; i < task->plan.point_count; i++) {
        const struct plan_point *point = &task->plan.points[i];
        if ((int)point->series == series && point->x == x)
            return trial_value(&state->values, i, trial);
    }
    return NAN;
}

struct curve_plateau {
    int series;
    double x[CURVE_POINTS_MAX]; /* the numbers of chains on the plateau */
    size_t count;
};

/* Both times come from one ring at one time, so interference affects both. */
static double trial_sustained(const struct probe_task *task, unsigned trial, const void *about)
{
    const struct curve_plateau *plateau = about;
    double on[CURVE_POINTS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < plateau->count; i++) {
        double value = value_at(task, plateau->series, plateau->x[i], trial);
        if (isfinite(value))
            on[n++] = value;
    }
    if (!n)
        return NAN;
    sort_ascending(on, n);
    return value_at(task, plateau->series, 1, trial) / median(on, n);
}

static double trial_four(const struct probe_task *task, unsigned trial, const void *about)
{
    const int *series = about;
    return (double)FOUR * value_at(task, *series, FOUR, trial) / value_at(task, *series, 1, trial);
}

bool parallelism_plateau(const struct series *series, struct saturation *found)
{
    double times[CURVE_POINTS_MAX] = {0}, scratch[CURVE_POINTS_MAX];
    size_t at[CURVE_POINTS_MAX];
    /* The times of a curve and the indexes of their points, without failed points. */
    size_t n = 0;
    for (size_t i = 0; i < series->point_count && n < CURVE_POINTS_MAX; i++) {
        if (!series->points[i].y.n)
            continue;
        at[n] = i;
        times[n++] = (double)series->points[i].y.median;
    }
    if (!saturation_find(times, n, parallelism_tolerance, found, scratch))
        return false;
    found->typical = at[found->typical];
    found->knee = at[found->knee];
    return true;
}

static void take_curve(struct probe_task *task, struct parallelism_level *curve)
{
    const struct series *series = &task->plan.series[curve->series];
    struct saturation found;
    if (!parallelism_plateau(series, &found))
        return;
    struct curve_plateau plateau = {.series = curve->series};
    for (size_t i = found.knee; i < series->point_count && plateau.count < CURVE_POINTS_MAX; i++)
        if ((double)series->points[i].y.median <= found.plateau * (1 + parallelism_tolerance))
            plateau.x[plateau.count++] = series->points[i].x;
    curve->sustained = by_trial(task, trial_sustained, &plateau);
    curve->four = by_trial(task, trial_four, &curve->series);
    struct parallelism_state *state = task->state;
    if (curve == &state->curves[state->far] && series->points[found.typical].x > 1)
        state->chains_per_thread = state->chains_named && state->chain_count == 1
                                       ? state->chains[0]
                                       : (unsigned)series->points[found.typical].x;
}

/* The amount of work at which fewer than two accesses of the trial overlap. With one chain the next
 * access depends on the previous one; with several it does not, and waits only if it lies beyond
 * the out-of-order window. */
static double trial_knee(const struct probe_task *task, unsigned trial, const void *about)
{
    const struct parallelism_state *state = task->state;
    double x[CURVE_POINTS_MAX], overlap[CURVE_POINTS_MAX];
    size_t n = 0;
    (void)about;
    for (size_t i = 0; i < task->plan.point_count && n < CURVE_POINTS_MAX; i++) {
        const struct plan_point *point = &task->plan.points[i];
        if ((int)point->series != state->work[0])
            continue;
        x[n] = point->x;
        overlap[n++] = value_at(task, state->work[0], point->x, trial) /
                       value_at(task, state->work[1], point->x, trial);
    }
    return crossing_down(x, overlap, n, overlap_ends);
}

/* Whether the trial has one chain's and several chains' times at two or more amounts of work. */
static bool could_tell(const struct probe_task *task, unsigned trial)
{
    const struct parallelism_state *state = task->state;
    size_t known = 0;
    for (size_t i = 0; i < task->plan.point_count; i++) {
        const struct plan_point *point = &task->plan.points[i];
        if ((int)point->series == state->work[0])
            known += isfinite(value_at(task, state->work[0], point->x, trial)) &&
                     isfinite(value_at(task, state->work[1], point->x, trial));
    }
    return known >= 2;
}

static double trial_gain(const struct probe_task *task, unsigned trial, const void *about)
{
    const struct parallelism_state *state = task->state;
    const double *work = about;
    return value_at(task, state->work[1], *work, trial) /
           value_at(task, state->work[2], *work, trial);
}

void parallelism_take(struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    if (state->taken || state->at >= state->stage_count)
        return;
    state->taken = true;
    const struct parallelism_stage *stage = &state->stages[state->at];
    if (stage->look == LOOK_CURVE)
        take_curve(task, &state->curves[stage->level]);
    else if (stage->look == LOOK_WORK) {
        state->work_knee = by_trial(task, trial_knee, NULL);
        state->work_trials = 0;
        for (unsigned trial = 0; trial < state->values.trials; trial++)
            state->work_trials += could_tell(task, trial);
        if (state->work[2] < 0)
            return;
        /* The least work at which the window no longer reaches the next access, else the most work
         * measured. */
        double from = state->work_knee.n ? (double)state->work_knee.median : state->work_most;
        state->prefetch_at = state->work_most;
        for (size_t i = 0; i < task->plan.point_count; i++) {
            double x = task->plan.points[i].x;
            if (x >= from && x < state->prefetch_at)
                state->prefetch_at = x;
        }
        state->prefetch_gain = by_trial(task, trial_gain, &state->prefetch_at);
    }
}

/* --- derived series for the document --- */

const char *const parallelism_sustained = "sustained by trial",
                  *const parallelism_four = "four chains by trial",
                  *const parallelism_knee = "knee by trial",
                  *const parallelism_gain = "gain by trial";

/* Adds a series of rates from a series of times; each time moves `bytes` bytes. */
static void add_rates(struct probe_task *task, const struct series *times, const char *name,
                      double bytes)
{
    struct probe_result *result = task->result;
    struct point *points = pool_alloc(task->pool, times->point_count + 1, sizeof *points);
    const struct series like = *times;
    struct series *rates =
        pool_append(task->pool, (void **)&result->series, &result->series_count, sizeof *rates);
    *rates = like;
    rates->name = name;
    rates->y = (struct axis){"rate", "B/s"};
    rates->points = points;
    for (size_t i = 0; i < like.point_count; i++) {
        points[i] = like.points[i];
        const struct summary t = like.points[i].y;
        const float each = (float)(bytes * 1e9);
        points[i].y = (struct summary){each / t.median, each / t.high, each / t.low, t.coverage,
                                       each / t.max,    each / t.p90,  each / t.p75, each / t.p25,
                                       each / t.p10,    each / t.min,  t.n};
        points[i].cycles = (struct estimate){NAN, NAN, NAN};
    }
}

/* Adds a result by trial as a series with the factors of `of`. */
static void tell(struct probe_task *task, const struct series *of, const char *name, double x,
                 struct axis y, const struct summary *concluded)
{
    const struct series like = {
        .name = name, .factors = of->factors, .factor_count = of->factor_count, .x = of->x, .y = y};
    trial_series_conclude(task, &like, x, concluded);
}

static void tell_curve(struct probe_task *task, const struct parallelism_level *curve)
{
    const struct parallelism_state *state = task->state;
    struct saturation found;
    const struct series series = task->result->series[curve->series];
    if (!parallelism_plateau(&series, &found))
        return;
    tell(task, &series, parallelism_sustained, series.points[found.knee].x,
         (struct axis){"at once", ""}, &curve->sustained);
    tell(task, &series, parallelism_four, FOUR, (struct axis){"of a quarter", ""}, &curve->four);
    add_rates(task, &series, pool_printf(task->pool, "lines from %s", curve->level->name),
              (double)state->ring.line_bytes);
}

/* Adds the rate of each thread. */
static void tell_threads(struct probe_task *task)
{
    const struct parallelism_state *state = task->state;
    const struct series all = task->result->series[state->all];
    size_t measured = 0;
    for (size_t i = 0; i < all.point_count; i++)
        measured += all.points[i].y.n > 0;
    if (!measured)
        return;
    struct point *points = pool_alloc(task->pool, all.point_count, sizeof *points);
    struct series *each = pool_append(task->pool, (void **)&task->result->series,
                                      &task->result->series_count, sizeof *each);
    *each = all;
    each->name = "random accesses by each thread";
    each->points = points;
    for (size_t i = 0; i < all.point_count; i++) {
        points[i] = all.points[i];
        summary_divide(&points[i].y, all.points[i].x);
    }
}

void parallelism_conclude(struct probe_task *task, const struct stage_outcome *outcome)
{
    const struct parallelism_state *state = task->state;
    (void)outcome;
    if (state->left_out)
        build_note_text(task, parameter_not_measured,
                        pool_printf(task->pool,
                                    "%s: there was no time left; give --budget %.0f, or ask for "
                                    "one level alone (--level)",
                                    state->left_out, ceil(state->time_for_all_s)));
    parallelism_take(task);
    for (size_t i = state->level_count; i-- > 0;)
        if (state->curves[i].series >= 0)
            tell_curve(task, &state->curves[i]);
    if (state->all >= 0)
        tell_threads(task);
    if (state->work[1] >= 0) {
        /* The knee's x is the number of trials that could have shown it. */
        const struct series work = task->result->series[state->work[1]];
        tell(task, &work, parallelism_knee, state->work_trials, (struct axis){"work", "cycles"},
             &state->work_knee);
        if (state->work[2] >= 0 && state->prefetch_gain.n)
            tell(task, &work, parallelism_gain, state->prefetch_at,
                 (struct axis){"times as fast", ""}, &state->prefetch_gain);
    }
}
