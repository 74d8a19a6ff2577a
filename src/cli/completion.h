/* What a shell offers while a line is typed. */
#ifndef FATHOM_CLI_COMPLETION_H
#define FATHOM_CLI_COMPLETION_H

#include <stddef.h>

/* Prints what the last of the words (all that follows `fathom` on the line, up to the cursor) can
 * become: a line each, the word, a tab and what it means; and ":files" where it can be a file. */
void complete_line(char *const *words, size_t count);

#endif
