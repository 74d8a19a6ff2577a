/* What the files of the cores probe share. Their functions are steps of the pool (base/pool.h). */
#pragma once

#include "measure/kernels/handoff.h"
#include "measure/probes/kit/build.h"

/* The most pairs of a round that are measured at the same time: each has its own lines and states,
 * which take 20 MB for 128 pairs. */
enum { CORES_SIDE_BY_SIDE = 128 };

/* What one plan measures. */
enum cores_stage {
    CORES_MATRIX, /* every pair, in one plan for each home */
    CORES_CHECK,  /* some of the pairs that were measured side by side, again and alone */
    CORES_AGAIN,  /* pairs alone, because side by side they slowed each other down */
    CORES_ENDS,   /* the nearest and the farthest pair with another operation */
};

/* The first series of the probe. The pairs measured again alone, the ends and each home's reference
 * follow. */
enum { SERIES_MATRIX };

/* plan_point.what is the operation, plan_point.region the region of its lines. */

enum cores_home { HOME_ANY, HOME_FIRST, HOME_SECOND, HOME_NODE };

struct cores_options {
    struct setting op, payload, lines, samples, iterations, one_per_core, order, triangle, home,
        parallel, sequential, bias, correct_drift;
};

struct cores_visit { /* one visit to the reference pair */
    double at_s, ns; /* at_s: since the probe began; ns: the hand-off latency */
    int from, to;
    size_t home; /* index; each home has its own reference */
};

struct cores_rank {
    int cpu, rank; /* cpu first: cpulist_by_id() sorts by it */
};

struct cores_state {
    enum handoff_op op;
    const struct handoff *handoffs[HANDOFF_OPS]; /* NULL: no point uses this operation */
    uint64_t seed;                               /* decides where in its slot each line lies */
    unsigned lines, passes;
    size_t slot_bytes,
        regions; /* a region has one slot for each line; pairs side by side have a region each */
    unsigned payload_lines, line_bytes;

    int *cpus; /* in the matrix's order */
    size_t cpu_count;
    struct cores_rank *ranks; /* sorted by CPU number: each CPU's position in the matrix */
    enum cores_stage stage;
    double began_s; /* the time that earlier stages took */
    bool parallel, ends;
    double bias_limit; /* percent */
    unsigned alone;    /* series of the pairs measured again alone; 0: none yet */
    /* pairs that need not be measured again alone, by rank of both CPUs; NULL: none */
    bool *kept;

    enum cores_home home;
    int *homes; /* nodes that lines are placed on, one plan each; -1: any node */
    size_t home_count, home_now, homes_verified;

    struct cores_visit *visits; /* to the reference pairs, in order of time */
    size_t visit_count;
    double *trial_values; /* of the current visit */
    unsigned trial_count;

    struct cores_ways *ways; /* NULL: the operation is not one-way */
};

/* --- cores.c --- */

/* Bytes at the line's place in a slot: the line, its payload and both sides' states. */
size_t cores_extent(const struct cores_state *);
/* Position of the CPU in the matrix. */
int cores_rank(const struct cores_state *, int cpu);

/* --- pairs.c: which pairs, in which order --- */

/*
 * Which pairs of CPUs may be measured side by side: a round-robin tournament. Its teams are cores,
 * not CPUs: two pairs of a round must not share a core, because its hardware threads would slow
 * each other down. In each round of cores every core meets one other (the circle method: one core
 * keeps its place, the others rotate; Kirkman 1847), and the threads of two such cores meet one
 * pair at a time. The threads of one core meet in separate rounds, in all cores at once.
 *
 * N cores of one thread have N - 1 rounds of N / 2 pairs (N rounds if N is odd), and as many again
 * in the other direction.
 */
struct pairing {
    int first, second; /* indexes into the list of CPUs */
};

struct tournament {
    struct pairing *pairings; /* sorted by round; each ordered pair once */
    size_t pairing_count;
    unsigned *rounds; /* the number of pairings of each round, at least 1 */
    size_t round_count;
};

/* Each CPU's core; -1: unknown. */
int *tournament_cores(const struct probe_task *, const int *cpus, size_t count);
/* cores[n] is each CPU's core; a negative one is unknown and counts as a separate core. Steps of
 * the pool (base/pool.h), which owns the result. */
struct tournament tournament_plan(const int *cores, size_t n, struct pool *);
/* The number of pairings in the largest round. */
size_t tournament_width(const int *cores, size_t n, struct pool *);

/* Adds a point; the plan must have room for it. */
void cores_add_pair(struct probe_task *, unsigned series, unsigned op, unsigned region, int from,
                    int to);
/* Adds the current home's pairs: row by row, or if `parallel` as groups of pairs that share no
 * core. The plan then has room for one more pair of each CPU. */
void cores_add_pairs(struct probe_task *, bool parallel);
/* The number of pairs in the largest round; below two, nothing can be measured side by side. */
size_t cores_width(const struct probe_task *, const struct cores_state *);
/* Adds some of the points that the plan `done` measured side by side; none if it had none. */
void cores_add_check(struct probe_task *, const struct plan *done, unsigned series);

/* --- options.c: what the options ask for --- */

extern const struct option_spec cores_options[];
/* Reads and checks all options. */
void cores_choose(struct probe_task *, struct cores_state *);

/* --- ways.c: which direction takes longer, within what two counters can show --- */

struct cores_ways *cores_ways_create(size_t cpu_count, struct pool *);
void cores_ways_add(struct cores_ways *, const struct cores_state *, const struct observation *);
void cores_ways_conclude(struct probe_task *);

/* --- declared.c: which CPUs belong together according to the machine --- */

struct declared;
/* The declared groups of the given CPUs (SMT siblings, shared caches, NUMA nodes, packages, kinds
 * of core) as a parameter's text: "siblings 0-1 SMT siblings; node 0-7 NUMA node 0", or "none".
 * Other CPUs are left out, because they were not measured; so is a group that has fewer than two of
 * the CPUs, or all. */
const char *cores_declared(const struct machine *, const int *cpus, size_t count, struct pool *);
/* Parses that text; skips groups that it can't read. */
void cores_declared_parse(struct declared *, const char *text, struct pool *);
/* Each CPU's core and thread, for the parameter "cpu_labels" that the view of a matrix shows next
 * to the ids: "0=c0.0 1=c0.1", followed by "n1" if there are several NUMA nodes. NULL: the labels
 * would add nothing to the ids. */
const char *cores_labels(const struct machine *, const struct cpulist *cpus, struct pool *);

/* --- beside.c: which pairs being measured side by side changed --- */

/* A pair that was measured side by side, and again alone. */
struct cores_beside {
    double alone_ns, beside_ns; /* alone_ns first: by_number() sorts by it */
    bool moved;                 /* it is in a class of distance that being side by side changed */
};
struct cores_worst {
    double change, from_ns, to_ns; /* in percent, of the class between these latencies alone */
    size_t classes, moved_classes;
};
/* Fills in `moved`, and sorts the pairs by beside_ns. Returns the class that changed most. */
struct cores_worst cores_beside_judge(struct cores_beside *, size_t count, double limit_percent,
                                      struct pool *);
/* Whether a pair that took that long side by side may be in a class that moved: whether a judged
 * pair next to it is in one. */
bool cores_beside_moved(const struct cores_beside *, size_t count, double beside_ns);

/* Adds the bias of pairs measured side by side over the same pairs alone. Returns how many pairs of
 * the matrix have to be measured again alone, and fills in `kept`. */
size_t cores_bias(struct probe_task *);
void cores_conclude(struct probe_task *);
void cores_analyse(struct analysis *);
extern const struct finding_line cores_lines[]; /* the registry's */
extern const struct standard cores_experiment[];
