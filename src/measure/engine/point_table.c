#include "measure/engine/point_table.h"

#include <math.h>
#include <stdlib.h>
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

/* Whether points may be in several states of the placement. */
static bool has_states(const struct point_table *table)
{
    return table->part.room > 0;
}

static int reserve_part(struct point_table *table)
{
    bool needs = false;
    for (size_t i = 0; i < table->plan->point_count && !needs; i++)
        needs = plan_needs_placement(&table->plan->points[i]);
    return table->placement && needs ? record_reserve(&table->part, table->plan->trials_max) : 0;
}

int point_table_open(struct point_table *table, const struct placement *placement,
                     struct plan *plan, struct pool *pool, struct error *error)
{
    size_t scratch = 3 * (size_t)plan->trials_max;
    if (scratch < plan->batches)
        scratch = plan->batches;
    *table = (struct point_table){.plan = plan, .placement = placement, .pool = pool};
    table->entries = calloc(plan->point_count + 1, sizeof *table->entries);
    table->series = calloc(plan->series_count + 1, sizeof *table->series);
    table->scratch = calloc(scratch + 1, sizeof *table->scratch);
    bool room = table->entries && table->series && table->scratch && reserve_part(table) == 0;
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
    for (uint32_t i = 0; i < table->record_count; i++)
        record_free(&table->records[i]);
    record_free(&table->part);
    free(table->records);
    free(table->spare);
    free(table->entries);
    free(table->series);
    free(table->scratch);
    *table = (struct point_table){0};
}

/* The point's record; NULL: it has none. */
static struct record *record_of(const struct point_table *table, size_t point)
{
    const uint32_t record = table->entries[point].record;
    return record >= POINT_RECORDS ? &table->records[record - POINT_RECORDS] : NULL;
}

bool point_table_is_done(const struct point_table *table, size_t point)
{
    const struct record *record = record_of(table, point);
    return record ? record->held : table->entries[point].record == POINT_DONE;
}

unsigned point_table_trials(const struct point_table *table, size_t point)
{
    const struct record *record = record_of(table, point);
    return record && !record->held ? record->trials : 0;
}

/* The index of a record that no point uses; UINT32_MAX without memory. */
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

/* --- states of the placement --- */

/* Longer lists of records are not held. */
enum { HELD_MOST = 4096 };

static const char measured_elsewhere[] =
    "the host had moved the CPUs whenever it was measured: repeat, or give more with --budget";

/* The state that an earlier stage's points in one of the series have; it stays that of the series.
 * PLACEMENT_STATES: none. */
static unsigned state_of_series(const struct point_table *table)
{
    const struct run_facts *facts = table->placement->facts;
    for (size_t i = 0; i < table->plan->series_count; i++) {
        const struct series *series = &table->plan->series[i];
        const struct factor *name = series_factor(series, parameter_placement),
                            *ns = series_factor(series, parameter_placement_ns);
        for (unsigned state = 0; name && ns && state < facts->placement_count; state++)
            if (facts->placements[state].name == name->text &&
                !(facts->placements[state].handoff_ns < ns->number) &&
                !(facts->placements[state].handoff_ns > ns->number))
                return state;
    }
    return PLACEMENT_STATES;
}

/* That of the series, or else the state with the most trials. */
static void decide_state(struct point_table *table)
{
    size_t counts[PLACEMENT_STATES + 1] = {0};
    for (size_t i = 0; i < table->plan->point_count; i++) {
        const struct record *record = record_of(table, i);
        for (unsigned k = 0;
             record && k < record->trials && plan_needs_placement(&table->plan->points[i]); k++)
            counts[placement_of(table->placement, record->intervals[k])]++;
    }
    table->state = state_of_series(table);
    table->settled = table->state < PLACEMENT_STATES;
    if (table->settled)
        return;
    table->state = 0;
    for (unsigned state = 0; state < PLACEMENT_STATES; state++) {
        table->settled = table->settled || counts[state];
        if (counts[state] > counts[table->state])
            table->state = state;
    }
}

static void add_factor(const struct point_table *table, struct series *series, const char *name,
                       const char *text, double number)
{
    struct factor *factor =
        pool_append(table->pool, (void **)&series->factors, &series->factor_count, sizeof *factor);
    if (factor)
        *factor = (struct factor){.name = name, .text = text, .number = number};
}

static void add_state(const struct point_table *table, struct series *series, unsigned state,
                      const char *name)
{
    const struct placement_facts *facts = &table->placement->facts->placements[state];
    add_factor(table, series, name, facts->name, NAN);
    add_factor(table, series, parameter_placement_ns, NULL, facts->handoff_ns);
}

static struct series *series_elsewhere(struct point_table *table, unsigned of, unsigned state)
{
    const struct series *like = &table->plan->series[of];
    for (size_t i = 0; i < table->elsewhere_count; i++)
        if (table->elsewhere[i].of == of && table->elsewhere[i].state == state)
            return &table->elsewhere[i].series;
    struct elsewhere *added = pool_append(table->pool, (void **)&table->elsewhere,
                                          &table->elsewhere_count, sizeof *added);
    if (!added)
        return NULL;
    *added = (struct elsewhere){
        of, state, {.name = like->name, .matrix = like->matrix, .x = like->x, .y = like->y}};
    for (size_t i = 0; i < like->factor_count; i++)
        if (strcmp(like->factors[i].name, parameter_placement) != 0 &&
            strcmp(like->factors[i].name, parameter_placement_ns) != 0)
            add_factor(table, &added->series, like->factors[i].name, like->factors[i].text,
                       like->factors[i].number);
    add_state(table, &added->series, state, parameter_other_placement);
    return &added->series;
}

static bool same_place(const struct series *series, const struct point *a, const struct point *b)
{
    return series->matrix ? a->from == b->from && a->to == b->to : a->x == b->x;
}

/* In place of what an earlier sum had there. */
static void put_elsewhere(struct point_table *table, size_t index, unsigned state,
                          const struct point *point)
{
    struct series *series = series_elsewhere(table, table->plan->points[index].series, state);
    size_t at = 0;
    while (series && at < series->point_count && !same_place(series, &series->points[at], point))
        at++;
    if (series &&
        (at < series->point_count || pool_append(table->pool, (void **)&series->points,
                                                 &series->point_count, sizeof *series->points)))
        series->points[at] = *point;
}

/* Concludes the trials of each state apart. */
static void conclude_states(struct point_table *table, size_t index, struct point *point)
{
    const struct record *record = record_of(table, index);
    struct plan plan = *table->plan;
    if (plan.passes == 2) {
        plan.passes = 1;
        plan.trials_max /= 2;
        plan.trials_min = plan.trials_max < RECORD_FEWEST ? plan.trials_max : RECORD_FEWEST;
    }
    for (unsigned state = 0; state < PLACEMENT_STATES; state++) {
        struct point other = *point;
        record_take_state(&table->part, record, table->plan, table->placement, state);
        if (state != table->state && !table->part.trials)
            continue;
        record_conclude(&table->part, &plan, table->scratch,
                        state == table->state ? point : &other);
        if (state != table->state)
            put_elsewhere(table, index, state, &other);
    }
    if (!point->y.n)
        point->failed = measured_elsewhere;
}

/* Whether all of its trials are in the state of its series. */
static bool is_in_state(const struct point_table *table, const struct record *record)
{
    for (unsigned i = 0; i < record->trials; i++)
        if (placement_of(table->placement, record->intervals[i]) != table->state)
            return false;
    return true;
}

static void conclude(struct point_table *table, size_t index, struct point *point)
{
    const struct plan_point *planned = &table->plan->points[index];
    const struct record *record = record_of(table, index);
    struct series *series = &table->plan->series[planned->series];
    if (has_states(table) && plan_needs_placement(planned) && record->trials) {
        if (!table->settled)
            decide_state(table);
        if (!series_factor(series, parameter_placement))
            add_state(table, series, table->state, parameter_placement);
        if (!is_in_state(table, record)) {
            conclude_states(table, index, point);
            return;
        }
    }
    record_conclude(record, table->plan, table->scratch, point);
}

/* --- the end of a point --- */

/* Writes the point's values so far to its place in the series. */
static struct point *sum_up(struct point_table *table, size_t index)
{
    const struct plan_point *planned = &table->plan->points[index];
    struct point *point = place_of(table, index);
    if (table->plan->series[planned->series].matrix) {
        point->from = planned->from;
        point->to = planned->to;
    } else {
        point->x = planned->x;
    }
    conclude(table, index, point);
    return point;
}

static void settle(struct point_table *table, size_t index)
{
    struct table_entry *entry = &table->entries[index];
    const uint32_t record = entry->record - POINT_RECORDS;
    sum_up(table, index);
    record_clear(&table->records[record]);
    table->spare[table->spare_count++] = record;
    entry->record = POINT_DONE;
}

void point_table_finish(struct point_table *table, size_t index)
{
    struct record *record = record_of(table, index);
    if (!has_states(table) || !plan_needs_placement(&table->plan->points[index]) ||
        record->failed || table->held == HELD_MOST) {
        settle(table, index);
        return;
    }
    record->held = true;
    table->held++;
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
    if (has_states(table) && !table->settled)
        decide_state(table);
    for (size_t i = 0; i < plan->point_count; i++) {
        if (table->entries[i].place == POINT_SETTLED)
            continue;
        if (record_of(table, i) && record_of(table, i)->held) {
            settle(table, i);
            table->held--;
        }
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

static bool is_planned(const struct series *series, const struct point *point,
                       const struct plan_point *planned)
{
    return series->matrix ? point->from == planned->from && point->to == planned->to
                          : point->x == planned->x;
}

/* The point's index in the series, or `count` where it has none. Points mostly come in the plan's
 * order, so the search begins behind the point found last. */
static size_t find_place(const struct series *series, size_t count, size_t *last,
                         const struct plan_point *planned)
{
    for (size_t step = 0; step < count; step++) {
        const size_t at = (*last + step) % count;
        if (is_planned(series, &series->points[at], planned)) {
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
