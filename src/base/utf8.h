/* UTF-8 one code point at a time (RFC 3629: no surrogates, no overlong forms). */
#ifndef FATHOM_BASE_UTF8_H
#define FATHOM_BASE_UTF8_H

/* The code point at *cursor, having moved past it; 0 at the end of the text, where it stays. A byte
 * that begins no complete valid sequence is skipped alone and gives -1. */
int utf8_next(const char **cursor);

#endif
