#include "engine/point_table.h"

#include <stdlib.h>
#include <string.h>

enum point_state { POINT_UNVISITED, POINT_DONE, POINT_RECORDS };

static int take_places(struct point_table *table, struct pool *pool)
{
    struct plan *plan = table->plan;
    for (size_t i = 0; i < plan->series_count; i++)
        table->series[i].kept = table->series[i].used = plan->series[i].point_count;
    for (size_t i = 0; i < plan->point_count; i++)
        table->entries[i].place = (uint32_t)plan->series[plan->points[i].series].point_count++;
    for (size_t i = 0; i < plan->series_count; i++) {
        struct series *series = &plan->series[i];
        size_t before = table->series[i].kept, more = series->point_count - before;
        series->point_count = before;
        if (more && !pool_extend(pool, (void **)&series->points, &series->point_count, more,
                                 sizeof *series->points))
            return ERROR_SYSTEM;
    }
    return 0;
}

int point_table_open(struct point_table *table, struct plan *plan, struct pool *pool,
                     struct error *error)
{
    size_t scratch = 2 * (size_t)plan->trials_max;
    if (scratch < plan->batches)
        scratch = plan->batches;
    *table = (struct point_table){.plan = plan};
    table->entries = calloc(plan->point_count + 1, sizeof *table->entries);
    table->series = calloc(plan->series_count + 1, sizeof *table->series);
    table->scratch = calloc(scratch + 1, sizeof *table->scratch);
    if (!table->entries || !table->series || !table->scratch || take_places(table, pool) < 0) {
        point_table_free(table);
        return error_set(error, ERROR_SYSTEM,
                         "out of memory for %zu points: choose fewer, for example fewer CPUs with "
                         "--cpus",
                         plan->point_count);
    }
    return 0;
}

void point_table_free(struct point_table *table)
{
    for (uint32_t i = 0; i < table->record_count; i++)
        record_free(&table->records[i]);
    free(table->records);
    free(table->spare);
    free(table->entries);
    free(table->series);
    free(table->scratch);
    *table = (struct point_table){0};
}

bool point_table_is_done(const struct point_table *table, size_t point)
{
    return table->entries[point].record == POINT_DONE;
}

unsigned point_table_trials(const struct point_table *table, size_t point)
{
    uint32_t record = table->entries[point].record;
    return record >= POINT_RECORDS ? table->records[record - POINT_RECORDS].trials : 0;
}

/* A record that no point has. Its number, or UINT32_MAX without memory. */
static uint32_t spare_record(struct point_table *table)
{
    if (table->spare_count)
        return table->spare[--table->spare_count];
    if (table->record_count == table->record_room) {
        uint32_t room = table->record_room ? table->record_room * 2 : 16;
        struct record *records = realloc(table->records, room * sizeof *records);
        if (records)
            table->records = records;
        uint32_t *spare = realloc(table->spare, room * sizeof *spare);
        if (spare)
            table->spare = spare;
        if (!records || !spare)
            return UINT32_MAX;
        table->record_room = room;
    }
    table->records[table->record_count] = (struct record){0};
    return table->record_count++;
}

struct record *point_table_record(struct point_table *table, size_t point)
{
    uint32_t *record = &table->entries[point].record;
    if (*record == POINT_UNVISITED) {
        uint32_t number = spare_record(table);
        if (number == UINT32_MAX)
            return NULL;
        *record = number + POINT_RECORDS;
    }
    return &table->records[*record - POINT_RECORDS];
}

static struct point *place_of(const struct point_table *table, size_t point)
{
    const struct series *series = &table->plan->series[table->plan->points[point].series];
    return &series->points[table->entries[point].place];
}

void point_table_finish(struct point_table *table, size_t index)
{
    const struct plan_point *planned = &table->plan->points[index];
    struct table_entry *entry = &table->entries[index];
    struct record *record = &table->records[entry->record - POINT_RECORDS];
    struct point *point = place_of(table, index);
    if (table->plan->series[planned->series].matrix) {
        point->from = planned->from;
        point->to = planned->to;
    } else {
        point->x = planned->x;
    }
    record_conclude(record, table->plan, table->scratch, point);
    record_clear(record);
    table->spare[table->spare_count++] = entry->record - POINT_RECORDS;
    entry->record = POINT_DONE;
}

/* Points move down over the gaps. A place that was never used is not even looked at, so that a
 * million points that a short budget left unvisited cost no memory. */
void point_table_close(struct point_table *table, size_t *missing, size_t *failed,
                       const char **failure)
{
    struct plan *plan = table->plan;
    *missing = *failed = 0;
    for (size_t i = 0; i < plan->point_count; i++) {
        if (table->entries[i].record >= POINT_RECORDS)
            point_table_finish(table, i);
        const bool used = point_table_is_done(table, i);
        const struct point *point = used ? place_of(table, i) : NULL;
        struct table_series *growth = &table->series[plan->points[i].series];
        if (used)
            growth->used = table->entries[i].place + 1;
        if (!used || !(point->y.n || point->failed)) {
            ++*missing;
            continue;
        }
        if (point->failed) {
            *failure = point->failed;
            ++*failed;
        }
        plan->series[plan->points[i].series].points[growth->kept++] = *point;
    }
    for (size_t i = 0; i < plan->series_count; i++) {
        struct series *series = &plan->series[i];
        struct table_series *growth = &table->series[i];
        series->point_count = growth->kept;
        if (growth->used > growth->kept) /* beyond its end a pool's array is zeroed */
            memset(&series->points[growth->kept], 0,
                   (growth->used - growth->kept) * sizeof *series->points);
    }
}
