#include "measure/engine/point_table.h"

#include <string.h>

enum point_state { POINT_UNVISITED, POINT_DONE, POINT_RECORDS };

enum { POINT_SETTLED = UINT32_MAX };

/* Extends the series by the places that were counted beyond their points. */
static int take_places(struct point_table *table, struct pool *pool)
{
    struct plan *plan = table->plan;
    for (size_t i = 0; i < plan->series_count; i++) {
        struct series *series = &plan->series[i];
        struct table_series *growth = &table->series[i];
        const size_t more = growth->used - growth->begin;
        growth->kept = growth->used = growth->begin;
        if (more && !pool_extend(pool, (void **)&series->points, &series->point_count, more,
                                 sizeof *series->points))
            return ERROR_SYSTEM;
    }
    return 0;
}

static void count_places(struct point_table *table)
{
    for (size_t i = 0; i < table->plan->series_count; i++)
        table->series[i].begin = table->series[i].used = table->plan->series[i].point_count;
}

static int refuse(const struct point_table *table, struct error *error)
{
    return error_set(error, ERROR_SYSTEM,
                     "out of memory for %zu points: choose fewer, for example fewer CPUs with "
                     "--cpus",
                     table->plan->point_count);
}

int point_table_open(struct point_table *table, struct plan *plan, struct pool *pool,
                     struct error *error)
{
    size_t scratch = 3 * (size_t)plan->trials_max;
    if (scratch < plan->batches)
        scratch = plan->batches;
    *table = (struct point_table){.plan = plan};
    table->entries = pool_alloc(&table->pool, plan->point_count, sizeof *table->entries);
    table->spare = pool_alloc(&table->pool, plan->point_count, sizeof *table->spare);
    table->series = pool_alloc(&table->pool, plan->series_count, sizeof *table->series);
    table->scratch = pool_alloc(&table->pool, scratch, sizeof *table->scratch);
    bool room = table->entries && table->spare && table->series && table->scratch;
    if (room) {
        count_places(table);
        for (size_t i = 0; i < plan->point_count; i++)
            table->entries[i].place = (uint32_t)table->series[plan->points[i].series].used++;
        room = take_places(table, pool) == 0;
    }
    if (room)
        return 0;
    int code = refuse(table, error);
    point_table_free(table);
    return code;
}

void point_table_free(struct point_table *table)
{
    for (size_t i = 0; i < table->record_count; i++)
        record_free(&table->records[i]);
    pool_free(&table->pool);
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

/* The index of a record that no point uses; UINT32_MAX without memory. */
static uint32_t spare_record(struct point_table *table)
{
    if (table->spare_count)
        return table->spare[--table->spare_count];
    struct record *const before = table->records;
    const struct record *added =
        pool_append(&table->pool, (void **)&table->records, &table->record_count, sizeof *added);
    if (table->records != before)
        pool_give_back(&table->pool, before);
    return added ? (uint32_t)(added - table->records) : UINT32_MAX;
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

/* Writes the point's values so far to its place in the series. */
static struct point *sum_up(struct point_table *table, size_t index)
{
    const struct plan_point *planned = &table->plan->points[index];
    struct record *record = &table->records[table->entries[index].record - POINT_RECORDS];
    struct point *point = place_of(table, index);
    if (table->plan->series[planned->series].matrix) {
        point->from = planned->from;
        point->to = planned->to;
    } else {
        point->x = planned->x;
    }
    const struct record one =
        record_of_states(record, table->placement, planned->seat_count > 1, &table->states);
    record_conclude(&one, table->plan, table->scratch, point);
    return point;
}

void point_table_finish(struct point_table *table, size_t index)
{
    struct table_entry *entry = &table->entries[index];
    const uint32_t record = entry->record - POINT_RECORDS;
    sum_up(table, index);
    record_clear(&table->records[record]);
    table->spare[table->spare_count++] = record;
    entry->record = POINT_DONE;
}

/* Counts a point that has a place as missing, failed or kept, and moves a kept one down over the
 * gaps. */
static void close_point(struct point_table *table, size_t i, size_t *missing, size_t *failed)
{
    struct table_entry *entry = &table->entries[i];
    struct series *series = &table->plan->series[table->plan->points[i].series];
    struct table_series *growth = &table->series[table->plan->points[i].series];
    const bool open = entry->record >= POINT_RECORDS, done = entry->record == POINT_DONE;
    const struct point *point = open ? sum_up(table, i) : done ? place_of(table, i) : NULL;
    const bool kept = point && (point->y.n || point->failed);
    if (point && entry->place >= growth->used)
        growth->used = (size_t)entry->place + 1;
    *missing += !kept;
    if (kept && point->failed) {
        table->failure = point->failed;
        ++*failed;
    }
    if (kept && entry->place >= growth->begin)
        series->points[growth->kept++] = *point;
    if (done)
        entry->place = POINT_SETTLED;
}

/* Unused places are not read, so that a million points that a short budget left unvisited cost no
 * memory. */
void point_table_close(struct point_table *table, size_t *missing, size_t *failed,
                       const char **failure)
{
    struct plan *plan = table->plan;
    size_t open_missing = 0, open_failed = 0;
    for (size_t i = 0; i < plan->point_count; i++) {
        if (table->entries[i].place == POINT_SETTLED)
            continue;
        const bool done = point_table_is_done(table, i);
        close_point(table, i, done ? &table->missing : &open_missing,
                    done ? &table->failed : &open_failed);
    }
    *failure = table->failure;
    *missing = table->missing + open_missing;
    *failed = table->failed + open_failed;
    for (size_t i = 0; i < plan->series_count; i++) {
        struct series *series = &plan->series[i];
        struct table_series *growth = &table->series[i];
        series->point_count = growth->kept;
        if (growth->used > growth->kept) /* pool_extend() expects zeros beyond an array's end */
            memset(&series->points[growth->kept], 0,
                   (growth->used - growth->kept) * sizeof *series->points);
    }
}

/* The point's index in the series, or `count` where it has none. Points mostly come in the plan's
 * order, so the search begins behind the point found last. */
static size_t find_place(const struct series *series, size_t count, size_t *last,
                         const struct plan_point *planned)
{
    for (size_t step = 0; step < count; step++) {
        const size_t at = (*last + step) % count;
        const struct point *point = &series->points[at];
        if (series->matrix ? point->from == planned->from && point->to == planned->to
                           : point->x == planned->x) {
            *last = at + 1;
            return at;
        }
    }
    return count;
}

int point_table_reopen(struct point_table *table, struct pool *pool, struct error *error)
{
    const struct plan *plan = table->plan;
    size_t last = 0;
    count_places(table);
    for (size_t i = 0; i < plan->point_count; i++) {
        struct table_series *growth = &table->series[plan->points[i].series];
        struct table_entry *entry = &table->entries[i];
        if (entry->place == POINT_SETTLED)
            continue;
        /* A point that was never visited has no place: no search, because there may be a million
         * of them. */
        const size_t place = entry->record == POINT_UNVISITED
                                 ? growth->begin
                                 : find_place(&plan->series[plan->points[i].series], growth->begin,
                                              &last, &plan->points[i]);
        entry->place = (uint32_t)(place < growth->begin ? place : growth->used++);
    }
    return take_places(table, pool) < 0 ? refuse(table, error) : 0;
}
