/* Texts as CSV and JSON write them. */
#ifndef FATHOM_BASE_QUOTE_H
#define FATHOM_BASE_QUOTE_H

#include <stdbool.h>
#include <stdio.h>

/* A CSV cell (RFC 4180) that is put together from texts, made inert (base/clean.h). It is gone
 * through twice, first to see whether it needs quotes:
 *
 *     struct csv_cell cell = {0};
 *     while (csv_cell_pass(&cell, out)) {
 *         csv_cell_add(&cell, "one text");
 *         csv_cell_add(&cell, "another");
 *     }
 *
 * A text that begins like a formula gets an apostrophe, which a spreadsheet takes for plain text.
 */
struct csv_cell {
    FILE *out;  /* NULL in the first pass */
    int passes; /* that were begun */
    bool begun, quoted;
};
bool csv_cell_pass(struct csv_cell *, FILE *);
void csv_cell_add(struct csv_cell *, const char *text);
/* A cell of one text; NULL is an empty one. */
void csv_print(FILE *, const char *text);

/* How a character, given by its code, stands in a JSON string: NULL where it stands for itself,
 * else the escape sequence, so that a terminal acts on none and nothing is lost. `in_markup`:
 * within <script>, where <, >, & and ' are escaped too. */
enum { JSON_ESCAPE = 16 };
const char *json_escape(int code, bool in_markup, char escape[JSON_ESCAPE]);
/* A JSON string of at most `most` bytes of the text, made inert, and "…" where it is longer. */
void json_print(FILE *, const char *text, size_t most, bool in_markup);

#endif
