/* Compares the factors of series and findings, and puts them into words. */
#pragma once

#include "base/line.h"
#include "document/document.h"

enum { FACTORS_SEEN = 64 };
/* How many factors are used, from the first on: at most FACTORS_SEEN. */
size_t factors_seen(const struct series *);
/* The factor of that name among these; NULL: none. */
const struct factor *factor_seen(const struct series *, const char *name);
/* Whether both have the same factors, in any order; beyond FACTORS_SEEN, in the same order. */
bool factors_same(const struct series *, const struct series *);

/* Writes a number that a person set into UNIT_TEXT bytes, exact to the last digit even for sizes of
 * many GiB; "-" if it is not finite. Returns text. */
char *factor_format(double number, char *text);
/* Adds ", op cas, stride 64" for each factor; the comma only after other text. */
void line_add_factors(struct line *, const struct factor *, size_t count);
/* Adds the finding's deviations: ", order forward" after other text in the line, or " (order
 * forward)"; nothing for a standard experiment. */
void line_add_experiment(struct line *, const struct finding *);
void line_add_in_brackets(struct line *, const struct finding *);
