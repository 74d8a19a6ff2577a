#include "stats/peers.h"

#include "stats/order.h"
#include "stats/student.h"

#include <math.h>

/* --- derivatives of the gamma function's logarithm, of x > 0 (Abramowitz and Stegun, 6.3, 6.4) ---
 */

/* Above this the first terms of the asymptotic series are exact to 12 digits. */
static const double series_from = 12;

static double digamma(double x)
{
    double sum = 0;
    for (; x < series_from; x++)
        sum -= 1 / x;
    const double z = 1 / (x * x);
    return sum + log(x) - 0.5 / x -
           z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z / 132))));
}

static double trigamma(double x)
{
    double sum = 0;
    for (; x < series_from; x++)
        sum += 1 / (x * x);
    const double z = 1 / (x * x);
    return sum + 1 / x + z / 2 +
           z / x * (1.0 / 6 - z * (1.0 / 30 - z * (1.0 / 42 - z * (1.0 / 30 - z * 5 / 66))));
}

/* The x whose trigamma() is y > 0 (Smyth 2004, appendix), by halving, because trigamma() falls. The
 * first ends follow from its bounds, 1/x and 1/x + 1/x^2. */
static double trigamma_inverse(double y)
{
    double low = 1 / y, high = 0.5 / y + sqrt(0.25 / (y * y) + 1 / y) + 1;
    low = fmin(low, high) / 2;
    while (trigamma(low) < y)
        low /= 2;
    while (trigamma(high) > y)
        high *= 2;
    for (int i = 0; i < 100 && high - low > 1e-12 * high; i++) {
        const double middle = (low + high) / 2;
        if (trigamma(middle) > y)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* --- how heavy tails are --- */

/* Half of the 95 % quantile of chi square with one degree of freedom. */
static const double accepted = 1.92;

/* The logarithm of the likelihood of Student's distribution at the best-fitting scale. */
static double likelihood(const double *deviations, size_t n, double freedom)
{
    enum { STEPS_MOST = 40 };
    const double pi = 3.14159265358979323846;
    double squares = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        squares += deviations[i] * deviations[i];
    double variance = squares / (double)n;
    if (!(variance > 0))
        return INFINITY;
    if (isinf(freedom))
        return -0.5 * (double)n * (log(2 * pi * variance) + 1);
    for (int step = 0; step < STEPS_MOST; step++) {
        double weighed = 0;
        for (size_t i = 0; i < n; i++) {
            const double square = deviations[i] * deviations[i];
            weighed += (freedom + 1) * square / (freedom + square / variance);
        }
        const double before = variance;
        variance = weighed / (double)n;
        if (!(variance > 0))
            return INFINITY;
        if (fabs(variance - before) < 1e-4 * before)
            break;
    }
    for (size_t i = 0; i < n; i++)
        sum += log1p(deviations[i] * deviations[i] / (freedom * variance));
    int sign;
    const double height = lgamma_r((freedom + 1) / 2, &sign) - lgamma_r(freedom / 2, &sign) -
                          0.5 * log(freedom * pi * variance);
    return (double)n * height - (freedom + 1) / 2 * sum;
}

/* The most degrees of freedom of Student's distribution that fit n deviations from a centre: the
 * lightest tails that a likelihood ratio test at 5 % accepts against the best (Wilks, Annals of
 * Mathematical Statistics 9, 1938). INFINITY where they may be normal, as few values always may.
 * The scale is fitted by expectation and maximisation (Lange, Little and Taylor, Journal of the
 * American Statistical Association 84, 1989). */
static double tails_freedom(const double *deviations, size_t n)
{
    static const double freedoms[] = {INFINITY, 30, 15, 10, 7, 5, 4, 3, 2, 1};
    enum { TRIED = sizeof freedoms / sizeof *freedoms };
    double found[TRIED], best = -INFINITY;
    for (size_t i = 0; i < TRIED; i++) {
        found[i] = likelihood(deviations, n, freedoms[i]);
        best = fmax(best, found[i]);
    }
    for (size_t i = 0; i < TRIED; i++)
        if (found[i] >= best - accepted)
            return freedoms[i];
    return INFINITY;
}

/* --- peers --- */

/* For a normal distribution: the standard deviation over the median absolute deviation, and half of
 * a 95 % interval over the standard deviation. */
static const double normal_mad = 1.482602218505602, normal_95 = 1.959963984540054;
/* A value further away than this many standard deviations says nothing about the others'
 * scatter. */
static const double far_away = 5;

/* Ignores the value's own interval: a value that may lie anywhere says nothing about the others'
 * scatter. */
static bool is_near(const struct peers *all, const struct peer *peer)
{
    return fabs(peer->value - all->centre) <= far_away * all->mad;
}

struct peers peers_fit(const struct peer *peers, size_t n, double *scratch)
{
    struct peers all = {.tails = INFINITY};
    size_t near = 0;
    for (size_t i = 0; i < n; i++)
        scratch[i] = (peers[i].below + peers[i].above) / 2;
    all.usual = median_of(scratch, n) / normal_95;
    for (size_t i = 0; i < n; i++)
        scratch[i] = peers[i].value;
    all.centre = median_of(scratch, n);
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(peers[i].value - all.centre);
    all.mad = normal_mad * median_of(scratch, n);
    all.counted = !(all.mad > 0);
    if (all.counted)
        return all;
    for (size_t i = 0; i < n; i++)
        if (is_near(&all, &peers[i])) {
            const double away = peers[i].value - all.centre;
            scratch[near++] = away;
            all.sum += away;
            all.squares += away * away;
        }
    all.freedom = (double)near - 1;
    all.spread = sqrt(fmax(all.squares - all.sum * all.sum / (double)near, 0) / all.freedom);
    all.tails = tails_freedom(scratch, near);
    return all;
}

/* By medians, so that a quantity that scatters unlike most has little effect. */
struct peers_prior peers_prior_of(const struct peers *all, size_t count, double *scratch)
{
    enum { FEWEST = 6 };    /* with fewer quantities their scatter is not known either */
    const double most = 40; /* degrees of freedom: similar quantities are never equal */
    struct peers_prior none = {0};
    size_t telling = 0;
    double noise = 0;
    for (size_t i = 0; i < count; i++) {
        const double half = all[i].freedom / 2;
        if (all[i].counted || !(all[i].usual > 0 && all[i].spread > 0 && half >= 0.5))
            continue;
        /* The logarithm of a variance over its squared standard error, corrected for the bias that
         * the logarithm of an estimate with these degrees of freedom has. */
        scratch[telling++] = 2 * log(all[i].spread / all[i].usual) - digamma(half) + log(half);
        noise += trigamma(half);
    }
    if (telling < FEWEST)
        return none;
    const double middle = median_of(scratch, telling);
    for (size_t i = 0; i < telling; i++)
        scratch[i] = fabs(scratch[i] - middle);
    const double deviation = normal_mad * median_of(scratch, telling);
    const double variance = deviation * deviation - noise / (double)telling;
    const double freedom = variance > 0 ? fmin(2 * trigamma_inverse(variance), most) : most;
    return (struct peers_prior){.ratio = exp(middle + digamma(freedom / 2) - log(freedom / 2)),
                                .freedom = freedom};
}

/* --- each value --- */

struct variance variance_shrunk(double squares, double freedom, double expected, double prior)
{
    const double widest = expected * (1 + 2 * sqrt(2 / freedom + 2 / prior));
    if (!(prior > 0 && expected > 0) || (freedom > 0 && squares / freedom > widest))
        return (struct variance){squares / freedom, freedom};
    return (struct variance){(squares + prior * expected) / (freedom + prior), freedom + prior};
}

static void judge_one(const struct peers *all, const struct peers_prior *prior, struct peer *peer)
{
    const double away = peer->value - all->centre, own = is_near(all, peer) ? 1 : 0;
    double others = INFINITY, mean = 0;
    struct variance between = all->equal;
    if (!all->counted) {
        others = all->freedom + 1 - own;
        mean = (all->sum - own * away) / others;
        const double squares = fmax(all->squares - own * away * away - others * mean * mean, 0);
        between = variance_shrunk(squares, others - 1, prior->ratio * all->usual * all->usual,
                                  prior->freedom);
    }
    /* Only the part of a value's own variance that exceeds the usual one counts, on the side of the
     * interval towards the others: what moved the value away also makes its interval uneven. */
    const double error = (peer->value > all->centre ? peer->below : peer->above) / normal_95;
    const double extra = fmax(error * error - all->usual * all->usual, 0);
    const double scatter = sqrt(between.value * (1 + 1 / others) + extra);
    const double distance = (away - mean) / scatter;
    /* If the squares overflow there is no distance, and without degrees of freedom no probability.
     */
    const double p = student_beyond(distance, fmin(between.freedom, all->tails));
    peer->distance = isfinite(distance) ? distance : 0;
    peer->p = isfinite(distance) && isfinite(p) ? p : 1;
}

void peers_judge(struct peer *peers, size_t n, const struct peers *all,
                 const struct peers_prior *prior)
{
    for (size_t i = 0; i < n; i++)
        judge_one(all, prior, &peers[i]);
}

/* --- which of many are odd --- */

double false_discovery_limit(double *p, size_t n, double share)
{
    sort_ascending(p, n);
    for (size_t i = n; i > 0; i--)
        if (p[i - 1] <= share * (double)i / (double)n)
            return p[i - 1];
    return -1;
}
