/*
 * A fleet: what the documents of many nodes say together. Documents are added one after another and
 * may be freed at once, because a fleet keeps of each its findings and who it is, and no sample.
 *
 * Nodes are compared with their group: the machines of their processor, memory and firmware. Each
 * finding of each node has a robust distance from those of its group (stats/peers.h), and the
 * nodes that are named are chosen so that of all values that are called odd only a known share is
 * so by chance (false_discovery_limit()). No bound is set by hand.
 */
#ifndef FATHOM_COMPARE_FLEET_FLEET_H
#define FATHOM_COMPARE_FLEET_FLEET_H

#include "conclude/registry/registry.h"
#include "document/document.h"
#include "stats/peers.h"

#include <stdbool.h>

#define FLEET_SCHEMA "fathom-fleet/1"

/* How a fleet is judged. */
struct fleet_rules {
    double false_share; /* of the values that are called odd, this may be chance: 0.0025 */
    double least;       /* a difference that is smaller matters to nobody: 0.03 */
};

/* A finding as one node has it. What is absent is NAN. */
struct fleet_value {
    size_t node;
    double value, low, high; /* as found */
    struct quiet quiet;      /* without neighbours */
    double ratio;            /* of what was compared to its peers' median, less 1; NAN: not
                                compared, or a ratio has no meaning */
    double distance, p;      /* see struct peer; 1 where it was not compared */
    bool odd;
};

/* One finding of one group. */
struct fleet_spread {
    size_t count;       /* nodes that have it */
    double median;      /* of what was compared, in the finding's unit */
    double p10, p90;    /* the middle four fifths */
    struct peers peers; /* of logarithms where `logarithms` */
    bool logarithms;
};

/* One finding, by name, unit and experiment, over all nodes that have it. */
struct fleet_finding {
    const char *probe;
    struct finding like; /* name, unit and factors; no value */
    struct finding_meaning meaning;
    bool judged; /* conditions that say nothing of a machine, and texts, are kept and not judged */
    struct fleet_value *values;
    size_t count;
    struct fleet_spread *spreads; /* by group; of groups that are not judged all is 0 */
};

/* What differs in the machine itself, which needs no statistics. */
enum fleet_fact { FACT_CORES, FACT_THREADS, FACT_MEMORY, FACT_DEVICES, FACT_NODES, FLEET_FACTS };

struct fleet_node {
    const char *name;    /* of the host, or of the file where the document names no host */
    const char *file;    /* NULL: none */
    const char *started; /* NULL: unknown */
    const char *bios;    /* NULL: unknown */
    enum {
        NODE_JUDGED,
        NODE_REPLACED,
        NODE_ALONE
    } state;     /* replaced: a newer document is of the
same host; alone: too few are like it to judge it */
    size_t kind; /* of machine, see struct fleet_kind */
    size_t group;
    uint64_t memory_bytes;
    bool other_bios; /* than most of its group */
    unsigned lacks;  /* set of facts that are less than most of its group have */
    bool odd;
    size_t odd_count;                    /* values of it that are odd */
    const struct fleet_finding *leading; /* the one that is farthest away; NULL: none is odd */
    const struct fleet_value *leads;     /* its value there */
    const char *cause;                   /* in a few words: "a memory channel"; NULL: not odd */
    const char *reason;                  /* a sentence: what was seen, and what to look at */
};

/* A file, or a node, of which nothing could be read. */
struct fleet_hole {
    const char *name, *reason;
};

/* Machines of one processor and size: its facts are those of the first document that had them. */
struct fleet_kind {
    uint64_t key;
    struct document facts; /* machine and conditions, no probes; its own pool */
};

struct fleet_group {
    const char *name; /* "AMD EPYC, 2 cores, 23.5 GiB" */
    size_t kind;
    size_t first; /* a node of it */
    size_t count; /* nodes */
    bool judged;
    struct peers_prior prior; /* of its findings */
};

struct fleet {
    struct fleet_rules rules;
    struct fleet_node *nodes;
    size_t node_count;
    struct fleet_hole *holes;
    size_t hole_count;
    struct fleet_kind *kinds;
    size_t kind_count;
    struct fleet_group *groups;
    size_t group_count;
    struct fleet_finding *findings;
    size_t finding_count;
    size_t *places; /* of findings, by the hash of probe and name; see gather.c */
    size_t place_count;
    /* Filled by fleet_judge(). */
    size_t judged;          /* nodes */
    size_t compared;        /* values */
    size_t odd_count;       /* nodes */
    size_t *odd;            /* theirs, those that are farthest away first */
    struct tool_facts tool; /* that wrote the newest document */
    struct pool pool;
};

/* --- gather.c: documents in --- */

/* Adds a node. The document may be freed afterwards. ERROR_SYSTEM without memory. */
int fleet_add(struct fleet *, const struct document *, struct error *);
/* Adds what could not be read. */
int fleet_add_hole(struct fleet *, const char *name, const char *reason, struct error *);
/* Frees what the fleet holds; {0} is a fleet without nodes. */
void fleet_free(struct fleet *);

/* --- groups.c: which nodes are alike --- */

/* Makes the groups and gives each node its own, in a step of the fleet's pool. */
void fleet_group(struct fleet *);

/* --- judge.c: which are odd --- */

/* To be called once, when all nodes are there: groups them, judges them and says why. ERROR_USAGE
 * where no PEERS_FEWEST nodes are alike; ERROR_SYSTEM without memory. */
int fleet_judge(struct fleet *, const struct fleet_rules *, struct error *);
/* What was compared of a value: without neighbours where that is known. */
double fleet_value_of(const struct fleet_value *);

/* --- causes.c: why, in words --- */

/* Writes `cause` and `reason` of each odd node, in a step of the fleet's pool. */
void fleet_explain(struct fleet *, struct pool *scratch);

/* --- baseline.c: a group as a document that `fathom check` compares with --- */

/* In the fleet's pool, of the nodes of the group that are not odd: the median of each value and, as
 * its interval, the middle four fifths. To be called in a step of that pool. */
void fleet_baseline(struct fleet *, size_t group, struct document *);

#endif
