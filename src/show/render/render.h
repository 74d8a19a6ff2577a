/*
 * The functions that draw outputs. They read only a document and write to a stream; the caller then
 * checks the stream (ferror, fflush). A document may come from another person: every text of it is
 * made inert before it is printed, and no content, however odd, makes an output fail.
 */
#pragma once

#include "document/document.h"

#include <stdbool.h>
#include <stdio.h>

/* What the terminal or file that text is written to can show. */
struct text_style {
    bool colour; /* escape sequences may be written */
    bool blocks; /* a terminal with UTF-8: block characters may be written */
    int width;   /* columns; an implausible value counts as 80 */
};

/* A device's description, wrapped after `indent` columns that the caller has printed; below it
 * gpu_warning(), if there is one. */
void render_gpu(FILE *, const struct gpu_facts *, size_t indent, const struct text_style *);
/* A sentence, wrapped in the same way. */
void render_sentence(FILE *, const char *sentence, size_t indent, const struct text_style *);
/* A self-contained page of one document, or of several side by side: HTML with its style, script
 * and data, without network requests. Differences between several are judged by the tolerance, as
 * in compare/differences.h. Errors as in output_render(). */
int render_page(FILE *, const struct document *const *, size_t count, double tolerance,
                struct error *);
