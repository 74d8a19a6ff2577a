#include "show/report/charts/chapters.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    const struct placed *left = a, *right = b;
    int order = strcmp(left->probe->name, right->probe->name);
    if (!order && left->document != right->document)
        return left->document > right->document ? 1 : -1;
    return order ? order : (left->probe > right->probe) - (left->probe < right->probe);
}

static int by_rank(const void *a, const void *b)
{
    const struct chapter *one = a, *other = b;
    const struct placed *left = one->list, *right = other->list;
    if (one->rank != other->rank)
        return one->rank > other->rank ? 1 : -1;
    if (left->document != right->document)
        return left->document > right->document ? 1 : -1;
    return (left->probe > right->probe) - (left->probe < right->probe);
}

enum { RANK_ROLE = 64, RANK_DEVICE = RANK_ROLE * RANK_ROLE };

/* Roles and facts are listed as the datasheet has them; what has no fact stands below. */
static unsigned rank_of(enum finding_role role, enum finding_fact fact, bool of_device)
{
    const unsigned below = fact == FACT_NONE ? RANK_ROLE - 1 : (unsigned)fact;
    return role == ROLE_PLAIN ? UINT_MAX
                              : (of_device ? RANK_DEVICE : 0u) + RANK_ROLE * (unsigned)role + below;
}

/* By all that the probe can find; of one that is not known by what it found. */
static unsigned rank_of_probe(const struct catalogue *catalogue, const struct placed *placed)
{
    const struct finding_table *table = finding_table_of(placed->probe->name);
    const struct catalogue_entry *list = catalogue_of(catalogue, placed->document, placed->probe);
    unsigned least = UINT_MAX;
    for (size_t i = 0; table && table->lines && table->lines[i].patterns; i++) {
        const struct finding_line *line = &table->lines[i];
        const unsigned rank = rank_of(line->role, line->fact, table->of_devices);
        least = rank < least ? rank : least;
    }
    for (size_t i = 0; i < placed->probe->finding_count && !table; i++) {
        const struct finding_meaning *meaning = &list[i].meaning;
        const unsigned rank = rank_of(meaning->role, meaning->fact, meaning->device >= 0);
        least = rank < least ? rank : least;
    }
    return least;
}

bool chapters_collect(struct chapters *chapters, const struct catalogue *catalogue, size_t first,
                      size_t count, struct pool *pool)
{
    const struct document *const *documents = catalogue->documents;
    size_t all = 0, filled = 0;
    for (size_t d = first; d < first + count; d++)
        all += documents[d]->probe_count;
    struct placed *list = pool_alloc(pool, all + 1, sizeof *list);
    *chapters = (struct chapters){pool_alloc(pool, all + 1, sizeof *chapters->list), 0};
    if (!list || !chapters->list)
        return false;
    for (size_t d = first; d < first + count; d++)
        for (size_t p = 0; p < documents[d]->probe_count; p++)
            list[filled++] = (struct placed){&documents[d]->probes[p], d};
    qsort(list, filled, sizeof *list, by_name);
    for (size_t i = 0; i < filled; i++) {
        const bool more = i > 0 && strcmp(list[i - 1].probe->name, list[i].probe->name) == 0;
        if (!more)
            chapters->list[chapters->count++] =
                (struct chapter){&list[i], 0, rank_of_probe(catalogue, &list[i])};
        chapters->list[chapters->count - 1].count++;
    }
    qsort(chapters->list, chapters->count, sizeof *chapters->list, by_rank);
    return true;
}
