#include "conclude/registry/catalogue.h"

#include "conclude/registry/experiment.h"
#include "conclude/registry/lookup.h"

#include <stdlib.h>
#include <string.h>

static int by_experiment(const void *a, const void *b)
{
    const struct catalogue_entry *const *left = a, *const *right = b;
    return experiment_order((*left)->finding, (*right)->finding);
}

static void number_experiments(struct catalogue *catalogue, struct pool *pool)
{
    size_t count = 0, number = 0;
    struct catalogue_entry **list = pool_alloc(pool, catalogue->count + 1, sizeof *list);
    for (size_t i = 0; i < catalogue->count; i++)
        if (!experiment_is_standard(catalogue->list[i].finding))
            list[count++] = &catalogue->list[i];
    qsort(list, count, sizeof *list, by_experiment);
    for (size_t i = 0; i < count; i++) {
        number += i == 0 || by_experiment(&list[i - 1], &list[i]) != 0;
        list[i]->experiment = number;
    }
    pool_give_back(pool, list);
}

static int by_name(const void *a, const void *b)
{
    const struct catalogue_entry *left = *(struct catalogue_entry *const *)a,
                                 *right = *(struct catalogue_entry *const *)b;
    int order = strcmp(left->finding->name, right->finding->name);
    if (order)
        return order;
    if (left->experiment != right->experiment)
        return left->experiment > right->experiment ? 1 : -1;
    return (left > right) - (left < right);
}

static void list_document(struct catalogue *catalogue, struct pool *pool, size_t index)
{
    const struct document *document = catalogue->documents[index];
    struct finding_lookup lookup;
    size_t *firsts = pool_alloc(pool, document->probe_count + 1, sizeof *firsts);
    finding_lookup_build(&lookup, pool, document, NULL);
    catalogue->probes[index] = firsts;
    for (size_t p = 0; p < document->probe_count; p++) {
        const struct probe_result *probe = &document->probes[p];
        firsts[p] = catalogue->count;
        for (size_t f = 0; f < probe->finding_count; f++) {
            const struct finding *finding = &probe->findings[f];
            catalogue->list[catalogue->count++] =
                (struct catalogue_entry){.finding = finding,
                                         .probe = probe,
                                         .meaning = finding_meaning(finding),
                                         .document = index,
                                         .twin = finding_lookup_is_twin(&lookup, finding)};
        }
    }
}

void catalogue_build(struct catalogue *catalogue, struct pool *pool,
                     const struct document *const *documents, size_t count)
{
    size_t all = 0;
    for (size_t d = 0; d < count; d++)
        for (size_t p = 0; p < documents[d]->probe_count; p++)
            all += documents[d]->probes[p].finding_count;
    *catalogue = (struct catalogue){.documents = documents,
                                    .list = pool_alloc(pool, all + 1, sizeof *catalogue->list),
                                    .probes = pool_alloc(pool, count + 1, sizeof(size_t *)),
                                    .by_name = pool_alloc(pool, all + 1, sizeof(void *))};
    for (size_t d = 0; d < count; d++)
        list_document(catalogue, pool, d);
    number_experiments(catalogue, pool);
    for (size_t i = 0; i < all; i++)
        catalogue->by_name[i] = &catalogue->list[i];
    qsort(catalogue->by_name, all, sizeof *catalogue->by_name, by_name);
}

const struct catalogue_entry *catalogue_of(const struct catalogue *catalogue, size_t document,
                                           const struct probe_result *probe)
{
    return catalogue->list +
           catalogue->probes[document][probe - catalogue->documents[document]->probes];
}

bool catalogue_is_of_clusters(const struct catalogue_entry *entry)
{
    return entry->meaning.role == ROLE_CLUSTER ||
           (entry->meaning.role == ROLE_DISAGREEMENT && entry->meaning.fact == FACT_CLUSTERS);
}

static struct pivot_row *row_of(struct pivot *pivot, const struct catalogue_entry *entry,
                                const char *name)
{
    const size_t most = pivot->most ? pivot->most : PIVOT_ROWS;
    for (size_t i = 0; i < pivot->count; i++)
        if ((pivot->by_name_alone || pivot->rows[i].first->experiment == entry->experiment) &&
            strcmp(pivot->rows[i].name, name) == 0)
            return &pivot->rows[i];
    if (pivot->count == most)
        return NULL;
    struct pivot_row *row = &pivot->rows[pivot->count++];
    *row = (struct pivot_row){.first = entry};
    strcpy(row->name, name);
    return row;
}

void pivot_collect(struct pivot *pivot, const struct catalogue *catalogue, size_t document,
                   int device, pivot_place *place, void *with)
{
    for (int others = 0; others < 2; others++)
        for (size_t i = 0; i < catalogue->count; i++) {
            const struct catalogue_entry *entry = &catalogue->list[i];
            char name[PIVOT_NAME] = "";
            if (entry->document != document || entry->meaning.device != device ||
                (entry->experiment > 0) != others)
                continue;
            const int column = place(with, entry, name);
            struct pivot_row *row =
                column >= 0 && column < PIVOT_COLUMNS ? row_of(pivot, entry, name) : NULL;
            if (row && !row->values[column])
                row->values[column] = entry->finding;
            pivot->left_out += column != PIVOT_NONE && !row;
        }
}
