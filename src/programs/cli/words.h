/* What can be typed as a command's operands: how many, and which words where they are a list. For
 * parsing, completion and the manual. */
#ifndef FATHOM_PROGRAMS_CLI_WORDS_H
#define FATHOM_PROGRAMS_CLI_WORDS_H

#include "programs/cli/command.h"

struct word {
    const char *word, *about; /* what it means */
};

struct operand_words {
    const char *operand;                /* as in the usage line: "PROBE" */
    const char *kind;                   /* one of them, in a sentence: "probe" */
    const char *title;                  /* what they are */
    bool (*nth)(size_t, struct word *); /* the i-th; false at the end */
    bool in_help;                       /* the command's help lists them */
};

/* The words of the command's first operand; NULL where it may be anything. */
const struct operand_words *words_of(const struct command *);
/* Which of them was typed; -1: none. */
int words_place(const struct operand_words *, const char *typed);
/* ERROR_USAGE where there are more or fewer operands than the usage line has, or where one is none
 * of the words that it can be: with the word that was meant, or with all of them. */
int words_check(const struct invocation *, struct error *);
/* Whether several may be given. */
bool words_repeat(const struct command *);
/* Whether such a word may be left out, so that a file can stand in its place. */
bool words_or_files(const struct command *);
/* Whether it takes files, after such a word or at once. */
bool words_then_files(const struct command *);

/* The page about the document between its first and its last heading, in scdoc's lines; ends with
 * NULL. docs/man/document makes it of the schema. */
extern const char *const manual_document[];

#endif
