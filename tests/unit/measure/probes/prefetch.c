#include "support.h"

#include "document/flag.h"
#include "measure/kernels/chase.h"
#include "measure/probes/chase/chases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct probe prefetch_probe;

enum { LINE = 64, PAGE = 4096, ORDERS = 5 };

static void give(struct bench *bench, size_t series, double x, double cycles, double doubt)
{
    struct series *to = &bench->task.plan.series[series];
    struct point *point =
        pool_append(&bench->pool, (void **)&to->points, &to->point_count, sizeof *point);
    float low = (float)(cycles * (1 - doubt)), high = (float)(cycles * (1 + doubt));
    *point = (struct point){.x = x,
                            .y = {(float)cycles / 3, low / 3, high / 3, 0.97f, .n = 6},
                            .cycles = {(float)cycles, low, high}};
}

/* A machine that hides nine tenths of everything forward up to `reach`, half backward of one line,
 * and whose pages in order take `through` of what they take out of order. */
static void measure(struct bench *bench, double reach, double through, double doubt)
{
    struct stage_outcome outcome = {0};
    assert_int_equal(bench_plan(bench, &prefetch_probe, NULL), 0);
    for (size_t i = 0; i < bench->task.plan.point_count; i++) {
        const struct plan_point *point = &bench->task.plan.points[i];
        const char *name = bench->task.plan.series[point->series].name;
        bool hidden = strstr(name, "forward") && point->x <= reach;
        bool half = strstr(name, "backward") && point->x <= (double)LINE;
        give(bench, point->series, point->x, hidden ? 10 : half ? 50 : 100, doubt);
    }
    assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), 1);
    for (size_t i = 0; i < 2; i++)
        give(bench, bench->task.plan.points[i].series, bench->task.plan.points[i].x,
             i == 0 ? 10 * through : 10, doubt);
    bench->result.series = bench->task.plan.series;
    bench->result.series_count = bench->task.plan.series_count;
    assert_int_equal(conclude_twice(&bench->task, &outcome, &bench->error), 0);
}

static void what_is_hidden_is_found(void **state)
{
    struct bench *bench = *state;
    measure(bench, 2048, 0.5, 0.01);
    static const char *const levels[] = {"L2", "L3", "DRAM"};
    for (size_t i = 0; i < 3; i++) {
        char name[40];
        snprintf(name, sizeof name, "prefetch.%s.forward", levels[i]);
        const struct finding *forward = bench_find(bench, name);
        assert_non_null(forward);
        assert_true(fabs(forward->value - 90) < 0.1);
        assert_true(forward->low < 90 && forward->low > 89);
        assert_true(forward->high > 90 && forward->high < 91);
        snprintf(name, sizeof name, "prefetch.%s.backward", levels[i]);
        assert_true(fabs(bench_find(bench, name)->value - 50) < 0.1);
        assert_string_equal(bench_find(bench, name)->unit, "%");
    }
    const struct finding *stride = bench_find(bench, "prefetch.max_stride");
    assert_true(stride->value == 2048 && stride->low == 2048 && stride->high == 4096);
    assert_true(bench_find(bench, "prefetch.crosses_page")->value == 1);
    assert_null(bench_find(bench, "prefetch.L1.forward"));
}

/* Forward is no faster than random order nearby: what it saves is translation. */
static void translation_is_not_taken_for_prefetching(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    assert_int_equal(bench_plan(bench, &prefetch_probe, NULL), 0);
    for (size_t i = 0; i < bench->task.plan.point_count; i++) {
        const struct plan_point *point = &bench->task.plan.points[i];
        const char *name = bench->task.plan.series[point->series].name;
        bool far = point->x >= (double)PAGE;
        give(bench, point->series, point->x,
             strstr(name, "forward")             ? far ? 40 : 10
             : strstr(name, "64 strides") && far ? 41
                                                 : 100,
             0.01);
    }
    bench->result.series = bench->task.plan.series;
    bench->result.series_count = bench->task.plan.series_count;
    assert_int_equal(conclude_twice(&bench->task, &outcome, &bench->error), 0);
    assert_true(bench_find(bench, "prefetch.max_stride")->value == 2048);
}

static void pages_are_as_large_as_the_machines(void **state)
{
    struct bench *bench = *state;
    static uint64_t sizes[] = {64 << 10};
    bench->machine.facts.page_sizes = sizes;
    bench->machine.facts.page_size_count = 1;
    measure(bench, 32768, 0.5, 0.01);
    assert_true(bench_find(bench, "prefetch.max_stride")->value == 32768);
    assert_true(bench_find(bench, "prefetch.crosses_page")->value == 1);
    assert_non_null(strstr(bench_find(bench, "prefetch.crosses_page")->text, "on 64 KiB pages"));
    const struct series *anew = &bench->task.plan.series[bench->task.plan.series_count - 1];
    assert_string_equal(series_factor(anew, "order")->text, "forward-in-block:64K");
}

static void what_stops_at_a_page_is_distinguished_from_what_does_not(void **state)
{
    struct bench *bench = *state;
    measure(bench, 2048, 1, 0.01);
    assert_true(bench_find(bench, "prefetch.crosses_page")->value == 0);
}

static void what_is_uncertain_is_not_guessed(void **state)
{
    struct bench *bench = *state;
    measure(bench, 0, 0.9, 0.2);
    const struct finding *crosses = bench_find(bench, "prefetch.crosses_page");
    assert_true(isnan(crosses->value));
    assert_non_null(strstr(crosses->text, "not found"));
    const struct finding *stride = bench_find(bench, "prefetch.max_stride");
    assert_true(isnan(stride->value));
    assert_non_null(strstr(stride->text, "none: "));
}

/* A run without time for a second trial: what one trial says stands, with its doubt and without an
 * interval, and no verdict is built on it. */
static void a_single_trial_gives_no_interval(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    measure(bench, 2048, 0.5, 0);
    for (size_t s = 0; s < bench->result.series_count; s++)
        for (size_t i = 0; i < bench->result.series[s].point_count; i++) {
            bench->result.series[s].points[i].y.coverage = 0;
            bench->result.series[s].points[i].flags = FLAG_BIT(FLAG_TOO_FEW);
        }
    bench->result.finding_count = 0;
    assert_int_equal(conclude_twice(&bench->task, &outcome, &bench->error), 0);
    const struct finding *forward = bench_find(bench, "prefetch.L2.forward");
    assert_true(fabs(forward->value - 90) < 0.1 && isnan(forward->low) && isnan(forward->high));
    assert_non_null(strstr(forward->text, "too uncertain to tell"));
    const struct finding *stride = bench_find(bench, "prefetch.max_stride");
    assert_true(stride->value == 2048 && isnan(stride->low) && isnan(stride->high));
    assert_true(stride->flags & FLAG_BIT(FLAG_TOO_FEW));
    const struct finding *crosses = bench_find(bench, "prefetch.crosses_page");
    assert_true(isnan(crosses->value));
    assert_non_null(strstr(crosses->text, "in a single trial"));
}

static void a_set_that_fell_into_the_level_before_shows_nothing(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    assert_int_equal(bench_plan(bench, &prefetch_probe, NULL), 0);
    for (size_t i = 0; i < bench->task.plan.point_count; i++) {
        const struct plan_point *point = &bench->task.plan.points[i];
        bool forward = strstr(bench->task.plan.series[point->series].name, "forward");
        bool fell = point->x >= 1024; /* then the random order is fast too */
        give(bench, point->series, point->x, forward ? 10 : fell ? 30 : 100, 0.01);
    }
    bench->result.series = bench->task.plan.series;
    bench->result.series_count = bench->task.plan.series_count;
    assert_int_equal(conclude_twice(&bench->task, &outcome, &bench->error), 0);
    assert_true(bench_find(bench, "prefetch.max_stride")->value == 512);
    assert_non_null(strstr(bench_find(bench, "prefetch.crosses_page")->text, "not measured"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(what_is_hidden_is_found),
        BENCH_TEST(pages_are_as_large_as_the_machines),
        BENCH_TEST(translation_is_not_taken_for_prefetching),
        BENCH_TEST(what_stops_at_a_page_is_distinguished_from_what_does_not),
        BENCH_TEST(what_is_uncertain_is_not_guessed),
        BENCH_TEST(a_single_trial_gives_no_interval),
        BENCH_TEST(a_set_that_fell_into_the_level_before_shows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
