/*
 * What others did to each of two runs.
 *
 * Which programs and which other guests of a host were at work can't be seen, so what they took is
 * judged by what they can't help moving together: whoever uses the memory makes it answer later and
 * give less, and whoever is on the other hardware thread of a core holds a part of its first level.
 */
#ifndef FATHOM_COMPARE_NEIGHBOURS_H
#define FATHOM_COMPARE_NEIGHBOURS_H

#include "document/document.h"

struct neighbours {
    /* During that run others were at work. They may hold a part of every cache, of a core's own
     * through its other hardware thread, and for as long as a short run takes. */
    bool busy[2];
    /* In that one they may have used what all CPUs share: its memory did not answer later by more
     * than it gave one CPU less than the other's, or that is unknown. */
    bool narrow[2];
    /* And they did: it answered later beyond chance as well. */
    bool crowded[2];
    /* In that one somebody was on the same core all the time and held a part of its first level
     * that the other run has, which slows the core's own caches as well. */
    bool squeezed[2];
    /* What one CPU reads from memory, as found and without neighbours, and what all read, if they
     * did, moved the same way, and by more than others take who were at work in the run that got
     * less. */
    bool rates_agree;
};

struct neighbours neighbours_of(const struct document *, const struct document *);

#endif
