/* A line of text, assembled piece by piece in its own buffer. */
#pragma once

#include <stddef.h>

struct line {
    char text[1024];
    size_t length;
};

/* Appends; what does not fit in the buffer is cut. */
void line_add(struct line *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds the text of a document, made inert (base/clean.h). */
void line_add_clean(struct line *, const char *text);
/* The same between two pieces of text that are inert already. */
void line_add_between(struct line *, const char *before, const char *text, const char *after);
/* Takes blanks off the end. */
void line_trim(struct line *);
