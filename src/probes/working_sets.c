#include "probes/working_sets.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t KIB = 1024, MIB = 1024 * 1024, GIB = 1024 * 1024 * 1024;
enum { PER_OCTAVE = 4, PER_OCTAVE_LARGE = 2, PER_OCTAVE_QUICK = 2 };

uint64_t last_level_bytes(const struct machine *machine)
{
    const struct cache_facts *cache = machine_cache(machine, 0);
    return cache ? cache->size_bytes : 0;
}

static uint64_t default_largest(const struct machine *machine)
{
    uint64_t last_level = last_level_bytes(machine);
    uint64_t largest = last_level && last_level < GIB / 4 ? 4 * last_level : GIB;
    uint64_t budget = machine_memory_budget(machine);
    return largest < budget ? largest : budget;
}

int working_sets_check(const struct probe_task *task, const char *option, uint64_t bytes,
                       size_t stride, struct error *error)
{
    uint64_t most = machine_memory_budget(task->machine);
    char asked[UNIT_TEXT], usable[UNIT_TEXT];
    if (bytes < stride)
        return error_set(error, ERROR_USAGE,
                         "--%s %s: smaller than the stride of %s; ask for more, or a smaller "
                         "--stride",
                         option, size_format((double)bytes, asked),
                         size_format((double)stride, usable));
    if (bytes <= most)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "--%s %s: more than half of the memory that is free; ask for at most %s",
                     option, size_format((double)bytes, asked),
                     size_format((double)(most / MIB * MIB), usable));
}

/* Adds a size, not smaller than the last one, in whole strides. */
static int add(struct working_sets *sets, struct pool *pool, uint64_t bytes, size_t stride,
               struct error *error)
{
    bytes = bytes / stride * stride;
    if (bytes == 0 || (sets->count && sets->bytes[sets->count - 1] == bytes))
        return 0;
    uint64_t *slot = pool_append(pool, (void **)&sets->bytes, &sets->count, sizeof *slot);
    if (!slot)
        return error_out_of_memory(error);
    *slot = bytes;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int choose_listed(struct working_sets *sets, struct probe_task *task, size_t stride,
                         struct error *error)
{
    static const char *const others[] = {"from", "to", "per-octave"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (settings_has(task->settings, others[i]))
            return error_set(error, ERROR_USAGE,
                             "--sizes names every size, so --%s can't be given with it: leave one "
                             "out",
                             others[i]);
    const uint64_t *listed;
    size_t count = settings_sizes(task->settings, "sizes", &listed);
    uint64_t *sizes = pool_alloc(task->pool, count, sizeof *sizes);
    if (!sizes)
        return error_out_of_memory(error);
    memcpy(sizes, listed, count * sizeof *sizes);
    qsort(sizes, count, sizeof *sizes, compare);
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++) {
        code = working_sets_check(task, "sizes", sizes[i], stride, error);
        if (code == 0)
            code = add(sets, task->pool, sizes[i], stride, error);
    }
    return code;
}

static unsigned steps_in_octave(const struct settings *settings, double begins_at)
{
    if (settings_has(settings, "per-octave"))
        return (unsigned)settings_number(settings, "per-octave");
    if (settings_has(settings, "quick"))
        return PER_OCTAVE_QUICK;
    return begins_at < 64 * (double)MIB ? PER_OCTAVE : PER_OCTAVE_LARGE;
}

static int choose_swept(struct working_sets *sets, struct probe_task *task, size_t stride,
                        struct error *error)
{
    const struct settings *settings = task->settings;
    uint64_t smallest = stride > KIB ? stride : KIB;
    uint64_t from = settings_has(settings, "from") ? settings_size(settings, "from") : smallest;
    uint64_t to = settings_has(settings, "to") ? settings_size(settings, "to")
                                               : default_largest(task->machine);
    char low[UNIT_TEXT], high[UNIT_TEXT];
    int code = working_sets_check(task, "to", to, stride, error);
    if (code == 0)
        code = working_sets_check(task, "from", from, stride, error);
    if (code == 0 && from > to)
        code = error_set(error, ERROR_USAGE,
                         "--from %s is larger than --to %s: give the smaller size first",
                         size_format((double)from, low), size_format((double)to, high));
    if (code == 0)
        code = add(sets, task->pool, from, stride, error);
    /* Octaves are counted from powers of two, so that two runs share their sizes. */
    for (double octave = exp2(floor(log2((double)from))); code == 0 && octave <= (double)to;
         octave *= 2) {
        unsigned steps = steps_in_octave(settings, octave);
        for (unsigned i = 0; i < steps && code == 0; i++) {
            uint64_t bytes = (uint64_t)llround(octave * exp2((double)i / steps));
            if (bytes >= from && bytes <= to)
                code = add(sets, task->pool, bytes, stride, error);
        }
    }
    return code == 0 ? add(sets, task->pool, to, stride, error) : code;
}

int working_sets_choose(struct working_sets *sets, struct probe_task *task, size_t stride,
                        struct error *error)
{
    *sets = (struct working_sets){0};
    int code =
        working_sets_check(task, "stride", stride, stride, error); /* a set holds one at least */
    if (code < 0)
        return code;
    return settings_has(task->settings, "sizes") ? choose_listed(sets, task, stride, error)
                                                 : choose_swept(sets, task, stride, error);
}
