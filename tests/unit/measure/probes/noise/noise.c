/* What is planned, and what is concluded from interruptions that are known. */
#include "../support.h"

#include "base/random.h"
#include "measure/kernels/gaps.h"

#include <math.h>
#include <stdlib.h>

extern const struct probe noise_probe;

static void every_cpu_is_watched_at_once(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &noise_probe, NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->point_count, BENCH_CPUS - 1);
    assert_int_equal(plan->group_count, 1);
    assert_int_equal(plan->groups[0], BENCH_CPUS - 1);
    for (size_t i = 0; i < plan->point_count; i++) {
        assert_int_equal(plan->points[i].seat_count, 1);
        assert_int_equal(plan->points[i].seats[0].cpu, i);
        assert_true(plan->points[i].x == (double)i);
    }
    /* Nothing is measured again because of what is measured. */
    assert_int_equal(plan->meant, MEANT_SWITCHES | MEANT_STEAL);
}

static void it_lasts_as_long_as_asked(void **state)
{
    struct bench *bench = *state;
    bench->task.named = true;
    assert_int_equal(bench_plan(bench, &noise_probe, "for", "60", NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_true(plan->lasts_s == 60 && bench->task.weight_s == 60);
    /* At the fastest reading there is. */
    assert_true((double)plan->trials_max * (double)plan->repeats * 5 >= 60e9);
    assert_int_equal(plan->trials_min, plan->trials_max);
    assert_int_equal(bench_plan(bench, &noise_probe, "for", "86400", NULL), 0);
    assert_true((double)plan->repeats <= 1e9 / 10);
    assert_int_equal(bench_plan(bench, &noise_probe, "quick", NULL, NULL), 0);
    assert_true(plan->lasts_s <= 2);
    bench->task.named = false; /* a part of a whole run */
    assert_int_equal(bench_plan(bench, &noise_probe, NULL), 0);
    assert_true(plan->lasts_s == 2 && bench->task.weight_s == 0);
    assert_int_equal(bench_plan(bench, &noise_probe, "for", "9", "budget", "3", NULL), ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "--for 9"));
    assert_int_equal(settings_set(&bench->settings, "for", "0", &bench->error), ERROR_USAGE);
    assert_int_equal(settings_set(&bench->settings, "for", "172800", &bench->error), ERROR_USAGE);
}

/* --- interruptions that are known --- */

enum { TRIALS = 10 };
static const double trial_ns = 50e6, ticks_a_ns = 2;

static struct gaps *prepare(struct bench *bench, size_t point, unsigned number)
{
    bench_trial(bench, &bench->task.plan.points[point], 0, number);
    assert_ptr_equal(bench->workers[0].run, gaps_run);
    return bench->workers[0].state;
}

static void note(struct gaps *gaps, double at_ns, double ns, uint32_t switches, uint32_t faults)
{
    assert_true(gaps->used < gaps->room);
    gaps->log[gaps->used++] =
        (struct gap){(uint64_t)(at_ns * ticks_a_ns), (uint64_t)(ns * ticks_a_ns), switches, faults};
}

static void observe(struct bench *bench, struct gaps *gaps, double ended_s)
{
    const struct batch batch = {trial_ns, 3e9};
    gaps->last_ticks = (uint64_t)(trial_ns * ticks_a_ns);
    gaps->watched += gaps->last_ticks;
    gaps->readings += 1000000;
    noise_probe.observe(&bench->task, &(struct observation){.trial = &bench->trial,
                                                            .batches = &batch,
                                                            .batch_count = 1,
                                                            .repeats = 1000000,
                                                            .at_s = ended_s});
    assert_int_equal(gaps->used, 0); /* they were taken */
}

/* Each trial of 50 ms on CPU 0: a tick of 5 us every 4 ms, another thread for 2 ms, a page fault of
 * 50 us; below the threshold something of 100 ns. On CPU 1 the tick alone. */
static void watch(struct bench *bench)
{
    assert_int_equal(bench_plan(bench, &noise_probe, "cpus", "0-1", NULL), 0);
    for (unsigned trial = 0; trial < TRIALS; trial++)
        for (size_t cpu = 0; cpu < 2; cpu++) {
            const double began = 1e9 + trial * 61e6; /* 11 ms between two trials */
            struct gaps *gaps = prepare(bench, cpu, trial);
            for (double tick = ceil(began / 4e6) * 4e6; tick < began + trial_ns; tick += 4e6)
                note(gaps, tick, 5e3, 0, 0);
            note(gaps, began + trial_ns / 2, 100, 0, 0);
            if (cpu == 0) {
                note(gaps, began + 7e6 + 4e6 * (trial * trial % 7), 2e6, 1, 0);
                note(gaps, began + 17e6, 50e3, 0, 1);
            }
            observe(bench, gaps, (began + trial_ns) * 1e-9);
        }
}

static void conclude(struct bench *bench)
{
    struct stage_outcome outcome = {.elapsed_s = 2};
    struct plan *plan = &bench->task.plan;
    bench->result.series = plan->series;
    bench->result.series_count = plan->series_count;
    assert_int_equal(conclude_twice(&bench->task, &outcome, &bench->error), 0);
}

static bool about(double value, double wanted)
{
    return fabs(value / wanted - 1) < 0.01;
}

static const struct finding *period_of(const struct bench *bench, double us)
{
    for (size_t i = 0; i < bench->result.finding_count; i++) {
        const struct finding *finding = &bench->result.findings[i];
        if (strncmp(finding->name, "noise.period.", 13) == 0 &&
            fabs(finding->value / us - 1) < 0.001)
            return finding;
    }
    fail_msg("there is no period of %g us", us);
    return NULL;
}

static void what_was_taken_is_reported_by_cause(void **state)
{
    struct bench *bench = *state;
    watch(bench);
    conclude(bench);
    const double ticks = 5e3 / 4e6, threads = 2e6 / 50e6, faults = 50e3 / 50e6;
    assert_true(about(bench_finding(bench, "noise.share.threads")->value, 100 * threads / 2));
    assert_true(about(bench_finding(bench, "noise.share.page-faults")->value, 100 * faults / 2));
    /* No system's counts: nothing explains the ticks, and no zero says that there were none. */
    assert_true(fabs(bench_finding(bench, "noise.share.unexplained")->value / (100 * ticks) - 1) <
                0.1);
    static const char *const unknown[] = {"noise.share.stolen", "noise.share.interrupts",
                                          "noise.interrupts", "noise.softirqs"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        assert_true(isnan(bench_finding(bench, unknown[i])->value));
        assert_non_null(strstr(bench_finding(bench, unknown[i])->text, "unknown: "));
    }
    const struct finding *share = bench_finding(bench, "noise.share");
    assert_true(share->low < share->value && share->high > share->value);
    assert_non_null(strstr(share->text, "most on CPU 0"));
    assert_true(about(bench_finding(bench, "noise.longest")->value, 2000));
    assert_string_equal(bench_finding(bench, "noise.longest")->cpus, "0");
    assert_true(about(bench_finding(bench, "noise.length.p50")->value, 5));
    assert_true(about(bench_finding(bench, "noise.length.p99.99")->value, 2000));
    assert_non_null(strstr(bench_finding(bench, "noise.length.p99.99")->text, "fewer than"));
    assert_true(bench_finding(bench, "noise.length.p99.99")->value ==
                bench_finding(bench, "noise.longest")->value);
    assert_string_equal(bench_finding(bench, "noise.quietest")->cpus, "1");
    assert_non_null(strstr(bench_finding(bench, "noise.quietest")->text, "--cpus 1"));
    assert_true(bench_finding(bench, "noise.clock-steps")->value == 0);
    /* The tick's is found beside that of the page faults, which come once a trial. */
    const struct finding *tick = period_of(bench, 4000), *faults_of = period_of(bench, 61000);
    assert_string_equal(tick->cpus, "0-1");
    assert_string_equal(faults_of->cpus, "0");
    assert_non_null(strstr(faults_of->text, "page faults"));
}

static void a_log_that_overflowed_is_still_summed(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &noise_probe, "cpus", "0", NULL), 0);
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct gaps *gaps = prepare(bench, 0, trial);
        gaps->missed = 7;
        gaps->missed_ticks = (uint64_t)(5e6 * ticks_a_ns); /* a tenth of the trial */
        gaps->missed_longest = (uint64_t)(3e6 * ticks_a_ns);
        gaps->backwards = trial == 3;
        observe(bench, gaps, trial + 1.0);
    }
    conclude(bench);
    assert_true(about(bench_finding(bench, "noise.share")->value, 10));
    assert_true(about(bench_finding(bench, "noise.longest")->value, 3000));
    assert_true(bench_finding(bench, "noise.clock-steps")->value == 1);
}

/* Of each trial a tenth was taken; how many there are does not change what that comes to. */
static void days_of_trials_need_no_more_room(void **state)
{
    struct bench *bench = *state;
    enum { MANY = 5 * 1024 + 3 };
    assert_int_equal(bench_plan(bench, &noise_probe, "cpus", "0", NULL), 0);
    for (unsigned trial = 0; trial < MANY; trial++) {
        struct gaps *gaps = prepare(bench, 0, trial);
        note(gaps, 1e9 + trial * trial_ns, (4e6 + 2e6 * (trial % 2)), 1, 0);
        observe(bench, gaps, trial + 1.0);
    }
    conclude(bench);
    assert_true(about(bench_finding(bench, "noise.share.threads")->value, 10));
    assert_true(about(bench_finding(bench, "noise.interruptions")->value, 1e9 / trial_ns));
}

/* What comes at random has no period, and that is said. */
static void no_period_is_reported_too(void **state)
{
    struct bench *bench = *state;
    struct random random = {7};
    assert_int_equal(bench_plan(bench, &noise_probe, "cpus", "0", NULL), 0);
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct gaps *gaps = prepare(bench, 0, trial);
        const double began = 1e9 + trial * trial_ns;
        for (double at = began; at < began + trial_ns;
             at += 1e4 * (double)random_below(&random, 900))
            note(gaps, at, 5e3, 0, 0);
        observe(bench, gaps, trial + 1.0);
    }
    conclude(bench);
    assert_true(isnan(bench_finding(bench, "noise.period.1")->value));
    assert_non_null(strstr(bench_finding(bench, "noise.period.1")->text, "not found"));
}

/* As an emulator's that is derived from a clock of microseconds: each step is far longer than a
 * reading takes, and none of them is an interruption. */
static void a_counter_s_own_steps_are_no_interruptions(void **state)
{
    struct bench *bench = *state;
    const double step_ns = 1000;
    assert_int_equal(bench_plan(bench, &noise_probe, "cpus", "0", NULL), 0);
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct gaps *gaps = prepare(bench, 0, trial);
        gaps->shortest = (uint64_t)(step_ns * ticks_a_ns);
        for (int i = 0; i < 100; i++)
            note(gaps, 1e9 + trial * trial_ns + 2 * i * step_ns, step_ns, 0, 0);
        note(gaps, 1.04e9 + trial * trial_ns, 5 * step_ns, 0, 0);
        observe(bench, gaps, trial + 1.0);
    }
    conclude(bench);
    assert_true(about(bench_finding(bench, "noise.interruptions")->value, 1e9 / trial_ns));
}

static void nothing_watched_concludes_nothing(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &noise_probe, NULL), 0);
    conclude(bench);
    assert_int_equal(bench->result.finding_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(every_cpu_is_watched_at_once),
        BENCH_TEST(it_lasts_as_long_as_asked),
        BENCH_TEST(what_was_taken_is_reported_by_cause),
        BENCH_TEST(a_log_that_overflowed_is_still_summed),
        BENCH_TEST(days_of_trials_need_no_more_room),
        BENCH_TEST(no_period_is_reported_too),
        BENCH_TEST(a_counter_s_own_steps_are_no_interruptions),
        BENCH_TEST(nothing_watched_concludes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
