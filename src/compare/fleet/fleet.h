/*
 * A fleet: the documents of many nodes, judged together. Documents are added one after another and
 * may be freed at once, because a fleet keeps only a document's findings and its machine's
 * identity, and no samples. With documents of last time each node is also compared with itself.
 *
 * Nodes are compared with their group: machines with the same processor, memory and firmware. Each
 * finding of each node has a robust distance from its group's values (stats/peers.h). The limit
 * beyond which values are odd is chosen so that only a known share of the odd values is odd by
 * chance (false_discovery_limit()). No bound is set by hand.
 */
#pragma once

#include "compare/facts.h"
#include "compare/levels.h"
#include "conclude/registry/registry.h"
#include "document/document.h"
#include "stats/peers.h"

#include <stdbool.h>

#define FLEET_SCHEMA "fathom-fleet/1"

/* How a fleet is judged. */
struct fleet_rules {
    double false_share; /* the share of odd values that may be odd by chance: 0.0025 */
    double least;       /* smaller relative differences do not matter: 0.03 */
};

/* One node's value of a finding. Absent numbers are NAN. */
struct fleet_value {
    size_t node;
    double value, low, high;
    double ratio; /* the compared value over its peers' median, less 1; NAN: not compared, or a
                     ratio has no meaning */
    double distance, p; /* see struct peer; `p` is 1 if it was not compared */
    bool odd;
};

/* One finding of one group. */
struct fleet_spread {
    size_t count;       /* nodes that have it */
    double median;      /* of the compared values, in the finding's unit */
    double p10, p90;    /* the middle four fifths */
    struct peers peers; /* of logarithms if `logarithms` */
    bool logarithms;
};

/* One finding, by name, unit and experiment, over all nodes that have it. */
struct fleet_finding {
    const char *probe;
    struct finding like; /* name, unit and factors; no value */
    struct finding_meaning meaning;
    bool judged; /* false: kept but not judged (a text, or a condition that tells nothing about the
                    machine) */
    struct fleet_value *values;
    size_t count;
    struct fleet_spread *spreads; /* by group; all 0 for a group that is not judged */
};

/* Facts of which a machine may have less than its peers; it is then judged with them. */
enum fleet_fact { FACT_CORES, FACT_THREADS, FACT_MEMORY, FACT_DEVICES, FACT_NODES, FLEET_FACTS };

struct fleet_node {
    const char *name;    /* the host's name, or the file's if the document names no host */
    const char *file;    /* NULL: none */
    const char *started; /* NULL: unknown */
    const char *bios;    /* NULL: unknown */
    enum {
        NODE_JUDGED,
        NODE_REPLACED,
        NODE_ALONE,
        NODE_BEFORE
    } state; /* NODE_REPLACED: there is a newer document of the host; NODE_ALONE: too few nodes are
                like it to judge it; NODE_BEFORE: of last time */
    size_t kind; /* index of its struct fleet_kind */
    size_t group;
    uint64_t memory_bytes;
    bool busy;                 /* others were at work meanwhile */
    struct level_links levels; /* as its group's nodes number them once there are groups */
    /* how it differs from most of its group, in what fewer than PEERS_FEWEST nodes share; until the
     * groups are made, how it differs from its kind's first document */
    struct changed_facts facts;
    const struct fleet_node *before; /* the same host last time; NULL: unknown */
    /* the finding that became worse most since last time; NULL: none */
    const struct fleet_finding *worse;
    double since;   /* its ratio to last time, less 1 */
    unsigned lacks; /* set of facts (bits of enum fleet_fact) in which it has less than most of its
                       group */
    bool odd;
    size_t odd_count;                    /* its odd values */
    const struct fleet_finding *leading; /* the farthest odd finding; NULL: none */
    const struct fleet_value *leads;     /* its value of `leading` */
    const char *cause;                   /* in a few words: "a memory channel"; NULL: not odd */
    const char *reason;                  /* a sentence: what was seen, and what to look at */
};

/* A file or node of which nothing could be used. */
struct fleet_hole {
    const char *name, *reason;
};

/* Machines of one processor and size, with the facts of the first such document. */
struct fleet_kind {
    uint64_t key;
    struct document facts; /* machine and conditions, no probes; its own pool */
};

struct fleet_group {
    const char *name; /* "AMD EPYC, 2 cores, 23.5 GiB" */
    size_t kind;
    size_t first; /* index of one of its nodes */
    size_t count; /* nodes */
    bool judged;
    struct peers_prior prior; /* of its findings */
};

struct fleet {
    struct fleet_rules rules;
    bool of_last_time; /* what is added from now on */
    int steps;         /* how long documents in pipes were waited for in all (base/input.h) */
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
    size_t *places; /* hash table of findings by probe and name; see gather.c */
    size_t place_count;
    /* Filled by fleet_judge(). */
    size_t judged;          /* nodes */
    size_t compared;        /* values */
    size_t odd_count;       /* nodes */
    size_t *odd;            /* indexes of the odd nodes, the farthest away first */
    struct tool_facts tool; /* the program that wrote the newest document */
    struct pool pool;
};

/* --- gather.c: documents in --- */

/* Adds a node. The document may be freed afterwards. ERROR_SYSTEM: out of memory. */
int fleet_add(struct fleet *, const struct document *, struct error *);
/* Adds a file or node that could not be used. ERROR_SYSTEM: out of memory. */
int fleet_add_hole(struct fleet *, const char *name, const char *reason, struct error *);
/* Gives levels one number in all nodes of a group, and in their documents of last time: the number
 * that most nodes have. A curve that shows one step more or fewer numbers its levels differently,
 * so values move to the findings of the level's number; a level without such a number is dropped.
 * Call it in a step of the fleet's pool. */
void fleet_number_levels(struct fleet *, struct pool *scratch);
/* Frees what the fleet holds; {0} is a fleet without nodes. */
void fleet_free(struct fleet *);

/* --- groups.c: which nodes are alike --- */

/* Makes the groups and assigns each node to one. Call it in a step of the fleet's pool. */
void fleet_group(struct fleet *);

/* --- judge.c: which are odd --- */

/* To be called once, after all nodes were added: groups the nodes, judges them and writes the
 * causes. ERROR_USAGE: no PEERS_FEWEST nodes are alike; ERROR_SYSTEM: out of memory. */
int fleet_judge(struct fleet *, const struct fleet_rules *, struct error *);
/* Whether the value was compared with those of its group. */
bool fleet_compares(const struct fleet *, const struct fleet_finding *, const struct fleet_value *);

/* --- causes.c: why, in words --- */

/* Sets `cause` and `reason` of each odd node. Call it in a step of the fleet's pool. */
void fleet_explain(struct fleet *, struct pool *scratch);

/* --- baseline.c: a group as a document that `fathom check` compares with --- */

/* Makes the baseline of the group's nodes that are not odd, in the fleet's pool: the median of each
 * value with the middle four fifths as its interval. Call it in a step of that pool. */
void fleet_baseline(struct fleet *, size_t group, struct document *);
