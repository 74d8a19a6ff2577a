/*
 * Charts of a report as SVG, for the page and for files of their own. Colours stand twice: as
 * attributes, which every program that opens SVG knows, and as classes, by which a page or a dark
 * screen replaces them.
 */
#pragma once

#include "show/render/markup.h"
#include "show/report/blocks.h"

/* A chart: the heading of level 3 (report_add_charts()) and the curves or matrices below it. */
struct chart {
    const struct report *report;
    const struct block *blocks; /* all curves, or all matrices */
    size_t count;
    /* Of a large matrix: groups and every pair; or groups alone; or every pair if there is room for
     * their values, else groups. */
    enum { MATRIX_WHOLE, MATRIX_GROUPS, MATRIX_ONE } show;
};
/* The chart below the heading at that index. */
struct chart chart_at(const struct report *, size_t heading);
/* Whether the block is the heading of a chapter (level 2) or of a chart (3). */
bool block_is_chart_heading(const struct block *, int level);
/* Whether a picture says more than its few values would in a line of text. */
bool chart_is_worth_drawing(const struct chart *);

/* Where a picture stands. */
struct canvas {
    FILE *out;
    double width;
    bool read_out; /* every value has a text (<title>), which a page shows at the pointer */
};

/* A whole <svg> of the chart, for a page whose style knows its classes. */
void picture_write(FILE *, const struct chart *, double width, const char *label);

/* --- for the files of this folder --- */

enum svg_ink {
    SVG_NONE,
    SVG_PAPER,
    SVG_INK,
    SVG_SOFT,
    SVG_RULE,
    SVG_ACCENT,
    SVG_LINE, /* the first of SVG_LINES */
    SVG_LINES = 8,
    SVG_INKS = SVG_LINE + SVG_LINES
};
/* Attributes: " class="f2 s1" fill="#..." stroke="#..."". */
void svg_paint(FILE *, enum svg_ink fill, enum svg_ink stroke);
enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };
/* A text with its base line at y. */
void svg_text(FILE *, double x, double y, enum svg_ink, double size, enum svg_anchor, const char *);
/* An estimate, for the fonts that people have. */
double svg_text_width(const char *text, double size);

double curves_height(const struct chart *, double width);
void curves_put(const struct canvas *, const struct chart *, double left, double top);
double matrices_size(const struct chart *, double *width);
void matrices_put(const struct canvas *, const struct chart *, double left, double top);
