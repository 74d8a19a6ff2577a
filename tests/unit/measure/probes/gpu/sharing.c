#include "measure/probes/gpu/bench.h"

/* Of each way: whether it finds what plain loads brought, 0 to 1. */
static double share_read_only, share_texture;

static double made_up(const struct gpu_work *work)
{
    const bool texture = work->path == GPU_TEXTURE;
    if (work->path == GPU_L1) /* how many there are: first_levels.c */
        return work->before == GPU_RIVAL ? 262 : 33;
    const double hit = texture ? 50 : 33, miss = texture ? 280 : 262;
    assert_true(texture || work->path == GPU_READ_ONLY);
    assert_int_equal(work->bytes / work->stride % 16, 0);
    switch (work->before) {
    case GPU_ITSELF:
        return hit;
    case GPU_NOTHING:
        return miss;
    default:
        return miss - (miss - hit) * (texture ? share_texture : share_read_only);
    }
}

static void tells(struct gpu_bench *bench, const char *name, double share, const char *text)
{
    gpu_bench_value_is(bench, name, "", share, 0.02);
    assert_non_null(strstr(gpu_bench_find(bench, name)->text, text));
}

static void ways_that_find_each_others_data_are_one(void **state)
{
    struct gpu_bench *bench = *state;
    share_read_only = 1;
    share_texture = 0.5;
    gpu_bench_drive(bench, &gpu_sharing, 0, made_up);
    tells(bench, "gpu0.readonly.in_L1", 1, "one cache serves both");
    tells(bench, "gpu0.texture.in_L1", 0.5, "was not found");
}

static void a_cache_of_its_own_is_reported(void **state)
{
    struct gpu_bench *bench = *state;
    share_read_only = 0.9;
    share_texture = 0.05;
    gpu_bench_drive(bench, &gpu_sharing, 0, made_up);
    tells(bench, "gpu0.readonly.in_L1", 0.9, "one cache serves both");
    tells(bench, "gpu0.texture.in_L1", 0.05, "a cache of its own");
}

static double all_alike(const struct gpu_work *work)
{
    return 200;
}

static double one_missing(const struct gpu_work *work)
{
    return work->path == GPU_TEXTURE && work->before == GPU_NOTHING ? NAN : made_up(work);
}

static void from_too_little_nothing_is_concluded(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_sharing, 0, all_alike);
    assert_int_equal(bench->result.finding_count, 1);
    assert_true(isnan(gpu_bench_find(bench, "gpu0.L1.count")->value));
    bench->task.plan.series_count = 0;
    share_read_only = 1;
    gpu_bench_drive(bench, &gpu_sharing, 0, one_missing);
    assert_non_null(gpu_bench_find(bench, "gpu0.readonly.in_L1"));
    assert_null(gpu_bench_find(bench, "gpu0.texture.in_L1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GPU_BENCH_TEST(ways_that_find_each_others_data_are_one),
        GPU_BENCH_TEST(a_cache_of_its_own_is_reported),
        GPU_BENCH_TEST(from_too_little_nothing_is_concluded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
