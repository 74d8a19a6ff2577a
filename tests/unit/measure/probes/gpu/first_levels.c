#include "measure/probes/gpu/bench.h"

/* Which warps share the first one's cache, as bits; what the others' rings do to it: 0 nothing, 1
 * all of it. */
static unsigned sharing;
static double harm;
static size_t ring_bytes;
static const double HIT = 33, MISS = 262;

static double made_up(const struct gpu_work *work)
{
    if (work->path != GPU_L1) /* the rest of the experiment */
        return work->before == GPU_NOTHING ? MISS : HIT;
    assert_int_equal(work->action, GPU_CHASE);
    if (work->before == GPU_ITSELF) {
        ring_bytes = work->bytes;
        return HIT;
    }
    assert_int_equal(work->before, GPU_RIVAL);
    assert_int_equal(work->bytes / 2 / work->stride % 16, 0);
    return sharing >> work->warp & 1 ? MISS : HIT + (MISS - HIT) * harm;
}

static void counts(struct gpu_bench *bench, unsigned shared, double others, double wanted,
                   const char *text)
{
    sharing = shared;
    harm = others;
    bench->task.plan.series_count = 0;
    bench->result.finding_count = 0;
    gpu_bench_drive(bench, &gpu_sharing, 0, made_up);
    const struct finding *finding = gpu_bench_find(bench, "gpu0.L1.count");
    assert_non_null(finding);
    assert_non_null(strstr(finding->text, text));
    if (isnan(wanted))
        assert_true(isnan(finding->value));
    else
        gpu_bench_value_is(bench, "gpu0.L1.count", "", wanted, 0);
}

static void what_fits_no_number_is_not_counted(void **state)
{
    struct gpu_bench *bench = *state;
    counts(bench, 0x07, 0, NAN, "no number of equal caches");
    counts(bench, 0x55, 0.5, NAN, "is not known");
}

static double all_alike(const struct gpu_work *work)
{
    return 200;
}

static double one_missing(const struct gpu_work *work)
{
    return work->before == GPU_RIVAL && work->warp == 5 ? NAN : made_up(work);
}

static void from_too_little_nothing_is_concluded(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_sharing, 0, all_alike);
    const struct finding *finding = gpu_bench_find(bench, "gpu0.L1.count");
    assert_true(finding && isnan(finding->value));
    assert_non_null(strstr(finding->text, "--what latency,sharing"));
    bench->task.plan.series_count = 0;
    bench->result.finding_count = 0;
    sharing = 0xff;
    gpu_bench_drive(bench, &gpu_sharing, 0, one_missing);
    assert_null(gpu_bench_find(bench, "gpu0.L1.count"));
}

static void a_level_of_unknown_size_is_left_out(void **state)
{
    struct gpu_bench *bench = *state;
    bench->facts[0].first_level_bytes = 0;
    sharing = 0xff;
    gpu_bench_drive(bench, &gpu_sharing, 0, made_up);
    assert_null(gpu_bench_find(bench, "gpu0.L1.count"));
    assert_non_null(strstr(bench->state.not_measured, "the size of its first level is not known"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GPU_BENCH_TEST(what_fits_no_number_is_not_counted),
        GPU_BENCH_TEST(from_too_little_nothing_is_concluded),
        GPU_BENCH_TEST(a_level_of_unknown_size_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
