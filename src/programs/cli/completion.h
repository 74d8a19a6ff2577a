/* Completion of a command line in a shell. */
#ifndef FATHOM_PROGRAMS_CLI_COMPLETION_H
#define FATHOM_PROGRAMS_CLI_COMPLETION_H

#include <stddef.h>

/* Prints the completions of the last word; `words` are all words after `fathom` up to the cursor.
 * Each line is a word, a tab and its meaning, or ":files" if a file name may follow. */
void complete_line(char *const *words, size_t count);

#endif
