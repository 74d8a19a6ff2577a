#include "result/json.h"
#include "result/json_fill.h"
#include "result/json_text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yajl/yajl_parse.h>

enum { FIRST_BYTES = 64 * 1024, DEPTH_MAX = 2048 };

/* What is wrong with a file is told in this order, whatever stands where: not JSON, no object, of
 * another schema, not as the shapes have it. So the parser reads to the end of it in any case. */
struct reader {
    struct json_fill fill;
    yajl_handle parser;
    unsigned char *chunk;
    jmp_buf no_memory;
    struct json_position position; /* of the chunk at hand */
    size_t depth;
    bool object;    /* the whole is one */
    bool at_schema; /* that key was the last one */
    unsigned schemas;
    bool has_schema;
    char schema[40]; /* cut */
};

/* The parser uses what these return unchecked, so memory that is not there has to end it here. */
static void *allocate(void *context, size_t size)
{
    void *memory = malloc(size);
    if (!memory)
        longjmp(((struct reader *)context)->no_memory, 1);
    return memory;
}

static void *reallocate(void *context, void *old, size_t size)
{
    void *memory = realloc(old, size);
    if (!memory)
        longjmp(((struct reader *)context)->no_memory, 1);
    return memory;
}

static void release(void *context, void *memory)
{
    (void)context;
    free(memory);
}

static int on_value(struct reader *reader, const struct json_value *value)
{
    if (reader->depth == 0) {
        reader->object = value->kind == JSON_OBJECT;
        if (!reader->object)
            json_refuse(&reader->fill, "is not a JSON object");
    } else {
        json_fill_value(&reader->fill, value);
    }
    if (reader->depth == 1 && reader->at_schema && value->kind == JSON_TEXT) {
        reader->has_schema = true;
        snprintf(reader->schema, sizeof reader->schema, "%.*s", (int)value->length, value->bytes);
    }
    reader->depth += value->kind >= JSON_ARRAY;
    return reader->depth <= DEPTH_MAX && reader->fill.code != ERROR_SYSTEM;
}

static int on_null(void *context)
{
    return on_value(context, &(struct json_value){.kind = JSON_NULL});
}

static int on_boolean(void *context, int truth)
{
    return on_value(context, &(struct json_value){.kind = JSON_TRUTH, .truth = truth != 0});
}

static int on_number(void *context, const char *bytes, size_t length)
{
    return on_value(context,
                    &(struct json_value){.kind = JSON_NUMBER, .bytes = bytes, .length = length});
}

static int on_text(void *context, const unsigned char *bytes, size_t length)
{
    return on_value(
        context,
        &(struct json_value){.kind = JSON_TEXT, .bytes = (const char *)bytes, .length = length});
}

static int on_object(void *context)
{
    return on_value(context, &(struct json_value){.kind = JSON_OBJECT});
}

static int on_array(void *context)
{
    return on_value(context, &(struct json_value){.kind = JSON_ARRAY});
}

static int on_key(void *context, const unsigned char *bytes, size_t length)
{
    struct reader *reader = context;
    const char *key = (const char *)bytes;
    json_fill_key(&reader->fill, key, length);
    if (reader->depth == 1) {
        reader->at_schema = length == strlen("schema") && memcmp(key, "schema", length) == 0;
        reader->schemas += reader->at_schema;
        if (reader->schemas == 2 && reader->fill.code == 0)
            json_refuse(&reader->fill, "schema is a duplicate key");
    }
    return reader->fill.code != ERROR_SYSTEM;
}

static int on_end(void *context)
{
    struct reader *reader = context;
    if (--reader->depth > 0 || reader->object)
        json_fill_end(&reader->fill);
    return reader->fill.code != ERROR_SYSTEM;
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_text,
    .yajl_start_map = on_object,
    .yajl_map_key = on_key,
    .yajl_end_map = on_end,
    .yajl_start_array = on_array,
    .yajl_end_array = on_end,
};

static int refuse_file(struct reader *reader, const char *what)
{
    return error_set(reader->fill.error, ERROR_USAGE, "%s: %s: give a document that fathom wrote",
                     reader->fill.file, what);
}

static int refuse_size(struct reader *reader)
{
    char what[80];
    snprintf(what, sizeof what, "is larger than the %d MiB that a document may have",
             DOCUMENT_BYTES_MAX >> 20);
    return refuse_file(reader, what);
}

/* At the position that was reached. */
static int refuse_text(struct reader *reader, const char *why)
{
    char what[200];
    snprintf(what, sizeof what, "is not JSON at line %llu, column %llu: %s",
             (unsigned long long)reader->position.line + 1,
             (unsigned long long)reader->position.column + 1, why);
    return refuse_file(reader, what);
}

static int refuse_end(struct reader *reader)
{
    char what[80];
    snprintf(what, sizeof what, "ends in the middle, at line %llu, column %llu",
             (unsigned long long)reader->position.line + 1,
             (unsigned long long)reader->position.column + 1);
    return refuse_file(reader, what);
}

/* The parser says "lexical error: invalid char in json text.\n". */
static int refuse_parse(struct reader *reader)
{
    unsigned char *said = yajl_get_error(reader->parser, 0, NULL, 0);
    const char *colon = strstr((const char *)said, ": ");
    char why[100];
    snprintf(why, sizeof why, "%s", colon ? colon + 2 : (const char *)said);
    why[strcspn(why, ".\n")] = '\0';
    yajl_free_error(reader->parser, said);
    return refuse_text(reader, why);
}

/* The next bytes of the file. */
static int parse(struct reader *reader, struct json_check *check, const unsigned char *chunk,
                 size_t size)
{
    size_t good;
    const char *why = json_check(check, chunk, size, &good);
    yajl_status status = yajl_parse(reader->parser, chunk, good);
    if (status == yajl_status_ok) {
        json_position_advance(&reader->position, chunk, good);
        return why ? refuse_text(reader, why) : 0;
    }
    if (reader->fill.code == ERROR_SYSTEM)
        return ERROR_SYSTEM;
    size_t consumed = yajl_get_bytes_consumed(reader->parser);
    json_position_advance(&reader->position, chunk, consumed > 0 ? consumed - 1 : 0);
    if (status == yajl_status_client_canceled)
        return refuse_text(reader, "nested too deeply");
    return refuse_parse(reader);
}

/* Each piece of the file is twice as large as the one before: of a text or number that a piece ends
 * in the parser goes through all again with the next one, which must not happen often. */
static int parse_all(struct reader *reader, FILE *stream)
{
    yajl_alloc_funcs memory = {allocate, reallocate, release, reader};
    struct json_check check = {0};
    uint64_t bytes = 0;
    size_t got;
    reader->parser = yajl_alloc(&callbacks, &memory, reader);
    for (size_t size = FIRST_BYTES;; size *= 2) {
        free(reader->chunk);
        reader->chunk = NULL;
        reader->chunk = allocate(reader, size);
        got = fread(reader->chunk, 1, size, stream);
        bytes += got;
        if (bytes > DOCUMENT_BYTES_MAX)
            return refuse_size(reader);
        int code = parse(reader, &check, reader->chunk, got);
        if (code < 0)
            return code;
        if (got < size)
            break;
    }
    if (ferror(stream))
        return error_set(reader->fill.error, ERROR_USAGE, "%s: %s: give a file that can be read",
                         reader->fill.file, strerror(errno));
    if (bytes == 0)
        return refuse_file(reader, "is empty");
    if (yajl_complete_parse(reader->parser) != yajl_status_ok)
        return refuse_end(reader);
    return 0;
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

static int read_stream(struct reader *reader, FILE *stream)
{
    int code =
        setjmp(reader->no_memory) ? json_out_of_memory(&reader->fill) : parse_all(reader, stream);
    if (reader->parser)
        yajl_free(reader->parser);
    free(reader->chunk);
    if (code == 0 && reader->object)
        code = check_schema(reader);
    return code < 0 ? code : reader->fill.code;
}

int document_read(struct document *document, const char *path, struct error *error)
{
    *document = (struct document){0};
    bool from_stdin = strcmp(path, "-") == 0;
    struct reader reader = {.fill = {.pool = &document->pool,
                                     .error = error,
                                     .file = from_stdin ? "standard input" : path}};
    struct stat status;
    FILE *stream = from_stdin ? stdin : fopen(path, "rbe");
    if (!stream || fstat(fileno(stream), &status) < 0) {
        int reason = errno;
        if (stream && !from_stdin)
            fclose(stream);
        return error_set(error, ERROR_USAGE, "%s: %s: give a document that fathom wrote",
                         reader.fill.file, strerror(reason));
    }
    json_fill_start(&reader.fill, document);
    int code;
    if (S_ISDIR(status.st_mode))
        code = refuse_file(&reader, "is a directory");
    else if (S_ISREG(status.st_mode) && status.st_size > DOCUMENT_BYTES_MAX)
        code = refuse_size(&reader);
    else
        code = read_stream(&reader, stream);
    if (!from_stdin)
        fclose(stream);
    if (code < 0)
        document_free(document);
    return code;
}
