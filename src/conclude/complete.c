#include "conclude/complete.h"

#include "conclude/registry/experiment.h"
#include "conclude/registry/home.h"
#include "conclude/verdict.h"
#include "document/json.h"

static int complete(void *with)
{
    struct document *document = with;
    for (size_t p = 0; p < document->probe_count; p++) {
        experiment_complete(&document->probes[p], &document->machine, &document->pool);
        homes_complete(&document->probes[p], &document->machine, &document->pool);
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
