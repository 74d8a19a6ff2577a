#include "base/save.h"
#include "document/json.h"

static int write_document(const void *content, FILE *stream, struct error *error)
{
    return document_write(content, stream, error);
}

int document_save(const struct document *document, const char *path, struct error *error)
{
    return save_file(path, write_document, document, error);
}
