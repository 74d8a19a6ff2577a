/* What report_build() is put together from. Each adds the blocks of one part of the first screen,
 * in the order in which they are shown, or none where the document has nothing to say there. Not
 * for use outside of the report. */
#ifndef FATHOM_SHOW_REPORT_BUILDERS_H
#define FATHOM_SHOW_REPORT_BUILDERS_H

#include "show/report/blocks.h"

/* What the document is of. */
void report_add_machine(struct report *, const struct document *, size_t index);
void report_add_verdict(struct report *, const struct document *, size_t index);
/* Levels of the CPUs (-1) or of a device: a table. */
void report_add_levels(struct report *, size_t index, int device);
/* Address translation of the CPUs: facts. */
void report_add_translation(struct report *, size_t index);
/* Bandwidths of the CPUs (-1) or of a device: a table. False where there are none. */
bool report_add_rates(struct report *, size_t index, int device);
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

#endif
