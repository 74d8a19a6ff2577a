/* What the trials of a stage answer together, before the next stage is planned. */
#include "measure/probes/parallelism/parallelism.h"
#include "stats/quantile.h"

#include <math.h>

enum { TRIALS_MOST = 512, FOUR = 4 };
/* Values within this share of the best count as equally good. */
const double parallelism_tolerance = 0.05;
/* At this many accesses at once two of them overlap; below it, none do. */
static const double overlap_ends = 1.5;

/* The median of what each trial answers, NAN where none does. */
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

/* The trial's value at that x of that series of the plan; NAN where there is none. */
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
    double x[CURVE_POINTS_MAX]; /* the numbers of chains on it */
    size_t count;
};

/* Both are measured on one ring at one time, so what disturbs the memory disturbs both. */
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

/* The times of a curve and whose they are; points that failed have none. */
static size_t curve_times(const struct series *series, double *times, size_t *at)
{
    size_t n = 0;
    for (size_t i = 0; i < series->point_count && n < CURVE_POINTS_MAX; i++) {
        if (!series->points[i].y.n)
            continue;
        at[n] = i;
        times[n++] = (double)series->points[i].y.median;
    }
    return n;
}

bool parallelism_plateau(const struct series *series, struct saturation *found)
{
    double times[CURVE_POINTS_MAX] = {0}, scratch[CURVE_POINTS_MAX];
    size_t at[CURVE_POINTS_MAX];
    size_t n = curve_times(series, times, at);
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

/* How many accesses overlap in that trial at each amount of work; the work at which fewer than two
 * do. With one chain the next access waits for the last one; with several it need not, and does
 * where the window does not reach it. */
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

/* Whether two amounts of work were measured in that trial with one chain and with several. */
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

static void take_work(struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    state->work_knee = by_trial(task, trial_knee, NULL);
    state->work_trials = 0;
    for (unsigned trial = 0; trial < state->values.trials; trial++)
        state->work_trials += could_tell(task, trial);
    if (state->work[2] < 0)
        return;
    /* The work at which the window just fails to reach the next access, or else the most work
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

void parallelism_take(struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    if (state->taken || state->at >= state->stage_count)
        return;
    state->taken = true;
    const struct parallelism_stage *stage = &state->stages[state->at];
    if (stage->look == LOOK_CURVE)
        take_curve(task, &state->curves[stage->level]);
    else if (stage->look == LOOK_WORK)
        take_work(task);
}
