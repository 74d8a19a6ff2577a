#include "measure/probes/gpu/options.h"

#include "measure/probes/gpu/split.h"

#include <string.h>

static const char *const backend_names[] = {"auto", "cuda", "opencl", NULL};
const char *const gpu_path_names[] = {"l1", "l2", "read-only", NULL};
const char *const gpu_order_names[] = {"random", "strided", "both", NULL};

#define AT(option) offsetof(struct gpu_options, option)
const struct option_spec gpu_options[] = {
    {"device", 0, OPTION_TEXT, "LIST", "all", 0, 0, NULL, AT(device),
     "all, or the numbers of devices as 'fathom gpu' names them, like 0 or 0,2-3"},
    {"backend", 0, OPTION_CHOICE, "NAME", "auto", 0, 0, backend_names, AT(backend),
     "what reaches the devices: auto takes the first that has a GPU; a CPU that OpenCL offers as a "
     "device counts only with opencl"},
    {"what", 0, OPTION_TEXT, "NAME,...", NULL, 0, 0, NULL, AT(what),
     "these experiments and no others: latency, memories, sharing, banks, host, together, places, "
     "cluster, peers, fetch, distance, translation, bandwidth (default: all that the device can; "
     "with --quick and in 'fathom run' all but fetch, distance and translation)"},
    {"from", 0, OPTION_SIZE, "SIZE", NULL, 8, 0, NULL, AT(sets.from),
     "smallest working set (default: 1K, or one stride); below one stride, elements lie side by "
     "side, from 8 bytes on"},
    {"to", 0, OPTION_SIZE, "SIZE", NULL, 8, 0, NULL, AT(sets.to),
     "largest working set (default: eight times the L2 declared or, where it is not, 1 GiB; more "
     "where the curve still rises there; at most a quarter of the device's memory that is free)"},
    {"per-octave", 0, OPTION_INTEGER, "N", NULL, 1, 64, NULL, AT(sets.per_octave),
     "sizes from one power of two to the next (default: 4, before more are added around the knees; "
     "2 for all curves but the first)"},
    {"sizes", 0, OPTION_SIZES, "SIZE,...", NULL, 8, 0, NULL, AT(sets.sizes),
     "these working sets and no others"},
    {"order", 0, OPTION_CHOICE, "ORDER", "both", 0, 0, gpu_order_names, AT(order),
     "in which order a chase visits the lines"},
    {"path", 0, OPTION_TEXT, "NAME,...", "l1,l2,read-only", 0, 0, NULL, AT(path),
     "the way that loads take: l1, through every cache; l2, past the first-level cache; read-only"},
    {"stride", 0, OPTION_SIZE, "SIZE", "128", 8, 1 << 20, NULL, AT(stride),
     "bytes from one pointer to the next in memory, a multiple of 8"},
    {"l1", 0, OPTION_TEXT, "SPLIT", NULL, 0, 0, NULL, AT(l1),
     "how much of the memory that L1 and scratchpad share is wanted as L1: a size like 32K, per "
     "cent of it like 50, or sweep for every split that the device has (default: as the driver "
     "splits it)"},
    {.name = NULL},
};

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

/* The numbers that --device lists, for the caller to free; false: "all". */
static bool parse_devices(const struct probe_task *task, struct cpulist *devices)
{
    const char *text = ((const struct gpu_options *)task->options)->device.text;
    *devices = (struct cpulist){0};
    if (strcmp(text, "all") == 0)
        return false;
    if (cpulist_parse(text, devices, NULL) < 0)
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
    cpulist_free(&list);
    gpu_options_names(task, &asked->path, gpu_path_names);
    if (stride % sizeof(uint64_t) != 0)
        pool_leave(task->pool, ERROR_USAGE, "--stride %zu: give a multiple of 8, a pointer",
                   stride);
    if (asked->l1.has)
        gpu_split_check(asked->l1.text, task->pool);
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
    cpulist_free(&list);
    for (size_t i = 0; absent >= 0 && i < count; i++)
        known = pool_printf(task->pool, "%s%s%zu (%s)", known, i ? ", " : "", i,
                            facts[i].name ? facts[i].name : "unnamed");
    if (absent >= 0)
        pool_leave(task->pool, ERROR_USAGE, "--device %d: there is no such device; choose from %s",
                   absent, known);
    return n;
}
