#include "document/json_read.h"

#include "base/sort.h"
#include "base/text.h"
#include "document/document.h"
#include "document/flag.h"
#include "document/json_events.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_TEXT = 160,
    SHORT_TEXT = 24,
    TEXTS = 256,
    LARGE_BYTES = 16 * 1024, /* the smallest array that is given back when it grows */
    NUMBER_TEXT = 1200,      /* the longest double needs 1077 characters to be written exactly */
};

/* An object or array that is being read. */
struct frame {
    const struct shape *shape; /* of an object; NULL in an array or in factors: see `field` */
    const struct field *field; /* of an array, or of factors */
    const struct field *at;    /* an object's current key; NULL where unknown */
    const char *name;          /* the current key of factors */
    char *base;                /* the struct that the keys fill, or that contains the array */
    uint64_t seen;             /* set of an object's keys so far, by index in the shape */
    size_t index;              /* of an array's current element */
};

struct reading {
    struct pool *pool;
    const struct json_form *form;
    void *base;
    struct json_events events;
    const char *refusal; /* the first value that does not fit; the rest is only skipped */
    const char **names;  /* room to sort names in */
    size_t name_room;
    const char *texts[TEXTS];
    size_t passed_over; /* depth inside a value that is skipped */
    size_t depth;       /* of frames */
    struct frame frames[SHAPE_DEPTH_MAX];
    bool at_schema; /* the last key was "schema" */
    unsigned schemas;
    const char *schema;
    struct former former[FORMER_COUNT]; /* of the point or finding that is read; else NAN */
};

/* "probes[0].series[1].points[3].median", cut where it is too long. */
static void write_path(const struct reading *reading, char path[PATH_TEXT])
{
    size_t length = 0;
    *path = '\0';
    for (size_t i = 0; i < reading->depth && length < PATH_TEXT; i++) {
        const struct frame *frame = &reading->frames[i];
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

/* Keeps the first refusal, with the path of the current value: `what` is "is not a number". */
static void refuse(struct reading *reading, const char *what)
{
    char path[PATH_TEXT];
    if (reading->refusal)
        return;
    write_path(reading, path);
    reading->refusal = pool_printf(reading->pool, "%s%s%s", path, *path ? " " : "", what);
}

/* --- values --- */

/* Units and the names of factors repeat in a million findings: of short texts the last one with
 * each hash is used again. */
static const char *copy_text(struct reading *reading, const struct json_value *value)
{
    size_t hash = value->length;
    for (size_t i = 0; i < value->length && i < SHORT_TEXT; i++)
        hash = 31 * hash + (unsigned char)value->bytes[i];
    const char **last = &reading->texts[hash % TEXTS];
    if (value->length < SHORT_TEXT && *last && strlen(*last) == value->length &&
        memcmp(*last, value->bytes, value->length) == 0)
        return *last;
    char *copy = pool_alloc(reading->pool, value->length + 1, 1);
    memcpy(copy, value->bytes, value->length);
    return *last = copy;
}

/* Copies the text into `copy` of `size` bytes; false where the value is no text or does not fit. */
static bool short_text(const struct json_value *value, char *copy, size_t size)
{
    if (value->kind != JSON_TEXT || value->length >= size)
        return false;
    memcpy(copy, value->bytes, value->length);
    copy[value->length] = '\0';
    return true;
}

static void take_text(struct reading *reading, const struct json_value *value, const char **text)
{
    if (value->kind == JSON_TEXT)
        *text = copy_text(reading, value);
    else
        refuse(reading, "is not a text");
}

/* A number of few digits is the quotient of two numbers that a double holds exactly, so dividing
 * them rounds once and correctly (Clinger 1990). Returns false for other numbers, and where the
 * machine computes in registers wider than a double. */
static bool read_short_number(const char *bytes, size_t length, double *number)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
    const char *at = bytes, *end = bytes + length, *point = NULL;
    uint64_t digits = 0;
    if (length >= sizeof powers / sizeof *powers || FLT_EVAL_METHOD != 0)
        return false;
    for (at += *at == '-'; at < end; at++)
        if (*at == '.')
            point = at;
        else if (isdigit((unsigned char)*at))
            digits = digits * 10 + (uint64_t)(*at - '0');
        else
            return false;
    if (digits > UINT64_C(1) << 53)
        return false;
    *number = (double)digits / powers[point ? end - point - 1 : 0];
    if (*bytes == '-')
        *number = -*number;
    return true;
}

/* The value's number; NAN where it is refused. */
static double number_of(struct reading *reading, const struct json_value *value)
{
    char digits[NUMBER_TEXT];
    double number;
    if (value->kind != JSON_NUMBER) {
        refuse(reading, "is not a number");
        return NAN;
    }
    if (read_short_number(value->bytes, value->length, &number))
        return number;
    if (value->length >= sizeof digits) {
        refuse(reading, "has more digits than a number needs");
        return NAN;
    }
    memcpy(digits, value->bytes, value->length);
    digits[value->length] = '\0';
    number = strtod(digits, NULL);
    if (!isfinite(number))
        refuse(reading, "is too large");
    return isfinite(number) ? number : NAN;
}

/* A whole number from 0 to `most`; 0 where it is refused. */
static uint64_t whole_of(struct reading *reading, const struct json_value *value, uint64_t most)
{
    const double number = value->kind == JSON_NUMBER ? number_of(reading, value) : NAN;
    if (!(number >= 0) || number != floor(number)) {
        refuse(reading, "is not a whole number from 0");
        return 0;
    }
    /* A double holds every whole number only up to 2^53. */
    uint64_t exact = 0;
    size_t digits = 0;
    for (; digits < value->length && isdigit((unsigned char)value->bytes[digits]); digits++)
        exact = exact * 10 + (uint64_t)(value->bytes[digits] - '0');
    const bool fits = number <= (double)most && number < 0x1p63;
    const uint64_t whole = !fits ? 0 : digits == value->length ? exact : (uint64_t)number;
    if (!fits || whole > most)
        refuse(reading, "is too large");
    return whole;
}

static uint64_t seed_of(struct reading *reading, const struct json_value *value)
{
    char digits[32];
    if (!short_text(value, digits, sizeof digits) || !*digits ||
        digits[strspn(digits, "0123456789")]) {
        refuse(reading, "is not a text of digits");
        return 0;
    }
    errno = 0;
    const uint64_t seed = strtoull(digits, NULL, 10);
    if (errno)
        refuse(reading, "is too large");
    return seed;
}

static enum probe_status status_of(struct reading *reading, const struct json_value *value)
{
    char name[16] = "";
    short_text(value, name, sizeof name);
    for (int i = PROBE_OK; i <= PROBE_FAILED; i++)
        if (strcmp(name, probe_status_names[i]) == 0)
            return (enum probe_status)i;
    refuse(reading, "is none of ok, partial, skipped and failed");
    return PROBE_FAILED;
}

static void take_factor(struct reading *reading, const struct json_value *value,
                        struct factor *factor)
{
    factor->number = NAN;
    if (value->kind == JSON_TEXT)
        factor->text = copy_text(reading, value);
    else if (value->kind == JSON_NUMBER)
        factor->number = number_of(reading, value);
    else
        refuse(reading, "is neither a text nor a number");
}

/* --- objects and arrays --- */

static size_t *count_of(const struct frame *frame)
{
    return (size_t *)(void *)(frame->base + frame->field->count_offset);
}

static struct factor *factors_of(const struct frame *frame)
{
    return *(struct factor **)(void *)(frame->base + frame->field->offset);
}

/* Appends a zeroed element to the frame's array. Nothing else points into an array that grows, so
 * the old one can be freed. */
static void *append(struct reading *reading, const struct frame *frame, size_t bytes)
{
    void *array, *smaller;
    size_t *count = count_of(frame);
    memcpy(&array, frame->base + frame->field->offset, sizeof array);
    smaller = array;
    void *element = pool_append(reading->pool, &array, count, bytes);
    memcpy(frame->base + frame->field->offset, &array, sizeof array);
    if (array != smaller && (*count - 1) * bytes > LARGE_BYTES)
        pool_give_back(reading->pool, smaller);
    return element;
}

/* Sets numbers to NAN, which means absent; for all other members zero already means absent. */
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

static void open_object(struct reading *reading, const struct shape *shape, char *base,
                        const struct json_value *value)
{
    if (value->kind != JSON_OBJECT)
        refuse(reading, "is not an object");
    else
        reading->frames[reading->depth++] = (struct frame){.shape = shape, .base = base};
}

static void open_array(struct reading *reading, const struct field *field, char *base,
                       const struct json_value *value)
{
    const bool by_name = field->kind == FIELD_FACTORS;
    if (value->kind != (by_name ? JSON_OBJECT : JSON_ARRAY))
        refuse(reading, by_name ? "is not an object" : "is not an array");
    else
        reading->frames[reading->depth++] = (struct frame){.field = field, .base = base};
}

static void take_field(struct reading *reading, const struct field *field, char *base,
                       const struct json_value *value)
{
    void *member = base + field->offset;
    uint64_t whole;
    switch (field->kind) {
    case FIELD_TEXT:
        take_text(reading, value, member);
        break;
    case FIELD_NUMBER:
        *(double *)member = number_of(reading, value);
        break;
    case FIELD_FLOAT:
        /* The largest float written with nine digits is a number above it that rounds back to it,
         * so only a number that rounds to infinity is too large. */
        *(float *)member = (float)number_of(reading, value);
        if (isinf(*(float *)member))
            refuse(reading, "is too large");
        break;
    case FIELD_WHOLE:
        whole = whole_of(reading, value, field->most);
        memcpy(member,
               field->bytes == sizeof whole ? (void *)&whole : (void *)&(uint32_t){(uint32_t)whole},
               field->bytes);
        break;
    case FIELD_TRUTH:
        if (value->kind != JSON_TRUTH)
            refuse(reading, "is neither true nor false");
        *(bool *)member = value->truth;
        break;
    case FIELD_SEED:
        *(uint64_t *)member = seed_of(reading, value);
        break;
    case FIELD_STATUS:
        *(enum probe_status *)member = status_of(reading, value);
        break;
    case FIELD_OBJECT:
        open_object(reading, field->shape, member, value);
        break;
    case FIELD_FORMER:
        member = &reading->former[field->offset];
        clear_fields(field->shape, member);
        open_object(reading, field->shape, member, value);
        break;
    default:
        open_array(reading, field, base, value);
    }
}

/* Takes one element of an array, or one factor. */
static void take_element(struct reading *reading, struct frame *frame,
                         const struct json_value *value)
{
    const struct field *field = frame->field;
    void *element;
    char name[64];
    int flag;
    switch (field->kind) {
    case FIELD_FLAGS: /* unknown names, of a later minor version, are skipped */
        if (value->kind != JSON_TEXT)
            refuse(reading, "is not a text");
        flag = short_text(value, name, sizeof name) ? flag_by_name(name) : -1;
        if (flag >= 0)
            *(unsigned *)(void *)(frame->base + field->offset) |= FLAG_BIT(flag);
        break;
    case FIELD_TEXTS:
        take_text(reading, value, append(reading, frame, sizeof(const char *)));
        break;
    case FIELD_SIZES:
        element = append(reading, frame, sizeof(uint64_t));
        *(uint64_t *)element = whole_of(reading, value, INT64_MAX);
        break;
    case FIELD_VALUES:
        take_factor(reading, value, append(reading, frame, sizeof(struct factor)));
        break;
    case FIELD_FACTORS:
        element = &factors_of(frame)[*count_of(frame) - 1];
        if (value->kind == JSON_ARRAY) {
            open_array(reading, &factor_list, element, value);
            return; /* the end of that value advances the index */
        }
        take_factor(reading, value, element);
        break;
    default:
        element = append(reading, frame, field->shape->bytes);
        clear_fields(field->shape, element);
        open_object(reading, field->shape, element, value);
        return; /* the end of that value advances the index */
    }
    frame->index++;
}

/* Keys mostly come in the order of the table, so the search begins after the last one found. */
static const struct field *find_field(const struct frame *frame, const char *key, size_t length)
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

static void take_key(struct reading *reading, const struct json_value *key)
{
    struct frame *frame = &reading->frames[reading->depth - 1];
    if (frame->shape) {
        frame->at = find_field(frame, key->bytes, key->length);
        const uint64_t bit = frame->at ? UINT64_C(1) << (frame->at - frame->shape->fields) : 0;
        if (frame->seen & bit)
            refuse(reading, "is a duplicate key");
        frame->seen |= bit;
        return;
    }
    struct factor *factor = append(reading, frame, sizeof *factor);
    factor->name = frame->name = copy_text(reading, key);
    factor->number = NAN;
}

static bool has_seen(const struct frame *frame, const char *key)
{
    return frame->seen >> (find_field(frame, key, strlen(key)) - frame->shape->fields) & 1;
}

/* Combines the two values of a former document: the one without interference becomes the value, and
 * the ratio of the two the disturbance. */
static void fold_former(const struct former *former, float *longer, double *value, double *low,
                        double *high)
{
    if (!(former->value > 0))
        return;
    if (*value > 0)
        *longer = (float)(fmax(*value / former->value, former->value / *value) - 1);
    *value = former->value;
    *low = former->low;
    *high = former->high;
}

static void clear_former(struct reading *reading)
{
    for (size_t i = 0; i < FORMER_COUNT; i++)
        reading->former[i].value = NAN;
}

static void fold_point(struct reading *reading, struct point *point)
{
    float none = NAN;
    struct summary *y = &point->y;
    struct estimate *cycles = &point->cycles;
    double value = (double)y->median, low = (double)y->low, high = (double)y->high,
           c = (double)cycles->median, c_low = (double)cycles->low, c_high = (double)cycles->high;
    fold_former(&reading->former[FORMER_QUIET], &point->disturbance.longer, &value, &low, &high);
    fold_former(&reading->former[FORMER_QUIET_CYCLES], &none, &c, &c_low, &c_high);
    const bool known = low <= high;
    y->coverage = known ? y->coverage : 0;
    y->median = (float)value;
    y->low = known ? (float)low : y->median;
    y->high = known ? (float)high : y->median;
    y->min = fminf(y->min, y->low);
    y->max = fmaxf(y->max, y->high);
    *cycles = (struct estimate){(float)c, (float)c_low, (float)c_high};
    /* A point holds floats. */
    if (isinf(y->median) || isinf(y->low) || isinf(y->high) || isinf(cycles->median) ||
        isinf(cycles->low) || isinf(cycles->high))
        refuse(reading, "has a value without interference that is too large");
}

/* A point has either x, or both from and to, and all points of a series have the same. */
static void end_point(struct reading *reading, struct frame *frame)
{
    const struct frame *list = frame - 1;
    struct series *series = (struct series *)(void *)list->base;
    struct point *point = (struct point *)(void *)frame->base;
    const bool x = has_seen(frame, "x"), from = has_seen(frame, "from"), to = has_seen(frame, "to");
    if (list->index == 0)
        series->matrix = from;
    if (from != to || x == from)
        refuse(reading, "has to have either x or both from and to");
    else if (series->matrix != from)
        refuse(reading, "is of another form (x, or from and to) than those before it");
    else if (point->y.n > 0 && isnan(point->y.median)) {
        frame->at = find_field(frame, "median", strlen("median"));
        refuse(reading, "is missing");
    } else if (reading->former[FORMER_QUIET].value > 0) {
        fold_point(reading, point);
    }
    clear_former(reading);
}

static void end_object(struct reading *reading, struct frame *frame)
{
    const struct field *fields = frame->shape->fields;
    for (size_t i = 0; fields[i].key; i++)
        if (fields[i].required && !(frame->seen >> i & 1)) {
            frame->at = &fields[i];
            refuse(reading, "is missing");
            return;
        }
    frame->at = NULL;
    if (frame->shape == &point_shape)
        end_point(reading, frame);
    if (frame->shape == &finding_shape) {
        struct finding *finding = (struct finding *)(void *)frame->base;
        fold_former(&reading->former[FORMER_QUIET], &finding->disturbance.longer, &finding->value,
                    &finding->low, &finding->high);
        clear_former(reading);
    }
}

/* Finds duplicates by sorting, because a hostile file may have a million factors. */
static void end_factors(struct reading *reading, struct frame *frame)
{
    const size_t count = *count_of(frame);
    if (count < 2)
        return;
    if (count > reading->name_room) {
        reading->name_room = 2 * count;
        pool_give_back(reading->pool, reading->names);
        reading->names = pool_alloc(reading->pool, reading->name_room, sizeof *reading->names);
    }
    const char **names = reading->names;
    for (size_t i = 0; i < count; i++)
        names[i] = factors_of(frame)[i].name;
    qsort(names, count, sizeof *names, by_text);
    for (size_t i = 1; i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0) {
            frame->name = names[i];
            refuse(reading, "is a duplicate key");
        }
}

static void take_event(struct reading *reading, const struct json_value *event)
{
    const bool opens = event->kind == JSON_ARRAY || event->kind == JSON_OBJECT;
    struct frame *frame = &reading->frames[reading->depth - 1];
    if (reading->passed_over) {
        reading->passed_over += opens;
        reading->passed_over -= event->kind == JSON_END;
    } else if (event->kind == JSON_KEY) {
        take_key(reading, event);
    } else if (event->kind == JSON_END) {
        if (frame->shape)
            end_object(reading, frame);
        else if (frame->field->kind == FIELD_FACTORS)
            end_factors(reading, frame);
        if (--reading->depth)
            frame[-1].index++;
    } else if (!frame->shape) {
        take_element(reading, frame, event);
    } else if (frame->at) {
        take_field(reading, frame->at, frame->base, event);
    } else {
        reading->passed_over += opens;
    }
}

/* --- the whole --- */

/* Called for keys and values of the outermost object. */
static void note_schema(struct reading *reading, const struct json_value *event)
{
    static const char key[] = "schema";
    if (event->kind == JSON_KEY) {
        reading->at_schema =
            event->length == strlen(key) && memcmp(event->bytes, key, event->length) == 0;
        reading->schemas += reading->at_schema;
        if (reading->at_schema && reading->schemas == 2)
            refuse(reading, "schema is a duplicate key");
    } else if (event->kind == JSON_TEXT && reading->at_schema) {
        enum { LENGTH_MOST = 39 };
        char *schema = pool_printf(reading->pool, "%.*s",
                                   (int)(event->length < LENGTH_MOST ? event->length : LENGTH_MOST),
                                   event->bytes);
        for (char *byte = schema; *byte; byte++)
            *byte = (unsigned char)*byte >= 127 ? '?' : *byte;
        reading->schema = schema;
    }
}

/* A fault further on may take precedence (json_read.h), so a stream is always read to its end. */
static int read_all(void *with)
{
    struct reading *reading = with;
    struct json_events *events = &reading->events;
    size_t depth = 0;
    events->remedy =
        pool_printf(reading->pool, ": give a document that %s wrote", reading->form->writer);
    clear_fields(reading->form->shape, reading->base);
    struct json_value event = json_events_next(events);
    const bool object = event.kind == JSON_OBJECT;
    open_object(reading, reading->form->shape, reading->base, &event);
    while (event.kind != JSON_DONE) {
        depth += event.kind == JSON_ARRAY || event.kind == JSON_OBJECT;
        event = json_events_next(events);
        depth -= event.kind == JSON_END;
        if (!object || event.kind == JSON_DONE)
            continue;
        if (!reading->refusal)
            take_event(reading, &event);
        if (depth == 1)
            note_schema(reading, &event);
    }
    if (!object)
        pool_leave(reading->pool, ERROR_USAGE, "%s: is not a JSON object%s", events->name,
                   events->remedy);
    const struct json_form *form = reading->form;
    const size_t length = strlen(form->schema);
    if (!reading->schema)
        pool_leave(reading->pool, ERROR_USAGE, "%s: has no schema%s", reading->events.name,
                   reading->events.remedy);
    const char *minor = reading->schema + length;
    if (strncmp(reading->schema, form->schema, length) != 0 ||
        (*minor && (*minor != '.' || !minor[1] || minor[1 + strspn(minor + 1, "0123456789")])))
        pool_leave(reading->pool, ERROR_USAGE,
                   "%s: its schema is \"%s\", and this program reads \"%s\": use the fathom that "
                   "wrote it",
                   reading->events.name, reading->schema, form->schema);
    if (reading->refusal)
        pool_leave(reading->pool, ERROR_USAGE, "%s: %s%s", events->name, reading->refusal,
                   events->remedy);
    pool_give_back(reading->pool, reading->names);
    return 0;
}

int json_read(struct pool *pool, FILE *stream, const char *name, const struct json_form *form,
              void *base, struct error *error)
{
    struct reading reading = {
        .pool = pool,
        .form = form,
        .base = base,
        .events = {.pool = pool, .stream = stream, .name = name, .room = JSON_ROOM_BYTES},
        .former = {{NAN, NAN, NAN}, {NAN, NAN, NAN}}};
    const int code = pool_enter(pool, read_all, &reading, error);
    json_events_end(&reading.events);
    return code == ERROR_SYSTEM ? error_set(error, code, "%s: out of memory", name) : code;
}
