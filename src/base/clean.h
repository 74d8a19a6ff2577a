/* Text of a document made inert: no control characters, no escape sequences, no invisible or
 * direction-changing characters, no invalid UTF-8. Each of these becomes '?'. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { CLEAN_TEXT = 128 };

/* Whether the code point is one of these characters. */
bool clean_is_harmful(int code);
/* Writes the next character of *cursor, made inert (1 to 4 bytes), to `character` and moves the
 * cursor past it. Returns its number of bytes; 0 at the end of the text. */
size_t clean_next(const char **cursor, char character[4]);
/* Writes the text, made inert, to `clean` of `size` bytes, cut between characters; returns `clean`,
 * which may be the text itself. NULL counts as an empty text. */
char *clean_text(const char *text, char *clean, size_t size);
/* strcmp() of the two texts after both were made inert: different texts can compare as equal. */
int clean_order(const char *a, const char *b);
/* The columns that inert text takes on a terminal, at one for each character. */
size_t clean_columns(const char *text);
