/* What the files of the cores probe share. */
#ifndef FATHOM_MEASURE_PROBES_CORES_CORES_H
#define FATHOM_MEASURE_PROBES_CORES_CORES_H

#include "measure/kernels/handoff.h"
#include "measure/probes/kit/probe.h"

#include <stdio.h>

/* The most pairs of a round that are measured side by side: each has lines and states of its
 * own, and those of 128 pairs take 20 MB. */
enum { CORES_SIDE_BY_SIDE = 128 };

/* What one plan measures. */
enum cores_stage {
    CORES_MATRIX, /* every pair; in as many plans as there are homes */
    CORES_CHECK,  /* some of them again, alone, after pairs were measured side by side */
    CORES_AGAIN,  /* every pair alone, because side by side they slowed each other down */
    CORES_ENDS,   /* the nearest and the farthest pair with another operation */
};

/* The series of the probe: the matrix, some of it alone, its ends, and each home's reference. Those
 * that are not needed are left out. */
enum { SERIES_MATRIX, SERIES_MATRICES = 3 };

enum cores_home { HOME_ANY, HOME_FIRST, HOME_SECOND, HOME_NODE };

struct cores_visit { /* of the reference pair */
    double at_s, ns; /* since the probe's beginning */
    unsigned lines;
    int from, to;
    size_t home; /* each has a reference of its own */
};

struct cores_rank {
    int cpu, rank;
};

struct cores_state {
    enum handoff_op op;
    const struct handoff *handoffs[HANDOFF_OPS]; /* those that points are measured with */
    uint64_t seed;                               /* where in its slot each line lies */
    unsigned lines, passes;
    size_t slot_bytes,
        regions; /* a region is a slot for each line; pairs side by side have one each */
    unsigned payload_lines, line_bytes;

    int *cpus; /* in the matrix's order */
    size_t cpu_count;
    struct cores_rank *ranks; /* the CPUs by number, and where each stands in the matrix */
    enum cores_stage stage;
    double began_s; /* what the stages before this one took */
    bool parallel, ends;
    double bias_limit; /* percent */
    unsigned alone;    /* the series of what is measured again alone; 0: there was none yet */

    enum cores_home home;
    int *homes; /* nodes that lines are placed on, one plan each; -1: wherever they come to lie */
    size_t home_count, home_now, homes_verified;

    struct cores_visit *visits; /* of the reference, in the order of time */
    size_t visit_count;
    double *trial_values; /* of the visit that is under way */
    unsigned trial_count;

    struct cores_samples *samples; /* NULL: nobody asked for them */
    struct cores_ways *ways;       /* NULL: not one-way */
};

/* --- cores.c --- */

/* ERROR_SYSTEM: pairs grow with the square of the CPUs, so fewer of these are the remedy. */
int cores_out_of_memory(struct error *);
/* What a slot holds beside where the line may lie: it, its payload and both sides' states. */
size_t cores_extent(const struct cores_state *);
/* The trial's line: the same for every pair, but for those that are measured side by side. */
unsigned char *cores_line(const struct trial *, const struct cores_state *);
/* Position of the CPU in the matrix. */
int cores_rank(const struct cores_state *, int cpu);

/* --- pairs.c: which pairs, in which order --- */

/* Room for `pairs` points; false without memory. */
bool cores_reserve(struct probe_task *, size_t pairs);
void cores_set_point(struct plan *, const struct cores_state *, unsigned series, enum handoff_op,
                     unsigned region, int from, int to);
/* The pairs whose home it is now, one after the other, row by row. ERROR_SYSTEM. */
int cores_add_pairs(struct probe_task *, struct error *);
/* The same in rounds of pairs that share no core, as the plan's groups. */
int cores_add_rounds(struct probe_task *, struct error *);
/* How many pairs the widest round has: below two, nothing can be measured side by side. */
int cores_width(const struct probe_task *, const struct cores_state *, size_t *width);
/* Some of the points that had others beside them in the plan that is done; none where none had. */
int cores_add_check(struct probe_task *, const struct plan *done, unsigned series, struct error *);

/* --- options.c: what the options ask for --- */

extern const struct option_spec cores_options[];
/* Reads and checks all of them; ERROR_USAGE. */
int cores_choose(struct probe_task *, struct cores_state *, struct error *);

/* --- samples.c: every batch as a line of CSV --- */

/* ERROR_USAGE naming the file where it can't be written to. Creates none: the first line does. The
 * caller frees, also after an error. */
int cores_samples_begin(struct cores_samples **, const char *path, struct pool *, struct error *);
void cores_samples_add(struct cores_samples *, const struct cores_state *,
                       const struct observation *);
/* ERROR_USAGE where anything could not be written. `whole`: all lines are there, and take the place
 * of an older file. These may be called with NULL. */
int cores_samples_close(struct cores_samples *, bool whole, struct error *);
/* The file beside an older one that the lines are in; NULL: there is none, or none any more. */
const char *cores_samples_unfinished(const struct cores_samples *);
void cores_samples_free(struct cores_samples *);

/* --- ways.c: which way is longer, as far as two counters can tell --- */

struct cores_ways *cores_ways_create(size_t cpu_count, struct pool *);
void cores_ways_add(struct cores_ways *, const struct cores_state *, const struct observation *);
int cores_ways_conclude(struct probe_task *, const struct cores_ways *, struct error *);

/* --- scatter.c: what values scatter over --- */

/* The pair whose lines differ most. ERROR_SYSTEM without memory, as below. */
int cores_add_lines(struct analysis *, const struct series *, struct error *);
/* The homes' references as series; how far they moved. */
int cores_add_references(struct probe_task *, struct error *);
int cores_add_drift(struct analysis *, struct error *);

/* --- findings.c --- */

/* Adds the bias of pairs measured side by side against the same alone, in percent; 0 where none
 * could be compared. ERROR_SYSTEM without memory. */
int cores_bias(struct probe_task *, const struct series *alone, double *bias, struct error *);
void cores_conclude(struct probe_task *, const struct stage_outcome *);
/* --- analyse.c --- */

/* "0,1", in the pool, as all names; NULL without memory. */
const char *cores_cpus_of(struct pool *, const struct point *);
/* "cores.cas.what", by the series' operation. */
const char *cores_name_of(struct pool *, const struct series *, const char *what);
void cores_analyse(struct analysis *);
extern const struct finding_line cores_lines[]; /* the registry's */
extern const struct standard cores_experiment[];

#endif
