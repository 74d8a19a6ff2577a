/*
 * The banks of the scratchpad: 32 threads of a warp load at once, each its own word, a stride
 * apart. Where words of several threads lie in one bank, the load takes a turn for each; threads
 * that are twice as far apart meet twice as often, until all of them want one bank. The smallest
 * stride of which that is true is as many words as there are banks, and what the turns cost is read
 * off the way from the first latency to that one. A stride of one word more than the banks, as
 * tiles are padded, brings it back to the first.
 *
 * Reference: NVIDIA, "CUDA C++ Programming Guide", shared memory (32 banks of 32 bits); Z. Jia et
 * al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", arXiv 1804.06826.
 *
 * Time: eight points of six trials of three batches of 1 ms: 0.2 s.
 */
#include "conclude/registry/finding.h"
#include "measure/probes/gpu/findings.h"

#include <math.h>
#include <string.h>

enum { WORD = 4, STRIDES = 8, LARGEST = 6 /* index of the largest power of two */ };
static const unsigned warp = 32;
/* In words. */
static const unsigned strides[STRIDES] = {1, 2, 4, 8, 16, 32, 64, 33};
static const char series_name[] = "scratchpad by stride of a warp";
/* Latencies nearer than this are one: of two strides of which one makes twice as many threads meet,
 * the smaller is a third less even where a turn is only one cycle. */
static const double alike = 0.95;

struct banks_state {
    int series;
};

static int plan_banks(struct gpu_task *task, unsigned stage, struct error *error)
{
    struct banks_state *state;
    if (stage > 0)
        return 0;
    state = task->state = pool_alloc(task->task->pool, 1, sizeof *state);
    struct gpu_work work = gpu_work_none;
    work.action = GPU_CHASE;
    work.path = GPU_SHARED_WARP;
    work.stride = (size_t)strides[LARGEST] * WORD;
    work.bytes = warp * work.stride;
    state->series = -1;
    if (!gpu_can(task, series_name, &work))
        return 0;
    struct series *series = gpu_add_series(task, series_name, (struct axis){"stride", "B"},
                                           (struct axis){"latency", "ns"});
    state->series = (int)(series - task->task->plan.series);
    int code = 0;
    for (size_t i = 0; i < STRIDES && code == 0; i++) {
        work.stride = (size_t)strides[i] * WORD;
        code = gpu_add_point(task, (size_t)state->series, (double)work.stride, &work, error);
    }
    return code < 0 ? code : 1;
}

/* The latencies by powers of two, in cycles; 0 where one is missing. */
static int read_all(struct gpu_task *task, const struct series *series,
                    struct gpu_latency_read read[LARGEST + 1], struct error *error)
{
    for (unsigned i = 0; i <= LARGEST; i++) {
        const double x = (double)(strides[i] * WORD);
        struct gpu_points points = {0};
        int code = gpu_points_between(&points, task, series, x, x, error);
        if (code == 0)
            code = gpu_points_read(&points, task, &read[i], error);
        if (code < 0)
            return code;
        if (!isfinite(read[i].cycles.value))
            return 0;
    }
    return 1;
}

/* "gpu0.shared.<fact>", unless there is no memory. */
static int add(struct gpu_task *task, const char *fact, const char *unit,
               const struct level_estimate *value, unsigned flags, const char *text,
               struct error *error)
{
    struct probe_task *probe = task->task;
    const char *name = gpu_name(task, fact);
    struct finding *finding = name ? finding_add_value(probe->result, probe->pool, name, unit,
                                                       value->value, value->low, value->high, flags)
                                   : NULL;
    finding->text = text;
    return 0;
}

static int conclude_banks(struct gpu_task *task, struct error *error)
{
    const struct banks_state *state = task->state;
    struct gpu_latency_read read[LARGEST + 1];
    if (state->series < 0)
        return 0;
    int code = read_all(task, &task->task->plan.series[state->series], read, error);
    if (code <= 0)
        return code;
    const struct level_estimate *least = &read[0].cycles, *most = &read[LARGEST].cycles;
    unsigned first = LARGEST;
    while (first > 0 && read[first - 1].cycles.value >= alike * most->value)
        first--;
    /* Where it grows to the end there are more banks than strides, and where it never does none. */
    if (first == LARGEST || first == 0)
        return 0;
    const unsigned flags = read[0].flags | read[LARGEST].flags;
    const double banks = strides[first];
    /* Threads that meet at the first stride, where banks are fewer than threads. */
    const double meeting = banks < warp ? warp / banks : 1, turns = warp - meeting;
    /* The next smaller stride, at which threads still met less often, bounds it. */
    const struct level_estimate count = {banks, strides[first - 1], banks};
    const struct level_estimate turn = {(most->value - least->value) / turns,
                                        (most->low - least->high) / turns,
                                        (most->high - least->low) / turns};
    const char *text = pool_printf(task->task->pool,
                                   "a load by 32 threads takes %.1f cycles where all of them want "
                                   "one bank, %.1f where their words lie side by side",
                                   most->value, least->value);
    code = add(task, "shared.banks", "", &count, flags,
               "of 4 bytes: from that stride on all threads of a warp want one bank", error);
    return code < 0 ? code : add(task, "shared.conflict", "cycles", &turn, flags, text, error);
}

static int recall_banks(struct gpu_task *task, struct error *error)
{
    struct banks_state *state = task->state = pool_alloc(task->task->pool, 1, sizeof *state);
    state->series = gpu_find_series(task, series_name, NULL, NULL, 0);
    return state->series >= 0;
}

const struct gpu_experiment gpu_banks = {
    .name = "banks",
    .summary = "bank conflicts of the scratchpad, by the stride between a warp's threads",
    .weight = 0.3,
    .cuda_alone = true,
    .by_default = true,
    .plan = plan_banks,
    .conclude = conclude_banks,
    .recall = recall_banks,
};
