/* What the files of the noise probe share. All ticks are ticks of the processor's counter. */
#pragma once

#include "machine/interruptions.h"
#include "measure/kernels/gaps.h"
#include "measure/probes/kit/build.h"
#include "stats/histogram.h"

/* What can be known of a single interruption: whether it came with a context switch or a page fault
 * of the thread. */
enum gap_kind { GAP_THREADS, GAP_FAULTS, GAP_OTHER, GAP_KINDS };
enum { WATCHED = GAP_KINDS }; /* column after the kinds: all watched time */

/* Causes that interruptions are attributed to. */
enum noise_cause {
    CAUSE_THREADS,
    CAUSE_FAULTS,
    CAUSE_INTERRUPTS,
    CAUSE_STOLEN,
    CAUSE_UNEXPLAINED,
    CAUSES
};

struct noise_event {
    double at, ticks; /* at first: by_number() sorts by it */
    enum gap_kind kind;
};

/* Short and long interruptions have separate room: a tick that comes 250 times a second must not
 * displace an interruption that comes once in ten seconds. */
enum { EVENTS_MOST = 8192, EVENT_LENGTHS = 2 };

/* At this number of windows, neighbours are merged in pairs: a day's trials take no more memory
 * than a minute's. */
enum { NOISE_WINDOWS = 1024 };

/* What was observed on one CPU. */
struct noise_tally {
    bool begun;    /* the kernel's state in the arena is initialized */
    uint64_t over; /* gaps of at least this many ticks count; 0: not measured yet */
    struct histogram lengths[GAP_KINDS];
    uint64_t longest[GAP_KINDS], backwards, missed;
    /* For each of `windows` windows of `each` successive trials (the last has `filled`): the ticks
     * that each kind took, and all watched ticks. */
    double ticks[GAP_KINDS + 1][NOISE_WINDOWS];
    unsigned windows, each, filled;
    struct noise_event *events[EVENT_LENGTHS]; /* the first EVENTS_MOST of each length */
    size_t event_counts[EVENT_LENGTHS];
};

struct noise_state {
    double over_ns;
    size_t slot_bytes;
    struct noise_tally *tallies; /* one for each of the task's CPUs */
    double ticks_per_ns;         /* 0: not measured yet */
    /* The system's counters at the end of the first trial, and its time. */
    bool counted;
    double counted_at_s;
    struct interruptions before;
    uint64_t *stolen_before;
};

/* Ticks of a kind, or WATCHED, in all windows. */
double noise_ticks(const struct noise_tally *, int column);
/* The longest interruption of all kinds. */
double noise_longest(const struct noise_tally *);

/* One CPU's interruptions by cause. */
struct noise_causes {
    double share_of_others[CAUSES]; /* shares of GAP_OTHER's ticks; only three causes have one, and
                                       they add up to 1 */
    double interrupts;              /* per second; NAN: the system doesn't report them */
    double stolen;                  /* share of time that the hypervisor reports as stolen */
};
/* The caller sets `interrupts` and `stolen`; the function fills the rest. */
void noise_attribute(const struct noise_tally *, double ticks_per_ns, struct noise_causes *);

/* Interruptions that come periodically. */
struct noise_period {
    double every_ns, low_ns, high_ns; /* median and interval of the period */
    double each_ns;                   /* the median length */
    double share;                     /* of time, on the CPUs where it was found */
    enum gap_kind kind;
    bool *on; /* by CPU: whether it was found there */
    size_t events;
};
enum { PERIODS_MOST = 6 };
struct noise_periods {
    struct noise_period list[PERIODS_MOST];
    size_t count;
};
/* The periods that take the most time come first. */
void noise_find_periods(const struct noise_state *, size_t cpus, struct pool *,
                        struct noise_periods *);

/* One more than the largest number of the task's CPUs. */
size_t noise_ids(const struct probe_task *);
/* Adds series and findings. */
void noise_conclude(struct probe_task *);
