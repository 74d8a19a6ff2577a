/* Documents: reading, writing, computing findings again. */

#include "programs/library/library.h"

#include "conclude/analyse.h"
#include "conclude/complete.h"
#include "conclude/verdict.h"
#include "document/json.h"

#include <stdlib.h>

void fathom_document_free(struct fathom_document *document)
{
    if (!document)
        return;
    document_free(&document->document);
    free(document);
}

static int read_document(const char *path, struct fathom_document **result, struct error *error)
{
    if (!path || !result)
        return error_set(error, ERROR_USAGE,
                         "fathom_read() needs a path, and a place for the document: one is NULL");
    struct fathom_document *document = calloc(1, sizeof *document);
    int code =
        document ? experiment_read(&document->document, path, error) : error_out_of_memory(error);
    if (code < 0) {
        fathom_document_free(document);
        document = NULL;
    }
    *result = document;
    return code;
}

int fathom_read(const char *path, struct fathom_document **result, struct fathom_error *failure)
{
    const struct guest guest = guest_enter();
    struct error error = {0};
    if (result)
        *result = NULL;
    const int code = read_document(path, result, &error);
    guest_leave(&guest);
    return guest_answer(failure, code, &error);
}

int fathom_write(const struct fathom_document *document, const char *path,
                 struct fathom_error *failure)
{
    const struct guest guest = guest_enter();
    struct error error = {0};
    const int code = document && path
                         ? document_save(&document->document, path, &error)
                         : error_set(&error, ERROR_USAGE,
                                     "fathom_write() needs a document and a path: one is NULL");
    guest_leave(&guest);
    return guest_answer(failure, code, &error);
}

static int analyse(struct document *document, struct error *error)
{
    const char *remarks = NULL;
    int code = document_analyse(document, &remarks, error);
    if (code == 0)
        code = verdict_note(document, error);
    document->tool.analysed = FATHOM_VERSION " (" FATHOM_COMMIT ")";
    if (code == 0 && remarks)
        error_set(error, 0, "kept as they were: %s", remarks);
    return code;
}

int fathom_analyse(struct fathom_document *document, struct fathom_error *failure)
{
    const struct guest guest = guest_enter();
    struct error error = {0};
    const int code = document ? analyse(&document->document, &error)
                              : error_set(&error, ERROR_USAGE, "the document is NULL");
    guest_leave(&guest);
    return guest_answer(failure, code, &error);
}
