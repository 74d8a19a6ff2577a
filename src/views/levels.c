#include "views/levels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const endings[FACTS] = {".latency", ".latency_ns", ".capacity", ".line",
                                           ".ways"};

enum fact level_fact(const struct finding *finding, char name[LEVEL_NAME_BYTES])
{
    size_t length = strlen(finding->name);
    for (int fact = 0; fact < FACTS; fact++) {
        size_t end = strlen(endings[fact]);
        if (length <= end || length - end >= LEVEL_NAME_BYTES ||
            strcmp(finding->name + length - end, endings[fact]) != 0)
            continue;
        memcpy(name, finding->name, length - end);
        name[length - end] = '\0';
        return (enum fact)fact;
    }
    return FACTS;
}

static struct level *level_of(struct level *levels, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(levels[i].name, name) == 0)
            return &levels[i];
    if (*count == LEVELS_MAX)
        return NULL;
    struct level *level = &levels[(*count)++];
    *level = (struct level){0};
    strcpy(level->name, name);
    return level;
}

/* L1, L2, ... as they are named, and what isn't numbered (DRAM) below them. */
static int nearer_first(const void *a, const void *b)
{
    const struct level *p = a, *q = b;
    bool p_last = strcmp(p->name, "DRAM") == 0, q_last = strcmp(q->name, "DRAM") == 0;
    return p_last != q_last ? p_last - q_last : strcmp(p->name, q->name);
}

size_t levels_collect(const struct document *document, struct level *levels)
{
    size_t count = 0;
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++) {
            const struct finding *finding = &document->probes[p].findings[f];
            char name[LEVEL_NAME_BYTES];
            enum fact fact = level_fact(finding, name);
            struct level *level = fact < FACTS ? level_of(levels, &count, name) : NULL;
            if (level)
                level->facts[fact] = finding;
        }
    qsort(levels, count, sizeof *levels, nearer_first);
    return count;
}

double level_declared_bytes(const struct document *document, const struct level *level)
{
    const struct finding *capacity = level->facts[CAPACITY];
    if (capacity && isfinite(capacity->declared))
        return capacity->declared;
    for (size_t i = 0; i < document->machine.cache_count; i++) {
        const struct cache_facts *cache = &document->machine.caches[i];
        char name[LEVEL_NAME_BYTES];
        snprintf(name, sizeof name, "L%d", cache->level);
        if (strcmp(name, level->name) == 0 && cache->size_bytes && cache->type &&
            strcmp(cache->type, "instruction") != 0)
            return (double)cache->size_bytes;
    }
    return NAN;
}
