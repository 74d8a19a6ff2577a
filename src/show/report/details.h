/* What the details of a probe are put together from: its series as tables, curves and matrices, its
 * clusters and findings. Each adds its blocks to the report. Not for use outside of the report. */
#ifndef FATHOM_SHOW_REPORT_DETAILS_H
#define FATHOM_SHOW_REPORT_DETAILS_H

#include "show/report/blocks.h"

/* A table that says that nothing was measured. */
void report_add_nothing(struct report *, size_t index, const struct probe_result *);
/* A matrix, or that nothing was measured; `whole`: every pair, however many there are. */
void report_add_matrix(struct report *, size_t index, const struct probe_result *,
                       const struct series *, bool whole);
/* A curve with a few of its points where `brief`; otherwise alone. Where the points are too few for
 * the lines between them to claim nothing, the table of them where `brief`, else no block. */
void report_add_curve(struct report *, size_t index, const struct probe_result *,
                      const struct series *, bool brief);

/* The same as a chart has them, whatever their points are: a curve without its marks, and a matrix
 * by row and column. */
struct curve report_curve(const struct probe_result *, const struct series *);
struct matrix report_matrix(struct report *, const struct probe_result *, const struct series *);
/* The capacities along the axis of a curve, where it is one of sizes. */
void curve_add_marks(struct report *, size_t index, struct curve *);

/* How many of the first of these series are rows of one table, because all have values at the same
 * few places: 1 where each is to be shown alone. */
size_t series_group(const struct series *, size_t count);
/* How many of the first of these series are columns of one sheet, because they are curves of one
 * name that differ in one factor: 1 where each is to be shown alone. */
size_t series_sheet(const struct series *, size_t count);
/* The factors that all of them have in common. Returns how many. */
enum { COMMON_FACTORS_MAX = 16 };
size_t series_common_factors(const struct series *, size_t count,
                             struct factor common[COMMON_FACTORS_MAX]);
/* What tells one of several series from the others: its name, or the factors they don't share. NULL
 * for one alone. */
const char **series_labels(struct report *, const struct series *, size_t count);

/* A row an x, a column a series. */
void report_add_sheet(struct report *, size_t index, const struct probe_result *,
                      const struct series *, size_t count);
/* Some points of a series, at round sizes where it has some. */
struct table report_few_points(struct report *, const struct series *);
/* "0 -> 1" and the value, of every pair of a matrix. */
struct table report_pairs_table(struct report *, const struct series *);

/* "Clusters: 8 of 2 CPUs (9.00 to 10.5), 4 of 4 CPUs (114 to 162)"; NULL where there are none. */
const char *report_tell_clusters(struct report *, size_t index, const struct probe_result *);
/* The CPUs of each cluster. */
void matrix_add_groups(struct report *, size_t index, struct matrix *);
/* Notes: where clusters contradict what is declared, all or the first one. */
void report_add_cluster_notes(struct report *, size_t index, const struct probe_result *, bool all);

/* What the first screen lacks of a probe, in short tables, and its findings. */
void report_add_short(struct report *, size_t index, const struct probe_result *, bool headlines);
bool report_has_headlines(const struct report *, size_t index);
bool series_is_on_first_screen(const struct probe_result *, const struct series *, bool headlines);

#endif
