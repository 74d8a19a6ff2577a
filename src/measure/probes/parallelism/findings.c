/*
 * Results of a stage's trials, computed before the next stage is planned; their series in the
 * document; and findings: DRAM.parallelism, parallelism.all.rate and so on.
 */
#include "base/units.h"
#include "document/flag.h"
#include "measure/probes/kit/build.h"
#include "measure/probes/parallelism/parallelism.h"
#include "stats/order.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

enum { TRIALS_MOST = 512, FOUR = 4 };
/* Values within this share of the best count as equally good. */
static const double tolerance = 0.05;
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
    return n ? value_at(task, plateau->series, 1, trial) / median_of(on, n) : NAN;
}

static double trial_four(const struct probe_task *task, unsigned trial, const void *about)
{
    const int *series = about;
    return (double)FOUR * value_at(task, *series, FOUR, trial) / value_at(task, *series, 1, trial);
}

/* Where a curve stops falling, as indexes of its points. False if it has too few points. */
static bool plateau_of(const struct series *series, struct saturation *found)
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
    if (!saturation_find(times, n, tolerance, found, scratch))
        return false;
    found->typical = at[found->typical];
    found->knee = at[found->knee];
    return true;
}

static void take_curve(struct probe_task *task, struct parallelism_level *curve)
{
    const struct series *series = &task->plan.series[curve->series];
    struct saturation found;
    if (!plateau_of(series, &found))
        return;
    struct curve_plateau plateau = {.series = curve->series};
    for (size_t i = found.knee; i < series->point_count && plateau.count < CURVE_POINTS_MAX; i++)
        if ((double)series->points[i].y.median <= found.plateau * (1 + tolerance))
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

static const char *const sustained_name = "sustained by trial",
                         *const four_name = "four chains by trial",
                         *const knee_name = "knee by trial", *const gain_name = "gain by trial";

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
    if (!plateau_of(&series, &found))
        return;
    tell(task, &series, sustained_name, series.points[found.knee].x, (struct axis){"at once", ""},
         &curve->sustained);
    tell(task, &series, four_name, FOUR, (struct axis){"of a quarter", ""}, &curve->four);
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

void parallelism_conclude(struct probe_task *task)
{
    const struct parallelism_state *state = task->state;
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
        tell(task, &work, knee_name, state->work_trials, (struct axis){"work", "cycles"},
             &state->work_knee);
        if (state->work[2] >= 0 && state->prefetch_gain.n)
            tell(task, &work, gain_name, state->prefetch_at, (struct axis){"times as fast", ""},
                 &state->prefetch_gain);
    }
}

/* --- findings --- */

/* Without a limit, four chains take a quarter of one chain's time per access, within this share. */
static const double four_tolerance = 0.03;

/* A value computed by trial has its own interval. It may be narrow although the points' intervals
 * are wide, because interference moves all points of a trial alike. */
static unsigned flags_by_trial(const struct summary *concluded, unsigned flags)
{
    const unsigned wide = FLAG_BIT(FLAG_UNCONVERGED);
    return (flags & ~wide) | (summary_half_width(concluded) > tolerance ? wide : 0);
}

/* --- what makers document --- */

static const struct miss_buffers documented[] = {
#include "documented.texts.h"
};

const struct miss_buffers *miss_buffers_find(const char *vendor, const char *model)
{
    for (size_t i = 0; vendor && model && i < sizeof documented / sizeof *documented; i++)
        if (fnmatch(documented[i].vendor, vendor, 0) == 0 &&
            fnmatch(documented[i].model, model, 0) == 0)
            return &documented[i];
    return NULL;
}

/* --- levels --- */

/* Which caches serve a curve's loads. */
enum answered { BY_FIRST, BEYOND_FIRST, NOT_KNOWN };

/* One level's curve. */
struct curve {
    const struct series *series;
    const char *level;
    const struct point *sustained, *four; /* results by trial; NULL: none */
};

/* Whether the working set fits the first level, as found or else declared, so that loads hit
 * there. */
static enum answered answered_where(const struct analysis *analysis, const struct curve *curve)
{
    const struct finding *found =
        analysis->document ? document_finding(analysis->document, "L1.capacity") : NULL;
    const struct cache_facts *cache =
        analysis->machine ? cache_of_cpu(analysis->machine, 1, probe_cpu(analysis->result)) : NULL;
    const double first = found && found->value >= 4096 ? found->value
                         : cache                       ? (double)cache->size_bytes
                                                       : NAN;
    uint64_t bytes;
    if (strcmp(curve->level, "DRAM") == 0)
        return BEYOND_FIRST;
    if (!(first > 0) || size_parse(analysis_factor(curve->series, "working set"), &bytes, NULL) < 0)
        return NOT_KNOWN;
    return (double)bytes > first ? BEYOND_FIRST : BY_FIRST;
}

static const char held_by_trials[] = "the document does not hold the values of the trials";

static void add_sustained(struct analysis *analysis, const struct curve *curve,
                          const struct saturation *found, unsigned flags)
{
    const struct machine_facts *facts = analysis->machine;
    const bool misses = answered_where(analysis, curve) == BEYOND_FIRST;
    const struct miss_buffers *known =
        misses && facts ? miss_buffers_find(facts->cpu_vendor, facts->cpu_model) : NULL;
    const char *what = misses ? "misses" : "loads",
               *name = pool_printf(analysis->pool, "%s.parallelism", curve->level);
    if (!curve->sustained) {
        analysis_keep(analysis, name, held_by_trials);
        return;
    }
    const struct summary *sustained = &curve->sustained->y;
    if (!sustained->n)
        return;
    struct finding *finding =
        analysis_add_summary(analysis, name, what, sustained, flags_by_trial(sustained, flags));
    if (known)
        finding->declared = known->count;
    finding->text = pool_printf(
        analysis->pool,
        "sustains %s%.1f %s at once (one chain's time per access divided by the least time); "
        "%s%.0f chains to come within 5 %% of that%s",
        found->open ? "at least " : "", (double)sustained->median, what,
        found->open ? "it takes more than " : "it takes ", curve->series->points[found->knee].x,
        known ? pool_printf(analysis->pool, "; documented are %u %s (%s)", known->count,
                            known->name, known->source)
              : "");
}

/* In the first level, four chains take a quarter of one chain's time. If not, the loop or the clock
 * is at fault and no curve can be trusted. */
static void add_four(struct analysis *analysis, const struct curve *curve)
{
    const char *name = pool_printf(analysis->pool, "%s.parallelism.four", curve->level);
    if (!curve->four) {
        analysis_keep(analysis, name, held_by_trials);
        return;
    }
    const struct summary *four = &curve->four->y;
    const bool apart =
        four->n && four->coverage > 0 &&
        ((double)four->low > 1 + four_tolerance || (double)four->high < 1 - four_tolerance);
    if (apart && answered_where(analysis, curve) == BY_FIRST)
        analysis_add_summary(analysis, name, "", four, 0)->text = pool_printf(
            analysis->pool,
            "four chains take %.2f times a quarter of one chain's time, although nothing should "
            "hold them up: the times of several chains are too %s by about that much",
            (double)four->median, (double)four->median > 1 ? "long" : "short");
}

static void add_curve(struct analysis *analysis, const struct curve *curve)
{
    struct saturation found;
    const struct series *series = curve->series;
    if (!plateau_of(series, &found))
        return;
    const struct point *best = &series->points[found.typical];
    const struct estimate each = finding_time_of(best);
    const double ns = 1e9 * analysis_line_bytes(analysis);
    add_sustained(analysis, curve, &found, series->points[0].flags | best->flags);
    add_four(analysis, curve);
    analysis_add_point(analysis, pool_printf(analysis->pool, "%s.parallelism.ns", curve->level),
                       "ns", best, best->flags);
    analysis_add_value(
        analysis, pool_printf(analysis->pool, "%s.parallelism.rate", curve->level), "B/s",
        (struct interval){ns / (double)each.median, ns / (double)each.high, ns / (double)each.low},
        best->flags);
    analysis_read_off(analysis, series);
}

/* Accesses per second of all threads. */
static void add_threads(struct analysis *analysis, const struct series *all)
{
    const struct point *one = all->points, *most = NULL;
    const struct factor *chains = series_factor(all, "chains");
    for (size_t i = 0; i < all->point_count; i++)
        if (all->points[i].y.n)
            most = &all->points[i];
    if (!most)
        return;
    if (!chains) {
        analysis_keep(analysis, "parallelism.all.rate",
                      "the document does not hold how many chains a thread had");
        return;
    }
    char rate[UNIT_TEXT];
    const double rate_gbs = (double)most->y.median * analysis_line_bytes(analysis) * 1e-9;
    const char *beside = most->x > 1 && one->x == 1
                             ? pool_printf(analysis->pool, ": %.2f times those of one thread",
                                           (double)most->y.median / (double)one->y.median)
                             : "";
    analysis_add_point(analysis, "parallelism.all.rate", "1/s", most, most->flags)->text =
        pool_printf(analysis->pool,
                    "%.0f million random accesses a second by %.0f thread%s of %.0f chain%s each, "
                    "%s GB/s of lines%s",
                    (double)most->y.median * 1e-6, most->x, most->x > 1 ? "s" : "", chains->number,
                    chains->number == 1 ? "" : "s", figure_format(rate_gbs, 3, rate), beside);
    analysis_read_off(analysis, all);
}

static const struct point *concluded_of(const struct series *concluded)
{
    return concluded && concluded->point_count ? concluded->points : NULL;
}

/* With fewer trials a single disturbed one could decide. */
enum { KNEE_TRIALS_LEAST = 3 };

/* Why there is no knee: "none was seen" only if enough trials could have shown one. */
static const char *no_knee(struct analysis *analysis, const struct series *work,
                           const struct point *concluded)
{
    if (concluded->x < (double)KNEE_TRIALS_LEAST)
        return pool_printf(
            analysis->pool,
            "not enough data: %.0f of the trials saw enough points, and this takes %d: "
            "give it more time (a larger --budget)",
            concluded->x, KNEE_TRIALS_LEAST);
    return pool_printf(analysis->pool, "not reached: up to %.0f cycles of work, accesses overlap",
                       work->point_count ? work->points[work->point_count - 1].x : 0);
}

static void add_work(struct analysis *analysis, const struct series *work)
{
    const struct point *concluded = concluded_of(analysis_series(analysis, knee_name, NULL, NULL)),
                       *won = concluded_of(analysis_series(analysis, gain_name, NULL, NULL));
    const unsigned flags = series_flags(work);
    if (!concluded) {
        analysis_keep(analysis, "parallelism.work.*", held_by_trials);
        return;
    }
    const struct summary *knee = &concluded->y;
    if (knee->n >= KNEE_TRIALS_LEAST)
        analysis_add_summary(analysis, "parallelism.work.knee", "cycles", knee,
                             flags_by_trial(knee, flags))
            ->text = "with more work than this after each access, the processor no longer sees the "
                     "next one while it waits; work that waits for the access fills the "
                     "schedulers, which may be smaller than the window (fathom window)";
    else
        analysis_add(analysis, "parallelism.work.knee", "cycles")->text =
            no_knee(analysis, work, concluded);
    if (won) {
        const struct series *prefetched =
            analysis_series(analysis, parallelism_work_names[2], NULL, NULL);
        analysis_add_point(analysis, "parallelism.work.prefetch", "", won,
                           flags | series_flags(prefetched))
            ->text =
            pool_printf(analysis->pool,
                        "with %.0f cycles of work after each access, prefetching %.0f "
                        "steps ahead makes it %.2f times as fast",
                        won->x, analysis_number(analysis, "prefetch"), (double)won->y.median);
    }
    analysis_read_off(analysis, work);
}

void parallelism_analyse(struct analysis *analysis)
{
    static const char curves[] = "chains in ";
    const struct probe_result *result = analysis->result;
    /* Order: DRAM and other levels without a number, then L3, L2 and L1. */
    for (int depth = 10; depth > 0; depth--)
        for (size_t i = 0; i < result->series_count; i++) {
            const struct series *series = &result->series[i];
            const char *level = series->name + sizeof curves - 1;
            if (strncmp(series->name, curves, sizeof curves - 1) != 0)
                continue;
            if ((*level == 'L' && level[1] >= '1' && level[1] <= '9' ? level[1] - '0' : 10) !=
                depth)
                continue;
            add_curve(analysis,
                      &(struct curve){
                          series, level,
                          concluded_of(analysis_series(analysis, sustained_name, "level", level)),
                          concluded_of(analysis_series(analysis, four_name, "level", level))});
        }
    const struct series *all = analysis_series(analysis, parallelism_all_name, NULL, NULL),
                        *work = analysis_series(analysis, parallelism_work_names[1], NULL, NULL);
    if (all)
        add_threads(analysis, all);
    if (work)
        add_work(analysis, work);
}

/* --- the registry's lines --- */

#include "parallelism.findings.h"
