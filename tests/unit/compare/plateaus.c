/* Levels of two curves, by the sizes that both have: of curves whose points are single trials. */
#include "compare/plateaus.h"

#include "conclude/levels/level.h"
#include "document/flag.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { SIZES = 36 };
static const double first_bytes = 1024;

struct bench {
    struct pool pool;
    struct probe_result a, b;
    struct shared_plateaus shared;
};

static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){.pool = {0}};
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    pool_free(&bench->pool);
    return 0;
}

/* 4 cycles up to 32 KiB, 14 up to 512 KiB, and memory: it rises by a tenth from 150 ns on. */
static double cycles_of(double bytes)
{
    return bytes <= 32768 ? 4 : bytes <= 524288 ? 14 : 450 * (1 + 0.015 * log2(bytes / 524288));
}

/* A curve of single trials at every second size of an octave, without those from `from` to `to`,
 * and so many times as slow from `slow` on. */
static void measure(struct bench *bench, struct probe_result *result, double from, double to,
                    double slow, double times)
{
    struct series *series = pool_alloc(&bench->pool, 1, sizeof *series);
    struct point *points = pool_alloc(&bench->pool, SIZES, sizeof *points);
    assert_non_null(series);
    assert_non_null(points);
    *series = (struct series){.name = "latency",
                              .headline = true,
                              .x = {"working set", "B"},
                              .y = {"latency", "ns"},
                              .points = points};
    for (int i = 0; i < SIZES; i++) {
        const double x = round(first_bytes * exp2(i / 2.0) / 64) * 64;
        /* Trials differ a little, in an order of their own. */
        const double off = 1 + 0.004 * sin(37.0 * i + (times > 1));
        const float cycles = (float)(cycles_of(x) * off * (x >= slow ? times : 1));
        const float ns = cycles / 3.5f;
        if (x > from && x < to)
            continue;
        struct point *point = &points[series->point_count++];
        *point = (struct point){.x = x,
                                .y = {.median = ns, .low = ns, .high = ns, .n = 1},
                                .cycles = {cycles, cycles, cycles},
                                .flags = FLAG_BIT(FLAG_TOO_FEW)};
    }
    *result = (struct probe_result){.name = "latency", .series = series, .series_count = 1};
    findings_levels(result, &bench->pool, series, NULL, -1, NULL, 0);
}

static const struct shared_plateau *named(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->shared.count; i++)
        if (strcmp(bench->shared.list[i].before->name, name) == 0)
            return &bench->shared.list[i];
    return NULL;
}

static void find(struct bench *bench)
{
    plateaus_shared(&bench->shared, &bench->pool, &bench->a, &bench->b, 0);
}

static const struct finding *finding(const struct probe_result *result, const char *name)
{
    for (size_t i = 0; i < result->finding_count; i++)
        if (strcmp(result->findings[i].name, name) == 0)
            return &result->findings[i];
    return NULL;
}

static void single_trials_tell_a_tenth(void **state)
{
    struct bench *bench = *state;
    measure(bench, &bench->a, 0, 0, 0, 1);
    measure(bench, &bench->b, 0, 0, 600000, 1.1);
    find(bench);
    assert_true(bench->shared.known);
    const struct shared_plateau *second = named(bench, "L2.latency");
    const struct shared_plateau *memory = named(bench, "DRAM.latency");
    assert_non_null(second);
    assert_non_null(memory);
    assert_true(second->has_cycles && second->cycles.low < 1 && second->cycles.high > 1);
    assert_true(memory->cycles.low > 1.08 && memory->cycles.high < 1.12);
    assert_true(memory->time.low > 1.08 && memory->time.p < 0.001);
    assert_true(memory->sizes >= 6);
}

/* The far end of memory is slower than its near end, and each run measured another part. */
static void other_sizes_are_no_change(void **state)
{
    struct bench *bench = *state;
    measure(bench, &bench->a, 12e6, 1e12, 0, 1);
    measure(bench, &bench->b, 600000, 3e6, 0, 1);
    find(bench);
    const struct finding *before = finding(&bench->a, "DRAM.latency"),
                         *after = finding(&bench->b, "DRAM.latency");
    const struct shared_plateau *memory = named(bench, "DRAM.latency");
    assert_non_null(before);
    assert_non_null(after);
    assert_non_null(memory);
    assert_true(after->value / before->value > 1.01);
    assert_true(fabs(memory->cycles.ratio - 1) < 0.005);
    assert_false(plateaus_differ(&bench->shared, before, after));
}

/* One run saw nothing of the second level, so it counts memory as the second. */
static void a_level_of_another_name_is_the_same(void **state)
{
    struct bench *bench = *state;
    measure(bench, &bench->a, 0, 0, 0, 1);
    measure(bench, &bench->b, 40000, 600000, 600000, 1.1);
    for (size_t i = 0; i < bench->b.finding_count; i++)
        if (strcmp(bench->b.findings[i].name, "DRAM.latency") == 0)
            bench->b.findings[i].name = "L2.latency";
    find(bench);
    const struct shared_plateau *memory = named(bench, "DRAM.latency");
    assert_non_null(memory);
    assert_string_equal(memory->after->name, "L2.latency");
    assert_true(memory->cycles.low > 1.05);
    assert_true(plateaus_differ(&bench->shared, finding(&bench->a, "L2.latency"), memory->after));
    assert_ptr_equal(plateaus_before(&bench->shared, memory->before), memory);
    assert_ptr_equal(plateaus_after(&bench->shared, memory->after), memory);
}

static void two_sizes_are_not_enough(void **state)
{
    struct bench *bench = *state;
    measure(bench, &bench->a, 0, 0, 0, 1);
    measure(bench, &bench->b, 0, 0, 600000, 1.1);
    struct series *series = &bench->b.series[0];
    size_t kept = 0;
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].x < 600000 || i % 8 == 0)
            series->points[kept++] = series->points[i];
    for (size_t i = 0; i < kept; i++) /* those sizes of memory that the first has not */
        if (series->points[i].x > 600000 && i > kept - 2)
            series->points[i].x += 64;
    series->point_count = kept;
    find(bench);
    const struct shared_plateau *memory = named(bench, "DRAM.latency");
    assert_true(!memory || memory->sizes > 2 || isnan(memory->cycles.low));
}

static void curves_without_a_headline_share_nothing(void **state)
{
    struct bench *bench = *state;
    measure(bench, &bench->a, 0, 0, 0, 1);
    measure(bench, &bench->b, 0, 0, 0, 1);
    bench->b.series[0].headline = false;
    find(bench);
    assert_false(bench->shared.known);
    assert_int_equal(bench->shared.count, 0);
    assert_false(plateaus_differ(&bench->shared, finding(&bench->a, "L2.latency"),
                                 finding(&bench->b, "L2.latency")));
}

static void a_capacity_among_single_trials_is_thin(void **state)
{
    struct bench *bench = *state;
    measure(bench, &bench->a, 0, 0, 0, 1);
    const struct finding *capacity = finding(&bench->a, "L1.capacity");
    assert_non_null(capacity);
    assert_true(plateaus_are_thin(&bench->a, capacity));
    assert_false(plateaus_are_thin(&bench->a, finding(&bench->a, "L1.latency")));
    for (size_t i = 0; i < bench->a.series[0].point_count; i++)
        bench->a.series[0].points[i].flags = 0;
    assert_false(plateaus_are_thin(&bench->a, capacity));
}

/* Between two plateaus a capacity moves; of curves that share none, and of others, nothing is
 * known.
 */
static void bends_are_those_of_the_curve_that_has_the_plateaus(void **state)
{
    struct bench *bench = *state;
    measure(bench, &bench->a, 0, 0, 0, 1);
    measure(bench, &bench->b, 0, 0, 0, 1);
    const struct series *curve = bench->a.series, other = *curve;
    find(bench);
    const struct shared_plateau *first = named(bench, "L1.latency"),
                                *second = named(bench, "L2.latency");
    assert_non_null(first);
    assert_non_null(second);
    assert_false(plateaus_bend_at(&bench->shared, curve, first->to));
    assert_true(plateaus_bend_at(&bench->shared, curve, (first->to + second->from) / 2));
    assert_false(plateaus_bend_at(&bench->shared, &other, (first->to + second->from) / 2));
    bench->b.finding_count = 0; /* no level: nothing is shared */
    find(bench);
    assert_int_equal(bench->shared.count, 0);
    assert_false(plateaus_bend_at(&bench->shared, curve, (first->to + second->from) / 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(single_trials_tell_a_tenth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_sizes_are_no_change, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_level_of_another_name_is_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_sizes_are_not_enough, set_up, tear_down),
        cmocka_unit_test_setup_teardown(curves_without_a_headline_share_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_capacity_among_single_trials_is_thin, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bends_are_those_of_the_curve_that_has_the_plateaus, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
