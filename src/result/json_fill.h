/*
 * From the events of json_events.h to the document's structs, by the tables of shape.h, without a
 * tree between them. Keys that the tables do not know are passed over with all that they hold.
 */
#ifndef FATHOM_RESULT_JSON_FILL_H
#define FATHOM_RESULT_JSON_FILL_H

#include "base/error.h"
#include "base/pool.h"
#include "result/document.h"
#include "result/json_events.h"
#include "result/shape.h"

/* An object or array that is being read. */
struct json_frame {
    const struct shape *shape; /* of an object; NULL in what `field` says */
    const struct field *field; /* an array's or the factors' own */
    const struct field *at;    /* an object's key at hand; NULL where it is not known */
    const char *name;          /* the factors' key at hand */
    char *base;    /* the struct that the keys fill, or that has the array as a member */
    uint64_t seen; /* set of an object's keys, by their place in the shape */
    size_t index;  /* of an array's element at hand */
};

struct json_fill {
    struct pool *pool;
    struct error *error;
    const char *file; /* as messages name it */
    /* 0, or the first failure: ERROR_USAGE, naming the path of a value that is not as the shape has
     * it, or ERROR_SYSTEM without memory. Events are passed over after it. */
    int code;
    size_t passed_over; /* depth inside a value that is */
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
