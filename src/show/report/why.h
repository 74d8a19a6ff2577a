/* Why a comparison has its answer, in a sentence. */
#pragma once

#include "base/line.h"
#include "compare/compare.h"

/* A resolution beyond this factor is told as "no better than" it. */
enum { KNOWN_MOST = 10 };

/* "compared as memory (tolerance 10 %): the ratio is known to +-12 %, because single runs of one
 * machine scatter by 4 %; chance makes one so large with p = 0.3" */
void line_add_why(struct line *, const struct comparison *);
