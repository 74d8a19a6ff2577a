/* Trials become a point with the flags that they earned, and with no others. */
#include "measure/engine/record.h"

#include "base/random.h"
#include "document/flag.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { TRIALS = 30, BATCHES = 5 };

static const struct plan plain = {.cycles = true,
                                  .trials_min = 6,
                                  .trials_max = TRIALS,
                                  .trials_per_visit = 1,
                                  .batches = BATCHES,
                                  .precision = 0.01,
                                  .unstable_above = 0.1};

/* Adds one trial whose batches took `ns` an operation at that clock, on a core that is the thread's
 * own or not. */
static void add_on(struct record *record, const struct plan *plan, double ns, double core_hz,
                   bool core_shared)
{
    struct batch batches[BATCHES];
    double scratch[BATCHES];
    struct trial trial = {.operations = 10};
    struct visit visit = {.plan = plan,
                          .trials = &trial,
                          .trial_count = 1,
                          .repeats = 4,
                          .batches = batches,
                          .batch_count = BATCHES,
                          .core_alone = 0.268};
    /* One batch in five is far off and does not count. */
    for (int i = 0; i < BATCHES; i++)
        batches[i] = (struct batch){.ns = ns * 40 * (i == 2 ? 9 : 1),
                                    .core_hz = core_hz,
                                    .core_width = core_shared ? 0.3 : 0.268};
    assert_int_equal(record_add(record, &visit, (struct drift){1, 1}, scratch, NULL), 0);
}

static void add(struct record *record, const struct plan *plan, double ns, double core_hz)
{
    add_on(record, plan, ns, core_hz, false);
}

static struct point conclude(struct record *record, const struct plan *plan)
{
    double scratch[3 * TRIALS];
    struct point point = {0};
    record_conclude(record, plan, scratch, &point);
    record_free(record);
    return point;
}

static void a_steady_point_has_its_value_and_no_flag(void **state)
{
    struct record record = {0};
    double scratch[3 * TRIALS];
    for (int i = 0; i < 6; i++)
        add(&record, &plain, 2.0, 2.5e9);
    assert_true(record_converged(&record, &plain, scratch));
    struct point point = conclude(&record, &plain);
    assert_true(fabs(point.y.median - 2) < 1e-6);
    assert_true(fabs(point.cycles.median - 5) < 1e-6);
    assert_int_equal(point.y.n, 6);
    assert_int_equal(point.flags, 0);
}

/* Two that agree are no interval of 95 %, however narrow. */
static void fewer_trials_than_planned_are_not_converged(void **state)
{
    struct record record = {0};
    for (int i = 0; i < 2; i++)
        add(&record, &plain, 2.0, 2.5e9);
    struct point point = conclude(&record, &plain);
    assert_int_equal(point.flags, FLAG_BIT(FLAG_TOO_FEW));
}

/* The clock of a core at its i-th trial. */
static double moving(int i)
{
    return 2.5e9 + 1e7 * (i % 5);
}

static void trials_tell_whether_time_follows_the_core(void **state)
{
    struct record core = {0}, own = {0}, few = {0};
    for (int i = 0; i < 20; i++) {
        add(&core, &plain, 5e9 / moving(i), moving(i));
        add(&own, &plain, 80 + i % 3, moving(i));
    }
    for (int i = 0; i < 8; i++)
        add(&few, &plain, 5e9 / moving(i), moving(i));
    assert_true(fabsf(conclude(&core, &plain).by_clock + 1) < 0.01F);
    assert_false(conclude(&own, &plain).by_clock < -0.5F);
    assert_true(isnan(conclude(&few, &plain).by_clock));
}

static void a_moving_clock_scatters_ns_but_not_cycles(void **state)
{
    struct record record = {0};
    double scratch[3 * TRIALS];
    for (int i = 0; i < 12; i++) {
        double hz = i * 7 % 12 < 6 ? 2.5e9 : 3e9;
        add(&record, &plain, 5e9 / hz, hz);
    }
    assert_true(record_converged(&record, &plain, scratch));
    struct point point = conclude(&record, &plain);
    assert_int_equal(point.flags, FLAG_BIT(FLAG_CLOCK_DRIFT));
    assert_true(fabs(point.cycles.high - point.cycles.low) < 1e-5);
    assert_true(point.y.high > point.y.low * 1.1);
}

/* Of a timer whose step is a part in a hundred of a batch, the same trials say less. */
static void what_the_clock_may_seem_to_move_is_the_plans(void **state)
{
    static const struct {
        double spread, moves;
        unsigned flags;
    } cases[] = {
        {0, 0.02, FLAG_BIT(FLAG_CLOCK_DRIFT)},
        {0.03, 0.02, 0},
        {0.03, 0.04, FLAG_BIT(FLAG_CLOCK_DRIFT)},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct record record = {0};
        struct plan plan = plain;
        plan.clock_spread = cases[c].spread;
        for (int i = 0; i < 12; i++) {
            double hz = i * 7 % 12 < 6 ? 2.5e9 : 2.5e9 * (1 + cases[c].moves);
            add(&record, &plan, 5e9 / hz, hz);
        }
        assert_int_equal(conclude(&record, &plan).flags & FLAG_BIT(FLAG_CLOCK_DRIFT),
                         cases[c].flags);
    }
}

static void wide_trials_are_unconverged_and_unstable(void **state)
{
    struct record record = {0};
    struct random random = {3};
    double scratch[3 * TRIALS];
    for (int i = 0; i < TRIALS; i++)
        add(&record, &plain, 100 + 60 * random_unit(&random), 3e9);
    assert_false(record_converged(&record, &plain, scratch));
    struct point point = conclude(&record, &plain);
    assert_int_equal(point.flags, FLAG_BIT(FLAG_UNCONVERGED) | FLAG_BIT(FLAG_UNSTABLE));
}

static void a_rise_through_the_run_is_drift(void **state)
{
    struct record record = {0};
    for (int i = 0; i < TRIALS; i++)
        add(&record, &plain, 100 + 0.3 * i, 3e9);
    assert_int_equal(conclude(&record, &plain).flags & FLAG_BIT(FLAG_DRIFT), FLAG_BIT(FLAG_DRIFT));
}

static void two_groups_are_bimodal(void **state)
{
    struct record record = {0};
    struct random random = {8};
    for (int i = 0; i < TRIALS; i++)
        add(&record, &plain, (i * 13 % 30 < 12 ? 100 : 107) + random_unit(&random), 3e9);
    assert_true(conclude(&record, &plain).flags & FLAG_BIT(FLAG_BIMODAL));
}

static void what_spoiled_many_trials_is_reported(void **state)
{
    struct record record = {0};
    for (int i = 0; i < 10; i++)
        add(&record, &plain, 2 + 0.02 * (i * 7 % 10), 3e9);
    record.interrupted = record.batches / 10 + 1;
    record.stolen_trials = 3;
    record.flags = FLAG_BIT(FLAG_SMALL_PAGES);
    assert_int_equal(conclude(&record, &plain).flags,
                     FLAG_BIT(FLAG_PREEMPTED) | FLAG_BIT(FLAG_STOLEN) | FLAG_BIT(FLAG_SMALL_PAGES) |
                         FLAG_BIT(FLAG_UNCONVERGED));
}

/* Of a hundred batches other programs raised forty: the trial's value is that of the others, and
 * the point says by how much the median batch was longer in the trials where it was. */
static void a_trial_is_what_its_undisturbed_batches_are(void **state)
{
    struct record record = {0};
    struct plan plan = plain;
    enum { MANY = 100 };
    double scratch[3 * MANY];
    plan.batches = MANY;
    for (int t = 0; t < 6; t++) {
        struct batch batches[MANY];
        for (int i = 0; i < MANY; i++)
            batches[i] = (struct batch){
                .ns = (i % 10 < 4 + (t > 2) * 2 ? 260 : 200) + 0.01 * (i % 7), .core_hz = 2.5e9};
        struct visit visit = {.plan = &plan,
                              .batches = batches,
                              .batch_count = MANY,
                              .repeats = 1,
                              .trial_count = 1,
                              .trials = &(struct trial){.operations = 100}};
        assert_int_equal(record_add(&record, &visit, (struct drift){1, 1}, scratch, NULL), 0);
    }
    struct point point = point_bare();
    record_conclude(&record, &plan, scratch, &point);
    assert_true(fabs((double)point.y.median - 2) < 0.002);
    assert_true(fabs((double)point.cycles.median - 5) < 0.005);
    assert_true(point.y.high < 2.01f && point.y.min > 1.99f);
    assert_true((double)point.disturbance.longer > 0.1 && point.disturbance.trials == 0);
    record_free(&record);
}

/* Trials that other programs had a part in throughout, which their interrupted batches show: a
 * third of twelve raises the median, so the lower end reaches to where the others' median may be.
 * With more than half the value is not the hardware's alone. */
static void trials_disturbed_throughout_widen_the_lower_side(void **state)
{
    for (int disturbed = 0; disturbed <= 8; disturbed += 4) {
        struct record record = {0};
        for (int i = 0; i < 12; i++)
            add(&record, &plain, i < disturbed ? 3 + 0.01 * i : 2 + 0.01 * i, 2.5e9);
        record.disturbed_trials = (unsigned)disturbed;
        const struct point point = conclude(&record, &plain);
        assert_true(fabs((double)point.disturbance.trials - disturbed / 12.0) < 1e-6);
        assert_true(disturbed == 0 || (double)point.y.low < 2.09);
    }
}

/* A figure is of the trials whose core was the thread's own, however few. Fewer than an
 * interval needs are no good figure: the others count as disturbed, and the interval is that of
 * all, which reaches from the value to them. More trials are then wanted. */
static void figures_are_of_a_core_that_is_not_shared(void **state)
{
    for (int own = 0; own <= 12; own += 4) {
        struct record record = {0};
        for (int i = 0; i < 12; i++)
            add_on(&record, &plain, i < own ? 2 : 2.4, 2.5e9, i >= own);
        assert_true(!record_lacks_core(&record) == (own >= 6));
        const struct point point = conclude(&record, &plain);
        assert_true(fabs((double)point.cycles.median - (own ? 5 : 6)) < 1e-3);
        assert_true(own != 4 || (point.cycles.low < 5 && point.cycles.high > 5.9F));
        assert_true(fabs((double)point.y.median - (own ? 2 : 2.4)) < 1e-6);
        assert_true(fabs((double)point.disturbance.trials - (own < 6 ? 1 - own / 12.0 : 0)) < 1e-6);
    }
}

/* Three trials a moment agree and moments do not, so seven moments of the own core are seven
 * values, of which the interval of 95 % holds least and greatest. */
static void trials_of_an_own_core_count_as_moments(void **state)
{
    struct plan spread = plain;
    spread.arena_life = ARENA_WHOLE_STAGE;
    spread.look_trials = 3;
    struct record record = {0};
    for (int i = 0; i < 27; i++) {
        const int moment = i / 3;
        add_on(&record, &spread, moment < 7 ? 2 + 0.1 * moment : 9, 2.5e9, moment >= 7);
        record.turn[i] = (float)moment;
    }
    const struct point point = conclude(&record, &spread);
    assert_true(fabs((double)point.y.median - 2.3) < 1e-6);
    assert_true(point.y.low < 2.001F && point.y.high > 2.599F);
}

/* What takes a fixed time takes fewer cycles of a clock that was lowered, and of one that was read
 * too low. */
static void cycles_count_at_the_highest_clock(void **state)
{
    struct record record = {0};
    for (int i = 0; i < 12; i++)
        add(&record, &plain, 100, i % 3 == 0 ? 3e9 : i % 3 == 1 ? 1.7e9 : 0.3e9);
    const struct point point = conclude(&record, &plain);
    assert_true(fabs((double)point.cycles.median - 300) < 0.1);
    assert_true(fabs((double)point.y.median - 100) < 0.1);
}

/* A move from 25 ns to 120 ns and back: most trials were taken at 120 ns, some while the host moved
 * the CPUs. */
static void trials_of_one_state_of_the_cpus_are_a_figure(void **state)
{
    uint8_t found[] = {0, 1, PLACEMENT_MOVING, 1, 0};
    const struct placement placement = {.found = found, .look_count = 5};
    struct record record = {0};
    for (int i = 0; i < 20; i++) {
        add(&record, &plain, i < 4 ? 80 : i < 16 ? 120 : 25, 3e9);
        record.interval[record.trials - 1] = (float)(i < 4 ? 0 : i < 16 ? 1 + i % 2 : 4);
    }
    for (int twice = 0; twice < 2; twice++) {
        unsigned states = 0;
        struct record one = record_of_states(&record, &placement, true, &states);
        assert_int_equal(record.trials, 20);
        assert_int_equal(one.trials, 12);
        assert_int_equal(states, 1u << 1);
        double scratch[200];
        struct point point = {0};
        record_conclude(&one, &plain, scratch, &point);
        assert_true(fabs((double)point.y.min - 120) < 1e-3 &&
                    fabs((double)point.y.max - 120) < 1e-3);
    }
    unsigned states = 0;
    assert_int_equal(record_of_states(&record, &placement, false, &states).trials, 20);
    assert_int_equal(states, 1u << 0 | 1u << 1 | 1u << PLACEMENT_MOVING);
    states = 0;
    assert_int_equal(record_of_states(&record, NULL, true, &states).trials, 20);
    assert_int_equal(states, 1u << 0);
    record_free(&record);
}

static void no_trial_no_value(void **state)
{
    struct record record = {0};
    struct point point = conclude(&record, &plain);
    assert_int_equal(point.y.n, 0);
    assert_true(isnan(point.y.median));
    assert_int_equal(point.flags, 0);
}

static void a_rate_is_operations_a_second(void **state)
{
    struct plan plan = plain;
    struct record record = {0};
    plan.yields = OPERATIONS_PER_SECOND;
    plan.cycles = false;
    for (int i = 0; i < 6; i++)
        add(&record, &plan, 2, 3e9);
    struct point point = conclude(&record, &plan);
    assert_true(fabs(point.y.median / 5e8 - 1) < 1e-6);
    assert_true(isnan(point.cycles.median));
}

/* The second half of the trials is the first half's lines again. */
static const struct plan twice = {.cycles = true,
                                  .trials_min = 24,
                                  .trials_max = 24,
                                  .trials_per_visit = 4,
                                  .passes = 2,
                                  .batches = BATCHES,
                                  .precision = 0.5,
                                  .unstable_above = INFINITY};

static void what_is_measured_twice_counts_once_with_the_mean_of_both(void **state)
{
    struct record record = {0};
    for (int i = 0; i < 24; i++)
        add(&record, &twice, (10 + i % 12) * (i < 12 ? 0.9 : 1.1), 2.5e9);
    struct point point = conclude(&record, &twice);
    assert_int_equal(point.y.n, 12);
    assert_true(fabs((double)point.y.min - 10) < 1e-4);
    assert_true(fabs((double)point.y.median - 15.5) < 1e-4);
    assert_true(fabs((double)point.y.max - 21) < 1e-4);
    assert_true(fabs((double)point.cycles.median - 15.5 * 2.5) < 1e-3);
    /* All were slower the second time, by a fifth. */
    assert_true(point.flags & FLAG_BIT(FLAG_DRIFT));
    assert_true((double)point.scatter.drift > 0.1);
    assert_true(point.scatter.residual < point.scatter.drift);
}

static void lines_that_differ_are_no_drift(void **state)
{
    struct record record = {0};
    for (int i = 0; i < 24; i++)
        add(&record, &twice, 10 + i % 12, 2.5e9);
    struct point point = conclude(&record, &twice);
    assert_int_equal(point.flags & FLAG_BIT(FLAG_DRIFT), 0);
    assert_true(fabs((double)point.scatter.drift) < 1e-6);
    assert_true((double)point.scatter.line > 0.05);
}

static void a_second_pass_that_was_cut_short_still_has_its_lines(void **state)
{
    struct record record = {0};
    for (int i = 0; i < 15; i++) /* three lines twice, nine once */
        add(&record, &twice, i % 12 < 3 ? (i < 12 ? 18 : 22) : 30, 2.5e9);
    struct point point = conclude(&record, &twice);
    assert_int_equal(point.y.n, 12);
    assert_true(fabs((double)point.y.min - 20) < 1e-4);
    assert_true(fabs((double)point.y.median - 30) < 1e-4);
    assert_true(isnan(point.scatter.line));
}

static void a_first_pass_alone_counts_what_it_has(void **state)
{
    struct record record = {0};
    for (int i = 0; i < 5; i++)
        add(&record, &twice, 10 + i, 2.5e9);
    struct point point = conclude(&record, &twice);
    assert_int_equal(point.y.n, 5);
    assert_true(fabs((double)point.y.median - 12) < 1e-4);
    assert_int_equal(point.flags & FLAG_BIT(FLAG_DRIFT), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steady_point_has_its_value_and_no_flag),
        cmocka_unit_test(fewer_trials_than_planned_are_not_converged),
        cmocka_unit_test(trials_tell_whether_time_follows_the_core),
        cmocka_unit_test(a_moving_clock_scatters_ns_but_not_cycles),
        cmocka_unit_test(what_the_clock_may_seem_to_move_is_the_plans),
        cmocka_unit_test(wide_trials_are_unconverged_and_unstable),
        cmocka_unit_test(a_rise_through_the_run_is_drift),
        cmocka_unit_test(two_groups_are_bimodal),
        cmocka_unit_test(what_spoiled_many_trials_is_reported),
        cmocka_unit_test(a_trial_is_what_its_undisturbed_batches_are),
        cmocka_unit_test(trials_disturbed_throughout_widen_the_lower_side),
        cmocka_unit_test(figures_are_of_a_core_that_is_not_shared),
        cmocka_unit_test(trials_of_an_own_core_count_as_moments),
        cmocka_unit_test(cycles_count_at_the_highest_clock),
        cmocka_unit_test(trials_of_one_state_of_the_cpus_are_a_figure),
        cmocka_unit_test(no_trial_no_value),
        cmocka_unit_test(a_rate_is_operations_a_second),
        cmocka_unit_test(what_is_measured_twice_counts_once_with_the_mean_of_both),
        cmocka_unit_test(lines_that_differ_are_no_drift),
        cmocka_unit_test(a_second_pass_that_was_cut_short_still_has_its_lines),
        cmocka_unit_test(a_first_pass_alone_counts_what_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
