/*
 * What every finding is, by its name: `fathom list findings`, the manual and docs/findings.md come
 * from these tables: names.c, and names_gpu.c for those that begin with a device, "gpu0". A finding
 * that is in no line of them fails tests/cli/manual.
 */
#ifndef FATHOM_FINDINGS_NAMES_H
#define FATHOM_FINDINGS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct finding_name {
    const char *probe; /* the probe whose finding it is */
    /* Names as they stand in documents, separated by ", ". A * stands for one or more characters
     * other than a dot: "L*.latency, DRAM.latency". */
    const char *patterns;
    const char *unit;    /* "cycles"; "" for a plain number or a sentence alone */
    const char *meaning; /* what it is, and what moves it */
    const char *advice;  /* what to do with it, or about it */
};

extern const struct finding_name finding_names[], finding_names_gpu[]; /* end with NULL patterns */

/* Every line of them, those of one probe together; NULL behind the last. */
const struct finding_name *finding_name_at(size_t i);

/* Whether the name is one that the patterns stand for. */
bool finding_name_matches(const char *patterns, const char *name);
/* The first line that the name matches; NULL where there is none. */
const struct finding_name *finding_name_find(const char *name);

#endif
