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

/* Adds one trial whose batches took `ns` an operation at that clock. */
static void add(struct record *record, const struct plan *plan, double ns, double core_hz)
{
    struct batch batches[BATCHES];
    double scratch[BATCHES];
    struct trial trial = {.operations = 10};
    struct visit visit = {.plan = plan,
                          .trials = &trial,
                          .trial_count = 1,
                          .repeats = 4,
                          .batches = batches,
                          .batch_count = BATCHES};
    /* One batch in five is far off: a trial is the median of its batches. */
    for (int i = 0; i < BATCHES; i++)
        batches[i] = (struct batch){ns * 40 * (i == 2 ? 9 : 1), core_hz};
    assert_int_equal(record_add(record, &visit, (struct drift){1, 1}, scratch, NULL), 0);
}

static struct point conclude(struct record *record, const struct plan *plan)
{
    double scratch[2 * TRIALS];
    struct point point = {0};
    record_conclude(record, plan, scratch, &point);
    record_free(record);
    return point;
}

static void a_steady_point_has_its_value_and_no_flag(void **state)
{
    (void)state;
    struct record record = {0};
    double scratch[2 * TRIALS];
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
    (void)state;
    struct record record = {0};
    for (int i = 0; i < 2; i++)
        add(&record, &plain, 2.0, 2.5e9);
    struct point point = conclude(&record, &plain);
    assert_int_equal(point.flags, FLAG_BIT(FLAG_TOO_FEW));
}

static void a_moving_clock_scatters_ns_but_not_cycles(void **state)
{
    (void)state;
    struct record record = {0};
    double scratch[2 * TRIALS];
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
    (void)state;
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
    (void)state;
    struct record record = {0};
    struct random random = {3};
    double scratch[2 * TRIALS];
    for (int i = 0; i < TRIALS; i++)
        add(&record, &plain, 100 + 60 * random_unit(&random), 3e9);
    assert_false(record_converged(&record, &plain, scratch));
    struct point point = conclude(&record, &plain);
    assert_int_equal(point.flags, FLAG_BIT(FLAG_UNCONVERGED) | FLAG_BIT(FLAG_UNSTABLE));
}

static void a_rise_through_the_run_is_drift(void **state)
{
    (void)state;
    struct record record = {0};
    for (int i = 0; i < TRIALS; i++)
        add(&record, &plain, 100 + 0.3 * i, 3e9);
    assert_int_equal(conclude(&record, &plain).flags & FLAG_BIT(FLAG_DRIFT), FLAG_BIT(FLAG_DRIFT));
}

static void two_groups_are_bimodal(void **state)
{
    (void)state;
    struct record record = {0};
    struct random random = {8};
    for (int i = 0; i < TRIALS; i++)
        add(&record, &plain, (i * 13 % 30 < 12 ? 100 : 107) + random_unit(&random), 3e9);
    assert_true(conclude(&record, &plain).flags & FLAG_BIT(FLAG_BIMODAL));
}

static void what_spoiled_many_trials_is_reported(void **state)
{
    (void)state;
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

/* A neighbour raised a third of the trials, and the others agree: both values are reported, and
 * neither is in doubt. */
static void what_neighbours_did_is_seen_through(void **state)
{
    (void)state;
    struct record record = {0};
    for (int i = 0; i < 12; i++)
        add(&record, &plain, i % 3 ? 2 + 0.001 * (i % 2) : 3 + 0.3 * i, 2.5e9);
    record.interrupted = record.batches / 3;
    record.stolen_trials = 4;
    const struct point point = conclude(&record, &plain);
    assert_int_equal(point.flags & ~FLAG_BIT(FLAG_BIMODAL), 0);
    assert_true(fabs((double)point.quiet.value - 2) < 0.002);
    assert_true(fabs((double)point.quiet_cycles.value - 5) < 0.005);
    assert_true(point.quiet.high < 2.05f && point.y.high > 3);
}

/* What takes a fixed time takes fewer cycles of a clock that was lowered, and of one that was read
 * too low. */
static void cycles_count_at_the_highest_clock(void **state)
{
    (void)state;
    struct record record = {0};
    for (int i = 0; i < 12; i++)
        add(&record, &plain, 100, i % 3 == 0 ? 3e9 : i % 3 == 1 ? 1.7e9 : 0.3e9);
    const struct point point = conclude(&record, &plain);
    assert_true(fabs((double)point.quiet_cycles.value - 300) < 0.1);
    assert_true(fabs((double)point.quiet.value - 100) < 0.1);
    assert_true((double)point.cycles.median < 200);
}

static void no_trial_no_value(void **state)
{
    (void)state;
    struct record record = {0};
    struct point point = conclude(&record, &plain);
    assert_int_equal(point.y.n, 0);
    assert_true(isnan(point.y.median));
    assert_int_equal(point.flags, 0);
}

static void a_rate_is_operations_a_second(void **state)
{
    (void)state;
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
    (void)state;
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
    (void)state;
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
    (void)state;
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
    (void)state;
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
        cmocka_unit_test(a_moving_clock_scatters_ns_but_not_cycles),
        cmocka_unit_test(what_the_clock_may_seem_to_move_is_the_plans),
        cmocka_unit_test(wide_trials_are_unconverged_and_unstable),
        cmocka_unit_test(a_rise_through_the_run_is_drift),
        cmocka_unit_test(two_groups_are_bimodal),
        cmocka_unit_test(what_spoiled_many_trials_is_reported),
        cmocka_unit_test(what_neighbours_did_is_seen_through),
        cmocka_unit_test(cycles_count_at_the_highest_clock),
        cmocka_unit_test(no_trial_no_value),
        cmocka_unit_test(a_rate_is_operations_a_second),
        cmocka_unit_test(what_is_measured_twice_counts_once_with_the_mean_of_both),
        cmocka_unit_test(lines_that_differ_are_no_drift),
        cmocka_unit_test(a_second_pass_that_was_cut_short_still_has_its_lines),
        cmocka_unit_test(a_first_pass_alone_counts_what_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
