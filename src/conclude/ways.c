#include "conclude/ways.h"

#include "conclude/registry/registry.h"
#include "document/flag.h"

#include <math.h>

/* Whether a finding is about memory of nodes. */
static bool tells_of_nodes(const struct finding_meaning *meaning)
{
    return meaning->fact == FACT_REMOTE || meaning->fact == FACT_LOCAL;
}

static bool tells_of_cpus(const struct finding_meaning *meaning)
{
    return meaning->role == ROLE_HANDOFF || meaning->role == ROLE_CLUSTER;
}

static bool is_of(const struct probe_result *probe, bool (*tells)(const struct finding_meaning *))
{
    for (size_t i = 0; i < probe->finding_count; i++) {
        const struct finding_meaning meaning = finding_meaning(&probe->findings[i]);
        if (tells(&meaning))
            return true;
    }
    return false;
}

static const struct series *find(const struct document *document, enum dimension dimension,
                                 bool (*tells)(const struct finding_meaning *))
{
    for (size_t p = 0; p < document->probe_count; p++) {
        const struct probe_result *probe = &document->probes[p];
        const bool fits = is_of(probe, tells);
        for (size_t i = 0; fits && i < probe->series_count; i++)
            if (probe->series[i].matrix && quantity_is(probe->series[i].y.unit, dimension))
                return &probe->series[i];
    }
    return NULL;
}

const struct series *ways_between_nodes(const struct document *document, enum dimension dimension)
{
    return find(document, dimension, tells_of_nodes);
}

const struct series *ways_between_cpus(const struct document *document)
{
    return find(document, DIMENSION_TIME, tells_of_cpus);
}

double way_value(const struct point *point)
{
    if (!point->y.n || point->flags & FLAG_BIT(FLAG_MISPLACED))
        return NAN;
    return quiet_or(&point->quiet, (double)point->y.median);
}
