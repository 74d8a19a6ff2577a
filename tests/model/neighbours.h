/*
 * The modelled machine's neighbours: programs on its CPUs, or another guest's, that come and go and
 * take what they need while they are there. Each has its own course in time, drawn from its own
 * seed, so that what a measurement does changes nothing of it.
 */
#ifndef FATHOM_TESTS_MODEL_NEIGHBOURS_H
#define FATHOM_TESTS_MODEL_NEIGHBOURS_H

#include "base/random.h"

#include <stdbool.h>
#include <stdint.h>

enum { NEIGHBOURS_MAX = 2 };
/* The strengths above 0 that a drifting one has. */
static const double neighbour_strengths = 4;
extern const double neighbours_wide_alone;

enum neighbour_course {
    TWO_STATE, /* there, and away, for exponential times */
    BURSTY,    /* the same, and while it is there it works in short bursts */
    DRIFTING,  /* comes and goes slowly: its strength is a half wave, the rest of the period 0 */
};

/* Shares at full strength; all 0: it takes nothing. */
struct neighbour_takes {
    double time; /* the CPU itself: of two states and bursts all of it, a drifting one this share */
    double pace; /* the core's execution, by its other thread: loads take 1 + pace as long */
    double ways[2]; /* of the first and the second level */
    double entries; /* of all TLBs */
    double room;    /* of the third level's ways */
    double traffic; /* DRAM takes 1 + traffic as long */
};

struct model_neighbour {
    enum neighbour_course course;
    double share;   /* of the time that it is there; 0: it does not exist */
    double busy_s;  /* how long it is there on the mean; of a drifting one the whole period */
    double burst_s; /* of a bursty one: how long a burst is on the mean */
    unsigned cpus;  /* a bit for each CPU that it is on: time, pace, ways and entries are taken of
                       those CPUs; room and traffic of all, the more the more CPUs it is on */
    struct neighbour_takes takes;
};

/* What is taken of a CPU at a moment. */
struct taken {
    bool cpu;    /* nothing of ours runs */
    double pace; /* the core takes this many times as long: its time comes in slices */
    /* Another hardware thread of the core works: what the core executes takes this many times as
     * long, but for dependent multiplications, by which its clock is read; and additions side by
     * side. */
    double thread, wide;
    double ways[2], entries, room;
    double traffic; /* DRAM takes this many times as long */
};

struct neighbour_state {
    struct random random;
    bool there, bursting;
    double until_s, burst_until_s; /* of what it is, and of the burst or pause */
    double phase, peak;            /* of a drifting one: where its period begins; the part of a wave
                                      below 0 */
};

struct neighbours {
    const struct model_neighbour *list; /* [NEIGHBOURS_MAX] */
    unsigned cpu_count;                 /* of the machine */
    struct neighbour_state states[NEIGHBOURS_MAX];
};

/* Whether there is any. */
bool neighbours_exist(const struct model_neighbour list[NEIGHBOURS_MAX]);
void neighbours_begin(struct neighbours *, const struct model_neighbour list[NEIGHBOURS_MAX],
                      unsigned cpu_count, uint64_t seed);
/* What they take of the CPU at that time, and until when (> now_s) they go on so. Time never goes
 * back. */
struct taken neighbours_at(struct neighbours *, unsigned cpu, double now_s, double *until_s);

#endif
