/*
 * What a person meant by a word that nothing is called: the closest of the words that there are, by
 * letters left out, added, changed or swapped with their neighbour (optimal string alignment, after
 * Damerau, "A technique for computer detection and correction of spelling errors", CACM 7(3),
 * 1964).
 */
#ifndef FATHOM_BASE_GUESS_H
#define FATHOM_BASE_GUESS_H

#include "base/error.h"

struct guess {
    const char *typed;
    const char *word; /* the closest of those offered; NULL: none is close enough */
    unsigned edits;   /* from one to the other */
};

/* Edits that make one word the other, whatever their case; `most` + 1 where it takes more. */
unsigned guess_edits(const char *a, const char *b, unsigned most);

/* Compares the word with what was typed. Near means one edit in three letters, or a word that
 * begins with what was typed. Of equally near words the first is kept. */
void guess_offer(struct guess *, const char *word);

/* Says that nothing of that kind ("probe") has the name, and the closest word or else what to do
 * ("'fathom list' shows them"). Returns ERROR_USAGE. */
int guess_refuse(const struct guess *, const char *kind, const char *otherwise, struct error *);

#endif
