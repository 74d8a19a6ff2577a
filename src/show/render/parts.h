/* Parts that several outputs share. Not for use outside of render. */
#pragma once

#include "conclude/registry/factors.h"
#include "show/render/render.h"
#include "show/report/blocks.h"
#include "show/report/figure.h"
#include "show/report/names.h"

/* --- ink.c: colour, if the style has it --- */

enum ink { INK_PLAIN, INK_BOLD, INK_DIM, INK_GOOD, INK_WARN };
/* The escape sequence; "" without colour. */
const char *ink(const struct text_style *, enum ink);
/* A colour for a share of 0 (near) to 1 (far), from blue to yellow: of the text, or of the
 * background with a text colour that is legible on it. */
void ink_ramp(FILE *, const struct text_style *, double share);
void ink_ramp_behind(FILE *, const struct text_style *, double share);

/* Without UTF-8, the report's own signs in ASCII: "+-" for "±", and never longer.
 * Changes and returns the text. */
char *text_in_style(const struct text_style *, char *text);
/* Prints, wrapped at the width. The caller has printed `indent` columns of the first line; the
 * other lines are indented by as many. A word that is longer than a line is broken, after a comma
 * if it has one. */
void text_print_wrapped(FILE *, const struct text_style *, size_t indent, const char *text);

/* The change that a ratio means, in percent: "+1.2", "-25". */
void line_add_percent(struct line *, double ratio);

/* Replaces an implausible width by 80. */
struct text_style text_style_sane(const struct text_style *);

/* --- blocks of a report as lines of text; the style's width must be plausible --- */

/* Builds and draws the first screen of a document, or of its probe, in at most as many lines as a
 * screen has: blocks that matter least are left out. */
struct output_content;
void draw_screen(FILE *, struct report *, const struct output_content *, const struct text_style *,
                 struct pool *);
/* All blocks of the report. */
void draw_report(FILE *, const struct report *, const struct text_style *);
/* `within`: below its subject, so the title is indented and no blank line comes before it. */
void draw_table(FILE *, const struct table *, bool within, const struct text_style *);
/* Wrapped; the caller has printed `indent` columns of the first line. */
void draw_sentence(FILE *, const char *sentence, size_t indent, const struct text_style *);
/* What was left out, wrapped; nothing if NULL. */
void draw_more(FILE *, const char *more, const struct text_style *);
/* With block characters. */
void draw_curve(FILE *, const struct curve *, const struct text_style *);
void draw_matrix(FILE *, const struct matrix *, const struct text_style *);

/* --- matrices --- */

/* The least and the greatest value of a matrix, and the form of its values. */
struct values {
    double least, most;
    struct scale scale;
    char unit[24]; /* inert */
    const char *absent;
};
