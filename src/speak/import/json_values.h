/* The numbers and texts of a JSON document, each with the keys that lead to it. */
#ifndef FATHOM_SPEAK_IMPORT_JSON_VALUES_H
#define FATHOM_SPEAK_IMPORT_JSON_VALUES_H

#include "speak/import/reading.h"

enum { JSON_KEYS_MOST = 16 }; /* values that lie deeper are passed over */

struct json_found {
    const char *keys[JSON_KEYS_MOST]; /* from the outermost one */
    size_t depth;
    size_t places[JSON_KEYS_MOST]; /* in each array that it is in, from the outermost one */
    size_t arrays;
    const char *text; /* of a text; NULL for a number */
    double number;
};

/* Calls `found` for one after another, but not for those that no key leads to. Leaves the reading's
 * step with ERROR_USAGE and the line for what is no JSON; `found` may leave too. */
void json_values(struct reading *, void (*found)(struct reading *, const struct json_found *));

/* Counts it as one of which nothing was read. */
void json_unread(struct import_text *, const struct json_found *);

/* Whether these keys lead to it, "a/b/c": * stands for any one key. An array's elements
 * are where the array is. A last part of ... stands for any keys that follow. */
bool json_found_at(const struct json_found *, const char *path);
/* The last of its keys. */
const char *json_key(const struct json_found *);
/* Whether the text begins as a JSON object does, and has all of these words, which a NULL ends. */
bool json_recognise(const struct import_text *, const char *const *words);

#endif
