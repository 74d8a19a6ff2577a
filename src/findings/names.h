/* The tables that src/findings/registry.c goes through. Not for use outside of it. */
#ifndef FATHOM_FINDINGS_NAMES_H
#define FATHOM_FINDINGS_NAMES_H

#include "findings/registry.h"

extern const struct finding_line finding_names[], finding_names_gpu[]; /* end with NULL patterns */

#endif
