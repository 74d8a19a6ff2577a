/* What the files of the cores probe share. */
#ifndef FATHOM_PROBES_CORES_H
#define FATHOM_PROBES_CORES_H

#include "kernels/handoff.h"
#include "probes/probe.h"

#include <stdio.h>

/* Of a round's pairs, so many at most are measured side by side: each has lines and states of its
 * own, and those of 128 pairs take 20 MB. */
enum { CORES_SIDE_BY_SIDE = 128 };

/* What one plan measures. */
enum cores_stage {
    CORES_MATRIX, /* every pair; in as many plans as there are homes */
    CORES_CHECK,  /* some of them again, alone, after pairs were measured side by side */
    CORES_AGAIN,  /* every pair alone, because side by side they slowed each other down */
    CORES_ENDS,   /* the nearest and the farthest pair with another operation */
};

/* The series of the probe; those that are not needed are left out. */
enum { SERIES_MATRIX, SERIES_MOST = 4 };

/* plan_point.detail: the operation, and above it the region of the lines. */
enum { DETAIL_REGION = 8, DETAIL_OP = (1 << DETAIL_REGION) - 1 };

enum cores_home { HOME_ANY, HOME_FIRST, HOME_SECOND, HOME_NODE };

struct cores_visit { /* of the reference pair */
    double at_s, ns;
    unsigned lines;
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
    bool parallel, ends;
    double bias_limit; /* percent */

    enum cores_home home;
    int *homes; /* nodes that lines are placed on, one plan each; -1: wherever they come to lie */
    size_t home_count, home_now, homes_verified;

    struct cores_visit *visits; /* of the reference, in the order of time */
    size_t visit_count;
    int reference[2];
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

/* --- cores_options.c: what the options ask for --- */

extern const struct option_spec cores_options[];
/* Reads and checks all of them; ERROR_USAGE. */
int cores_choose(struct probe_task *, struct cores_state *, struct error *);

/* --- cores_samples.c: every batch as a line of CSV --- */

/* ERROR_USAGE naming the file where it can't be written to. */
int cores_samples_open(struct cores_samples **, const char *path, struct pool *, struct error *);
void cores_samples_add(struct cores_samples *, const struct cores_state *,
                       const struct observation *);
/* ERROR_USAGE where anything could not be written. May be called with NULL. */
int cores_samples_close(struct cores_samples *, struct error *);

/* --- cores_ways.c: which way is longer, as far as two counters can tell --- */

struct cores_ways *cores_ways_create(size_t cpu_count, struct pool *);
void cores_ways_add(struct cores_ways *, const struct cores_state *, const struct observation *);
int cores_ways_conclude(struct probe_task *, const struct cores_ways *, struct error *);

/* --- cores_findings.c --- */

/* Adds the bias of pairs measured side by side against the same alone, in percent; 0 where none
 * could be compared. ERROR_SYSTEM without memory. */
int cores_bias(struct probe_task *, const struct series *alone, double *bias, struct error *);
int cores_conclude(struct probe_task *, const struct sampled *, struct error *);
/* The points with the least and the largest median; NULL where there is no value. */
void cores_extremes(const struct series *, const struct point **least, const struct point **most);

#endif
