/* A text while its format reads it. The reading is one step of the document's pool: errors leave by
 * rows_refuse() or text_refuse(), and so does a lack of memory, so no function below checks for
 * NULL. */
#pragma once

#include "speak/import/rows.h"
#include "speak/import/tables.h"

struct import_options {
    struct setting unit, size_unit, columns, op, ids;
};

struct reading {
    struct import_text *text;
    struct import_options asked;
    struct document *document;
    struct pool *pool;    /* the document's */
    struct rows rows;     /* in line(): at the current line; in begin(): before the first */
    struct tables tables; /* numbers added here become series and findings after end() */
    void *state;          /* the format's own, of state_bytes */
};
