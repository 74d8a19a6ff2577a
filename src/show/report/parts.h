/* The parts of reports. Each function adds the blocks of one part, in the order in which they are
 * shown; none if the document has nothing for it. Not for use outside of the report. */
#pragma once

#include "show/report/blocks.h"

/* --- the first screen --- */

/* A table of the levels of the CPUs (device -1) or of a device. */
void report_add_levels(struct report *, size_t index, int device);
/* Facts: other bandwidths of memory, misses in flight, latency under load, and address
 * translation of the CPUs. */
void report_add_memory(struct report *, size_t index);
/* Facts: hand-offs, wake-ups, page faults, CPU time taken from programs. */
void report_add_system(struct report *, size_t index);
/* Facts: blocks, loads in flight and threads that follow from the figures. */
void report_add_advice(struct report *, size_t index);
/* A fact: where the rest is. `more`: remarks that were left out. */
void report_add_rest(struct report *, size_t index, size_t more);
/* The finding about the CPUs with that role, fact and subject (NULL: any), of the standard
 * experiment, that has a value; NULL: none. */
const struct finding *report_find(const struct report *, size_t index, enum finding_role,
                                  enum finding_fact, const char *subject);
/* Facts: memory as firmware and kernel declare it, compared with measured values. */
void report_add_declared(struct report *, size_t index);
/* Each device: what it is, its levels, its bandwidths, and findings that the registry places
 * there. */
void report_add_devices(struct report *, size_t index);
/* Collects what a reader must know to trust the numbers: disagreements, incomplete probes, flags,
 * what was left out, conditions. `probe`: of this probe alone; NULL: of all. */
void report_collect_notes(struct report *, size_t index, const struct probe_result *);
/* Adds those that were collected: all, or the numbered ones. Returns how many were left out. */
size_t report_add_notes(struct report *, size_t index, const struct probe_result *, bool all);
/* The number of the note about a finding's family; 0: none. */
unsigned report_note_of(const struct report *, size_t index, const struct finding *);

/* At most six findings of a probe, those with a fact first. */
void report_add_brief_findings(struct report *, size_t index, const struct probe_result *);

/* --- series --- */

/* Some points of series that share their places, with bars of the first of them. */
void report_add_bars(struct report *, size_t index, const struct probe_result *,
                     const struct series *, size_t count);

/* A table that says "nothing was measured". */
void report_add_nothing(struct report *, size_t index, const struct probe_result *);
/* A matrix, or that nothing was measured. `whole`: every pair, however many there are. */
void report_add_matrix(struct report *, size_t index, const struct probe_result *,
                       const struct series *, bool whole);
/* A curve, in few rows if `brief`; no block with too few points for lines between them. */
void report_add_curve(struct report *, size_t index, const struct probe_result *,
                      const struct series *, bool brief);
/* The same for a chart, however many points there are: a curve without marks, and a matrix by row
 * and column. */
struct curve report_curve(const struct probe_result *, const struct series *);
struct matrix report_matrix(struct report *, const struct probe_result *, const struct series *);
/* Its CPUs by the groups that the probe found. */
void matrix_add_groupings(struct report *, size_t index, struct matrix *);
/* Marks the capacities on the x axis of a curve, if x is a size. */
void curve_add_marks(struct report *, size_t index, struct curve *);
/* The levels that were found in a curve of latencies. */
void curve_add_plateaus(struct report *, size_t index, struct curve *);
/* A table with a row for each x and a column for each series. */
void report_add_sheet(struct report *, size_t index, const struct probe_result *,
                      const struct series *, size_t count);
/* What distinguishes each series from the others: its name, or the factors that they don't share.
 * NULL for a single series. */
const char **series_labels(struct report *, const struct series *, size_t count);

/* --- clusters --- */

/* "Clusters: 8 of 2 CPUs (9.00 to 10.5), 4 of 4 CPUs (114 to 162)"; NULL: there are none. */
const char *report_tell_clusters(struct report *, size_t index, const struct probe_result *);

/* --- claims --- */

/* What a chart of one document shows, as a sentence: "L2 keeps 640 KiB of 1 MiB here", "latency
 * rises from 1.06 ns at 1 lines to 3.72 ns at 64 (stride 4096)". `blocks`: the chart's curves or
 * matrices. NULL: nothing to say. */
const char *report_claim(struct report *, const struct block *blocks, size_t count);

/* --- chapters --- */

struct chapters {
    struct chapter *list;
    size_t count;
};
/* The probes of `count` documents from `first` on, in the order of the datasheet: a probe has the
 * place of its first finding there; probes of devices come after all others, and probes without a
 * place in the order of the documents. */
void chapters_collect(struct chapters *, const struct catalogue *, size_t first, size_t count,
                      struct pool *);

/* How much longer the median batch took than the undisturbed ones: "+5.6 %". NULL: not by enough to
 * matter, or unknown. */
const char *disturbance_words(struct report *, struct disturbance);
