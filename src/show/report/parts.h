/* What reports are put together from. Each function adds the blocks of one part, in the order in
 * which they are shown, or none where the document has nothing to say there. Not for use outside of
 * the report. */
#ifndef FATHOM_SHOW_REPORT_PARTS_H
#define FATHOM_SHOW_REPORT_PARTS_H

#include "show/report/blocks.h"

/* --- the first screen --- */

/* Levels of the CPUs (-1) or of a device: a table. */
void report_add_levels(struct report *, size_t index, int device);
/* Address translation of the CPUs: facts. */
void report_add_translation(struct report *, size_t index);
/* Bandwidths of the CPUs, and what is in flight or waits. */
void report_add_width(struct report *, size_t index);
/* What the system takes from programs, and what it costs to ask it: facts. */
void report_add_system(struct report *, size_t index);
/* What firmware and kernel declare of the memory, beside what was measured: facts. */
void report_add_declared(struct report *, size_t index);
/* Each device: what it is, its levels, its bandwidths, and what has its place there by the
 * registry. */
void report_add_devices(struct report *, size_t index);
/* The heading above a series; `brief`: only with factors that tell it from others, and with as many
 * more as there is room for. `like`: the series, or the first of those that share a table with it.
 */
void report_add_series_heading(struct report *, size_t index, const struct probe_result *,
                               const struct series *, const struct series *like, bool brief);
/* What has to be known to trust the numbers: disagreements, probes that did not end well, flags,
 * what was left out, conditions. Of one probe alone where `probe` is not NULL. */
void report_add_notes(struct report *, size_t index, const struct probe_result *probe);

/* --- series --- */

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
/* A row an x, a column a series. */
void report_add_sheet(struct report *, size_t index, const struct probe_result *,
                      const struct series *, size_t count);
/* Some points of a series, at round sizes where it has some. */
struct table report_few_points(struct report *, const struct series *);
/* "0 -> 1" and the value, of every pair of a matrix. */
struct table report_pairs_table(struct report *, const struct series *);
/* What tells one of several series from the others: its name, or the factors they don't share. NULL
 * for one alone. */
const char **series_labels(struct report *, const struct series *, size_t count);

/* --- clusters --- */

/* "Clusters: 8 of 2 CPUs (9.00 to 10.5), 4 of 4 CPUs (114 to 162)"; NULL where there are none. */
const char *report_tell_clusters(struct report *, size_t index, const struct probe_result *);
/* The CPUs of each cluster. */
void matrix_add_groups(struct report *, size_t index, struct matrix *);
/* Notes: where clusters contradict what is declared, all or the first one. */
void report_add_cluster_notes(struct report *, size_t index, const struct probe_result *, bool all);

/* --- chapters --- */

struct chapters {
    struct chapter *list;
    size_t count;
};
/* The probes of so many documents from `first` on, in the order of the datasheet: a probe stands
 * where the first of what it finds does, those of devices behind all others, and those that it has
 * no place for in the order of the documents. */
void chapters_collect(struct chapters *, const struct catalogue *, size_t first, size_t count,
                      struct pool *);

#endif
