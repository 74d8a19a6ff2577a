/* What a shell offers while a line is typed. */
#ifndef FATHOM_PROGRAMS_CLI_COMPLETION_H
#define FATHOM_PROGRAMS_CLI_COMPLETION_H

#include <stddef.h>

/* Prints what the last word can become, given all words behind `fathom` up to the cursor. A line
 * each: the word, a tab and what it means; ":files" where it can be the name of a file. */
void complete_line(char *const *words, size_t count);

#endif
