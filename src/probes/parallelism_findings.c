/* What the stages say: DRAM.parallelism, parallelism.all.rate and so on. */
#include "base/units.h"
#include "findings/finding.h"
#include "probes/miss_buffers.h"
#include "probes/parallelism.h"
#include "result/flag.h"

#include <math.h>
#include <stdio.h>

/* Four chains where nothing is used up may differ so much from a quarter of one's time. */
static const double four_tolerance = 0.03;

/* What the trials tell together has an interval of its own: it may be narrow where a point's is
 * not, because one moment's neighbours move all points of a trial. */
static unsigned flags_by_trial(const struct summary *told, unsigned flags)
{
    const unsigned wide = FLAG_BIT(FLAG_UNCONVERGED);
    return (flags & ~wide) | (summary_half_width(told) > parallelism_tolerance ? wide : 0);
}

/* A series of rates from one of times: so many bytes or accesses each. */
static int add_rates(struct probe_task *task, const struct series *times, const char *name,
                     struct axis y, double bytes, struct error *error)
{
    struct probe_result *result = task->result;
    struct point *points = pool_alloc(task->pool, times->point_count + 1, sizeof *points);
    const struct series like = *times;
    struct series *rates =
        pool_append(task->pool, (void **)&result->series, &result->series_count, sizeof *rates);
    if (!points || !rates)
        return error_out_of_memory(error);
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
        points[i].cycles = (struct estimate){NAN, NAN, NAN};
    }
    return 0;
}

/* Where a level's loads are answered. */
enum answered { BY_FIRST, BEYOND_FIRST, NOT_KNOWN };

/* A set that the first level holds answers with hits; what that level holds may not be known. */
static enum answered answered_where(const struct probe_task *task, const struct chase_level *level)
{
    const uint64_t first = chases_capacity(task, NULL, 1);
    return level->last                     ? BEYOND_FIRST
           : first && level->bytes > first ? BEYOND_FIRST
           : first                         ? BY_FIRST
                                           : NOT_KNOWN;
}

static int add_sustained(struct probe_task *task, const struct parallelism_level *curve,
                         const struct saturation *found, unsigned flags, struct error *error)
{
    const struct machine_facts *facts = &task->machine->facts;
    const struct series *series = &task->result->series[curve->series];
    const bool misses = answered_where(task, curve->level) == BEYOND_FIRST;
    const struct miss_buffers *known =
        misses ? miss_buffers_find(facts->cpu_vendor, facts->cpu_model) : NULL;
    const char *what = misses ? "misses" : "loads";
    char name[48], documented[160] = "";
    snprintf(name, sizeof name, "%s.parallelism", curve->level->name);
    if (!curve->sustained.n)
        return 0;
    struct finding *finding =
        finding_add_summary(task->result, task->pool, name, what, &curve->sustained,
                            flags_by_trial(&curve->sustained, flags));
    if (!finding)
        return error_out_of_memory(error);
    if (known) {
        finding->declared = known->count;
        snprintf(documented, sizeof documented, "; documented are %u %s (%s)", known->count,
                 known->name, known->source);
    }
    finding->text =
        pool_printf(task->pool,
                    "sustains %s%.1f %s at once: one chain's time over the least there is; %s%.0f "
                    "chains come within 5 %% of it%s",
                    found->open ? "at least " : "", (double)curve->sustained.median, what,
                    found->open ? "not before " : "", series->points[found->knee].x, documented);
    return finding->text ? 0 : error_out_of_memory(error);
}

/* In a level that answers at once, four chains that do not take a quarter of one's time are the
 * loop's fault, and then no curve can be trusted. */
static int add_four(struct probe_task *task, const struct parallelism_level *curve,
                    struct error *error)
{
    const struct summary *four = &curve->four;
    const bool apart = four->coverage > 0 && ((double)four->low > 1 + four_tolerance ||
                                              (double)four->high < 1 - four_tolerance);
    if (!apart || answered_where(task, curve->level) != BY_FIRST)
        return 0;
    char name[48];
    snprintf(name, sizeof name, "%s.parallelism.four", curve->level->name);
    struct finding *finding = finding_add_summary(task->result, task->pool, name, "", four, 0);
    if (!finding)
        return error_out_of_memory(error);
    finding->text = pool_printf(task->pool,
                                "four chains take %.2f of a quarter of one chain's time, where "
                                "nothing should hold them up: times of several chains are too %s "
                                "by about that much",
                                (double)four->median, (double)four->median > 1 ? "long" : "short");
    return finding->text ? 0 : error_out_of_memory(error);
}

static int add_curve(struct probe_task *task, const struct parallelism_level *curve,
                     struct error *error)
{
    const struct parallelism_state *state = task->state;
    struct saturation found;
    const struct series series = task->result->series[curve->series];
    if (!parallelism_plateau(&series, &found))
        return 0;
    const struct point *best = &series.points[found.typical];
    const struct estimate each = finding_time_of(best);
    const unsigned flags = series.points[0].flags | best->flags;
    const double line = (double)state->ring.line_bytes, ns = 1e9 * line;
    char name[48];
    int code = add_sustained(task, curve, &found, flags, error);
    if (code == 0)
        code = add_four(task, curve, error);
    snprintf(name, sizeof name, "%s.parallelism.ns", curve->level->name);
    if (code == 0 &&
        !finding_add_summary(task->result, task->pool, name, "ns", &best->y, best->flags))
        code = error_out_of_memory(error);
    snprintf(name, sizeof name, "%s.parallelism.rate", curve->level->name);
    if (code == 0 &&
        !finding_add_value(task->result, task->pool, name, "B/s", ns / (double)each.median,
                           ns / (double)each.high, ns / (double)each.low, best->flags))
        code = error_out_of_memory(error);
    if (code == 0)
        code =
            add_rates(task, &series, pool_printf(task->pool, "lines from %s", curve->level->name),
                      (struct axis){"rate", "B/s"}, line, error);
    return code;
}

/* Accesses per second of all threads, and of each of them. */
static int add_threads(struct probe_task *task, struct error *error)
{
    const struct parallelism_state *state = task->state;
    const struct series all = task->result->series[state->all];
    const struct point *one = all.points, *most = NULL;
    for (size_t i = 0; i < all.point_count; i++)
        if (all.points[i].y.n)
            most = &all.points[i];
    if (!most)
        return 0;
    struct finding *finding = finding_add_summary(task->result, task->pool, "parallelism.all.rate",
                                                  "1/s", &most->y, most->flags);
    if (!finding)
        return error_out_of_memory(error);
    char rate[UNIT_TEXT];
    const double rate_gbs = (double)most->y.median * (double)state->ring.line_bytes * 1e-9;
    finding->text = pool_printf(task->pool,
                                "%.0f million random accesses a second by %.0f thread%s of %u "
                                "chains each, %s GB/s of lines%s",
                                (double)most->y.median * 1e-6, most->x, most->x > 1 ? "s" : "",
                                state->chains_per_thread, figure_format(rate_gbs, 3, rate),
                                most->x > 1 && one->x == 1
                                    ? pool_printf(task->pool, ": %.2f times those of one thread",
                                                  (double)most->y.median / (double)one->y.median)
                                    : "");
    struct point *points = pool_alloc(task->pool, all.point_count, sizeof *points);
    struct series *each = pool_append(task->pool, (void **)&task->result->series,
                                      &task->result->series_count, sizeof *each);
    if (!finding->text || !points || !each)
        return error_out_of_memory(error);
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

static unsigned flags_of(const struct probe_task *task, int series)
{
    unsigned flags = 0;
    for (size_t i = 0; series >= 0 && i < task->result->series[series].point_count; i++)
        flags |= task->result->series[series].points[i].flags;
    return flags;
}

static int add_work(struct probe_task *task, struct error *error)
{
    const struct parallelism_state *state = task->state;
    const unsigned flags = flags_of(task, state->work[1]);
    const struct summary *knee = &state->work_knee, *gain = &state->prefetch_gain;
    struct finding *finding =
        knee->n ? finding_add_summary(task->result, task->pool, "parallelism.work.knee", "cycles",
                                      knee, flags_by_trial(knee, flags))
                : finding_add(task->result, task->pool, "parallelism.work.knee", "cycles");
    if (!finding)
        return error_out_of_memory(error);
    finding->text =
        knee->n ? "with more work than this after each access, the processor no longer sees the "
                  "next one while it waits; work that waits for the access fills the schedulers, "
                  "which may be smaller than the window (fathom window)"
                : pool_printf(task->pool, "not reached: up to %u cycles of work, accesses overlap",
                              state->work_most);
    if (state->work[2] < 0 || !gain->n)
        return finding->text ? 0 : error_out_of_memory(error);
    struct finding *won = finding_add_summary(task->result, task->pool, "parallelism.work.prefetch",
                                              "", gain, flags | flags_of(task, state->work[2]));
    if (!won)
        return error_out_of_memory(error);
    won->text = pool_printf(task->pool,
                            "with %.0f cycles of work after each access, prefetching %u steps "
                            "ahead makes it %.2f times as fast",
                            state->prefetch_at, state->ahead, (double)gain->median);
    return won->text ? 0 : error_out_of_memory(error);
}

/* Says which levels there was no time for. */
static int note_left_out(struct probe_task *task, struct error *error)
{
    const struct parallelism_state *state = task->state;
    if (!state->left_out)
        return 0;
    struct factor *note = probe_add_parameter(task, "not_measured");
    const char *text = pool_printf(task->pool,
                                   "%s: there was no time left; give --budget %.0f, or ask for one "
                                   "level alone (--level)",
                                   state->left_out, ceil(state->time_for_all_s));
    if (!note || !text)
        return error_out_of_memory(error);
    note->text = text;
    return 0;
}

int parallelism_conclude(struct probe_task *task, const struct sampled *sampled,
                         struct error *error)
{
    const struct parallelism_state *state = task->state;
    int code = note_left_out(task, error);
    (void)sampled;
    parallelism_take(task);
    for (size_t i = state->level_count; i-- > 0 && code == 0;)
        if (state->curves[i].series >= 0)
            code = add_curve(task, &state->curves[i], error);
    if (code == 0 && state->all >= 0)
        code = add_threads(task, error);
    if (code == 0 && state->work[1] >= 0)
        code = add_work(task, error);
    return code;
}

/* What decides which experiment a finding is of, and what its name alone stands for. */
const struct standard parallelism_experiment[] = {
    {"level", STANDARD_NAMED, NULL, 0},
    {"working set", STANDARD_NAMED, NULL, 0},
    {"prefetch", STANDARD_ABSENT, NULL, 0},
    {"pages", STANDARD_PAGES, NULL, 0},
    {.factor = NULL},
};

const struct finding_line parallelism_lines[] = {
    {.patterns = "*.parallelism",
     .unit = "misses",
     .role = ROLE_FLIGHT,
     .fact = FACT_MISSES,
     .part = 1,
     .meaning = "How many misses (in the first level: loads) one core sustains at once: the time "
                "of one chain over the least time per access. Declared is what the maker documents "
                "of the processor's buffers.",
     .moves = "A busy hardware thread of the same core takes its share. Small pages (walks of the "
              "page table wait in the same queues), neighbours that use the memory and the "
              "distance to it move it too.",
     .advice = "Do as many independent look-ups side by side as the text says; more gain nothing."},
    {.patterns = "*.parallelism.ns",
     .unit = "ns",
     .role = ROLE_FLIGHT,
     .fact = FACT_MISS_TIME,
     .part = 1,
     .meaning = "The time per access when that many are under way.",
     .moves =
         "It is the level's latency over the parallelism: whatever moves one of them moves it.",
     .advice = "Compare it with the level's latency: so much is to be won by overlapping."},
    {.patterns = "*.parallelism.rate",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "The same as bytes of whole lines a second, visited at random.",
     .moves = "Whatever moves the time per access moves it.",
     .advice = "Compare it with the bandwidth in sequence, which prefetchers help."},
    {.patterns = "*.parallelism.four",
     .unit = "",
     .role = ROLE_PROPERTY,
     .meaning = "Four chains' time per access over a quarter of one chain's, in a level that "
                "should hold nothing up. It is only there where it is far from 1.",
     .moves = "Neighbours, and a clock that moved between the two measurements, move it.",
     .advice =
         "Trust the curve of several chains no better than that; repeat on a quieter machine."},
    {.patterns = "parallelism.all.rate",
     .unit = "1/s",
     .role = ROLE_PROPERTY,
     .meaning = "Random accesses a second of all threads together.",
     .moves = "Page size, neighbours and the distance to the memory move it. Where it is little "
              "more than one thread's, the memory and not the core is the limit.",
     .advice = "Plan look-ups of the whole machine by it, not by one thread's times the number of "
               "threads."},
    {.patterns = "parallelism.work.knee",
     .unit = "cycles",
     .role = ROLE_PROPERTY,
     .meaning = "How much work after each access, in dependent additions of a cycle each, keeps "
                "the processor from seeing the next access while it waits for this one.",
     .moves = "The processor's window of instructions and its schedulers, where work waits, decide "
              "it. A busy hardware thread of the same core takes its share.",
     .advice = "Keep less work than this between look-ups, or prefetch ahead."},
    {.patterns = "parallelism.work.prefetch",
     .unit = "",
     .role = ROLE_PROPERTY,
     .meaning =
         "How many times as fast explicit prefetching makes accesses with much work between them.",
     .moves = "How far ahead is prefetched (--prefetch) and how much work there is between "
              "accesses (--work) move it.",
     .advice = "Prefetch explicitly where it is well above 1."},
    {.patterns = NULL},
};
