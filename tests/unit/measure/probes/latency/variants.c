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

/* An arena has one kind of pages, so those on others follow in a stage of their own. */
static void pages_take_a_stage_each(void **state)
{
    struct bench *bench = *state;
    const struct stage_outcome outcome = {0};
    assert_int_equal(bench_plan(bench, &latency_probe, "variants", "article", "sizes", "16K", NULL),
                     0);
    assert_int_equal(bench->task.plan.series_count, 5);
    assert_int_equal(bench->task.plan.pages, PAGES_SMALL);
    assert_int_equal(bench->task.plan.point_count, 4);
    assert_true(fabs(bench->task.plan.share - 0.8) < 1e-9);
    assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), 1);
    assert_int_equal(bench->task.plan.pages, PAGES_AUTO);
    assert_int_equal(bench->task.plan.point_count, 1);
    assert_int_equal(bench->task.plan.points[0].series, 4);
    assert_int_equal(probe_next(&bench->task, &outcome, 2, &bench->error), 0);
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
    static const double far_ns[] = {1, 5, 10, 40, 100, 101};
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

static void follow(void **start, const unsigned char *from, size_t bytes, size_t count)
{
    void **at = start;
    size_t steps = 0;
    do {
        assert_true((unsigned char *)at >= from && (unsigned char *)at < from + bytes);
        at = *at;
        steps++;
    } while (at != start && steps <= count);
    assert_int_equal(steps, count);
}

static void threads_have_rings_of_their_own_or_one(void **state)
{
    struct bench *bench = *state;
    static const char *const whose[] = {"own", "shared"};
    for (size_t way = 0; way < 2; way++) {
        assert_int_equal(bench_plan(bench, &latency_probe, "threads", "3", "ring", whose[way],
                                    "sizes", "8K", "cpu", "1", NULL),
                         0);
        const struct plan_point *point = &bench->task.plan.points[0];
        const size_t rings = way ? 1 : 3;
        assert_int_equal(point->seat_count, 3);
        assert_int_equal(point->seats[0].cpu, 1);
        assert_int_equal(point->arena_bytes, rings * 8192);
        assert_true(series_factor(nth(bench, 0), "threads")->number == 3);
        assert_string_equal(text_of(nth(bench, 0), "ring"), whose[way]);
        struct worker workers[3];
        struct arena arena = {.memory = aligned_alloc(4096, point->arena_bytes),
                              .bytes = point->arena_bytes};
        struct trial trial = {.plan = &bench->task.plan,
                              .point = point,
                              .arena = &arena,
                              .seed = 7,
                              .workers = workers,
                              .probe_state = bench->task.state};
        assert_non_null(arena.memory);
        latency_probe.prepare(&trial);
        /* Each sees its own latency: what a batch does is one thread's loads. */
        assert_true(trial.operations == chase_steps);
        for (size_t i = 0; i < 3; i++) {
            void **begins = ((struct chase *)workers[i].state)->position;
            follow(begins, arena.memory + (way ? 0 : i * 8192), 8192, 8192 / 64);
            for (size_t other = 0; other < i; other++)
                assert_ptr_not_equal(begins, ((struct chase *)workers[other].state)->position);
        }
        free(arena.memory);
    }
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

static void the_table_takes_sizes(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &latency_probe, "table", NULL, "sizes", "16K,1M", NULL), 0);
    assert_int_equal(bench->task.plan.point_count, 2);
    const struct stage_outcome outcome = {.placement = {.huge_share = 0}};
    for (size_t i = 0; i < 2; i++)
        add_point(bench, &bench->task.plan.series[0], bench->task.plan.points[i].x, 1);
    assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), 1);
    for (size_t i = 0; i < bench->task.plan.point_count; i++)
        assert_true(bench->task.plan.points[i].x == (i % 2 ? 1 << 20 : 16 << 10));
    assert_true(bench->task.plan.series_count > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(each_variant_is_a_curve_over_the_same_sizes),
        BENCH_TEST(pages_take_a_stage_each),
        BENCH_TEST(words_that_are_none_are_named),
        BENCH_TEST(what_prefetchers_hide_is_reported_by_size_and_stride),
        BENCH_TEST(threads_have_rings_of_their_own_or_one),
        BENCH_TEST(more_threads_than_cpus_are_refused),
        BENCH_TEST(the_table_takes_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
