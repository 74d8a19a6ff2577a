/*
 * Texts and numbers in HTML and SVG.
 *
 * A document's text reaches markup through html_text() and html_print() alone. They make it inert
 * by the rules of clean.h and escape it, so it can be neither markup nor script, and they cut it: a
 * text of ten megabytes is not for reading.
 */
#pragma once

#include <stdio.h>

enum { HTML_TEXT_BYTES_MAX = 4000 };

/* Escaped for both element content and quoted attributes. NULL is an empty text. */
void html_text(FILE *, const char *text);
/* Markup with texts (%s), which are escaped as by html_text(), and numbers: %d, %zu, and %.2f and
 * %.3g with one digit of precision. */
void html_print(FILE *, const char *format, ...) __attribute__((format(printf, 2, 3)));
