#include "support.h"

#include "measure/kernels/chase.h"
#include "measure/probes/chase/chases.h"

#include <math.h>
#include <stdlib.h>

extern const struct probe latency_probe;

static const struct series *nth(const struct bench *bench, size_t n)
{
    assert_true(n < bench->task.plan.series_count);
    return &bench->task.plan.series[n];
}

static const char *text_of(const struct series *series, const char *factor)
{
    assert_non_null(series_factor(series, factor));
    return series_factor(series, factor)->text;
}

static void each_variant_is_a_curve_over_the_same_sizes(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &latency_probe, "variants",
                                "forward+stride:256,random,spilled,modify,index+packed", "sizes",
                                "16K,1M", NULL),
                     0);
    assert_int_equal(bench->task.plan.series_count, 5);
    assert_int_equal(bench->task.plan.point_count, 10);
    assert_string_equal(text_of(nth(bench, 0), "order"), "forward");
    assert_true(series_factor(nth(bench, 0), "stride")->number == 256);
    assert_string_equal(text_of(nth(bench, 1), "order"), "random");
    assert_string_equal(text_of(nth(bench, 2), "address"), "spilled");
    assert_string_equal(text_of(nth(bench, 3), "access"), "modify");
    assert_true(series_factor(nth(bench, 4), "stride")->number == 8);
    for (size_t i = 0; i < 10; i++)
        assert_true(bench->task.plan.points[i].x == (i % 2 ? 1 << 20 : 16 << 10));
}

static void refuse(struct bench *bench, const char *variants, const char *says)
{
    bench->error = (struct error){0};
    assert_int_equal(bench_plan(bench, &latency_probe, "variants", variants, NULL), ERROR_USAGE);
    if (!strstr(bench->error.text, says))
        fail_msg("%s: '%s' does not say '%s'", variants, bench->error.text, says);
}

static void words_that_are_none_are_named(void **state)
{
    struct bench *bench = *state;
    refuse(bench, "forwards", "'forwards'");
    refuse(bench, "random+", "'random+'");
    refuse(bench, ",random", "''");
    refuse(bench, "stride:0", "'stride:0'");
    refuse(bench, "pages:large", "'pages:large'");
    refuse(bench, "random-in-block:1", "'random-in-block:1'");
    refuse(bench, "stride:12", "multiple of 8");
    refuse(bench, "random,stride:96,stride:128", "powers of two");
    assert_int_equal(bench_plan(bench, &latency_probe, "variants", "random", "stride", "128", NULL),
                     ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "--stride"));
}

static void add_point(struct bench *bench, struct series *series, double x, double ns)
{
    struct point *point =
        pool_append(&bench->pool, (void **)&series->points, &series->point_count, sizeof *point);
    *point = (struct point){.x = x, .cycles = {NAN, NAN, NAN}};
    point->y = (struct summary){.median = (float)ns,
                                .low = (float)(ns * 0.9),
                                .high = (float)(ns * 1.1),
                                .coverage = 0.95f,
                                .n = 6};
}

static void what_prefetchers_hide_is_reported_by_size_and_stride(void **state)
{
    struct bench *bench = *state;
    const struct stage_outcome outcome = {0};
    assert_int_equal(
        bench_plan(bench, &latency_probe, "variants", "mem-lat", "sizes", "16K,64M", NULL), 0);
    static const double far_ns[] = {100, 101, 1, 5, 10, 40};
    for (size_t i = 0; i < 6; i++) {
        add_point(bench, &bench->task.plan.series[i], 16 << 10, 1);
        add_point(bench, &bench->task.plan.series[i], 64 << 20, far_ns[i]);
    }
    bench->result.series = bench->task.plan.series;
    bench->result.series_count = bench->task.plan.series_count;
    assert_int_equal(conclude_twice(&bench->task, &outcome, &bench->error), 0);
    static const double hidden[] = {99, 95, 90, 60};
    size_t found = 0;
    for (size_t i = 0; i < bench->result.finding_count; i++) {
        const struct finding *finding = &bench->result.findings[i];
        if (strcmp(finding->name, "latency.hidden") != 0)
            continue;
        assert_true(found < 4);
        assert_true(fabs(finding->value - hidden[found++]) < 0.01);
        assert_true(finding->low < finding->value && finding->value < finding->high);
        assert_non_null(strstr(finding->text, "64 MiB"));
    }
    assert_int_equal(found, 4);
}

/* --- several CPUs --- */

/* Each ring lies in the part of the arena that its thread's CPU touches first. */
static void rings_lie_near_their_threads(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &latency_probe, "threads", "3", "sizes", "16K,3M", NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->part_count, 3);
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct plan_point *point = &plan->points[i];
        for (unsigned number = 0; number < 9; number++) {
            bench_trial(bench, point, number, number);
            for (size_t k = 0; k < 3; k++) {
                const struct arena_part *part = &plan->parts[k];
                const struct chase *chase = bench->workers[k].state;
                const size_t at = (size_t)((unsigned char *)chase->position - bench->arena.memory);
                assert_int_equal(part->cpu, point->seats[k].cpu);
                assert_true(part->at == k * part->bytes && part->bytes == 4 << 20);
                assert_true(at >= part->at && at < part->at + part->bytes);
                assert_true(part->at + part->bytes <= point->arena_bytes);
            }
        }
    }
    assert_int_equal(bench_plan(bench, &latency_probe, "threads", "3", "ring", "shared", "sizes",
                                "16K,9M", NULL),
                     0);
    assert_int_equal(plan->part_count, 3);
    assert_true(plan->parts[2].at == 8 << 20 && plan->points[1].arena_bytes == 9 << 20);
}

static void more_threads_than_cpus_are_refused(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &latency_probe, "threads", "6", NULL), ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "at most 5"));
    assert_int_equal(bench_plan(bench, &latency_probe, "ring", "shared", NULL), ERROR_USAGE);
    assert_int_equal(bench_plan(bench, &latency_probe, "threads", "5", "sizes", "1G", NULL),
                     ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "--ring shared"));
    assert_int_equal(
        bench_plan(bench, &latency_probe, "threads", "5", "ring", "shared", "sizes", "1G", NULL),
        0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(each_variant_is_a_curve_over_the_same_sizes),
        BENCH_TEST(words_that_are_none_are_named),
        BENCH_TEST(what_prefetchers_hide_is_reported_by_size_and_stride),
        BENCH_TEST(rings_lie_near_their_threads),
        BENCH_TEST(more_threads_than_cpus_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
