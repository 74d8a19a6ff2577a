#include "support.h"

#include "measure/kernels/chase.h"
#include "measure/kernels/forward.h"
#include "measure/probes/chase/chases.h"

#include <math.h>
#include <stdlib.h>

extern const struct probe access_probe;

enum { LINE = 64, PAGE = 4096, BYTES = 1 << 20 };

/* Gives every point planned now what `cycles` says of its series. */
static void give(struct bench *bench, double (*cycles)(const char *), double doubt)
{
    for (size_t i = 0; i < bench->task.plan.point_count; i++) {
        const struct plan_point *planned = &bench->task.plan.points[i];
        struct series *to = &bench->task.plan.series[planned->series];
        struct point *point =
            pool_append(&bench->pool, (void **)&to->points, &to->point_count, sizeof *point);
        float value = (float)cycles(to->name);
        float low = value * (float)(1 - doubt), high = value * (float)(1 + doubt);
        *point = (struct point){.x = planned->x,
                                .y = {value / 3, low / 3, high / 3, 0.97f, .n = 6},
                                .cycles = {value, low, high}};
    }
}

static double model(const char *series)
{
    return strstr(series, "across the end of a line")   ? 11
           : strstr(series, "across the end of a page") ? 32
           : strstr(series, "within a")                 ? 10
           : strstr(series, "more than")                ? 18
                                                        : 5;
}

static void measure(struct bench *bench, double doubt)
{
    struct stage_outcome outcome = {0};
    assert_int_equal(bench_plan(bench, &access_probe, NULL), 0);
    give(bench, model, doubt);
    if (probe_next(&bench->task, &outcome, 1, &bench->error) == 1)
        give(bench, model, doubt);
    bench->result.series = bench->task.plan.series;
    bench->result.series_count = bench->task.plan.series_count;
}

static void conclude(struct bench *bench, double doubt)
{
    struct stage_outcome outcome = {0};
    measure(bench, doubt);
    assert_int_equal(conclude_twice(&bench->task, &outcome, &bench->error), 0);
}

static void findings_are_what_it_costs_beyond_a_plain_load(void **state)
{
    struct bench *bench = *state;
    conclude(bench, 0.01);
    assert_true(bench_find(bench, "access.forwarding")->value == 5);
    assert_true(bench_find(bench, "access.forwarding.wide")->value == 18);
    if (!chase_straddles) {
        assert_true(isnan(bench_find(bench, "access.line_cross")->value));
        return;
    }
    static const char *const lines[] = {"access.line_cross.L1", "access.line_cross.L2",
                                        "access.line_cross.L3", "access.line_cross.DRAM"};
    static const char *const pages[] = {"access.page_cross.L1", "access.page_cross.L2",
                                        "access.page_cross.L3", "access.page_cross.DRAM"};
    for (size_t i = 0; i < 4; i++) {
        const struct finding *line = bench_find(bench, lines[i]),
                             *page = bench_find(bench, pages[i]);
        assert_non_null(line);
        assert_non_null(page);
        assert_true(line->value == 1 && page->value == 22);
        assert_true(fabs(line->low - (11 * 0.99 - 10 * 1.01)) < 1e-4);
        assert_true(fabs(line->high - (11 * 1.01 - 10 * 0.99)) < 1e-4);
        assert_string_equal(line->unit, "cycles");
        assert_null(strstr(line->text, "no difference"));
    }
}

static const struct series *series_named(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->task.plan.series_count; i++)
        if (strcmp(bench->task.plan.series[i].name, name) == 0)
            return &bench->task.plan.series[i];
    return NULL;
}

static void pages_are_as_large_as_the_machines(void **state)
{
    struct bench *bench = *state;
    static uint64_t sizes[] = {16 << 10, 32 << 20};
    struct machine_facts *facts = &bench->machine.facts;
    if (!chase_straddles)
        skip();
    facts->page_sizes = sizes;
    facts->page_size_count = 2;
    for (; sizes[0] <= 64 << 10; sizes[0] *= 4) {
        conclude(bench, 0.01);
        const struct series *across = series_named(bench, "across the end of a page");
        assert_true(series_number(across, "stride") == (double)sizes[0]);
        assert_true(series_number(across, "align") == (double)sizes[0] - 4);
        assert_true(bench_find(bench, "access.page_cross.DRAM")->value == 22);
        bench->result = (struct probe_result){0};
    }
    sizes[0] = 4 << 10;
    measure(bench, 0.01);
    sizes[0] = 64 << 10; /* a document with pages of 4 KiB, of a machine without them */
    struct stage_outcome outcome = {0};
    assert_int_equal(conclude_twice(&bench->task, &outcome, &bench->error), 0);
    assert_true(isnan(bench_find(bench, "access.page_cross.DRAM")->value));
    assert_non_null(strstr(bench_find(bench, "access.page_cross.DRAM")->text, "are larger"));
    assert_true(bench_find(bench, "access.line_cross.DRAM")->value == 1);
}

static double hashed(const char *series)
{
    return strstr(series, "within a page") ? 7 : model(series);
}

static void lines_that_fell_into_the_level_before_tell_nothing(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    assert_int_equal(bench_plan(bench, &access_probe, NULL), 0);
    if (!chase_straddles)
        skip();
    give(bench, hashed, 0.01);
    assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), 1);
    give(bench, hashed, 0.01);
    bench->result.series = bench->task.plan.series;
    bench->result.series_count = bench->task.plan.series_count;
    assert_int_equal(conclude_twice(&bench->task, &outcome, &bench->error), 0);
    assert_true(isnan(bench_find(bench, "access.page_cross.L3")->value));
    assert_non_null(strstr(bench_find(bench, "access.page_cross.L3")->text, "not found"));
    assert_true(bench_find(bench, "access.line_cross.L3")->value == 1);
}

static void what_is_lost_in_noise_is_said_to_be(void **state)
{
    struct bench *bench = *state;
    if (!chase_straddles)
        skip();
    conclude(bench, 0.1);
    assert_non_null(strstr(bench_find(bench, "access.line_cross.L3")->text, "no difference"));
    assert_null(strstr(bench_find(bench, "access.page_cross.L3")->text, "no difference"));
}

/* A run without time for a second trial: its interval in the document is the trial itself. */
static void a_single_trial_gives_no_interval(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    conclude(bench, 0);
    for (size_t s = 0; s < bench->result.series_count; s++)
        for (size_t i = 0; i < bench->result.series[s].point_count; i++) {
            bench->result.series[s].points[i].y.coverage = 0;
            bench->result.series[s].points[i].y.n = 1;
        }
    bench->result.finding_count = 0;
    bench->result.parameter_count--; /* the levels, which are given again */
    assert_int_equal(conclude_twice(&bench->task, &outcome, &bench->error), 0);
    const struct finding *forwarding = bench_find(bench, "access.forwarding");
    assert_true(forwarding->value == 5 && isnan(forwarding->low) && isnan(forwarding->high));
    if (!chase_straddles)
        return;
    const struct finding *line = bench_find(bench, "access.line_cross.L1");
    assert_true(line->value == 1 && isnan(line->low) && isnan(line->high));
    assert_non_null(strstr(line->text, "a single trial shows no difference"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(findings_are_what_it_costs_beyond_a_plain_load),
        BENCH_TEST(pages_are_as_large_as_the_machines),
        BENCH_TEST(lines_that_fell_into_the_level_before_tell_nothing),
        BENCH_TEST(what_is_lost_in_noise_is_said_to_be),
        BENCH_TEST(a_single_trial_gives_no_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
