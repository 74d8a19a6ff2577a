#include "measure/engine/forecast.h"

#include <math.h>

/* What a visit costs beside its batches, until the first visits show it: waking threads and looking
 * for stolen time; two bursts around each bracket of batches; touching and verifying memory. */
static const double visit_s = 200e-6, burst_s = 20e-6, bracket_s = 200e-6, touched_bytes_s = 2e9;
/* What a trial of a sweep takes beside its batches: its prepare(), and its share of the rest. */
static const double swept_s = 15e-6;
/* The plan's own estimate counts as much as this number of trials. */
static const double trust_in_plan = 2;

struct forecast forecast_of(const struct plan *plan)
{
    size_t arena_bytes = 0;
    for (size_t i = 0; i < plan->point_count; i++)
        if (plan->points[i].arena_bytes > arena_bytes)
            arena_bytes = plan->points[i].arena_bytes;
    const double batch_s = plan->batch_ns * 1e-9, each = fmax(1, plan->trials_per_visit);
    const double batches = plan->batches * each; /* a visit */
    const double brackets = ceil(batches * fmin(1, batch_s / bracket_s));
    const double points = (double)plan->point_count;
    const double side_by_side =
        plan->groups && plan->group_count ? points / (double)plan->group_count : 1;
    double trial_s = (batches * batch_s + 2 * brackets * burst_s + visit_s) / each / side_by_side;
    if (plan->sweep)
        trial_s = swept_s + batches * batch_s;
    double arenas = plan_keeps_memory(plan) ? 1 : ceil(plan->trials_min / each);
    double trials = points * plan->trials_min;
    if (trials > 0)
        trial_s += arenas * (double)arena_bytes / touched_bytes_s / trials;
    return (struct forecast){
        .plan = plan, .trials_left = trials, .trial_s = trial_s, .budget_s = plan->budget_s};
}

/* Trials that a point is expected to need beside those it has. */
static double expected(const struct plan *plan, unsigned trials)
{
    unsigned aim = trials < plan->trials_min ? plan->trials_min : plan->trials_max;
    return aim > trials ? aim - trials : 0;
}

void forecast_add(struct forecast *forecast, unsigned before, unsigned now)
{
    forecast->trials_left += expected(forecast->plan, now) - expected(forecast->plan, before);
    forecast->trials_done += now - before;
}

void forecast_leave(struct forecast *forecast, unsigned trials)
{
    forecast->trials_left -= expected(forecast->plan, trials);
}

static double trials_s(const struct forecast *forecast)
{
    const double each_s = (trust_in_plan * forecast->trial_s + forecast->busy_s) /
                          (trust_in_plan + forecast->trials_done);
    return forecast->trials_left * each_s;
}

bool forecast_is_short(const struct forecast *forecast, double elapsed_s)
{
    return elapsed_s + trials_s(forecast) > forecast->budget_s;
}

double forecast_left_s(const struct forecast *forecast, double elapsed_s)
{
    const struct plan *plan = forecast->plan;
    double left_s = trials_s(forecast);
    if (forecast->trials_left > 0) /* the fewest trials are spread over the span */
        left_s = fmax(left_s, plan->span_s - elapsed_s);
    return fmax(0, fmin(left_s, forecast->budget_s - elapsed_s));
}
