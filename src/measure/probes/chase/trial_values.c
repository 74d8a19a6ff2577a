#include "measure/probes/chase/trial_values.h"

#include "stats/order.h"
#include "stats/undisturbed.h"

#include <math.h>

enum { BATCHES_MAX = 128 };

void trial_values_reserve(struct probe_task *task, struct trial_values *values, unsigned groups)
{
    const struct plan *plan = &task->plan;
    size_t count = plan->point_count * plan->trials_max;
    *values = (struct trial_values){.list = pool_alloc(task->pool, count, sizeof *values->list),
                                    .points = plan->point_count,
                                    .room = plan->trials_max,
                                    .trials = groups ? groups : plan->trials_max};
    for (size_t i = 0; i < count; i++)
        values->list[i] = NAN;
    task->values = values;
}

void trial_values_observe(void *observer, const struct observation *seen)
{
    const struct probe_task *task = observer;
    struct trial_values *values = task->values;
    double each[BATCHES_MAX];
    size_t n = 0, point = (size_t)(seen->trial->point - task->plan.points);
    if (seen->reference || point >= values->points || seen->trial->number >= values->room)
        return;
    double operations = seen->trial->operations * (double)seen->repeats;
    for (; n < seen->batch_count && n < BATCHES_MAX; n++) {
        double hz = seen->batches[n].core_hz;
        each[n] = seen->batches[n].ns / operations * (isfinite(hz) ? hz * 1e-9 : 1);
    }
    if (n == 0)
        return;
    sort_ascending(each, n);
    values->list[point * values->room + seen->trial->number] = undisturbed_of(each, n).value;
}

/* A group needs two trials. If it has fewer than four, because time was short, its second fastest
 * counts. */
enum { GROUP_LEAST = 2, GROUP_USUAL = 4, GROUP_MOST = 256 };

double trial_value(const struct trial_values *values, size_t point, unsigned trial)
{
    const double *list = values->list + point * values->room;
    if (values->trials == values->room)
        return list[trial];
    double group[GROUP_MOST];
    size_t n = 0;
    for (unsigned i = trial; i < values->room && n < GROUP_MOST; i += values->trials)
        if (!isnan(list[i]))
            group[n++] = list[i];
    if (n < GROUP_LEAST)
        return NAN;
    sort_ascending(group, n);
    struct summary envelope;
    undisturbed_envelope(group, n, &envelope);
    return n < GROUP_USUAL ? group[1] : (double)envelope.median;
}

unsigned trial_values_rounds(const struct trial_values *values)
{
    unsigned rounds = 0;
    for (unsigned trial = 0; trial < values->trials; trial++) {
        size_t point = 0;
        while (point < values->points && !isnan(trial_value(values, point, trial)))
            point++;
        rounds += point == values->points;
    }
    return rounds;
}

void trial_series_tell(struct series *series, double x, double *answers, size_t n)
{
    struct point *point = &series->points[series->point_count++];
    *point = point_bare();
    point->x = x;
    summarize(answers, n, answers, &point->y);
}

void trial_series_conclude(struct probe_task *task, const struct series *like, double x,
                           const struct summary *together)
{
    struct probe_result *result = task->result;
    struct point *point = pool_alloc(task->pool, 1, sizeof *point);
    struct series *series =
        pool_append(task->pool, (void **)&result->series, &result->series_count, sizeof *series);
    *point = point_bare();
    point->x = x;
    if (together->n)
        point->y = *together;
    *series = *like;
    series->points = point;
    series->point_count = 1;
    task->plan.series = result->series;
    task->plan.series_count = result->series_count;
}
