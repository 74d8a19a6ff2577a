#include "document/json_fill.h"

#include "base/text.h"
#include "document/json_take.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_TEXT = 160,
    LARGE_BYTES = 16 * 1024, /* the smallest array that is given back when it grows */
};

/* "probes[0].series[1].points[3].median", cut where it is too long. */
static void write_path(const struct json_fill *fill, char path[PATH_TEXT])
{
    size_t length = 0;
    *path = '\0';
    for (size_t i = 0; i < fill->depth && length < PATH_TEXT; i++) {
        const struct json_frame *frame = &fill->frames[i];
        const char *key = frame->shape ? frame->at ? frame->at->key : NULL : frame->name;
        size_t room = PATH_TEXT - length;
        int wrote = 0;
        if (key)
            wrote = snprintf(path + length, room, "%s%s", length ? "." : "", key);
        else if (!frame->shape && frame->field->kind != FIELD_FACTORS)
            wrote = snprintf(path + length, room, "[%zu]", frame->index);
        length += (size_t)wrote;
    }
    text_drop_half(path);
}

int json_refuse(struct json_fill *fill, const char *format, ...)
{
    char what[256], path[PATH_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    write_path(fill, path);
    return fill->code =
               error_set(fill->error, ERROR_USAGE, "%s: %s%s%s: give a document that fathom wrote",
                         fill->file, path, *path ? " " : "", what);
}

int json_out_of_memory(struct json_fill *fill)
{
    return fill->code = error_set(fill->error, ERROR_SYSTEM, "%s: out of memory", fill->file);
}

static size_t *count_of(const struct json_frame *frame)
{
    return (size_t *)(void *)(frame->base + frame->field->count_offset);
}

static struct factor *factors_of(const struct json_frame *frame)
{
    return *(struct factor **)(void *)(frame->base + frame->field->offset);
}

/* One more zeroed element of the array that the frame is about; NULL without memory. Nothing else
 * points into an array that grows, so the old one can be freed. */
static void *append(struct json_fill *fill, const struct json_frame *frame, size_t bytes)
{
    void *array, *smaller;
    size_t *count = count_of(frame);
    memcpy(&array, frame->base + frame->field->offset, sizeof array);
    smaller = array;
    void *element = pool_append(fill->pool, &array, count, bytes);
    memcpy(frame->base + frame->field->offset, &array, sizeof array);
    if (!element)
        json_out_of_memory(fill);
    else if (array != smaller && (*count - 1) * bytes > LARGE_BYTES)
        pool_give_back(fill->pool, smaller);
    return element;
}

/* Absent numbers are NAN; for all other members zero means absent already. */
static void clear_fields(const struct shape *shape, char *base)
{
    for (const struct field *field = shape->fields; field->key; field++) {
        char *member = base + field->offset;
        if (field->kind == FIELD_NUMBER)
            memcpy(member, &(double){NAN}, sizeof(double));
        else if (field->kind == FIELD_FLOAT)
            memcpy(member, &(float){NAN}, sizeof(float));
        else if (field->kind == FIELD_OBJECT)
            clear_fields(field->shape, member);
    }
}

static void push(struct json_fill *fill, const struct json_frame *frame)
{
    fill->frames[fill->depth++] = *frame;
}

static void push_object(struct json_fill *fill, const struct shape *shape, char *base,
                        const struct json_value *value)
{
    if (value->kind != JSON_OBJECT)
        json_refuse(fill, "is not an object");
    else
        push(fill, &(struct json_frame){.shape = shape, .base = base});
}

static void push_array(struct json_fill *fill, const struct field *field, char *base,
                       const struct json_value *value)
{
    bool by_name = field->kind == FIELD_FACTORS;
    if (value->kind != (by_name ? JSON_OBJECT : JSON_ARRAY))
        json_refuse(fill, by_name ? "is not an object" : "is not an array");
    else
        push(fill, &(struct json_frame){.field = field, .base = base});
}

static void take_field(struct json_fill *fill, const struct field *field, char *base,
                       const struct json_value *value)
{
    void *member = base + field->offset;
    switch (field->kind) {
    case FIELD_OBJECT:
        push_object(fill, field->shape, member, value);
        break;
    case FIELD_FLAGS:
    case FIELD_TEXTS:
    case FIELD_SIZES:
    case FIELD_FACTORS:
    case FIELD_LIST:
        push_array(fill, field, base, value);
        break;
    default:
        json_take(fill, field, member, value);
    }
}

/* Takes one element of an array, or one factor. */
static void take_element(struct json_fill *fill, struct json_frame *frame,
                         const struct json_value *value)
{
    void *element;
    switch (frame->field->kind) {
    case FIELD_FLAGS:
        json_take_flag(fill, value, (unsigned *)(void *)(frame->base + frame->field->offset));
        break;
    case FIELD_TEXTS:
        if ((element = append(fill, frame, sizeof(const char *))) != NULL)
            json_take_text(fill, value, element);
        break;
    case FIELD_SIZES:
        if ((element = append(fill, frame, sizeof(uint64_t))) != NULL)
            json_take_whole(fill, value, INT64_MAX, element);
        break;
    case FIELD_VALUES:
        if ((element = append(fill, frame, sizeof(struct factor))) != NULL)
            json_take_factor(fill, value, element);
        break;
    case FIELD_FACTORS:
        element = &factors_of(frame)[*count_of(frame) - 1];
        if (value->kind == JSON_ARRAY) {
            push_array(fill, &factor_list, element, value);
            return; /* its end moves the index on */
        }
        json_take_factor(fill, value, element);
        break;
    default:
        if ((element = append(fill, frame, frame->field->shape->bytes)) == NULL)
            return;
        clear_fields(frame->field->shape, element);
        push_object(fill, frame->field->shape, element, value);
        return; /* its end moves the index on */
    }
    if (fill->code == 0)
        frame->index++;
}

static void fill_value(struct json_fill *fill, const struct json_value *value)
{
    bool opens = value->kind == JSON_ARRAY || value->kind == JSON_OBJECT;
    if (fill->code < 0)
        return;
    if (fill->passed_over) {
        fill->passed_over += opens;
        return;
    }
    struct json_frame *frame = &fill->frames[fill->depth - 1];
    if (!frame->shape)
        take_element(fill, frame, value);
    else if (frame->at)
        take_field(fill, frame->at, frame->base, value);
    else
        fill->passed_over += opens;
}

/* Keys mostly come in the order of the table, so the search begins behind the last one found. */
static const struct field *find_field(const struct json_frame *frame, const char *key,
                                      size_t length)
{
    const struct field *fields = frame->shape->fields;
    const struct field *begin = frame->at ? frame->at + 1 : fields, *field = begin;
    do {
        if (!field->key) {
            field = fields;
            continue;
        }
        if (strncmp(field->key, key, length) == 0 && !field->key[length])
            return field;
        field++;
    } while (field != begin);
    return NULL;
}

static void fill_key(struct json_fill *fill, const char *key, size_t length)
{
    if (fill->code < 0 || fill->passed_over)
        return;
    struct json_frame *frame = &fill->frames[fill->depth - 1];
    if (frame->shape) {
        frame->at = find_field(frame, key, length);
        uint64_t bit = frame->at ? UINT64_C(1) << (frame->at - frame->shape->fields) : 0;
        if (frame->seen & bit)
            json_refuse(fill, "is a duplicate key");
        frame->seen |= bit;
        return;
    }
    struct factor *factor = append(fill, frame, sizeof *factor);
    if (factor) {
        factor->name = frame->name = json_copy_text(fill, key, length);
        factor->number = NAN;
    }
}

static bool has_seen(const struct json_frame *frame, const char *key)
{
    const struct field *field = find_field(frame, key, strlen(key));
    return frame->seen >> (field - frame->shape->fields) & 1;
}

/* A point has either x, or both from and to, and all points of a series have the same. */
static void end_point(struct json_fill *fill, struct json_frame *frame)
{
    const struct json_frame *list = frame - 1;
    struct series *series = (struct series *)(void *)list->base;
    const struct point *point = (const struct point *)(const void *)frame->base;
    bool x = has_seen(frame, "x"), from = has_seen(frame, "from"), to = has_seen(frame, "to");
    if (list->index == 0)
        series->matrix = from;
    if (from != to || x == from)
        json_refuse(fill, "has to have either x or both from and to");
    else if (series->matrix != from)
        json_refuse(fill, "is of another form (x, or from and to) than those before it");
    else if (point->y.n > 0 && isnan(point->y.median)) {
        frame->at = find_field(frame, "median", strlen("median"));
        json_refuse(fill, "is missing");
    }
}

static void end_object(struct json_fill *fill, struct json_frame *frame)
{
    frame->at = NULL;
    const struct field *fields = frame->shape->fields;
    for (size_t i = 0; fields[i].key; i++)
        if (fields[i].required && !(frame->seen >> i & 1)) {
            frame->at = &fields[i];
            json_refuse(fill, "is missing");
            return;
        }
    if (frame->shape == &point_shape)
        end_point(fill, frame);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Finds duplicates by sorting, because a hostile file may have a million factors. */
static void end_factors(struct json_fill *fill, struct json_frame *frame)
{
    size_t count = *count_of(frame);
    const char **names = count > 1 ? malloc(count * sizeof *names) : NULL;
    if (count > 1 && !names)
        json_out_of_memory(fill);
    if (!names)
        return;
    for (size_t i = 0; i < count; i++)
        names[i] = factors_of(frame)[i].name;
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count && fill->code == 0; i++)
        if (strcmp(names[i - 1], names[i]) == 0) {
            frame->name = names[i];
            json_refuse(fill, "is a duplicate key");
        }
    free(names);
}

static void fill_end(struct json_fill *fill)
{
    if (fill->code < 0)
        return;
    if (fill->passed_over) {
        fill->passed_over--;
        return;
    }
    struct json_frame *frame = &fill->frames[fill->depth - 1];
    if (frame->shape)
        end_object(fill, frame);
    else if (frame->field->kind == FIELD_FACTORS)
        end_factors(fill, frame);
    if (fill->code < 0 || --fill->depth == 0)
        return;
    frame--;
    frame->index++;
}

void json_fill_event(struct json_fill *fill, const struct json_value *event)
{
    if (event->kind == JSON_KEY)
        fill_key(fill, event->bytes, event->length);
    else if (event->kind == JSON_END)
        fill_end(fill);
    else
        fill_value(fill, event);
}

void json_fill_start(struct json_fill *fill, struct document *document)
{
    clear_fields(&document_shape, (char *)document);
    push(fill, &(struct json_frame){.shape = &document_shape, .base = (char *)document});
}
