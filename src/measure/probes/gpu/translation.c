/*
 * Address translation: chains of lines that are a stride apart, from 64 KiB to 32 MiB, read past
 * the first level, against a chain of the same number of lines side by side. Both hit the
 * second-level cache alike, so what the spread chain takes longer is translation: a TLB's reach is
 * the working set from which on it costs more.
 *
 * What an entry translates shows in how the strides differ: as long as the stride is no larger than
 * that, the reach is the same number of bytes; beyond, it is the same number of lines.
 *
 * Lines lie nine further from one to the next than the stride is called (CREEP), or all of them
 * would fall on few sets of a cache that does not hash; and in one half of a second level that
 * tells its halves by the parity of address bits: i * (2^k + 9) has either parity as often as
 * chance would, for any k and most sets of bits, which i * (2^k + 1) has not. There are at most
 * 16384 lines, so they fit the second level and a ring is gone through in 10 ms, however much a
 * miss costs.
 *
 * References: Saavedra and Smith (see tlb.c); Jia et al., "Dissecting the NVIDIA Volta GPU
 * architecture via microbenchmarking", 2018, section 3.9: two levels that span 32 MiB and 8 GiB.
 *
 * Time: 340 points of six trials, each 0.1 to 10 ms to warm its ring at 0.3 to 0.6 us a load, and
 * three batches of 300 us: some 7 s, and one more for three stages that narrow the knees.
 */
#include "measure/probes/gpu/translation.h"
#include "base/random.h"
#include "measure/probes/chase/knees.h"

#include <math.h>

enum { LINE_BYTES = 128, CREEP = 9 * LINE_BYTES };
const uint64_t translation_strides[TRANSLATION_STRIDES] = {
    64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20,
    2 << 20,  4 << 20,   8 << 20,   16 << 20,  32 << 20};
/* Of the device's memory that is free, and of the second level for the lines. */
enum { MEMORY_PART = 4, L2_PART = 2 };
/* Lines of the smallest stride, at any of which a chain may begin. */
enum { BEGINNINGS = (64 << 10) / LINE_BYTES };
static const double batch_ns = 300e3;

/* --- planning --- */

/* Each chain begins somewhere else: lines are near or far (distance.c), and of few, as many as
 * chance will have it. */
static struct gpu_work chain_of(uint64_t memory, uint64_t lines, uint64_t stride)
{
    struct random random = {lines * UINT64_C(0x10001) + stride};
    struct gpu_work work = gpu_work_none;
    work.action = GPU_CHASE;
    work.path = GPU_L2;
    work.order = GPU_RANDOM;
    work.stride = (size_t)stride;
    work.bytes = (size_t)(lines * stride);
    /* One allocation serves all: gigabytes are not mapped anew for every trial. */
    work.span = (size_t)memory;
    work.offset = (size_t)random_below(&random, BEGINNINGS) * LINE_BYTES;
    return work;
}

static uint64_t lines_most(const struct gpu_task *task)
{
    uint64_t fit = task->facts->l2_bytes / L2_PART / LINE_BYTES;
    return fit && fit < TRANSLATION_LINES_MOST ? fit : TRANSLATION_LINES_MOST;
}

static int add_chain(struct gpu_task *task, int index, uint64_t lines, uint64_t stride,
                     struct error *error)
{
    const struct translation_state *state = task->state;
    const bool packed = index == state->packed;
    const struct gpu_work work =
        chain_of(state->memory, lines, packed ? LINE_BYTES : stride + CREEP);
    return gpu_add_point(task, (size_t)index, (double)(packed ? lines : lines * stride), &work,
                         error);
}

/* A ladder over numbers of lines, as far as lines and memory go; its index, or an error. */
static int add_ladder(struct gpu_task *task, const char *what, uint64_t stride, int *index,
                      struct error *error)
{
    const struct translation_state *state = task->state;
    const bool packed = stride == LINE_BYTES;
    struct series *series = gpu_add_series(
        task, what, packed ? (struct axis){"lines", ""} : (struct axis){"working set", "B"},
        (struct axis){"latency", "ns"});
    *index = (int)(series - task->task->plan.series);
    int code = gpu_add_factor(task, series, "stride", NULL, (double)stride, error);
    const uint64_t most = lines_most(task);
    for (int i = 0; code == 0; i++) {
        const uint64_t lines = (uint64_t)((double)TRANSLATION_LINES_LEAST *
                                          exp2((double)i / (double)TRANSLATION_PER_OCTAVE));
        if (lines > most || lines * (stride + CREEP) + BEGINNINGS * LINE_BYTES > state->memory)
            break;
        code = add_chain(task, *index, lines, stride, error);
    }
    return code;
}

static int plan_ladders(struct gpu_task *task, struct error *error)
{
    struct translation_state *state = pool_alloc(task->task->pool, 1, sizeof *state);
    task->state = state;
    state->memory = gpu_memory(task) / MEMORY_PART / LINE_BYTES * LINE_BYTES;
    state->packed = -1;
    for (size_t s = 0; s < TRANSLATION_STRIDES; s++)
        state->spread[s] = -1;
    const struct gpu_work first =
        chain_of(state->memory, TRANSLATION_LINES_LEAST, translation_strides[0]);
    if (!gpu_can(task, "translation", &first))
        return 0;
    int code = add_ladder(task, "translation, packed", LINE_BYTES, &state->packed, error);
    for (size_t s = 0; s < TRANSLATION_STRIDES && code == 0; s++)
        if (TRANSLATION_LINES_LEAST * translation_strides[s] * 4 <= state->memory)
            code =
                add_ladder(task, "translation", translation_strides[s], &state->spread[s], error);
    return code < 0 ? code : 1;
}

static int narrow_knee(struct gpu_task *task, size_t s, const struct found_level *level,
                       struct error *error)
{
    const struct translation_state *state = task->state;
    uint64_t sizes[KNEES_SIZES_A_LEVEL];
    const size_t count = knees_around(&task->task->plan.series[state->spread[s]], level,
                                      translation_strides[s], sizes);
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++)
        code = add_chain(task, state->spread[s], sizes[i] / translation_strides[s],
                         translation_strides[s], error);
    return code;
}

static int plan_translation(struct gpu_task *task, unsigned stage, struct error *error)
{
    struct plan *plan = &task->task->plan;
    struct translation_reading readings[TRANSLATION_STRIDES];
    plan->batch_ns = batch_ns;
    if (stage == 0) {
        plan->share = 0.6; /* of the time; the knees' stages have the rest */
        return plan_ladders(task, error);
    }
    if (stage > KNEES_STAGES)
        return 0;
    int code = translation_read(task, readings, error);
    for (size_t tlb = 0; tlb < TRANSLATION_TLBS_MOST && code == 0; tlb++) {
        const size_t s = translation_widest(readings, tlb);
        if (s < TRANSLATION_STRIDES)
            code = narrow_knee(task, s, &readings[s].levels.list[tlb], error);
    }
    return code < 0 ? code : plan->point_count > 0;
}

static const char *refuses_translation(const struct gpu_task *task)
{
    return gpu_memory(task) / MEMORY_PART >= TRANSLATION_LINES_LEAST * 4 * translation_strides[0]
               ? NULL
               : "has too little memory that is free, or does not say how much it has";
}

static int recall_translation(struct gpu_task *task, struct error *error)
{
    struct translation_state *state = task->state = pool_alloc(task->task->pool, 1, sizeof *state);
    state->packed = gpu_find_series(task, "translation, packed", NULL, NULL, 0);
    for (size_t s = 0; s < TRANSLATION_STRIDES; s++)
        state->spread[s] =
            gpu_find_series(task, "translation", "stride", NULL, (double)translation_strides[s]);
    return state->packed >= 0;
}

const struct gpu_experiment gpu_translation = {
    .name = "translation",
    .summary = "address translation: reach and cost of the TLBs, by page strides over gigabytes",
    .weight = 10,
    .cuda_alone = true,
    .by_default = false,
    .refuses = refuses_translation,
    .plan = plan_translation,
    .conclude = translation_conclude,
    .recall = recall_translation,
};
