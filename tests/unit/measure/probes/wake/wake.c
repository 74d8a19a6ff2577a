/* What is planned, and what wake-ups on this machine come to. */
#include "../support.h"

#include "machine/bell.h"
#include "measure/kernels/wake.h"
#include "measure/run/run.h"

#include <math.h>
#include <stdlib.h>

extern const struct probe wake_probe;

static size_t points_of(const struct plan *plan, unsigned series)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->point_count; i++)
        count += plan->points[i].series == series;
    return count;
}

/* The points of a group have no CPU in common. */
static void check_groups(const struct plan *plan)
{
    size_t first = 0;
    for (size_t group = 0; group < plan->group_count; first += plan->groups[group++]) {
        bool taken[BENCH_CPUS] = {false};
        assert_true(plan->groups[group] > 0);
        for (size_t i = first; i < first + plan->groups[group]; i++) {
            const int cpus[] = {plan->points[i].from, plan->points[i].to};
            for (int side = 0; side < 2; side++) {
                assert_false(taken[cpus[side]]);
                taken[cpus[side]] = true;
            }
        }
    }
    assert_int_equal(first, plan->point_count);
}

/* Skips where this system has no bells. */
static void plan_it(struct bench *bench, const char *option, const char *value)
{
    bench->task.named = true;
    const int code = bench_plan(bench, &wake_probe, option, value, NULL);
    if (code == ERROR_IMPOSSIBLE) {
        print_message("%s\n", bench->error.text);
        skip();
    }
    assert_int_equal(code, 0);
}

static void every_pair_is_measured_by_every_way(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    plan_it(bench, NULL, NULL);
    struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->series_count, BELL_KINDS + 1);
    assert_int_equal(plan->point_count, (BELL_KINDS - 1) * 5 * 4);
    for (unsigned series = 0; series < BELL_SPIN; series++)
        assert_int_equal(points_of(plan, series), 5 * 4);
    check_groups(plan);
    assert_int_equal(plan->meant, MEANT_SWITCHES); /* what sleeps is switched out */
    assert_int_equal(probe_next(&bench->task, &outcome, 1, NULL), 1);
    assert_int_equal(points_of(plan, BELL_SPIN), 5 * 4);
    assert_int_equal(plan->point_count, 5 * 4);
    assert_int_equal(plan->meant, 0); /* nobody sleeps: a switch is an interruption */
    check_groups(plan);
    /* Without a rate of the counter no sleep has a known length. */
    assert_int_equal(probe_next(&bench->task, &outcome, 2, NULL), 0);
}

/* A trial of the plan's first point, as the engine would have measured it: 100 round trips in 1 ms
 * of a counter at 2 GHz, and so many switches. */
static void observe(struct bench *bench, unsigned switches)
{
    struct wake_turns turns[2] = {{.done = {100, switches, 2000000}}, {.done = {100, 0, 2000000}}};
    struct worker workers[2] = {{.state = &turns[0]}, {.state = &turns[1]}};
    const struct trial trial = {.plan = &bench->task.plan,
                                .point = &bench->task.plan.points[0],
                                .workers = workers,
                                .probe_state = bench->task.state};
    const struct batch batch = {.ns = 1e6};
    wake_probe.observe(&bench->task,
                       &(struct observation){
                           .trial = &trial, .batches = &batch, .batch_count = 1, .repeats = 100});
}

static void sleeps_follow_one_after_the_other(void **state)
{
    static const double sleeps_us[] = {10, 100, 1000, 10000};
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    plan_it(bench, "way", "pipe");
    const struct plan *plan = &bench->task.plan;
    observe(bench, 100);
    for (unsigned sleep = 0; sleep < 4; sleep++) {
        assert_int_equal(probe_next(&bench->task, &outcome, sleep + 1, NULL), 1);
        assert_int_equal(plan->point_count, 1);
        assert_true(plan->points[0].x == sleeps_us[sleep]);
        assert_true(plan->kernel_timed && plan->repeats == 1);
        assert_string_equal(plan->series[plan->points[0].series].factors[0].text, "pipe");
    }
    assert_int_equal(probe_next(&bench->task, &outcome, 9, NULL), 0);
}

static void a_whole_run_takes_one_pair(void **state)
{
    struct bench *bench = *state;
    bench->task.named = false;
    assert_int_equal(bench_plan(bench, &wake_probe, NULL), 0);
    if (bench->result.status == PROBE_SKIPPED) {
        print_message("%s\n", bench->result.reason);
        skip();
    }
    assert_int_equal(bench->task.plan.point_count, 1);
    assert_string_equal(bench->task.plan.series[0].factors[0].text, "futex");
}

/* Where no switch is counted of threads that sleep, that is said; a spinning pair alone has none.
 */
static void a_system_that_counts_no_switches_is_reported(void **state)
{
    struct bench *bench = *state;
    const struct stage_outcome outcome = {0};
    static const struct {
        const char *way, *name;
        unsigned switches;
        double value;
    } cases[] = {{"spin", "wake.spin.switches", 0, 0},
                 {"pipe", "wake.pipe.switches", 0, NAN},
                 {"pipe", "wake.pipe.switches", 90, 0.45}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plan_it(bench, "way", cases[i].way);
        observe(bench, 0);
        observe(bench, 2 * cases[i].switches);
        assert_int_equal(probe_conclude(&bench->task, &outcome, &bench->error), 0);
        const struct finding *found = bench_finding(bench, cases[i].name);
        assert_true(isnan(cases[i].value) ? isnan(found->value)
                                          : fabs(found->value - cases[i].value) < 1e-6);
        assert_true(isnan(cases[i].value) == (strstr(found->text, "unknown: ") != NULL));
    }
}

/* --- on this machine --- */

/* The least of all trials of a way, because neighbours only make it longer. */
static double least_of(const struct probe_result *result, const char *way)
{
    double least = INFINITY;
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        if (!series->matrix || strcmp(series_factor(series, "way")->text, way) != 0)
            continue;
        for (size_t p = 0; p < series->point_count; p++)
            if ((double)series->points[p].y.min < least)
                least = (double)series->points[p].y.min;
    }
    return least;
}

/* What sleeps is switched out and what spins is not, whatever else runs; and no way that asks the
 * system is faster than a word in memory. */
static void sleeping_takes_switches_and_spinning_none(void **state)
{
    static const struct probe *const list[] = {&wake_probe, NULL};
    struct machine machine;
    struct settings settings = {0};
    struct document document = {0};
    struct error error;
    assert_int_equal(machine_read(&machine, &(struct machine_source){0}, &error), 0);
    assert_int_equal(settings_add(&settings, probe_common_options, NULL), 0);
    assert_int_equal(settings_set(&settings, "budget", "3", &error), 0);
    if (machine.allowed.count > 2)
        assert_int_equal(settings_set(&settings, "cpus", "0,1", &error), 0);
    struct run run = {
        .machine = &machine, .settings = &settings, .probes = list, .document = &document};
    int code = machine.allowed.count < 2 ? ERROR_IMPOSSIBLE : run_plan(&run, &error);
    if (code == 0)
        code = run_measure(&run, &error);
    const struct probe_result *result = &document.probes[0];
    /* Beside many others some pairs get no time to run together. */
    static const char *const ways[] = {"futex", "eventfd", "pipe", "condition"};
    unsigned measured = 0;
    for (size_t i = 0; code == 0 && i < sizeof ways / sizeof *ways; i++) {
        char name[64];
        snprintf(name, sizeof name, "wake.%s.switches", ways[i]);
        const struct finding *switches = document_finding(&document, name);
        if (!switches || isnan(switches->value))
            continue;
        assert_true(switches->value > 0.2);
        assert_true(isinf(least_of(result, "spin")) ||
                    least_of(result, ways[i]) > least_of(result, "spin"));
        measured++;
    }
    const struct finding *spinning =
        code == 0 ? document_finding(&document, "wake.spin.switches") : NULL;
    assert_true(!spinning || spinning->value < 0.2);
    run_release(&run);
    settings_free(&settings);
    machine_free(&machine);
    document_free(&document);
    if (!measured) {
        print_message("no two CPUs that could be measured: %s\n",
                      code < 0 ? error.text : "others left them no time together");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(every_pair_is_measured_by_every_way),
        BENCH_TEST(sleeps_follow_one_after_the_other),
        BENCH_TEST(a_whole_run_takes_one_pair),
        BENCH_TEST(a_system_that_counts_no_switches_is_reported),
        BENCH_TEST(sleeping_takes_switches_and_spinning_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
