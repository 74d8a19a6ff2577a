#include "support.h"

#include "measure/kernels/fence.h"

#include <math.h>

extern const struct probe fence_probe;

/* Of a made-up processor whose full fences wait for all that is open: cycles of a turn of a loop.
 */
static double cycles(const struct bench *bench, const struct plan_point *planned)
{
    const struct fence_op *op = &fence_ops[planned->index];
    const char *loop = bench->task.plan.series[planned->series].name;
    const bool full = op->full || op->kind == FENCE_ATOMIC;
    if (strstr(loop, "behind"))
        return 20 * planned->x + (full ? 5 * planned->x : 0);
    if (strstr(loop, "between"))
        return op->kind == FENCE_NOTHING ? 1 : full ? 25 : 4;
    return strstr(loop, "another line") ? 12 : 18;
}

static void measure(struct bench *bench)
{
    struct stage_outcome outcome = {0};
    unsigned stage = 1;
    do
        bench_measured(bench, cycles);
    while (probe_next(&bench->task, &outcome, stage++, &bench->error) == 1);
    struct plan *plan = &bench->task.plan;
    for (size_t s = 0; s < plan->series_count; s++)
        for (size_t i = 0; i < plan->series[s].point_count; i++) {
            struct point *point = &plan->series[s].points[i];
            point->cycles = (struct estimate){point->y.median, point->y.low, point->y.high};
        }
    assert_int_equal(conclude_twice(&bench->task, &outcome, &bench->error), 0);
}

static void each_operation_is_told_alone_and_behind_accesses(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &fence_probe, NULL), 0);
    measure(bench);
    assert_true(bench_finding(bench, "fence.ordering")->value == 24);
    assert_true(bench_finding(bench, "fence.fences")->value == 18);
    for (size_t i = 0; i < fence_op_count; i++) {
        const struct fence_op *op = &fence_ops[i];
        char name[64];
        snprintf(name, sizeof name, "fence.%s", op->name);
        if (op->kind == FENCE_NOTHING || (op->there && !op->there())) {
            assert_null(bench_find(bench, name));
            continue;
        }
        assert_true(bench_finding(bench, name)->value == 18);
        assert_string_equal(bench_finding(bench, name)->text, op->text);
        snprintf(name, sizeof name, "fence.%s.behind_loads", op->name);
        const struct finding *behind = bench_find(bench, name);
        if (op->kind == FENCE_STORE || !behind)
            assert_null(behind);
        else
            assert_true(fabs(behind->value - (op->full || op->kind == FENCE_ATOMIC ? 1.25 : 1)) <
                        1e-6);
    }
}

static void one_operation_is_measured_alone_with_what_it_is_compared_with(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &fence_probe, "op", "store", NULL), 0);
    measure(bench);
    assert_non_null(bench_find(bench, "fence.store"));
    assert_null(bench_find(bench, "fence.ordering"));
    for (size_t i = 0; i < bench->task.plan.series_count; i++) {
        const struct factor *op = series_factor(&bench->task.plan.series[i], "op");
        assert_true(!op || strcmp(op->text, "store") == 0);
    }
}

static void the_lines_of_a_point_are_those_of_its_set(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &fence_probe, NULL), 0);
    for (size_t i = 0; i < bench->task.plan.point_count; i++) {
        const struct plan_point *point = &bench->task.plan.points[i];
        if (!strstr(bench->task.plan.series[point->series].name, "another line"))
            continue;
        const struct trial *trial = bench_trial(bench, point, 7, 0);
        const struct fence *fence = trial->workers[0].state;
        assert_int_equal(fence->lines, (uint64_t)point->x / 64);
        assert_true(fence->memory + (size_t)point->x <= trial->arena->memory + point->arena_bytes);
        assert_true(fence->word + 128 <= fence->memory);
        trial->workers[0].run(trial->workers[0].state, 100);
        return;
    }
    skip(); /* this architecture's atomic operations are none of this processor's */
}

static void a_flushed_line_is_brought_back_untimed(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    assert_int_equal(bench_plan(bench, &fence_probe, NULL), 0);
    if (probe_next(&bench->task, &outcome, 1, &bench->error) == 0)
        skip(); /* this architecture has no flush */
    /* Those one after the other, whose batches are long, and then those of each level's lines. */
    assert_true(bench->task.plan.batch_ns >= 100e3);
    assert_int_equal(probe_next(&bench->task, &outcome, 2, &bench->error), 1);
    const struct plan *plan = &bench->task.plan;
    assert_true(plan->repeats >= 256);
    for (size_t i = 0; i < plan->point_count; i++) {
        assert_int_equal(fence_ops[plan->points[i].index].kind, FENCE_FLUSH);
        assert_true(plan->points[i].x / 64 >= 16 * (double)plan->repeats);
        const struct trial *trial = bench_trial(bench, &plan->points[i], 7, 0);
        struct fence *fence = trial->workers[0].state;
        /* Every level but memory, in whose lines nothing is to be brought back. */
        assert_int_equal(trial->restore != NULL,
                         (size_t)plan->points[i].x + 4096 < trial->point->arena_bytes);
        if (!trial->restore)
            continue;
        trial->workers[0].run(fence, plan->repeats);
        unsigned stores = 0;
        trial->restore(fence, plan->repeats);
        assert_true(fence->brought == fence->random);
        for (size_t at = 0; at < fence->lines * 64; at += 64)
            stores += *(fence->memory + at);
        assert_int_equal(stores, plan->repeats);
    }
    assert_int_equal(probe_next(&bench->task, &outcome, 3, &bench->error), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(each_operation_is_told_alone_and_behind_accesses),
        BENCH_TEST(one_operation_is_measured_alone_with_what_it_is_compared_with),
        BENCH_TEST(the_lines_of_a_point_are_those_of_its_set),
        BENCH_TEST(a_flushed_line_is_brought_back_untimed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
