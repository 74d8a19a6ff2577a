#include "document/json.h"
#include "document/json_fill.h"

#include <errno.h>
#include <string.h>

/* Errors have an order, wherever they stand in the file: not JSON, no object, of another schema,
 * not as the shapes have it. The first kind that applies is reported, so a file is always read to
 * its end. */
struct reader {
    struct json_fill fill;
    struct json_events events;
    size_t depth;
    bool object;    /* the outermost value is an object */
    bool at_schema; /* the last key was "schema" */
    unsigned schemas;
    bool has_schema;
    char schema[40]; /* cut */
};

/* Called for values at the depth of the document's own keys. */
static void note_schema(struct reader *reader, const struct json_value *event)
{
    static const char key[] = "schema";
    if (event->kind == JSON_KEY) {
        reader->at_schema =
            event->length == strlen(key) && memcmp(event->bytes, key, event->length) == 0;
        reader->schemas += reader->at_schema;
        if (reader->at_schema && reader->schemas == 2 && reader->fill.code == 0)
            json_refuse(&reader->fill, "schema is a duplicate key");
    } else if (event->kind == JSON_TEXT && reader->at_schema) {
        reader->has_schema = true;
        snprintf(reader->schema, sizeof reader->schema, "%.*s", (int)event->length, event->bytes);
    }
}

static void take_event(struct reader *reader, const struct json_value *event)
{
    if (reader->depth == 0) {
        reader->object = event->kind == JSON_OBJECT;
        if (!reader->object)
            json_refuse(&reader->fill, "is not a JSON object");
    } else {
        reader->depth -= event->kind == JSON_END;
        json_fill_event(&reader->fill, event);
        if (reader->depth == 1)
            note_schema(reader, event);
    }
    reader->depth += event->kind == JSON_ARRAY || event->kind == JSON_OBJECT;
}

static int refuse_file(struct reader *reader, const char *what)
{
    return error_set(reader->fill.error, ERROR_USAGE, "%s: %s: give a document that fathom wrote",
                     reader->fill.file, what);
}

/* Says where reading stopped and why. */
static int refuse_text(struct reader *reader)
{
    struct json_position position = json_input_position(&reader->events.input);
    const char *why = reader->events.input.wrong;
    char what[200];
    snprintf(what, sizeof what, "%s at line %llu, column %llu%s%s",
             why ? "is not JSON" : "ends in the middle,", (unsigned long long)position.line + 1,
             (unsigned long long)position.column + 1, why ? ": " : "", why ? why : "");
    return refuse_file(reader, what);
}

static int read_events(struct reader *reader)
{
    struct json_value event;
    int code;
    while ((code = json_events_next(&reader->events, &event)) == 0 && event.kind != JSON_DONE) {
        take_event(reader, &event);
        if (reader->fill.code == ERROR_SYSTEM)
            return ERROR_SYSTEM;
    }
    if (code == 0)
        return 0;
    int failure = reader->events.input.failure;
    if (failure)
        return refuse_file(reader, failure == EISDIR ? "is a directory" : strerror(failure));
    if (code == ERROR_SYSTEM)
        return json_out_of_memory(&reader->fill);
    if (json_input_is_empty(&reader->events.input))
        return refuse_file(reader, "is empty");
    return refuse_text(reader);
}

/* "fathom/1", and "fathom/1.3", which only adds keys. */
static int check_schema(struct reader *reader)
{
    const size_t length = strlen(DOCUMENT_SCHEMA);
    if (!reader->has_schema)
        return refuse_file(reader, "has no schema");
    if (strncmp(reader->schema, DOCUMENT_SCHEMA, length) == 0) {
        const char *minor = reader->schema + length;
        if (!*minor || (*minor == '.' && minor[1] && !minor[1 + strspn(minor + 1, "0123456789")]))
            return 0;
    }
    for (char *byte = reader->schema; *byte; byte++)
        if ((unsigned char)*byte >= 127)
            *byte = '?';
    return error_set(reader->fill.error, ERROR_USAGE,
                     "%s: its schema is \"%s\", and this program reads \"" DOCUMENT_SCHEMA
                     "\": use the fathom that wrote it",
                     reader->fill.file, reader->schema);
}

/* A warning of an older document is one text: what was found, and what to do. */
static int take_warnings(struct document *document, struct error *error)
{
    struct conditions *conditions = &document->conditions;
    const size_t count = conditions->remark_count ? 0 : conditions->warning_count;
    for (size_t i = 0; i < count; i++) {
        struct remark *remark = pool_append(&document->pool, (void **)&conditions->remarks,
                                            &conditions->remark_count, sizeof *remark);
        if (!remark)
            return error_out_of_memory(error);
        *remark = (struct remark){.what = conditions->warnings[i]};
    }
    conditions->warning_count = 0;
    return 0;
}

/* Findings that older documents name otherwise, of the CPUs or, behind its name, of a device. */
static int take_names(struct document *document, struct error *error)
{
    static const char before[] = "levels.untold", now[] = "levels.gaps";
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++) {
            struct finding *finding = &document->probes[p].findings[f];
            const size_t length = strlen(finding->name);
            const size_t start = length < sizeof before - 1 ? length : length - (sizeof before - 1);
            if (strcmp(finding->name + start, before) != 0)
                continue;
            finding->name = pool_printf(&document->pool, "%.*s%s", (int)start, finding->name, now);
            if (!finding->name)
                return error_out_of_memory(error);
        }
    return 0;
}

int document_read_stream(struct document *document, FILE *stream, const char *name,
                         struct error *error)
{
    struct reader reader = {.fill = {.pool = &document->pool, .error = error, .file = name}};
    *document = (struct document){0};
    json_fill_start(&reader.fill, document);
    json_events_begin(&reader.events, stream, JSON_ROOM_BYTES);
    int code = read_events(&reader);
    json_events_end(&reader.events);
    if (code == 0 && reader.object)
        code = check_schema(&reader);
    if (code == 0)
        code = reader.fill.code;
    if (code == 0)
        code = take_warnings(document, error);
    if (code == 0)
        code = take_names(document, error);
    if (code == 0 && !(document->file = pool_strdup(&document->pool, name)))
        code = error_out_of_memory(error);
    if (code < 0)
        document_free(document);
    return code;
}

int document_read(struct document *document, const char *path, struct error *error)
{
    if (strcmp(path, "-") == 0)
        return document_read_stream(document, stdin, "standard input", error);
    *document = (struct document){0};
    FILE *stream = fopen(path, "rbe");
    if (!stream)
        return error_set(error, ERROR_USAGE, "%s: %s: give a document that fathom wrote", path,
                         strerror(errno));
    int code = document_read_stream(document, stream, path, error);
    fclose(stream);
    return code;
}
