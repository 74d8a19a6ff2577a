/*
 * Fills the document's structs from the events of json_events.h, by the tables of shape.h, without
 * a tree between them. Keys that the tables do not know are skipped with all that they hold.
 */
#ifndef FATHOM_DOCUMENT_JSON_FILL_H
#define FATHOM_DOCUMENT_JSON_FILL_H

#include "base/error.h"
#include "base/pool.h"
#include "document/document.h"
#include "document/json_events.h"
#include "document/shape.h"

/* An object or array that is being read. */
struct json_frame {
    const struct shape
        *shape; /* of an object; NULL in an array or in factors, for which see `field` */
    const struct field *field; /* an array's or the factors' own */
    const struct field *at;    /* an object's current key; NULL where it is not known */
    const char *name;          /* the current key of factors */
    char *base; /* the struct that the keys fill, or that has the array as a member */
    uint64_t
        seen;     /* the keys of an object that have been seen: a set by their place in the shape */
    size_t index; /* of an array's current element */
};

struct json_fill {
    struct pool *pool;
    struct error *error;
    const char *file; /* as messages name it */
    /* 0, or the first failure: ERROR_USAGE, naming the path of a value that does not fit the shape,
     * or ERROR_SYSTEM without memory. Later events are ignored. */
    int code;
    size_t passed_over; /* depth inside a value that is skipped */
    size_t depth;       /* of frames */
    struct json_frame frames[SHAPE_DEPTH_MAX];
};

void json_fill_start(struct json_fill *, struct document *);
/* Any event but JSON_DONE. */
void json_fill_event(struct json_fill *, const struct json_value *);

/* ERROR_USAGE: "<file>: <path> <what>: <remedy>"; also kept in `code`. */
int json_refuse(struct json_fill *, const char *format, ...) __attribute__((format(printf, 2, 3)));
int json_out_of_memory(struct json_fill *);

#endif
