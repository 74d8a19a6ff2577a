/* What can be typed as a command's operands: how many, and which words where they are a list. For
 * parsing, completion and the manual. */
#ifndef FATHOM_PROGRAMS_CLI_WORDS_H
#define FATHOM_PROGRAMS_CLI_WORDS_H

#include "programs/cli/command.h"

struct operand_words {
    const char *operand;          /* as in the usage line: "PROBE" */
    const char *kind;             /* one of them, in a sentence: "probe" */
    const char *title;            /* what they are */
    const char *(*word)(size_t);  /* the i-th, NULL at the end */
    const char *(*about)(size_t); /* what it means */
    bool in_help;                 /* the command's help lists them */
};

/* The words of the command's first operand; NULL where it may be anything. */
const struct operand_words *words_of(const struct command *);
/* ERROR_USAGE where there are more or fewer operands than the usage line has, or where one is none
 * of the words that it can be: with the word that was meant, or with all of them. */
int words_check(const struct invocation *, struct error *);
/* Whether several may be given. */
bool words_repeat(const struct command *);
/* Whether such a word may be left out, so that a file can stand in its place. */
bool words_or_files(const struct command *);
/* Whether it takes files, after such a word or at once. */
bool words_then_files(const struct command *);

/* The operands of `fathom completion` and `fathom list`. */
extern const char *const shell_words[], *const shell_abouts[], *const topic_words[],
                                                                   *const topic_abouts[];
/* The page about the document between its first and its last heading, in scdoc's lines; ends with
 * NULL. docs/man/document makes it of the schema. */
extern const char *const manual_document[];
/* The i-th page of the manual, by the name it is asked for; NULL at the end. */
const char *manual_page(size_t i);

#endif
