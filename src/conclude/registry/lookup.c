#include "conclude/registry/lookup.h"

#include "base/text.h"
#include "conclude/registry/experiment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int by_name(const void *a, const void *b)
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
    qsort(lookup->sorted, lookup->count, sizeof *lookup->sorted, by_name);
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
