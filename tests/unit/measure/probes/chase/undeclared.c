/* A machine that declares no cache, as a guest may: no probe takes one of its caches for DRAM. */
#include "measure/probes/support.h"

#include "measure/probes/chase/working_sets.h"

#include <math.h>

extern const struct probe parallelism_probe, loaded_probe, bandwidth_probe, copy_probe;

static const uint64_t KIB = 1024, MIB = 1024 * 1024;

/* From 2 MiB on a load takes 120 ns: that was a third-level cache that others filled meanwhile. */
static struct point points[] = {{.x = 4 * 1024}, {.x = 256 * 1024}, {.x = 2 << 20}, {.x = 8 << 20}};
static struct series curve = {
    .name = "latency", .headline = true, .points = points, .point_count = 4};
static struct finding found[] = {{.name = "L1.capacity", .value = 48 * 1024},
                                 {.name = "L2.capacity", .value = 757760},
                                 {.name = "DRAM.latency_ns", .value = 120}};
static struct probe_result latency = {.name = "latency",
                                      .status = PROBE_OK,
                                      .series = &curve,
                                      .series_count = 1,
                                      .findings = found,
                                      .finding_count = 3};
static struct document document = {.probes = &latency, .probe_count = 1};

static int set_up(void **state)
{
    bench_set_up(state);
    struct bench *bench = *state;
    const float ns[] = {1, 4, 119, 120};
    for (size_t i = 0; i < 4; i++)
        points[i].y = (struct summary){.median = ns[i], .n = 6};
    document.conditions.load1 = 30; /* where a busy machine would have a smaller set */
    bench->machine.facts.cache_count = 0;
    bench->task.document = &document;
    return 0;
}

/* The smallest set of the plan's points in DRAM, of all their seats together; INFINITY: none. */
static double least_of_dram(const struct bench *bench, unsigned arrays)
{
    const struct plan *plan = &bench->task.plan;
    double least = INFINITY;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct plan_point *point = &plan->points[i];
        const struct factor *level = series_factor(&plan->series[point->series], "level");
        const size_t bytes =
            arrays ? point->bytes * point->seat_count * arrays : point->arena_bytes;
        if (level && strcmp(level->text, "DRAM") == 0)
            least = fmin(least, (double)bytes);
    }
    return least;
}

static void in_memory(double bytes)
{
    if (!(bytes >= 255.9 * (double)MIB && isfinite(bytes)))
        fail_msg("a set for DRAM has %g MiB", bytes / (double)MIB);
}

static double rate_of(const struct bench *bench, const struct plan_point *point)
{
    return 1e11;
}

/* The call of `copy` that stands for DRAM; 0: none. */
static double copied_in_dram(struct bench *bench)
{
    const struct stage_outcome outcome = {0};
    bench->result = (struct probe_result){0};
    assert_int_equal(bench_plan(bench, &copy_probe, NULL), 0);
    bench_measured(bench, rate_of);
    assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), 1);
    bench_measured(bench, rate_of);
    assert_int_equal(probe_conclude(&bench->task, &outcome, &bench->error), 0);
    const struct factor *calls = probe_parameter(&bench->result, "level_calls");
    for (size_t i = 0; i + 1 < calls->list_count; i += 2)
        if (strcmp(calls->list[i].text, "DRAM") == 0)
            return calls->list[i + 1].number;
    return 0;
}

static void sets_are_beyond_any_cache(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    bench->task.named = true;
    assert_int_equal(bench_plan(bench, &parallelism_probe, NULL), 0);
    in_memory(least_of_dram(bench, 0));
    assert_string_equal(series_factor(&bench->task.plan.series[0], "working set")->text, "256 MiB");
    assert_int_equal(bench_plan(bench, &loaded_probe, NULL), 0);
    in_memory((double)bench->task.plan.points[0].bytes);
    assert_non_null(series_factor(&bench->task.plan.series[0], "working set"));
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "kernel", "read", NULL), 0);
    assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), 1);
    while (isinf(least_of_dram(bench, 1)))
        assert_int_equal(probe_next(&bench->task, &outcome, 2, &bench->error), 1);
    in_memory(least_of_dram(bench, 1));
    in_memory(2 * copied_in_dram(bench));
    bench->task.named = false;
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "quick", NULL, NULL), 0);
    in_memory(least_of_dram(bench, 1));
}

/* In little memory nothing is called DRAM. */
static void without_memory_there_is_no_dram(void **state)
{
    struct bench *bench = *state;
    bench->machine.memory_available_bytes = 500 * MIB;
    bench->task.named = true;
    assert_int_equal(bench_plan(bench, &parallelism_probe, NULL), 0);
    assert_true(isinf(least_of_dram(bench, 0)) && bench->task.plan.point_count);
    assert_true(copied_in_dram(bench) == 0);
    assert_int_equal(bench_plan(bench, &loaded_probe, NULL), 0);
    assert_int_equal(bench->result.status, PROBE_SKIPPED);
    assert_non_null(strstr(bench->result.reason, "too little memory"));
    bench->task.named = false;
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "quick", NULL, NULL), 0);
    assert_true(isinf(least_of_dram(bench, 1)));
}

/* Where a curve shows memory from a size on, a set is four times that, whatever is declared. */
static void a_curve_says_where_memory_begins(void **state)
{
    struct bench *bench = *state;
    bench->machine.facts.cache_count = 3;
    points[2].x = (double)(48 * MIB);
    points[3].x = (double)(96 * MIB);
    bench->task.named = true;
    assert_int_equal(bench_plan(bench, &parallelism_probe, NULL), 0);
    assert_true(least_of_dram(bench, 0) >= 4 * points[2].x);
    points[2].x = (double)(2 * MIB);
    points[3].x = (double)(8 * MIB);
    assert_int_equal(bench_plan(bench, &parallelism_probe, NULL), 0);
    assert_true(least_of_dram(bench, 0) >= 64.0 * (double)MIB &&
                least_of_dram(bench, 0) < 65.0 * (double)MIB + (double)(64 * KIB));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sets_are_beyond_any_cache, set_up, bench_tear_down),
        cmocka_unit_test_setup_teardown(without_memory_there_is_no_dram, set_up, bench_tear_down),
        cmocka_unit_test_setup_teardown(a_curve_says_where_memory_begins, set_up, bench_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
