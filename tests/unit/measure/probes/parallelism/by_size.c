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

/* Both lists make their product, and what is prefetched further ahead than there are chains is left
 * out. */
static void chains_times_work(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &parallelism_probe, "sizes", "16K,1M", "work", "3x,6x",
                                "chains", "1,8", "prefetch", "8", NULL),
                     0);
    assert_int_equal(bench->task.plan.series_count, 6);
    static const double chains[] = {1, 8, 8, 1, 8, 8};
    for (size_t i = 0; i < 6; i++) {
        const struct factor *work = series_factor(&bench->task.plan.series[i], "work");
        assert_string_equal(work->text, i < 3 ? "3x" : "6x");
        assert_true(number_of(bench, i, "chains") == chains[i]);
    }
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
    refuse(bench, "work", "3x,6", "sizes", "1M", "iterations like 3x,6x");
    refuse(bench, "work", "3x", NULL, NULL, "give --sizes");
    refuse(bench, "work", "0", NULL, NULL, "--work '0'");
    refuse(bench, "work", "3,2000", NULL, NULL, "1024");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(a_curve_for_each_number_of_chains),
        BENCH_TEST(a_curve_for_each_amount_of_work_and_its_prefetch),
        BENCH_TEST(chains_times_work),
        BENCH_TEST(contradictions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
