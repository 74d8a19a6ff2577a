/* A command's operands: how many there may be, and the list of words where there is one. For
 * parsing, completion and the manual. */
#pragma once

#include "programs/cli/command.h"

struct word {
    const char *word, *about; /* its meaning */
};

struct operand_words {
    const char *operand;                /* as in the usage line: "PROBE" */
    const char *kind;                   /* what one word is, in a sentence: "probe" */
    const char *title;                  /* heading of the list */
    bool (*nth)(size_t, struct word *); /* the i-th; false at the end */
    bool in_help;                       /* the command's help lists them */
};

/* The words that the command's first operand may be; NULL: any text. */
const struct operand_words *words_of(const struct command *);
/* Index of the word that was typed; -1: none of them. */
int words_place(const struct operand_words *, const char *typed);
/* ERROR_USAGE for more or fewer operands than the usage line has, or for an operand that is not one
 * of its words; the error suggests the closest word, or lists all. */
int words_check(const struct invocation *, struct error *);
/* Whether several operands may be given. */
bool words_repeat(const struct command *);
/* Whether the word may be omitted, so that a file comes first. */
bool words_or_files(const struct command *);
/* Whether the command takes files, after the word or as its first operand. */
bool words_then_files(const struct command *);

/* Prints the completions of the last word; `words` are all words after `fathom` up to the cursor.
 * Each line is a word, a tab and its meaning, or ":files" if a file name may follow. */
void complete_line(char *const *words, size_t count);

/* The manual page about the document without its first and last section, in scdoc's lines; ends
 * with NULL. docs/man/document makes it from the schema. */
extern const char *const manual_document[];
