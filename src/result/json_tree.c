#include "result/json_tree.h"

#include "result/document.h"
#include "result/flag.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int json_refuse(struct reader *reader, const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return error_set(reader->error, ERROR_USAGE, "%s: %s%s%s: give a document that fathom wrote",
                     reader->file, reader->path, reader->path_length ? " " : "", what);
}

int json_out_of_memory(struct reader *reader)
{
    return error_set(reader->error, ERROR_SYSTEM, "%s: out of memory", reader->file);
}

/* Steps into a key or, where key is NULL, an element; the result is for leave(). */
static size_t enter(struct reader *reader, const char *key, size_t index)
{
    size_t length = reader->path_length, room = sizeof reader->path - length;
    int wrote = key ? snprintf(reader->path + length, room, "%s%s", length ? "." : "", key)
                    : snprintf(reader->path + length, room, "[%zu]", index);
    reader->path_length += (size_t)wrote < room ? (size_t)wrote : room - 1;
    return length;
}

static void leave(struct reader *reader, size_t length)
{
    reader->path_length = length;
    reader->path[length] = '\0';
}

static int read_text(struct reader *reader, const json_t *json, const char **text)
{
    if (!json_is_string(json))
        return json_refuse(reader, "is not a text");
    *text = pool_strdup(reader->pool, json_string_value(json));
    return *text ? 0 : json_out_of_memory(reader);
}

static int read_number(struct reader *reader, const json_t *json, double *number)
{
    if (!json_is_number(json))
        return json_refuse(reader, "is not a number");
    *number = json_number_value(json);
    return 0;
}

static int read_whole(struct reader *reader, const json_t *json, uint64_t most, uint64_t *whole)
{
    double value = json_number_value(json);
    if (!json_is_number(json) || value != floor(value) || value < 0)
        return json_refuse(reader, "is not a whole number from 0");
    if (value > (double)most || value >= 0x1p63)
        return json_refuse(reader, "is too large");
    *whole = json_is_integer(json) ? (uint64_t)json_integer_value(json) : (uint64_t)value;
    if (*whole > most)
        return json_refuse(reader, "is too large");
    return 0;
}

static int read_seed(struct reader *reader, const json_t *json, uint64_t *seed)
{
    const char *digits = json_string_value(json);
    if (!digits || !*digits || digits[strspn(digits, "0123456789")])
        return json_refuse(reader, "is not a text of digits");
    errno = 0;
    *seed = strtoull(digits, NULL, 10);
    return errno ? json_refuse(reader, "is too large") : 0;
}

static int read_status(struct reader *reader, const json_t *json, enum probe_status *status)
{
    for (int i = PROBE_OK; i <= PROBE_FAILED; i++)
        if (json_is_string(json) && strcmp(json_string_value(json), probe_status_names[i]) == 0) {
            *status = (enum probe_status)i;
            return 0;
        }
    return json_refuse(reader, "is none of ok, partial, skipped and failed");
}

/* Names that are not known come from a later minor version: they are passed over. */
static int read_flags(struct reader *reader, const json_t *json, unsigned *flags)
{
    if (!json_is_array(json))
        return json_refuse(reader, "is not an array");
    for (size_t i = 0; i < json_array_size(json); i++) {
        const char *name = json_string_value(json_array_get(json, i));
        if (!name) {
            enter(reader, NULL, i);
            return json_refuse(reader, "is not a text");
        }
        int flag = flag_by_name(name);
        if (flag >= 0)
            *flags |= FLAG_BIT(flag);
    }
    return 0;
}

static int read_factors(struct reader *reader, json_t *json, struct factor **factors, size_t *count)
{
    const char *key;
    json_t *value;
    if (!json_is_object(json))
        return json_refuse(reader, "is not an object");
    *factors = pool_alloc(reader->pool, json_object_size(json), sizeof **factors);
    if (!*factors)
        return json_out_of_memory(reader);
    json_object_foreach(json, key, value)
    {
        struct factor *factor = &(*factors)[(*count)++];
        size_t length = enter(reader, key, 0);
        factor->name = pool_strdup(reader->pool, key);
        factor->number = NAN;
        int code = json_is_string(value) ? read_text(reader, value, &factor->text)
                                         : read_number(reader, value, &factor->number);
        if (code < 0)
            return json_is_number(value) || json_is_string(value)
                       ? code
                       : json_refuse(reader, "is neither a text nor a number");
        if (!factor->name)
            return json_out_of_memory(reader);
        leave(reader, length);
    }
    return 0;
}

/* Where a point lies: one of the two forms, the same in all of a series. */
static int read_place(struct reader *reader, const json_t *json, struct series *series,
                      struct point *point)
{
    const json_t *x = json_object_get(json, "x");
    const json_t *ends[] = {json_object_get(json, "from"), json_object_get(json, "to")};
    int *const ids[] = {&point->from, &point->to};
    bool matrix = ends[0] && ends[1];
    if ((x != NULL) == matrix || (!matrix && (ends[0] || ends[1])))
        return json_refuse(reader, "has to have either x or both from and to");
    if (point == series->points)
        series->matrix = matrix;
    if (series->matrix != matrix)
        return json_refuse(reader, "is of another form (x, or from and to) than those before it");
    point->x = NAN;
    if (!matrix) {
        enter(reader, "x", 0);
        return read_number(reader, x, &point->x);
    }
    for (int i = 0; i < 2; i++) {
        uint64_t id;
        size_t length = enter(reader, i ? "to" : "from", 0);
        int code = read_whole(reader, ends[i], INT32_MAX, &id);
        if (code < 0)
            return code;
        *ids[i] = (int)id;
        leave(reader, length);
    }
    return 0;
}

static int read_point(struct reader *reader, const json_t *json, struct series *series,
                      struct point *point)
{
    size_t length = reader->path_length;
    int code = read_place(reader, json, series, point);
    if (code < 0)
        return code;
    leave(reader, length);
    if (point->y.n > 0 && isnan(point->y.median)) {
        enter(reader, "median", 0);
        return json_refuse(reader, "is missing");
    }
    const json_t *cycles = json_object_get(json, "cycles");
    point->cycles = (struct summary){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0};
    if (!cycles)
        return 0;
    enter(reader, "cycles", 0);
    code = json_read_fields(reader, &cycles_shape, cycles, &point->cycles);
    point->cycles.n = point->y.n;
    point->cycles.coverage = point->y.coverage;
    leave(reader, length);
    return code;
}

static int read_list(struct reader *reader, const struct field *field, const json_t *json,
                     void *base, size_t *count)
{
    if (!json_is_array(json))
        return json_refuse(reader, "is not an array");
    size_t size = json_array_size(json), bytes = field->shape->bytes;
    char *element = pool_alloc(reader->pool, size, bytes);
    if (!element)
        return json_out_of_memory(reader);
    memcpy((char *)base + field->offset, &element, sizeof element);
    for (size_t i = 0; i < size; i++, element += bytes) {
        const json_t *value = json_array_get(json, i);
        size_t length = enter(reader, NULL, i);
        int code = json_read_fields(reader, field->shape, value, element);
        if (code == 0 && field->shape == &point_shape)
            code = read_point(reader, value, base, (struct point *)(void *)element);
        if (code < 0)
            return code;
        leave(reader, length);
    }
    *count = size;
    return 0;
}

/* Texts or sizes. */
static int read_plain_array(struct reader *reader, const struct field *field, const json_t *json,
                            void *member, size_t *count)
{
    if (!json_is_array(json))
        return json_refuse(reader, "is not an array");
    size_t size = json_array_size(json);
    const char **texts = NULL;
    uint64_t *sizes = NULL;
    if (field->kind == FIELD_TEXTS)
        *(const char ***)member = texts = pool_alloc(reader->pool, size, sizeof *texts);
    else
        *(uint64_t **)member = sizes = pool_alloc(reader->pool, size, sizeof *sizes);
    if (!texts && !sizes)
        return json_out_of_memory(reader);
    for (size_t i = 0; i < size; i++) {
        const json_t *value = json_array_get(json, i);
        size_t length = enter(reader, NULL, i);
        int code = texts ? read_text(reader, value, &texts[i])
                         : read_whole(reader, value, INT64_MAX, &sizes[i]);
        if (code < 0)
            return code;
        leave(reader, length);
    }
    *count = size;
    return 0;
}

static int read_field(struct reader *reader, const struct field *field, json_t *json, void *base)
{
    void *member = (char *)base + field->offset;
    size_t *count = (size_t *)(void *)((char *)base + field->count_offset);
    switch (field->kind) {
    case FIELD_TEXT:
        return read_text(reader, json, member);
    case FIELD_NUMBER:
        return read_number(reader, json, member);
    case FIELD_WHOLE: {
        uint64_t whole = 0;
        int code = read_whole(reader, json, field->most, &whole);
        uint32_t narrow = (uint32_t)whole;
        memcpy(member, field->bytes == sizeof whole ? (void *)&whole : (void *)&narrow,
               field->bytes);
        return code;
    }
    case FIELD_TRUTH:
        *(bool *)member = json_is_true(json);
        return json_is_boolean(json) ? 0 : json_refuse(reader, "is neither true nor false");
    case FIELD_SEED:
        return read_seed(reader, json, member);
    case FIELD_STATUS:
        return read_status(reader, json, member);
    case FIELD_FLAGS:
        return read_flags(reader, json, member);
    case FIELD_FACTORS:
        return read_factors(reader, json, member, count);
    case FIELD_TEXTS:
    case FIELD_SIZES:
        return read_plain_array(reader, field, json, member, count);
    case FIELD_OBJECT:
        return json_read_fields(reader, field->shape, json, member);
    case FIELD_LIST:
        return read_list(reader, field, json, base, count);
    }
    return 0;
}

/* An object that is not there is read as one where every member is absent. */
int json_read_fields(struct reader *reader, const struct shape *shape, const json_t *json,
                     void *base)
{
    if (json && !json_is_object(json))
        return json_refuse(reader, "is not an object");
    for (const struct field *field = shape->fields; field->key; field++) {
        char *member = (char *)base + field->offset;
        json_t *value = json_object_get(json, field->key);
        size_t length = enter(reader, field->key, 0);
        int code = 0;
        if (value)
            code = read_field(reader, field, value, base);
        else if (json && field->required)
            code = json_refuse(reader, "is missing");
        else if (field->kind == FIELD_NUMBER)
            memcpy(member, &(double){NAN}, sizeof(double));
        else if (field->kind == FIELD_OBJECT)
            code = json_read_fields(reader, field->shape, NULL, member);
        if (code < 0)
            return code;
        leave(reader, length);
    }
    return 0;
}
