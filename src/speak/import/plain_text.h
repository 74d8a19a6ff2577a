/* From the bytes of a file to text in UTF-8. */
#ifndef FATHOM_SPEAK_IMPORT_PLAIN_TEXT_H
#define FATHOM_SPEAK_IMPORT_PLAIN_TEXT_H

#include "speak/import/import.h"

/* Makes UTF-8 of the text where it is UTF-16 with its mark, as the shells of Windows write it, or
 * where it has bytes of a code page: those that stand for the plus-minus sign in code page 1252,
 * 437 or 850 become one, others a question mark. Sequences of consoles for colours are left out.
 * Leaves the step of the text's pool, in which the new text lies, with ERROR_USAGE for half a
 * character, half of a surrogate pair and a NUL. */
void make_plain_text(struct import_text *);

#endif
