/*
 * Suggests a known word for an unknown one that a person typed: the word with the fewest edits,
 * where an edit leaves out, adds or changes a letter or swaps two neighbours (optimal string
 * alignment, after Damerau, "A technique for computer detection and correction of spelling errors",
 * CACM 7(3), 1964).
 */
#pragma once

#include "base/error.h"

struct guess {
    const char *typed;
    const char *word; /* the closest of those offered; NULL: none is close enough */
    unsigned edits;   /* between `typed` and `word` */
};

/* Edits that turn one word into the other, ignoring case; `most` + 1 where it takes more than
 * `most`. */
unsigned guess_edits(const char *a, const char *b, unsigned most);

/* Keeps the word if it is closer to what was typed than the words offered before; of equally close
 * words the first is kept. Close enough is one edit for each three letters, none of them in a
 * number, or a word that begins with what was typed, or ends with it and its number. */
void guess_offer(struct guess *, const char *word);

/* Writes the error "no KIND is called ..." with the closest word or, where there is none, with
 * `otherwise`, which says what to do ("'fathom list' shows them"). Returns ERROR_USAGE. */
int guess_refuse(const struct guess *, const char *kind, const char *otherwise, struct error *);
