#include "render/showing.h"

#include "findings/experiment.h"
#include "findings/lookup.h"
#include "render/parts.h"

#include <stdlib.h>
#include <string.h>

static int by_experiment(const void *a, const void *b)
{
    const struct shown *const *left = a, *const *right = b;
    return experiment_order((*left)->finding, (*right)->finding);
}

static bool number_experiments(struct showing *showing)
{
    size_t count = 0, number = 0;
    struct shown **list = malloc((showing->count + 1) * sizeof *list);
    for (size_t i = 0; i < showing->count && list; i++)
        if (!experiment_is_standard(showing->list[i].finding))
            list[count++] = &showing->list[i];
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
    const struct shown *left = *(struct shown *const *)a, *right = *(struct shown *const *)b;
    int order = strcmp(left->finding->name, right->finding->name);
    if (order)
        return order;
    if (left->experiment != right->experiment)
        return left->experiment > right->experiment ? 1 : -1;
    return (left > right) - (left < right);
}

static bool sort_by_name(struct showing *showing)
{
    showing->by_name = pool_alloc(&showing->pool, showing->count + 1, sizeof *showing->by_name);
    for (size_t i = 0; i < showing->count && showing->by_name; i++)
        showing->by_name[i] = &showing->list[i];
    if (showing->by_name)
        qsort(showing->by_name, showing->count, sizeof *showing->by_name, by_name);
    return showing->by_name != NULL;
}

static bool list_document(struct showing *showing, size_t index)
{
    const struct document *document = showing->documents[index];
    struct finding_lookup lookup;
    struct pool pool = {0};
    size_t *firsts =
        pool_alloc(&showing->pool, document->probe_count + 1, sizeof *showing->probes[index]);
    bool done = firsts && finding_lookup_build(&lookup, &pool, document, NULL) == 0;
    showing->probes[index] = firsts;
    for (size_t p = 0; p < document->probe_count && done; p++) {
        const struct probe_result *probe = &document->probes[p];
        firsts[p] = showing->count;
        for (size_t f = 0; f < probe->finding_count; f++) {
            const struct finding *finding = &probe->findings[f];
            showing->list[showing->count++] =
                (struct shown){.finding = finding,
                               .probe = probe,
                               .meaning = finding_meaning(finding),
                               .document = index,
                               .twin = finding_lookup_is_twin(&lookup, finding)};
        }
    }
    pool_free(&pool);
    return done;
}

bool showing_build(struct showing *showing, const struct document *const *documents, size_t count)
{
    size_t all = 0;
    *showing = (struct showing){.documents = documents};
    for (size_t d = 0; d < count; d++)
        for (size_t p = 0; p < documents[d]->probe_count; p++)
            all += documents[d]->probes[p].finding_count;
    showing->list = pool_alloc(&showing->pool, all + 1, sizeof *showing->list);
    showing->probes = pool_alloc(&showing->pool, count + 1, sizeof *showing->probes);
    if (!showing->list || !showing->probes)
        return false;
    for (size_t d = 0; d < count; d++)
        if (!list_document(showing, d))
            return false;
    return number_experiments(showing) && sort_by_name(showing);
}

void showing_free(struct showing *showing)
{
    pool_free(&showing->pool);
    *showing = (struct showing){0};
}

const struct shown *showing_of(const struct showing *showing, size_t document,
                               const struct probe_result *probe)
{
    return showing->list + showing->probes[document][probe - showing->documents[document]->probes];
}

size_t showing_named(const struct showing *showing, const char *name, struct shown *const **first)
{
    size_t low = 0, high = showing->count, count = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(showing->by_name[middle]->finding->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *first = showing->by_name + low;
    while (low + count < showing->count &&
           strcmp(showing->by_name[low + count]->finding->name, name) == 0)
        count++;
    return count;
}

void line_add_experiment(struct line *line, const struct finding *finding)
{
    line_add_factors(line, finding->factors, finding->deviations);
}

void line_add_in_brackets(struct line *line, const struct finding *finding)
{
    struct line words = {0};
    line_add_experiment(&words, finding);
    if (words.length)
        line_add(line, "%s(%s)", line->length ? " " : "", words.text);
}
