#include "probes/probes.h"

#include <string.h>

/* The one table of all probes, in the order in which `fathom run` measures them. */
const struct probe *const probes[] = {
    &tlb_probe,       &latency_probe, &geometry_probe, &cores_probe,      &parallelism_probe,
    &bandwidth_probe, &loaded_probe,  &numa_probe,     &contention_probe, &coherence_probe,
    &prefetch_probe,  &access_probe,  &window_probe,   &gpu_probe,        NULL,
};

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
    if (i >= sizeof probes / sizeof *probes - 1)
        return NULL;
    *probe = probes[i]->name;
    return &probes[i]->findings;
}
