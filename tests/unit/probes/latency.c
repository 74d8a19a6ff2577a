#include "support.h"

#include "kernels/chase.h"
#include "result/flag.h"

#include <math.h>
#include <stdlib.h>

static void sizes_go_from_1k_to_four_times_the_last_level(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &latency_probe, NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_true(plan->points[0].x == 1024);
    assert_true(plan->points[plan->point_count - 1].x == 64 << 20);
    /* 16 octaves of eight below 64 MiB, and the end. */
    assert_int_equal(plan->point_count, 16 * 8 + 1);
    for (size_t i = 0; i < plan->point_count; i++) {
        assert_int_equal((uint64_t)plan->points[i].x % 64, 0);
        assert_int_equal(plan->points[i].seat_count, 1);
        assert_true(i == 0 || plan->points[i].x > plan->points[i - 1].x);
    }
}

static void memory_and_one_gib_cap_the_sweep(void **state)
{
    struct bench *bench = *state;
    bench->caches[2].size_bytes = 512 << 20;
    assert_int_equal(bench_plan(bench, &latency_probe, NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_true(plan->points[plan->point_count - 1].x == 1 << 30);
    assert_int_equal(plan->point_count, 16 * 8 + 4 * 4 + 1); /* four an octave above 64 MiB */
    bench->machine.memory_available_bytes = 200 << 20;
    assert_int_equal(bench_plan(bench, &latency_probe, NULL), 0);
    plan = &bench->task.plan;
    assert_true(plan->points[plan->point_count - 1].x == 100 << 20);
}

static void listed_sizes_are_sorted_and_each_once(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &latency_probe, "sizes", "1M,16K,100,1M,127", NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->point_count, 3);
    assert_true(plan->points[0].x == 64); /* whole lines */
    assert_true(plan->points[1].x == 16 << 10);
    assert_true(plan->points[2].x == 1 << 20);
}

static void the_first_cpu_of_the_fastest_kind_measures(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &latency_probe, NULL), 0);
    assert_int_equal(bench->task.plan.points[0].seats[0].cpu, 3);
    assert_int_equal(bench->task.plan.touch_cpu, 3);
    assert_int_equal(bench_plan(bench, &latency_probe, "cpu", "1", NULL), 0);
    assert_int_equal(bench->task.plan.points[0].seats[0].cpu, 1);
    assert_int_equal(bench_plan(bench, &latency_probe, "cpus", "0-2", NULL), 0);
    assert_int_equal(bench->task.plan.points[0].seats[0].cpu, 0);
}

static void assert_refused(struct bench *bench, const char *name, const char *value,
                           const char *said)
{
    assert_int_equal(bench_plan(bench, &latency_probe, name, value, NULL), ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, said));
}

static void what_the_machine_lacks_is_refused_by_name(void **state)
{
    struct bench *bench = *state;
    assert_refused(bench, "cpus", "0,9", "CPU 9");
    assert_refused(bench, "cpus", "5", "mask");
    assert_refused(bench, "cpu", "5", "--cpu 5");
    assert_refused(bench, "node", "3", "--node 3");
    assert_refused(bench, "to", "5G", "at most 4 GiB");
    assert_refused(bench, "sizes", "1K,5G", "--sizes 5 GiB");
    assert_refused(bench, "from", "1G", "larger than");
    assert_int_equal(bench_plan(bench, &latency_probe, "sizes", "4K", "to", "8K", NULL),
                     ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "--to"));
    assert_refused(bench, "sizes", "32", "stride");
    assert_refused(bench, "stride", "65", "multiple of");
    assert_refused(bench, "order", "sideways", "sideways");
    assert_refused(bench, "order", "random-in-block:", "random-in-block:");
    assert_refused(bench, "order", "random-in-block:8", "stride");
}

static void a_trial_is_a_ring_of_its_own(void **state)
{
    struct bench *bench = *state;
    enum { BYTES = 64 << 10 };
    assert_int_equal(bench_plan(bench, &latency_probe, "sizes", "1000", "stride", "128", NULL), 0);
    struct arena arena = {.memory = aligned_alloc(4096, BYTES), .bytes = BYTES};
    struct worker worker = {0};
    struct trial trial = {.plan = &bench->task.plan,
                          .point = bench->task.plan.points,
                          .arena = &arena,
                          .seed = 5,
                          .workers = &worker,
                          .probe_state = bench->task.state};
    assert_non_null(arena.memory);
    latency_probe.prepare(&trial);
    assert_ptr_equal(worker.run, chase_run);
    assert_true(trial.operations == chase_steps);
    void **start = ((struct chase *)worker.state)->position, **at = start;
    size_t steps = 0;
    do {
        assert_true((unsigned char *)at >= arena.memory);
        assert_true((unsigned char *)at + 128 <= arena.memory + BYTES);
        at = *at;
        steps++;
    } while (at != start && steps < 100);
    assert_int_equal(steps, 1000 / 128);
    free(arena.memory);
}

/* Gives the planned points the latency that `latency_ns` says, as the sampler would. */
static void fill(struct bench *bench, double (*latency_ns)(double))
{
    struct probe_task *task = &bench->task;
    struct series *series = task->plan.series;
    series->points = pool_alloc(&bench->pool, task->plan.point_count, sizeof *series->points);
    series->point_count = task->plan.point_count;
    for (size_t i = 0; i < series->point_count; i++) {
        double x = task->plan.points[i].x, ns = latency_ns(x);
        series->points[i] =
            (struct point){.x = x,
                           .y = {.median = ns, .low = ns, .high = ns, .coverage = 0.96, .n = 6},
                           .cycles = {.median = 3 * ns, .n = 6}};
    }
    task->result->series = series;
    task->result->series_count = 1;
}

static double steps(double bytes)
{
    return bytes <= 32 << 10 ? 1 : bytes <= 1 << 20 ? 5 : bytes <= 16 << 20 ? 20 : 100;
}

static const struct finding *find(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->result.finding_count; i++)
        if (strcmp(bench->result.findings[i].name, name) == 0)
            return &bench->result.findings[i];
    return NULL;
}

static void levels_are_read_at_half_of_what_is_declared(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled = {.core_hz = {.median = 3e9, .low = 2.9e9, .high = 3e9, .n = 100}};
    assert_int_equal(bench_plan(bench, &latency_probe, NULL), 0);
    fill(bench, steps);
    assert_int_equal(latency_probe.conclude(&bench->task, &sampled, NULL), 0);
    assert_true(find(bench, "L1.latency_ns")->value == 1);
    assert_true(find(bench, "L1.latency")->value == 3);
    assert_true(find(bench, "L2.latency_ns")->value == 5);
    assert_true(find(bench, "L3.latency_ns")->value == 20);
    assert_true(find(bench, "DRAM.latency_ns")->value == 100);
    assert_non_null(strstr(find(bench, "L2.latency")->text, "512 KiB"));
    assert_true(find(bench, "core.clock")->value == 3e9);
}

static void a_short_sweep_names_no_level_that_it_did_not_reach(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled = {0};
    assert_int_equal(bench_plan(bench, &latency_probe, "to", "128K", NULL), 0);
    fill(bench, steps);
    assert_int_equal(latency_probe.conclude(&bench->task, &sampled, NULL), 0);
    assert_non_null(find(bench, "L1.latency"));
    assert_null(find(bench, "L2.latency"));
    assert_null(find(bench, "DRAM.latency"));
    assert_null(find(bench, "core.clock"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(sizes_go_from_1k_to_four_times_the_last_level),
        BENCH_TEST(memory_and_one_gib_cap_the_sweep),
        BENCH_TEST(listed_sizes_are_sorted_and_each_once),
        BENCH_TEST(the_first_cpu_of_the_fastest_kind_measures),
        BENCH_TEST(what_the_machine_lacks_is_refused_by_name),
        BENCH_TEST(a_trial_is_a_ring_of_its_own),
        BENCH_TEST(levels_are_read_at_half_of_what_is_declared),
        BENCH_TEST(a_short_sweep_names_no_level_that_it_did_not_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
