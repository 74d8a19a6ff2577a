#include "conclude/analyse.h"
#include "document/json.h"
#include "measure/run/twin/inner.h"

#include <string.h>

struct opening {
    struct twin *twin;
    const char *changes;
};

static int prepare_twin(void *with)
{
    const struct opening *opening = with;
    struct twin *twin = opening->twin;
    struct document *document = &twin->document;
    twin_list(twin);
    bool of_cpus = false;
    for (size_t i = 0; i < twin->series_count; i++)
        of_cpus = of_cpus || !probe_by_name(twin->series[i].probe)->findings.of_devices;
    if (!of_cpus)
        pool_leave(&document->pool, ERROR_USAGE,
                   "--machine %s: it holds no figure of a processor; give a document of a run",
                   document->file);
    if (document_is_imported(document))
        pool_leave(&document->pool, ERROR_USAGE,
                   "--machine %s: another tool's table holds no trials; give a document that "
                   "fathom measured",
                   document->file);
    if (!(document->conditions.core_hz > 1e6) || !(document->conditions.core_hz < 1e12))
        document->conditions.core_hz = 1e9; /* only cycles need it, and there are none */
    twin->core_hz = document->conditions.core_hz;
    twin->changes = pool_strdup(&document->pool, opening->changes);
    if (opening->changes)
        twin_change(twin, twin->changes);
    const char *slash = strrchr(document->file, '/');
    document->machine.model_of = /* "x.json with L1.latency=+5%" */
        pool_printf(&document->pool, "%s%s%s", slash ? slash + 1 : document->file,
                    twin->changes ? " with " : "", twin->changes ? twin->changes : "");
    return 0;
}

int twin_open(struct twin *twin, const char *path, const char *changes, struct error *error)
{
    *twin = (struct twin){.clock_factor = 1, .clock_ps = 1000};
    twin->model = twin_model(twin);
    const char *remarks;
    int code = document_read(&twin->document, path, error);
    if (code == 0)
        code = document_analyse(&twin->document, &remarks, error);
    if (code == 0)
        code =
            pool_enter(&twin->document.pool, prepare_twin, &(struct opening){twin, changes}, error);
    return code == 0 ? machine_of_document(&twin->machine, &twin->document, error) : code;
}

void twin_close(struct twin *twin)
{
    machine_free(&twin->machine);
    document_free(&twin->document);
}

/* --- what the run asks --- */

bool twin_lacks(const struct twin *twin, const struct probe_task *task)
{
    const struct plan *plan = &task->plan;
    for (size_t i = 0; i < plan->series_count; i++)
        if (twin_series_of(twin, task->probe->name, &plan->series[i]))
            return false;
    return true;
}
