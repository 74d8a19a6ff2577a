/*
 * Findings that are a point of a series, or what two of its points differ by: their lines in the
 * registry say which, so that no code has to.
 */
#ifndef FATHOM_CONCLUDE_READ_H
#define FATHOM_CONCLUDE_READ_H

#include "conclude/analyse.h"
#include "conclude/registry/registry.h"

/* Adds the findings of all lines that name a series. */
void findings_read(struct analysis *, const struct finding_line *lines);

#endif
