/* Texts as CSV and JSON write them. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* A CSV cell (RFC 4180) of one or more texts, made inert (base/clean.h). The caller adds the texts
 * in two passes: the first finds whether the cell needs quotes, the second writes it:
 *
 *     struct csv_cell cell = {0};
 *     while (csv_cell_pass(&cell, out)) {
 *         csv_cell_add(&cell, "one text");
 *         csv_cell_add(&cell, "another");
 *     }
 *
 * A cell that begins like a formula gets an apostrophe, so that a spreadsheet takes it for text.
 */
struct csv_cell {
    FILE *out;  /* NULL in the first pass */
    int passes; /* passes begun so far, 0 to 3 */
    bool begun, quoted;
};
bool csv_cell_pass(struct csv_cell *, FILE *);
void csv_cell_add(struct csv_cell *, const char *text);
/* A cell of one text; NULL is an empty cell. */
void csv_print(FILE *, const char *text);

/* The escape sequence for a code point in a JSON string; NULL where it needs none. Harmful
 * characters (base/clean.h) are escaped, so a terminal acts on none and nothing is lost.
 * `in_markup`: within <script>, where <, >, & and ' are escaped too. */
enum { JSON_ESCAPE = 16 };
const char *json_escape(int code, bool in_markup, char escape[JSON_ESCAPE]);
/* Writes the text, made inert, as a JSON string. A text of more than `most` bytes is cut and ends
 * in "…". */
void json_print(FILE *, const char *text, size_t most, bool in_markup);
/* The separator, a key, and its text or its number to nine digits; nothing if the number is not
 * finite. */
void json_text(FILE *, const char *separator, const char *key, const char *text);
void json_number(FILE *, const char *separator, const char *key, double number);
