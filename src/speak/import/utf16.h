/* Text in UTF-16, as the shells of Windows write what a tool prints. */
#ifndef FATHOM_SPEAK_IMPORT_UTF16_H
#define FATHOM_SPEAK_IMPORT_UTF16_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether the bytes begin with UTF-16's mark of their order. */
bool utf16_marked(const char *bytes, size_t length);

/* Such text as UTF-8, without the mark and ended with a NUL that does not count in *decoded; the
 * caller frees it, and has none on an error: ERROR_USAGE for half a character, a surrogate without
 * its other half and a NUL, ERROR_SYSTEM without memory. */
int utf16_decode(const char *bytes, size_t length, const char *file, char **text, size_t *decoded,
                 struct error *);

#endif
