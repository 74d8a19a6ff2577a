#include "stats/paired.h"

#include "stats/quantile.h"
#include "stats/student.h"

#include <math.h>

/* Clock and counter are read to a thousandth, so a smaller spread is not believed
 * (stats/quiet.c). */
static const double resolution = 1e-3 / 3;

/* In deviations. The median absolute deviation of five values is often far too small: with 4, as in
 * stats/quiet.c, the interval of 95 % would cover 87 %, with 10 it covers 93 % (tests/unit). The
 * second constant turns that deviation into a normal standard deviation. */
static const double reach = 10, mad_to_deviation = 1.4826;
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
    sort_ascending(scratch, n);
    weighing.least = fmax(median(scratch, n), resolution);
    return weighing;
}

/* The variance of a difference is the sum of both sides' variances. */
static double weight_of(const struct paired_value *value, const struct weighing *weighing)
{
    const double deviation = fmax(value->deviation, weighing->least);
    return weighing->least > 0 ? 1 / (deviation * deviation)
                               : 1 / (1 / value->trials_a + 1 / value->trials_b);
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
    sort_ascending(scratch, n);
    range.middle = median(scratch, n);
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(scratch[i] - range.middle);
    sort_ascending(scratch, n);
    range.reach = reach * fmax(mad_to_deviation * median(scratch, n), resolution);
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
                         each = weight_of(&values[i], &weighing);
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
    const double error = fmax(sqrt(variance / weight), resolution);
    const double half = student_reach(df) * error;
    comparison->low = exp(mean - half);
    comparison->high = exp(mean + half);
    /* The probability of a mean this far away, either way, if the true change equals the
     * threshold. */
    const double beyond = fabs(mean) - log1p(threshold), behind = fabs(mean) + log1p(threshold);
    const double least = student_beyond(beyond / error, df) / 2;
    comparison->p = (beyond > 0 ? least : 1 - least) + student_beyond(behind / error, df) / 2;
}
