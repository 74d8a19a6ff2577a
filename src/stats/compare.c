#include "stats/compare.h"

#include "base/random.h"
#include "stats/quantile.h"

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
