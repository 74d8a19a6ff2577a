/* What comparing two documents came to, as a person or a script reads it. */
#ifndef FATHOM_SHOW_RENDER_DIFFERENCES_H
#define FATHOM_SHOW_RENDER_DIFFERENCES_H

#include "compare/differences.h"
#include "show/render/render.h"

/* Changed values first, then what may have changed, then why to be careful. ERROR_SYSTEM without
 * memory. */
int render_differences_text(FILE *, const struct differences *, double threshold,
                            const struct text_style *, struct error *);
/* Every value that both have, one a row. */
void render_differences_csv(FILE *, const struct differences *);

/* The same as a JSON object: threshold (relative), values, changed and uncertain (counts), unfair
 * and missing (sentences), differences[] with the columns of the CSV; a number that is absent has
 * no key. */
void render_differences_json(FILE *, const struct differences *, double threshold);

#endif
