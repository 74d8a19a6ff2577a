/* UTF-8 one code point at a time (RFC 3629: no surrogates, no overlong forms). */
#pragma once

/* Returns the code point at *cursor and moves past it; at the end of the text returns 0 and does
 * not move. A byte that does not begin a complete valid sequence is skipped alone and returns
 * -1. */
int utf8_next(const char **cursor);
