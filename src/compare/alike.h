/* Series of two documents that measured the same, so that their points are pairs. */
#ifndef FATHOM_COMPARE_ALIKE_H
#define FATHOM_COMPARE_ALIKE_H

#include "compare/neighbours.h"

#include <stdint.h>

/* By name, shape and factors; not by units. */
bool series_alike(const struct series *, const struct series *);
/* The probe's series that measured the same; NULL: none. Two documents list their series in much
 * the same order, so the search begins at *from, where the last one was found, and updates it. */
const struct series *series_alike_find(const struct probe_result *, const struct series *as,
                                       size_t *from);

/* The series' points in the order of their places, in the pool. */
const struct point **series_by_place(struct pool *, const struct series *);
/* Orders two elements of such a list by their places. */
int point_order(const void *, const void *);

/* What of two documents decides whether a finding is of the same thing in both. */
struct alike {
    const struct machine_facts *machines[2];
    /* Both are of guests. A hypervisor may run its guest's CPUs elsewhere in every run, near to
     * each other or far apart: how far they are then says little about the machine. */
    bool moves_cpus;
    /* Both are of single runs of guests, which have what the host's other guests leave of all its
     * memory can give: all CPUs read 46 and 78 GB/s within ten minutes. So a change takes that what
     * one gets and what all get moved the same way. */
    bool shares_host;
    struct neighbours others;
    uint64_t levels[2]; /* whose latency each document knows: bit 0 DRAM, bit N the N-th cache */
};

struct alike alike_of(const struct document *, const struct document *);
/* Whether a finding of that name may be of different things in the two, so that none of them proves
 * a change: a hand-off of guests, what a guest gets of its host's memory unless one CPU and all of
 * them say the same, a capacity that others may have had a part of, or another fact of a cache that
 * cores share where the documents tell different numbers of levels or one of them none that is
 * proven to be DRAM. The one that bears that number is then another in each: the last level that a
 * curve shows and nothing proves to be DRAM, or what neighbours left of one. */
bool alike_is_doubtful(const struct alike *, const struct finding *);
/* Whether others may be why the finding is worse in one of the two, 0 or 1. It is
 * - of what all CPUs share, and that one was crowded; or how late memory answers, and that one was
 *   narrow;
 * - of all CPUs together, of whose time others at work had a part, of a cache that cores share, of
 *   which they had a part without using the memory, of how CPUs hand lines on, or of what a guest
 *   gets of its host's memory where one CPU and all of them do not say the same;
 * - of one of a core's own caches, how late it answers or what it gives, and that one was squeezed.
 * What all CPUs get over what one gets is worse as well where others left that one more. */
bool alike_is_of_others(const struct alike *, const struct finding *, int worse);

#endif
