#include "conclude/predict.h"

#include "base/cpulist.h"
#include "base/line.h"
#include "base/quantity.h"
#include "base/units.h"
#include "conclude/levels/of_document.h"
#include "conclude/registry/registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const loop_pattern_names[LOOP_PATTERNS + 1] = {"random", "sequential", "stride", NULL};

/* How uncertain each step makes the logarithm of a prediction, as a standard deviation; and how far
 * sizes shift from one run to the next, in the core's own caches and in those that others may use.
 * `FATHOM_FIT=1 benchmarks/predict.py` computes all of them from other loops than those that it
 * reports on. */
static const struct {
    double curve, pages, chains, work, threads, sequence, stride, own, shared;
} doubt = {0.021, 0.323, 0.053, 0.05, 0.405, 0.279, 0.064, 0.104, 0.329};
/* Where fewer loads are under way than this share of the chains, more chains don't help. */
static const double saturated = 0.8;
/* Nine of ten values lie within this many standard deviations. */
static const double of_band = 1.645;

/* A figure, and the standard deviation of its logarithm. */
struct told {
    double value, doubt;
};

struct predicting {
    const struct document *const *documents;
    size_t count;
    const struct loop *loop;
    struct pool *pool;
    struct prediction *made;
    const struct document *from;
    const struct machine_facts *machine;
    int cpu;              /* that measured */
    struct levels levels; /* with ns as their latency */
    double line;
    double own_bytes; /* of the largest cache that no other CPU uses */
    double shifted;   /* standard deviations by which sizes are shifted */
    size_t shared;    /* index of the first level that several of the threads share */
    unsigned sharers; /* threads that share it; 1: no such level, or not known */
};

/* --- curves --- */

/* What the documents lack, and the command that measures it. */
static _Noreturn void cant_tell(struct predicting *p, const char *what, const char *command)
{
    p->made->untold = pool_printf(p->pool, "the documents don't have %s: fathom %s", what, command);
    pool_leave(p->pool, ERROR_IMPOSSIBLE, "%s", p->made->untold);
}

static bool has_text(const struct series *series, const char *factor, const char *text)
{
    const struct factor *there = factor ? series_factor(series, factor) : NULL;
    return !factor || (there && there->text && strcmp(there->text, text) == 0);
}

/* The pages that the series was measured on. */
static enum loop_pages pages_of(const struct probe_result *result, const struct series *series)
{
    const struct factor *pages = series_factor(series, "pages");
    if (!pages || !pages->text || strcmp(pages->text, "auto") == 0)
        pages = probe_parameter(result, "pages_obtained");
    if (!pages || !pages->text)
        return ANY_PAGES;
    return strncmp(pages->text, "small", 5) == 0 || strcmp(pages->text, "4K") == 0 ? SMALL_PAGES
                                                                                   : LARGE_PAGES;
}

static bool has_value(const struct point *point)
{
    return point->y.n && !point->failed && point->y.median > 0 && isfinite(point->y.median);
}

static double end_of(const struct series *series)
{
    double end = 0;
    for (size_t i = 0; i < series->point_count; i++)
        if (has_value(&series->points[i]))
            end = fmax(end, series->points[i].x);
    return end;
}

/* A curve: its factor has that text (NULL: any), and it goes on to x = `reach`. */
struct wanted {
    const char *probe, *name, *factor, *text, *other_factor, *other_text;
    double reach;
    enum loop_pages pages;
    bool matrix;
};

/* The first such curve of the documents, and in `from` the document that has it; NULL: none has. */
static const struct series *find(struct predicting *p, struct wanted wanted)
{
    for (size_t d = 0; d < p->count; d++) {
        const struct probe_result *result = document_probe(p->documents[d], wanted.probe);
        for (size_t i = 0; result && i < result->series_count; i++) {
            const struct series *series = &result->series[i];
            if (strcmp(series->name, wanted.name) == 0 &&
                has_text(series, wanted.factor, wanted.text) &&
                has_text(series, wanted.other_factor, wanted.other_text) &&
                (!wanted.pages || pages_of(result, series) == wanted.pages) &&
                (series->matrix ? wanted.matrix
                                : end_of(series) > 0 && end_of(series) >= wanted.reach)) {
                p->from = p->documents[d];
                return series;
            }
        }
    }
    return NULL;
}

/* The standard deviation that the point's interval of 95 % stands for; 0: it has none. */
static double own_doubt(const struct point *point)
{
    const double ratio = (double)(point->y.high / point->y.low);
    return point->y.n > 1 && ratio > 1 && isfinite(ratio) ? log(ratio) / 3.92 : 0;
}

/* As predict_curve(). */
static struct told at(const struct series *series, double x)
{
    const struct point *below = NULL, *above = NULL;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (!has_value(point))
            continue;
        if (point->x <= x && (!below || point->x > below->x))
            below = point;
        if (point->x >= x && (!above || point->x < above->x))
            above = point;
    }
    if (!below && !above)
        return (struct told){NAN, 0};
    below = below ? below : above;
    above = above ? above : below;
    struct told told = {(double)below->y.median, fmax(own_doubt(below), own_doubt(above))};
    if (above->x > below->x && below->x > 0) {
        const double rise = log((double)above->y.median / (double)below->y.median),
                     way = log(above->x / below->x);
        told.value *= exp(rise * log(x / below->x) / way);
    }
    return told;
}

double predict_curve(const struct series *series, double x)
{
    return at(series, x).value;
}

/* Latency of memory, the last level; 0: the curve does not show it. */
static double memory_of(const struct predicting *p)
{
    const struct level *last = &p->levels.list[p->levels.count ? p->levels.count - 1 : 0];
    return p->levels.count && last->kind == LEVEL_MEMORY ? last->latency.value : 0;
}

/* The curve by working set, in ns. Beyond its end, the share of loads that hit halves with each
 * octave, and so does the rise. */
static struct told by_size(struct predicting *p, const struct series *series, double bytes)
{
    const double end = end_of(series);
    if (bytes > p->own_bytes)
        bytes = fmax(p->own_bytes, bytes * exp(p->shifted * doubt.shared));
    else
        bytes *= exp(p->shifted * doubt.own);
    struct told told = at(series, bytes);
    if (bytes > end) {
        const double rise = log(told.value / at(series, end / 2).value),
                     octaves = log2(bytes / end);
        if (!(memory_of(p) > 0) || octaves > 2)
            cant_tell(p, "latencies of such large sets", "latency --to SIZE");
        told.value *= exp(rise * (1 - exp2(-octaves)));
        told.doubt = hypot(told.doubt, fmin(octaves, 2) * fabs(rise) / 2);
    }
    told.doubt = hypot(told.doubt, doubt.curve);
    if (quantity_is(series->y.unit, DIMENSION_BANDWIDTH))
        told.value = p->line * 1e9 / told.value;
    return told;
}

/* --- from one curve to another --- */

/* A level: what the curve so far has there, and what it becomes. */
struct anchor {
    double from, to, doubt;
    size_t level;
};
struct anchors {
    struct anchor list[LEVELS_MAX];
    size_t count;
};

static int by_from(const void *a, const void *b)
{
    const struct anchor *p = a, *q = b;
    return (p->from > q->from) - (p->from < q->from);
}

static void anchor_add(struct anchors *anchors, size_t level, struct told from, struct told to)
{
    if (from.value > 0 && to.value > 0)
        anchors->list[anchors->count++] =
            (struct anchor){from.value, to.value, hypot(from.doubt, to.doubt), level};
}

/* Between two levels a share of the loads goes to each, so the time is linear between them; before
 * the first level and beyond memory it stays in proportion. Returns the name of the nearest level;
 * leaves the pool's step where the level needed was not measured. */
static const char *carry(struct predicting *p, struct anchors *anchors, struct told *told,
                         const char *what, const char *command)
{
    static const double near = 1.3;
    const double from = told->value;
    size_t above = 0;
    qsort(anchors->list, anchors->count, sizeof *anchors->list, by_from);
    while (above < anchors->count && anchors->list[above].from < from)
        above++;
    if (!anchors->count)
        cant_tell(p, what, command);
    const struct anchor *high = &anchors->list[above < anchors->count ? above : above - 1],
                        *low = above ? &anchors->list[above - 1] : high;
    const bool past_low = from > near * low->from, before_high = from * near < high->from;
    if (low == high ? (past_low && low->level + 1 < p->levels.count) || (before_high && low->level)
                    : past_low && before_high && high->level > low->level + 1)
        cant_tell(p, what, command);
    const double share = low == high ? 0 : (from - low->from) / (high->from - low->from);
    told->value = low == high ? low->to * from / low->from : low->to + share * (high->to - low->to);
    told->doubt = hypot(told->doubt, fmax(low->doubt, high->doubt));
    return p->levels.list[share > 0.5 ? high->level : low->level].name;
}

/* --- the machine --- */

/* Keeps the levels that have a latency. Threads run on one CPU of each core, so a cache is shared
 * by as many of them as it has cores. */
static void learn_machine(struct predicting *p)
{
    const struct machine_facts *facts = p->machine;
    const unsigned a_core = facts->cores ? facts->threads / facts->cores : 1;
    size_t kept = 0;
    p->line = 64; /* of most machines, where none is declared */
    p->sharers = 1;
    for (size_t i = 0; i < p->levels.count; i++) {
        struct level level = p->levels.list[i];
        const bool again = kept && strcmp(p->levels.list[kept - 1].name, level.name) == 0;
        if (again || !level.facts[FACT_LATENCY_NS] || !(level.facts[FACT_LATENCY_NS]->value > 0))
            continue;
        level.latency.value = level.facts[FACT_LATENCY_NS]->value;
        p->levels.list[kept++] = level;
        const struct cache_facts *cache =
            level.kind == LEVEL_CACHE ? cache_of_cpu(facts, level.number, -1) : NULL;
        const size_t cpus = cache ? cpulist_text_count(cache->shared_cpus) : 0,
                     cores = cpus / (a_core ? a_core : 1);
        if (cache && cache->line_bytes)
            p->line = cache->line_bytes;
        if (cores == 1)
            p->own_bytes = fmax(p->own_bytes, (double)cache->size_bytes);
        if (cores > 1 && p->loop->threads > 1 && p->sharers == 1) {
            p->shared = kept - 1;
            p->sharers = (unsigned)fmin(p->loop->threads, (double)cores);
        }
    }
    p->levels.count = kept;
}

static void refuse_loop(const struct predicting *p)
{
    const struct loop *loop = p->loop;
    const struct machine_facts *facts = p->machine;
    const double least = 2 * p->line * loop->chains * loop->threads;
    char size[UNIT_TEXT], most[UNIT_TEXT];
    const size_t at = node_index(facts, loop->node);
    const uint64_t memory = loop->node < 0           ? facts->memory_bytes
                            : at < facts->node_count ? facts->nodes[at].memory_bytes
                                                     : 0;
    size_format(loop->bytes, size);
    if (loop->node >= 0 && !memory)
        pool_leave(p->pool, ERROR_USAGE, "--node %d: no memory is there", loop->node);
    if (memory && loop->bytes > (double)memory)
        pool_leave(p->pool, ERROR_USAGE, "--size %s: there are only %s of memory", size,
                   size_format((double)memory, most));
    if (loop->bytes < least)
        pool_leave(p->pool, ERROR_USAGE,
                   "--size %s is too small for so many chains: give %s at least", size,
                   size_format(least, most));
    if (facts->threads && loop->threads > facts->threads)
        pool_leave(p->pool, ERROR_USAGE, "--threads %u: the machine has %u CPUs", loop->threads,
                   facts->threads);
    if (loop->pattern != LOOP_RANDOM && loop->chains > 1)
        pool_leave(p->pool, ERROR_USAGE, "--chains: only --pattern random has several");
    if (loop->pattern == LOOP_STRIDE && (loop->stride < p->line || loop->stride > loop->bytes / 2))
        pool_leave(p->pool, ERROR_USAGE, "--stride: give a line, %.0f bytes, to half of --size",
                   p->line);
}

/* The time of a line in ns, for each of so many threads that read a level; no value where the
 * documents lack it. */
static struct told read_of_level(struct predicting *p, const struct level *level, double threads)
{
    const char *name = level->kind == LEVEL_MEMORY ? "DRAM" : level->name;
    const struct series *rates =
        find(p, (struct wanted){"bandwidth", "bandwidth by threads", "kernel", "read", "level",
                                name, .reach = threads});
    struct told told = rates ? at(rates, threads) : (struct told){NAN, 0};
    told.value = threads * p->line * 1e9 / told.value;
    return told;
}

/* --- chases --- */

struct chase {
    struct told time; /* so far */
    const struct series *curve;
    double plain;      /* one chain's latency on the curve's pages */
    double latency;    /* and on the loop's pages, in its node's memory */
    double memory;     /* share of the loads that go to memory */
    const char *level; /* the nearest */
    struct line reason, also;
};

static void more_doubt(struct told *told, double of_figure, double of_step)
{
    told->doubt = hypot(told->doubt, hypot(of_figure, of_step));
}

/* What translation adds on small pages: a line on each page against as many lines side by side. */
static struct told translation(struct predicting *p, double bytes)
{
    struct wanted wanted = {"tlb", "packed", "look", "ladder", .pages = SMALL_PAGES};
    const struct series *packed = find(p, wanted);
    wanted.name = "spread";
    const struct series *spread = find(p, wanted);
    const double pages = bytes / (double)facts_page_bytes(p->machine);
    if (!spread || !packed || pages > end_of(spread) || pages > end_of(packed))
        cant_tell(p, "so many small pages", "latency --pages small");
    const struct finding *as = document_finding(p->from, "dtlb.2M.as.4K");
    struct told told = at(spread, pages);
    told.value = fmax(0, told.value - at(packed, pages).value);
    if (as && as->value > 0) /* the host keeps the curve's huge pages in small ones */
        told.value *= 1 - fmin(1, as->value);
    return told;
}

/* The latency of a CPU of node `from` to the memory of node `to`; NAN: not in the documents. */
static double to_node(struct predicting *p, int from, int to)
{
    const struct series *nodes = find(
        p, (struct wanted){"numa", "numa", "shows", .text = "latency of one CPU", .matrix = true});
    for (size_t i = 0; nodes && i < nodes->point_count; i++)
        if (nodes->points[i].from == from && nodes->points[i].to == to)
            return (double)nodes->points[i].y.median;
    return NAN;
}

/* The latency of one chain: by size, pages and node. */
static void begin_chase(struct predicting *p, struct chase *chase, bool translated)
{
    const struct loop *loop = p->loop;
    const struct level *levels = p->levels.list;
    const size_t count = p->levels.count;
    const double last = count > 1 ? levels[count - 2].latency.value : 0, memory = memory_of(p);
    chase->time = by_size(p, chase->curve, loop->bytes);
    chase->plain = chase->latency = chase->time.value;
    chase->memory = memory > last ? fmin(1, fmax(0, (chase->plain - last) / (memory - last))) : 0;
    for (size_t i = 0; i < count; i++)
        if (!i || chase->plain > sqrt(levels[i - 1].latency.value * levels[i].latency.value))
            chase->level = levels[i].name;
    if (loop->pages == SMALL_PAGES)
        more_doubt(&chase->time, 0, chase->memory * doubt.pages);
    if (translated) {
        const struct told more = translation(p, loop->bytes);
        const double part = more.value / (chase->latency += more.value);
        more_doubt(&chase->time, part * more.doubt, part * doubt.pages);
        line_add(&chase->also, "; translation on small pages adds %.3g ns", more.value);
    }
    int own = 0;
    for (size_t i = 0; i < p->machine->node_count; i++)
        if (cpulist_text_has(p->machine->nodes[i].cpus, p->cpu))
            own = p->machine->nodes[i].id;
    if (loop->node >= 0 && loop->node != own) {
        const double ratio = to_node(p, own, loop->node) / to_node(p, own, own);
        if (!(ratio > 0) || !(memory > 0))
            cant_tell(p, "that node's latency", "numa");
        chase->latency += chase->memory * memory * (ratio - 1);
        more_doubt(&chase->time, 0, chase->memory * doubt.curve);
        line_add(&chase->also, "; node %d's memory is %.2g times as far as the CPU's own",
                 loop->node, ratio);
    }
    chase->time.value = chase->latency;
}

/* Several chains: each level turns the time of one chain into that of so many. Farther memory and
 * page walks wait in the same queues, so they take longer by the same factor. */
static void add_chains(struct predicting *p, struct chase *chase)
{
    const unsigned chains = p->loop->chains;
    struct anchors anchors = {.count = 0};
    struct told told = {chase->plain, 0};
    for (size_t i = 0; i < p->levels.count; i++) {
        const char *name = pool_printf(p->pool, "chains in %s", p->levels.list[i].name);
        const struct series *series =
            find(p, (struct wanted){"parallelism", name, .reach = chains});
        if (series)
            anchor_add(&anchors, i, at(series, 1), at(series, chains));
    }
    const char *nearest =
        carry(p, &anchors, &told, "the misses in flight of such sets", "parallelism --budget 120");
    const double at_once = chase->plain / told.value;
    chase->time.value = chase->latency / at_once;
    more_doubt(&chase->time, told.doubt, doubt.chains);
    if (at_once < saturated * chains)
        line_add(&chase->reason, "bound by misses in flight of %s: %.3g at once", nearest, at_once);
}

/* What a load of the level takes with work between the loads, from the numbers of chains nearest to
 * the loop's that were measured; no value: none was. `alone`: one chain without work, in the same
 * run. */
static struct told with_work(const struct predicting *p, const char *level, struct told *alone)
{
    const double chains = p->loop->chains, work = p->loop->work;
    double fewer = 0, more = INFINITY;
    struct told below = {NAN, 0}, above = {NAN, 0};
    for (size_t d = 0; d < p->count; d++) {
        const struct probe_result *result = document_probe(p->documents[d], "parallelism");
        for (size_t i = 0; result && i < result->series_count; i++) {
            const struct series *series = &result->series[i];
            const double number = series_number(series, "chains");
            if (strncmp(series->name, "chains in ", 10) == 0 && !(fewer > 0) &&
                has_text(series, "level", level))
                *alone = at(series, 1);
            if ((strcmp(series->name, "chains with work") != 0 &&
                 strcmp(series->name, "one chain, with work") != 0) ||
                !has_text(series, "level", level) || end_of(series) < work)
                continue;
            if (number <= chains && number > fewer) {
                fewer = number;
                below = at(series, work);
            }
            if (number >= chains && number < more) {
                more = number;
                above = at(series, work);
            }
        }
    }
    if (more > fewer) {
        const double share = log(chains / fewer) / log(more / fewer);
        above.value = below.value * pow(above.value / below.value, share);
        above.doubt = fmax(below.doubt, above.doubt);
    }
    return above;
}

/* Work fills the core's window, so that it sees fewer loads. */
static void add_work(struct predicting *p, struct chase *chase)
{
    struct anchors anchors = {.count = 0};
    struct told told = {chase->plain, 0};
    for (size_t i = 0; i < p->levels.count; i++) {
        struct told alone = {NAN, 0}, worked = with_work(p, p->levels.list[i].name, &alone);
        anchor_add(&anchors, i, alone, worked);
    }
    carry(p, &anchors, &told, "that work between such loads",
          pool_printf(p->pool, "parallelism --level %s --chains 1,4,16 --work 1,4,16,%.0f",
                      chase->level, p->loop->work));
    const double seen = chase->plain / told.value, before = chase->time.value;
    chase->time.value = chase->latency / seen;
    more_doubt(&chase->time, told.doubt, doubt.work);
    if (chase->time.value * saturated > before) {
        chase->reason.length = 0;
        line_add(&chase->reason, "bound by the work between loads: the core keeps %.2g in flight",
                 seen);
    }
}

/* Several threads share what is beyond their own caches: together they get at most the measured
 * rate of all, and memory is slower because of the others' traffic. */
static void add_threads(struct predicting *p, struct chase *chase)
{
    static const char all[] = "random accesses by all threads", by[] = "latency by bandwidth";
    const double threads = p->loop->threads, memory = chase->memory;
    const struct series *rates = find(p, (struct wanted){"parallelism", all, .reach = threads}),
                        *loaded = find(p, (struct wanted){"loaded", "loaded", "shows", .text = by});
    const struct level *first = p->levels.list, *level = &first[p->shared];
    const char *bound = "memory";
    double least = 0;
    if (memory > 0 && (!rates || !loaded))
        cant_tell(p, "so many threads at memory", "parallelism --threads N, fathom loaded");
    if (memory > 0) {
        const double others = (threads - 1) * memory * p->line * 1e9 / chase->time.value,
                     beside = fmax(1, at(loaded, others).value / at(loaded, 0).value);
        chase->time.value *= 1 + memory * (beside - 1);
        if (p->loop->chains <= series_number(rates, "chains"))
            least = memory * threads * 1e9 / at(rates, threads).value;
    }
    if (p->sharers > 1 && chase->plain > level->latency.value / 2) {
        const double together = read_of_level(p, level, threads).value;
        if (isnan(together))
            cant_tell(p, "what threads get of the cache that they share", "bandwidth");
        bound = together > least ? level->name : bound;
        least = fmax(least, together);
    }
    if (least > chase->time.value) {
        chase->time.value = least;
        chase->reason.length = 0;
        line_add(&chase->reason, "bound by what %.0f threads get of %s", threads, bound);
    }
    if (p->levels.count > 1 && chase->plain > sqrt(first[0].latency.value * first[1].latency.value))
        more_doubt(&chase->time, 0, doubt.threads);
}

static struct told predict_chase(struct predicting *p, const struct series *curve, bool translated)
{
    struct chase chase = {.curve = curve};
    begin_chase(p, &chase, translated);
    if (p->loop->chains > 1)
        add_chains(p, &chase);
    if (p->loop->work > 0)
        add_work(p, &chase);
    if (p->loop->threads > 1)
        add_threads(p, &chase);
    if (!chase.reason.length)
        line_add(&chase.reason, "bound by the latency of %s, which %s", chase.level,
                 p->loop->chains > 1 ? "its chains share" : "each load waits for");
    p->made->reason = pool_printf(p->pool, "%s%s", chase.reason.text, chase.also.text);
    p->made->memory = chase.memory;
    return chase.time;
}

/* --- other patterns --- */

/* A chase forward: each level turns its latency in random order into the time that was measured
 * with the stride. No prefetcher hides the first level's latency. */
static struct told predict_stride(struct predicting *p, const struct series *curve)
{
    const double stride = p->loop->stride;
    struct anchors anchors = {.count = 0};
    struct told told = by_size(p, curve, p->loop->bytes);
    const double plain = told.value;
    for (size_t i = 0; i < p->levels.count; i++) {
        const struct level *level = &p->levels.list[i];
        const struct told first = {level->latency.value, 0};
        const char *random = pool_printf(p->pool, "%s, random", level->name),
                   *forward = pool_printf(p->pool, "%s, forward", level->name);
        const struct series *there = find(p, (struct wanted){"prefetch", .name = random}),
                            *by = find(p, (struct wanted){"prefetch", forward, .reach = stride});
        if (i == 0)
            anchor_add(&anchors, i, first, first);
        else if (there && by)
            anchor_add(&anchors, i, at(there, p->line), at(by, stride));
    }
    const char *nearest = carry(p, &anchors, &told, "such strides in that level", "prefetch");
    more_doubt(&told, 0, doubt.stride);
    p->made->reason =
        told.value < saturated * plain
            ? pool_printf(p->pool, "bound by prefetching from %s: it hides %.0f %% of the latency",
                          nearest, 100 * (1 - told.value / plain))
            : pool_printf(p->pool, "bound by the latency of %s, which no prefetcher hides",
                          nearest);
    return told;
}

/* ns for each line that is read in order. */
static struct told predict_sequential(struct predicting *p)
{
    const unsigned threads = p->loop->threads;
    const struct series *rates =
        find(p, (struct wanted){"bandwidth", "bandwidth", "kernel", "read", "access", "sequential",
                                .pages = p->loop->pages});
    const double part = p->loop->bytes / threads;
    struct anchors anchors = {.count = 0};
    if (!rates)
        cant_tell(p, "bytes a second by size on such pages", "bandwidth");
    for (size_t i = 0; i < p->levels.count; i++) {
        const struct level *level = &p->levels.list[i];
        anchor_add(&anchors, i, read_of_level(p, level, 1), read_of_level(p, level, threads));
    }
    /* A private cache holds one thread's part, a shared one the parts of all that share it. */
    struct told told = by_size(p, rates, part > p->own_bytes ? part * p->sharers : part);
    const double alone = told.value;
    const char *nearest =
        carry(p, &anchors, &told, "what so many threads read together", "bandwidth");
    if (threads == 1)
        told.value = alone;
    more_doubt(&told, threads > 1 ? doubt.threads : 0, doubt.sequence);
    p->made->reason = pool_printf(p->pool, "bound by what %s of %s",
                                  told.value * saturated > alone ? "all threads read"
                                  : threads > 1                  ? "each thread reads"
                                                                 : "one thread reads",
                                  nearest);
    return told;
}

/* --- all of it --- */

static struct told tell_once(struct predicting *p, double shifted)
{
    const struct loop *loop = p->loop;
    struct wanted wanted = {"latency", "latency", "order", .text = "random"};
    const struct series *any = find(p, wanted);
    wanted.pages = loop->pages;
    const struct series *fit = find(p, wanted);
    p->shifted = shifted;
    if (!any || !quantity_same(any->y.unit, "ns") || !p->levels.count)
        cant_tell(p, "latencies by working set", "latency");
    if (loop->pattern == LOOP_RANDOM && (fit || loop->pages == SMALL_PAGES))
        return predict_chase(p, fit ? fit : any, !fit);
    if (loop->work > 0 || loop->node >= 0)
        cant_tell(p, "work between such loads, or far ones", "predict --pattern random");
    if (loop->pattern == LOOP_SEQUENTIAL)
        return predict_sequential(p);
    if (!fit || loop->threads > 1)
        cant_tell(p, "strides of several threads, or on such pages", "prefetch --pages small");
    return predict_stride(p, fit);
}

/* The band reaches from the least to the greatest prediction with all sizes shifted down or up, and
 * is widened by the uncertainty of the steps. */
static int tell(void *with)
{
    struct predicting *p = with;
    p->from = p->documents[0];
    find(p, (struct wanted){"latency", "latency", "order", .text = "random"});
    const struct document *first = p->from;
    p->machine = &first->machine;
    p->cpu = document_probe(first, "latency") ? probe_cpu(document_probe(first, "latency")) : -1;
    pool_check(p->pool, levels_of_document(&p->levels, first, pool_error(p->pool)));
    learn_machine(p);
    refuse_loop(p);
    if (p->machine->cores && p->loop->threads > p->machine->cores)
        cant_tell(p, "threads that share a core", "predict with fewer --threads");
    const double less = tell_once(p, -of_band).value, more = tell_once(p, of_band).value;
    const struct told told = tell_once(p, 0);
    const double reach = exp(of_band * told.doubt), all = p->loop->threads * p->line * 1e9,
                 low = fmin(less, fmin(more, told.value)) / reach,
                 high = fmax(less, fmax(more, told.value)) * reach;
    p->made->ns = (struct interval){told.value, low, high};
    p->made->bytes = (struct interval){all / told.value, all / high, all / low};
    return 0;
}

int predict(const struct document *const *documents, size_t count, const struct loop *loop,
            struct pool *pool, struct prediction *made, struct error *error)
{
    struct predicting p = {
        .documents = documents, .count = count, .loop = loop, .pool = pool, .made = made};
    *made = (struct prediction){.ns = {NAN, NAN, NAN}, .bytes = {NAN, NAN, NAN}};
    const int code = pool_enter(pool, tell, &p, error);
    return made->untold ? 0 : code;
}
