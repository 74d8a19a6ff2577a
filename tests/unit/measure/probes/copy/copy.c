/* Which calls the copy probe plans, where each finds its memory, and what its series say. */
#include "support.h"

#include "measure/kernels/copy.h"

#include <math.h>
#include <stdlib.h>

extern const struct probe copy_probe;

enum { LINE = 64 };
static const uint64_t MIB = 1 << 20;

/* What the series of a point is. */
struct what {
    enum copy_method method;
    const char *off; /* NULL: aligned */
    bool cold;
};

static struct what what_of(const struct bench *bench, const struct plan_point *point)
{
    const struct series *series = &bench->task.plan.series[point->series];
    const struct factor *off = series_factor(series, "off");
    struct what what = {.off = off ? off->text : NULL,
                        .cold = strcmp(series->name, "copy, cold") == 0};
    while (strcmp(copy_method_names[what.method], series_factor(series, "method")->text) != 0)
        what.method++;
    return what;
}

static void plan(struct bench *bench)
{
    bench->task.named = true;
    assert_int_equal(bench_plan(bench, &copy_probe, NULL), 0);
}

static void calls_are_planned_by_size_method_and_state(void **state)
{
    struct bench *bench = *state;
    plan(bench);
    unsigned warm = 0, cold = 0, off = 0;
    assert_true(bench->task.plan.points[0].bytes == 64);
    for (size_t i = 0; i < bench->task.plan.point_count; i++) {
        const struct plan_point *point = &bench->task.plan.points[i];
        const struct what what = what_of(bench, point);
        warm += !what.cold && !what.off;
        cold += what.cold;
        off += what.off != NULL;
        assert_true(point->x == (double)point->bytes);
        assert_true(copy_takes_any(what.method) || point->bytes % COPY_STEP_BYTES == 0);
        assert_true(point->arena_bytes >= 2 * point->bytes);
        assert_true(!what.cold || !what.off);
    }
    assert_true(warm > 0 && cold > 0 && off > 0);
    /* Large calls come in a stage of their own, up to beyond the last cache. */
    struct stage_outcome outcome = {0};
    uint64_t largest = 0;
    assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), 1);
    for (size_t i = 0; i < bench->task.plan.point_count; i++) {
        assert_true(bench->task.plan.points[i].bytes >= 2 * MIB);
        largest =
            bench->task.plan.points[i].bytes > largest ? bench->task.plan.points[i].bytes : largest;
    }
    assert_true(largest >= 16 * MIB);
    assert_int_equal(probe_next(&bench->task, &outcome, 2, &bench->error), 0);
}

/* Prepares a trial of the point in an arena that nothing touches. */
static struct copy *prepare(struct bench *bench, const struct plan_point *point, uint64_t seed)
{
    struct arena arena = {.memory = (unsigned char *)(uintptr_t)(4096 * MIB),
                          .bytes = point->arena_bytes};
    struct worker worker = {0};
    struct trial trial = {.plan = &bench->task.plan,
                          .point = point,
                          .arena = &arena,
                          .seed = seed,
                          .workers = &worker,
                          .probe_state = bench->task.state};
    copy_probe.prepare(&trial);
    assert_non_null(worker.run);
    assert_true(trial.operations ==
                (double)copy_counted(what_of(bench, point).method, point->bytes));
    return worker.state;
}

static void calls_lie_in_the_arena_and_apart(void **state)
{
    struct bench *bench = *state;
    plan(bench);
    const unsigned char *memory = (unsigned char *)(uintptr_t)(4096 * MIB);
    for (size_t i = 0; i < bench->task.plan.point_count; i++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            const struct plan_point *point = &bench->task.plan.points[i];
            const struct what what = what_of(bench, point);
            const struct copy copy = *prepare(bench, point, seed);
            const bool both = what.off && strcmp(what.off, "both") == 0;
            assert_int_equal((uintptr_t)copy.to % LINE,
                             both || (what.off && strcmp(what.off, "destination") == 0));
            assert_int_equal((uintptr_t)copy.from % LINE,
                             both || (what.off && strcmp(what.off, "source") == 0));
            assert_true(copy.to >= memory && copy.from >= copy.to + copy.bytes);
            const uint64_t last = (copy.places - 1) * copy.place_bytes;
            assert_true(copy.from + last + copy.bytes <= memory + point->arena_bytes);
            assert_true(what.cold == (copy.places > 1));
        }
}

/* Cold memory is gone through all of it before any of it is used again. */
static void cold_calls_go_on_where_the_last_ones_stopped(void **state)
{
    struct bench *bench = *state;
    plan(bench);
    const struct plan_point *cold = NULL, *warm = &bench->task.plan.points[0];
    for (size_t i = 0; i < bench->task.plan.point_count && !cold; i++)
        if (what_of(bench, &bench->task.plan.points[i]).cold)
            cold = &bench->task.plan.points[i];
    assert_non_null(cold);
    struct copy *copy = prepare(bench, cold, 1);
    assert_int_equal(copy->place, 0);
    copy->place = 7; /* as the kernel leaves it */
    copy = prepare(bench, warm, 2);
    copy->place = 3; /* means nothing */
    assert_int_equal(prepare(bench, cold, 3)->place, 7);
}

static void sizes_beyond_memory_and_zero_are_refused(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &copy_probe, "sizes", "4K,3G", NULL), ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "--sizes 3 GiB"));
    assert_non_null(strstr(bench->error.text, "at most"));
    assert_int_equal(settings_set(&bench->settings, "sizes", "0", &bench->error), ERROR_USAGE);
    assert_int_equal(bench_plan(bench, &copy_probe, "sizes", "8K,100,8K", NULL), 0);
    for (size_t i = 0; i < bench->task.plan.point_count; i++)
        assert_true(bench->task.plan.points[i].bytes == 100 ||
                    bench->task.plan.points[i].bytes == 8192);
}

static double rate_of(const struct bench *bench, const struct plan_point *point)
{
    return 1e11;
}

/* Each level has a call that stands for it. */
static void levels_have_calls_of_their_own(void **state)
{
    struct bench *bench = *state;
    static const char *const levels[] = {"L1", "L2", "DRAM"};
    struct stage_outcome outcome = {0};
    plan(bench);
    bench_measured(bench, rate_of);
    assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), 1);
    bench_measured(bench, rate_of);
    assert_int_equal(conclude_twice(&bench->task, &outcome, &bench->error), 0);
    const struct factor *calls = probe_parameter(&bench->result, "level_calls");
    assert_int_equal(calls->list_count, 6);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(calls->list[2 * i].text, levels[i]);
    assert_true(calls->list[1].number == 8192 && calls->list[3].number == 262144);
    assert_true(bench_finding(bench, "copy.memcpy.L1")->value == (double)(float)1e11);
    /* 64 bytes loaded and stored */
    assert_true(fabs(bench_finding(bench, "copy.memcpy.call")->value - 1.28) < 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(calls_are_planned_by_size_method_and_state),
        BENCH_TEST(calls_lie_in_the_arena_and_apart),
        BENCH_TEST(cold_calls_go_on_where_the_last_ones_stopped),
        BENCH_TEST(sizes_beyond_memory_and_zero_are_refused),
        BENCH_TEST(levels_have_calls_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
