/* The parts that text views are put together from. Not for use outside of views. */
#ifndef FATHOM_VIEWS_PARTS_H
#define FATHOM_VIEWS_PARTS_H

#include "views/view.h"

/* --- ink.c: colour, where the style has it --- */

enum ink { INK_PLAIN, INK_BOLD, INK_DIM, INK_WARN };
/* The escape sequence, or "" without colour. */
const char *ink(const struct view_style *, enum ink);
/* A colour for a share of 0 (near) to 1 (far), from blue to yellow. The foreground one is written
 * as text, the background one with a legible colour of text on it. */
void ink_ramp(FILE *, const struct view_style *, double share);
void ink_ramp_behind(FILE *, const struct view_style *, double share);

/* --- line.c: a line of text that is put together piece by piece --- */

struct line {
    char text[1024];
    size_t length;
};
/* Cut at the end of the buffer. */
void line_add(struct line *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds the text of a document, inert. */
void line_add_clean(struct line *, const char *text);
/* Adds ", op cas, stride 64" for each factor; the comma only between things. */
void line_add_factors(struct line *, const struct factor *, size_t count);
/* Takes blanks off the end. */
void line_trim(struct line *);
/* Prints in as many lines as the width asks for. The caller has printed `indent` columns of the
 * first one; the others begin that far in. */
void line_print_wrapped(FILE *, const struct view_style *, size_t indent, const struct line *);

/* --- the rest, each in the file of its name --- */

/* Whether there are points enough that the lines between them claim nothing. */
bool curve_is_worth_drawing(const struct series *);
/* A block-character curve, `rows` high, with the declared capacities marked where x is a size. */
void curve_print(FILE *, const struct document *, const struct series *, const struct view_style *,
                 int rows);
/* Every point of a curve, or only those at powers of four where `brief`. */
void table_print(FILE *, const struct series *, const struct view_style *, bool brief);
/* The matrix where `whole` or where it fits the style's width and half a screen, else how its
 * values are distributed; then its spread and its closing line. `what` is what one trial of a
 * point is: "lines" of memory for cores, else "trials". */
void matrix_print(FILE *, const struct series *, const struct view_style *, bool whole,
                  const char *what);
/* Latency and capacity by level, from the findings; nothing where there are none. */
void depth_print(FILE *, const struct document *, const struct view_style *);
/* What has to be known to trust the numbers: flags, warnings, probes that did not end well. Of
 * one probe alone, and with the flags' names, where `probe` is not NULL. */
void notes_print(FILE *, const struct document *, const struct probe_result *probe,
                 const struct view_style *);

/* Sets a width that makes no sense to 80. */
struct view_style view_style_sane(const struct view_style *);

#endif
