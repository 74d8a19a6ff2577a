/* Finds series of two documents that measured the same, so that their points are pairs, and tells
 * which findings may describe different things in the two. */
#ifndef FATHOM_COMPARE_ALIKE_H
#define FATHOM_COMPARE_ALIKE_H

#include "document/document.h"

#include <stdint.h>

/* Compares name, shape and factors, not units. */
bool series_alike(const struct series *, const struct series *);
/* The probe's series that measured the same as `as`; NULL: none. Two documents list their series in
 * about the same order, so the search begins at *from, where the last one was found, and updates
 * it. */
const struct series *series_alike_find(const struct probe_result *, const struct series *as,
                                       size_t *from);

/* The series' points sorted by their coordinates, in the pool. */
const struct point **series_by_place(struct pool *, const struct series *);
/* Orders two elements of such a list by their coordinates. */
int point_order(const void *, const void *);

/*
 * What other programs did to each of two runs.
 *
 * Other programs and a host's other guests can't be observed directly, so their interference is
 * judged by values that they change together: a program that uses the memory raises its latency and
 * lowers the bandwidth of the others, and a program on a core's other hardware thread holds a part
 * of its first level.
 */
struct neighbours {
    /* By run: other programs were running. They may hold a part of every cache (of a core's own
     * caches through its other hardware thread), and may do so for the whole of a short run. */
    bool busy[2];
    /* They may have used what all CPUs share: compared with the other run, memory gave one CPU less
     * by at least as much as its latency rose, or that is unknown. */
    bool narrow[2];
    /* They did use it: memory latency was higher beyond chance as well. */
    bool crowded[2];
    /* A program was on the same core all the time and held a part of the first level that the other
     * run had. It slows the core's own caches as well. */
    bool squeezed[2];
    /* One CPU's memory bandwidth and that of all CPUs, if measured, changed in the same direction,
     * by more than the programs can take that were running in the run with less. */
    bool rates_agree;
};

/* Facts of two documents that decide whether a finding describes the same thing in both. */
struct alike {
    const struct machine_facts *machines[2];
    /* Both are from guests. A hypervisor may run a guest's CPUs near to each other in one run and
     * far apart in the next, so their distance tells little about the machine. */
    bool moves_cpus;
    /* Both are single runs of guests, which share the memory's bandwidth with the host's other
     * guests: all CPUs read 46 and 78 GB/s within ten minutes. So it counts as a change only if the
     * rate of one CPU and the rate of all changed in the same direction. */
    bool shares_host;
    struct neighbours others;
    uint64_t levels[2]; /* levels with a latency: bit 0 DRAM, bit N the N-th cache */
};

struct alike alike_of(const struct document *, const struct document *);
/* Whether a finding may describe different things in the two documents, so that it proves no
 * change: a hand-off of guests; a guest's rate from its host's memory, unless one CPU and all CPUs
 * agree; a capacity of which other programs may have held a part; or another fact of a cache that
 * cores share, if the documents have different numbers of levels or one has no proven DRAM. The
 * level of that number may then differ: in one document it is the last level seen, not proven to be
 * DRAM, or the part of a cache that other programs left. */
bool alike_is_doubtful(const struct alike *, const struct finding *);
/* Whether other programs may be the reason why the finding is worse in document 0 or 1 (`worse`).
 * They may if it is
 * - about what all CPUs share, and that run was crowded; or memory's latency, and that run was
 *   narrow;
 * - measured on all CPUs together, part of whose time went to other programs; about a cache that
 *   cores share, of which they can hold a part without using the memory; a hand-off; or a guest's
 *   rate from its host's memory, if one CPU and all CPUs do not agree;
 * - the latency or rate of a core's own cache, and that run was squeezed.
 * The ratio of all CPUs' rate to one CPU's is also worse if other programs left that one CPU more.
 */
bool alike_is_of_others(const struct alike *, const struct finding *, int worse);

#endif
