/* UTF-8 one code point at a time (RFC 3629: no surrogates, no overlong forms). */
#pragma once

#include <stddef.h>

/* Returns the code point at *cursor and moves past it; at the end of the text returns 0 and does
 * not move. A byte that does not begin a complete valid sequence is skipped alone and returns
 * -1. */
int utf8_next(const char **cursor);

/* Writes the code point, at most four bytes and no NUL after them; returns their number. */
size_t utf8_put(char *to, int code);
/* How many code points begin within these bytes. */
size_t utf8_count(const char *text, size_t bytes);
