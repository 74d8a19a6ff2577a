/* What can be typed as a command's operands, where that is one of a few words: for completion and
 * for the manual. */
#ifndef FATHOM_CLI_WORDS_H
#define FATHOM_CLI_WORDS_H

#include "cli/command.h"

struct operand_words {
    const char *operand;          /* as in the usage line: "PROBE" */
    const char *title;            /* what they are */
    const char *(*word)(size_t);  /* the i-th, NULL at the end */
    const char *(*about)(size_t); /* what it means */
    /* Those of the command's options that the i-th takes, ending with NULL; NULL: the command's
     * options have nothing to do with the word. */
    const char *const *(*options)(size_t);
};

/* What the i-th word means, and which options it takes; returns `text`. */
const char *words_about(const struct operand_words *, size_t i, char *text, size_t size);
/* Those of the command's first operand; NULL where it is none of a few words. */
const struct operand_words *words_of(const struct command *);
/* Whether they may be given again and again. */
bool words_repeat(const struct command *);
/* Whether such a word may be left out, so that a file can stand in its place. */
bool words_or_files(const struct command *);
/* Whether it takes files, after such a word or at once. */
bool words_then_files(const struct command *);

/* What `fathom completion` and `fathom list` know. */
extern const char *const shell_words[], *const shell_abouts[], *const topic_words[],
                                                                   *const topic_abouts[];
/* The lines of the page about the document between its first and its last heading, in scdoc; ends
 * with NULL. docs/man/document makes it of the schema. */
extern const char *const manual_document[];
/* The i-th page of the manual, by the name it is asked for; NULL at the end. */
const char *manual_page(size_t i);

#endif
