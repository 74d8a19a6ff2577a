#include "stats/series.h"

#include <math.h>
#include <string.h>

/* Fewer values do not show their correlation. */
enum { FEWEST = 8 };
/* A standard normal value that one of ten series of independent values exceeds. */
static const double chance_z = 1.2816;
/* The largest correlation used: above it the data do not show how small the count is. */
static const double correlation_most = 0.9;

/* The value's rank among n ascending ones less their mean rank; the mean rank of equal values. */
static double centred_rank(double value, const double *ascending, size_t n)
{
    return ((double)count_below(value, false, ascending, n) +
            (double)count_below(value, true, ascending, n) - (double)n) /
           2;
}

double effective_count(const double *values, size_t n, double *scratch)
{
    const double count = (double)n;
    if (n < FEWEST)
        return count;
    /* The correlation of each value's rank with the next one's; 0 where all values are equal. */
    memcpy(scratch, values, n * sizeof *values);
    sort_ascending(scratch, n);
    double products = 0, squares = 0, before = 0;
    for (size_t i = 0; i < n; i++) {
        const double rank = centred_rank(values[i], scratch, n);
        products += i ? before * rank : 0;
        squares += rank * rank;
        before = rank;
    }
    const double seen = squares > 0 ? products / squares : 0;
    /* For independent values its mean is -1/n and its variance 1/n. */
    if ((seen + 1 / count) * sqrt(count) <= chance_z)
        return count;
    const double correlation = fmin(seen + (1 + 4 * seen) / count, correlation_most);
    return fmin(count, count * (1 - correlation) / (1 + correlation));
}

double effective_in_groups(const double *values, const float *groups, size_t n, double *scratch)
{
    const double count = (double)n;
    double squares = 0, between = 0, sizes = 0, number = 0;
    memcpy(scratch, values, n * sizeof *values);
    sort_ascending(scratch, n);
    for (size_t i = 0, end; i < n; i = end) {
        double sum = 0;
        for (end = i; end < n && groups[end] == groups[i]; end++) {
            const double rank = centred_rank(values[end], scratch, n);
            sum += rank;
            squares += rank * rank;
        }
        const double size = (double)(end - i);
        between += sum * sum / size;
        sizes += size * size / count;
        number++;
    }
    /* NAN for one group and for groups of one: these have nothing in common. */
    const double apart = between / (number - 1), within = (squares - between) / (count - number),
                 size = (count - sizes) / (number - 1);
    return count / (1 + (sizes - 1) * fmax(0, (apart - within) / (apart + (size - 1) * within)));
}

void summary_widen(struct summary *summary, double effective)
{
    if (!(effective > 0) || !(effective < (double)summary->n))
        return;
    const float wider = (float)sqrt((double)summary->n / effective);
    /* Times and rates are positive: they widen by a factor, and so never through zero. */
    summary->low = summary->low > 0 ? summary->median * powf(summary->low / summary->median, wider)
                                    : summary->median - wider * (summary->median - summary->low);
    summary->high = summary->median + wider * (summary->high - summary->median);
}

void summary_of_fewer(const double *ascending, size_t n, size_t fewer, struct summary *summary)
{
    const struct median_ranks ranks = median_interval(fewer, 0.95);
    const double low = ((double)ranks.low - 0.5) / (double)fewer,
                 high = ((double)ranks.high - 0.5) / (double)fewer;
    summary->low = fminf(summary->low, (float)quantile(ascending, n, low));
    summary->high = fmaxf(summary->high, (float)quantile(ascending, n, high));
}

/* How much pairs of equal values, which have no sign, lower the variance of the count. */
static double tie_correction(const double *ascending, size_t n)
{
    double correction = 0;
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && ascending[end] == ascending[i])
            end++;
        double ties = (double)(end - i);
        correction += ties * (ties - 1) * (2 * ties + 5);
        i = end;
    }
    return correction;
}

struct trend trend_test(const double *values, size_t n, double *scratch)
{
    if (n < 4)
        return (struct trend){0, 0};
    double score = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            score += (values[j] > values[i]) - (values[j] < values[i]);
    /* Slopes between points half a run apart: n/2 of them estimate the median slope well enough
     * and need no n^2 memory. */
    size_t half = n / 2;
    for (size_t i = 0; i + half < n; i++)
        scratch[i] = (values[i + half] - values[i]) / (double)half;
    double slope = median_of(scratch, n - half);
    memcpy(scratch, values, n * sizeof *values);
    sort_ascending(scratch, n);
    double count = (double)n;
    double variance = (count * (count - 1) * (2 * count + 5) - tie_correction(scratch, n)) / 18;
    double z = variance > 0 && score != 0 ? (score - copysign(1, score)) / sqrt(variance) : 0;
    double middle = median(scratch, n);
    return (struct trend){z, middle != 0 ? slope * count / middle : 0};
}

enum { STEPS_LEAST = 8, MULTIPLE_MOST = 50 };
static const double tolerance = 0.05, share_least = 0.7;

/* How many periods the step is; 0: it is not a multiple. */
static double multiple(double step, double period, double most)
{
    const double times = round(step / period);
    return times >= 1 && times <= most && fabs(step - times * period) <= tolerance * period ? times
                                                                                            : 0;
}

/* Sets *period to the mean over the steps that are a multiple of about *period; returns their
 * number. */
static size_t refine(const double *steps, size_t n, double most, double *period, double *spread)
{
    double sum = 0, times = 0, squares = 0;
    size_t fit = 0;
    for (size_t i = 0; i < n; i++) {
        const double here = multiple(steps[i], *period, most);
        const double off = steps[i] - here * *period;
        fit += here > 0;
        sum += here > 0 ? steps[i] : 0;
        times += here;
        squares += here > 0 ? off * off : 0;
    }
    *spread = fit > 1 ? sqrt(squares / (double)(fit - 1)) : NAN;
    if (fit)
        *period = sum / times;
    /* The spread of the mean period. A step that jitter makes longer makes the next one shorter, so
     * this is rather too wide than too narrow. */
    *spread /= fit ? sqrt((double)fit) * (times / (double)fit) : 1;
    return fit;
}

bool period_find(const double *times, size_t n, double *scratch, struct period *found)
{
    static const double tries[] = {0.5, 0.25, 0.75};
    const size_t count = n > 1 ? n - 1 : 0;
    double *steps = scratch, *sorted = scratch + count;
    bool good = false;
    *found = (struct period){NAN, NAN, NAN, 0};
    if (count < STEPS_LEAST)
        return false;
    for (size_t i = 0; i < count; i++)
        steps[i] = times[i + 1] - times[i];
    memcpy(sorted, steps, count * sizeof *steps);
    sort_ascending(sorted, count);
    for (size_t i = 0; i < sizeof tries / sizeof *tries && !good; i++) {
        double period = quantile(sorted, count, tries[i]), spread;
        if (!(period > 0))
            continue;
        /* Single steps first: far multiples fit a period only once that is well known. */
        refine(steps, count, 1, &period, &spread);
        refine(steps, count, 4, &period, &spread);
        const size_t fit = refine(steps, count, MULTIPLE_MOST, &period, &spread);
        good = fit >= STEPS_LEAST && (double)fit >= share_least * (double)count;
        if (good)
            *found = (struct period){period, period - 1.96 * spread, period + 1.96 * spread, fit};
    }
    return good;
}
