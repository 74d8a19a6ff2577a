/* From a tree of JSON values to the document's structs, by the tables of shape.h. */
#ifndef FATHOM_RESULT_JSON_TREE_H
#define FATHOM_RESULT_JSON_TREE_H

#include "base/error.h"
#include "base/pool.h"
#include "result/shape.h"

#include <jansson.h>

struct reader {
    struct pool *pool;
    struct error *error;
    const char *file;
    char path[160]; /* of the value at hand: "probes[0].series[1].points[3].median" */
    size_t path_length;
};

/* Fills the struct at `base`; `json` NULL leaves every member absent. ERROR_USAGE, naming the path
 * of the first value that is not as the shape has it, or ERROR_SYSTEM without memory. */
int json_read_fields(struct reader *, const struct shape *, const json_t *json, void *base);

/* ERROR_USAGE: "<file>: <path> <what>: <remedy>". */
int json_refuse(struct reader *, const char *format, ...) __attribute__((format(printf, 2, 3)));
int json_out_of_memory(struct reader *);

#endif
