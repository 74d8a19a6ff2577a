#include "measure/probes/kit/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct factor *add_factor(struct pool *pool, struct factor **factors, size_t *count,
                                 const char *name)
{
    struct factor *factor = pool_append(pool, (void **)factors, count, sizeof *factor);
    factor->name = name;
    return factor;
}

unsigned build_series(struct probe_task *task, struct series series)
{
    struct plan *plan = &task->plan;
    const struct factor *factors = series.factors;
    const size_t count = series.factor_count;
    series.factors = NULL;
    series.factor_count = 0;
    for (size_t i = 0; i < count; i++)
        *add_factor(task->pool, &series.factors, &series.factor_count, NULL) = factors[i];
    *(struct series *)pool_append(task->pool, (void **)&plan->series, &plan->series_count,
                                  sizeof series) = series;
    return (unsigned)plan->series_count - 1;
}

void build_factor(struct probe_task *task, unsigned series, const char *name, double number)
{
    struct series *to = &task->plan.series[series];
    add_factor(task->pool, &to->factors, &to->factor_count, name)->number = number;
}

void build_factor_text(struct probe_task *task, unsigned series, const char *name, const char *text)
{
    struct series *to = &task->plan.series[series];
    add_factor(task->pool, &to->factors, &to->factor_count, name)->text = text;
}

struct plan_point *build_point(struct probe_task *task, unsigned series, double x, const int *cpus,
                               size_t count, enum role others)
{
    struct plan *plan = &task->plan;
    struct seat *seats = pool_alloc(task->pool, count, sizeof *seats);
    for (size_t i = 0; i < count; i++)
        seats[i] = (struct seat){cpus[i], i ? others : MEASURED};
    struct plan_point *point =
        pool_append(task->pool, (void **)&plan->points, &plan->point_count, sizeof *point);
    *point = (struct plan_point){
        .series = series, .x = x, .seats = seats, .seat_count = (unsigned)count};
    return point;
}

void build_note(struct probe_task *task, const char *name, double number)
{
    probe_add_parameter(task, name)->number = number;
}

void build_note_text(struct probe_task *task, const char *name, const char *text)
{
    probe_add_parameter(task, name)->text = text;
}

struct factor *build_note_list(struct probe_task *task, const char *name)
{
    struct factor *list = probe_add_parameter(task, name);
    list->number = NAN;
    return list;
}

void build_element(struct probe_task *task, struct factor *list, double number)
{
    add_factor(task->pool, &list->list, &list->list_count, NULL)->number = number;
}

void build_word(struct probe_task *task, struct factor *list, const char *word)
{
    add_factor(task->pool, &list->list, &list->list_count, NULL)->text = word;
}

void build_skip(struct probe_task *task, const char *reason)
{
    task->result->status = PROBE_SKIPPED;
    task->result->reason = reason;
}

int *build_order(const struct probe_task *task, const int *cpus, size_t count,
                 int (*by)(const void *, const void *))
{
    int *ordered = pool_alloc(task->pool, count, sizeof *ordered);
    struct cpu_place *places = pool_alloc(task->pool, count, sizeof *places);
    machine_places(task->machine, &(struct cpulist){(int *)cpus, count}, places);
    qsort(places, count, sizeof *places, by);
    for (size_t i = 0; i < count; i++)
        ordered[i] = places[i].id;
    return ordered;
}

const char *build_cpus(struct pool *pool, const int *cpus, size_t count)
{
    enum { ID_BYTES = 12 };
    int *ids = pool_alloc(pool, count + 1, sizeof *ids);
    char *text = pool_alloc(pool, count + 1, ID_BYTES);
    memcpy(ids, cpus, count * sizeof *ids);
    qsort(ids, count, sizeof *ids, cpulist_by_id);
    return cpulist_format(&(struct cpulist){ids, count}, text, (count + 1) * ID_BYTES);
}

void build_parts(struct probe_task *task, const int *cpus, size_t count, size_t bytes)
{
    struct plan *plan = &task->plan;
    if (plan->node >= 0)
        return; /* all of the arena is bound to that node */
    struct arena_part *parts = pool_alloc(task->pool, count, sizeof *parts);
    for (size_t i = 0; i < count; i++)
        parts[i] = (struct arena_part){i * bytes, bytes, cpus[i]};
    plan->parts = parts;
    plan->part_count = count;
}
