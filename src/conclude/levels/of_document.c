#include "conclude/levels/of_document.h"

#include "conclude/registry/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static struct level *level_of(struct levels *levels, const struct catalogue_entry *entry,
                              const char *name)
{
    const size_t experiment = entry->experiment;
    const char *stem = entry->finding->name;

    for (size_t i = 0; i < levels->count; i++)
        if (levels->list[i].experiment == experiment && strcmp(levels->list[i].name, name) == 0)
            return &levels->list[i];
    if (levels->count == LEVELS_MAX)
        return NULL;
    struct level *level = &levels->list[levels->count++];
    *level =
        (struct level){.experiment = experiment,
                       .kind = entry->meaning.level,
                       .number = entry->meaning.number,
                       .rank = finding_level_rank(stem, (size_t)(entry->meaning.subject - stem) +
                                                            entry->meaning.subject_length)};
    strcpy(level->name, name);
    return level;
}

static int nearer_first(const void *a, const void *b)
{
    const struct level *p = a, *q = b;
    const int order =
        p->rank == q->rank ? strcmp(p->name, q->name) : (p->rank > q->rank) - (p->rank < q->rank);
    return order ? order : (p->experiment > q->experiment) - (p->experiment < q->experiment);
}

/* Room is for the standard ones first. */
static void collect(struct levels *levels, const struct catalogue *catalogue, size_t document,
                    int device, bool standard)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        char name[LEVEL_NAME_BYTES];
        if (entry->document != document || entry->meaning.device != device ||
            !entry->experiment != standard)
            continue;
        const enum finding_fact fact = level_fact(entry, name);
        struct level *level = fact ? level_of(levels, entry, name) : NULL;
        if (level)
            level->facts[fact] = entry->finding;
        levels->left_out += fact && !level;
    }
}

void levels_collect(struct levels *levels, const struct catalogue *catalogue, size_t document,
                    int device)
{
    *levels = (struct levels){0};
    collect(levels, catalogue, document, device, true);
    collect(levels, catalogue, document, device, false);
    qsort(levels->list, levels->count, sizeof *levels->list, nearer_first);
}

const struct finding *level_example(const struct level *level)
{
    int fact = LEVEL_FACT_FIRST;
    while (fact < LEVEL_FACTS - 1 && !level->facts[fact])
        fact++;
    return level->facts[fact];
}

static double size_or_nan(uint64_t bytes)
{
    return bytes ? (double)bytes : NAN;
}

static double device_bytes(const struct gpu_facts *gpu, const struct level *level)
{
    if (!gpu)
        return NAN;
    if (level->kind == LEVEL_CACHE)
        return level->number == 1   ? size_or_nan(gpu->first_level_bytes)
               : level->number == 2 ? size_or_nan(gpu->l2_bytes)
                                    : NAN;
    return level->kind == LEVEL_MEMORY       ? size_or_nan(gpu->memory_bytes)
           : level->kind == LEVEL_SCRATCHPAD ? size_or_nan(gpu->scratchpad_bytes)
                                             : NAN;
}

double level_declared_bytes(const struct document *document, int device, const struct level *level)
{
    const struct finding *capacity = level->facts[FACT_CAPACITY];
    if (capacity && isfinite(capacity->declared))
        return capacity->declared;
    if (device >= 0)
        return device_bytes(device_facts(&document->machine, device), level);
    for (size_t i = 0; i < document->machine.cache_count; i++) {
        const struct cache_facts *cache = &document->machine.caches[i];
        if (level->kind == LEVEL_CACHE && cache->level == level->number && cache->size_bytes &&
            cache_holds_data(cache))
            return (double)cache->size_bytes;
    }
    return NAN;
}

struct collecting {
    struct levels *levels;
    const struct document *document;
    struct catalogue catalogue;
};

static int collect_all(void *with)
{
    struct collecting *collecting = with;
    if (!catalogue_build(&collecting->catalogue, &collecting->document, 1))
        return ERROR_SYSTEM;
    levels_collect(collecting->levels, &collecting->catalogue, 0, -1);
    return 0;
}

int levels_of_document(struct levels *levels, const struct document *document, struct error *error)
{
    struct collecting collecting = {.levels = levels, .document = document};
    const int code = collect_all(&collecting);
    catalogue_free(&collecting.catalogue);
    return code < 0 ? error_out_of_memory(error) : 0;
}
