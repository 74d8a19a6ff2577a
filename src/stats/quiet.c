#include "stats/quiet.h"

#include "stats/order.h"
#include "stats/student.h"

#include <math.h>

/* The lowest third of the values, and at least four of them, is taken to be undisturbed:
 * interference for more than two thirds of the time can't be told from the hardware. */
static const double lowest_share = 1.0 / 3;
enum { LOWEST_FEWEST = 4, STEPS_MOST = 32 };
/* How far above the centre a value may lie, in deviations of the values below it: of 30,000 normal
 * values one lies further. */
static const double reach = 4;
/* Clock and counter are read to a thousandth (the two bursts of a bracket, measure/engine/visit.c),
 * so a smaller spread is not believed. */
static const double resolution = 1e-3 / 3;
/* The lowest values are a group of their own where the next value is this many deviations and at
 * least this share higher: trials of one machine without interference lie closer together
 * (tests/model). */
static const double gap_deviations = 6, gap_share = 0.04;
/* The error of the clock's rate, which comes from two bursts: half of what they are read to. */
static const double clock_error = 5e-4;
/* From the median absolute deviation to a normal standard deviation (Hampel 1974); from the
 * standard deviation of a mean to that of a median; half of a normal interval of 95 %. */
static const double mad_to_deviation = 1.4826, mean_to_median = 1.2533, normal_95 = 1.96;

struct quiet quiet_unknown(void)
{
    return (struct quiet){NAN, NAN, NAN};
}

/* How many of the ascending values are at most `most`. */
static size_t count_up_to(const double *ascending, size_t n, double most)
{
    size_t count = 0;
    while (count < n && ascending[count] <= most)
        count++;
    return count;
}

/* The spread of the values up to the centre. */
static double deviation_below(const double *ascending, size_t n, double centre)
{
    const size_t below = count_up_to(ascending, n, centre);
    return fmax(mad_to_deviation * (centre - median(ascending, below)), resolution * centre);
}

/* How many of the lowest values are undisturbed. */
static size_t undisturbed(const double *ascending, size_t n)
{
    size_t count = (size_t)ceil(lowest_share * (double)n);
    count = count < LOWEST_FEWEST ? LOWEST_FEWEST : count;
    count = count > n ? n : count;
    for (int step = 0; step < STEPS_MOST; step++) {
        const double centre = median(ascending, count);
        const double most = centre + reach * deviation_below(ascending, n, centre);
        const size_t wider = count_up_to(ascending, n, most);
        if (wider <= count)
            break;
        count = wider;
    }
    return count;
}

double quiet_centre(const double *ascending, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(ascending[i]))
            return NAN;
    return median(ascending, undisturbed(ascending, n));
}

struct quiet quiet_of_units(const double *ascending, size_t n)
{
    const struct median_ranks ranks = median_interval(n, 0.95);
    return (struct quiet){(float)median(ascending, n), (float)ascending[ranks.low - 1],
                          (float)ascending[ranks.high - 1]};
}

/* How many of the lowest values lie together: up to the first gap that is wider than their range,
 * than their deviations explain, and than trials of one machine lie apart. */
static size_t lowest_group(const double *ascending, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const double last = ascending[i - 1], gap = ascending[i] - last;
        const double apart = gap_deviations * deviation_below(ascending, i, median(ascending, i));
        if (gap > fmax(apart, fmax(gap_share * last, last - ascending[0])))
            return i;
    }
    return n;
}

static struct quiet widened(struct quiet quiet, double low, double high)
{
    quiet.low = fminf(quiet.low, (float)low);
    quiet.high = fmaxf(quiet.high, (float)high);
    return quiet;
}

/* For two or three values that lie together below a gap: Student's interval of their mean. */
static struct quiet quiet_of_few(const double *ascending, size_t count)
{
    const double centre = median(ascending, count);
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (ascending[i] - centre) * (ascending[i] - centre);
    const double spread = sqrt(squares / (double)(count - 1) / (double)count);
    const double half = fmax(student_reach((double)count - 1) * spread, 3 * resolution * centre);
    const struct quiet quiet = {(float)centre, (float)centre, (float)centre};
    return widened(quiet, centre - half, centre + half);
}

/* For values without a gap. */
static struct quiet quiet_of_group(const double *ascending, size_t n)
{
    const size_t count = undisturbed(ascending, n);
    const struct quiet quiet = quiet_of_units(ascending, count);
    /* Which values are undisturbed is itself uncertain, so the spread below is used on both
     * sides. */
    const double centre = (double)quiet.value;
    const double half = deviation_below(ascending, n, centre) * mean_to_median *
                        (count > 1 ? student_reach((double)count - 1) : normal_95) /
                        sqrt((double)count);
    /* Values without a gap may all be the hardware's own, because the placement of memory makes
     * some trials slow and others fast. */
    const double most = count < n ? (double)quiet_of_units(ascending, n).high : centre;
    return widened(quiet, centre - half, fmax(centre + half, most));
}

/* A lowest value that is alone below a gap is either luck or the only undisturbed one. Luck (a row
 * of DRAM, a stale clock) is no factor of two; of two values nothing says which is right. */
static const double luck_most = 1;

static struct quiet quiet_of_alone(const double *ascending, size_t n)
{
    const struct quiet rest = quiet_of_group(ascending + 1, n - 1);
    struct quiet quiet = widened(rest, ascending[0], ascending[0]);
    if (n == 2)
        quiet = (struct quiet){(float)ascending[0], NAN, NAN};
    else if (ascending[1] > (1 + luck_most) * ascending[0])
        quiet.value = (float)ascending[0];
    return quiet;
}

/* One value does not show how far another would lie from it. */
static struct quiet quiet_of_one(double value)
{
    return (struct quiet){(float)value, NAN, NAN};
}

struct quiet quiet_of(const double *ascending, size_t n)
{
    if (n == 1)
        return quiet_of_one(ascending[0]);
    const size_t group = lowest_group(ascending, n);
    struct quiet quiet;
    if (group == 1)
        quiet = quiet_of_alone(ascending, n);
    else if (group < n && group < LOWEST_FEWEST)
        quiet = quiet_of_few(ascending, group);
    else
        quiet = quiet_of_group(ascending, group);
    /* Interference only takes time, so the quiet value is never above the median. */
    quiet.value = fminf(quiet.value, (float)median(ascending, n));
    if (!isnan(quiet.low))
        quiet.low = fminf(quiet.low, quiet.value);
    /* Values so far apart that the interval would reach 0 have no interval: turned into a rate, its
     * end would be infinite or negative. */
    if (!(quiet.low > 0))
        return quiet_of_one((double)quiet.value);
    /* The clock's error is the same in all trials, so more trials do not reduce it. */
    return widened(quiet, (double)quiet.low * (1 - clock_error),
                   (double)quiet.high * (1 + clock_error));
}

/* --- of many short visits --- */

/* The value is at this share of the visits, and at least at this rank. */
static const double visits_share = 0.01;
enum { VISITS_LEAST = 3 };
/* Values within this share agree; the search for two that agree ends at the lowest third. */
static const double says_the_same = 0.02;

/* The rank, from 1, of the value that bounds a quantile from above with a probability of 97.5 %, by
 * the binomial's tail; `rank` of n values are expected below the quantile. */
static size_t highest_rank(size_t rank, size_t n)
{
    const double p = (double)rank / (double)n;
    double below = 0;
    for (size_t k = 0; k < n; k++) {
        const double terms = lgamma((double)n + 1) - lgamma((double)k + 1) -
                             lgamma((double)(n - k) + 1) + (double)k * log(p) +
                             (double)(n - k) * log1p(-p);
        below += exp(terms);
        if (below >= 0.975)
            return k + 1;
    }
    return n;
}

struct quiet quiet_of_visits(const double *ascending, size_t n)
{
    if (n <= VISITS_LEAST)
        return quiet_of(ascending, n);
    const size_t share = (size_t)ceil(visits_share * (double)n);
    size_t at = (share > VISITS_LEAST ? share : VISITS_LEAST) - 1;
    const size_t end = (size_t)(lowest_share * (double)n);
    while (at < end && ascending[at + 1] > ascending[at] * (1 + says_the_same))
        at++;
    const struct quiet quiet = {(float)ascending[at], (float)ascending[0],
                                (float)ascending[highest_rank(at + 1, n) - 1]};
    return widened(quiet, (double)quiet.low * (1 - clock_error),
                   (double)quiet.high * (1 + clock_error));
}

struct quiet quiet_of_rates(const double *ascending, size_t n, double *scratch)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = 1 / ascending[n - 1 - i];
    const struct quiet times = quiet_of(scratch, n);
    return (struct quiet){1 / times.value, 1 / times.high, 1 / times.low};
}
