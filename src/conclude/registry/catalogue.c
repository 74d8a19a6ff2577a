#include "conclude/registry/catalogue.h"

#include "base/sort.h"
#include "base/text.h"
#include "conclude/registry/experiment.h"

#include <stdio.h>
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
    order = order ? order : ORDER_BY({left->experiment, right->experiment});
    return order ? order : (left > right) - (left < right);
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

/* --- one finding by its name --- */

enum { NAME_BYTES = 256 }; /* longer names have no twin */
static const char twin_ending[] = "_ns";

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* Orders by name, then by experiment and by CPUs where these are given. */
static int order(const struct finding *finding, const char *name, const struct finding *experiment,
                 const char *cpus)
{
    int by = strcmp(or_empty(finding->name), name);
    by = by || !experiment ? by : experiment_order(finding, experiment);
    return by || !cpus ? by : strcmp(or_empty(finding->cpus), cpus);
}

static int entries_by_name(const void *a, const void *b)
{
    const struct finding_entry *left = a, *right = b;
    const struct finding *other = right->finding;
    int code = order(left->finding, or_empty(other->name), other, or_empty(other->cpus));
    return code ? code : (left->place > right->place) - (left->place < right->place);
}

void finding_lookup_build(struct finding_lookup *lookup, struct pool *pool,
                          const struct document *document, const struct probe_result *probe)
{
    const struct probe_result *first = probe ? probe : document->probes;
    size_t probes = probe ? 1 : document->probe_count, all = 0;
    *lookup = (struct finding_lookup){0};
    for (size_t p = 0; p < probes; p++)
        all += first[p].finding_count;
    lookup->sorted = pool_alloc(pool, all + 1, sizeof *lookup->sorted);
    for (size_t p = 0; p < probes; p++)
        for (size_t f = 0; f < first[p].finding_count; f++, lookup->count++)
            lookup->sorted[lookup->count] =
                (struct finding_entry){&first[p].findings[f], lookup->count};
    qsort(lookup->sorted, lookup->count, sizeof *lookup->sorted, entries_by_name);
}

static const struct finding *find(const struct finding_lookup *lookup, const char *name,
                                  const struct finding *experiment, const char *cpus)
{
    size_t low = 0, high = lookup->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (order(lookup->sorted[middle].finding, name, experiment, cpus) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct finding *found = low < lookup->count ? lookup->sorted[low].finding : NULL;
    return found && order(found, name, experiment, cpus) == 0 ? found : NULL;
}

const struct finding *finding_lookup_name(const struct finding_lookup *lookup, const char *name)
{
    return find(lookup, name, NULL, NULL);
}

const struct finding *finding_lookup_exact(const struct finding_lookup *lookup, const char *name,
                                           const struct finding *experiment, const char *cpus)
{
    return find(lookup, name, experiment, or_empty(cpus));
}

const struct finding *finding_lookup_twin(const struct finding_lookup *lookup,
                                          const struct finding *finding)
{
    char name[NAME_BYTES];
    int length = snprintf(name, sizeof name, "%s%s", finding->name, twin_ending);
    return length < NAME_BYTES ? finding_lookup_exact(lookup, name, finding, finding->cpus) : NULL;
}

bool finding_lookup_is_twin(const struct finding_lookup *lookup, const struct finding *finding)
{
    char name[NAME_BYTES];
    size_t length = strlen(finding->name), ending = sizeof twin_ending - 1;
    if (length <= ending || length >= sizeof name || !text_ends_with(finding->name, twin_ending))
        return false;
    memcpy(name, finding->name, length - ending);
    name[length - ending] = '\0';
    return finding_lookup_exact(lookup, name, finding, finding->cpus) != NULL;
}
