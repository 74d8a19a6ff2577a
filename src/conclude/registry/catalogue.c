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

static bool number_experiments(struct catalogue *catalogue)
{
    size_t count = 0, number = 0;
    struct catalogue_entry **list = malloc((catalogue->count + 1) * sizeof *list);
    for (size_t i = 0; i < catalogue->count && list; i++)
        if (!experiment_is_standard(catalogue->list[i].finding))
            list[count++] = &catalogue->list[i];
    if (list)
        qsort(list, count, sizeof *list, by_experiment);
    for (size_t i = 0; i < count; i++) {
        number += i == 0 || by_experiment(&list[i - 1], &list[i]) != 0;
        list[i]->experiment = number;
    }
    const bool done = list != NULL;
    free(list);
    return done;
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

static bool sort_by_name(struct catalogue *catalogue)
{
    catalogue->by_name =
        pool_alloc(&catalogue->pool, catalogue->count + 1, sizeof *catalogue->by_name);
    for (size_t i = 0; i < catalogue->count && catalogue->by_name; i++)
        catalogue->by_name[i] = &catalogue->list[i];
    if (catalogue->by_name)
        qsort(catalogue->by_name, catalogue->count, sizeof *catalogue->by_name, by_name);
    return catalogue->by_name != NULL;
}

static bool list_document(struct catalogue *catalogue, size_t index)
{
    const struct document *document = catalogue->documents[index];
    struct finding_lookup lookup;
    struct pool pool = {0};
    size_t *firsts =
        pool_alloc(&catalogue->pool, document->probe_count + 1, sizeof *catalogue->probes[index]);
    bool done = firsts && finding_lookup_build(&lookup, &pool, document, NULL) == 0;
    catalogue->probes[index] = firsts;
    for (size_t p = 0; p < document->probe_count && done; p++) {
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
    pool_free(&pool);
    return done;
}

bool catalogue_build(struct catalogue *catalogue, const struct document *const *documents,
                     size_t count)
{
    size_t all = 0;
    *catalogue = (struct catalogue){.documents = documents};
    for (size_t d = 0; d < count; d++)
        for (size_t p = 0; p < documents[d]->probe_count; p++)
            all += documents[d]->probes[p].finding_count;
    catalogue->list = pool_alloc(&catalogue->pool, all + 1, sizeof *catalogue->list);
    catalogue->probes = pool_alloc(&catalogue->pool, count + 1, sizeof *catalogue->probes);
    if (!catalogue->list || !catalogue->probes)
        return false;
    for (size_t d = 0; d < count; d++)
        if (!list_document(catalogue, d))
            return false;
    return number_experiments(catalogue) && sort_by_name(catalogue);
}

void catalogue_free(struct catalogue *catalogue)
{
    pool_free(&catalogue->pool);
    *catalogue = (struct catalogue){0};
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
