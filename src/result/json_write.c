/*
 * The writer streams: one point or finding a line, so that the file can be read, searched and
 * compared line by line, and a matrix of a thousand CPUs needs no tree in memory.
 */
#include "result/flag.h"
#include "result/json.h"
#include "result/shape.h"
#include "result/utf8.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    FILE *stream;
    int failure; /* errno of the first write that failed; nothing is written after it */
};

static void put(struct writer *writer, const char *text)
{
    if (!writer->failure && fputs(text, writer->stream) == EOF)
        writer->failure = errno ? errno : EIO;
}

/* Takes the value over; NULL stands for one that there was no memory to make. */
static void put_value(struct writer *writer, json_t *value)
{
    const size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(9);
    if (!value && !writer->failure)
        writer->failure = ENOMEM;
    errno = 0;
    if (!writer->failure && json_dumpf(value, writer->stream, flags) < 0)
        writer->failure = errno ? errno : ENOMEM;
    json_decref(value);
}

/* A host name or an argument may hold any bytes; JSON may not. */
static void put_text(struct writer *writer, const char *text)
{
    json_t *value = json_string(text ? text : "");
    char *copy = value ? NULL : strdup(text);
    if (copy) {
        const char *cursor = copy;
        for (char *byte = copy; utf8_next(&cursor) != 0; byte = copy + (cursor - copy))
            if (cursor - byte == 1 && (unsigned char)*byte >= 0x80)
                *byte = '?';
        value = json_string(copy);
        free(copy);
    }
    put_value(writer, value);
}

static void put_number(struct writer *writer, double number)
{
    /* Nine digits would cut sizes from 1 GiB on: whole numbers are written as such. */
    bool whole = number == floor(number) && fabs(number) <= 0x1p53;
    put_value(writer, whole ? json_integer((json_int_t)number) : json_real(number));
}

/* `separator` is "" before the first key of an object. */
static void put_key(struct writer *writer, const char *key, const char **separator)
{
    put(writer, *separator);
    *separator = ",";
    put_text(writer, key);
    put(writer, ":");
}

static void put_flags(struct writer *writer, unsigned flags)
{
    bool first = true;
    put(writer, "[");
    for (int i = 0; i < FLAG_COUNT; i++) {
        if (!(flags & FLAG_BIT(i)))
            continue;
        put(writer, first ? "" : ",");
        put_text(writer, flag_texts[i].name);
        first = false;
    }
    put(writer, "]");
}

static void put_factors(struct writer *writer, const struct factor *factors, size_t count)
{
    const char *separator = "";
    put(writer, "{");
    for (size_t i = 0; i < count; i++) {
        if (!factors[i].text && !isfinite(factors[i].number))
            continue;
        put_key(writer, factors[i].name, &separator);
        if (factors[i].text)
            put_text(writer, factors[i].text);
        else
            put_number(writer, factors[i].number);
    }
    put(writer, "}");
}

static uint64_t load_whole(const struct field *field, const void *member)
{
    uint64_t wide = 0;
    uint32_t narrow = 0;
    memcpy(field->bytes == sizeof wide ? (void *)&wide : (void *)&narrow, member, field->bytes);
    wide += narrow;
    return wide < field->most ? wide : field->most;
}

static size_t load_count(const struct field *field, const void *base)
{
    return *(const size_t *)((const char *)base + field->count_offset);
}

static bool is_present(const struct field *field, const void *base)
{
    const void *member = (const char *)base + field->offset;
    if (field->required)
        return true;
    switch (field->kind) {
    case FIELD_TEXT:
        return *(const char *const *)member != NULL;
    case FIELD_NUMBER:
        return isfinite(*(const double *)member);
    case FIELD_WHOLE:
        return load_whole(field, member) != 0;
    case FIELD_FLAGS:
        return *(const unsigned *)member != 0;
    case FIELD_TEXTS:
    case FIELD_SIZES:
    case FIELD_FACTORS:
    case FIELD_LIST:
        return load_count(field, base) != 0;
    case FIELD_OBJECT:
        for (const struct field *inner = field->shape->fields; inner->key; inner++)
            if (is_present(inner, member))
                return true;
        return false;
    default:
        return true;
    }
}

static void put_object(struct writer *writer, const struct shape *shape, const void *base);

static void put_point(struct writer *writer, const struct point *point, bool matrix);

static void put_list(struct writer *writer, const struct field *field, const void *base)
{
    const char *element = *(const char *const *)((const char *)base + field->offset);
    bool matrix = field->shape == &point_shape && ((const struct series *)base)->matrix;
    put(writer, "[");
    for (size_t i = 0; i < load_count(field, base) && !writer->failure; i++) {
        put(writer, i ? ",\n" : "\n");
        if (field->shape == &point_shape)
            put_point(writer, (const struct point *)(const void *)element, matrix);
        else
            put_object(writer, field->shape, element);
        element += field->shape->bytes;
    }
    put(writer, "]");
}

static void put_field(struct writer *writer, const struct field *field, const void *base)
{
    const void *member = (const char *)base + field->offset;
    char digits[24];
    switch (field->kind) {
    case FIELD_TEXT:
        put_text(writer, *(const char *const *)member);
        break;
    case FIELD_NUMBER:
        put_number(writer, *(const double *)member);
        break;
    case FIELD_WHOLE:
        put_value(writer, json_integer((json_int_t)load_whole(field, member)));
        break;
    case FIELD_TRUTH:
        put(writer, *(const bool *)member ? "true" : "false");
        break;
    case FIELD_SEED:
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)*(const uint64_t *)member);
        put_text(writer, digits);
        break;
    case FIELD_STATUS:
        put_text(writer, probe_status_names[*(const enum probe_status *)member]);
        break;
    case FIELD_FLAGS:
        put_flags(writer, *(const unsigned *)member);
        break;
    case FIELD_FACTORS:
        put_factors(writer, *(const struct factor *const *)member, load_count(field, base));
        break;
    case FIELD_TEXTS:
    case FIELD_SIZES:
        put(writer, "[");
        for (size_t i = 0; i < load_count(field, base); i++) {
            put(writer, i ? "," : "");
            if (field->kind == FIELD_TEXTS)
                put_text(writer, (*(const char *const *const *)member)[i]);
            else
                put_number(writer, (double)(*(const uint64_t *const *)member)[i]);
        }
        put(writer, "]");
        break;
    case FIELD_OBJECT:
        put_object(writer, field->shape, member);
        break;
    case FIELD_LIST:
        put_list(writer, field, base);
        break;
    }
}

static void put_fields(struct writer *writer, const struct shape *shape, const void *base,
                       const char **separator)
{
    for (const struct field *field = shape->fields; field->key; field++) {
        if (!is_present(field, base))
            continue;
        if (shape == &document_shape)
            *separator = ",\n";
        put_key(writer, field->key, separator);
        put_field(writer, field, base);
    }
}

static void put_object(struct writer *writer, const struct shape *shape, const void *base)
{
    const char *separator = "";
    put(writer, "{");
    put_fields(writer, shape, base, &separator);
    put(writer, "}");
}

static void put_point(struct writer *writer, const struct point *point, bool matrix)
{
    const char *separator = "";
    put(writer, "{");
    if (matrix) {
        put_key(writer, "from", &separator);
        put_value(writer, json_integer(point->from));
        put_key(writer, "to", &separator);
        put_value(writer, json_integer(point->to));
    } else {
        put_key(writer, "x", &separator);
        put_number(writer, point->x);
    }
    put_fields(writer, &point_shape, point, &separator);
    if (point->cycles.n > 0) {
        put_key(writer, "cycles", &separator);
        put_object(writer, &cycles_shape, &point->cycles);
    }
    put(writer, "}");
}

int document_write(const struct document *document, FILE *stream, struct error *error)
{
    struct writer writer = {.stream = stream};
    const char *separator = "";
    put(&writer, "{");
    put_key(&writer, "schema", &separator);
    put_text(&writer, DOCUMENT_SCHEMA);
    put_fields(&writer, &document_shape, document, &separator);
    put(&writer, "}\n");
    if (!writer.failure && fflush(stream) == EOF)
        writer.failure = errno;
    if (writer.failure)
        return error_set(error, ERROR_SYSTEM, "%s", strerror(writer.failure));
    return 0;
}
