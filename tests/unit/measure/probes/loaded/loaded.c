#include "support.h"

#include "document/flag.h"
#include "measure/kernels/chase.h"
#include "measure/probes/loaded/loaded.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

extern const struct probe loaded_probe;

static const struct loaded_state *state_of(const struct bench *bench)
{
    return bench->task.state;
}

/* --- planning --- */

static void bad_input_names_what_would_do(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &loaded_probe, "injectors", "5", NULL), ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "at most 4"));
    assert_int_equal(settings_set(&bench->settings, "mix", "-1", &bench->error), ERROR_USAGE);
    assert_int_equal(settings_set(&bench->settings, "mix", "101", &bench->error), ERROR_USAGE);
    assert_int_equal(settings_set(&bench->settings, "injectors", "0", &bench->error), ERROR_USAGE);
    assert_int_equal(settings_set(&bench->settings, "traffic", "both", &bench->error), ERROR_USAGE);
    assert_int_equal(bench_plan(bench, &loaded_probe, "cpu", "5", NULL), ERROR_USAGE);
    assert_int_equal(bench_plan(bench, &loaded_probe, "cpus", "2", NULL), 0);
    assert_int_equal(bench->result.status, PROBE_SKIPPED);
    assert_non_null(strstr(bench->result.reason, "two CPUs"));
}

/* --- concluding --- */

/* A memory that moves at most 40 GB/s, for which its latency is 100 ns at rest and grows as a queue
 * does; the injectors ask for `share` of it on the last step, and for half as much on each before.
 */
static double asked(unsigned step, double share)
{
    return step == LOADED_NONE ? 0 : 40 * share * exp2(-0.5 * (LOADED_FULL - step));
}

static double latency_at(double gbs)
{
    return 100 * (1 + 0.5 * gbs / (40 - gbs));
}

enum { WINDOWS = 12 };

/* `starved`: trials in which the last injector did this share of what it does. */
static void observe_starved(struct bench *bench, unsigned step, double share, unsigned starved,
                            double did)
{
    static const unsigned trials = 7;
    const struct loaded_state *it = state_of(bench);
    struct plan_point point = {.x = step, .seats = it->seats, .seat_count = 1 + it->injectors};
    struct series *series = &bench->task.plan.series[LOADED_LATENCY];
    double values[16];
    if (step == LOADED_NONE)
        point.seat_count = 1;
    for (unsigned number = 0; number < trials; number++) {
        struct seat_share shares[WINDOWS][BENCH_CPUS] = {{{0, 0}}};
        const double gbs = asked(step, share) * (1 + 0.001 * number), ns = 1e6;
        struct trial trial = {.point = &point, .number = number, .operations = 64};
        struct batch batches[WINDOWS];
        for (unsigned w = 0; w < WINDOWS; w++) {
            /* In some windows the chase was held up, and the injectors went on without it. */
            const double faster = w % 3 == 2 ? 1.7 : 1;
            struct seat_share *of = (struct seat_share *)shares + w * point.seat_count;
            batches[w] = (struct batch){.ns = latency_at(gbs) * 64 * faster, .core_hz = 3e9};
            for (unsigned i = 1; i < point.seat_count; i++)
                of[i] = (struct seat_share){
                    (uint64_t)llround(faster * gbs * ns / it->injectors / (inject_lines_each * 64)),
                    ns};
            struct seat_share *last = &of[point.seat_count - 1];
            if (number < starved)
                last->repeats = (uint64_t)(did * (double)last->repeats);
        }
        loaded_probe.observe(&bench->task,
                             &(struct observation){.trial = &trial,
                                                   .batches = batches,
                                                   .batch_count = WINDOWS,
                                                   .shares = (struct seat_share *)shares,
                                                   .repeats = 1});
        values[number] = latency_at(gbs);
    }
    struct point *slot =
        pool_append(&bench->pool, (void **)&series->points, &series->point_count, sizeof *slot);
    *slot = (struct point){.x = step};
    summarize(values, trials, values, &slot->y);
    slot->cycles = (struct estimate){slot->y.median * 3, slot->y.low * 3, slot->y.high * 3};
}

static void observe(struct bench *bench, unsigned step, double share, unsigned starved)
{
    observe_starved(bench, step, share, starved, 0);
}

static void assert_value(const struct bench *bench, const char *name, double wanted, double within)
{
    const struct finding *finding = bench_find(bench, name);
    if (!finding || !(fabs(finding->value / wanted - 1) <= within))
        fail_msg("%s is %g and not %g", name, finding ? finding->value : NAN, wanted);
    assert_true(finding->low <= finding->value && finding->value <= finding->high);
}

static void conclude(struct bench *bench)
{
    const struct stage_outcome outcome = {0};
    bench->result.series = bench->task.plan.series;
    bench->result.series_count = bench->task.plan.series_count;
    assert_int_equal(conclude_twice(&bench->task, &outcome, &bench->error), 0);
}

static void two_ends_are_no_curve(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &loaded_probe, NULL), 0);
    observe(bench, LOADED_NONE, 0.9, 0);
    observe(bench, LOADED_FULL, 0.9, 0);
    conclude(bench);
    assert_value(bench, "loaded.unloaded", 100, 0.001);
    assert_value(bench, "loaded.unloaded_cycles", 300, 0.001);
    assert_value(bench, "loaded.saturated", latency_at(36), 0.05);
    assert_value(bench, "loaded.bandwidth", 36e9, 0.01);
    assert_null(bench_find(bench, "loaded.knee"));
    assert_int_equal(bench->result.series_count, LOADED_KNEE); /* no round has a curve */
    assert_false(bench->result.series[LOADED_CURVE].headline);
    assert_int_equal(bench->result.status, PROBE_OK);
}

static void the_curve_is_latency_over_what_was_moved(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &loaded_probe, NULL), 0);
    for (unsigned step = 0; step < LOADED_STEPS; step++)
        observe(bench, step, 0.98, 0);
    conclude(bench);
    const struct series *curve = &bench->result.series[LOADED_CURVE];
    assert_int_equal(curve->point_count, LOADED_STEPS);
    assert_true(curve->headline);
    for (size_t i = 0; i < curve->point_count; i++) {
        double gbs = curve->points[i].x * 1e-9;
        assert_true(fabs(gbs - asked((unsigned)i, 0.98)) < 0.01 * gbs + 1e-9);
        assert_true(fabs((double)curve->points[i].y.median / latency_at(gbs) - 1) < 0.01);
    }
    /* Of rate / (1 + rate / 2 (40 - rate)) the greatest is at 40 (2 - sqrt 2). */
    assert_value(bench, "loaded.knee", 40e9 * (2 - sqrt(2)), 0.05);
}

static void too_few_injectors_show_no_knee(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &loaded_probe, "injectors", "1", NULL), 0);
    for (unsigned step = 0; step < LOADED_STEPS; step++)
        observe(bench, step, 0.4, 0);
    conclude(bench);
    assert_non_null(bench_find(bench, "loaded.knee"));
    assert_true(isnan(bench_find(bench, "loaded.knee")->value));
    assert_non_null(strstr(bench_find(bench, "loaded.knee")->text, "1 injector makes not enough"));
}

static void modified_lines_go_both_ways(void **state)
{
    struct bench *bench = *state;
    static const struct {
        const char *mix;
        double moved; /* for each line that an injector goes through */
    } mixes[] = {{"100", 1}, {"80", 1.25}, {"75", 4.0 / 3}, {"50", 2}, {"20", 1.25}, {"0", 1}};
    struct inject_mix any;
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        const unsigned percent = (unsigned)strtoul(mixes[i].mix, NULL, 10);
        const bool lacks = inject_mix_make(&any, percent, INJECT_SEQUENTIAL, 64) != NULL;
        bench->result.finding_count = 0;
        assert_int_equal(bench_plan(bench, &loaded_probe, "mix", mixes[i].mix, NULL),
                         lacks ? ERROR_USAGE : 0);
        if (lacks)
            continue;
        observe(bench, LOADED_FULL, 0.5, 0);
        conclude(bench);
        assert_value(bench, "loaded.bandwidth", 20e9 * mixes[i].moved, 0.01);
    }
}

static void a_starved_injector_spoils_its_trial_and_starved_trials_their_point(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &loaded_probe, NULL), 0);
    observe(bench, LOADED_NONE, 0.9, 0);
    observe(bench, LOADED_FULL - 1, 0.9, 2);
    observe(bench, LOADED_FULL, 0.9, 7);
    conclude(bench);
    const struct series *latency = &bench->result.series[LOADED_LATENCY];
    assert_true(latency->points[1].flags & FLAG_BIT(FLAG_PREEMPTED));
    assert_null(latency->points[1].failed);
    assert_int_equal(latency->points[2].y.n, 0);
    assert_non_null(strstr(latency->points[2].failed, "injector on CPU 4 got no time"));
    assert_int_equal(bench->result.series[LOADED_BANDWIDTH].points[1].y.n, 5);
    assert_int_equal(latency->points[0].y.n, 7);
    assert_int_equal(latency->points[1].y.n, 5);
    assert_true(isnan(latency->points[1].cycles.median));
    assert_int_equal(bench->result.series[LOADED_CURVE].point_count, 2);
    assert_int_equal(bench->result.series[LOADED_CURVE].points[1].y.n, 5);
    assert_null(bench_find(bench, "loaded.saturated"));
    assert_int_equal(bench->result.status, PROBE_PARTIAL);
    assert_non_null(strstr(bench->result.reason, "1 of 3 points failed"));
}

/* Nobody is busier than a lone injector. */
static void what_an_injector_mostly_does_shows_when_it_starved(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &loaded_probe, "injectors", "1", NULL), 0);
    observe(bench, LOADED_NONE, 0.9, 0);
    observe_starved(bench, LOADED_FULL - 1, 0.9, 3, 0.04);
    observe_starved(bench, LOADED_FULL, 0.9, 7, 0.6);
    conclude(bench);
    const struct point *some = &bench->result.series[LOADED_BANDWIDTH].points[1],
                       *even = &bench->result.series[LOADED_BANDWIDTH].points[2];
    assert_int_equal(some->y.n, 4);
    assert_true((double)some->y.min > 0.99 * asked(LOADED_FULL - 1, 0.9) * 1e9);
    assert_true(some->flags & FLAG_BIT(FLAG_PREEMPTED));
    assert_int_equal(even->y.n, 7);
    assert_false(even->flags & FLAG_BIT(FLAG_PREEMPTED));
}

static void the_steps_between_are_measured_where_there_is_time_for_all(void **state)
{
    struct bench *bench = *state;
    for (int plenty = 0; plenty < 2; plenty++) {
        assert_int_equal(bench_plan(bench, &loaded_probe, NULL), 0);
        observe(bench, LOADED_NONE, 0.9, 0);
        observe(bench, LOADED_FULL, 0.9, 0);
        struct stage_outcome outcome = {.elapsed_s = 1.4, .visits_s = 1.4};
        bench->task.plan.budget_s = plenty ? 10 : 9;
        assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), plenty);
        if (!plenty)
            continue;
        assert_int_equal(bench->task.plan.point_count, LOADED_STEPS - 2);
        for (unsigned i = 0; i < LOADED_STEPS - 2; i++)
            assert_true(bench->task.plan.points[i].x == i + 1);
        assert_int_equal(probe_next(&bench->task, &outcome, 2, &bench->error), 0);
    }
}

static void with_less_time_it_is_every_second_or_third_step(void **state)
{
    struct bench *bench = *state;
    /* The ends took 0.1 s a trial, in half of the budget. */
    static const struct {
        double half_s;
        unsigned steps, first;
        const char *says;
    } cases[] = {{5, 14, 1, "latency rises little"},
                 {3, 7, 1, "left out: there was time for 9 of 16 steps"},
                 {2, 4, 3, "left out: there was time for 6 of 16 steps"},
                 {1.5, 0, 0, "no time for the steps between the two ends; give --budget 17"}};
    bench->task.named = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct stage_outcome outcome = {.elapsed_s = 1.4, .visits_s = 1.4};
        bench->result.finding_count = 0;
        assert_int_equal(bench_plan(bench, &loaded_probe, NULL), 0);
        struct plan *plan = &bench->task.plan;
        assert_true(plan->share > 0.49 && plan->share < 0.51);
        observe(bench, LOADED_NONE, 0.98, 0);
        observe(bench, LOADED_FULL, 0.98, 0);
        plan->budget_s = cases[i].half_s;
        assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), cases[i].steps > 0);
        for (unsigned k = 0; k < cases[i].steps; k++) {
            const unsigned stride = (LOADED_FULL - cases[i].first) / cases[i].steps;
            assert_true(plan->points[k].x == cases[i].first + k * stride);
            observe(bench, (unsigned)plan->points[k].x, 0.98, 0);
        }
        conclude(bench);
        assert_non_null(bench_find(bench, "loaded.knee"));
        assert_non_null(strstr(bench_find(bench, "loaded.knee")->text, cases[i].says));
        if (cases[i].steps)
            assert_int_equal(plan->point_count, cases[i].steps);
        if (i == 0)
            assert_value(bench, "loaded.knee", 40e9 * (2 - sqrt(2)), 0.05);
        else
            assert_true(isnan(bench_find(bench, "loaded.knee")->value));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(bad_input_names_what_would_do),
        BENCH_TEST(two_ends_are_no_curve),
        BENCH_TEST(the_curve_is_latency_over_what_was_moved),
        BENCH_TEST(too_few_injectors_show_no_knee),
        BENCH_TEST(modified_lines_go_both_ways),
        BENCH_TEST(a_starved_injector_spoils_its_trial_and_starved_trials_their_point),
        BENCH_TEST(the_steps_between_are_measured_where_there_is_time_for_all),
        BENCH_TEST(what_an_injector_mostly_does_shows_when_it_starved),
        BENCH_TEST(with_less_time_it_is_every_second_or_third_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
