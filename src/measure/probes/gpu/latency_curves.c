#include "measure/probes/gpu/latency_curves.h"

#include "measure/probes/gpu/options.h"

#include <math.h>
#include <string.h>

const enum gpu_path gpu_latency_paths[GPU_LATENCY_PATHS] = {GPU_L1, GPU_L2, GPU_READ_ONLY};
const char *const gpu_latency_order_names[] = {[GPU_RANDOM] = "random", [GPU_STRIDED] = "strided"};

enum { WORD = 8 };
enum { PER_OCTAVE = 4, PER_OCTAVE_BESIDE = 2, PER_OCTAVE_QUICK = 2 };
/* Device memory is read off sizes well beyond L2: from twice L2 on some loads still hit, and of a
 * second level in two halves the farther one serves sets up to L2 and somewhat beyond. AMD's
 * largest last level has 256 MiB (MI300X), and what OpenCL reaches says nothing of its size; but a
 * CPU is no unknown device, and `fathom latency` measures its caches. */
enum { L2_TIMES = 8, L2_UNKNOWN_TO = 1 << 30, CPU_TO = 256 << 20, MEMORY_UNKNOWN = 1 << 30 };

/* --- curves --- */

static void add_curve(struct gpu_latency_curves *curves, size_t path, enum gpu_order order,
                      struct gpu_split split)
{
    curves->list[curves->count++] = (struct gpu_latency_curve){path, order, split, 0};
}

/* The first path and order for every split; then the other orders of that path, and the other paths
 * in that order. */
static void choose_curves(struct gpu_latency_curves *curves, uint32_t listed,
                          const struct gpu_split *splits, size_t split_count, const char *order)
{
    const bool both = strcmp(order, "both") == 0;
    const enum gpu_order first =
        strcmp(order, gpu_latency_order_names[GPU_STRIDED]) == 0 ? GPU_STRIDED : GPU_RANDOM;
    size_t path = 0;
    while (!(listed >> path & 1))
        path++;
    for (size_t i = 0; i < split_count; i++)
        add_curve(curves, path, first, splits[i]);
    curves->dense = split_count;
    if (curves->sweep)
        return;
    if (both)
        add_curve(curves, path, GPU_STRIDED, splits[0]);
    while (++path < GPU_LATENCY_PATHS)
        if (listed >> path & 1)
            add_curve(curves, path, first, splits[0]);
}

int gpu_latency_curves_read(const struct gpu_task *here, struct gpu_latency_curves *curves,
                            struct error *error)
{
    const struct settings *settings = here->task->settings;
    struct gpu_split splits[GPU_SPLITS_MOST] = {gpu_split_default(here->facts)};
    uint32_t listed;
    int count = 1;
    *curves = (struct gpu_latency_curves){.stride = (size_t)settings_size(settings, "stride")};
    int code = gpu_options_names(settings, "path", gpu_path_names, &listed, error);
    if (code == 0 && settings_has(settings, "l1")) {
        const char *text = settings_text(settings, "l1");
        curves->split = true;
        curves->sweep = strcmp(text, "sweep") == 0;
        count = gpu_splits_parse(text, here->facts, splits, error);
        code = count < 0 ? count : 0;
    }
    if (code == 0)
        choose_curves(curves, listed, splits, (size_t)count, settings_text(settings, "order"));
    return code;
}

struct gpu_work gpu_latency_curve_work(const struct gpu_latency_curves *curves,
                                       const struct gpu_latency_curve *curve, uint64_t bytes)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_CHASE;
    work.path = gpu_latency_paths[curve->path];
    work.order = curve->order;
    work.bytes = (size_t)bytes;
    work.stride = bytes < curves->stride ? (size_t)WORD : curves->stride;
    work.carve_out = curves->split ? curve->split.carve_out : -1;
    return work;
}

/* --- working sets --- */

struct working_set_limits gpu_latency_limits(const struct gpu_task *here,
                                             const struct gpu_latency_curves *curves)
{
    const struct gpu_facts *facts = here->facts;
    const bool is_cpu = gpu_is_cpu(facts);
    const bool quick = settings_has(here->task->settings, "quick") || is_cpu;
    const uint64_t memory = gpu_memory(here);
    struct working_set_limits limits = {
        .largest = facts->l2_bytes ? L2_TIMES * facts->l2_bytes
                   : is_cpu        ? CPU_TO
                                   : L2_UNKNOWN_TO,
        .most = (memory ? memory : MEMORY_UNKNOWN) / 4,
        .most_is = here->gpu ? "a quarter of the device's memory that is free"
                             : "a quarter of the device's memory",
        .per_octave = quick ? PER_OCTAVE_QUICK : PER_OCTAVE,
    };
    if (curves->sweep) /* beyond L1 all splits are alike */
        limits.largest = 4 * facts->first_level_bytes;
    if (limits.largest > limits.most)
        limits.largest = limits.most;
    return limits;
}

struct working_set_limits gpu_latency_limits_beside(const struct gpu_task *here,
                                                    const struct gpu_latency_curves *curves)
{
    const struct settings *settings = here->task->settings;
    struct working_set_limits limits = gpu_latency_limits(here, curves);
    limits.per_octave = PER_OCTAVE_BESIDE;
    /* Twice L2 shows its end; larger sets take longest. */
    const uint64_t l2 = here->facts->l2_bytes;
    const uint64_t twice = l2 && 2 * l2 < limits.largest ? 2 * l2
                           : l2                          ? limits.largest
                                                         : 2 * limits.largest / L2_TIMES;
    if (!(settings_has(settings, "from") && settings_size(settings, "from") > twice))
        limits.largest = twice;
    return limits;
}

/* Sets smaller than a stride lie within a line, and their elements side by side; the others are
 * whole strides. */
int gpu_latency_sets(struct working_sets *sets, struct probe_task *task,
                     const struct gpu_latency_curves *curves,
                     const struct working_set_limits *limits, struct error *error)
{
    const bool small = gpu_options_below_stride(task->settings, curves->stride);
    int code = working_sets_within(sets, task, small ? WORD : curves->stride, limits, error);
    size_t kept = 0;
    for (size_t i = 0; code == 0 && i < sets->count; i++) {
        const uint64_t bytes = sets->bytes[i] < curves->stride
                                   ? sets->bytes[i]
                                   : sets->bytes[i] / curves->stride * curves->stride;
        if (!kept || sets->bytes[kept - 1] != bytes)
            sets->bytes[kept++] = bytes;
    }
    sets->count = code == 0 ? kept : 0;
    return code;
}

size_t gpu_latency_outer_sets(const struct gpu_task *here, const struct gpu_latency_curves *curves,
                              const struct working_set_limits *limits, uint64_t *bytes)
{
    const struct settings *settings = here->task->settings;
    const double half = (double)here->facts->l2_bytes / 2;
    size_t count = 0;
    if (!(half > 0) || curves->sweep || settings_has(settings, "sizes") ||
        settings_has(settings, "quick") || settings_has(settings, "per-octave"))
        return 0;
    const double from =
        settings_has(settings, "from") ? (double)settings_size(settings, "from") : 0;
    const double to = settings_has(settings, "to") ? (double)settings_size(settings, "to")
                                                   : (double)limits->largest;
    for (int i = 0; i < GPU_LATENCY_OUTER_MOST; i++) {
        const double size = half * exp2((2 * i + 1) / (2.0 * (double)PER_OCTAVE));
        if (size >= from && size <= to)
            bytes[count++] = (uint64_t)size / curves->stride * curves->stride;
    }
    return count;
}
