#include "conclude/need.h"
#include "measure/probes/kit/probe.h"

#include <string.h>

const struct probe *probe_by_name(const char *name)
{
    for (size_t i = 0; probes[i]; i++)
        if (strcmp(probes[i]->name, name) == 0)
            return probes[i];
    return NULL;
}

const char *probe_absent(const char *name)
{
    for (const struct absent_probe *absent = absent_probes; absent->name; absent++)
        if (strcmp(absent->name, name) == 0)
            return absent->why;
    return NULL;
}

analyse_function *analysis_of(const char *name)
{
    const struct probe *probe = probe_by_name(name);
    return probe ? probe->analyse : strcmp(name, need_name) == 0 ? need_analyse : NULL;
}

const struct finding_table *finding_table_at(size_t i, const char **probe)
{
    for (size_t k = 0; probes[k]; k++)
        if (i-- == 0) {
            *probe = probes[k]->name;
            return &probes[k]->findings;
        }
    for (const struct absent_probe *absent = absent_probes; absent->name; absent++)
        if (i-- == 0) {
            *probe = absent->name;
            return &absent->findings;
        }
    *probe = need_name; /* what no probe measures, but measure/run/need.h */
    return i == 0 ? &need_findings : NULL;
}
