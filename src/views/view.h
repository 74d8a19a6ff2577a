/*
 * Views: what a document looks like. They read a document and nothing else, and write to a stream;
 * the caller checks the stream (ferror, fflush) when a view returns. A document may be another
 * person's: every text of it is made inert before it is printed, and no content of it, however
 * odd, makes a view fail.
 */
#ifndef FATHOM_VIEWS_VIEW_H
#define FATHOM_VIEWS_VIEW_H

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
/* Every point of every series as one CSV row (RFC 4180, but lines end with LF alone). */
void view_csv(FILE *, const struct document *);

#endif
