#include "compare/fleet/fleet.h"

#include "stats/order.h"

#include <math.h>
#include <string.h>

/* Collects the values of the group's nodes; returns how many. */
static size_t collect(const struct fleet *fleet, size_t group, const struct fleet_finding *finding,
                      double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < finding->count; i++) {
        const struct fleet_value *value = &finding->values[i];
        const struct fleet_node *node = &fleet->nodes[value->node];
        if (node->state != NODE_JUDGED || node->group != group || node->odd)
            continue;
        values[count++] = value->value;
    }
    sort_ascending(values, count);
    return count;
}

enum { RUNS_MOST = 64 };

/* False: fewer than half of the nodes have the value, so it is no property of their kind. */
static bool summarise(struct fleet *fleet, size_t group, const struct fleet_finding *from,
                      size_t healthy, double *values, struct finding *to)
{
    const size_t count = collect(fleet, group, from, values);
    if (!count || 2 * count < healthy)
        return false;
    *to = from->like;
    to->value = median(values, count);
    to->low = quantile(values, count, 0.1);
    to->high = quantile(values, count, 0.9);
    /* Of more nodes than that, as many quantiles say how they scatter. */
    to->run_count = count < RUNS_MOST ? count : RUNS_MOST;
    to->runs = pool_alloc(&fleet->pool, to->run_count, sizeof *to->runs);
    for (size_t i = 0; i < to->run_count; i++)
        to->runs[i].number = quantile(values, count, ((double)i + 0.5) / (double)to->run_count);
    return true;
}

void fleet_baseline(struct fleet *fleet, size_t group, struct document *document)
{
    const struct document *facts = &fleet->kinds[fleet->groups[group].kind].facts;
    double *values = pool_alloc(&fleet->pool, fleet->node_count, sizeof *values);
    size_t healthy = 0;
    const char *newest = NULL;
    for (size_t i = 0; i < fleet->node_count; i++) {
        const struct fleet_node *node = &fleet->nodes[i];
        if (node->state != NODE_JUDGED || node->group != group || node->odd)
            continue;
        healthy++;
        if (node->started && (!newest || strcmp(node->started, newest) > 0))
            newest = node->started;
    }
    *document = (struct document){.tool = facts->tool,
                                  .machine = facts->machine,
                                  .conditions = facts->conditions,
                                  .run = {.started = newest,
                                          .complete = true,
                                          .joined = "baseline",
                                          .documents = (unsigned)healthy,
                                          .elapsed_s = NAN,
                                          .precision = NAN,
                                          .budget_s = NAN}};
    document->machine.hostname = NULL;
    document->machine.memory_bytes = fleet->nodes[fleet->groups[group].first].memory_bytes;
    document->machine.bios = fleet->nodes[fleet->groups[group].first].bios;
    for (size_t f = 0; f < fleet->finding_count; f++) {
        struct finding summary;
        if (!summarise(fleet, group, &fleet->findings[f], healthy, values, &summary))
            continue;
        struct probe_result *probe =
            document_add_probe(document, &fleet->pool, fleet->findings[f].probe, NULL);
        struct finding *slot = pool_append(&fleet->pool, (void **)&probe->findings,
                                           &probe->finding_count, sizeof *slot);
        *slot = summary;
    }
    pool_give_back(&fleet->pool, values);
}
