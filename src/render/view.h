/*
 * Views: what a document looks like. They read a document and nothing else, and write to a stream;
 * the caller checks the stream (ferror, fflush) when a view returns. A document may be another
 * person's: every text of it is made inert before it is printed, and no content of it, however
 * odd, makes a view fail.
 */
#ifndef FATHOM_RENDER_VIEW_H
#define FATHOM_RENDER_VIEW_H

#include "result/document.h"

#include <stdbool.h>
#include <stdio.h>

struct view_style {
    bool colour; /* escape sequences may be written */
    bool blocks; /* a terminal with UTF-8: block characters may be written */
    int width;   /* columns; taken as 80 where it makes no sense */
};

/* One screen: machine, depth, curves, matrices, and what has to be known to trust them. */
void view_text_summary(FILE *, const struct document *, const struct view_style *);
/* One probe in full: every point of every series, and its findings. */
void view_text_probe(FILE *, const struct document *, const struct probe_result *,
                     const struct view_style *);
/* What a device is, wrapped behind `indent` columns that the caller has printed; and below it,
 * where that is so, why its numbers are not a GPU's. */
void view_text_gpu(FILE *, const struct gpu_facts *, size_t indent, const struct view_style *);
/* A sentence, wrapped in the same way. */
void view_text_sentence(FILE *, const char *sentence, size_t indent, const struct view_style *);
/* One self-contained page of one document, or of several side by side: HTML with its style, script
 * and data in it, that asks no network for anything. Differences between several are judged by the
 * threshold, as in findings/differences.h. ERROR_SYSTEM without memory; otherwise as
 * view_html_possible(). */
int view_html(FILE *, const struct document *const *, size_t count, double threshold,
              struct error *);
/* 0, or ERROR_IMPOSSIBLE with the remedy where the program was built without the page. */
int view_html_possible(struct error *);

#endif
