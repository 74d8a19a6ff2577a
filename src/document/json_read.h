/*
 * Fills structs from a stream of JSON by the tables of shape.h, without a tree between them. Keys
 * that the tables do not know are skipped with all that they hold.
 */
#ifndef FATHOM_DOCUMENT_JSON_READ_H
#define FATHOM_DOCUMENT_JSON_READ_H

#include "base/error.h"
#include "base/pool.h"
#include "document/shape.h"

#include <stdio.h>

/* A kind of document, whose outermost object has the text `schema` at the key "schema". */
struct json_form {
    const struct shape *shape; /* of all else */
    const char *schema;        /* "fathom/1", which "fathom/1.3" is too: it only adds keys */
    const char *writer;        /* as messages name what writes it: "fathom" */
};

/* Reads the stream to its end into the struct at `base`, which is zeroed, and what it refers to
 * into the pool. A step of the pool, where an array that grows takes its old place back.
 * ERROR_USAGE, naming the stream by `name`, the path of the value and what is wrong: of what stands
 * anywhere in it first what is not JSON, then what is of no such schema, then what is not as the
 * shape has it. ERROR_SYSTEM without memory. */
int json_read(struct pool *, FILE *, const char *name, const struct json_form *, void *base,
              struct error *);

#endif
