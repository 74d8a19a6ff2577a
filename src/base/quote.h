/* Texts as CSV and JSON write them. */
#pragma once

#include <stdio.h>

/* A CSV cell (RFC 4180) with the text, made inert (base/clean.h); NULL is an empty cell. A cell
 * that begins like a formula gets an apostrophe, so that a spreadsheet takes it for text. */
void csv_print(FILE *, const char *text);
void csv_put(FILE *, const char *text); /* and the comma after it */

/* The escape sequence for a code point in a JSON string; NULL where it needs none. Harmful
 * characters (base/clean.h) are escaped, so a terminal acts on none and nothing is lost. */
enum { JSON_ESCAPE = 16 };
const char *json_escape(int code, char escape[JSON_ESCAPE]);
/* Writes the text, made inert, as a JSON string. */
void json_print(FILE *, const char *text);
/* The separator, a key, and its text or its number to nine digits; nothing if the number is not
 * finite. */
void json_text(FILE *, const char *separator, const char *key, const char *text);
void json_number(FILE *, const char *separator, const char *key, double number);
