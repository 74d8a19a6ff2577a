/* What several outputs are put together from. Not for use outside of render. */
#ifndef FATHOM_SHOW_RENDER_PARTS_H
#define FATHOM_SHOW_RENDER_PARTS_H

#include "conclude/registry/factors.h"
#include "show/render/render.h"
#include "show/report/blocks.h"
#include "show/report/figure.h"
#include "show/report/names.h"

/* --- ink.c: colour, where the style has it --- */

enum ink { INK_PLAIN, INK_BOLD, INK_DIM, INK_WARN };
/* The escape sequence, or "" without colour. */
const char *ink(const struct text_style *, enum ink);
/* A colour for a share of 0 (near) to 1 (far), from blue to yellow. The foreground one is written
 * as text, the background one with a legible colour of text on it. */
void ink_ramp(FILE *, const struct text_style *, double share);
void ink_ramp_behind(FILE *, const struct text_style *, double share);
/* Half a block over another, in the colours of two shares; NAN: nothing is drawn in that half. */
void ink_halves(FILE *, const struct text_style *, double upper, double lower);

/* Prints in as many lines as the width asks for. The caller has printed `indent` columns of the
 * first one; the others begin that far in. A word that is longer than a line is broken, behind a
 * comma where it has one. */
void line_print_wrapped(FILE *, const struct text_style *, size_t indent, const struct line *);
void text_print_wrapped(FILE *, const struct text_style *, size_t indent, const char *text);
/* As it is where it fits, its blanks in their places; else as above, from the first column on. */
void line_print(FILE *, const struct text_style *, const struct line *);

/* Sets a width that makes no sense to 80. */
struct text_style text_style_sane(const struct text_style *);

/* --- JSON --- */

/* The separator, a key, and its text, or a number to nine digits; nothing for one that is not
 * finite. */
void json_text(FILE *, const char *separator, const char *key, const char *text);
void json_number(FILE *, const char *separator, const char *key, double number);

/* --- blocks of a report as lines of text; the style's width makes sense --- */

/* All blocks. */
void draw_report(FILE *, const struct report *, const struct text_style *);
/* `within`: below what it is about, in a line of its own no more. */
void draw_table(FILE *, const struct table *, bool within, const struct text_style *);
/* Wrapped; the caller has printed `indent` columns of the first line. */
void draw_sentence(FILE *, const char *sentence, size_t indent, const struct text_style *);
/* What was left out, wrapped; nothing where it is NULL. */
void draw_more(FILE *, const char *more, const struct text_style *);
/* With block characters. */
void draw_curve(FILE *, const struct curve *, const struct text_style *);
void draw_matrix(FILE *, const struct matrix *, const struct text_style *, struct pool *);

/* --- matrices: cells of numbers or of colours --- */

/* The least and the greatest value of a matrix, and how values are shown. */
struct values {
    double least, most;
    struct scale scale;
    char unit[24]; /* inert */
    const char *absent;
};
struct values values_of(const struct matrix *);

/* As numbers, where they fit the width; of groups with their ranges, if these fit too, and with
 * what a number of them is. False, with nothing written, where they don't fit. */
bool square_print(FILE *, const struct square *, const struct values *, const struct text_style *);
/* As colours or shades, several pairs in a cell where it takes that to fit the width, and what they
 * mean. */
void square_print_heat(FILE *, const struct square *, const struct values *,
                       const struct text_style *, struct pool *);

#endif
