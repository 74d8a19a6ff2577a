/*
 * What the hardware prefetchers hide: the same lines, chased in orders that a prefetcher can follow
 * and in a random one that it can't. The chase waits for every load, so an order can only be faster
 * than random order because lines were fetched ahead.
 *
 * How many lines a level holds depends on the stride: addresses a power of two apart share few of
 * its sets. Each stride therefore has as many elements as fill the same share of the sets that they
 * can use, so all strides are measured in the same level.
 */
#include "base/units.h"
#include "measure/probes/chase/chases.h"

#include <math.h>
#include <string.h>

static const uint64_t SPAN_MOST = (uint64_t)512 << 20;
enum { STRIDES_MAX = 16, FEWEST_ELEMENTS = 16, CROSSING_PAGES = 1024 };

/* A smaller hidden share of the latency may also come from open rows of DRAM. */
static const double hidden_well = 0.25;
/* A set with less than this share of the level's latency fits the previous level, because a cache
 * hashes its index. */
static const double still_there = 0.5;
/* Prefetchers that continue into the next page save at least this share of the latency over those
 * that start anew there. */
static const double crossing_saves = 0.05;

/* Some prefetchers go by the load's address, and in a loop of several loads each of these takes as
 * many strides at once. Programs have one load in the loop, so the findings are of one; forward
 * order is measured with more as well. */
enum {
    RANDOM,
    FORWARD,
    BACKWARD,
    WITHIN_PAGE,
    NEARBY,
    ORDERS,
    FORWARD_8 = ORDERS,
    FORWARD_64,
    ALL
};
static const struct {
    const char *name;
    enum ring_order order;
    size_t block_count;
    const char *loads;
} orders[ALL] = {
    [RANDOM] = {"random", RING_RANDOM, 0, "1"},
    [FORWARD] = {"forward", RING_FORWARD, 0, "1"},
    [BACKWARD] = {"backward", RING_BACKWARD, 0, "1"},
    [WITHIN_PAGE] = {"random within a page", RING_RANDOM, 0, "1"},
    [FORWARD_8] = {"forward with 8 loads in the loop", RING_FORWARD, 0, "8"},
    [FORWARD_64] = {"forward with 64 loads in the loop", RING_FORWARD, 0, "64"},
    /* With strides of a page or more, forward order needs neighbouring translations, which the
     * processor fetches together (in a virtual machine they cost more than the data). This order
     * needs the same translations, and no prefetcher follows it. */
    [NEARBY] = {"random within 64 strides", RING_RANDOM, 64, "1"},
};
/* Forward through all pages in order, and forward within pages in random order. */
enum { THROUGH, ANEW, CROSSINGS };
static const char *const crossing_names[CROSSINGS] = {"page after page", "pages in random order"};

struct prefetch_state {
    struct chases chases; /* first */
    size_t page_bytes;    /* of the machine's smallest pages */
    struct chase_level levels[CHASE_LEVELS_MAX];
    size_t level_count;
};

struct prefetch_options {
    struct setting cpu, pages;
};

#include "prefetch.help.h"

/* --- planning --- */

/* Ascending. Above a page: one that is no power of two, and two that are. */
static size_t choose_strides(size_t line, size_t page, size_t *strides)
{
    size_t count = 0;
    for (size_t stride = line; stride <= page && count + 3 < STRIDES_MAX; stride *= 2)
        strides[count++] = stride;
    strides[count++] = page + line;
    strides[count++] = 2 * page;
    strides[count++] = 4 * page;
    return count;
}

static void plan_order(struct probe_task *task, const struct chase_level *level, int order)
{
    struct prefetch_state *state = task->state;
    struct chases *chases = &state->chases;
    const size_t line = chases->line_bytes, page = state->page_bytes;
    size_t strides[STRIDES_MAX], count = choose_strides(line, page, strides);
    const uint64_t most = machine_memory_budget(task->machine);
    /* Well beyond the previous level's capacity, but no larger than needed, so that the sets of odd
     * strides stay small. */
    const uint64_t near = 4 * level->above;
    const uint64_t set_bytes = level->last || level->bytes < near ? level->bytes : near;
    struct chase_kind kind = {.address = ADDRESS_POINTER,
                              .stride = CHASE_STRIDE_IS_X,
                              .order = orders[order].order,
                              .block_bytes = order == WITHIN_PAGE ? page : 0,
                              .block_count = orders[order].block_count};
    chase_loads_parse(&kind, orders[order].loads);
    const int series = chases_add_series(
        chases, task, pool_printf(task->pool, "%s, %s", level->name, orders[order].name), &kind,
        ((const struct prefetch_options *)task->options)->pages.text);
    task->plan.series[series].x = (struct axis){"stride", "B"};
    for (size_t i = 0; i < count; i++) {
        const size_t spacing = strides[i] & -strides[i]; /* between the sets of two elements */
        const uint64_t elements = set_bytes / (spacing > line ? spacing : line);
        const uint64_t bytes = elements * strides[i];
        const bool fits = elements >= FEWEST_ELEMENTS && bytes <= SPAN_MOST && bytes <= most;
        if (fits && (order != WITHIN_PAGE || 2 * strides[i] <= page))
            chases_add_point(chases, task, series, (double)strides[i], bytes);
    }
}

/* --- findings --- */

struct share {
    struct interval hidden; /* its interval is NAN if either latency is a single trial */
    unsigned flags;
};

/* 1 - part / whole. The interval combines the opposite ends of both intervals. */
static struct share hidden_share(const struct point *part, const struct point *whole)
{
    const struct interval left =
        estimate_ratio(finding_latency_of(part), finding_latency_of(whole));
    return (struct share){{1 - left.value, 1 - left.high, 1 - left.low},
                          part->flags | whole->flags};
}

/* One level's series, by order. Documents of former versions lack those with more loads. */
struct level_series {
    const char *level;
    const struct series *orders[ALL];
};

/* The levels in which all orders can be measured. */
static const char *const level_names[] = {"L2", "L3", "L4", "L5", "L6", "L7", "DRAM"};
enum { LEVELS_MOST = sizeof level_names / sizeof *level_names };

/* The share hidden at that stride, for strides of a page or more relative to nearby random order;
 * false if it was not measured, or the set was in another level. */
static bool share_at(const struct analysis *analysis, const struct level_series *level, int order,
                     double stride, struct share *share)
{
    const struct series *const *series = level->orders;
    const struct point *part = series[order] ? series_point(series[order], stride) : NULL;
    const struct point *whole = series_point(
        series[stride < (double)chases_page_noted(analysis) ? RANDOM : NEARBY], stride);
    const struct point *there = series_point(series[RANDOM], analysis_line_bytes(analysis));
    const struct point *scattered = series_point(series[RANDOM], stride);
    if (!part || !whole || !there || !scattered ||
        finding_latency_of(scattered).median <
            still_there * (double)finding_latency_of(there).median)
        return false;
    *share = hidden_share(part, whole);
    return true;
}

/* "; with 8 loads in the loop 92 %, with 64 98 %" */
static const char *with_more_loads(struct analysis *analysis, const struct level_series *level)
{
    const char *text = "";
    struct share share;
    for (int order = FORWARD_8; order < ALL; order++)
        if (share_at(analysis, level, order, analysis_line_bytes(analysis), &share))
            text = pool_printf(analysis->pool, "%s%s with %s%s %.0f %%", text, *text ? "," : ";",
                               orders[order].loads, *text ? "" : " loads in the loop",
                               100 * share.hidden.value);
    return text;
}

static void add_direction(struct analysis *analysis, const struct level_series *level, int order)
{
    struct share share;
    if (!share_at(analysis, level, order, analysis_line_bytes(analysis), &share))
        return;
    const struct interval hidden = share.hidden,
                          percent = {100 * hidden.value, 100 * hidden.low, 100 * hidden.high};
    const char *name =
        pool_printf(analysis->pool, "prefetch.%s.%s", level->level, orders[order].name);
    analysis_add_value(analysis, name, "%", percent, share.flags)->text =
        pool_printf(analysis->pool, "of %s's latency in random order, line after line %s: %s%s",
                    level->level, order == FORWARD ? "upwards" : "downwards",
                    hidden.low >= hidden_well    ? "prefetchers follow"
                    : hidden.high <= hidden_well ? "prefetchers hardly follow"
                                                 : "too uncertain to tell",
                    order == FORWARD ? with_more_loads(analysis, level) : "");
    analysis_read_off(analysis, level->orders[order]);
}

/* The largest stride at which forward order hides a quarter of the latency in some level. With
 * intervals, the whole interval must be above a quarter; single trials count by their value, and
 * their flags show it. */
static void add_stride(struct analysis *analysis, const struct level_series *levels,
                       size_t level_count)
{
    size_t strides[STRIDES_MAX],
        count = choose_strides(analysis_line_bytes(analysis), chases_page_noted(analysis), strides);
    size_t best = count;
    const struct level_series *where = NULL;
    struct share widest = {0};
    for (size_t s = 0; s < level_count; s++)
        for (size_t i = 0; i < count; i++) {
            struct share share;
            if (!share_at(analysis, &levels[s], FORWARD, (double)strides[i], &share))
                continue;
            const struct interval hidden = share.hidden;
            if ((isfinite(hidden.low) ? hidden.low : hidden.value) >= hidden_well &&
                (best == count || i > best)) {
                best = i;
                where = &levels[s];
                widest = share;
            }
        }
    struct finding *finding = analysis_add(analysis, "prefetch.max_stride", "B");
    if (!where) {
        finding->text = "none: at no stride is a quarter of any level's latency hidden";
        return;
    }
    finding->value = (double)strides[best];
    if (isfinite(widest.hidden.low)) {
        finding->low = finding->value;
        finding->high = best + 1 < count ? (double)strides[best + 1] : NAN;
    }
    finding->flags = widest.flags;
    finding->text = pool_printf(analysis->pool,
                                "forward, a quarter or more of %s's latency is hidden up to a "
                                "stride of %s%s",
                                where->level, size_text(analysis->pool, finding->value),
                                best + 1 < count ? "" : ", the largest that was tried");
}

static void add_crossing(struct analysis *analysis)
{
    const struct series *through = analysis_series(analysis, crossing_names[THROUGH], NULL, NULL),
                        *anew = analysis_series(analysis, crossing_names[ANEW], NULL, NULL);
    struct finding *finding = analysis_add(analysis, "prefetch.crosses_page", "");
    if (!through || !anew || !through->point_count || !anew->point_count) {
        finding->text = "not found: it was not measured";
        return;
    }
    if (chases_page_noted(analysis) < facts_page_bytes(analysis->machine)) {
        finding->text =
            "not found: the pages of this machine are larger than those that were crossed";
        return;
    }
    const struct share share = hidden_share(through->points, anew->points);
    const struct interval saved = share.hidden;
    finding->flags = share.flags;
    const char *verdict = "not found: the two orders can't be distinguished";
    if (saved.low >= crossing_saves) {
        finding->value = finding->low = finding->high = 1;
        verdict = "prefetchers go on into the next page";
    } else if (saved.high < crossing_saves) {
        finding->value = finding->low = finding->high = 0;
        verdict = "prefetchers stop at the end of a page";
    }
    const char *ends = isnan(saved.low) ? "in a single trial"
                                        : pool_printf(analysis->pool, "(%.0f to %.0f)",
                                                      100 * saved.low, 100 * saved.high);
    finding->text = pool_printf(analysis->pool,
                                "%s: page after page takes %.0f %% %s less than the same pages in "
                                "random order, on %s pages",
                                verdict, 100 * saved.value, ends,
                                size_text(analysis->pool, (double)chases_page_noted(analysis)));
}

#include "prefetch.findings.h"

/* --- plan, next, analyse --- */

static void plan_prefetch(struct probe_task *task)
{
    struct prefetch_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    const struct prefetch_options *asked = task->options;
    state->chases = chases_make(task);
    state->page_bytes = chases_note_page(task);
    state->chases.seat = chases_seat(task, &asked->cpu);
    state->level_count = chases_levels(task, state->chases.seat->cpu, NULL, state->levels);
    chases_plan_place(task, &state->chases, (enum page_policy)asked->pages.choice);
    task->plan.share = 0.9;
    for (size_t i = 0; i < state->level_count; i++)
        for (int order = 0; order < ALL && strcmp(state->levels[i].name, "L1") != 0; order++)
            plan_order(task, &state->levels[i], order); /* L1 has no latency to hide */
    if (task->plan.point_count == 0)
        pool_leave(task->pool, ERROR_IMPOSSIBLE,
                   "too little memory is free for a working set beyond the caches: stop programs "
                   "that use memory, or raise the memory limit");
}

/* Across the ends of pages: on so few small pages that any second-level TLB holds them. Translation
 * costs both orders the same, because each visits a page once and reads all of it. */
static bool next_prefetch(struct probe_task *task)
{
    struct prefetch_state *state = task->state;
    /* The working set in the farthest level that CROSSING_PAGES pages can reach. */
    uint64_t bytes = 0;
    for (size_t i = 0; i < state->level_count; i++) {
        const struct chase_level *level = &state->levels[i];
        const uint64_t most = CROSSING_PAGES * state->page_bytes;
        const uint64_t here = level->bytes < most ? level->bytes : most;
        if (level->above && here >= 2 * level->above)
            bytes = here;
    }
    if (task->stage > 1 || !bytes)
        return false;
    chases_plan_place(task, &state->chases, PAGES_SMALL);
    for (int i = 0; i < CROSSINGS; i++) {
        const struct chase_kind kind = {.address = ADDRESS_POINTER,
                                        .stride = state->chases.line_bytes,
                                        .order = RING_FORWARD,
                                        .loads = 1,
                                        .block_bytes = i == ANEW ? state->page_bytes : 0};
        const int series = chases_add_series(&state->chases, task, crossing_names[i], &kind,
                                             page_policy_names[PAGES_SMALL]);
        chases_add_point(&state->chases, task, series, (double)bytes, bytes);
    }
    return true;
}

static void analyse_prefetch(struct analysis *analysis)
{
    struct level_series levels[LEVELS_MOST];
    size_t count = 0;
    for (size_t i = 0; i < LEVELS_MOST; i++) {
        struct level_series *here = &levels[count];
        bool all = true;
        here->level = level_names[i];
        for (int order = 0; order < ALL; order++) {
            const char *name =
                pool_printf(analysis->pool, "%s, %s", here->level, orders[order].name);
            here->orders[order] = analysis_series(analysis, name, NULL, NULL);
            all = all && (here->orders[order] || order >= ORDERS);
        }
        count += all;
    }
    for (size_t i = 0; i < count; i++) {
        add_direction(analysis, &levels[i], FORWARD);
        add_direction(analysis, &levels[i], BACKWARD);
    }
    add_stride(analysis, levels, count);
    add_crossing(analysis);
}

const struct probe prefetch_probe = {
    .name = "prefetch",
    .place = 110,
    .help = &help,
    .sized_by_found = true,
    .findings = {finding_lines, experiment},
    .plan = plan_prefetch,
    .prepare = chases_prepare_alone,
    .next = next_prefetch,
    .analyse = analyse_prefetch,
};
