#include "speak/import/json_values.h"

#include "document/json_events.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 64, VALUE_BYTES = 256 }; /* longer keys and values are cut */

struct walk {
    struct json_events events;
    struct reading *reading;
    void (*found)(struct reading *, const struct json_found *);
    char keys[JSON_KEYS_MOST][KEY_BYTES]; /* of each open object: the current key */
    bool array[JSON_KEYS_MOST];           /* whether each open level is an array */
    size_t place[JSON_KEYS_MOST];         /* in each open array: index of the current value */
    size_t depth;                         /* open levels; may exceed JSON_KEYS_MOST */
    char shown[96];                       /* keys of the current value, for messages */
    char value[VALUE_BYTES];              /* the current value; the parser's text has no NUL */
};

/* "memory/l1/latency": the value's keys. */
static void show_keys(const struct json_found *found, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < found->depth; i++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? "/" : "", found->keys[i]);
}

static void take(struct walk *walk, const struct json_value *value)
{
    struct json_found one = {.number = NAN};
    const bool kept = walk->depth <= JSON_KEYS_MOST;
    if (value->kind == JSON_KEY) {
        if (kept && walk->depth)
            snprintf(walk->keys[walk->depth - 1], KEY_BYTES, "%.*s", (int)value->length,
                     value->bytes);
        return;
    }
    if (value->kind == JSON_OBJECT || value->kind == JSON_ARRAY) {
        if (walk->depth < JSON_KEYS_MOST) {
            walk->keys[walk->depth][0] = '\0';
            walk->array[walk->depth] = value->kind == JSON_ARRAY;
            walk->place[walk->depth] = 0;
        }
        walk->depth++;
        return;
    }
    if (value->kind == JSON_END)
        walk->depth--;
    if (value->kind == JSON_NUMBER || value->kind == JSON_TEXT) {
        snprintf(walk->value, VALUE_BYTES, "%.*s", (int)value->length, value->bytes);
        if (value->kind == JSON_NUMBER)
            one.number = strtod(walk->value, NULL);
        else
            one.text = walk->value;
        /* Elements of an array have the array's keys. */
        for (size_t i = 0; kept && i < walk->depth; i++)
            if (walk->array[i])
                one.places[one.arrays++] = walk->place[i];
            else
                one.keys[one.depth++] = walk->keys[i];
        show_keys(&one, walk->shown, sizeof walk->shown);
        walk->reading->tables.where = walk->shown;
        if (one.depth) /* values without any key are skipped */
            walk->found(walk->reading, &one);
        walk->reading->tables.where = NULL;
    }
    if (walk->depth && walk->depth <= JSON_KEYS_MOST)
        walk->place[walk->depth - 1]++;
}

static int walk_all(void *with)
{
    struct walk *walk = with;
    struct json_value value = {.kind = JSON_NULL};
    while (value.kind != JSON_DONE) {
        value = json_events_next(&walk->events);
        take(walk, &value);
    }
    return 0;
}

void json_values(struct reading *reading,
                 void (*found)(struct reading *, const struct json_found *))
{
    const struct import_text *text = reading->text;
    if (!text->length)
        text_refuse(text, "is empty, and so no JSON");
    /* The JSON parser reads from streams; this one is opened read-only. The walk is a step of its
     * own, so that the stream is closed even if the step is left. */
    FILE *stream = fmemopen((void *)(uintptr_t)text->text, text->length, "r");
    struct walk walk = {.reading = reading,
                        .found = found,
                        .events = {.pool = reading->pool,
                                   .stream = stream,
                                   .name = text->file,
                                   .remedy = "",
                                   .room = JSON_ROOM_BYTES}};
    if (!stream)
        pool_leave(reading->pool, ERROR_SYSTEM, "%s: %s", text->file, strerror(errno));
    const int code = pool_enter(reading->pool, walk_all, &walk, pool_error(reading->pool));
    json_events_end(&walk.events);
    fclose(stream);
    pool_check(reading->pool, code);
}

const char *json_key(const struct json_found *found)
{
    return found->keys[found->depth - 1];
}

bool json_recognise(const struct import_text *text, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        if (!text_holds(text, words[i]))
            return false;
    return text->text[strspn(text->text, " \t\r\n")] == '{';
}

bool json_found_at(const struct json_found *found, const char *path)
{
    for (size_t i = 0; i < found->depth; i++) {
        const size_t length = strcspn(path, "/");
        if (strcmp(path, "...") == 0)
            return true;
        const bool any = length == 1 && *path == '*';
        if (!any &&
            (strlen(found->keys[i]) != length || strncmp(found->keys[i], path, length) != 0))
            return false;
        if (!path[length])
            return i + 1 == found->depth;
        path += length + 1;
    }
    return false;
}

void json_unread(struct import_text *text, const struct json_found *found)
{
    if (!text->unread++)
        show_keys(found, text->unread_shown, sizeof text->unread_shown);
}
