/* Walks the numbers and texts of a JSON document, each with the keys that lead to it. */
#pragma once

#include "speak/import/reading.h"

enum { JSON_KEYS_MOST = 16 }; /* deeper values are skipped */

struct json_found {
    const char *keys[JSON_KEYS_MOST]; /* from the outermost */
    size_t depth;
    size_t places[JSON_KEYS_MOST]; /* index in each array around it, from the outermost */
    size_t arrays;
    const char *text; /* the value if it is a text; NULL: it is a number */
    double number;
};

/* Calls `found` for each value that at least one key leads to. Leaves the reading's step with
 * ERROR_USAGE and the line if the text is no JSON; `found` may leave too. */
void json_values(struct reading *, void (*found)(struct reading *, const struct json_found *));

/* Counts the value as not read. */
void json_unread(struct import_text *, const struct json_found *);

/* Whether the path "a/b/c" leads to the value: * is any one key, and a last part of ... is any
 * further keys. The elements of an array have the array's own path. */
bool json_found_at(const struct json_found *, const char *path);
/* The value's last key. */
const char *json_key(const struct json_found *);
/* Whether the text begins like a JSON object and contains all these words, which end with NULL. */
bool json_recognise(const struct import_text *, const char *const *words);
