#include "stats/compare.h"

#include "base/random.h"
#include "stats/order.h"
#include "stats/spread.h"
#include "stats/student.h"

#include <math.h>

enum { DRAWS = 200, KNOTS = 7, TAIL = 6 };
static const double tail =
    0.025; /* of 200 draws this quantile lies between the fifth and the sixth */
/* Half the width of a normal 95 % interval, in standard deviations. */
static const double normal_95 = 1.96;

/* The quantile function of the trials, by its known points. */
struct trials {
    double at[KNOTS], value[KNOTS];
    int count;
};

static void add_knot(struct trials *trials, double at, double value)
{
    if (!isfinite(value))
        return;
    trials->at[trials->count] = at;
    trials->value[trials->count++] = value;
}

static struct trials trials_of(const struct summary *summary)
{
    struct trials trials = {.count = 0};
    add_knot(&trials, 0, summary->min);
    add_knot(&trials, 0.1, summary->p10);
    add_knot(&trials, 0.25, summary->p25);
    add_knot(&trials, 0.5, summary->median);
    add_knot(&trials, 0.75, summary->p75);
    add_knot(&trials, 0.9, summary->p90);
    add_knot(&trials, 1, summary->max);
    return trials;
}

static double value_at(const struct trials *trials, double u)
{
    int i = 1;
    while (i < trials->count - 1 && u > trials->at[i])
        i++;
    if (trials->count < 2)
        return trials->count ? trials->value[0] : NAN;
    double share = (u - trials->at[i - 1]) / (trials->at[i] - trials->at[i - 1]);
    share = fmin(fmax(share, 0), 1);
    return trials->value[i - 1] + share * (trials->value[i] - trials->value[i - 1]);
}

/* Doubtful: uniformly in the middle four fifths. Otherwise Beta(a, a) with a = (n + 1) / 2, whose
 * logit is close to normal; its variance is twice the trigamma of a, 2 (1/a + 1/(2 a^2) + ...). */
static double draw_rank(struct random *random, unsigned n, bool doubtful)
{
    double u =
        (random_unit(random) + random_unit(random) + random_unit(random) + random_unit(random) +
         random_unit(random) + random_unit(random) + random_unit(random) + random_unit(random) +
         random_unit(random) + random_unit(random) + random_unit(random) + random_unit(random)) -
        6; /* a sum of twelve uniform numbers, normal enough for 200 draws */
    if (doubtful)
        return 0.1 + 0.8 * random_unit(random);
    double a = (double)n / 2; /* n and not n + 1, because Q itself comes from so few trials */
    double deviation = sqrt(2 * (1 / a + 1 / (2 * a * a) + 1 / (6 * a * a * a)));
    return 1 / (1 + exp(-deviation * u));
}

/* Keeps only the smallest values, ascending, because sorting all draws would take most of the
 * time. */
static void keep_smallest(double smallest[TAIL], double value)
{
    size_t at = TAIL - 1;
    if (value >= smallest[at])
        return;
    for (; at > 0 && smallest[at - 1] > value; at--)
        smallest[at] = smallest[at - 1];
    smallest[at] = value;
}

/* The probability of a ratio this far from 1, either way, if the true change equals the
 * threshold. */
static double p_of(double ratio, double threshold, double deviation)
{
    const double change = fabs(log(ratio)), within = log1p(threshold);
    return (erfc((change - within) / deviation / sqrt(2)) +
            erfc((change + within) / deviation / sqrt(2))) /
           2;
}

void compare_medians(const struct summary *a, const struct summary *b, double threshold,
                     bool doubtful, struct comparison *comparison)
{
    const struct trials left = trials_of(a), right = trials_of(b);
    struct random random = {0x66617468}; /* the same documents give the same answer */
    double lowest[TAIL], highest[TAIL], mean = 0, squares = 0;
    *comparison = (struct comparison){(double)b->median / (double)a->median, NAN, NAN, 1};
    if (a->n < 2 || b->n < 2 || !(left.value[0] > 0) || !(right.value[0] > 0))
        return;
    for (int i = 0; i < TAIL; i++)
        lowest[i] = highest[i] = INFINITY;
    for (int i = 0; i < DRAWS; i++) {
        double below = value_at(&left, draw_rank(&random, a->n, doubtful));
        double above = value_at(&right, draw_rank(&random, b->n, doubtful));
        double ratio = log(above / below);
        mean += ratio / (double)DRAWS;
        squares += ratio * ratio / (double)DRAWS;
        keep_smallest(lowest, ratio);
        keep_smallest(highest, -ratio);
    }
    const double among = tail * (DRAWS - 1) / (TAIL - 1);
    comparison->low = exp(quantile(lowest, TAIL, among));
    comparison->high = exp(-quantile(highest, TAIL, among));
    /* The draws are too few for the far tail that a correction for many comparisons needs; there a
     * normal tail with the draws' deviation is used. */
    double deviation = sqrt(fmax(squares - mean * mean, 1e-12));
    comparison->p = p_of(comparison->ratio, threshold, deviation);
}

void compare_intervals(const double a[3], const double b[3], double threshold,
                       struct comparison *comparison)
{
    enum { VALUE, LOW, HIGH };
    *comparison = (struct comparison){b[VALUE] / a[VALUE], NAN, NAN, 1};
    double width_a = log(a[HIGH] / a[LOW]), width_b = log(b[HIGH] / b[LOW]);
    if (!(a[LOW] > 0) || !(b[LOW] > 0) || !isfinite(width_a + width_b))
        return;
    comparison->low = b[LOW] / a[HIGH];
    comparison->high = b[HIGH] / a[LOW];
    double deviation = fmax(hypot(width_a, width_b) / (2 * normal_95), 1e-6);
    comparison->p = p_of(comparison->ratio, threshold, deviation);
}

double compare_holm(double *p, size_t n, double alpha)
{
    double last = -1;
    sort_ascending(p, n);
    for (size_t i = 0; i < n && p[i] <= alpha / (double)(n - i); i++)
        last = p[i];
    return last;
}

/* In deviations. The median absolute deviation of five values is often far too small: with 4 the
 * interval of 95 % would cover 87 %, with 10 it covers 93 % (tests/unit). */
static const double reach = 10;
/* Of three values the median absolute deviation is the smaller gap, and says nothing about
 * scatter. */
enum { VALUES_LEAST = 4 };

/* Two estimates of one variance are pooled where the first is up to twice the median of their ratio
 * (Paull, "On a preliminary test for pooling mean squares in the analysis of variance", Annals of
 * Mathematical Statistics 21, 1950), which is 0.7 to 0.9 for two to six degrees of freedom. */
static const double pooled_up_to = 2 * 0.8;

/* How places are weighted. `least`: the median place's deviation; 0: some place has none. */
struct weighing {
    double least;
    double df; /* of the trials' variance, which is 1 for a difference of weight 1 */
};

static struct weighing weighing_of(const struct paired_value *values, size_t n, double *scratch)
{
    struct weighing weighing = {0, 0};
    for (size_t i = 0; i < n; i++) {
        if (!(values[i].deviation > 0) || !isfinite(values[i].deviation))
            return (struct weighing){0, 0};
        scratch[i] = values[i].deviation;
        weighing.df += values[i].trials_a + values[i].trials_b - 2;
    }
    weighing.least = fmax(median_of(scratch, n), timing_resolution);
    return weighing;
}

static double difference_of(const struct paired_value *value)
{
    return log(value->b / value->a);
}

/* Where undisturbed differences lie: at most `reach` from the middle. */
struct range {
    double middle, reach;
};

static struct range undisturbed(const struct paired_value *values, size_t n, double *scratch)
{
    struct range range;
    for (size_t i = 0; i < n; i++)
        scratch[i] = difference_of(&values[i]);
    range.middle = median_of(scratch, n);
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(scratch[i] - range.middle);
    range.reach = reach * fmax(mad_to_deviation * median_of(scratch, n), timing_resolution);
    if (n < VALUES_LEAST)
        range.reach = INFINITY;
    return range;
}

void compare_paired(const struct paired_value *values, size_t n, double threshold, double *scratch,
                    struct comparison *comparison)
{
    const struct range range = undisturbed(values, n, scratch);
    const struct weighing weighing = weighing_of(values, n, scratch);
    double weight = 0, mean = 0, squares = 0, df = -1;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < n; i++) {
            const double difference = difference_of(&values[i]),
                         deviation = fmax(values[i].deviation, weighing.least);
            /* The variance of a difference is the sum of both sides' variances. */
            const double each = weighing.least > 0
                                    ? 1 / (deviation * deviation)
                                    : 1 / (1 / values[i].trials_a + 1 / values[i].trials_b);
            if (fabs(difference - range.middle) > range.reach)
                continue;
            if (pass == 0) {
                weight += each;
                mean += each * difference;
                df++;
            } else {
                squares += each * (difference - mean) * (difference - mean);
            }
        }
        mean /= pass == 0 ? weight : 1;
    }
    *comparison = (struct comparison){exp(mean), NAN, NAN, 1};
    if (df < 1)
        return;
    double variance = squares / df;
    if (weighing.df > 0 && variance <= pooled_up_to) {
        variance = (df * variance + weighing.df) / (df + weighing.df);
        df += weighing.df;
    }
    const double error = fmax(sqrt(variance / weight), timing_resolution);
    const double half = student_reach(df) * error;
    comparison->low = exp(mean - half);
    comparison->high = exp(mean + half);
    /* The probability of a mean this far away, either way, if the true change equals the
     * threshold. */
    const double beyond = fabs(mean) - log1p(threshold), behind = fabs(mean) + log1p(threshold);
    const double least = student_beyond(beyond / error, df) / 2;
    comparison->p = (beyond > 0 ? least : 1 - least) + student_beyond(behind / error, df) / 2;
}
