/*
 * Texts in quotes, as RFC 8259 has them, except that a text that can't be a C string in UTF-8 is
 * refused: bytes that are not UTF-8 (RFC 3629), halves of surrogate pairs, and \u0000.
 */
#ifndef FATHOM_DOCUMENT_JSON_TEXT_H
#define FATHOM_DOCUMENT_JSON_TEXT_H

#include "document/json_input.h"

/* These return 0, or a negative code as json_read_on() and json_wrong() do. */

/* Reads from the current quote to behind the closing one. *bytes then has no escapes and no NUL
 * behind it, and lies in the input's token. */
int json_pass_text(struct json_input *, const char **bytes, size_t *length);

/* Moves past the character whose first byte, above 127, is the current one. */
int json_pass_character(struct json_input *);

#endif
