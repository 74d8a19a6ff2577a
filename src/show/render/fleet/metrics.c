/*
 * OpenMetrics of a fleet, in the form of show/render/openmetrics.c: families by unit, in base
 * units. All deviations of a finding are in one label, because a factor may be called "node", as
 * the label that names the node is.
 */
#include "base/quantity.h"
#include "conclude/registry/factors.h"
#include "show/render/fleet/fleet.h"
#include "show/render/metric_labels.h"

#include <string.h>

static void put_labels(FILE *out, const struct fleet *fleet, const struct fleet_finding *finding,
                       const struct fleet_value *value)
{
    struct line experiment = {0};
    metric_label_put(out, "node", fleet->nodes[value->node].name, "{");
    metric_label_put(out, "probe", finding->probe, ",");
    metric_label_put(out, "finding", finding->like.name, ",");
    line_add_factors(&experiment, finding->like.factors, finding->like.deviations);
    if (experiment.length)
        metric_label_put(out, "experiment", experiment.text, ",");
    fputs("} ", out);
}

/* All values whose unit has this suffix in a metric's name. */
static void put_values(FILE *out, const struct fleet *fleet, const char *metric)
{
    char name[64];
    bool begun = false;
    snprintf(name, sizeof name, "fathom_fleet_finding%s%s", *metric ? "_" : "", metric);
    for (size_t f = 0; f < fleet->finding_count; f++) {
        const struct fleet_finding *finding = &fleet->findings[f];
        const struct quantity *quantity = finding->meaning.quantity;
        if (!finding->judged || strcmp(quantity->metric, metric) != 0)
            continue;
        for (size_t i = 0; i < finding->count; i++) {
            if (!fleet_compares(fleet, finding, &finding->values[i]))
                continue;
            if (!begun)
                metric_head_put(out, name, metric, "the node's value, without interference");
            begun = true;
            fputs(name, out);
            put_labels(out, fleet, finding, &finding->values[i]);
            fprintf(out, "%.9g\n", finding->values[i].value * quantity->metric_factor);
        }
    }
}

void render_fleet_metrics(FILE *out, const struct fleet *fleet)
{
    const struct quantity *quantity;
    for (unsigned i = 0; (quantity = quantity_at(i)); i++) {
        bool had = false;
        for (unsigned before = 0; before < i && !had; before++)
            had = strcmp(quantity_at(before)->metric, quantity->metric) == 0;
        if (!had)
            put_values(out, fleet, quantity->metric);
    }
    metric_head_put(out, "fathom_fleet_distance", "",
                    "how far the value is above its peers' median, in their standard deviations");
    for (size_t f = 0; f < fleet->finding_count; f++) {
        const struct fleet_finding *finding = &fleet->findings[f];
        for (size_t i = 0; i < finding->count; i++) {
            if (!fleet_compares(fleet, finding, &finding->values[i]))
                continue;
            fputs("fathom_fleet_distance", out);
            put_labels(out, fleet, finding, &finding->values[i]);
            fprintf(out, "%.4g\n", finding->values[i].distance);
        }
    }
    metric_head_put(out, "fathom_fleet_node_odd", "",
                    "1 if the node differs from its peers, else 0");
    for (size_t i = 0; i < fleet->node_count; i++) {
        const struct fleet_node *node = &fleet->nodes[i];
        if (node->state != NODE_JUDGED)
            continue;
        fputs("fathom_fleet_node_odd", out);
        metric_label_put(out, "node", node->name, "{");
        metric_label_put(out, "group", fleet->groups[node->group].name, ",");
        fprintf(out, "} %d\n", node->odd);
    }
    metric_head_put(out, "fathom_fleet_documents_unusable", "", "documents that could not be used");
    fprintf(out, "fathom_fleet_documents_unusable %zu\n", fleet->hole_count);
    fputs("# EOF\n", out);
}
