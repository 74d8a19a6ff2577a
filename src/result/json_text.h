/*
 * Texts in quotes. Beyond the grammar of RFC 8259, what would not survive as a C string of UTF-8 is
 * refused: bytes that are not UTF-8 (RFC 3629), halves of surrogate pairs, and \u0000.
 */
#ifndef FATHOM_RESULT_JSON_TEXT_H
#define FATHOM_RESULT_JSON_TEXT_H

#include "result/json_input.h"

/* These return 0, or a negative code as json_read_on() and json_wrong() do. */

/* From the quote at hand to behind the one that ends the text, which has no escapes then, and no
 * NUL behind it; it lies in the input's token. */
int json_pass_text(struct json_input *, const char **bytes, size_t *length);

/* The character whose first byte, above 127, is at hand. */
int json_pass_character(struct json_input *);

#endif
