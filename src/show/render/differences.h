/* The differences of two documents, for people and for scripts. */
#pragma once

#include "base/save.h"
#include "compare/differences.h"
#include "show/render/render.h"
#include "show/report/differences.h"

/* The content of the functions below. */
struct compared {
    const struct differences *differences;
    struct text_style style; /* for text alone */
    enum listed listed;      /* of text */
};

/* Changed facts and values, then those that can't be told. ERROR_SYSTEM without memory. */
save_function render_differences_text;
/* A row for each value that both documents have. */
save_function render_differences_csv;
/* The same as a JSON object: values (without conditions), changed and uncertain (counts), facts[]
 * that changed, missing (sentences), differences[] with the columns of the CSV and the resolution;
 * an absent number has no key. */
save_function render_differences_json;
/* One fact, after `before`, and one value, as JSON objects. */
void json_fact(FILE *, const char *before, const struct changed_fact *);
void json_difference(FILE *, const struct difference *);
