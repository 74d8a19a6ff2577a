/*
 * The writer streams: one point or finding a line, so that the file can be read, searched and
 * compared line by line, and a matrix of a thousand CPUs needs no tree in memory.
 */
#include "base/quote.h"
#include "base/units.h"
#include "base/utf8.h"
#include "document/flag.h"
#include "document/json.h"
#include "document/shape.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WRITER_BYTES = 64 * 1024 };

struct writer {
    FILE *stream;
    int failure; /* errno of the first write that failed; nothing is written after it */
    bool matrix; /* the current series is a matrix */
    size_t used;
    char bytes[WRITER_BYTES];
};

static void flush(struct writer *writer)
{
    errno = 0;
    if (!writer->failure && fwrite(writer->bytes, 1, writer->used, writer->stream) < writer->used)
        writer->failure = errno ? errno : EIO;
    writer->used = 0;
}

static void put_bytes(struct writer *writer, const char *bytes, size_t size)
{
    while (size > 0) {
        if (writer->used == WRITER_BYTES)
            flush(writer);
        size_t room = WRITER_BYTES - writer->used, part = size < room ? size : room;
        memcpy(writer->bytes + writer->used, bytes, part);
        writer->used += part;
        bytes += part;
        size -= part;
    }
}

static void put(struct writer *writer, const char *text)
{
    put_bytes(writer, text, strlen(text));
}

static void put_text(struct writer *writer, const char *text)
{
    const char *cursor = text ? text : "";
    put(writer, "\"");
    for (const char *byte = cursor; *byte; byte = cursor) {
        char escape[JSON_ESCAPE];
        const int code = utf8_next(&cursor);
        const char *escaped = json_escape(code, escape);
        /* A host name or an argument may hold any bytes, but JSON may hold only UTF-8. */
        if (code < 0)
            put(writer, "?");
        else if (escaped)
            put(writer, escaped);
        else
            put_bytes(writer, byte, (size_t)(cursor - byte));
    }
    put(writer, "\"");
}

static void put_whole(struct writer *writer, uint64_t whole)
{
    char digits[24], *digit = digits + sizeof digits;
    do
        *--digit = (char)('0' + whole % 10);
    while (whole /= 10);
    put_bytes(writer, digit, (size_t)(digits + sizeof digits - digit));
}

/* Significant digits of a number that is not whole. */
enum { DIGITS = 9 };

static bool is_whole(double number)
{
    return number == floor(number) && fabs(number) <= 0x1p53;
}

double document_kept(double number)
{
    if (!isfinite(number) || is_whole(number))
        return number;
    const double digits = DIGITS - 1 - floor(log10(fabs(number))), scale = pow(10, fabs(digits));
    return digits > 0 ? round(number * scale) / scale : round(number / scale) * scale;
}

static void put_number(struct writer *writer, double number)
{
    char digits[32];
    /* Nine digits make a large number whole, and so it is read: it is written as whole at once. */
    if (fabs(number) >= 1e9)
        number = document_kept(number);
    /* Nine digits are too few for sizes from 1 GiB on, so whole numbers are written in full. */
    if (is_whole(number)) {
        put(writer, number < 0 ? "-" : "");
        put_whole(writer, (uint64_t)fabs(number));
        return;
    }
    if (!isfinite(number) && !writer->failure)
        writer->failure = EDOM;
    snprintf(digits, sizeof digits, "%.*g", DIGITS, number);
    put(writer, digits);
}

/* `separator` is "" before the first key of an object. The tables' keys need no escapes. */
static void put_key(struct writer *writer, const char *key, const char **separator)
{
    put(writer, *separator);
    put(writer, "\"");
    put(writer, key);
    put(writer, "\":");
    *separator = ",";
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

static void put_value(struct writer *writer, const struct factor *factor)
{
    if (factor->text)
        put_text(writer, factor->text);
    else if (!factor->list_count)
        put_number(writer, factor->number);
    for (size_t i = 0; i < factor->list_count; i++) {
        put(writer, i ? "," : "[");
        put_value(writer, &factor->list[i]);
    }
    if (factor->list_count)
        put(writer, "]");
}

static void put_factors(struct writer *writer, const struct factor *factors, size_t count)
{
    const char *separator = "";
    put(writer, "{");
    for (size_t i = 0; i < count; i++) {
        if (!factors[i].text && !factors[i].list_count && !isfinite(factors[i].number))
            continue;
        put(writer, separator);
        put_text(writer, factors[i].name);
        put(writer, ":");
        separator = ",";
        put_value(writer, &factors[i]);
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

static bool is_present(const struct field *field, const void *base, bool matrix)
{
    const void *member = (const char *)base + field->offset;
    if (field->place)
        return field->place == (matrix ? PLACE_MATRIX : PLACE_CURVE);
    if (field->required)
        return true;
    switch (field->kind) {
    case FIELD_TEXT:
        return *(const char *const *)member != NULL;
    case FIELD_NUMBER:
        return isfinite(*(const double *)member);
    case FIELD_FLOAT:
        return isfinite(*(const float *)member);
    case FIELD_WHOLE:
        return load_whole(field, member) != 0;
    case FIELD_TRUTH:
        return *(const bool *)member;
    case FIELD_FLAGS:
        return *(const unsigned *)member != 0;
    case FIELD_TEXTS:
    case FIELD_SIZES:
    case FIELD_FACTORS:
    case FIELD_VALUES:
    case FIELD_LIST:
        return load_count(field, base) != 0;
    case FIELD_FORMER:
        return false;
    case FIELD_OBJECT:
        for (const struct field *inner = field->shape->fields; inner->key; inner++)
            if (is_present(inner, member, matrix))
                return true;
        return false;
    default:
        return true;
    }
}

static void put_object(struct writer *writer, const struct shape *shape, const void *base);

static void put_list(struct writer *writer, const struct field *field, const void *base)
{
    const char *element = *(const char *const *)((const char *)base + field->offset);
    writer->matrix = field->shape == &point_shape && ((const struct series *)base)->matrix;
    put(writer, "[");
    for (size_t i = 0; i < load_count(field, base) && !writer->failure; i++) {
        put(writer, i ? ",\n" : "\n");
        put_object(writer, field->shape, element);
        element += field->shape->bytes;
    }
    put(writer, "]");
}

static void put_field(struct writer *writer, const struct field *field, const void *base)
{
    const void *member = (const char *)base + field->offset;
    char digits[UNIT_TEXT];
    switch (field->kind) {
    case FIELD_TEXT:
        put_text(writer, *(const char *const *)member);
        break;
    case FIELD_NUMBER:
        put_number(writer, *(const double *)member);
        break;
    case FIELD_FLOAT:
        float_format(*(const float *)member, digits);
        if (strpbrk(digits, "ein"))
            put_number(writer, strtod(digits, NULL));
        else
            put(writer, digits);
        break;
    case FIELD_WHOLE:
        put_whole(writer, load_whole(field, member));
        break;
    case FIELD_TRUTH:
        put(writer, *(const bool *)member ? "true" : "false");
        break;
    case FIELD_SEED:
        put(writer, "\"");
        put_whole(writer, *(const uint64_t *)member);
        put(writer, "\"");
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
    case FIELD_VALUES:
        put(writer, "[");
        for (size_t i = 0; i < load_count(field, base); i++) {
            put(writer, i ? "," : "");
            if (field->kind == FIELD_VALUES)
                put_value(writer, &(*(const struct factor *const *)member)[i]);
            else if (field->kind == FIELD_TEXTS)
                put_text(writer, (*(const char *const *const *)member)[i]);
            else
                put_whole(writer, (*(const uint64_t *const *)member)[i]);
        }
        put(writer, "]");
        break;
    case FIELD_OBJECT:
        put_object(writer, field->shape, member);
        break;
    case FIELD_LIST:
        put_list(writer, field, base);
        break;
    case FIELD_FORMER:
        break;
    }
}

static void put_fields(struct writer *writer, const struct shape *shape, const void *base,
                       const char **separator)
{
    for (const struct field *field = shape->fields; field->key; field++) {
        if (!is_present(field, base, writer->matrix))
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

int document_write(const struct document *document, FILE *stream, struct error *error)
{
    struct writer writer;
    writer.stream = stream;
    writer.failure = 0;
    writer.matrix = false;
    writer.used = 0;
    const char *separator = "";
    put(&writer, "{");
    put_key(&writer, "schema", &separator);
    put_text(&writer, DOCUMENT_SCHEMA);
    put_fields(&writer, &document_shape, document, &separator);
    put(&writer, "}\n");
    flush(&writer);
    if (!writer.failure && fflush(stream) == EOF)
        writer.failure = errno;
    if (writer.failure)
        return error_set(error, ERROR_SYSTEM, "%s", strerror(writer.failure));
    return 0;
}
