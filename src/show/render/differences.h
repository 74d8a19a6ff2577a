/* The differences of two documents, for people and for scripts. */
#ifndef FATHOM_SHOW_RENDER_DIFFERENCES_H
#define FATHOM_SHOW_RENDER_DIFFERENCES_H

#include "base/save.h"
#include "compare/differences.h"
#include "show/render/render.h"

/* The content of the functions below. */
struct compared {
    const struct differences *differences;
    double threshold;        /* relative */
    struct text_style style; /* for text alone */
};

/* Changed values, then uncertain ones, then reasons to be careful. ERROR_SYSTEM without memory. */
save_function render_differences_text;
/* A row for each value that both documents have. */
save_function render_differences_csv;
/* The same as a JSON object: threshold (relative), values, changed and uncertain (counts),
 * unfair and missing (sentences), differences[] with the columns of the CSV; an absent number
 * has no key. */
save_function render_differences_json;

#endif
