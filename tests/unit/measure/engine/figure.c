/*
 * How often the interval of a figure holds the truth, by the scatter of the placements, the share
 * of trials that other programs had a part in throughout, and the number of trials. Each trial has
 * many batches, of which others raised some as well. docs/method.md has the table that
 * FATHOM_FIGURES=1 prints.
 */
#include "conclude/registry/finding.h"
#include "document/flag.h"
#include "measure/engine/record.h"

#include "stats/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BATCHES = 15, TRIALS_MOST = 100, SAMPLES = 400 };
static const double truth = 100, within = 0.01, raised = 0.3;

struct outcome {
    unsigned runs, held; /* of one kind */
    double width;        /* sum of half widths over the value */
};

static const struct plan plan = {.cycles = false,
                                 .trials_min = 6,
                                 .trials_max = TRIALS_MOST,
                                 .trials_per_visit = 1,
                                 .batches = BATCHES,
                                 .precision = 1e-6,
                                 .unstable_above = INFINITY};

/* Adds a trial at a placement of its own. Throughout: all batches are raised, by a cause that the
 * engine saw. Else a third of them is, unseen. */
static void add_trial(struct record *record, struct random *random, double scatter, bool throughout,
                      double *scratch)
{
    const double place = truth * (1 + scatter * sample_normal(random)) *
                         (throughout ? 1 + raised * random_unit(random) : 1);
    struct batch batches[BATCHES];
    struct trial trial = {.operations = 1};
    struct visit visit = {.plan = &plan,
                          .trials = &trial,
                          .trial_count = 1,
                          .repeats = 1,
                          .batches = batches,
                          .batch_count = BATCHES,
                          .interrupted = throughout ? BATCHES : 0};
    for (int i = 0; i < BATCHES; i++)
        batches[i] =
            (struct batch){.ns = place * (1 + within * sample_normal(random)) *
                                 (!throughout && random_unit(random) < 1.0 / 3 ? 1 + raised : 1),
                           .core_hz = NAN};
    assert_int_equal(record_add(record, &visit, (struct drift){1, 1}, scratch, NULL), 0);
}

/* One run; which kind it is of. */
static const char *run(struct random *random, double scatter, double share, unsigned n,
                       struct outcome *good, struct outcome *beside)
{
    double scratch[3 * TRIALS_MOST];
    struct record record = {0};
    struct point point = point_bare();
    for (unsigned i = 0; i < n; i++)
        add_trial(&record, random, scatter, random_unit(random) < share, scratch);
    record_conclude(&record, &plan, scratch, &point);
    record_free(&record);
    const struct finding finding = {.unit = "ns",
                                    .value = point.y.median,
                                    .low = point.y.low,
                                    .high = point.y.high,
                                    .disturbance = point.disturbance,
                                    .flags = point.flags & FLAG_BIT(FLAG_TOO_FEW)};
    const char *kind = finding_kind(&finding);
    struct outcome *outcome = kind == finding_beside_others ? beside : good;
    outcome->runs++;
    outcome->held += finding.low <= truth && truth <= finding.high;
    outcome->width += (finding.high - finding.low) / 2 / finding.value;
    return kind;
}

static void intervals_hold_the_truth(void **state)
{
    static const double scatters[] = {0.01, 0.02, 0.05, 0.1}, shares[] = {0, 0.15, 0.3, 0.45, 0.6};
    static const unsigned counts[] = {6, 8, 12, 25, 100};
    const unsigned samples = sample_seeds(SAMPLES);
    struct random random = {17};
    for (size_t s = 0; s < sizeof scatters / sizeof *scatters; s++)
        for (size_t c = 0; c < sizeof shares / sizeof *shares; c++)
            for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
                struct outcome by_kind[2] = {{0}};
                for (unsigned i = 0; i < samples; i++)
                    run(&random, scatters[s], shares[c], counts[k], &by_kind[0], &by_kind[1]);
                for (int kind = 0; kind < 2; kind++) {
                    const struct outcome *outcome = &by_kind[kind];
                    const double runs = outcome->runs, held = outcome->held / runs;
                    if (getenv("FATHOM_FIGURES") && outcome->runs)
                        printf("# scatter %2.0f %%, disturbed %2.0f %%, %3u trials, %s: %4u runs, "
                               "%5.1f %% hold, +-%.2f %%\n",
                               100 * scatters[s], 100 * shares[c], counts[k],
                               kind ? finding_beside_others : finding_good, outcome->runs,
                               100 * held, 100 * outcome->width / runs);
                    /* 90 % less three deviations of the count. */
                    if (outcome->runs >= 50)
                        assert_true(held > 0.9 - 3 * sqrt(0.09 / runs));
                }
            }
}

static void three_to_five_trials_are_too_few(void **state)
{
    struct random random = {19};
    struct outcome unused = {0};
    for (unsigned n = 3; n <= 5; n++)
        assert_ptr_equal(run(&random, 0.02, 0, n, &unused, &unused), finding_too_few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold_the_truth),
        cmocka_unit_test(three_to_five_trials_are_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
