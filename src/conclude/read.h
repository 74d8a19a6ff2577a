/*
 * Findings that are one point of a series, or the difference or ratio of two points. Their lines in
 * the registry say which points, so each needs no code.
 */
#pragma once

#include "conclude/analyse.h"
#include "conclude/registry/registry.h"

/* Adds the findings of all lines that name a series. */
void findings_read(struct analysis *, const struct finding_line *lines);
