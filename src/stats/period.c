#include "stats/period.h"

#include "stats/quantile.h"

#include <math.h>
#include <string.h>

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
    /* Now the spread of the mean. The next step makes up for jitter at a step's end, so this is too
     * wide rather than too narrow. */
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
