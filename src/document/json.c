#include "document/json.h"

#include "base/input.h"
#include "base/save.h"
#include "base/text.h"
#include "document/json_read.h"

#include <string.h>

static const struct json_form form = {&document_shape, DOCUMENT_SCHEMA, "fathom"};

static int complete(void *with)
{
    struct document *document = with;
    struct conditions *conditions = &document->conditions;
    const size_t warnings = conditions->remark_count ? 0 : conditions->warning_count;
    /* Each warning of an older document, one text with what was found and what to do, is a remark.
     */
    for (size_t i = 0; i < warnings; i++) {
        struct remark *remark = pool_append(&document->pool, (void **)&conditions->remarks,
                                            &conditions->remark_count, sizeof *remark);
        *remark = (struct remark){.what = conditions->warnings[i]};
    }
    conditions->warning_count = 0;
    /* Renames findings of older documents: "levels.untold" (for a device, after its name) is
     * "levels.gaps" now. */
    static const char before[] = "levels.untold", now[] = "levels.gaps";
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++) {
            struct finding *finding = &document->probes[p].findings[f];
            if (text_ends_with(finding->name, before))
                finding->name =
                    pool_printf(&document->pool, "%.*s%s",
                                (int)(strlen(finding->name) - strlen(before)), finding->name, now);
        }
    document->file = pool_strdup(&document->pool, document->file);
    return 0;
}

int document_read_stream(struct document *document, FILE *stream, const char *name,
                         struct error *error)
{
    *document = (struct document){0};
    int code = json_read(&document->pool, stream, name, &form, document, error);
    document->file = name;
    if (code == 0)
        code = pool_enter(&document->pool, complete, document, error);
    if (code < 0)
        document_free(document);
    return code;
}

int document_read_text(struct document *document, const char *text, size_t length, const char *name,
                       struct error *error)
{
    FILE *stream = fmemopen((void *)(uintptr_t)text, length, "r");
    *document = (struct document){0};
    if (!stream)
        return error_out_of_memory(error);
    const int code = document_read_stream(document, stream, name, error);
    fclose(stream);
    return code;
}

int document_read(struct document *document, const char *path, struct error *error)
{
    return document_read_next(document, path, NULL, error);
}

int document_read_next(struct document *document, const char *path, int *steps, struct error *error)
{
    struct input input = {.steps = steps};
    *document = (struct document){0};
    int code = input_open(&input, path, "give a document that fathom wrote", error);
    if (code == 0)
        code = input_close(&input, document_read_stream(document, input.stream, input.name, error),
                           error);
    if (code < 0)
        document_free(document);
    return code;
}

static int write_document(const void *content, FILE *stream, struct error *error)
{
    return document_write(content, stream, error);
}

int document_save(const struct document *document, const char *path, struct error *error)
{
    return save_file(path, write_document, document, error);
}
