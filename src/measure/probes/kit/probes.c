#include "measure/probes/kit/probe.h"

#include <string.h>

const struct probe *probe_by_name(const char *name)
{
    for (size_t i = 0; probes[i]; i++)
        if (strcmp(probes[i]->name, name) == 0)
            return probes[i];
    return NULL;
}

analyse_function *analysis_of(const char *name)
{
    const struct probe *probe = probe_by_name(name);
    return probe ? probe->analyse : NULL;
}

const struct finding_table *finding_table_at(size_t i, const char **probe)
{
    if (!probes[i])
        return NULL;
    *probe = probes[i]->name;
    return &probes[i]->findings;
}
