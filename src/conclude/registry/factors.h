/* The factors of series and findings: compared, and put into words. */
#ifndef FATHOM_CONCLUDE_REGISTRY_FACTORS_H
#define FATHOM_CONCLUDE_REGISTRY_FACTORS_H

#include "base/line.h"
#include "document/document.h"

enum { FACTORS_SEEN = 64 };
/* How many are looked at, from the first on. */
size_t factors_seen(const struct series *);
/* The one of that name among these; NULL where there is none. */
const struct factor *factor_seen(const struct series *, const char *name);
/* Whether both are there, of one name and value. */
bool factor_same(const struct factor *, const struct factor *);
/* Whether the two have the same, in whatever order; of more than are looked at, in the same. */
bool factors_same(const struct series *, const struct series *);

/* A number that a person set, in UNIT_TEXT bytes, exact to the last digit even for sizes of many
 * GiB; "-" where it is not finite. Returns text. */
char *factor_format(double number, char *text);
/* Adds ", op cas, stride 64" for each factor; the comma only between things. */
void line_add_factors(struct line *, const struct factor *, size_t count);
/* What was measured where the finding's name alone does not say it: ", order forward" behind what
 * stands in the line, or " (order forward)". */
void line_add_experiment(struct line *, const struct finding *);
void line_add_in_brackets(struct line *, const struct finding *);

#endif
