/* A text being read by its format. All of it is one step of the document's pool: code that can't go
 * on leaves by rows_refuse() or text_refuse(), and no function below asks whether memory was got.
 */
#ifndef FATHOM_SPEAK_IMPORT_READING_H
#define FATHOM_SPEAK_IMPORT_READING_H

#include "speak/import/rows.h"
#include "speak/import/tables.h"

struct reading {
    struct import_text *text;
    const struct settings *settings;
    struct document *document;
    struct pool *pool;    /* the document's */
    struct rows rows;     /* in line(): the line at hand; in begin(): before the first */
    struct tables tables; /* what it adds becomes series and findings after end() */
    void *state;          /* the format's own */
};

#endif
