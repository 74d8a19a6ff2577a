#include "support.h"

#include "kernels/handoff.h"
#include "result/flag.h"

#include <stdlib.h>

static void every_pair_is_planned_in_both_directions(void **state)
{
    struct bench *bench = *state;
    bool planned[BENCH_CPUS][BENCH_CPUS] = {0};
    assert_int_equal(bench_plan(bench, &cores_probe, NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->point_count, 5 * 4);
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct plan_point *point = &plan->points[i];
        assert_true(point->from != point->to && !planned[point->from][point->to]);
        planned[point->from][point->to] = true;
        assert_int_equal(point->seats[0].cpu, point->from);
        assert_int_equal(point->seats[0].role, MEASURED);
        assert_int_equal(point->seats[1].cpu, point->to);
        assert_int_equal(point->seats[1].role, PARTNER);
    }
    assert_int_equal(plan->trials_max, 64);
    assert_int_equal(plan->trials_min, 64);
}

static void one_line_and_many_samples_are_the_source_tools_way(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &cores_probe, "lines", "1", "samples", "500", "iterations",
                                "4000", "cpus", "0-1", NULL),
                     0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->point_count, 2);
    assert_int_equal(plan->trials_max, 1);
    assert_int_equal(plan->batches, 500);
    assert_int_equal(plan->repeats, 4000);
}

static void one_cpu_is_skipped_with_a_reason(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &cores_probe, "cpus", "2", NULL), 0);
    assert_int_equal(bench->result.status, PROBE_SKIPPED);
    assert_non_null(strstr(bench->result.reason, "only CPU 2"));
}

struct layout {
    struct arena arena;
    struct worker workers[2];
    struct trial trial;
};

static void prepare(struct bench *bench, struct layout *layout, size_t point, unsigned number)
{
    layout->trial = (struct trial){.plan = &bench->task.plan,
                                   .point = &bench->task.plan.points[point],
                                   .arena = &layout->arena,
                                   .seed = 99 + point,
                                   .number = number,
                                   .workers = layout->workers,
                                   .probe_state = bench->task.state};
    cores_probe.prepare(&layout->trial);
}

static void all_pairs_share_their_lines_and_no_two_trials_do(void **state)
{
    struct bench *bench = *state;
    struct layout layout = {0};
    assert_int_equal(bench_plan(bench, &cores_probe, NULL), 0);
    layout.arena.bytes = bench->task.plan.points[0].arena_bytes;
    layout.arena.memory = aligned_alloc(4096, layout.arena.bytes);
    assert_non_null(layout.arena.memory);
    uint32_t *previous = NULL;
    for (unsigned number = 0; number < 64; number++) {
        prepare(bench, &layout, 0, number);
        uint32_t *line = ((struct handoff_cas *)layout.workers[0].state)->flag;
        assert_ptr_equal(((struct handoff_cas *)layout.workers[1].state)->flag, line);
        assert_true((unsigned char *)line >= layout.arena.memory);
        assert_true((unsigned char *)line < layout.arena.memory + layout.arena.bytes);
        assert_true(previous == NULL || line > previous);
        prepare(bench, &layout, 7, number);
        assert_ptr_equal(((struct handoff_cas *)layout.workers[0].state)->flag, line);
        previous = line;
    }
    free(layout.arena.memory);
}

static bool same_line(const void *a, const void *b)
{
    return (uintptr_t)a / 128 == (uintptr_t)b / 128;
}

static void control_words_share_no_line_with_what_is_measured(void **state)
{
    struct bench *bench = *state;
    struct layout layout = {0};
    assert_int_equal(bench_plan(bench, &cores_probe, "op", "readwrite", NULL), 0);
    layout.arena.bytes = bench->task.plan.points[0].arena_bytes;
    layout.arena.memory = aligned_alloc(4096, layout.arena.bytes);
    assert_non_null(layout.arena.memory);
    prepare(bench, &layout, 0, 3);
    struct handoff_readwrite *first = layout.workers[0].state, *second = layout.workers[1].state;
    assert_ptr_equal(first->mine, second->theirs);
    assert_ptr_equal(first->theirs, second->mine);
    assert_int_equal((const char *)first->theirs - (const char *)first->mine, 128);
    assert_int_equal((uintptr_t)first->mine % 128, 0);
    assert_false(same_line(first, second));
    assert_false(same_line(first, first->mine) || same_line(second, second->mine));
    free(layout.arena.memory);
}

static void give_point(struct series *series, size_t i, int from, int to, double ns)
{
    series->points[i] = (struct point){
        .from = from,
        .to = to,
        .y = {.median = ns, .low = ns - 1, .high = ns + 2, .coverage = 0.95, .n = 64}};
}

static void the_findings_are_least_most_and_mean(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled = {0};
    struct point points[4];
    bench->machine.facts.hypervisor = "KVM";
    assert_int_equal(bench_plan(bench, &cores_probe, NULL), 0);
    struct series *series = bench->task.plan.series;
    series->points = points;
    series->point_count = 4;
    give_point(series, 0, 0, 1, 50);
    give_point(series, 1, 1, 0, 60);
    give_point(series, 2, 3, 2, 130);
    give_point(series, 3, 2, 3, 120);
    bench->result.series = series;
    bench->result.series_count = 1;
    assert_int_equal(cores_probe.conclude(&bench->task, &sampled, NULL), 0);
    assert_int_equal(bench->result.finding_count, 3);
    const struct finding *least = &bench->result.findings[0], *most = &bench->result.findings[1];
    const struct finding *mean = &bench->result.findings[2];
    assert_string_equal(least->name, "cores.cas.min");
    assert_string_equal(least->cpus, "0,1");
    assert_true(least->value == 50 && least->low == 49 && least->high == 52);
    assert_string_equal(most->name, "cores.cas.max");
    assert_string_equal(most->cpus, "2,3");
    assert_true(most->value == 130);
    assert_true(mean->value == 90 && mean->low == 89 && mean->high == 92);
    assert_int_equal(mean->flags, FLAG_BIT(FLAG_VIRTUAL_MACHINE) | FLAG_BIT(FLAG_NARROW_AFFINITY));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(every_pair_is_planned_in_both_directions),
        BENCH_TEST(one_line_and_many_samples_are_the_source_tools_way),
        BENCH_TEST(one_cpu_is_skipped_with_a_reason),
        BENCH_TEST(all_pairs_share_their_lines_and_no_two_trials_do),
        BENCH_TEST(control_words_share_no_line_with_what_is_measured),
        BENCH_TEST(the_findings_are_least_most_and_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
