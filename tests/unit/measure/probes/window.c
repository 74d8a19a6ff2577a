#include "measure/probes/drive.h"

#include "base/random.h"
#include "document/flag.h"
#include "measure/kernels/window.h"

#include <stdlib.h>

extern const struct probe window_probe;

/* Fillers with which both misses still overlap; noise; what beyond them a pair takes. */
static struct {
    double hold[WINDOW_FILLERS];
    double noise, beyond;
    unsigned rounds; /* for which there was time */
    bool flat_near;  /* the step is not seen again when looked at from near */
} core;

static bool is_near(const struct probe_task *task, const struct plan_point *point)
{
    const struct factor *look = series_factor(&task->plan.series[point->series], "look");
    return strcmp(look->text, "around the step") == 0;
}

static double cycles(const struct probe_task *task, const struct plan_point *point, unsigned trial)
{
    if (trial >= core.rounds)
        return NAN;
    struct random random = {random_mix((uint64_t)point->x * 1000003u + point->series) + trial};
    const bool holds =
        point->x <= core.hold[point->index] || (core.flat_near && is_near(task, point));
    double value = holds ? 300 : 300 * core.beyond;
    return value * (1 + core.noise * (random_unit(&random) - 0.5));
}

static int set_up(void **state)
{
    core.hold[WINDOW_NOP] = 221;
    core.hold[WINDOW_ADD] = 150;
    core.hold[WINDOW_LOAD] = 70;
    core.noise = 0.1;
    core.beyond = 2;
    core.rounds = UINT32_MAX;
    core.flat_near = false;
    return bench_set_up(state);
}

static void nothing_is_measured_without_a_loop(void **state)
{
    struct bench *bench = *state;
    if (window_kernels[0])
        skip();
    assert_int_equal(bench_plan(bench, &window_probe, NULL), 0);
    assert_int_equal(bench->result.status, PROBE_SKIPPED);
    assert_non_null(strstr(bench->result.reason, "no loop for this architecture"));
}

static void the_step_is_exact(void **state)
{
    struct bench *bench = *state;
    if (!window_kernels[0])
        skip();
    assert_int_equal(drive(bench, &window_probe, 0, cycles), 2);
    /* The two loads and the jump are in the window as well. */
    assert_true(bench_finding(bench, "window.nop")->value == 221 + 2 + window_between);
    assert_true(bench_finding(bench, "window.add")->value == 150 + 2);
    const struct finding *load = bench_finding(bench, "window.load");
    assert_true(load->value == 70 + 2);
    assert_true(load->low == load->value && load->high == load->value);
    assert_non_null(load->text);
}

static void no_step_is_not_detected(void **state)
{
    struct bench *bench = *state;
    if (!window_kernels[0])
        skip();
    core.hold[WINDOW_ADD] = 5000;
    drive(bench, &window_probe, 0, cycles);
    assert_true(isnan(bench_finding(bench, "window.add")->value));
    assert_non_null(strstr(bench_finding(bench, "window.add")->text, "not found"));
    assert_int_equal(bench_finding(bench, "window.add")->flags, 0);
    assert_true(bench_finding(bench, "window.nop")->value > 0);
}

static void a_rise_that_is_no_second_miss_is_no_step(void **state)
{
    struct bench *bench = *state;
    if (!window_kernels[0])
        skip();
    core.beyond = 1.3;
    assert_int_equal(drive(bench, &window_probe, 0, cycles), 1);
    assert_true(isnan(bench_finding(bench, "window.nop")->value));
}

static void the_rounds_that_there_was_time_for_decide(void **state)
{
    struct bench *bench = *state;
    if (!window_kernels[0])
        skip();
    for (core.rounds = 3; core.rounds < 6; core.rounds++) {
        bench->result.finding_count = 0;
        assert_int_equal(drive(bench, &window_probe, 0, cycles), 2);
        assert_true(bench_finding(bench, "window.add")->value == 150 + 2);
    }
}

static void too_few_rounds_are_a_doubt_and_no_answer(void **state)
{
    struct bench *bench = *state;
    if (!window_kernels[0])
        skip();
    core.rounds = 1;
    assert_int_equal(drive(bench, &window_probe, 0, cycles), 1);
    const struct finding *add = bench_finding(bench, "window.add");
    assert_true(isnan(add->value));
    assert_non_null(strstr(add->text, "only 1 trial finished"));
    assert_true(flag_doubts(add->flags));
}

static void a_step_that_is_not_seen_again_is_a_doubt(void **state)
{
    struct bench *bench = *state;
    if (!window_kernels[0])
        skip();
    core.flat_near = true;
    assert_int_equal(drive(bench, &window_probe, 0, cycles), 2);
    const struct finding *add = bench_finding(bench, "window.add");
    assert_true(isnan(add->value));
    assert_non_null(strstr(add->text, "seen near 1"));
    assert_non_null(strstr(add->text, "0 of 11 saw it"));
    assert_true(flag_doubts(add->flags));
}

#define CORE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, bench_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CORE_TEST(nothing_is_measured_without_a_loop),
        CORE_TEST(the_step_is_exact),
        CORE_TEST(no_step_is_not_detected),
        CORE_TEST(a_rise_that_is_no_second_miss_is_no_step),
        CORE_TEST(the_rounds_that_there_was_time_for_decide),
        CORE_TEST(too_few_rounds_are_a_doubt_and_no_answer),
        CORE_TEST(a_step_that_is_not_seen_again_is_a_doubt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
