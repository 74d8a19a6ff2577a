#include "measure/probes/gpu/bench.h"

#include "base/random.h"

enum { CREEP = 9 * 128 }; /* by which a stride is longer than it is called */

/* A TLB of some entries, of which each translates a page: a ring over more pages than that
 * misses always, for the least recently used goes first. */
struct tlb {
    double entries, page, cost;
};

static double lines_of(const struct gpu_work *work)
{
    return (double)(work->bytes / work->stride);
}

static double miss(const struct gpu_work *work, struct tlb tlb)
{
    const double last =
        (double)(work->offset % (size_t)tlb.page) + (lines_of(work) - 1) * (double)work->stride;
    const double pages = fmin(lines_of(work), floor(last / tlb.page) + 1);
    return pages > tlb.entries ? tlb.cost : 0;
}

static double one_tlb(const struct gpu_work *work)
{
    return 280 + miss(work, (struct tlb){128, 2 << 20, 150});
}

static double two_tlbs(const struct gpu_work *work)
{
    return 280 + miss(work, (struct tlb){16, 2 << 20, 60}) +
           miss(work, (struct tlb){256, 32 << 20, 250});
}

/* 128 entries in sets of sixteen, whose index is a hash: a set with more pages than that loses all.
 * Chance fills one before the others, so the reach is less than the entries promise. */
static double hashed(const struct gpu_work *work)
{
    enum { SETS = 8, WAYS = 16, PAGE = 2 << 20 };
    unsigned pages_of[SETS] = {0}, missing = 0;
    const size_t lines = work->bytes / work->stride;
    for (int pass = 0; pass < 2; pass++) {
        size_t last = SIZE_MAX;
        for (size_t i = 0; i < lines; i++) {
            const size_t page = i * work->stride / PAGE, set = random_mix(page) % SETS;
            if (pass == 0)
                pages_of[set] += page != last;
            else
                missing += pages_of[set] > WAYS;
            last = page;
        }
    }
    return 280 + 150 * (double)missing / (double)lines;
}

static double none(const struct gpu_work *work)
{
    return 280;
}

static void two_levels_are_distinguished(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_translation, 0, two_tlbs);
    gpu_bench_value_is(bench, "gpu0.tlb1.reach", "B", 32 << 20, 0.05);
    gpu_bench_value_is(bench, "gpu0.tlb1.page", "B", 2 << 20, 0.01);
    gpu_bench_value_is(bench, "gpu0.tlb1.miss", "cycles", 60, 0.03);
    gpu_bench_value_is(bench, "gpu0.tlb2.reach", "B", 8192 * (double)(1 << 20), 0.05);
    gpu_bench_value_is(bench, "gpu0.tlb2.miss", "cycles", 250, 0.03);
}

static void hashed_sets_have_a_reach_too(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_translation, 0, hashed);
    gpu_bench_value_is(bench, "gpu0.tlb1.reach", "B", 256 << 20, 0.35);
    gpu_bench_value_is(bench, "gpu0.tlb1.miss", "cycles", 150, 0.05);
    assert_null(gpu_bench_find(bench, "gpu0.tlb2.reach"));
}

static void without_cycles_the_cost_is_a_time(void **state)
{
    struct gpu_bench *bench = *state;
    bench->no_cycles = true;
    gpu_bench_drive(bench, &gpu_translation, 0, one_tlb);
    gpu_bench_value_is(bench, "gpu0.tlb1.miss", "ns", 75, 0.02);
}

static void where_nothing_rises_nothing_is_claimed(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_translation, 0, none);
    assert_int_equal(bench->result.finding_count, 1);
    const struct finding *reach = gpu_bench_find(bench, "gpu0.tlb1.reach");
    assert_true(isnan(reach->value));
    assert_string_equal(reach->text, "not found: translation costs no more up to 12.7 GiB");
}

/* The chains of a large stride leave the second level's sets alone: what many lines cost by
 * themselves is no translation. */
static double crowded(const struct gpu_work *work)
{
    return 280 + (lines_of(work) > 3000 ? 90 : 0) + miss(work, (struct tlb){64, 2 << 20, 150});
}

static void what_the_packed_chain_pays_too_is_no_translation(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_translation, 0, crowded);
    gpu_bench_value_is(bench, "gpu0.tlb1.reach", "B", 128 << 20, 0.05);
    gpu_bench_value_is(bench, "gpu0.tlb1.miss", "cycles", 150, 0.03);
    assert_null(gpu_bench_find(bench, "gpu0.tlb2.reach"));
}

/* A line is near or far by the parity of its number. */
static double halves(const struct gpu_work *work)
{
    const size_t lines = work->bytes / work->stride;
    size_t far = 0;
    for (size_t i = 0; i < lines; i++)
        far += (size_t)__builtin_parityll((work->offset + i * work->stride) / 128);
    return 220 + 100 * (double)far / (double)lines;
}

static double halves_and_a_tlb(const struct gpu_work *work)
{
    return halves(work) + miss(work, (struct tlb){4096, 2 << 20, 250});
}

static void near_and_far_lines_are_no_translation(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_translation, 0, halves);
    assert_int_equal(bench->result.finding_count, 1);
    assert_true(isnan(gpu_bench_find(bench, "gpu0.tlb1.reach")->value));
}

static void a_tlb_is_found_among_near_and_far_lines(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_translation, 0, halves_and_a_tlb);
    gpu_bench_value_is(bench, "gpu0.tlb1.reach", "B", 8192 * (double)(1 << 20), 0.05);
    gpu_bench_value_is(bench, "gpu0.tlb1.miss", "cycles", 250, 0.05);
    assert_null(gpu_bench_find(bench, "gpu0.tlb2.reach"));
}

static void a_small_device_is_refused_or_has_fewer_strides(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_begin(bench, 0);
    assert_null(gpu_translation.refuses(&bench->here));
    bench->facts[0].memory_bytes = 0;
    assert_non_null(gpu_translation.refuses(&bench->here));
    bench->facts[0].memory_bytes = 256 << 20;
    assert_null(gpu_translation.refuses(&bench->here));
    assert_true(gpu_bench_stage(bench, &gpu_translation));
    assert_int_equal(bench->task.plan.series_count, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GPU_BENCH_TEST(two_levels_are_distinguished),
        GPU_BENCH_TEST(hashed_sets_have_a_reach_too),
        GPU_BENCH_TEST(without_cycles_the_cost_is_a_time),
        GPU_BENCH_TEST(where_nothing_rises_nothing_is_claimed),
        GPU_BENCH_TEST(what_the_packed_chain_pays_too_is_no_translation),
        GPU_BENCH_TEST(near_and_far_lines_are_no_translation),
        GPU_BENCH_TEST(a_tlb_is_found_among_near_and_far_lines),
        GPU_BENCH_TEST(a_small_device_is_refused_or_has_fewer_strides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
