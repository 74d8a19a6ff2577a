#include "measure/probes/parallelism/window_steps.h"

#include "stats/quantile.h"
#include "stats/saturation.h"

#include <math.h>

enum {
    FLOOR_POINTS = 3, /* the fewest fillers tell what a pair takes at best */
    POINTS_MOST = 96,
};
/* Between one miss's time and two. */
static const double step_level = 1 / 1.5;
/* A rise that stays well below twice the time is not the window's step: something else took the
 * time. */
static const double least_top = 1.6;

struct curve {
    double x[POINTS_MOST], time[POINTS_MOST];
    size_t n;
};

/* That trial's, false where it has too little to tell. */
static bool fill_curve(const struct trial_values *values, const struct plan *plan, int series,
                       unsigned trial, struct curve *curve)
{
    size_t known = 0;
    curve->n = 0;
    for (size_t i = 0; i < plan->point_count && curve->n < POINTS_MOST; i++) {
        if ((int)plan->points[i].series != series)
            continue;
        const double time = trial_value(values, i, trial);
        if (isnan(time) && curve->n < FLOOR_POINTS)
            return false;
        known += isnan(time) ? 0 : 1;
        curve->x[curve->n] = plan->points[i].x;
        curve->time[curve->n++] = time;
    }
    return curve->n > FLOOR_POINTS && 2 * known > curve->n;
}

/* Fillers beyond which a pair takes two misses' time; NAN where the curve has no such step. */
static double curve_step(const struct curve *curve)
{
    double speed[POINTS_MOST], least[FLOOR_POINTS], top = 0;
    for (size_t i = 0; i < FLOOR_POINTS; i++)
        least[i] = curve->time[i];
    sort_ascending(least, FLOOR_POINTS);
    const double floor_value = median(least, FLOOR_POINTS);
    for (size_t i = 0; i < curve->n; i++) {
        top = fmax(top, curve->time[i] / floor_value);
        speed[i] = floor_value / curve->time[i];
    }
    return top >= least_top ? crossing_down(curve->x, speed, curve->n, step_level) : NAN;
}

struct window_steps window_steps_of(const struct trial_values *values, const struct plan *plan,
                                    int series)
{
    double found[WINDOW_TRIALS];
    struct curve curve;
    struct window_steps steps = {.at = summary_of_nothing()};
    for (unsigned trial = 0; series >= 0 && trial < WINDOW_TRIALS; trial++) {
        if (!fill_curve(values, plan, series, trial, &curve))
            continue;
        const double step = curve_step(&curve);
        steps.voted++;
        if (isfinite(step))
            found[steps.saw++] = floor(step);
    }
    if (steps.saw)
        summarize(found, steps.saw, found, &steps.at);
    return steps;
}

bool window_steps_agree(const struct window_steps *steps)
{
    return steps->voted >= WINDOW_LEAST_VOTERS && 2 * steps->saw > steps->voted;
}
