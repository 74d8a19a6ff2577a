#include "support.h"

#include <math.h>

extern const struct probe cores_probe;

/* 50 ns, from 45 to 55. */
static struct point pair(int from, int to, struct scatter scatter)
{
    const struct summary y = {
        .median = 50, .low = 49, .high = 52, .coverage = 0.95f, .min = 45, .max = 55, .n = 64};
    return (struct point){.from = from, .to = to, .y = y, .scatter = scatter};
}

static const struct finding *conclude_lines(struct bench *bench, struct point *points, size_t count)
{
    struct stage_outcome outcome = {0};
    assert_int_equal(bench_plan(bench, &cores_probe, NULL), 0);
    struct series *series = bench->task.plan.series;
    series->points = points;
    series->point_count = count;
    bench->result.series = series;
    bench->result.series_count = 1;
    assert_int_equal(conclude_twice(&bench->task, &outcome, NULL), 0);
    return bench_finding(bench, "cores.cas.lines");
}

static void what_is_not_the_lines_own_is_not_blamed_on_them(void **state)
{
    struct bench *bench = *state;
    struct point points[2] = {pair(0, 1, (struct scatter){0, 0.01f, 0.8f}),
                              pair(1, 0, (struct scatter){0.1f, 0.02f, 0.01f})};
    /* The widest pair is so by noise; the other one's lines differ more. */
    points[0].y.max = 150;
    const struct finding *lines = conclude_lines(bench, points, 2);
    assert_true(lines->value > 19.99 && lines->value < 20.01);
    assert_non_null(
        strstr(lines->text, "from CPU 1 to 0 the latency differs by 20 % from line to"));
}

static void time_and_noise_are_named(void **state)
{
    struct bench *bench = *state;
    const struct {
        struct scatter scatter;
        const char *said;
    } cases[] = {
        {{0.01f, 0.01f, 0.8f}, "by 20 % over the lines, most of it noise and not lines;"},
        {{0.01f, 0.02f, 0.01f}, "by 20 % over the lines, most of it time and not lines;"},
        {{NAN, NAN, NAN}, "by 20 % over the lines; a single-line tool"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct point point = pair(0, 1, cases[i].scatter);
        assert_non_null(strstr(conclude_lines(bench, &point, 1)->text, cases[i].said));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(what_is_not_the_lines_own_is_not_blamed_on_them),
        BENCH_TEST(time_and_noise_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
