/* The parts that text views are put together from. Not for use outside of views. */
#ifndef FATHOM_RENDER_PARTS_H
#define FATHOM_RENDER_PARTS_H

#include "render/view.h"
#include "report/catalogue.h"
#include "report/factors.h"
#include "report/grid.h"
#include "report/machine.h"

/* --- ink.c: colour, where the style has it --- */

enum ink { INK_PLAIN, INK_BOLD, INK_DIM, INK_WARN };
/* The escape sequence, or "" without colour. */
const char *ink(const struct view_style *, enum ink);
/* A colour for a share of 0 (near) to 1 (far), from blue to yellow. The foreground one is written
 * as text, the background one with a legible colour of text on it. */
void ink_ramp(FILE *, const struct view_style *, double share);
void ink_ramp_behind(FILE *, const struct view_style *, double share);

/* --- wrap.c --- */

/* Prints in as many lines as the width asks for. The caller has printed `indent` columns of the
 * first one; the others begin that far in. */
void line_print_wrapped(FILE *, const struct view_style *, size_t indent, const struct line *);

/* --- the rest, each in the file of its name --- */

/* Whether there are points enough that the lines between them claim nothing. */
bool curve_is_worth_drawing(const struct series *);
/* A block-character curve, `rows` high, with the declared capacities marked where x is a size. */
void curve_print(FILE *, const struct document *, const struct series *, const struct view_style *,
                 int rows);
/* Every point of a curve, or only those at round sizes where `brief`. */
void table_print(FILE *, const struct series *, const struct view_style *, bool brief);
/* How many of the first of these series are rows of one table, because all have values at the
 * same few places: 1 where each is to be shown alone. */
size_t table_group(const struct series *, size_t count); /* table_group.c */
/* The factors that all of them have in common. Returns how many. */
enum { TABLE_FACTORS_MAX = 16 };
size_t table_common_factors(const struct series *, size_t count,
                            struct factor common[TABLE_FACTORS_MAX]);
/* Median, in cycles too where points have them, least and most of every point of so many series. */
void table_print_group(FILE *, const struct series *, size_t count, const struct view_style *);
/* How many of the first of these series are columns of one sheet, because they are curves of one
 * name that differ in one factor: 1 where each is to be shown alone. */
size_t table_sheet(const struct series *, size_t count); /* table_sheet.c */
/* Their medians, in cycles where all have them. */
void table_print_sheet(FILE *, const struct series *, size_t count, const struct view_style *);
/* The matrix where `whole` or where it fits the style's width and half a screen, else how its
 * values are distributed; then its spread and its closing line. Of the probe's parameters
 * "triangle" asks for the mean of both directions below the diagonal, and "cpu_labels"
 * ("0=c0.0 1=c0.1") tells where each CPU sits. */
void matrix_print(FILE *, const struct probe_result *, const struct series *,
                  const struct view_style *, bool whole);
/* Columns of the widest label, with a blank before it; 0 where there are none. */
int label_columns(const char *labels); /* matrix_labels.c */
void label_print(FILE *, const char *labels, int id, int columns);
/* The findings "cluster" as a tree where `whole`, else how many there are of each size, and where
 * they contradict what is declared; nothing where there are none. */
void clusters_print(FILE *, const struct catalogue *, const struct probe_result *,
                    const struct view_style *, bool whole); /* matrix_clusters.c */
/* Other matrices of the probe, where they are few and small and no headline, behind what already
 * stands in the line, and the line's end. */
void matrix_others_print(FILE *, const struct probe_result *, const struct view_style *,
                         size_t column); /* matrix_others.c */
/* Sets a width that makes no sense to 80. */
struct view_style view_style_sane(const struct view_style *);

#endif
