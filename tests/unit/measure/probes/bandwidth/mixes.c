#include "support.h"

#include "measure/kernels/mix.h"

#include <math.h>
#include <stdlib.h>

extern const struct probe bandwidth_probe;

static void a_mix_has_a_curve_by_threads(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "mix", "4:1,1:0", "kernel", "triad", NULL),
                     0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->series_count, 3);
    assert_string_equal(series_factor(&plan->series[0], "mix")->text, "4:1");
    assert_string_equal(series_factor(&plan->series[1], "mix")->text, "1:0");
    assert_string_equal(series_factor(&plan->series[2], "kernel")->text, "triad");
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(series_factor(&plan->series[i], "level")->text, "DRAM");
    const struct stage_outcome outcome = {0};
    assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), 0);
}

/* What is counted is what the memory sees: a store's own read too, but of one past the caches. */
static void bytes_are_counted_as_the_memory_sees_them(void **state)
{
    struct bench *bench = *state;
    static const struct {
        const char *mix;
        unsigned load_parts, store_parts, counted;
    } cases[] = {{"4:1", 3, 1, 5}, {"1:1", 0, 1, 2}, {"1:0", 1, 0, 1}, {"2:1", 1, 1, 3}};
    const uint64_t part = MIX_PART_BYTES / STREAM_STEP_BYTES;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        assert_int_equal(
            bench_plan(bench, &bandwidth_probe, "mix", cases[c].mix, "size", "600K", NULL), 0);
        const struct plan *plan = &bench->task.plan;
        const struct plan_point *point = &plan->points[plan->point_count - 1];
        const struct trial trial = *bench_trial(bench, point, 3, 0);
        const struct worker *workers = bench->workers;
        assert_true(trial.operations ==
                    (double)cases[c].counted * (double)MIX_PART_BYTES * point->seat_count);
        for (unsigned i = 0; i < point->seat_count; i++) {
            const struct mix *mix = workers[i].state;
            const unsigned char *begin = bench->arena.memory + plan->parts[i].at;
            const unsigned char *end = begin + plan->parts[i].bytes;
            assert_int_equal(mix->load_steps, cases[c].load_parts * part);
            assert_int_equal(mix->store_steps, cases[c].store_parts * part);
            assert_true((const unsigned char *)mix >= begin);
            if (mix->load_steps)
                assert_true(mix->from.from > (const unsigned char *)mix &&
                            mix->from.from + mix->from.steps * mix->from.stride <= end);
            if (mix->store_steps)
                assert_true(mix->to.to > (const unsigned char *)mix &&
                            mix->to.to + mix->to.steps * mix->to.stride <= end);
            workers[i].run(workers[i].state, 2);
        }
    }
}

static void refuse(struct bench *bench, const char *mix, const char *option, const char *value,
                   const char *says)
{
    bench->error = (struct error){0};
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "mix", mix, option, value, NULL),
                     ERROR_USAGE);
    if (!strstr(bench->error.text, says))
        fail_msg("%s: '%s' does not say '%s'", mix, bench->error.text, says);
}

static void what_no_memory_can_see_is_refused(void **state)
{
    struct bench *bench = *state;
    refuse(bench, "1:2", NULL, NULL, "--mix '1:2'");
    refuse(bench, "0:0", NULL, NULL, "--mix '0:0'");
    refuse(bench, "4", NULL, NULL, "--mix '4'");
    refuse(bench, "4:1,", NULL, NULL, "--mix '4:1,'");
    refuse(bench, "4:1x", NULL, NULL, "--mix");
    refuse(bench, "-1:1", NULL, NULL, "--mix");
    refuse(bench, "100:1", NULL, NULL, "--mix");
    refuse(bench, "4:1", "stride", "128", "--stride");
    refuse(bench, "4:1", "sizes", "1M", "--sizes");
}

static double rate_of(const struct bench *bench, const struct plan_point *point)
{
    return 1e9 * (point->x + point->series);
}

static void one_and_all_are_reported_by_name(void **state)
{
    struct bench *bench = *state;
    const struct stage_outcome outcome = {0};
    assert_int_equal(bench_plan(bench, &bandwidth_probe, "mix", "4:1,1:0", NULL), 0);
    bench_measured(bench, rate_of);
    assert_int_equal(conclude_twice(&bench->task, &outcome, &bench->error), 0);
    assert_true(bench_finding(bench, "bandwidth.reads4-writes1.1")->value == 1e9);
    assert_true(bench_finding(bench, "bandwidth.reads4-writes1.all")->value == 5e9);
    assert_true(bench_finding(bench, "bandwidth.read.all")->value == 6e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(a_mix_has_a_curve_by_threads),
        BENCH_TEST(bytes_are_counted_as_the_memory_sees_them),
        BENCH_TEST(what_no_memory_can_see_is_refused),
        BENCH_TEST(one_and_all_are_reported_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
