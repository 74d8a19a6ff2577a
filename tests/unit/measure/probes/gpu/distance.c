#include "measure/probes/gpu/bench.h"

#include "base/random.h"

/* Which side a line lies on: a hash of its address, as the hardware's is. */
static bool other_side(size_t offset)
{
    return random_mix(offset / 128) & 1;
}

/* Multiprocessors of even and of odd number sit on two sides. */
static double two_sides(const struct gpu_work *work)
{
    return other_side(work->offset) == (work->multiprocessor & 1) ? 258 : 414;
}

/* Ways differ within a side too: by slice and by multiprocessor, up to an eighth. */
static double uneven_sides(const struct gpu_work *work)
{
    uint64_t slice = random_mix(work->offset + 1) % 8,
             place = random_mix((uint64_t)work->multiprocessor) % 8;
    return two_sides(work) * (1 + 0.008 * (double)slice + 0.008 * (double)place);
}

/* Each half keeps copies: reads are near from everywhere, atomic operations show where a line is at
 * home, and a ring beyond half of L2 finds its far lines there. */
static double two_halves(const struct gpu_work *work)
{
    if (work->path == GPU_ATOMIC)
        return other_side(work->offset) == (work->multiprocessor & 1) ? 230 : 425;
    if (!work->timed)
        return 205;
    for (size_t i = 0; i < work->timed_count; i++)
        if (other_side(work->offset + (size_t)work->timed[i] * 128) == (work->multiprocessor & 1))
            return 453; /* a near line among them, which comes from memory */
    return 400;
}

/* Where nobody says how large L2 is, no set is known to be beyond half of it. */
static void without_a_size_of_l2_nothing_far_is_reported(void **state)
{
    struct gpu_bench *bench = *state;
    bench->facts[0].l2_bytes = 0;
    gpu_bench_drive(bench, &gpu_distance, 0, two_halves);
    gpu_bench_value_is(bench, "gpu0.L2.near", "cycles", 205, 0.002);
    assert_null(gpu_bench_find(bench, "gpu0.L2.far"));
}

static void the_sides_are_named(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_distance, 0, two_sides);
    size_t even = 0;
    const struct plan *plan = &bench->task.plan;
    for (size_t i = 0; i < plan->series[0].point_count; i++) {
        const struct point *point = &plan->series[0].points[i];
        even += point->to == 0 && !other_side((size_t)point->from * 128);
    }
    char wanted[96];
    snprintf(wanted, sizeof wanted,
             "multiprocessors 0,2,4,6,8,10,12,14 are near to %zu of the 16 lines looked at", even);
    assert_true(even > 2 && even < 14);
    assert_string_equal(gpu_bench_find(bench, "gpu0.L2.side1.near")->text, wanted);
}

static void ways_within_a_side_may_differ(void **state)
{
    struct gpu_bench *bench = *state;
    bench->facts[0].multiprocessors = 132;
    gpu_bench_drive(bench, &gpu_distance, 0, uneven_sides);
    gpu_bench_value_is(bench, "gpu0.L2.near", "cycles", 258 * 1.056, 0.03);
    gpu_bench_value_is(bench, "gpu0.L2.far", "cycles", 414 * 1.056, 0.03);
    assert_non_null(gpu_bench_find(bench, "gpu0.L2.side2.near"));
    assert_null(gpu_bench_find(bench, "gpu0.L2.side3.near"));
}

/* A third of the cells is missing. */
static double with_gaps(const struct gpu_work *work)
{
    return random_mix(work->offset * 1000 + (size_t)work->multiprocessor) % 3 ? two_sides(work)
                                                                              : NAN;
}

static void a_matrix_with_gaps_tells_as_much(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_distance, 0, with_gaps);
    gpu_bench_value_is(bench, "gpu0.L2.near", "cycles", 258, 0.002);
    gpu_bench_value_is(bench, "gpu0.L2.far", "cycles", 414, 0.002);
}

static const char *no_choice(const struct gpu *gpu, const struct gpu_work *work)
{
    return work->multiprocessor >= 0 ? "can't choose a multiprocessor" : NULL;
}

static void a_device_that_can_not_choose_is_not_asked(void **state)
{
    struct gpu_bench *bench = *state;
    bench->backend.refuses = no_choice;
    gpu_bench_drive(bench, &gpu_distance, 0, two_sides);
    assert_int_equal(bench->result.finding_count, 0);
    assert_non_null(strstr(bench->state.not_measured, "can't choose"));
    bench->facts[0].multiprocessors = 1;
    assert_non_null(gpu_distance.refuses(&bench->here));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GPU_BENCH_TEST(without_a_size_of_l2_nothing_far_is_reported),
        GPU_BENCH_TEST(the_sides_are_named),
        GPU_BENCH_TEST(ways_within_a_side_may_differ),
        GPU_BENCH_TEST(a_matrix_with_gaps_tells_as_much),
        GPU_BENCH_TEST(a_device_that_can_not_choose_is_not_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
