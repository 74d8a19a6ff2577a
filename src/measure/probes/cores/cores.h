/* What the files of the cores probe share. Their functions are steps of the pool (base/pool.h). */
#ifndef FATHOM_MEASURE_PROBES_CORES_CORES_H
#define FATHOM_MEASURE_PROBES_CORES_CORES_H

#include "measure/kernels/handoff.h"
#include "measure/probes/kit/build.h"

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

/* The first series of the probe; some of it alone, its ends and each home's reference follow. */
enum { SERIES_MATRIX };

/* plan_point.what is the operation, plan_point.region that of its lines. */

enum cores_home { HOME_ANY, HOME_FIRST, HOME_SECOND, HOME_NODE };

struct cores_options {
    struct setting op, payload, lines, samples, iterations, one_per_core, order, triangle, home,
        parallel, sequential, bias, correct_drift, samples_out;
};

struct cores_visit { /* of the reference pair */
    double at_s, ns; /* since the probe's beginning */
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

    struct cores_samples *samples; /* NULL: they were not asked for */
    struct cores_ways *ways;       /* NULL: not one-way */
};

/* --- cores.c --- */

/* What a slot holds in addition to the place for the line: the line, its payload and both sides'
 * states. */
size_t cores_extent(const struct cores_state *);
/* Position of the CPU in the matrix. */
int cores_rank(const struct cores_state *, int cpu);

/* --- pairs.c: which pairs, in which order --- */

/*
 * Which pairs of CPUs may be measured side by side: a round-robin tournament. Cores, not CPUs, are
 * its teams, so that in no round two pairs share a core, whose hardware threads would slow each
 * other down: in each round of the cores (the circle method: one stands still, the others walk
 * around; Kirkman 1847) every core meets one other, and their threads meet one pair at a time. The
 * threads of one core meet one another in rounds of their own, all cores at once.
 *
 * N CPUs on cores of one thread have N - 1 rounds of N / 2 pairs (N rounds where N is odd), and as
 * many again in the other direction.
 */
struct pairing {
    int first, second; /* indexes into the list of CPUs */
};

struct tournament {
    struct pairing *pairings; /* round after round; each ordered pair once */
    size_t pairing_count;
    unsigned *rounds; /* pairings of each round, none of them 0 */
    size_t round_count;
};

/* cores[n] tells each CPU's core; below 0: unknown, a core of its own. Steps of the pool
 * (base/pool.h), in which everything lives. */
struct tournament tournament_plan(const int *cores, size_t n, struct pool *);
/* How many pairings the widest round has. */
size_t tournament_width(const int *cores, size_t n, struct pool *);

/* Adds a point; the plan has room for it. */
void cores_add_pair(struct probe_task *, unsigned series, unsigned op, unsigned region, int from,
                    int to);
/* The pairs whose home it is now, one after the other, row by row; or in rounds of pairs that share
 * no core, as the plan's groups. */
void cores_add_pairs(struct probe_task *, bool parallel);
/* How many pairs the widest round has: below two, nothing can be measured side by side. */
size_t cores_width(const struct probe_task *, const struct cores_state *);
/* Some of the points that were measured side by side with others in the plan that is done; none
 * where there were none. */
void cores_add_check(struct probe_task *, const struct plan *done, unsigned series);

/* --- options.c: what the options ask for --- */

extern const struct option_spec cores_options[];
/* Reads and checks all of them. */
void cores_choose(struct probe_task *, struct cores_state *);

/* --- ways.c: which direction is longer, as far as two counters can tell --- */

struct cores_ways *cores_ways_create(size_t cpu_count, struct pool *);
void cores_ways_add(struct cores_ways *, const struct cores_state *, const struct observation *);
void cores_ways_conclude(struct probe_task *);

/* --- declared.c: which CPUs the machine declares to belong together --- */

struct declared;
/* The groups of two of those CPUs or more: SMT siblings, shared caches, NUMA nodes, packages and
 * kinds of core, as a parameter's text: "siblings 0-1 SMT siblings; node 0-7 NUMA node 0", or
 * "none". Other CPUs don't count, because what was not measured can't agree or disagree; a group of
 * all of them says nothing and is left out. */
const char *cores_declared(const struct machine *, const int *cpus, size_t count, struct pool *);
/* And back, where what can't be read is left out. */
void cores_declared_parse(struct declared *, const char *text, struct pool *);
/* Where each of the CPUs sits, for the parameter "cpu_labels" that the view of a matrix shows
 * beside the ids: "0=c0.0 1=c0.1", core and thread of the core, with "n1" behind where there are
 * several NUMA nodes. NULL where nothing is known that the ids don't show. */
const char *cores_labels(const struct machine *, const struct cpulist *cpus, struct pool *);

/* --- findings.c --- */

/* Adds the bias of pairs measured side by side against the same alone, and returns it in percent; 0
 * where none could be compared. */
double cores_bias(struct probe_task *);
/* Everything but the samples. */
void cores_conclude(struct probe_task *);
void cores_analyse(struct analysis *);
extern const struct finding_line cores_lines[]; /* the registry's */
extern const struct standard cores_experiment[];

#endif
