#include "measure/probes/chase/working_sets.h"

#include "base/sort.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t KIB = 1024, MIB = 1024 * 1024, GIB = 1024 * 1024 * 1024;
enum { PER_OCTAVE = 4, PER_OCTAVE_QUICK = 2 };

uint64_t last_level_bytes(const struct machine *machine)
{
    const struct cache_facts *cache = machine_last_cache(machine);
    return cache ? cache->size_bytes : 0;
}

/* The smallest size such that from it on no latency is below `ns` by more than the factor `alike`;
 * INFINITY if not even the largest size has such a latency, or the curve does not reach twice the
 * size found. */
static double begins_at(const struct series *curve, double ns)
{
    static const double alike = 1.15;
    const size_t count = curve->point_count;
    size_t first = count;
    while (first > 0 && (double)curve->points[first - 1].y.median * alike >= ns)
        first--;
    return first < count && curve->points[count - 1].x >= 2 * curve->points[first].x
               ? curve->points[first].x
               : INFINITY;
}

/* Last levels of at most this size are passed whole, whatever a curve shows of them, and where
 * nothing is declared one of this size is taken for granted. Touching four times as much takes some
 * tenths of a second. Other programs may occupy part of a cache while its capacity is measured and
 * leave it later. The cache then serves part of a working set that is larger than the capacity
 * found: with a cache of 32 MiB, of which 10 were found, one CPU read sets of 24, 32, 64, 128 and
 * 256 MiB at 60, 50, 43, 40 and 40 GB/s. */
static const uint64_t passed_whole = 64 << 20;
enum { WELL_BEYOND = 4 };

struct memory_bounds memory_bounds_within(const struct machine *machine, const struct series *curve,
                                          double memory_ns)
{
    const uint64_t declared = last_level_bytes(machine);
    const double begins = curve && memory_ns > 0 ? begins_at(curve, memory_ns) : INFINITY;
    struct memory_bounds bounds = {.last_level = passed_whole};
    if (isfinite(begins)) {
        while ((double)bounds.last_level < begins && bounds.last_level < GIB)
            bounds.last_level *= 2;
        bounds.least = (uint64_t)(WELL_BEYOND * begins);
        bounds.shown = bounds.last_level;
    }
    if (declared && (!bounds.shown || declared < bounds.shown))
        bounds.last_level = declared;
    const uint64_t usual = (declared ? 2 : WELL_BEYOND) * bounds.last_level;
    bounds.least = usual > bounds.least ? usual : bounds.least;
    return bounds;
}

double memory_ns_of(const struct probe_result *latency)
{
    const double dram_ns = probe_value(latency, "DRAM.latency_ns");
    return dram_ns > 0 ? dram_ns : probe_value(latency, "last.latency_ns");
}

struct memory_bounds memory_bounds(const struct probe_task *task)
{
    const struct document *document = task->document;
    const struct probe_result *latency = document ? document_probe(document, "latency") : NULL;
    const struct series *curve = NULL;
    for (size_t i = 0; latency && !curve && i < latency->series_count; i++)
        if (latency->series[i].headline && latency->series[i].point_count)
            curve = &latency->series[i];
    return memory_bounds_within(task->machine, curve, memory_ns_of(curve ? latency : NULL));
}

uint64_t last_levels_of(const struct probe_task *task, size_t cpus, size_t sharers)
{
    const size_t each = sharers ? sharers : 1;
    return (cpus + each - 1) / each * memory_bounds(task).last_level;
}

uint64_t working_sets_largest(const struct machine *machine)
{
    uint64_t last_level = last_level_bytes(machine);
    uint64_t largest = last_level && last_level < GIB / 4 ? 4 * last_level : GIB;
    uint64_t budget = machine_memory_budget(machine);
    return largest < budget ? largest : budget;
}

static void check_within(const struct probe_task *task, const struct working_set_limits *limits,
                         const char *option, uint64_t bytes, size_t stride)
{
    if (bytes < stride)
        pool_leave(task->pool, ERROR_USAGE,
                   "--%s %s: smaller than the stride of %s; ask for more, or a smaller "
                   "--stride",
                   option, size_text(task->pool, (double)bytes),
                   size_text(task->pool, (double)stride));
    if (bytes <= limits->most)
        return;
    pool_leave(task->pool, ERROR_USAGE, "--%s %s: more than %s; ask for at most %s", option,
               size_text(task->pool, (double)bytes), limits->most_is,
               size_text(task->pool, (double)(limits->most / MIB * MIB)));
}

static struct working_set_limits limits_of(const struct probe_task *task)
{
    const bool quick = task->common.quick.has;
    return (struct working_set_limits){
        .largest = working_sets_largest(task->machine),
        .most = machine_memory_budget(task->machine),
        .most_is = "half of the memory that is free",
        .per_octave = quick ? PER_OCTAVE_QUICK : PER_OCTAVE,
        .memory = quick ? last_level_bytes(task->machine) : 0,
    };
}

void working_sets_check(const struct probe_task *task, const char *option, uint64_t bytes,
                        size_t stride)
{
    const struct working_set_limits limits = limits_of(task);
    check_within(task, &limits, option, bytes, stride);
}

/* Adds a size, rounded down to whole strides, unless the last one equals it. Sizes must ascend. */
static void add(struct working_sets *sets, struct pool *pool, uint64_t bytes, size_t stride)
{
    bytes = bytes / stride * stride;
    if (bytes == 0 || (sets->count && sets->bytes[sets->count - 1] == bytes))
        return;
    uint64_t *slot = pool_append(pool, (void **)&sets->bytes, &sets->count, sizeof *slot);
    *slot = bytes;
}

size_t sizes_sort(uint64_t *sizes, size_t count)
{
    size_t kept = 0;
    qsort(sizes, count, sizeof *sizes, by_uint64);
    for (size_t i = 0; i < count; i++)
        if (!kept || sizes[kept - 1] != sizes[i])
            sizes[kept++] = sizes[i];
    return kept;
}

static void choose_swept(struct working_sets *sets, struct probe_task *task,
                         const struct working_set_options *asked, size_t stride,
                         const struct working_set_limits *limits)
{
    uint64_t smallest = stride > KIB ? stride : KIB;
    uint64_t from = asked->from.has ? asked->from.bytes : smallest;
    uint64_t to = asked->to.has ? asked->to.bytes : limits->largest;
    check_within(task, limits, "to", to, stride);
    check_within(task, limits, "from", from, stride);
    if (from > to)
        pool_leave(task->pool, ERROR_USAGE,
                   "--from %s is larger than --to %s: give the smaller size first",
                   size_text(task->pool, (double)from), size_text(task->pool, (double)to));
    add(sets, task->pool, from, stride);
    /* Octaves begin at powers of two, so that two runs share their sizes. Large sizes are fewer,
     * because their rings take long to build and their latencies hardly differ. With less than two
     * an octave no plateau would be seen. In a quick run DRAM has four: the more sizes agree, the
     * better its latency is known. */
    for (double octave = exp2(floor(log2((double)from))); octave <= (double)to; octave *= 2) {
        unsigned steps = limits->per_octave;
        if (asked->per_octave.has)
            steps = (unsigned)asked->per_octave.number;
        else if (limits->memory && octave >= (double)limits->memory)
            steps = PER_OCTAVE;
        else if (octave >= 64 * (double)MIB && steps >= 4)
            steps /= 2;
        for (unsigned i = 0; i < steps; i++) {
            uint64_t bytes = (uint64_t)llround(octave * exp2((double)i / steps));
            if (bytes >= from && bytes <= to)
                add(sets, task->pool, bytes, stride);
        }
    }
    add(sets, task->pool, to, stride);
}

struct working_sets working_sets_within(struct probe_task *task,
                                        const struct working_set_options *asked, size_t stride,
                                        const struct working_set_limits *limits)
{
    struct working_sets sets = {0};
    check_within(task, limits, "stride", stride, stride); /* a set has at least one element */
    if (asked->sizes.has) {
        const struct setting *const others[] = {&asked->from, &asked->to, &asked->per_octave, NULL};
        probe_refuse_beside(task, &asked->sizes, "names every size", others);
        size_t count = asked->sizes.size_count;
        uint64_t *sizes = pool_alloc(task->pool, count, sizeof *sizes);
        memcpy(sizes, asked->sizes.sizes, count * sizeof *sizes);
        count = sizes_sort(sizes, count);
        for (size_t i = 0; i < count; i++) {
            check_within(task, limits, "sizes", sizes[i], stride);
            add(&sets, task->pool, sizes[i], stride);
        }
    } else
        choose_swept(&sets, task, asked, stride, limits);
    return sets;
}

struct working_sets working_sets_choose(struct probe_task *task,
                                        const struct working_set_options *asked, size_t stride)
{
    const struct working_set_limits limits = limits_of(task);
    return working_sets_within(task, asked, stride, &limits);
}
