/* Stores one JSON value in one member. All functions return the fill's code: 0, or that of a
 * failure. */
#ifndef FATHOM_DOCUMENT_JSON_TAKE_H
#define FATHOM_DOCUMENT_JSON_TAKE_H

#include "document/json_fill.h"

/* Takes a member that is neither an object nor any kind of array. */
void json_take(struct json_fill *, const struct field *, void *member, const struct json_value *);

int json_take_text(struct json_fill *, const struct json_value *, const char **text);
/* ERROR_USAGE above `most`, for a fraction and below 0. */
int json_take_whole(struct json_fill *, const struct json_value *, uint64_t most, uint64_t *whole);
int json_take_flag(struct json_fill *, const struct json_value *, unsigned *flags);
int json_take_factor(struct json_fill *, const struct json_value *, struct factor *);

/* In the pool, with a NUL behind it; NULL without memory. */
const char *json_copy_text(struct json_fill *, const char *bytes, size_t length);

#endif
