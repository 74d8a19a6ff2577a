/* What several outputs are put together from. Not for use outside of render. */
#ifndef FATHOM_SHOW_RENDER_PARTS_H
#define FATHOM_SHOW_RENDER_PARTS_H

#include "conclude/registry/catalogue.h"
#include "conclude/registry/factors.h"
#include "show/render/render.h"
#include "show/report/grid.h"
#include "show/report/machine.h"

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

/* --- wrap.c --- */

/* Prints in as many lines as the width asks for. The caller has printed `indent` columns of the
 * first one; the others begin that far in. A word that is longer than a line is broken, behind a
 * comma where it has one. */
void line_print_wrapped(FILE *, const struct text_style *, size_t indent, const struct line *);
void text_print_wrapped(FILE *, const struct text_style *, size_t indent, const char *text);
/* As it is where it fits, its blanks in their places; else as above, from the first column on. */
void line_print(FILE *, const struct text_style *, const struct line *);

/* Sets a width that makes no sense to 80. */
struct text_style text_style_sane(const struct text_style *);

#endif
