#include "conclude/complete.h"

#include "conclude/registry/experiment.h"
#include "conclude/registry/finding.h"
#include "conclude/verdict.h"
#include "document/json.h"

static int complete(void *with)
{
    struct document *document = with;
    for (size_t p = 0; p < document->probe_count; p++) {
        struct probe_result *probe = &document->probes[p];
        experiment_complete(probe, &document->machine, &document->pool);
        for (size_t f = 0; f < probe->finding_count; f++)
            probe->findings[f].kind = finding_kind(&probe->findings[f]);
    }
    return verdict_note(document, pool_error(&document->pool));
}

int experiments_complete(struct document *document, struct error *error)
{
    return pool_enter(&document->pool, complete, document, error);
}

int experiment_read(struct document *document, const char *path, struct error *error)
{
    const int code = document_read(document, path, error);
    return code == 0 ? experiments_complete(document, error) : code;
}
