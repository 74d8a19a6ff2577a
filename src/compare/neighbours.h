/*
 * What other programs did to each of two runs.
 *
 * Other programs and a host's other guests can't be observed directly, so their interference is
 * judged by values that they change together: a program that uses the memory raises its latency and
 * lowers the bandwidth of the others, and a program on a core's other hardware thread holds a part
 * of its first level.
 */
#ifndef FATHOM_COMPARE_NEIGHBOURS_H
#define FATHOM_COMPARE_NEIGHBOURS_H

#include "document/document.h"

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
    /* One CPU's memory bandwidth (found and quiet) and that of all CPUs, if measured, changed in
     * the same direction, by more than the programs can take that were running in the run with
     * less. */
    bool rates_agree;
};

struct neighbours neighbours_of(const struct document *, const struct document *);

#endif
