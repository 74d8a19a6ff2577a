#include "views/levels.h"

#include "findings/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const endings[FACTS] = {".latency", ".latency_ns", ".capacity", ".line",
                                           ".ways"};

/* What a device has beside its caches, in the order of a table; a number may follow. */
static const char *const memories[] = {"DRAM",    "shared",   "shared.atomic", "constant",
                                       "texture", "readonly", "atomic"};
enum { MEMORIES = sizeof memories / sizeof *memories };

/* Caches are 0, then the memories; MEMORIES + 1 is what is neither. */
static int rank_of(const char *name)
{
    static const char digits[] = "0123456789";
    if (name[0] == 'L' && name[1] && !name[1 + strspn(name + 1, digits)])
        return 0;
    for (int i = 0; i < MEMORIES; i++) {
        size_t length = strlen(memories[i]);
        if (strncmp(name, memories[i], length) == 0 &&
            !name[length + strspn(name + length, digits)])
            return 1 + i;
    }
    return 1 + MEMORIES;
}

enum fact level_fact(const struct finding *finding, char name[LEVEL_NAME_BYTES])
{
    const char *rest;
    int device = device_of_name(finding->name, &rest);
    size_t length = strlen(rest);
    for (int fact = 0; fact < FACTS; fact++) {
        size_t end = strlen(endings[fact]);
        if (length <= end || length - end >= LEVEL_NAME_BYTES ||
            strcmp(rest + length - end, endings[fact]) != 0)
            continue;
        memcpy(name, rest, length - end);
        name[length - end] = '\0';
        /* A device's launches and links have latencies too. */
        return device >= 0 && rank_of(name) > MEMORIES ? FACTS : (enum fact)fact;
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

static int nearer_first(const void *a, const void *b)
{
    const struct level *p = a, *q = b;
    int order = rank_of(p->name) - rank_of(q->name);
    return order ? order : strcmp(p->name, q->name);
}

size_t levels_collect(const struct document *document, int device, struct level *levels)
{
    size_t count = 0;
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++) {
            const struct finding *finding = &document->probes[p].findings[f];
            char name[LEVEL_NAME_BYTES];
            if (device_of_name(finding->name, NULL) != device)
                continue;
            enum fact fact = level_fact(finding, name);
            struct level *level = fact < FACTS ? level_of(levels, &count, name) : NULL;
            if (level)
                level->facts[fact] = finding;
        }
    qsort(levels, count, sizeof *levels, nearer_first);
    return count;
}

static double size_or_nan(uint64_t bytes)
{
    return bytes ? (double)bytes : NAN;
}

static double device_bytes(const struct gpu_facts *gpu, const char *level)
{
    if (!gpu)
        return NAN;
    return strcmp(level, "L1") == 0       ? size_or_nan(gpu->first_level_bytes)
           : strcmp(level, "L2") == 0     ? size_or_nan(gpu->l2_bytes)
           : strcmp(level, "DRAM") == 0   ? size_or_nan(gpu->memory_bytes)
           : strcmp(level, "shared") == 0 ? size_or_nan(gpu->scratchpad_bytes)
                                          : NAN;
}

double level_declared_bytes(const struct document *document, int device, const struct level *level)
{
    const struct finding *capacity = level->facts[CAPACITY];
    if (capacity && isfinite(capacity->declared))
        return capacity->declared;
    if (device >= 0)
        return device_bytes(device_facts(&document->machine, device), level->name);
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
