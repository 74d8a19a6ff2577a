#include "measure/probes/gpu/bench.h"

#include "document/flag.h"

static struct point point_of(double x, double ns, double cycles, unsigned flags)
{
    double values[GPU_BENCH_TRIALS];
    struct point point = {.x = x, .flags = flags};
    for (int i = 0; i < GPU_BENCH_TRIALS; i++)
        values[i] = ns * (1 + 0.001 * (i - GPU_BENCH_TRIALS / 2));
    summarize(values, GPU_BENCH_TRIALS, values, &point.y);
    point.cycles = (struct estimate){(float)cycles, (float)cycles, (float)cycles};
    return point;
}

static void points_are_reported_by_their_median_and_ends(void **state)
{
    struct gpu_bench *bench = *state;
    struct point points[] = {point_of(1, 9, 18, 0), point_of(2, 10, 20, 0), point_of(4, 12, 24, 0),
                             point_of(8, 99, 198, 0)};
    const struct series series = {.points = points, .point_count = 4};
    gpu_bench_begin(bench, 0);
    const struct gpu_points some = gpu_points_between(&bench->here, &series, 1, 4);
    assert_int_equal(some.count, 3);
    gpu_add_latency(&bench->here, "some", some, "a text");
    gpu_bench_value_is(bench, "gpu0.some", "cycles", 20, 1e-6);
    gpu_bench_value_is(bench, "gpu0.some_ns", "ns", 10, 1e-6);
    const struct finding *cycles = gpu_bench_find(bench, "gpu0.some");
    assert_true(cycles->low == 18 && cycles->high == 24);
    assert_string_equal(cycles->text, "a text");
}

static void one_point_has_its_own_interval(void **state)
{
    struct gpu_bench *bench = *state;
    const struct point point = point_of(1, 10, NAN, 0);
    struct gpu_points one = {0};
    gpu_bench_begin(bench, 0);
    gpu_points_add(&one, &bench->here, &point);
    gpu_add_latency(&bench->here, "one", one, NULL);
    assert_null(gpu_bench_find(bench, "gpu0.one"));
    const struct finding *ns = gpu_bench_find(bench, "gpu0.one_ns");
    assert_true(fabs(ns->low - 9.97) < 1e-5 && fabs(ns->high - 10.03) < 1e-5);
}

static void cycles_are_reported_where_all_points_have_them(void **state)
{
    struct gpu_bench *bench = *state;
    const struct point with = point_of(1, 10, 20, 0), without = point_of(2, 10, NAN, 0);
    struct gpu_points both = {0};
    gpu_bench_begin(bench, 0);
    gpu_points_add(&both, &bench->here, &with);
    gpu_points_add(&both, &bench->here, &without);
    gpu_add_latency(&bench->here, "both", both, NULL);
    assert_int_equal(bench->result.finding_count, 1);
    gpu_bench_value_is(bench, "gpu0.both_ns", "ns", 10, 1e-6);
}

static void what_few_points_bear_is_not_borne_by_all(void **state)
{
    struct gpu_bench *bench = *state;
    const unsigned few = FLAG_BIT(FLAG_TOO_FEW), many = FLAG_BIT(FLAG_MODELLED);
    const struct point points[] = {point_of(1, 10, 20, many | few), point_of(2, 10, 20, many),
                                   point_of(3, 10, 20, many), point_of(4, 10, 20, 0)};
    struct gpu_points all = {0};
    gpu_bench_begin(bench, 0);
    for (size_t i = 0; i < 4; i++)
        gpu_points_add(&all, &bench->here, &points[i]);
    gpu_add_latency(&bench->here, "all", all, NULL);
    assert_int_equal(gpu_bench_find(bench, "gpu0.all")->flags, many);
}

static void nothing_is_concluded_from_nothing(void **state)
{
    struct gpu_bench *bench = *state;
    struct point failed = {.x = 4, .y = summary_of_nothing(), .failed = "no memory"};
    struct point points[] = {point_of(1, 10, 20, 0), failed};
    const struct series series = {.points = points, .point_count = 2};
    struct gpu_points none = {0};
    gpu_bench_begin(bench, 0);
    gpu_points_add(&none, &bench->here, &failed);
    gpu_points_add(&none, &bench->here, NULL);
    assert_int_equal(none.count, 0);
    gpu_add_latency(&bench->here, "none", none, NULL);
    gpu_add_rate(&bench->here, "none", &failed, NULL);
    gpu_add_rate(&bench->here, "none", NULL, NULL);
    assert_int_equal(bench->result.finding_count, 0);
    assert_ptr_equal(gpu_last_point(&series), &points[0]);
}

static void a_rate_is_its_point(void **state)
{
    struct gpu_bench *bench = *state;
    const struct point point = point_of(1, 4e12, NAN, FLAG_BIT(FLAG_THROTTLED));
    gpu_bench_begin(bench, 1);
    gpu_add_rate(&bench->here, "rate", &point, "a text");
    gpu_bench_value_is(bench, "gpu1.rate", "B/s", 4e12, 1e-6);
    assert_int_equal(gpu_bench_find(bench, "gpu1.rate")->flags, FLAG_BIT(FLAG_THROTTLED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GPU_BENCH_TEST(points_are_reported_by_their_median_and_ends),
        GPU_BENCH_TEST(one_point_has_its_own_interval),
        GPU_BENCH_TEST(cycles_are_reported_where_all_points_have_them),
        GPU_BENCH_TEST(what_few_points_bear_is_not_borne_by_all),
        GPU_BENCH_TEST(nothing_is_concluded_from_nothing),
        GPU_BENCH_TEST(a_rate_is_its_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
