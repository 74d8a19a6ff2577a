/* What the stages say: DRAM.parallelism, parallelism.all.rate and so on. */
#include "base/units.h"
#include "conclude/registry/finding.h"
#include "document/flag.h"
#include "measure/probes/parallelism/miss_buffers.h"
#include "measure/probes/parallelism/parallelism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where nothing limits them, four chains take a quarter of one chain's time per access, within this
 * share. */
static const double four_tolerance = 0.03;

/* A value that is computed trial by trial has an interval of its own. It may be narrow where a
 * point's is not, because neighbours move all points of one trial alike. */
static unsigned flags_by_trial(const struct summary *concluded, unsigned flags)
{
    const unsigned wide = FLAG_BIT(FLAG_UNCONVERGED);
    return (flags & ~wide) | (summary_half_width(concluded) > parallelism_tolerance ? wide : 0);
}

/* --- what the document has to hold beside what was measured --- */

const char *const parallelism_sustained = "sustained by trial",
                  *const parallelism_four = "four chains by trial",
                  *const parallelism_knee = "knee by trial",
                  *const parallelism_gain = "gain by trial";

/* A series of rates from one of times, in each of which `bytes` bytes or accesses are done. */
static int add_rates(struct probe_task *task, const struct series *times, const char *name,
                     struct axis y, double bytes, struct error *error)
{
    struct probe_result *result = task->result;
    struct point *points = pool_alloc(task->pool, times->point_count + 1, sizeof *points);
    const struct series like = *times;
    struct series *rates =
        pool_append(task->pool, (void **)&result->series, &result->series_count, sizeof *rates);
    *rates = like;
    rates->name = name;
    rates->y = y;
    rates->points = points;
    for (size_t i = 0; i < like.point_count; i++) {
        points[i] = like.points[i];
        const struct summary t = like.points[i].y;
        const float each = (float)(bytes * 1e9);
        points[i].y = (struct summary){each / t.median, each / t.high, each / t.low, t.coverage,
                                       each / t.max,    each / t.p90,  each / t.p75, each / t.p25,
                                       each / t.p10,    each / t.min,  t.n};
        const struct quiet quiet = points[i].quiet;
        points[i].cycles = (struct estimate){NAN, NAN, NAN};
        points[i].quiet = (struct quiet){each / quiet.value, each / quiet.high, each / quiet.low};
        points[i].quiet_cycles = quiet_unknown();
    }
    return 0;
}

/* What trials answered of a series together, as a series with its factors. */
static int tell(struct probe_task *task, const struct series *of, const char *name, double x,
                struct axis y, const struct summary *concluded, struct error *error)
{
    return trial_series_conclude(task,
                                 &(struct series){.name = name,
                                                  .factors = of->factors,
                                                  .factor_count = of->factor_count,
                                                  .x = of->x,
                                                  .y = y},
                                 x, concluded, error);
}

static int tell_curve(struct probe_task *task, const struct parallelism_level *curve,
                      struct error *error)
{
    const struct parallelism_state *state = task->state;
    struct saturation found;
    const struct series series = task->result->series[curve->series];
    if (!parallelism_plateau(&series, &found))
        return 0;
    int code = tell(task, &series, parallelism_sustained, series.points[found.knee].x,
                    (struct axis){"at once", ""}, &curve->sustained, error);
    if (code == 0)
        code = tell(task, &series, parallelism_four, 4, (struct axis){"of a quarter", ""},
                    &curve->four, error);
    if (code == 0)
        code =
            add_rates(task, &series, pool_printf(task->pool, "lines from %s", curve->level->name),
                      (struct axis){"rate", "B/s"}, (double)state->ring.line_bytes, error);
    return code;
}

/* What each thread gets. */
static int tell_threads(struct probe_task *task, struct error *error)
{
    const struct parallelism_state *state = task->state;
    const struct series all = task->result->series[state->all];
    size_t measured = 0;
    for (size_t i = 0; i < all.point_count; i++)
        measured += all.points[i].y.n > 0;
    if (!measured)
        return 0;
    struct point *points = pool_alloc(task->pool, all.point_count, sizeof *points);
    struct series *each = pool_append(task->pool, (void **)&task->result->series,
                                      &task->result->series_count, sizeof *each);
    *each = all;
    each->name = "random accesses by each thread";
    each->points = points;
    for (size_t i = 0; i < all.point_count; i++) {
        points[i] = all.points[i];
        float *const values[] = {&points[i].y.median, &points[i].y.low, &points[i].y.high,
                                 &points[i].y.min,    &points[i].y.p10, &points[i].y.p25,
                                 &points[i].y.p75,    &points[i].y.p90, &points[i].y.max};
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            *values[k] /= (float)all.points[i].x;
    }
    return 0;
}

/* The knee's x is how many trials could have shown it. */
static int tell_work(struct probe_task *task, struct error *error)
{
    const struct parallelism_state *state = task->state;
    const struct series work = task->result->series[state->work[1]];
    int code = tell(task, &work, parallelism_knee, state->work_trials,
                    (struct axis){"work", "cycles"}, &state->work_knee, error);
    if (code == 0 && state->work[2] >= 0 && state->prefetch_gain.n)
        code = tell(task, &work, parallelism_gain, state->prefetch_at,
                    (struct axis){"times as fast", ""}, &state->prefetch_gain, error);
    return code;
}

/* Says which levels there was no time for. */
static int note_left_out(struct probe_task *task, struct error *error)
{
    const struct parallelism_state *state = task->state;
    if (!state->left_out)
        return 0;
    struct factor *note = probe_add_parameter(task, parameter_not_measured);
    const char *text = pool_printf(task->pool,
                                   "%s: there was no time left; give --budget %.0f, or ask for one "
                                   "level alone (--level)",
                                   state->left_out, ceil(state->time_for_all_s));
    note->text = text;
    return 0;
}

void parallelism_conclude(struct probe_task *task, const struct stage_outcome *outcome)
{
    struct error *error = pool_error(task->pool);
    const struct parallelism_state *state = task->state;
    int code = note_left_out(task, error);
    (void)outcome;
    parallelism_take(task);
    for (size_t i = state->level_count; i-- > 0 && code == 0;)
        if (state->curves[i].series >= 0)
            code = tell_curve(task, &state->curves[i], error);
    if (code == 0 && state->all >= 0)
        code = tell_threads(task, error);
    return (void)pool_check(task->pool,
                            code == 0 && state->work[1] >= 0 ? tell_work(task, error) : code);
}

/* --- findings --- */

/* Where a level's loads are answered. */
enum answered { BY_FIRST, BEYOND_FIRST, NOT_KNOWN };

/* One level's curve. */
struct curve {
    const struct series *series;
    const char *level;
    const struct point *sustained, *four; /* what the trials answered; NULL: nothing */
};

/* What the first level holds, as found or declared; NAN. */
static double first_capacity(const struct analysis *analysis)
{
    const struct finding *found =
        analysis->document ? document_finding(analysis->document, "L1.capacity") : NULL;
    const struct machine_facts *facts = analysis->machine;
    if (found && found->value >= 4096)
        return found->value;
    for (size_t i = 0; facts && i < facts->cache_count; i++)
        if (facts->caches[i].level == 1 && strcmp(facts->caches[i].type, "instruction") != 0)
            return (double)facts->caches[i].size_bytes;
    return NAN;
}

/* A set that the first level holds answers with hits; what that level holds may not be known. */
static enum answered answered_where(const struct analysis *analysis, const struct curve *curve)
{
    const double first = first_capacity(analysis);
    uint64_t bytes;
    if (strcmp(curve->level, "DRAM") == 0)
        return BEYOND_FIRST;
    if (!(first > 0) || size_parse(analysis_factor(curve->series, "working set"), &bytes, NULL) < 0)
        return NOT_KNOWN;
    return (double)bytes > first ? BEYOND_FIRST : BY_FIRST;
}

static int add_sustained(struct analysis *analysis, const struct curve *curve,
                         const struct saturation *found, unsigned flags, struct error *error)
{
    const struct machine_facts *facts = analysis->machine;
    const struct series *series = curve->series;
    const bool misses = answered_where(analysis, curve) == BEYOND_FIRST;
    const struct miss_buffers *known =
        misses && facts ? miss_buffers_find(facts->cpu_vendor, facts->cpu_model) : NULL;
    const char *what = misses ? "misses" : "loads";
    char name[48], documented[160] = "";
    snprintf(name, sizeof name, "%s.parallelism", curve->level);
    if (!curve->sustained)
        return (
            analysis_keep(analysis, name, "the document does not hold the values of the trials"),
            0);
    const struct summary *sustained = &curve->sustained->y;
    if (!sustained->n)
        return 0;
    struct finding *finding =
        analysis_add_summary(analysis, name, what, sustained, flags_by_trial(sustained, flags));
    if (known) {
        finding->declared = known->count;
        snprintf(documented, sizeof documented, "; documented are %u %s (%s)", known->count,
                 known->name, known->source);
    }
    finding->text =
        pool_printf(analysis->pool,
                    "sustains %s%.1f %s at once (one chain's time per access divided by the "
                    "least time); %s%.0f chains to come within 5 %% of that%s",
                    found->open ? "at least " : "", (double)sustained->median, what,
                    found->open ? "it takes more than " : "it takes ",
                    series->points[found->knee].x, documented);
    return finding->text ? 0 : error_out_of_memory(error);
}

/* In a level that answers at once, four chains take a quarter of one chain's time. Where they do
 * not, the loop or the clock is at fault and no curve can be trusted. */
static int add_four(struct analysis *analysis, const struct curve *curve, struct error *error)
{
    char name[48];
    snprintf(name, sizeof name, "%s.parallelism.four", curve->level);
    if (!curve->four)
        return (
            analysis_keep(analysis, name, "the document does not hold the values of the trials"),
            0);
    const struct summary *four = &curve->four->y;
    const bool apart =
        four->n && four->coverage > 0 &&
        ((double)four->low > 1 + four_tolerance || (double)four->high < 1 - four_tolerance);
    if (!apart || answered_where(analysis, curve) != BY_FIRST)
        return 0;
    struct finding *finding = analysis_add_summary(analysis, name, "", four, 0);
    finding->text = pool_printf(
        analysis->pool,
        "four chains take %.2f times a quarter of one chain's time, although nothing should hold "
        "them up: the times of several chains are too %s by about that much",
        (double)four->median, (double)four->median > 1 ? "long" : "short");
    return finding->text ? 0 : error_out_of_memory(error);
}

static int add_curve(struct analysis *analysis, const struct curve *curve, struct error *error)
{
    struct saturation found;
    const struct series *series = curve->series;
    const size_t first = analysis->result->finding_count;
    if (!parallelism_plateau(series, &found))
        return 0;
    const struct point *best = &series->points[found.typical];
    const struct estimate each = finding_time_of(best);
    const unsigned flags = series->points[0].flags | best->flags;
    const double ns = 1e9 * analysis_line_bytes(analysis);
    char name[48];
    int code = add_sustained(analysis, curve, &found, flags, error);
    if (code == 0)
        code = add_four(analysis, curve, error);
    snprintf(name, sizeof name, "%s.parallelism.ns", curve->level);
    if (code == 0 && !analysis_add_point(analysis, name, "ns", best, best->flags))
        code = error_out_of_memory(error);
    snprintf(name, sizeof name, "%s.parallelism.rate", curve->level);
    if (code == 0 &&
        !finding_add_value(analysis->result, analysis->pool, name, "B/s", ns / (double)each.median,
                           ns / (double)each.high, ns / (double)each.low, best->flags))
        code = error_out_of_memory(error);
    analysis_read_off(analysis, first, series);
    return code;
}

/* Accesses per second of all threads. */
static int add_threads(struct analysis *analysis, const struct series *all, struct error *error)
{
    const struct point *one = all->points, *most = NULL;
    const struct factor *chains = series_factor(all, "chains");
    const size_t first = analysis->result->finding_count;
    for (size_t i = 0; i < all->point_count; i++)
        if (all->points[i].y.n)
            most = &all->points[i];
    if (!most)
        return 0;
    if (!chains)
        return (analysis_keep(analysis, "parallelism.all.rate",
                              "the document does not hold how many chains a thread had"),
                0);
    struct finding *finding =
        analysis_add_point(analysis, "parallelism.all.rate", "1/s", most, most->flags);
    char rate[UNIT_TEXT];
    const double rate_gbs = (double)most->y.median * analysis_line_bytes(analysis) * 1e-9;
    const char *beside = most->x > 1 && one->x == 1
                             ? pool_printf(analysis->pool, ": %.2f times those of one thread",
                                           (double)most->y.median / (double)one->y.median)
                             : "";
    finding->text = pool_printf(
        analysis->pool,
        "%.0f million random accesses a second by %.0f thread%s of %.0f chain%s each, %s GB/s of "
        "lines%s",
        (double)most->y.median * 1e-6, most->x, most->x > 1 ? "s" : "", chains->number,
        chains->number == 1 ? "" : "s", figure_format(rate_gbs, 3, rate), beside);
    analysis_read_off(analysis, first, all);
    return finding->text ? 0 : error_out_of_memory(error);
}

static unsigned flags_of(const struct series *series)
{
    unsigned flags = 0;
    for (size_t i = 0; series && i < series->point_count; i++)
        flags |= series->points[i].flags;
    return flags;
}

static const struct point *concluded_of(const struct series *concluded)
{
    return concluded && concluded->point_count ? concluded->points : NULL;
}

/* Of fewer trials a single disturbed one could decide. */
enum { KNEE_TRIALS_LEAST = 3 };

/* Why there is no knee: that none was seen, only where trials enough could have seen one. */
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

static int add_work(struct analysis *analysis, const struct series *work, struct error *error)
{
    const struct point *concluded =
                           concluded_of(analysis_series(analysis, parallelism_knee, NULL, NULL)),
                       *won = concluded_of(analysis_series(analysis, parallelism_gain, NULL, NULL));
    const size_t first = analysis->result->finding_count;
    const unsigned flags = flags_of(work);
    if (!concluded)
        return (analysis_keep(analysis, "parallelism.work.*",
                              "the document does not hold the values of the trials"),
                0);
    const struct summary *knee = &concluded->y;
    const bool seen = knee->n >= KNEE_TRIALS_LEAST;
    struct finding *finding =
        seen ? analysis_add_summary(analysis, "parallelism.work.knee", "cycles", knee,
                                    flags_by_trial(knee, flags))
             : analysis_add(analysis, "parallelism.work.knee", "cycles");
    finding->text =
        seen ? "with more work than this after each access, the processor no longer sees the "
               "next one while it waits; work that waits for the access fills the schedulers, "
               "which may be smaller than the window (fathom window)"
             : no_knee(analysis, work, concluded);
    if (won) {
        const struct series *prefetched =
            analysis_series(analysis, parallelism_work_names[2], NULL, NULL);
        finding = analysis_add_point(analysis, "parallelism.work.prefetch", "", won,
                                     flags | flags_of(prefetched));
        finding->text =
            pool_printf(analysis->pool,
                        "with %.0f cycles of work after each access, prefetching %.0f "
                        "steps ahead makes it %.2f times as fast",
                        won->x, analysis_number(analysis, "prefetch"), (double)won->y.median);
    }
    analysis_read_off(analysis, first, work);
    return finding->text ? 0 : error_out_of_memory(error);
}

/* DRAM, and what else is beyond all levels, before L3, L2 and L1. */
static int depth_of(const char *level)
{
    return level[0] == 'L' && level[1] >= '1' && level[1] <= '9' ? level[1] - '0' : 10;
}

static const struct point *concluded_in(const struct analysis *analysis, const char *name,
                                        const char *level)
{
    return concluded_of(analysis_series(analysis, name, "level", level));
}

void parallelism_analyse(struct analysis *analysis)
{
    struct error *error = pool_error(analysis->pool);
    static const char curves[] = "chains in ";
    const struct probe_result *result = analysis->result;
    int code = 0;
    for (int depth = 10; depth > 0; depth--)
        for (size_t i = 0; i < result->series_count && code == 0; i++) {
            const struct series *series = &result->series[i];
            const char *level = series->name + sizeof curves - 1;
            if (strncmp(series->name, curves, sizeof curves - 1) != 0 || depth_of(level) != depth)
                continue;
            const struct curve curve = {.series = series,
                                        .level = level,
                                        .sustained =
                                            concluded_in(analysis, parallelism_sustained, level),
                                        .four = concluded_in(analysis, parallelism_four, level)};
            code = add_curve(analysis, &curve, error);
        }
    const struct series *all = analysis_series(analysis, parallelism_all_name, NULL, NULL),
                        *work = analysis_series(analysis, parallelism_work_names[1], NULL, NULL);
    if (code == 0 && all)
        code = add_threads(analysis, all, error);
    return (void)pool_check(analysis->pool,
                            code == 0 && work ? add_work(analysis, work, error) : code);
}
