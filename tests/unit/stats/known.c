/* Every statistic of samples of all kinds against known.txt: what each was when it was last looked
 * at. FATHOM_REFRESH=1 writes that file anew: read the difference. */
#include "sample.h"
#include "stats/compare.h"
#include "stats/curve.h"
#include "stats/order.h"
#include "stats/peers.h"
#include "stats/series.h"
#include "stats/spread.h"
#include "stats/student.h"
#include "stats/undisturbed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 48 };
static const char *const kinds[] = {"normal", "raised", "ramp",  "step",   "counts", "falling",
                                    "alone",  "times",  "pairs", "equal",  "beyond", "spikes",
                                    "drift",  "below",  "knee",  "thirds", "two",    "edge"};
enum { KINDS = sizeof kinds / sizeof *kinds };
static const size_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 9, 12, 17, 25, 40};

static double value_of(size_t kind, size_t i, size_t n, struct random *random)
{
    const double noise = sample_normal(random), unit = random_unit(random), at = (double)i;
    switch (kind) {
    case 0:
        return 100 + noise;
    case 1:
        return (100 + noise) * (unit < 0.4 ? 1.3 : 1);
    case 2:
        return 10 + at + 0.1 * noise;
    case 3:
        return (2 * i < n ? 5 : 12) + 0.02 * noise;
    case 4:
        return floor(4 + 1.5 * unit * unit * unit);
    case 5:
        return 4 + 60 / (1 + at) + 0.01 * unit;
    case 6:
        return i == n / 2 ? 40 + 30 * unit : 100 + noise;
    case 7:
        return 10 * at + 0.4 * unit + (i % 5 == 3 ? 4 : 0);
    case 8:
        return i < 2 ? 50 + 0.02 * unit : 100 + 2 * noise;
    case 9:
        return 7;
    case 10:
        return unit < 0.1 ? 300 : 100 + 0.1 * noise;
    case 11:
        return 5 + (unit < 0.25 ? 3 + unit : 0) + 0.01 * noise;
    case 12:
        return 100 + 0.5 * at + noise;
    case 13:
        return i < 3 ? 90 + noise : 100 + noise;
    case 14:
        return 20 / fmax(0.05, 1 - at / (double)n) + 0.1 * unit;
    case 15:
        return 100 * (1 + (double)(i % 3)) + noise;
    case 16:
        return i % 2 ? 200 + noise : 20 + noise;
    default: /* 2.25 % of a step's height above its floor, and 4.5 deviations of the lowest */
        return (2 * i < n ? 5 + (i % 5 == 4 ? 0.1575 : 0) : 12) + (i == 0 ? 0.0075 : 0);
    }
}

static void add(char **to, const char *name, size_t n, ...)
{
    va_list numbers;
    va_start(numbers, n);
    *to += sprintf(*to, "  %s", name);
    for (size_t i = 0; i < n; i++)
        *to += sprintf(*to, " %.9g", va_arg(numbers, double));
    *to += sprintf(*to, "\n");
    va_end(numbers);
}

/* What is asked of a sample in its order. */
static void tell_series(char **to, const double *values, const double *other, size_t n)
{
    double scratch[4 * MOST];
    struct step step = {0};
    struct vote vote = {.value = NAN};
    struct period period = {NAN, NAN, NAN, 0};
    struct saturation found = {0};
    struct summary summary;
    const struct trend trend = trend_test(values, n, scratch);
    const struct interval ratio = ratio_of_sums(values, other, n);
    float singles[MOST];
    struct scatter_parts parts = {0};
    const bool stepped = step_find(values, n, 2, &step, scratch);
    const bool voted = vote_count(values, n, &vote, scratch);
    const bool periodic = period_find(values, n, scratch, &period);
    const bool saturated = saturation_find(values, n, 0.1, &found, scratch);
    const double effective = effective_count(values, n, scratch);
    summarize(values, n, scratch, &summary);
    summary_widen(&summary, effective);
    add(to, "step", 4, (double)stepped, (double)step.last, step.floor, step.top);
    add(to, "vote", 6, (double)voted, vote.value, vote.low, vote.high, (double)vote.voted,
        (double)vote.agreeing);
    add(to, "period", 5, (double)periodic, period.value, period.low, period.high,
        (double)period.steps);
    add(to, "saturation", 5, (double)saturated, found.plateau, (double)found.typical,
        (double)found.knee, (double)found.open);
    add(to, "trend", 2, trend.z, trend.change);
    add(to, "ratio", 3, ratio.value, ratio.low, ratio.high);
    add(to, "effective", 3, effective, (double)summary.low, (double)summary.high);
    add(to, "crossing", 1, crossing_down(other, values, n, 50));
    add(to, "knee", 1, knee_of_power(other, values, n));
    for (size_t i = 0; i < n; i++)
        singles[i] = (float)values[i];
    for (size_t visit = 1; visit <= 3; visit++)
        if (scatter_split(singles, n / 2, visit, &parts))
            add(to, "scatter", 4, parts.mean, parts.item, parts.time, parts.rest);
}

/* Of a sample that is sorted. */
static void tell_sample(char **to, const double *values, size_t n)
{
    double scratch[4 * MOST];
    struct summary s;
    summarize(values, n, scratch, &s);
    struct summary visits;
    undisturbed_envelope(values, n, &visits);
    add(to, "envelope", 3, (double)visits.median, (double)visits.low, (double)visits.high);
    const struct undisturbed undisturbed = undisturbed_of(values, n);
    add(to, "undisturbed", 5, undisturbed.value, undisturbed.deviation, (double)undisturbed.count,
        undisturbed.longer, undisturbed.shift);
    add(to, "centre", 2, robust_deviation(values, n, scratch), (double)spread_groups(values, n));
    add(to, "summary", 7, (double)s.median, (double)s.low, (double)s.high, (double)s.coverage,
        (double)s.p10, (double)s.p75, summary_half_width(&s));
}

/* Of one sample beside another. */
static void tell_two(char **to, const double *values, const double *other, size_t n)
{
    double scratch[8 * MOST], p[MOST];
    struct summary a, b;
    struct comparison_of_intervals intervals;
    struct peer peers[MOST];
    summarize(values, n, scratch, &a);
    summarize(other, n, scratch, &b);
    compare_intervals((const double[]){(double)a.median, (double)a.low, (double)a.high},
                      (const double[]){(double)b.median, (double)b.low, (double)b.high}, 0.05,
                      &intervals);
    for (size_t i = 0; i < n; i++) {
        peers[i] = (struct peer){.value = values[i],
                                 .below = i % 4 ? 0.5 : 0,
                                 .above = i % 4 ? 0.25 * (double)(i % 3 + 1) : 0};
    }
    add(to, "intervals", 4, intervals.ratio, intervals.low, intervals.high, intervals.p);
    if (n < PEERS_FEWEST)
        return;
    const struct peers fit = peers_fit(peers, n, scratch);
    const struct peers_prior prior = peers_prior_of(&fit, 1, scratch);
    peers_judge(peers, n, &fit, &prior);
    add(to, "peers", 8, fit.centre, fit.spread, fit.freedom, fit.tails, fit.usual, fit.mad, fit.sum,
        fit.squares);
    for (size_t i = 0; i < n; i++)
        p[i] = peers[i].p;
    add(to, "judged", 8, prior.ratio, prior.freedom, peers[0].distance, peers[1].p,
        peers[n - 1].distance, peers[n - 1].p, false_discovery_limit(p, n, 0.2),
        compare_holm(p, n, 0.2));
}

static bool is_near(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-5 * fmax(fabs(a), fabs(b)) + 1e-9;
}

/* Whether two lines say the same, up to what compilers may round. */
static bool are_same(const char *a, const char *b)
{
    while (*a && *b) {
        char *end_a, *end_b;
        const double x = strtod(a, &end_a), y = strtod(b, &end_b);
        if (end_a == a || end_b == b ? *a++ != *b++ : !is_near(x, y))
            return false;
        if (end_a > a && end_b > b)
            a = end_a, b = end_b;
    }
    return *a == *b;
}

static void all_are_as_known(void **state)
{
    if (getenv("FATHOM_EMULATED"))
        return; /* other processors round otherwise, and a decision may lie on the edge */
    static char text[1 << 20], line[512], path[4096];
    char *to = text;
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const size_t n = sizes[s];
            struct random random = {kind * 100 + n};
            double values[MOST], other[MOST];
            for (size_t i = 0; i < n; i++)
                values[i] = value_of(kind, i, n, &random);
            for (size_t i = 0; i < n; i++)
                other[i] = 90 + 2 * (double)i + sample_normal(&random);
            to += sprintf(to, "%s %zu\n", kinds[kind], n);
            tell_series(&to, values, other, n);
            tell_two(&to, values, other, n);
            sort_ascending(values, n);
            tell_sample(&to, values, n);
        }
    for (double freedom = 1; freedom < 300; freedom *= 3.3)
        add(&to, "student", 3, student_reach(freedom), student_beyond(1.5, freedom),
            student_beyond(6, freedom));
    for (size_t n = 1; n < 300; n += 1 + n / 4) {
        const struct median_ranks ranks = median_interval(n, 0.95);
        add(&to, "ranks", 3, (double)ranks.low, (double)ranks.high, ranks.coverage);
    }
    snprintf(path, sizeof path, "%s/tests/unit/stats/known.txt", getenv("FATHOM_SOURCE"));
    FILE *file = fopen(path, getenv("FATHOM_REFRESH") ? "w+" : "r");
    assert_non_null(file);
    if (getenv("FATHOM_REFRESH")) {
        fputs(text, file);
        rewind(file);
    }
    for (char *now = strtok(text, "\n"); now; now = strtok(NULL, "\n")) {
        assert_non_null(fgets(line, sizeof line, file));
        line[strcspn(line, "\n")] = '\0';
        if (!are_same(now, line))
            fail_msg("known.txt says\n%s\nand now it is\n%s", line, now);
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_are_as_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
