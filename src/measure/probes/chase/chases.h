/*
 * What the probes that chase through memory share: kinds of chases, series of them, and the working
 * set at which each level is measured.
 */
#pragma once

#include "measure/kernels/ring.h"
#include "measure/probes/kit/probe.h"

/* How a step finds its address. */
enum address { ADDRESS_INDEX_CHECKED, ADDRESS_INDEX, ADDRESS_POINTER, ADDRESS_SPILLED };
extern const char *const address_names[]; /* "index-checked", ..., NULL */

struct chase_kind {
    enum address address;
    bool modify;   /* each step also stores to the line that it loaded from */
    size_t stride; /* in bytes; CHASE_STRIDE_IS_X: each point's x is its stride */
    enum ring_order order;
    size_t block_bytes; /* of the order; 0: the whole ring is one block */
    size_t block_count; /* elements of a block, if blocks grow with the stride; 0: block_bytes */
    size_t offset;      /* bytes from the beginning of a page to the ring's first element */
    bool chased;        /* the caches are as a single chase keeps them, and not just filled */
    unsigned loads;     /* in the loop: one of chase_loads; 0: chase_steps */
};
extern const char *const chase_loads[]; /* "1", "8", "64", "100", NULL */

/* States of the caches when a trial begins. A chase of 8 MiB in which each load waits for the one
 * before takes 20 ms to go round, and meanwhile other programs evict lines of a shared cache. Lines
 * that were just filled, by loads that overlap, are all there. */
enum { STATE_FILLED, STATE_CHASED };
extern const char *const chase_states[]; /* "filled", "chased", NULL */

enum { CHASE_STRIDE_IS_X = 0, ALIGN_MOST = 2048 };

/* Reads an order ("random", "forward-in-block:4K") into the kind; its stride must be set before.
 * ERROR_USAGE naming --order. */
int chase_order_parse(struct chase_kind *, const char *text, struct error *);
/* Takes one of chase_loads; false for another text. */
bool chase_loads_parse(struct chase_kind *, const char *text);
/* ERROR_USAGE, naming the option, if no kernel can chase this kind. */
int chase_kind_check(const struct chase_kind *, struct error *);

/* The kind of chase of each series of a plan. Series beyond `count` have the kind of the first. */
struct chases {
    struct chase_kind *kinds;
    size_t count;
    size_t line_bytes;
    uint64_t settled_bytes;  /* a chase over this much memory settles every cache: twice the last
                              one */
    unsigned threads;        /* number that chase at once; 0: one */
    bool shared;             /* all threads chase through one ring, from different places */
    const struct seat *seat; /* the measuring CPUs: an array with one seat for each thread */
    uint64_t part_bytes;     /* of the arena for each thread's own ring; chases_lay_out_parts() */
};

/* One without kinds, for the task's machine, of whose last cache a curve in the task's document may
 * show how much is to be had. */
struct chases chases_make(const struct probe_task *);

/* The functions up to chases_threads() are steps of the document's pool, like the probes' plan()
 * and next(). */

/* One for series of the plainest chase: pointers, one line apart, in random order. */
struct chases chases_make_plain(const struct probe_task *);
/* Adds a series of latency over working sets to task->plan, with the factors of the kind and of the
 * pages, and stores its kind. Returns the series' index. */
int chases_add_series(struct chases *, struct probe_task *, const char *name,
                      const struct chase_kind *, const char *pages);
/* Adds a point with a working set of `bytes` (count * stride) to the plan. x is given separately,
 * for axes other than size. */
struct plan_point *chases_add_point(const struct chases *, struct probe_task *, int series,
                                    double x, uint64_t bytes);
/* The CPU that measures: that of the option --cpu if it is given, else the first CPU of the fastest
 * kind of core. */
const struct seat *chases_seat(const struct probe_task *, const struct setting *cpu);
/* The options of a probe that has only this one: they are a struct setting. */
extern const struct option_spec chases_cpu_option[];

/* Begins the plan of such points: the CPU that touches memory, the pages, short batches. */
void chases_plan_place(struct probe_task *, const struct chases *, enum page_policy);
/* After that: batches long enough for lines that a chase kept and lines that it lost. */
void chases_plan_chased(struct plan *);
/* Bytes of the machine's smallest pages, for probes whose strides go by pages: notes it as a
 * parameter. */
size_t chases_note_page(struct probe_task *);
/* What was noted; documents of former versions have strides for pages of 4 KiB. */
size_t chases_page_noted(const struct analysis *);
/* With several threads: after all points were added, gives each thread's ring a part of the arena
 * that its own CPU touches first, and so lies near it; a shared ring lies near all of them in equal
 * shares. */
void chases_lay_out_parts(struct chases *, struct probe_task *);
/* The task's CPUs: `first`, then the first hardware threads of all cores, then the second ones. */
int *chases_cpus(const struct probe_task *, int first);

/* The number of the option --threads, `otherwise` if it is not given. ERROR_USAGE if there are
 * fewer CPUs. */
size_t chases_threads(const struct probe_task *, const struct setting *threads, size_t otherwise);

/* Prepares a trial of such a point of one thread: a fresh ring at a fresh place, and the caches
 * just filled with it; or, if its kind is chased, gone round once by its own loads. */
void chases_prepare(struct trial *, const struct chases *);
/* A probe's prepare(), if the probe's state begins with a struct chases. Of several threads each
 * builds its own ring, or its part of the shared one. */
void chases_prepare_alone(struct trial *);
/* Prepares a trial of a chase through a ring of that many lines, which the caller has built: goes
 * round it twice, after which TLBs and caches hold all that they can. */
void chases_begin(struct trial *, void *first, size_t lines);

/* A level and a working set that it serves with a margin. */
struct chase_level {
    char name[8]; /* "L1", ..., "DRAM" */
    uint64_t bytes;
    uint64_t above; /* capacity of the next nearer level; 0: none */
    bool last;      /* DRAM */
};
enum { CHASE_LEVELS_MAX = 8 };

/* Capacity of level n in bytes by the findings of `found` (may be NULL), else by those of the
 * document so far, else as declared of the CPU's caches; 0: there is no such level. */
uint64_t chases_capacity(const struct probe_task *, int cpu, const struct probe_result *found,
                         int n);

/* The levels, with capacities as above. Their working sets are half of the first and second level,
 * a third of further levels, which other CPUs share, and for DRAM four times the last level, at
 * most 1 GiB and the memory that may be used, but never less than memory_bounds() says: then DRAM
 * is left out. Fills at most CHASE_LEVELS_MAX and returns how many. */
size_t chases_levels(const struct probe_task *, int cpu, const struct probe_result *found,
                     struct chase_level *);
