/*
 * What every finding is, by its name: `fathom list findings`, the manual and docs/findings.md come
 * from this one table. A finding that is in no line of it fails tests/cli/manual.
 */
#ifndef FATHOM_FINDINGS_NAMES_H
#define FATHOM_FINDINGS_NAMES_H

#include <stdbool.h>

struct finding_name {
    const char *probe; /* the probe whose finding it is */
    /* Names as they stand in documents, separated by ", ". A * stands for one or more characters
     * other than a dot: "L*.latency, DRAM.latency". */
    const char *patterns;
    const char *unit;    /* "cycles"; "" for a plain number or a sentence alone */
    const char *meaning; /* what it is, and what moves it */
    const char *advice;  /* what to do with it, or about it */
};

extern const struct finding_name finding_names[]; /* ends with NULL patterns */

/* Whether the name is one that the patterns stand for. */
bool finding_name_matches(const char *patterns, const char *name);
/* The first line of the table that the name matches; NULL where there is none. */
const struct finding_name *finding_name_find(const char *name);

#endif
