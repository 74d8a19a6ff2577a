#include "measure/probes/gpu/options.h"
#include "base/error.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const gpu_path_names[] = {"l1", "l2", "read-only", NULL};
const char *const gpu_order_names[] = {"random", "strided", "both", NULL};

#include "gpu_options.help.h"

uint32_t gpu_options_names(const struct probe_task *task, const struct setting *setting,
                           const char *const *names)
{
    const char *word = setting->text;
    uint32_t listed = 0;
    for (;;) {
        const size_t length = strcspn(word, ",");
        listed |=
            UINT32_C(1) << pool_check(task->pool, option_choose(setting->spec->name, names, word,
                                                                length, pool_error(task->pool)));
        if (!word[length])
            return listed;
        word += length + 1;
    }
}

uint32_t gpu_options_what(const struct probe_task *task, bool all)
{
    const char *names[GPU_NAMES_MOST + 1] = {NULL};
    uint32_t by_default = 0;
    for (size_t i = 0; gpu_experiments[i] && i < GPU_NAMES_MOST; i++) {
        names[i] = gpu_experiments[i]->name;
        if (all || gpu_experiments[i]->by_default)
            by_default |= UINT32_C(1) << i;
    }
    const struct setting *what = &((const struct gpu_options *)task->options)->what;
    return what->has ? gpu_options_names(task, what, names) : by_default;
}

enum { SIZES_MOST = GPU_SPLITS_MOST };

/* The possible sizes of the scratchpad in KiB, by architecture: NVIDIA, "CUDA C++ Programming
 * Guide", the sections on shared memory of each compute capability. */
static const struct {
    const char *capability; /* "9" is 9.0, 9.1, ... */
    unsigned kib[SIZES_MOST];
    size_t count;
} known_sizes[] = {
    {"7.5", {32, 64}, 2},
    {"7", {0, 8, 16, 32, 64, 96}, 6},
    {"8.0", {0, 8, 16, 32, 64, 100, 132, 164}, 8},
    {"8.7", {0, 8, 16, 32, 64, 100, 132, 164}, 8},
    {"8", {0, 8, 16, 32, 64, 100}, 6},
    {"9", {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}, 10},
    {"10", {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}, 10},
    {"12", {0, 8, 16, 32, 64, 100}, 6},
};

static bool is_of(const char *capability, const char *family)
{
    const size_t length = strlen(family);
    if (!capability || strncmp(capability, family, length) != 0)
        return false;
    return capability[length] == '\0' || (capability[length] == '.' && !strchr(family, '.'));
}

/* The possible sizes of the scratchpad in bytes, ascending; for an unknown architecture, in steps
 * of a quarter. */
static size_t scratchpads(const struct gpu_facts *facts, double sizes[SIZES_MOST])
{
    enum { QUARTERS = 4 };
    size_t n = 0;
    for (size_t i = 0; i < sizeof known_sizes / sizeof *known_sizes; i++) {
        if (!is_of(facts->capability, known_sizes[i].capability))
            continue;
        for (size_t k = 0; k < known_sizes[i].count; k++) {
            const double bytes = known_sizes[i].kib[k] * 1024.0;
            if (bytes <= (double)facts->scratchpad_bytes)
                sizes[n++] = bytes;
        }
        break;
    }
    for (int i = 0; i <= QUARTERS && n == 0; i++)
        sizes[i] = (double)facts->scratchpad_bytes * i / (double)QUARTERS;
    return n ? n : QUARTERS + 1;
}

static bool is_split(const struct gpu_facts *facts)
{
    return facts->scratchpad_bytes && facts->first_level_bytes > facts->scratchpad_bytes;
}

static struct gpu_split with_scratchpad(const struct gpu_facts *facts, double bytes)
{
    return (struct gpu_split){
        .l1_bytes = facts->first_level_bytes - (uint64_t)bytes,
        .carve_out = (int)floor(100 * bytes / (double)facts->scratchpad_bytes),
    };
}

struct gpu_split gpu_split_default(const struct gpu_facts *facts)
{
    double sizes[SIZES_MOST];
    if (!is_split(facts))
        return (struct gpu_split){facts->first_level_bytes, -1};
    scratchpads(facts, sizes);
    return (struct gpu_split){with_scratchpad(facts, sizes[0]).l1_bytes, -1};
}

/* Bytes of L1, from a size or from per cent of the memory that L1 and scratchpad share. */
static double parse_wanted(const char *text, double all, struct pool *pool)
{
    uint64_t size;
    char *end;
    const double percent = strtod(text, &end);
    if (end != text && (strcmp(end, "%") == 0 || *end == '\0') && percent >= 0 && percent <= 100)
        return percent / 100 * all;
    if (size_parse(text, &size, NULL) < 0)
        pool_leave(pool, ERROR_USAGE, "--l1 '%s': give a size like 32K, per cent like 50, or sweep",
                   text);
    return (double)size;
}

size_t gpu_splits_parse(const char *text, const struct gpu_facts *facts, struct gpu_split *splits,
                        struct pool *pool)
{
    double sizes[SIZES_MOST];
    char most[UNIT_TEXT];
    if (!is_split(facts))
        pool_leave(pool, ERROR_USAGE,
                   "--l1 %s: gpu%d reports no memory that L1 and scratchpad share: leave it out",
                   text, facts->id);
    const double all = (double)facts->first_level_bytes;
    const size_t count = scratchpads(facts, sizes);
    if (strcmp(text, "sweep") == 0) {
        for (size_t i = 0; i < count; i++)
            splits[i] = with_scratchpad(facts, sizes[i]);
        return count;
    }
    /* The smallest scratchpad that leaves at most the wanted L1. */
    const double wanted = parse_wanted(text, all, pool);
    size_t chosen = 0;
    while (chosen < count && all - sizes[chosen] > wanted)
        chosen++;
    if (chosen == count || wanted > all)
        pool_leave(pool, ERROR_USAGE, "--l1 %s: L1 of gpu%d can have %s to %s", text, facts->id,
                   size_text(pool, all - sizes[count - 1]), size_format(all - sizes[0], most));
    splits[0] = with_scratchpad(facts, sizes[chosen]);
    return 1;
}

/* The numbers that --device lists; false: "all". */
static bool parse_devices(const struct probe_task *task, struct cpulist *devices)
{
    const char *text = ((const struct gpu_options *)task->options)->device.text;
    *devices = (struct cpulist){0};
    if (strcmp(text, "all") == 0)
        return false;
    if (cpulist_read(text, devices, task->pool, NULL) < 0)
        pool_leave(task->pool, ERROR_USAGE,
                   "--device '%s': give all, or numbers of devices like 0 or 0,2-3", text);
    return true;
}

bool gpu_options_below_stride(const struct gpu_options *asked)
{
    const struct setting *from = &asked->sets.from, *sizes = &asked->sets.sizes;
    bool below = from->has && from->bytes < asked->stride.bytes;
    for (size_t i = 0; i < sizes->size_count; i++)
        below = below || sizes->sizes[i] < asked->stride.bytes;
    return below;
}

void gpu_options_check(struct probe_task *task)
{
    const struct gpu_options *asked = task->options;
    const struct working_set_limits any = {
        .largest = UINT64_MAX >> 8, .most = UINT64_MAX, .per_octave = 1};
    const size_t stride = (size_t)asked->stride.bytes;
    struct cpulist list;
    parse_devices(task, &list);
    gpu_options_names(task, &asked->path, gpu_path_names);
    if (stride % sizeof(uint64_t) != 0)
        pool_leave(task->pool, ERROR_USAGE, "--stride %zu: give a multiple of 8, a pointer",
                   stride);
    if (asked->l1.has && strcmp(asked->l1.text, "sweep") != 0)
        parse_wanted(asked->l1.text, 0, task->pool);
    const size_t unit = gpu_options_below_stride(asked) ? sizeof(uint64_t) : stride;
    working_sets_within(task, &asked->sets, unit, &any);
}

const char *gpu_options_backend(const struct gpu_options *asked)
{
    return asked->backend.choice == 0 ? NULL : asked->backend.text;
}

size_t gpu_options_devices(const struct probe_task *task, const struct gpu_facts *facts,
                           size_t count, const bool *usable, unsigned *chosen)
{
    struct cpulist list;
    const char *known = "";
    size_t n = 0;
    if (!parse_devices(task, &list)) {
        for (size_t i = 0; i < count; i++)
            if (usable[i])
                chosen[n++] = (unsigned)i;
        return n;
    }
    while (n < list.count && (size_t)list.ids[n] < count) {
        chosen[n] = (unsigned)list.ids[n];
        n++;
    }
    const int absent = n < list.count ? list.ids[n] : -1;
    for (size_t i = 0; absent >= 0 && i < count; i++)
        known = pool_printf(task->pool, "%s%s%zu (%s)", known, i ? ", " : "", i,
                            facts[i].name ? facts[i].name : "unnamed");
    if (absent >= 0)
        pool_leave(task->pool, ERROR_USAGE, "--device %d: there is no such device; choose from %s",
                   absent, known);
    return n;
}
