/* What the parts of the noise probe share. All ticks are the processor's counter's. */
#ifndef FATHOM_MEASURE_PROBES_NOISE_NOISE_H
#define FATHOM_MEASURE_PROBES_NOISE_NOISE_H

#include "machine/interruptions.h"
#include "measure/kernels/gaps.h"
#include "measure/probes/kit/build.h"
#include "stats/histogram.h"

/* What can be known of a single interruption: whether the thread was switched out, or had a page
 * fault, while it was kept. */
enum gap_kind { GAP_THREADS, GAP_FAULTS, GAP_OTHER, GAP_KINDS };
enum { WATCHED = GAP_KINDS }; /* behind the kinds: all time */

/* What an interruption is put down to. */
enum noise_cause {
    CAUSE_THREADS,
    CAUSE_FAULTS,
    CAUSE_INTERRUPTS,
    CAUSE_STOLEN,
    CAUSE_UNEXPLAINED,
    CAUSES
};

struct noise_event {
    double at, ticks;
    enum gap_kind kind;
};

/* Short and long interruptions each have room of their own: a tick that comes 250 times a second
 * must not keep out what comes once in ten seconds. */
enum { EVENTS_MOST = 8192, EVENT_LENGTHS = 2 };

/* Where there are as many, two neighbours become one: a day's trials take no more memory than a
 * minute's. */
enum { NOISE_WINDOWS = 1024 };

/* What was seen of one CPU. */
struct noise_tally {
    bool begun;    /* its kernel's state stands in the arena */
    uint64_t over; /* ticks from which on something counts; 0: not measured yet */
    struct histogram lengths[GAP_KINDS];
    uint64_t longest[GAP_KINDS], backwards, missed;
    /* Of `windows` windows of `each` trials in a row (of the last one `filled`): the ticks that
     * each kind took, and all that were watched. */
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
    /* What the system counted when the first trial was over, and when that was. */
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
    double share_of_others[CAUSES]; /* of the ticks of GAP_OTHER: those of three causes, which add
                                       up to 1 */
    double interrupts;              /* a second; NAN: the system doesn't report them */
    double stolen;                  /* share of the time that a hypervisor says it took */
};
/* `interrupts` a second and the stolen share are given; the rest is filled. */
void noise_attribute(const struct noise_tally *, double ticks_per_ns, struct noise_causes *);

/* What comes again and again. */
struct noise_period {
    double every_ns, low_ns, high_ns; /* of its time */
    double each_ns;                   /* the median length */
    double share;                     /* of the time, on those CPUs */
    enum gap_kind kind;
    bool *on; /* one for each CPU: whether it was found there */
    size_t events;
};
enum { PERIODS_MOST = 6 };
struct noise_periods {
    struct noise_period list[PERIODS_MOST];
    size_t count;
};
/* Those that take most of the time come first. */
void noise_find_periods(const struct noise_state *, size_t cpus, struct pool *,
                        struct noise_periods *);

/* One more than the largest number of the task's CPUs. */
size_t noise_ids(const struct probe_task *);
/* Adds series and findings. */
void noise_conclude(struct probe_task *, const struct stage_outcome *);

#endif
