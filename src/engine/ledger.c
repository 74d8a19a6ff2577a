#include "engine/ledger.h"

#include <stdlib.h>
#include <string.h>

enum ledger_state { LEDGER_UNVISITED, LEDGER_DONE, LEDGER_RECORDS };

static int take_places(struct ledger *ledger, struct pool *pool)
{
    struct plan *plan = ledger->plan;
    for (size_t i = 0; i < plan->series_count; i++)
        ledger->series[i].kept = ledger->series[i].used = plan->series[i].point_count;
    for (size_t i = 0; i < plan->point_count; i++)
        ledger->entries[i].place = (uint32_t)plan->series[plan->points[i].series].point_count++;
    for (size_t i = 0; i < plan->series_count; i++) {
        struct series *series = &plan->series[i];
        size_t before = ledger->series[i].kept, more = series->point_count - before;
        series->point_count = before;
        if (more && !pool_extend(pool, (void **)&series->points, &series->point_count, more,
                                 sizeof *series->points))
            return ERROR_SYSTEM;
    }
    return 0;
}

int ledger_open(struct ledger *ledger, struct plan *plan, struct pool *pool, struct error *error)
{
    size_t scratch = 2 * (size_t)plan->trials_max;
    if (scratch < plan->batches)
        scratch = plan->batches;
    *ledger = (struct ledger){.plan = plan};
    ledger->entries = calloc(plan->point_count + 1, sizeof *ledger->entries);
    ledger->series = calloc(plan->series_count + 1, sizeof *ledger->series);
    ledger->scratch = calloc(scratch + 1, sizeof *ledger->scratch);
    if (!ledger->entries || !ledger->series || !ledger->scratch || take_places(ledger, pool) < 0) {
        ledger_free(ledger);
        return error_set(error, ERROR_SYSTEM,
                         "out of memory for %zu points: choose fewer, for example fewer CPUs with "
                         "--cpus",
                         plan->point_count);
    }
    return 0;
}

void ledger_free(struct ledger *ledger)
{
    for (uint32_t i = 0; i < ledger->record_count; i++)
        record_free(&ledger->records[i]);
    free(ledger->records);
    free(ledger->spare);
    free(ledger->entries);
    free(ledger->series);
    free(ledger->scratch);
    *ledger = (struct ledger){0};
}

bool ledger_is_done(const struct ledger *ledger, size_t point)
{
    return ledger->entries[point].record == LEDGER_DONE;
}

unsigned ledger_trials(const struct ledger *ledger, size_t point)
{
    uint32_t record = ledger->entries[point].record;
    return record >= LEDGER_RECORDS ? ledger->records[record - LEDGER_RECORDS].trials : 0;
}

/* A record that no point has. Its number, or UINT32_MAX without memory. */
static uint32_t spare_record(struct ledger *ledger)
{
    if (ledger->spare_count)
        return ledger->spare[--ledger->spare_count];
    if (ledger->record_count == ledger->record_room) {
        uint32_t room = ledger->record_room ? ledger->record_room * 2 : 16;
        struct record *records = realloc(ledger->records, room * sizeof *records);
        if (records)
            ledger->records = records;
        uint32_t *spare = realloc(ledger->spare, room * sizeof *spare);
        if (spare)
            ledger->spare = spare;
        if (!records || !spare)
            return UINT32_MAX;
        ledger->record_room = room;
    }
    ledger->records[ledger->record_count] = (struct record){0};
    return ledger->record_count++;
}

struct record *ledger_record(struct ledger *ledger, size_t point)
{
    uint32_t *record = &ledger->entries[point].record;
    if (*record == LEDGER_UNVISITED) {
        uint32_t number = spare_record(ledger);
        if (number == UINT32_MAX)
            return NULL;
        *record = number + LEDGER_RECORDS;
    }
    return &ledger->records[*record - LEDGER_RECORDS];
}

static struct point *place_of(const struct ledger *ledger, size_t point)
{
    const struct series *series = &ledger->plan->series[ledger->plan->points[point].series];
    return &series->points[ledger->entries[point].place];
}

void ledger_finish(struct ledger *ledger, size_t index)
{
    const struct plan_point *planned = &ledger->plan->points[index];
    struct ledger_entry *entry = &ledger->entries[index];
    struct record *record = &ledger->records[entry->record - LEDGER_RECORDS];
    struct point *point = place_of(ledger, index);
    if (ledger->plan->series[planned->series].matrix) {
        point->from = planned->from;
        point->to = planned->to;
    } else {
        point->x = planned->x;
    }
    record_conclude(record, ledger->plan, ledger->scratch, point);
    record_clear(record);
    ledger->spare[ledger->spare_count++] = entry->record - LEDGER_RECORDS;
    entry->record = LEDGER_DONE;
}

/* Points move down over the gaps. A place that was never used is not even looked at: of a million
 * points that a short budget left unvisited none costs memory. */
void ledger_close(struct ledger *ledger, size_t *missing, size_t *failed, const char **failure)
{
    struct plan *plan = ledger->plan;
    *missing = *failed = 0;
    for (size_t i = 0; i < plan->point_count; i++) {
        if (ledger->entries[i].record >= LEDGER_RECORDS)
            ledger_finish(ledger, i);
        const bool used = ledger_is_done(ledger, i);
        const struct point *point = used ? place_of(ledger, i) : NULL;
        struct ledger_series *growth = &ledger->series[plan->points[i].series];
        if (used)
            growth->used = ledger->entries[i].place + 1;
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
        struct ledger_series *growth = &ledger->series[i];
        series->point_count = growth->kept;
        if (growth->used > growth->kept) /* beyond its end a pool's array is zeroed */
            memset(&series->points[growth->kept], 0,
                   (growth->used - growth->kept) * sizeof *series->points);
    }
}
