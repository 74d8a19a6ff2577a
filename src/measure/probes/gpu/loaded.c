/*
 * Latency of memory under traffic, by the traffic's share of reads: one multiprocessor chases
 * pointers past its first level while all others read and write memory of their own, in steps from
 * nothing to all they can. What they move is measured in a second stage with the same kernel, so
 * the curve is latency over obtained traffic. Whole sectors are written, which nothing has to read
 * before, so the share of reads is what the memory sees.
 *
 * Reference: Esmaili-Dokht et al., "A Mess of Memory System Benchmarking, Simulation and
 * Application Profiling", MICRO 2024.
 *
 * Time: a ring of four times a large L2 is linked for every trial, in a tenth of a second; 49
 * points of six trials take half a minute.
 */
#include "measure/probes/gpu/options.h"

/* Cycles from one round of a multiprocessor, of 64 KiB, to the next: 17 GB/s each where the clock
 * is 2 GHz, and so on; with no wait they take all that the memory has. */
static const unsigned round_cycles[] = {65536, 32768, 16384, 11585, 8192, 5793, 4096, 0};
enum { STEPS = sizeof round_cycles / sizeof *round_cycles, L2_TIMES = 4, MEMORY_PART = 8 };
enum { LEAST_BYTES = 32 << 20 };
static const unsigned all_reads[] = {100, 50, 0};
enum { MIXES = sizeof all_reads / sizeof *all_reads, STRIDE = 128 };

static const char latency_name[] = "latency by step of the traffic", traffic_name[] = "traffic",
                  curve_name[] = "latency by traffic";

static size_t ring_bytes(const struct gpu_task *task)
{
    const uint64_t wanted = L2_TIMES * task->facts->l2_bytes, most = gpu_memory(task) / MEMORY_PART;
    const uint64_t bytes = wanted > LEAST_BYTES ? wanted : LEAST_BYTES;
    return (size_t)(most && most < bytes ? most : bytes) / STRIDE * STRIDE;
}

static void plan_mix(struct gpu_task *task, unsigned reads, bool alone)
{
    const bool counts = task->stage > 0;
    struct gpu_work work = gpu_chase(GPU_L2, ring_bytes(task), STRIDE);
    struct series *series =
        gpu_add_series(task, counts ? traffic_name : latency_name, (struct axis){"step", ""},
                       counts ? gpu_rate : gpu_in_ns);
    gpu_add_factor(task, series, "mix", NULL, reads);
    if (!counts && alone)
        gpu_add_point(task, series, 0, &work);
    work.action = counts ? GPU_STREAM : GPU_CHASE;
    work.beside = work.bytes;
    work.writes = 100 - reads;
    for (unsigned i = 0; i < STEPS; i++) {
        work.round_cycles = round_cycles[i];
        gpu_add_point(task, series, i + 1, &work);
    }
}

static void plan_loaded(struct gpu_task *task)
{
    const struct setting *asked = &((const struct gpu_options *)task->task->options)->mix;
    struct gpu_work work = gpu_chase(GPU_L2, ring_bytes(task), STRIDE);
    work.beside = work.bytes;
    if (!gpu_can(task, "loaded", &work))
        return;
    if (task->stage > 0)
        gpu_plan_rates(task);
    else
        task->task->plan.share = 0.5;
    for (unsigned i = 0; i < (asked->has ? 1 : MIXES); i++)
        plan_mix(task, asked->has ? (unsigned)asked->number : all_reads[i], i == 0);
}

/* --- concluding --- */

static void conclude_mix(struct gpu_task *task, unsigned reads)
{
    const struct series *latency = gpu_find_series(task, latency_name, "mix", NULL, reads),
                        *traffic = gpu_find_series(task, traffic_name, "mix", NULL, reads);
    struct pool *pool = task->task->pool;
    const char *text = pool_printf(pool, "%u %% of the traffic are reads", reads);
    struct point *points = pool_alloc(pool, STEPS, sizeof *points);
    size_t n = 0;
    for (unsigned i = 1; traffic && i <= STEPS; i++) {
        const struct point *ns = series_point(latency, i), *rate = series_point(traffic, i);
        if (!ns || !rate || !ns->y.n || !rate->y.n)
            continue;
        size_t at = n;
        for (; at && (double)points[at - 1].x > (double)rate->y.median; at--)
            points[at] = points[at - 1];
        points[at] = *ns;
        points[at].x = rate->y.median;
        n++;
    }
    const struct point *alone = series_point(latency, 0), *full = series_point(latency, STEPS);
    if (alone && alone->y.n)
        gpu_add_finding(task, "loaded.unloaded", "ns", estimate_interval(finding_time_of(alone)),
                        alone->flags, "no other multiprocessor works");
    if (!n || !full || !full->y.n)
        return;
    gpu_add_finding(task, pool_printf(pool, "loaded.reads%u.saturated", reads), "ns",
                    estimate_interval(finding_time_of(full)), full->flags, text);
    gpu_add_rate(task, pool_printf(pool, "loaded.reads%u.traffic", reads),
                 series_point(traffic, STEPS), text);
    if (!task->task->state) /* of a document, which has the curve */
        return;
    struct series *curve =
        gpu_add_series(task, curve_name, (struct axis){"bandwidth", "B/s"}, gpu_in_ns);
    gpu_add_factor(task, curve, "mix", NULL, reads);
    curve->points = points;
    curve->point_count = n;
    curve->headline = n > 2;
}

static void conclude_loaded(struct gpu_task *task)
{
    for (int reads = 100; reads >= 0; reads--)
        if (gpu_find_series(task, latency_name, "mix", NULL, reads))
            conclude_mix(task, (unsigned)reads);
}

const struct gpu_experiment gpu_loaded = {
    .name = "loaded",
    .summary = "latency of memory under traffic, by its share of reads",
    .weight = 15,
    .cuda_alone = true,
    .stages = 2,
    .plan = plan_loaded,
    .conclude = conclude_loaded,
};
