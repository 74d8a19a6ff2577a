/* The latency experiment of the `gpu` probe, on caches by a table. */
#include "measure/probes/gpu/fake.h"

#define PLAN(fake, ...) bench_plan(&(fake)->bench, &(fake)->probe, "what", "latency", __VA_ARGS__)

static void measure(struct fake_bench *fake)
{
    assert_int_equal(fake_measure(fake), 0);
    assert_int_equal(fake->bench.result.status, PROBE_OK);
}

static void assert_finding(const struct fake_bench *fake, const char *name, const char *unit,
                           double value, double tolerance)
{
    const struct finding *finding = fake_find(fake, name);
    if (!finding)
        fail_msg("there is no finding %s", name);
    assert_string_equal(finding->unit, unit);
    if (fabs(finding->value / value - 1) > tolerance)
        fail_msg("%s is %g and not %g", name, finding->value, value);
}

static void assert_refused(struct fake_bench *fake, const char *option, const char *value,
                           const char *said)
{
    const unsigned starts = fake_cuda.starts;
    assert_int_equal(PLAN(fake, option, value, NULL), ERROR_USAGE);
    assert_non_null(strstr(fake->bench.error.text, said));
    assert_null(strchr(fake->bench.error.text, '\n'));
    assert_int_equal(fake_cuda.starts, starts);
}

/* --- levels --- */

static void a_device_that_reports_no_cycles_has_levels_in_ns(void **state)
{
    struct fake_bench *fake = *state;
    fake_cuda.devices[0].no_cycles = true;
    assert_int_equal(PLAN(fake, NULL), 0);
    measure(fake);
    assert_finding(fake, "gpu0.L1.latency_ns", "ns", 16, 0.005);
    assert_finding(fake, "gpu0.DRAM.latency_ns", "ns", 220, 0.005);
    assert_null(fake_find(fake, "gpu0.L1.latency"));
    assert_null(fake_find(fake, "gpu0.clock"));
    const struct series *series = fake_series(fake, "gpu0 latency", "l1", "random");
    assert_true(isnan(series->points[0].cycles.median));
    assert_int_equal(series->points[0].flags & ~FLAG_BIT(FLAG_MODELLED), 0);
}

/* Past L1 the first plateau is L2's. */
static void past_l1_the_first_level_is_l2(void **state)
{
    struct fake_bench *fake = *state;
    assert_int_equal(PLAN(fake, "path", "l2", NULL), 0);
    measure(fake);
    assert_finding(fake, "gpu0.L2.latency", "cycles", 190, 0.005);
    assert_finding(fake, "gpu0.DRAM.latency", "cycles", 440, 0.005);
    assert_null(fake_find(fake, "gpu0.L1.latency"));
    assert_true(fake_find(fake, "gpu0.L2.capacity")->declared == 4 << 20);
}

static void what_nothing_is_declared_of_is_found_all_the_same(void **state)
{
    struct fake_bench *fake = *state;
    struct gpu_facts *facts = &fake_cuda.facts[0];
    facts->first_level_bytes = facts->scratchpad_bytes = facts->l2_bytes = 0;
    facts->capability = NULL;
    assert_int_equal(PLAN(fake, NULL), 0);
    measure(fake);
    assert_finding(fake, "gpu0.L1.latency", "cycles", 32, 0.005);
    assert_finding(fake, "gpu0.DRAM.latency", "cycles", 440, 0.005);
    assert_true(isnan(fake_find(fake, "gpu0.L1.capacity")->declared));
}

/* --- sizes and curves --- */

static const struct series *nth_curve(const struct fake_bench *fake, size_t n)
{
    for (size_t i = 0; i < fake->bench.result.series_count; i++)
        if (strcmp(fake->bench.result.series[i].y.name, "latency") == 0 && n-- == 0)
            return &fake->bench.result.series[i];
    return NULL;
}

static void a_quarter_of_the_memory_bounds_the_sweep(void **state)
{
    struct fake_bench *fake = *state;
    fake_cuda.facts[0].memory_bytes = 32 << 20;
    assert_int_equal(PLAN(fake, "path", "l1", "order", "random", NULL), 0);
    measure(fake);
    const struct series *series = nth_curve(fake, 0);
    assert_true(series->points[series->point_count - 1].x == 8 << 20);
    assert_refused(fake, "to", "9M",
                   "--to 9 MiB: more than a quarter of the device's memory; ask "
                   "for at most 8 MiB");
    assert_refused(fake, "sizes", "4K,1G", "--sizes 1 GiB");
}

/* The last level of an MI300X: 256 MiB, of which nobody tells. */
static void an_l2_that_nobody_declares_is_passed(void **state)
{
    struct fake_bench *fake = *state;
    fake_cuda.facts[0].l2_bytes = 0;
    fake_cuda.facts[0].first_level_bytes = 0;
    fake_cuda.facts[0].memory_bytes = UINT64_C(64) << 30;
    fake_cuda.devices[0].l2 = 256 << 20;
    assert_int_equal(PLAN(fake, "path", "l1", "order", "random", NULL), 0);
    measure(fake);
    const struct series *series = nth_curve(fake, 0);
    assert_true(series->points[series->point_count - 1].x == 1 << 30);
    assert_finding(fake, "gpu0.DRAM.latency", "cycles", 440, 0.01);
}

/* Declared so much too small that the curve is still in it where the range ends. */
static void a_curve_that_still_rises_goes_on(void **state)
{
    struct fake_bench *fake = *state;
    fake_cuda.devices[0].l2 = 28 << 20;
    assert_int_equal(PLAN(fake, "path", "l1", "order", "random", NULL), 0);
    measure(fake);
    const struct series *series = nth_curve(fake, 0);
    assert_true(series->points[series->point_count - 1].x == 64 << 20);
    assert_finding(fake, "gpu0.DRAM.latency", "cycles", 440, 0.01);
    /* A person's own end is the end. */
    assert_int_equal(PLAN(fake, "path", "l1", "order", "random", "to", "32M", NULL), 0);
    measure(fake);
    series = nth_curve(fake, 0);
    assert_true(series->points[series->point_count - 1].x == 32 << 20);
}

static void sizes_that_are_named_are_the_only_ones(void **state)
{
    struct fake_bench *fake = *state;
    assert_int_equal(PLAN(fake, "sizes", "64K,100K,4K", NULL), 0);
    measure(fake);
    for (size_t i = 0; i < 4; i++) {
        const struct series *series = nth_curve(fake, i);
        assert_int_equal(series->point_count, 3);
        assert_true(series->points[0].x == 4 << 10);
        assert_true(series->points[2].x == 100 << 10);
    }
    assert_int_equal(PLAN(fake, "per-octave", "3", "from", "4K", "to", "32K", "path", "l1,l2",
                          "order", "strided", "stride", "256", NULL),
                     0);
    measure(fake);
    for (size_t i = 0; i < 2; i++) {
        const struct series *series = nth_curve(fake, i);
        assert_string_equal(series_factor(series, "order")->text, "strided");
        assert_true(series_factor(series, "stride")->number == 256);
        assert_int_equal(series->point_count, 3 * 3 + 1);
    }
    assert_null(nth_curve(fake, 2));
    /* Beyond where the others end. */
    assert_int_equal(PLAN(fake, "from", "12M", "path", "l1,l2", "order", "random", NULL), 0);
    measure(fake);
    for (size_t i = 0; i < 2; i++) {
        const struct series *series = nth_curve(fake, i);
        assert_true(series->points[0].x == 12 << 20);
        assert_true(series->points[series->point_count - 1].x == 32 << 20);
    }
}

/* From 8 bytes on, as in the program that this began with: within a line elements lie side by side.
 */
static void sets_smaller_than_a_stride_lie_within_a_line(void **state)
{
    struct fake_bench *fake = *state;
    static const double sizes[] = {8, 64, 128, 256, 4096};
    assert_int_equal(
        PLAN(fake, "sizes", "8,64,128,200,256,4K", "path", "l1", "order", "random", NULL), 0);
    measure(fake);
    const struct series *series = fake_series(fake, "gpu0 latency", "l1", "random");
    assert_int_equal(series->point_count, 5); /* 200 bytes are one stride, as 128 are */
    for (size_t i = 0; i < 5; i++)
        assert_true(series->points[i].x == sizes[i]);
}

static void odd_sizes_and_strides_are_refused_by_name(void **state)
{
    struct fake_bench *fake = *state;
    assert_refused(fake, "stride", "100", "--stride 100: give a multiple of 8");
    assert_refused(fake, "to", "64", "smaller than the stride");
    assert_refused(fake, "from", "64M", "--from 64 MiB is larger than --to 32 MiB");
}

/* --- the split --- */

static double factor_l1(const struct series *series)
{
    const struct factor *factor = series ? series_factor(series, "l1") : NULL;
    return factor ? factor->number : NAN;
}

static void a_split_that_is_asked_for_is_what_is_measured(void **state)
{
    struct fake_bench *fake = *state;
    static const struct {
        const char *text;
        double l1;
    } cases[] = {{"32K", 32 << 10}, {"64K", 64 << 10}, {"50", 32 << 10},
                 {"70%", 64 << 10}, {"100", 64 << 10}, {"40K", 32 << 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(PLAN(fake, "l1", cases[i].text, "path", "l1", "order", "random", NULL), 0);
        measure(fake);
        assert_true(factor_l1(nth_curve(fake, 0)) == cases[i].l1);
        assert_finding(fake, "gpu0.L1.capacity", "B", cases[i].l1, 0.1);
        assert_true(fake_find(fake, "gpu0.L1.capacity")->declared == cases[i].l1);
    }
}

static void a_sweep_measures_every_split_there_is(void **state)
{
    struct fake_bench *fake = *state;
    assert_int_equal(PLAN(fake, "l1", "sweep", NULL), 0);
    measure(fake);
    assert_true(factor_l1(nth_curve(fake, 0)) == 64 << 10);
    assert_true(factor_l1(nth_curve(fake, 1)) == 32 << 10);
    assert_null(nth_curve(fake, 2));
    assert_finding(fake, "gpu0.split.64K.L1.capacity", "B", 64 << 10, 0.1);
    assert_finding(fake, "gpu0.split.32K.L1.capacity", "B", 32 << 10, 0.1);
    assert_finding(fake, "gpu0.split.32K.L1.latency", "cycles", 32, 0.005);
    assert_null(fake_find(fake, "gpu0.L1.capacity"));
}

static void a_split_that_there_is_not_is_refused(void **state)
{
    struct fake_bench *fake = *state;
    assert_refused(fake, "l1", "16K", "--l1 16K: L1 of gpu0 can have 32 KiB to 64 KiB");
    assert_refused(fake, "l1", "1M", "32 KiB to 64 KiB");
    assert_refused(fake, "l1", "120", "--l1 120");
    assert_refused(fake, "l1", "half", "'half'");
    fake_cuda.facts[0].first_level_bytes = 0;
    assert_refused(fake, "l1", "32K", "leave it out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAKE_TEST(a_device_that_reports_no_cycles_has_levels_in_ns),
        FAKE_TEST(past_l1_the_first_level_is_l2),
        FAKE_TEST(what_nothing_is_declared_of_is_found_all_the_same),
        FAKE_TEST(a_quarter_of_the_memory_bounds_the_sweep),
        FAKE_TEST(sizes_that_are_named_are_the_only_ones),
        FAKE_TEST(sets_smaller_than_a_stride_lie_within_a_line),
        FAKE_TEST(an_l2_that_nobody_declares_is_passed),
        FAKE_TEST(a_curve_that_still_rises_goes_on),
        FAKE_TEST(odd_sizes_and_strides_are_refused_by_name),
        FAKE_TEST(a_split_that_is_asked_for_is_what_is_measured),
        FAKE_TEST(a_sweep_measures_every_split_there_is),
        FAKE_TEST(a_split_that_there_is_not_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
