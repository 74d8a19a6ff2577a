/*
 * The banks of the scratchpad: 32 threads of a warp load one word each at once, a stride apart. If
 * words of several threads lie in one bank, it serves them one after the other, a turn each. Twice
 * the stride doubles the threads on a bank, until all of them use one bank. The smallest stride for
 * which that is so, in words, is the number of banks; the cost of a turn results from the rise of
 * the latency up to that stride. With a stride of one word more than the banks, as in padded tiles,
 * the conflicts are gone.
 *
 * Reference: NVIDIA, "CUDA C++ Programming Guide", shared memory (32 banks of 32 bits); Z. Jia et
 * al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", arXiv 1804.06826.
 *
 * Time: eight points of six trials of three batches of 1 ms: 0.2 s.
 */
#include "measure/probes/gpu/gpu.h"

#include <math.h>

enum { WORD = 4, STRIDES = 8, LARGEST = 6 /* index of the largest power of two */ };
static const unsigned warp = 32;
/* Strides in words. */
static const unsigned strides[STRIDES] = {1, 2, 4, 8, 16, 32, 64, 33};
static const char series_name[] = "scratchpad by stride of a warp";
/* Latencies with at least this ratio count as equal: if one of two strides has twice the conflicts,
 * the smaller latency is a third less even if a turn takes only one cycle. */
static const double alike = 0.95;

static void plan_banks(struct gpu_task *task)
{
    const size_t largest = (size_t)strides[LARGEST] * WORD;
    struct gpu_work work = gpu_chase(GPU_SHARED_WARP, warp * largest, largest);
    if (!gpu_can(task, series_name, &work))
        return;
    const struct series *series =
        gpu_add_series(task, series_name, (struct axis){"stride", "B"}, gpu_in_ns);
    for (size_t i = 0; i < STRIDES; i++) {
        work.stride = (size_t)strides[i] * WORD;
        gpu_add_point(task, series, (double)work.stride, &work);
    }
}

static void conclude_banks(struct gpu_task *task)
{
    const struct series *series = gpu_find_series(task, series_name, NULL, NULL, 0);
    struct gpu_latency_read read[LARGEST + 1]; /* [i]: at a stride of 2^i words */
    for (unsigned i = 0; i <= LARGEST; i++) {
        const double x = (double)(strides[i] * WORD);
        read[i] = gpu_read_between(task, series, x, x);
        if (!isfinite(read[i].cycles.value))
            return;
    }
    const struct interval *least = &read[0].cycles, *most = &read[LARGEST].cycles;
    unsigned first = LARGEST;
    while (first > 0 && read[first - 1].cycles.value >= alike * most->value)
        first--;
    /* If the latency rises up to the largest stride, there are more banks than that; if it never
     * rises, there are no conflicts. */
    if (first == LARGEST || first == 0)
        return;
    const unsigned flags = read[0].flags | read[LARGEST].flags;
    const double banks = strides[first];
    /* Threads on each bank at the first stride: more than one if banks are fewer than threads. */
    const double meeting = banks < warp ? warp / banks : 1, turns = warp - meeting;
    const struct interval turn = {(most->value - least->value) / turns,
                                  (most->low - least->high) / turns,
                                  (most->high - least->low) / turns};
    /* The lower bound is the next smaller stride, which has fewer conflicts. */
    gpu_add_finding(task, "shared.banks", "", (struct interval){banks, strides[first - 1], banks},
                    flags, "of 4 bytes: from that stride on all threads of a warp want one bank");
    gpu_add_finding(task, "shared.conflict", "cycles", turn, flags,
                    pool_printf(task->task->pool,
                                "a load by 32 threads takes %.1f cycles where all of them want "
                                "one bank, %.1f where their words lie side by side",
                                most->value, least->value));
}

const struct gpu_experiment gpu_banks = {
    .name = "banks",
    .summary = "bank conflicts of the scratchpad, by the stride between a warp's threads",
    .weight = 0.3,
    .cuda_alone = true,
    .by_default = true,
    .plan = plan_banks,
    .conclude = conclude_banks,
};
