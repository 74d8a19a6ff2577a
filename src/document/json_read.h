/*
 * Fills structs directly from a stream of JSON by the tables of shape.h, without building a tree.
 * Keys that the tables do not have are skipped with their values.
 */
#pragma once

#include "base/error.h"
#include "base/pool.h"
#include "document/shape.h"

#include <stdio.h>

/* A kind of document. Its outermost object has the text `schema` at the key "schema". */
struct json_form {
    const struct shape *shape; /* of all other keys */
    const char *schema;        /* "fathom/1"; accepts "fathom/1.3" too, which only adds keys */
    const char *writer;        /* the program that writes it, for messages: "fathom" */
};

/* Reads the stream to its end into the zeroed struct at `base`, and what it refers to into the
 * pool. Runs as a step of the pool; an array that grows frees its old memory. ERROR_USAGE names the
 * stream (`name`), the path of the value and what is wrong. Of several faults, wherever they are,
 * it reports text that is not JSON first, then a wrong schema, then a value that does not fit the
 * shape. ERROR_SYSTEM without memory. */
int json_read(struct pool *, FILE *, const char *name, const struct json_form *, void *base,
              struct error *);
