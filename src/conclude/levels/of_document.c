#include "conclude/levels/of_document.h"

#include "conclude/registry/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(LEVELS_MAX == (int)PIVOT_ROWS && LEVEL_NAME_BYTES == (int)PIVOT_NAME,
               "a level is a row of a pivot");

enum finding_fact level_fact(const struct catalogue_entry *entry, char name[LEVEL_NAME_BYTES])
{
    const struct finding_meaning *meaning = &entry->meaning;
    if (meaning->role != ROLE_LEVEL || (int)meaning->fact < LEVEL_FACT_FIRST ||
        (int)meaning->fact >= LEVEL_FACTS || meaning->subject_length >= LEVEL_NAME_BYTES)
        return FACT_NONE;
    memcpy(name, meaning->subject, meaning->subject_length);
    name[meaning->subject_length] = '\0';
    return meaning->fact;
}

static int place_of(void *with, const struct catalogue_entry *entry, char name[PIVOT_NAME])
{
    const int fact = (int)level_fact(entry, name);
    return fact ? fact - LEVEL_FACT_FIRST : PIVOT_NONE;
}

static int nearer_first(const void *a, const void *b)
{
    const struct level *p = a, *q = b;
    const int order =
        p->rank == q->rank ? strcmp(p->name, q->name) : (p->rank > q->rank) - (p->rank < q->rank);
    return order ? order : (p->experiment > q->experiment) - (p->experiment < q->experiment);
}

/* What the machine declares of the level, in bytes; 0: nothing. */
static uint64_t bytes_of(const struct machine_facts *facts, int cpu, int device,
                         const struct level *level)
{
    const struct gpu_facts *gpu = device < 0 ? NULL : device_facts(facts, device);
    const struct cache_facts *cache =
        device < 0 && level->kind == LEVEL_CACHE ? cache_of_cpu(facts, level->number, cpu) : NULL;
    if (cache)
        return cache->size_bytes;
    if (!gpu)
        return 0;
    if (level->kind == LEVEL_CACHE)
        return level->number == 1 ? gpu->first_level_bytes : level->number == 2 ? gpu->l2_bytes : 0;
    return level->kind == LEVEL_MEMORY       ? gpu->memory_bytes
           : level->kind == LEVEL_SCRATCHPAD ? gpu->scratchpad_bytes
                                             : 0;
}

void levels_collect(struct levels *levels, const struct catalogue *catalogue, size_t document,
                    int device)
{
    struct pivot pivot = {.count = 0};
    pivot_collect(&pivot, catalogue, document, device, place_of, NULL);
    *levels = (struct levels){.count = pivot.count, .left_out = pivot.left_out};
    for (size_t i = 0; i < pivot.count; i++) {
        const struct pivot_row *row = &pivot.rows[i];
        const struct finding_meaning *meaning = &row->first->meaning;
        const char *stem = row->first->finding->name;
        struct level *level = &levels->list[i];
        *level = (struct level){.experiment = row->first->experiment,
                                .kind = meaning->level,
                                .number = meaning->number,
                                .rank = finding_level_rank(stem, (size_t)(meaning->subject - stem) +
                                                                     meaning->subject_length),
                                .example = row->first->finding};
        strcpy(level->name, row->name);
        memcpy(level->facts + LEVEL_FACT_FIRST, row->values,
               (LEVEL_FACTS - LEVEL_FACT_FIRST) * sizeof *level->facts);
        const struct finding *capacity = level->facts[FACT_CAPACITY];
        const uint64_t bytes = bytes_of(&catalogue->documents[document]->machine,
                                        probe_cpu(row->first->probe), device, level);
        level->declared = capacity && isfinite(capacity->declared) ? capacity->declared
                          : bytes                                  ? (double)bytes
                                                                   : NAN;
    }
    qsort(levels->list, levels->count, sizeof *levels->list, nearer_first);
    for (size_t i = 0; i < levels->count; i++) {
        struct level *level = &levels->list[i];
        level->reached = level->kind == LEVEL_MEMORY && strcmp(level->name, level_reached) == 0;
        if (level->reached)
            level_name_reached(catalogue->documents[document], device, level->name);
    }
}

void level_name_reached(const struct document *document, int device, char name[LEVEL_NAME_BYTES])
{
    int last = 0;
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t i = 0; i < document->probes[p].finding_count; i++) {
            const struct finding_meaning meaning =
                finding_meaning(&document->probes[p].findings[i]);
            if (meaning.role == ROLE_LEVEL && meaning.level == LEVEL_CACHE &&
                meaning.device == device && meaning.number > last)
                last = meaning.number;
        }
    if (last)
        snprintf(name, LEVEL_NAME_BYTES, "beyond L%d", last);
    else
        strcpy(name, level_reached);
}

struct collecting {
    struct levels *levels;
    const struct document *document;
    struct pool pool;
};

static int collect_all(void *with)
{
    struct collecting *collecting = with;
    struct catalogue catalogue;
    catalogue_build(&catalogue, &collecting->pool, &collecting->document, 1);
    levels_collect(collecting->levels, &catalogue, 0, -1);
    return 0;
}

int levels_of_document(struct levels *levels, const struct document *document, struct error *error)
{
    struct collecting collecting = {.levels = levels, .document = document};
    const int code = pool_enter(&collecting.pool, collect_all, &collecting, error);
    pool_free(&collecting.pool);
    return code;
}
