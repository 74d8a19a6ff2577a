/*
 * How far the lines of the second-level cache are from each multiprocessor. A line lies in a slice,
 * a slice in a partition, and the way from a multiprocessor to the other partition is longer: on an
 * H800, 258 cycles to the near one and 414 to the far one (arXiv 2501.12084). Which line lies where
 * is a hash of its address that nobody publishes, so a number of lines is measured from every
 * multiprocessor: a matrix, whose groups are the sides (sides.h).
 *
 * A cell is a ring of one line, which points to itself, read past the first level: every load hits
 * the second. Lines are at different offsets of one allocation.
 *
 * Where a partition keeps copies of what its multiprocessors read of the other one, such a ring is
 * always near. (A100 and H100 seem to: their curves have a step at half of L2, whether loads are
 * plain or .cg: gpu-benches; mt4g finds segments of 20 of 40 and 25 of 50 MiB.) So where reads show
 * no sides, atomic additions of zero are asked: those are done where the line is at home. If they
 * show sides, a far hit is measured by a ring of three quarters of L2. Most of it is loaded
 * untimed, and takes the places of the near copies of some lines that are at home on the far side,
 * but not those lines' own places, because only half of what is loaded belongs there. Then those
 * lines are loaded once, timed.
 *
 * Time: a cell is six trials of two batches of some 600 loads (100 us) with their launches of 10
 * us, some 2 ms with what prepares it; 132 multiprocessors and 16 lines take 4 s, and as much again
 * where atomics are needed. A ring of 37 MiB takes 0.1 s each time: a second or two for both sides.
 */
#include "base/random.h"
#include "conclude/registry/finding.h"
#include "measure/probes/gpu/sides.h"

#include <math.h>
#include <stdlib.h>

/* If lines lie on either side by chance, 16 lie all on one with a probability of 2^-15. */
enum { LINES = 16, LINE_BYTES = 128 };
/* Of which the lines are a part: many pages and rows, and within every device's memory. */
static const size_t span_most = 32 << 20;
enum { MEMORY_PART = 8 };
/* A hundred steps of the slowest device clock: a part in a hundred of a single batch, and much less
 * of what many cells come to. */
static const double batch_ns = 100e3;
enum { BATCHES = 2 };
/* Two readings of that clock (%globaltimer in steps of 1024 ns, on some) can show a batch, and so
 * the clock rate that a trial saw, longer or shorter by a step each. The slowest and the fastest of
 * a point's trials are then two steps apart; a third leaves room for batches that are shorter than
 * asked for. What the clock moves less is not said here. */
static const double slowest_step_ns = 1024, steps_apart = 3;
/* Which lines; the same in every run, so that a second one may be held against the first. */
static const uint64_t lines_seed = 0x6c696e6573;
/* Lines that are placed for the ring beyond half of L2: half of them is far from either side. It
 * times whole groups of loads. */
enum { MORE_LINES = 112, GROUP = 16, TIMED_MOST = 64, SIDES_MOST = 4 };

static const char reads_what[] = "L2 by line and multiprocessor",
                  homes_what[] = "L2 atomics by line and multiprocessor",
                  outer_what[] = "L2 beyond its half by multiprocessor";

struct distance_state {
    int reads, homes, outer; /* series; -1: none */
};

/* --- planning --- */

/* Three quarters of L2, in whole groups of lines; 0: unknown, or more than is well had. */
static size_t ring_bytes(const struct gpu_task *task)
{
    const uint64_t bytes =
        task->facts->l2_bytes / 4 * 3 / (GROUP * LINE_BYTES) * (GROUP * LINE_BYTES);
    return bytes <= gpu_memory(task) / MEMORY_PART ? (size_t)bytes : 0;
}

static size_t span_of(const struct gpu_task *task)
{
    size_t span = span_most;
    while (task->facts->memory_bytes && span > task->facts->memory_bytes / MEMORY_PART &&
           span > LINES * LINE_BYTES)
        span /= 2;
    return span > ring_bytes(task) ? span : ring_bytes(task);
}

static struct gpu_work cell_of(const struct gpu_task *task, enum gpu_path path, size_t line,
                               int multiprocessor)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_CHASE;
    work.path = path;
    work.bytes = work.stride = LINE_BYTES;
    work.span = span_of(task);
    work.offset = line * LINE_BYTES;
    work.multiprocessor = multiprocessor;
    return work;
}

static void set_batches(struct plan *plan)
{
    plan->batches = BATCHES;
    plan->batch_ns = batch_ns;
    plan->clock_spread = steps_apart * slowest_step_ns / batch_ns;
}

/* A matrix of that name: its index, -1 where the device can't do it, or an error. */
static int add_matrix(struct gpu_task *task, const char *what, enum gpu_path path,
                      struct error *error)
{
    const struct gpu_work first = cell_of(task, path, 0, 0);
    if (!gpu_can(task, what, &first))
        return -1;
    struct series *series = gpu_add_series(task, what, (struct axis){"line to multiprocessor", ""},
                                           (struct axis){"latency", "ns"});
    series->matrix = true;
    const int index = (int)(series - task->task->plan.series);
    int code = gpu_add_factor(task, series, "line_bytes", NULL, LINE_BYTES, error);
    return code < 0 ? code : index;
}

static int add_cell(struct gpu_task *task, int index, enum gpu_path path, size_t line,
                    int multiprocessor, struct error *error)
{
    const struct gpu_work work = cell_of(task, path, line, multiprocessor);
    return gpu_add_pair(task, (size_t)index, (int)line, multiprocessor, &work, error);
}

/* One line of each sixteenth of the span, from every multiprocessor. 1, or 0: the device can't. */
static int plan_matrix(struct gpu_task *task, const char *what, enum gpu_path path, int *index,
                       struct error *error)
{
    struct random random = {lines_seed};
    const size_t each = span_of(task) / LINE_BYTES / LINES;
    *index = add_matrix(task, what, path, error);
    int code = *index < -1 ? *index : 0;
    set_batches(&task->task->plan);
    for (size_t i = 0; i < LINES && code == 0 && *index >= 0; i++) {
        const size_t line = i * each + (size_t)random_below(&random, each);
        for (unsigned sm = 0; sm < task->facts->multiprocessors && code == 0; sm++)
            code = add_cell(task, *index, path, line, (int)sm, error);
    }
    return code < 0 ? code : *index >= 0;
}

/* The sides that a matrix shows: none where it was not measured. */
static int sides_of(struct gpu_task *task, int index, struct gpu_sides *sides, struct error *error)
{
    *sides = (struct gpu_sides){.count = 0};
    return index < 0 ? 0 : gpu_sides_find(sides, task, &task->task->plan.series[index], error);
}

static int plan_homes(struct gpu_task *task, struct distance_state *state, struct error *error)
{
    struct gpu_sides sides;
    int code = sides_of(task, state->reads, &sides, error);
    if (code < 0 || sides.count)
        return code;
    return plan_matrix(task, homes_what, GPU_ATOMIC, &state->homes, error);
}

/* More lines, from one multiprocessor of each side: 1, or 0 where a far hit can't be recognised. */
static int plan_more_lines(struct gpu_task *task, const struct distance_state *state,
                           struct error *error)
{
    struct gpu_sides sides;
    struct random random = {lines_seed + 1};
    int code = sides_of(task, state->homes, &sides, error);
    const size_t each = ring_bytes(task) / LINE_BYTES / MORE_LINES;
    if (code < 0 || sides.count == 0 || each == 0)
        return code;
    set_batches(&task->task->plan);
    for (size_t i = 0; i < MORE_LINES && code == 0; i++) {
        const size_t line = i * each + (size_t)random_below(&random, each);
        for (int side = 0; side < (int)sides.count && side < SIDES_MOST && code == 0; side++)
            code = add_cell(task, state->homes, GPU_ATOMIC, line, gpu_sides_first(&sides, side),
                            error);
    }
    return code < 0 ? code : 1;
}

/* The lines of the ring that are not at home on that side, as elements, in whole groups. */
static int choose_timed(const struct gpu_sides *sides, int side, size_t ring, struct gpu_work *work,
                        struct error *error)
{
    uint32_t *timed = pool_alloc(sides->task->task->pool, TIMED_MOST, sizeof *timed);
    size_t count = 0;
    for (size_t i = 0; i < sides->lines && count < TIMED_MOST; i++)
        if (sides->of_line[i] >= 0 && sides->of_line[i] != side &&
            sides->line[i] < ring / LINE_BYTES)
            timed[count++] = (uint32_t)sides->line[i];
    work->timed = timed;
    work->timed_count = count / GROUP * GROUP;
    return 0;
}

static int plan_outer(struct gpu_task *task, struct distance_state *state, struct error *error)
{
    struct gpu_sides sides;
    int code = sides_of(task, state->homes, &sides, error);
    const size_t ring = ring_bytes(task);
    if (code < 0 || sides.count == 0 || ring == 0)
        return code;
    for (int side = 0; side < (int)sides.count && side < SIDES_MOST && code == 0; side++) {
        struct gpu_work work = cell_of(task, GPU_L2, 0, gpu_sides_first(&sides, side));
        work.order = GPU_RANDOM;
        work.bytes = ring;
        code = choose_timed(&sides, side, ring, &work, error);
        if (code < 0 || work.timed_count == 0 || !gpu_can(task, outer_what, &work))
            continue;
        if (state->outer < 0) {
            const struct series *series =
                gpu_add_series(task, outer_what, (struct axis){"multiprocessor", ""},
                               (struct axis){"latency", "ns"});
            state->outer = (int)(task->task->plan.series_count - 1);
        }
        code = gpu_add_point(task, (size_t)state->outer, work.multiprocessor, &work, error);
    }
    /* One pass is a batch, however short its timed part. */
    task->task->plan.batches = 1;
    task->task->plan.batch_ns = 1;
    task->task->plan.clock_spread = 1;
    return code < 0 ? code : task->task->plan.point_count > 0;
}

static int plan_distance(struct gpu_task *task, unsigned stage, struct error *error)
{
    struct distance_state *state = task->state;
    switch (stage) {
    case 0:
        state = task->state = pool_alloc(task->task->pool, 1, sizeof *state);
        *state = (struct distance_state){-1, -1, -1};
        return plan_matrix(task, reads_what, GPU_L2, &state->reads, error);
    case 1:
        return plan_homes(task, state, error);
    case 2:
        return plan_more_lines(task, state, error);
    case 3:
        return plan_outer(task, state, error);
    default:
        return 0;
    }
}

/* --- concluding --- */

/* All cells of the reads: of the multiprocessors of that side, or of any (-1). */
static int gather_reads(struct gpu_task *task, const struct distance_state *state,
                        const struct gpu_sides *sides, int only, struct gpu_points *points,
                        struct error *error)
{
    const struct series *series = &task->task->plan.series[state->reads];
    int code = 0;
    for (size_t i = 0; i < series->point_count && code == 0; i++) {
        const int sm = series->points[i].to;
        const bool known = sm >= 0 && (size_t)sm < task->facts->multiprocessors;
        if (only < 0 || (known && sides->of[sm] == only))
            code = gpu_points_add(points, task, &series->points[i], error);
    }
    return code;
}

static int add_side(struct gpu_task *task, const struct gpu_sides *sides, int side,
                    const struct gpu_points *points, struct error *error)
{
    const char *text = gpu_sides_text(sides, side);
    const char *name = pool_printf(task->task->pool, "L2.side%d.near", side + 1);
    return text && name ? gpu_add_latency(task, name, points, text, error)
                        : error_out_of_memory(error);
}

/* How many cells the measured lines and multiprocessors make, and how many were measured. */
static void count_cells(const struct series *series, size_t *all, size_t *measured)
{
    size_t lines = 0, multiprocessors = 0;
    *measured = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        bool line = true, multiprocessor = true;
        for (size_t j = 0; j < i; j++) {
            const bool known = series->points[j].y.n > 0;
            line = line && !(known && series->points[j].from == series->points[i].from);
            multiprocessor =
                multiprocessor && !(known && series->points[j].to == series->points[i].to);
        }
        const bool counts = series->points[i].y.n > 0;
        lines += counts && line;
        multiprocessors += counts && multiprocessor;
        *measured += counts;
    }
    *all = lines * multiprocessors;
}

/* That lines are alike is said of whole rows alone: what is near in a cell that was not measured
 * may be far in its neighbour. */
static int add_unknown(struct gpu_task *task, size_t all, size_t measured, struct error *error)
{
    const char *name = gpu_name(task, "L2.near");
    struct finding *finding = name ? finding_add_value(task->task->result, task->task->pool, name,
                                                       "cycles", NAN, NAN, NAN, 0)
                                   : NULL;
    finding->text = pool_printf(task->task->pool,
                                "not enough data: %zu of %zu pairs of a line and a multiprocessor "
                                "were measured: give it more time (a larger --budget)",
                                measured, all);
    return finding->text ? 0 : error_out_of_memory(error);
}

/* No two sides: all cells are one distance. */
static int add_alike(struct gpu_task *task, const struct distance_state *state, struct error *error)
{
    struct gpu_points points = {0};
    size_t all, measured;
    count_cells(&task->task->plan.series[state->reads], &all, &measured);
    if (measured < all)
        return add_unknown(task, all, measured, error);
    int code = gather_reads(task, state, NULL, -1, &points, error);
    if (code < 0)
        return code;
    return gpu_add_latency(
        task, "L2.near", &points,
        state->homes >= 0
            ? "no line is nearer to some multiprocessors than to others, as far as the latencies "
              "of reads and of atomic operations show: there are no sides"
            : "no line is nearer to some multiprocessors than to others, as far as the latencies "
              "of reads show: there are no sides, or each keeps copies of the other's lines",
        error);
}

/* Reads show the sides: every line has its place. */
static int add_fixed(struct gpu_task *task, const struct gpu_sides *sides, struct error *error)
{
    struct gpu_points near = {0}, far = {0};
    int code = gpu_sides_gather(sides, true, -1, &near, error);
    if (code == 0)
        code = gpu_sides_gather(sides, false, -1, &far, error);
    if (code == 0)
        code =
            gpu_add_latency(task, "L2.near", &near,
                            "a hit on a line of the multiprocessor's own side of the cache", error);
    if (code == 0)
        code = gpu_add_latency(task, "L2.far", &far,
                               "a hit on a line of the other side of the cache", error);
    for (int side = 0; (size_t)side < sides->count && code == 0; side++) {
        struct gpu_points own = {0};
        code = gpu_sides_gather(sides, true, side, &own, error);
        if (code == 0)
            code = add_side(task, sides, side, &own, error);
    }
    return code;
}

/* Atomic operations alone show them: a side keeps copies of what its multiprocessors read. */
static int add_copied(struct gpu_task *task, const struct distance_state *state,
                      const struct gpu_sides *sides, struct error *error)
{
    struct gpu_points near = {0}, far = {0};
    int code = gather_reads(task, state, sides, -1, &near, error);
    if (code == 0)
        code = gpu_add_latency(task, "L2.near", &near,
                               "a hit in the multiprocessor's own side of the cache, which keeps "
                               "copies of what is read of the other side: only atomic operations "
                               "show where a line is at home",
                               error);
    if (code == 0 && state->outer >= 0)
        code = gpu_points_between(&far, task, &task->task->plan.series[state->outer], 0, INFINITY,
                                  error);
    if (code == 0)
        code = gpu_add_latency(task, "L2.far", &far,
                               "a hit in the other side of the cache, on lines whose copies in the "
                               "own side a set beyond half of the cache had evicted",
                               error);
    for (int side = 0; (size_t)side < sides->count && code == 0; side++) {
        struct gpu_points own = {0};
        code = gather_reads(task, state, sides, side, &own, error);
        if (code == 0)
            code = add_side(task, sides, side, &own, error);
    }
    return code;
}

static int conclude_distance(struct gpu_task *task, struct error *error)
{
    const struct distance_state *state = task->state;
    struct gpu_sides reads, homes;
    if (!state || state->reads < 0)
        return 0;
    int code = sides_of(task, state->reads, &reads, error);
    if (code == 0)
        code = sides_of(task, state->homes, &homes, error);
    if (code < 0)
        return code;
    return reads.count   ? add_fixed(task, &reads, error)
           : homes.count ? add_copied(task, state, &homes, error)
                         : add_alike(task, state, error);
}

static const char *refuses_distance(const struct gpu_task *task)
{
    return task->facts->multiprocessors < 2 ? "needs several multiprocessors" : NULL;
}

static int recall_distance(struct gpu_task *task, struct error *error)
{
    struct distance_state *state = task->state = pool_alloc(task->task->pool, 1, sizeof *state);
    state->reads = gpu_find_series(task, reads_what, NULL, NULL, 0);
    state->homes = gpu_find_series(task, homes_what, NULL, NULL, 0);
    state->outer = gpu_find_series(task, outer_what, NULL, NULL, 0);
    return state->reads >= 0;
}

const struct gpu_experiment gpu_distance = {
    .name = "distance",
    .summary = "lines of the second-level cache, near and far, by multiprocessor",
    .weight = 6,
    .cuda_alone = true,
    .by_default = false,
    .refuses = refuses_distance,
    .plan = plan_distance,
    .conclude = conclude_distance,
    .recall = recall_distance,
};
