#include "speak/import/json_values.h"

#include "document/json_events.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 64, VALUE_BYTES = 256 }; /* longer ones are cut */

struct walk {
    struct json_events events;
    int (*found)(void *context, const struct json_found *);
    void *context;
    char keys[JSON_KEYS_MOST][KEY_BYTES]; /* of the open objects and arrays: the key at hand */
    bool array[JSON_KEYS_MOST];
    size_t depth;            /* of what is open; may be more than JSON_KEYS_MOST */
    char value[VALUE_BYTES]; /* the one at hand, which has no NUL behind it in the stream */
};

/* Elements of an array are at the keys that lead to it. */
static void fill(const struct walk *walk, struct json_found *found)
{
    found->depth = 0;
    for (size_t i = 0; i < walk->depth; i++)
        if (!walk->array[i])
            found->keys[found->depth++] = walk->keys[i];
}

static int take(struct walk *walk, const struct json_value *value)
{
    const bool kept = walk->depth <= JSON_KEYS_MOST;
    struct json_found one = {.number = NAN};
    switch (value->kind) {
    case JSON_KEY:
        if (kept && walk->depth)
            snprintf(walk->keys[walk->depth - 1], KEY_BYTES, "%.*s", (int)value->length,
                     value->bytes);
        return 0;
    case JSON_OBJECT:
    case JSON_ARRAY:
        if (walk->depth < JSON_KEYS_MOST) {
            walk->keys[walk->depth][0] = '\0';
            walk->array[walk->depth] = value->kind == JSON_ARRAY;
        }
        walk->depth++;
        return 0;
    case JSON_END:
        walk->depth--;
        return 0;
    case JSON_NUMBER:
        snprintf(walk->value, VALUE_BYTES, "%.*s", (int)value->length, value->bytes);
        one.number = strtod(walk->value, NULL);
        break;
    case JSON_TEXT:
        snprintf(walk->value, VALUE_BYTES, "%.*s", (int)value->length, value->bytes);
        one.text = walk->value;
        break;
    case JSON_NULL:
    case JSON_TRUTH:
    case JSON_DONE:
        return 0;
    }
    if (!kept)
        return 0;
    fill(walk, &one);
    return one.depth ? walk->found(walk->context, &one)
                     : 0; /* a value without a name says nothing */
}

static int read_all(void *with)
{
    struct walk *walk = with;
    struct json_value value = {.kind = JSON_NULL};
    int code = 0;
    while (code == 0 && value.kind != JSON_DONE) {
        value = json_events_next(&walk->events);
        code = take(walk, &value);
    }
    return code;
}

int json_values(const struct import_text *text,
                int (*found)(void *context, const struct json_found *), void *context,
                struct error *error)
{
    if (!text->length)
        return error_set(error, ERROR_USAGE, "%s: is empty, and so no JSON", text->file);
    /* The reader of events takes streams; this one is only read. */
    FILE *stream = fmemopen((void *)(uintptr_t)text->text, text->length, "r");
    struct pool pool = {0};
    struct walk walk = {.found = found,
                        .context = context,
                        .events = {.pool = &pool,
                                   .stream = stream,
                                   .name = text->file,
                                   .remedy = "",
                                   .room = JSON_ROOM_BYTES}};
    if (!stream)
        return error_set(error, ERROR_SYSTEM, "%s: %s", text->file, strerror(errno));
    const int code = pool_enter(&pool, read_all, &walk, error);
    json_events_end(&walk.events);
    pool_free(&pool);
    fclose(stream);
    return code;
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
    if (text->unread++)
        return;
    char *shown = text->unread_shown;
    shown[0] = '\0';
    for (size_t i = 0; i < found->depth; i++)
        snprintf(shown + strlen(shown), sizeof text->unread_shown - strlen(shown), "%s%s",
                 i ? "/" : "", found->keys[i]);
}
