#include "measure/probes/parallelism/parallelism.h"
#include "measure/probes/drive.h"

#include "base/random.h"
#include "document/flag.h"
#include "measure/kernels/chains.h"

#include <stdlib.h>

extern const struct probe parallelism_probe;

/* A core that holds a number of misses, and reaches the next one over some cycles of work. */
static struct {
    double latency, least, four, noise;
    double reach;
    bool failing; /* of each series the last point fails */
} core;

static double scattered(double value, const struct plan_point *point, unsigned trial)
{
    struct random random = {random_mix((uint64_t)point->x * 1000003u + point->series) + trial};
    return value * (1 + core.noise * (random_unit(&random) - 0.5));
}

static double answer(const struct probe_task *task, const struct plan_point *point, unsigned trial)
{
    const struct series *series = &task->plan.series[point->series];
    const struct parallelism_point *does = point->own;
    const unsigned chains = does->chains, work = does->work;
    const bool far = strcmp(series_factor(series, "level")->text, "DRAM") == 0;
    double value;
    if (task->plan.yields == OPERATIONS_PER_SECOND)
        return scattered(1e8 * sqrt(point->x), point, trial);
    if (strstr(series->name, "prefetch"))
        value = core.least + work;
    else if (strstr(series->name, "work"))
        value = chains > 1 && work < core.reach ? core.latency / (1 + core.reach / (work + 1))
                                                : core.latency;
    else if (far)
        value = fmax(core.latency / chains, core.least);
    else
        value = fmax(4.0 / chains * (chains == 4 ? core.four : 1), 0.5);
    return scattered(value, point, trial);
}

static int set_up(void **state)
{
    core.latency = 400;
    core.least = 25;
    core.four = 1;
    core.noise = 0.01;
    core.reach = 100;
    core.failing = false;
    return bench_set_up(state);
}

/* From the plan that is there to the conclusion, with that much time; returns the stages. */
static unsigned go(struct bench *bench, double seconds)
{
    struct probe_task *task = &bench->task;
    struct stage_outcome outcome = {0};
    unsigned stage = 0;
    int more = 1;
    while (more == 1) {
        stage++;
        assert_true(stage < 20);
        for (size_t i = 0; i < task->plan.point_count; i++)
            drive_point(bench, &task->plan.points[i], 0, answer);
        for (size_t i = 0; core.failing && i < task->plan.series_count; i++) {
            struct series *series = &task->plan.series[i];
            series->points[series->point_count - 1].y = summary_of_nothing();
            series->points[series->point_count - 1].failed = "its CPU is gone";
        }
        for (size_t i = 0; i < task->plan.series_count; i++)
            if (task->plan.series[i].point_count > 1)
                qsort(task->plan.series[i].points, task->plan.series[i].point_count,
                      sizeof(struct point), drive_by_x);
        task->plan.budget_s = seconds * task->plan.share;
        more = probe_next(task, &outcome, stage, &bench->error);
    }
    assert_int_equal(more, 0);
    bench->result.series = task->plan.series;
    bench->result.series_count = task->plan.series_count;
    assert_int_equal(conclude_twice(task, &outcome, &bench->error), 0);
    return stage;
}

static const char *parameter(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->result.parameter_count; i++)
        if (strcmp(bench->result.parameters[i].name, name) == 0)
            return bench->result.parameters[i].text;
    return NULL;
}

static void a_core_sustains_latency_over_plateau(void **state)
{
    struct bench *bench = *state;
    bench->machine.facts.cpu_vendor = "AuthenticAMD";
    bench->machine.facts.cpu_model = "AMD EPYC 7763 64-Core Processor";
    assert_int_equal(bench_plan(bench, &parallelism_probe, NULL), 0);
    go(bench, 25);
    const struct finding *sustained = bench_finding(bench, "DRAM.parallelism");
    assert_string_equal(sustained->unit, "misses");
    assert_true(fabs(sustained->value - 16) < 0.2);
    assert_true(sustained->low < 16.1 && sustained->high > 15.9 &&
                sustained->low < sustained->high);
    assert_true(sustained->declared == 24);
    assert_non_null(strstr(sustained->text, "sustains 16"));
    assert_non_null(strstr(sustained->text, "documented are 24 miss address buffers"));
    assert_null(strstr(sustained->text, "has"));
    assert_int_equal(sustained->flags, 0);
    assert_true(fabs(bench_finding(bench, "DRAM.parallelism.ns")->value - 25) < 0.3);
    const struct finding *rate = bench_finding(bench, "DRAM.parallelism.rate");
    assert_true(fabs(rate->value / (64e9 / 25) - 1) < 0.01);
    assert_true(rate->low < rate->value && rate->value < rate->high);
    assert_string_equal(bench_finding(bench, "L1.parallelism")->unit, "loads");
    assert_true(fabs(bench_finding(bench, "L2.parallelism")->value - 8) < 0.1);
    assert_true(isnan(bench_finding(bench, "L1.parallelism")->declared));
    assert_null(bench_find(bench, "L1.parallelism.four"));
}

/* Hits of the first level do not wait in its miss buffers, however that level was asked for. */
static void hits_are_not_called_misses(void **state)
{
    struct bench *bench = *state;
    static const char *const asked[][2] = {{"level", "L1"}, {"size", "16K"}, {"size", "32K"}};
    core.four = 2;
    bench->machine.facts.cpu_vendor = "AuthenticAMD";
    bench->machine.facts.cpu_model = "AMD EPYC 7763 64-Core Processor";
    for (size_t i = 0; i < 3; i++) {
        const char *name = i == 0 ? "L1.parallelism" : "size.parallelism";
        const char *four = i == 0 ? "L1.parallelism.four" : "size.parallelism.four";
        assert_int_equal(bench_plan(bench, &parallelism_probe, asked[i][0], asked[i][1], NULL), 0);
        go(bench, 25);
        const struct finding *sustained = bench_finding(bench, name);
        assert_string_equal(sustained->unit, "loads");
        assert_true(isnan(sustained->declared));
        assert_non_null(strstr(sustained->text, " loads at once"));
        assert_non_null(bench_find(bench, four));
    }
    assert_int_equal(bench_plan(bench, &parallelism_probe, "size", "64M", NULL), 0);
    go(bench, 25);
    assert_string_equal(bench_finding(bench, "size.parallelism")->unit, "misses");
    assert_true(bench_finding(bench, "size.parallelism")->declared == 24);
    assert_null(bench_find(bench, "size.parallelism.four"));
}

static void where_the_first_level_is_unknown_nothing_is_claimed(void **state)
{
    struct bench *bench = *state;
    core.four = 2;
    bench->machine.facts.cache_count = 0;
    assert_int_equal(bench_plan(bench, &parallelism_probe, "size", "1M", NULL), 0);
    go(bench, 25);
    assert_string_equal(bench_finding(bench, "size.parallelism")->unit, "loads");
    assert_null(bench_find(bench, "size.parallelism.four"));
    assert_int_equal(bench_plan(bench, &parallelism_probe, NULL), 0);
    go(bench, 25);
    assert_string_equal(bench_finding(bench, "DRAM.parallelism")->unit, "misses");
}

static void a_curve_without_an_end_says_at_least(void **state)
{
    struct bench *bench = *state;
    core.least = 1;
    assert_int_equal(bench_plan(bench, &parallelism_probe, "level", "DRAM", NULL), 0);
    go(bench, 25);
    assert_non_null(strstr(bench_finding(bench, "DRAM.parallelism")->text, "at least 64"));
    assert_true(isnan(bench_finding(bench, "DRAM.parallelism")->declared));
}

/* The trap: a loop of four chains that spills takes twice as long in the first-level cache. */
static void four_chains_that_are_too_slow_are_found_out(void **state)
{
    struct bench *bench = *state;
    core.four = 2;
    assert_int_equal(bench_plan(bench, &parallelism_probe, NULL), 0);
    go(bench, 25);
    const struct finding *four = bench_finding(bench, "L1.parallelism.four");
    assert_true(fabs(four->value - 2) < 0.05);
    assert_null(bench_find(bench, "L2.parallelism.four"));
}

static void only_dram_is_looked_at_where_time_is_short(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &parallelism_probe, NULL), 0);
    assert_int_equal(go(bench, 4), 2);
    for (size_t i = 0; i < bench->result.series_count; i++) {
        const struct series *series = &bench->result.series[i];
        assert_string_equal(series_factor(series, "level")->text, "DRAM");
    }
    assert_non_null(bench_find(bench, "parallelism.all.rate"));
    const char *left_out = parameter(bench, "not_measured");
    assert_non_null(left_out);
    assert_non_null(strstr(left_out, "L1, L2, L3: there was no time left; give --budget "));
    double enough = strtod(strstr(left_out, "--budget ") + strlen("--budget "), NULL);
    assert_true(enough > 25 && enough < 600);
}

static void where_there_is_time_nothing_is_left_out(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &parallelism_probe, "level", "all", NULL), 0);
    go(bench, 25);
    assert_null(parameter(bench, "not_measured"));
    assert_non_null(bench_find(bench, "L1.parallelism"));
    assert_non_null(bench_find(bench, "L3.parallelism"));
}

static void all_numbers_of_chains_are_measured_once(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &parallelism_probe, NULL), 0);
    assert_true(go(bench, 25) > 4);
    for (size_t s = 0; s < bench->result.series_count; s++) {
        const struct series *series = &bench->result.series[s];
        if (strncmp(series->name, "chains in", 9) != 0)
            continue;
        assert_int_equal(series->point_count, 19);
        for (size_t i = 1; i < series->point_count; i++)
            assert_true(series->points[i].x > series->points[i - 1].x);
    }
}

static void threads_together_and_each(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(
        bench_plan(bench, &parallelism_probe, "level", "DRAM", "threads", "5", "cpu", "4", NULL),
        0);
    struct stage_outcome outcome = {0}; /* each CPU has a part of the memory near it */
    assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), 1);
    assert_int_equal(bench->task.plan.part_count, 5);
    assert_int_equal(bench->task.plan.parts[0].cpu, 4);
    assert_int_equal(
        bench_plan(bench, &parallelism_probe, "level", "DRAM", "threads", "5", "cpu", "4", NULL),
        0);
    go(bench, 25);
    const struct series *all = NULL, *each = NULL;
    for (size_t i = 0; i < bench->result.series_count; i++) {
        if (strstr(bench->result.series[i].name, "by all threads"))
            all = &bench->result.series[i];
        if (strstr(bench->result.series[i].name, "by each thread"))
            each = &bench->result.series[i];
    }
    assert_non_null(all);
    assert_non_null(each);
    static const double counts[] = {1, 2, 4, 5};
    assert_int_equal(all->point_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(all->points[i].x == counts[i]);
        assert_true(fabs(each->points[i].y.median * counts[i] / all->points[i].y.median - 1) <
                    1e-5);
    }
    const struct finding *rate = bench_finding(bench, "parallelism.all.rate");
    assert_string_equal(rate->unit, "1/s");
    assert_true(fabs(rate->value / (1e8 * sqrt(5)) - 1) < 0.01);
    assert_non_null(strstr(rate->text, "5 threads"));
}

static void threads_take_as_many_chains_as_there_is_room_for(void **state)
{
    struct bench *bench = *state;
    bench->caches[0].size_bytes = 4 << 10; /* 32 lines are gone through */
    assert_int_equal(bench_plan(bench, &parallelism_probe, "level", "L1", "threads", "5", NULL), 0);
    go(bench, 25);
    assert_non_null(strstr(bench_finding(bench, "parallelism.all.rate")->text, "3 chains each"));
    const struct finding *rate = bench_finding(bench, "parallelism.all.rate");
    assert_non_null(strstr(rate->text, "5 threads"));
}

static void work_pushes_the_next_access_out_of_reach(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &parallelism_probe, "level", "DRAM", "work", "400",
                                "prefetch", "16", NULL),
                     0);
    go(bench, 25);
    const struct finding *knee = bench_finding(bench, "parallelism.work.knee");
    /* Between the last amount that overlaps and the first that does not: 96 and 128. */
    assert_true(knee->value > 88 && knee->value < 128);
    assert_true(knee->low <= knee->value && knee->value <= knee->high);
    assert_string_equal(knee->unit, "cycles");
    const struct finding *gain = bench_finding(bench, "parallelism.work.prefetch");
    assert_true(gain->value > 2.5 && gain->value < 3.5); /* 400 / (25 + about 100) */
}

static void work_that_is_too_little_reaches_no_knee(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &parallelism_probe, "level", "DRAM", "work", "40", NULL), 0);
    go(bench, 25);
    assert_true(isnan(bench_finding(bench, "parallelism.work.knee")->value));
    assert_non_null(strstr(bench_finding(bench, "parallelism.work.knee")->text, "not reached"));
    assert_null(bench_find(bench, "parallelism.work.prefetch"));
}

/* Interrupted as soon as work would have been looked at. */
static void work_that_was_not_measured_is_no_answer(void **state)
{
    struct bench *bench = *state;
    struct probe_task *task = &bench->task;
    struct stage_outcome outcome = {0};
    assert_int_equal(bench_plan(bench, &parallelism_probe, "level", "DRAM", "work", "40", NULL), 0);
    const struct series *last = &task->plan.series[0];
    for (unsigned stage = 1; strstr(last->name, "work") == NULL; stage++) {
        for (size_t i = 0; i < task->plan.point_count; i++)
            drive_point(bench, &task->plan.points[i], 0, answer);
        task->plan.budget_s = 25 * task->plan.share;
        assert_int_equal(probe_next(task, &outcome, stage, &bench->error), 1);
        last = &task->plan.series[task->plan.series_count - 1];
    }
    bench->result.series = task->plan.series;
    bench->result.series_count = task->plan.series_count;
    assert_int_equal(conclude_twice(task, &outcome, &bench->error), 0);
    assert_non_null(bench_find(bench, "DRAM.parallelism"));
    assert_true(isnan(bench_finding(bench, "parallelism.work.knee")->value));
    assert_non_null(strstr(bench_finding(bench, "parallelism.work.knee")->text, "not enough data"));
    assert_null(bench_find(bench, "parallelism.work.prefetch"));
}

static void points_that_failed_are_passed_over(void **state)
{
    struct bench *bench = *state;
    core.failing = true;
    assert_int_equal(bench_plan(bench, &parallelism_probe, "level", "DRAM", "threads", "4",
                                "chains", "1,4,16,32,64", NULL),
                     0);
    go(bench, 25);
    assert_true(fabs(bench_finding(bench, "DRAM.parallelism")->value - 16) < 0.3);
    const struct finding *rate = bench_finding(bench, "parallelism.all.rate");
    assert_true(rate->value > 0);
    assert_non_null(strstr(rate->text, "2 threads"));
}

static void refused(struct bench *bench, const char *name, const char *value, const char *says)
{
    assert_int_equal(bench_plan(bench, &parallelism_probe, name, value, NULL), ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, says));
}

static void bad_input_is_refused_by_name(void **state)
{
    struct bench *bench = *state;
    refused(bench, "chains", "0", "--chains '0'");
    refused(bench, "chains", "1,65", "from 1 to 64");
    refused(bench, "chains", "many", "--chains 'many'");
    refused(bench, "threads", "6", "--threads 6: only 5 CPUs");
    refused(bench, "size", "4K", "--size 4 KiB is too small for 64 chains");
    refused(bench, "prefetch", "3", "give --work as well");
    refused(bench, "level", "L4", "--level L4");
    refused(bench, "cpu", "5", "--cpu 5");
    assert_int_equal(bench_plan(bench, &parallelism_probe, "size", "64M", "level", "all", NULL),
                     ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "--level can't be given with it"));
    assert_int_equal(
        bench_plan(bench, &parallelism_probe, "size", "4K", "chains", "1-8", "threads", "5", NULL),
        ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "too small for 80 chains of all threads"));
    assert_int_equal(bench_plan(bench, &parallelism_probe, "work", "50", "prefetch", "17", NULL),
                     ERROR_USAGE);
    assert_int_equal(bench_plan(bench, &parallelism_probe, "size", "4K", "level", "L1", NULL),
                     ERROR_USAGE);
    assert_int_equal(bench_plan(bench, &parallelism_probe, "size", "4K", "chains", "1-32", NULL),
                     0);
}

static void levels_too_small_are_refused(void **state)
{
    struct bench *bench = *state;
    bench->caches[0].size_bytes = 4 << 10;
    assert_int_equal(bench_plan(bench, &parallelism_probe, "level", "L1", "chains", "64", NULL),
                     ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "--level L1: its working set of 2 KiB is too small "
                                              "for 64 chains"));
    bench->caches[0].size_bytes = 1 << 9;
    assert_int_equal(bench_plan(bench, &parallelism_probe, "level", "L1", "threads", "5", NULL),
                     ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "5 chains of all threads; give fewer --threads"));
    bench->machine.allowed.count = 1;
    assert_int_equal(bench_plan(bench, &parallelism_probe, "threads", "2", NULL), ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "only 1 CPU may"));
}

#define CORE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, bench_tear_down)

int main(void)
{
    (void)drive; /* here the time that is left matters: go() */
    const struct CMUnitTest tests[] = {
        CORE_TEST(a_core_sustains_latency_over_plateau),
        CORE_TEST(hits_are_not_called_misses),
        CORE_TEST(where_the_first_level_is_unknown_nothing_is_claimed),
        CORE_TEST(a_curve_without_an_end_says_at_least),
        CORE_TEST(four_chains_that_are_too_slow_are_found_out),
        CORE_TEST(only_dram_is_looked_at_where_time_is_short),
        CORE_TEST(where_there_is_time_nothing_is_left_out),
        CORE_TEST(all_numbers_of_chains_are_measured_once),
        CORE_TEST(threads_together_and_each),
        CORE_TEST(threads_take_as_many_chains_as_there_is_room_for),
        CORE_TEST(work_pushes_the_next_access_out_of_reach),
        CORE_TEST(work_that_is_too_little_reaches_no_knee),
        CORE_TEST(work_that_was_not_measured_is_no_answer),
        CORE_TEST(points_that_failed_are_passed_over),
        CORE_TEST(bad_input_is_refused_by_name),
        CORE_TEST(levels_too_small_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
