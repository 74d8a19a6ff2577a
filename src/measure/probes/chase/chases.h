/*
 * What the probes that chase through memory share: the kinds of chase there are, series of them,
 * and the sizes at which each level is looked at.
 */
#ifndef FATHOM_MEASURE_PROBES_CHASE_CHASES_H
#define FATHOM_MEASURE_PROBES_CHASE_CHASES_H

#include "measure/kernels/ring.h"
#include "measure/probes/kit/probe.h"

/* How a step finds its address. */
enum address { ADDRESS_INDEX_CHECKED, ADDRESS_INDEX, ADDRESS_POINTER, ADDRESS_SPILLED };
extern const char *const address_names[]; /* "index-checked", ..., NULL */

struct chase_kind {
    enum address address;
    bool modify;   /* each step also writes to the line it came by */
    size_t stride; /* or CHASE_STRIDE_IS_X: each point's x is its stride */
    enum ring_order order;
    size_t block_bytes; /* of the order; 0: the whole ring is one block */
    size_t block_count; /* the same in elements, where blocks grow with the stride; 0: by bytes */
    size_t offset;      /* bytes from the beginning of a page to the ring's first element */
};

enum { CHASE_STRIDE_IS_X = 0 };

/* Reads an order ("random", "forward-in-block:4K") into the kind, whose stride is set already.
 * ERROR_USAGE naming --order. */
int chase_order_parse(struct chase_kind *, const char *text, struct error *);
/* ERROR_USAGE for a kind that no kernel chases, in one line that names the options. */
int chase_kind_check(const struct chase_kind *, struct error *);

/* What each series of a plan is chased as. Series beyond `count` are as the first. */
struct chases {
    struct chase_kind *kinds;
    size_t count;
    size_t line_bytes;
    uint64_t settled_bytes;  /* a chase over this much memory settles every cache */
    unsigned threads;        /* that chase at once; 0: one */
    bool shared;             /* through one ring, each from another place of it */
    const struct seat *seat; /* who measures: the first of as many as there are threads */
};

/* An empty one for this machine. */
struct chases chases_make(const struct machine *);

/* Those that follow are steps of the document's pool, like the probes' plan() and next(). */

/* One for series that are all the plainest chase: pointers, a line apart, in random order. */
struct chases chases_make_plain(const struct probe_task *);
/* Adds a series of latency over working sets to task->plan, with the kind's factors and that of
 * the pages, and notes its kind. Returns the series' index. */
int chases_add_series(struct chases *, struct probe_task *, const char *name,
                      const struct chase_kind *, const char *pages);
/* Adds a point of a working set of `bytes` (count * stride) to the plan: x is its own, for
 * axes other than size. */
struct plan_point *chases_add_point(const struct chases *, struct probe_task *, int series,
                                    double x, uint64_t bytes);
/* Who measures: --cpu where it is given, else the first CPU of the fastest kind. */
const struct seat *chases_seat(const struct probe_task *);

/* A plan of such points: where, on which pages, in short batches. */
void chases_plan_place(struct probe_task *, const struct chases *, enum page_policy);
/* The CPUs of --cpus: `first`, then the others, cores before their second threads. */
int *chases_cpus(const struct probe_task *, int first);

/* How many CPUs --threads asks for, `otherwise` where it is not given. ERROR_USAGE where they are
 * more than may be used. */
size_t chases_threads(const struct probe_task *, size_t otherwise);

/* Prepares a trial of such a point: a fresh ring at a fresh place, caches as a long chase leaves
 * them. */
void chases_prepare(struct trial *, const struct chases *);
/* A probe's prepare(), where its state begins with the chases. */
void chases_prepare_alone(struct trial *);
/* Prepares a trial of a chase through a ring of that many lines, built by the caller: it goes round
 * twice, after which TLBs and caches hold all that they can. */
void chases_begin(struct trial *, void *first, size_t lines);

/* A level and a working set that lies well inside it. */
struct chase_level {
    char name[8]; /* "L1", ..., "DRAM" */
    uint64_t bytes;
    uint64_t above; /* capacity of the level before it; 0: none */
    bool last;      /* DRAM */
};
enum { CHASE_LEVELS_MAX = 8 };

/* Bytes that level n holds, as the findings of `found` (may be NULL) tell, else those of the
 * document so far, else as declared; 0 where there is none. */
uint64_t chases_capacity(const struct probe_task *, const struct probe_result *found, int n);

/* The levels: capacities as above. Half of the first and second level, a third of those further out
 * (their last part is shared with others), and four times the last for DRAM, as far as memory goes.
 * Fills at most CHASE_LEVELS_MAX and returns how many. */
size_t chases_levels(const struct probe_task *, const struct probe_result *found,
                     struct chase_level *);

#endif
