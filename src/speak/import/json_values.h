/* The numbers and texts of a JSON document, each with the keys that lead to it. */
#ifndef FATHOM_SPEAK_IMPORT_JSON_VALUES_H
#define FATHOM_SPEAK_IMPORT_JSON_VALUES_H

#include "speak/import/import.h"

#include <stdbool.h>

enum { JSON_KEYS_MOST = 16 }; /* values that lie deeper are passed over */

struct json_found {
    const char *keys[JSON_KEYS_MOST]; /* from the outermost one */
    size_t depth;
    const char *text; /* of a text; NULL for a number */
    double number;
};

/* Calls `found` for one after another, but not for those that no key leads to; a negative code ends
 * it and is returned. ERROR_USAGE with line and column for what is no JSON. */
int json_values(const struct import_text *, int (*found)(void *context, const struct json_found *),
                void *context, struct error *);

/* Counts it as one of which nothing was read. */
void json_unread(struct import_text *, const struct json_found *);

/* Whether these keys lead to it, "a/b/c": * stands for any one key. An array's elements
 * are where the array is. A last part of ... stands for any keys that follow. */
bool json_found_at(const struct json_found *, const char *path);

#endif
