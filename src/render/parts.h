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
/* Whether only the names tell the tables of the two apart. */
bool table_is_taken_for(const struct series *, const struct series *);
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
/* Whether a matrix of the same factors and quantity stands before it: then it is of some of those
 * pairs once more, as a check. */
bool matrix_is_repeated(const struct probe_result *, const struct series *);
/* Whether clusters_print() tells of that finding. */
bool clusters_have(const struct catalogue_entry *);
/* Where findings are told, `catalogue` is of that one document. */

/* Latency and capacity by level, from the findings; nothing where there are none. */
void depth_print(FILE *, const struct catalogue *, const struct view_style *);
/* What of a level each row of such a table is made from, and the words above it. */
struct levels;
struct depth_table {
    const struct document *document;
    int device; /* -1: the CPUs' */
    const struct levels *levels;
    const char *title, *clock; /* "depth", "core clock" */
    double clock_hz;           /* NAN: not known */
    int name_columns;
};
void depth_table_print(FILE *, const struct depth_table *, const struct view_style *);
/* Each device: what it is, its levels and memories, its roads; nothing where there are none. */
void gpu_print(FILE *, const struct catalogue *, const struct view_style *); /* gpu.c */
/* Bandwidths, misses in flight and latency under load, from the findings; nothing where there are
 * none. */
void width_print(FILE *, const struct catalogue *, const struct view_style *);
/* How far each TLB reaches, a line a page size; part of the depth. */
void translation_print(FILE *, const struct catalogue *, const struct view_style *);

/* --- disagreements.c: where what was found and what the machine says are not the same --- */

/* Whether a finding's interval keeps its value apart from what is declared, or it is there to say
 * so. Clusters speak for themselves, below their matrix. */
bool disagreement_is(const struct catalogue_entry *);
/* "L3: 5.70 MiB of 32 MiB behave as cache here: ..." */
void line_add_disagreement(struct line *, const struct catalogue_entry *);
/* What was found and the machine says otherwise, and the notes; returns how much it is. `out` may
 * be NULL: nothing is printed. */
size_t disagreements_print(FILE *out, const struct catalogue *, const struct view_style *);
/* What has to be known to trust the numbers: flags, warnings, probes that did not end well. Of
 * one probe alone, and with the flags' names, where `probe` is not NULL. */
void notes_print(FILE *, const struct catalogue *, const struct probe_result *probe,
                 const struct view_style *);
/* The findings that carry the flag, those of one probe or of all: "L1.latency, L2.latency (order
 * forward) and 3 more". What is told in ns too is named once. Returns how many they are. */
size_t line_add_flagged(struct line *, const struct catalogue *, size_t document,
                        const struct probe_result *only, unsigned bit);

/* --- failures.c: points that have no value --- */

/* A reason, and how many points of a probe have it. */
struct failure {
    const struct point *first;
    const struct series *series; /* of the first */
    size_t count;
};
enum { FAILURES_MAX = 3 };
struct failures {
    struct failure list[FAILURES_MAX];
    size_t count, others; /* points that failed for yet other reasons */
};
void failures_collect(struct failures *, const struct probe_result *);
/* "12 latency points failed, 64 MiB first: no memory". */
void line_add_failure(struct line *, const struct probe_result *, const struct failures *,
                      size_t index);

/* Sets a width that makes no sense to 80. */
struct view_style view_style_sane(const struct view_style *);

#endif
