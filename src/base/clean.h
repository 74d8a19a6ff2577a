/* Text of a document made inert: no control characters, no escape sequences, no invisible or
 * direction-changing characters, no invalid UTF-8. Each of these becomes '?'. */
#ifndef FATHOM_BASE_CLEAN_H
#define FATHOM_BASE_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

enum { CLEAN_TEXT = 128 };

/* Whether a character, by its code, is one of those. */
bool clean_is_harmful(int code);
/* The next inert character of *cursor (1 to 4 bytes) into `character`, and how many bytes it has;
 * 0 at the end of the text. */
size_t clean_next(const char **cursor, char character[4]);
/* The whole text into `clean` of `size` bytes, cut between characters; returns `clean`, which
 * may be the text itself. A NULL text is an empty one. */
char *clean_text(const char *text, char *clean, size_t size);
/* As strcmp() of the two once they are inert: texts that differ may then look the same. */
int clean_order(const char *a, const char *b);
/* Columns that inert text takes on a terminal, one a character. */
size_t clean_columns(const char *text);

#endif
