/* Comparing texts. In documents an absent text (NULL) means the same as an empty one. */
#pragma once

#include <stdbool.h>

bool text_same(const char *a, const char *b); /* NULL is "" */
const char *text_or_unknown(const char *);    /* NULL is "unknown" */
bool text_ends_with(const char *text, const char *ending);
const char *path_name(const char *path); /* what follows the last '/' */

/* Removes an incomplete UTF-8 character from the end of a text that was cut. */
void text_drop_half(char *text);
