/* The differences of two documents, for people and for scripts. */
#ifndef FATHOM_SHOW_RENDER_DIFFERENCES_H
#define FATHOM_SHOW_RENDER_DIFFERENCES_H

#include "compare/differences.h"
#include "show/render/render.h"

/* Changed values, then uncertain ones, then reasons to be careful. ERROR_SYSTEM without memory. */
int render_differences_text(FILE *, const struct differences *, double threshold,
                            const struct text_style *, struct error *);
/* A row for each value that both documents have. */
void render_differences_csv(FILE *, const struct differences *);

/* The same as a JSON object: threshold (relative), values, changed and uncertain (counts),
 * unfair and missing (sentences), differences[] with the columns of the CSV; an absent number
 * has no key. */
void render_differences_json(FILE *, const struct differences *, double threshold);

#endif
