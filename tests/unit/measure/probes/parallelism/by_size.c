#include "support.h"

#include "measure/kernels/chains.h"
#include "measure/probes/parallelism/parallelism.h"

#include <math.h>
#include <stdlib.h>

extern const struct probe parallelism_probe;

static double number_of(const struct bench *bench, size_t series, const char *factor)
{
    const struct factor *found = series_factor(&bench->task.plan.series[series], factor);
    return found ? found->number : NAN;
}

static void a_curve_for_each_number_of_chains(void **state)
{
    struct bench *bench = *state;
    const struct stage_outcome outcome = {0};
    assert_int_equal(
        bench_plan(bench, &parallelism_probe, "sizes", "16K,1M", "chains", "1,4", NULL), 0);
    assert_int_equal(bench->task.plan.series_count, 2);
    assert_int_equal(bench->task.plan.point_count, 4);
    assert_true(number_of(bench, 0, "chains") == 1 && number_of(bench, 1, "chains") == 4);
    assert_string_equal(bench->task.plan.series[0].x.unit, "B");
    bench->task.plan.budget_s = 100;
    assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), 0);
}

static void a_curve_for_each_amount_of_work_and_its_prefetch(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &parallelism_probe, "sizes", "16K,1M", "work", "3,6,12",
                                "prefetch", "4", NULL),
                     0);
    assert_int_equal(bench->task.plan.series_count, 6);
    static const double works[] = {3, 3, 6, 6, 12, 12};
    for (size_t i = 0; i < 6; i++) {
        assert_true(number_of(bench, i, "work") == works[i]);
        assert_true(number_of(bench, i, "chains") == (double)PARALLELISM_USUAL);
        assert_true(i % 2 ? number_of(bench, i, "prefetch") == 4
                          : isnan(number_of(bench, i, "prefetch")));
    }
}

/* One memory holds a ring of one size after the other, in any order: each is whole when its trial
 * begins, and lies where the arena is. */
static void every_size_finds_a_ring_of_its_own(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(
        bench_plan(bench, &parallelism_probe, "sizes", "4K,64K,256K", "chains", "1,4,16", NULL), 0);
    const struct plan *plan = &bench->task.plan;
    size_t bytes = 0;
    for (size_t i = 0; i < plan->point_count; i++)
        bytes = plan->points[i].arena_bytes > bytes ? plan->points[i].arena_bytes : bytes;
    bytes = (bytes + 4095) / 4096 * 4096;
    struct arena arena = {.memory = aligned_alloc(4096, bytes), .bytes = bytes};
    struct worker worker;
    assert_non_null(arena.memory);
    memset(arena.memory, 0, bytes);
    for (unsigned turn = 0; turn < 40; turn++) {
        const struct plan_point *point = &plan->points[turn * 7 % plan->point_count];
        struct trial trial = {.plan = plan,
                              .point = point,
                              .arena = &arena,
                              .seed = 100 + turn,
                              .workers = &worker,
                              .probe_state = bench->task.state};
        parallelism_probe.prepare(&trial);
        assert_ptr_equal(trial.arena, &arena);
        const struct chains *chains = worker.state;
        const unsigned count = ((const struct parallelism_point *)point->own)->chains;
        const size_t lines = (size_t)point->x / 64;
        void **start = chains->position[0], **at = start;
        size_t steps = 0, met = 0;
        do {
            assert_true((unsigned char *)at > arena.memory &&
                        (unsigned char *)at < arena.memory + bytes);
            for (unsigned chain = 1; chain < count; chain++)
                met += chains->position[chain] == (void *)at;
            at = *at;
            steps++;
        } while (at != start && steps <= lines);
        assert_int_equal(steps, lines);
        assert_int_equal(met, count - 1);
        worker.run(worker.state, 2);
    }
    free(arena.memory);
}

static void one_number_of_chains_is_each_threads_too(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(
        bench_plan(bench, &parallelism_probe, "level", "DRAM", "chains", "1", "threads", "2", NULL),
        0);
    assert_int_equal(((struct parallelism_state *)bench->task.state)->chains_per_thread, 1);
    assert_int_equal(bench_plan(bench, &parallelism_probe, "level", "DRAM", NULL), 0);
    assert_int_equal(((struct parallelism_state *)bench->task.state)->chains_per_thread,
                     PARALLELISM_USUAL);
}

static void refuse(struct bench *bench, const char *a, const char *b, const char *c, const char *d,
                   const char *says)
{
    bench->error = (struct error){0};
    assert_int_equal(bench_plan(bench, &parallelism_probe, a, b, c, d, NULL), ERROR_USAGE);
    if (!strstr(bench->error.text, says))
        fail_msg("'%s' does not say '%s'", bench->error.text, says);
}

static void contradictions_are_refused(void **state)
{
    struct bench *bench = *state;
    refuse(bench, "sizes", "1M", "level", "L2", "--level");
    refuse(bench, "from", "1M", "size", "2M", "--size");
    refuse(bench, "sizes", "1M", "threads", "2", "--threads");
    refuse(bench, "sizes", "128", "chains", "64", "room for that many chains");
    refuse(bench, "work", "3,x", NULL, NULL, "--work '3,x'");
    refuse(bench, "work", "0", NULL, NULL, "--work '0'");
    refuse(bench, "work", "3,2000", NULL, NULL, "1024");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(a_curve_for_each_number_of_chains),
        BENCH_TEST(a_curve_for_each_amount_of_work_and_its_prefetch),
        BENCH_TEST(every_size_finds_a_ring_of_its_own),
        BENCH_TEST(one_number_of_chains_is_each_threads_too),
        BENCH_TEST(contradictions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
