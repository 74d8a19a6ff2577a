#include "result/json.h"
#include "result/json_tree.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* A value in a tree takes up to 250 bytes, so a file of nothing but "{},{},{}" would need 80 times
 * its size: the number of commas is bounded as well. A matrix of 1024 CPUs has 16 million. */
enum { COMMAS_MAX = 1 << 24 };

struct source {
    FILE *stream;
    uint64_t bytes, commas;
};

static size_t feed(void *buffer, size_t size, void *data)
{
    struct source *source = data;
    size_t got = fread(buffer, 1, size, source->stream);
    source->bytes += got;
    for (size_t i = 0; i < got; i++)
        source->commas += ((const char *)buffer)[i] == ',';
    bool too_much = source->bytes > DOCUMENT_BYTES_MAX || source->commas > COMMAS_MAX;
    return too_much || ferror(source->stream) ? (size_t)-1 : got;
}

/* The line of what jansson found wrong quotes the file, whose bytes may be anything. */
static const char *plain(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c >= 127)
            *c = '?';
    return text;
}

static int refuse_size(struct reader *reader)
{
    return json_refuse(reader, "is larger than the %d MiB that a document may have",
                       DOCUMENT_BYTES_MAX >> 20);
}

static int parse(struct reader *reader, FILE *stream, json_t **json)
{
    struct source source = {.stream = stream};
    json_error_t wrong;
    *json = json_load_callback(feed, &source, JSON_REJECT_DUPLICATES, &wrong);
    if (*json)
        return 0;
    if (ferror(stream))
        return error_set(reader->error, ERROR_USAGE, "%s: %s: give a file that can be read",
                         reader->file, strerror(errno));
    if (source.bytes > DOCUMENT_BYTES_MAX)
        return refuse_size(reader);
    if (source.commas > COMMAS_MAX)
        return json_refuse(reader, "holds more values than a document may have");
    if (json_error_code(&wrong) == json_error_out_of_memory)
        return json_out_of_memory(reader);
    if (source.bytes == 0)
        return json_refuse(reader, "is empty");
    return json_refuse(reader, "%s line %d, column %d: %s",
                       json_error_code(&wrong) == json_error_premature_end_of_input
                           ? "ends in the middle, at"
                           : "is not JSON at",
                       wrong.line, wrong.column, plain(wrong.text));
}

/* "fathom/1", and "fathom/1.3", which only adds keys. */
static int check_schema(struct reader *reader, const json_t *json)
{
    const size_t length = strlen(DOCUMENT_SCHEMA);
    if (!json_is_object(json))
        return json_refuse(reader, "is not a JSON object");
    const char *schema = json_string_value(json_object_get(json, "schema"));
    if (!schema)
        return json_refuse(reader, "has no schema");
    if (strncmp(schema, DOCUMENT_SCHEMA, length) == 0) {
        const char *minor = schema + length;
        if (!*minor || (*minor == '.' && minor[1] && !minor[1 + strspn(minor + 1, "0123456789")]))
            return 0;
    }
    char quoted[40];
    snprintf(quoted, sizeof quoted, "%s", schema);
    return error_set(reader->error, ERROR_USAGE,
                     "%s: its schema is \"%s\", and this program reads \"" DOCUMENT_SCHEMA
                     "\": use the fathom that wrote it",
                     reader->file, plain(quoted));
}

static int read_stream(struct reader *reader, FILE *stream, struct document *document)
{
    json_t *json;
    int code = parse(reader, stream, &json);
    if (code < 0)
        return code;
    code = check_schema(reader, json);
    if (code == 0)
        code = json_read_fields(reader, &document_shape, json, document);
    json_decref(json);
    return code;
}

int document_read(struct document *document, const char *path, struct error *error)
{
    *document = (struct document){0};
    bool from_stdin = strcmp(path, "-") == 0;
    struct reader reader = {
        .pool = &document->pool, .error = error, .file = from_stdin ? "standard input" : path};
    struct stat status;
    FILE *stream = from_stdin ? stdin : fopen(path, "rbe");
    if (!stream || fstat(fileno(stream), &status) < 0) {
        int reason = errno;
        if (stream && !from_stdin)
            fclose(stream);
        return error_set(error, ERROR_USAGE, "%s: %s: give a document that fathom wrote",
                         reader.file, strerror(reason));
    }
    int code;
    if (S_ISDIR(status.st_mode))
        code = json_refuse(&reader, "is a directory");
    else if (S_ISREG(status.st_mode) && status.st_size > DOCUMENT_BYTES_MAX)
        code = refuse_size(&reader);
    else
        code = read_stream(&reader, stream, document);
    if (!from_stdin)
        fclose(stream);
    if (code < 0)
        document_free(document);
    return code;
}
