/* Turns the bytes of a file into UTF-8. */
#pragma once

#include "speak/import/import.h"

/* Converts the text to UTF-8 from UTF-16 with a byte order mark, as the shells of Windows write it,
 * or from a code page: a byte that is the plus-minus or the micro sign in code page 1252, 437 or
 * 850 becomes that sign, any other byte a question mark. Removes marks and the colour sequences of
 * terminals, and blanks what stands around a table: prompts, and of Markdown with fences all
 * outside them, which counts as not read. Lines keep their numbers. The new text lies in the text's
 * pool. Leaves the pool's step with ERROR_USAGE for half a character, half a surrogate pair or a
 * NUL. */
void make_plain_text(struct import_text *);
