/* Texts compared. In documents a text that is not there (NULL) says as little as an empty one. */
#ifndef FATHOM_BASE_TEXT_H
#define FATHOM_BASE_TEXT_H

#include <stdbool.h>

bool text_same(const char *a, const char *b); /* NULL is "" */
bool text_ends_with(const char *text, const char *ending);

/* What a cut may have left of a character of UTF-8 at the text's end goes. */
void text_drop_half(char *text);

#endif
