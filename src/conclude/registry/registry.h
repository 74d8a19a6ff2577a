/*
 * The registry of findings: what each finding is, by its name. Every probe's descriptor brings a
 * table of what it adds (struct finding_table); `fathom list findings`, the manual, the build's
 * docs/findings.md and all code that shows or compares findings ask here. A finding without a line
 * is a plain value.
 */
#ifndef FATHOM_CONCLUDE_REGISTRY_REGISTRY_H
#define FATHOM_CONCLUDE_REGISTRY_REGISTRY_H

#include "base/quantity.h"
#include "document/document.h"

#include <stdbool.h>
#include <stddef.h>

/* What a finding is for. Outputs choose findings by role and fact, never by name. */
enum finding_role {
    ROLE_PLAIN,        /* no line explains it, or its unit is not the line's */
    ROLE_LEVEL,        /* a cache or memory, of the CPUs or of a device: a row of the datasheet, or,
                          without a fact, a line below it */
    ROLE_TRANSLATION,  /* the TLB and page walks, by page size */
    ROLE_WIDTH,        /* bytes a second by kernel, between the CPUs and DRAM */
    ROLE_FLIGHT,       /* misses in flight, and latency under load */
    ROLE_HANDOFF,      /* from one CPU to another */
    ROLE_CLUSTER,      /* CPUs that are near to each other */
    ROLE_CONTENTION,   /* several CPUs that write to one line */
    ROLE_PROPERTY,     /* anything else that is measured */
    ROLE_CONDITION,    /* what the run met: a clock, heat, drift; shown and never judged */
    ROLE_DISAGREEMENT, /* what was found and what is declared are not the same */
    ROLE_NOTE,         /* a sentence that stands beside other findings, without a value */
};

/* Which column of its role's table it fills. */
enum finding_fact {
    FACT_NONE,
    FACT_LATENCY, /* ROLE_LEVEL: in cycles, or in the unit of a table that has no ns */
    FACT_LATENCY_NS,
    FACT_CAPACITY,
    FACT_LINE,
    FACT_WAYS,
    FACT_ENTRIES, /* ROLE_TRANSLATION */
    FACT_ONSET,
    FACT_HIT,
    FACT_WALK,
    FACT_SPLIT,
    FACT_ONE,        /* bytes a second of one CPU: of DRAM (ROLE_WIDTH), or of the cache that is the
                        subject */
    FACT_ALL,        /* the same of all CPUs, or of a device */
    FACT_EFFICIENCY, /* ROLE_PROPERTY: of all CPUs, over as many times that of one */
    FACT_MISSES,     /* ROLE_FLIGHT */
    FACT_MISS_TIME,
    FACT_UNLOADED,
    FACT_SATURATED,
    FACT_TRAFFIC,
    FACT_CLUSTERS, /* ROLE_DISAGREEMENT: of clusters, shown below their matrix */
    FACT_NEAREST,  /* ROLE_HANDOFF: the nearest pair of CPUs, the farthest one */
    FACT_FARTHEST,
    FACT_REMOTE,   /* memory of another node */
    FACT_LOCAL,    /* memory of the CPUs' own node */
    FACT_TAKEN,    /* ROLE_CONDITION: the share of CPU time that was taken from programs */
    FACT_LONGEST,  /* the longest time that a CPU was taken */
    FACT_QUIETEST, /* the CPUs from which the least is taken */
    FACT_WAKE,     /* one wake-up, as the first screen has it */
    FACT_NODE,     /* ROLE_PROPERTY: the way to a node's memory that the firmware declares too */
};

/* A factor that decides what a finding is, and the standard value, for which the name alone stands.
 * A factor without an entry is always a deviation. */
struct standard {
    const char *factor; /* NULL ends a list */
    enum {
        STANDARD_NAMED,   /* the name says it, or it does not matter: never a deviation */
        STANDARD_TEXT,    /* `text` */
        STANDARD_NUMBER,  /* `number` */
        STANDARD_LINE,    /* a cache line of the machine */
        STANDARD_FASTEST, /* the fastest kind of core */
        STANDARD_ABSENT,  /* a series without this factor is standard: any value is a deviation */
        STANDARD_PAGES,   /* the largest pages that are available */
    } kind;
    const char *text;
    double number;
};

struct analysis;

struct finding_line {
    /* Names as they stand in documents, separated by ", ": <n> stands for a number, * for one or
     * more characters other than a dot: "L<n>.latency, DRAM.latency". */
    const char *patterns;
    const char *unit; /* "cycles"; "" for a plain number or a sentence alone; NULL: any */
    enum finding_role role;
    enum finding_fact fact;
    enum side side; /* which way it is worse; SIDE_OF_UNIT unless said */
    /* Set where neither role nor level nor fact says so (conclude/registry/shared.h): all CPUs
     * share what was measured, or all of them were measured together. */
    enum { OF_ITS_ROLE, OF_SHARED, OF_ALL_CPUS } shared;
    /* What the fact is of: the part of the name, counted from 1 behind the device, "read" of
     * "bandwidth.read.1" is 2; 0 is all but the last part. */
    int part;
    /* On which curves of a device a capacity is marked: those whose factor `what` is this. NULL: on
     * all. */
    const char *curve;
    /* Where it stands on the first screen of a device: the line of facts ("host"), or the row of
     * the table of bandwidths where its fact is FACT_ALL ("DRAM"). NULL: it is in the datasheet, or
     * has no place there. */
    const char *place;
    /* What stands before its value there: "to the device"; <n> is the finding's number. As many as
     * there are patterns, separated as they are, or one for all. What stands before ": " is said
     * once for neighbours that share it. */
    const char *words;
    /* How many points of its series must have a value before anything is concluded from them; 0 is
     * 1. With fewer, the finding has no value but a text that says so (analysis_read_off()). */
    unsigned least_points;
    /* What the finding is. This and the next two are whole sentences; --help shows only the first
     * one. */
    const char *meaning;
    const char *moves;  /* what changes or decides it; NULL: unknown */
    const char *advice; /* what to do with it, or about it */
    /* How it is read off (conclude/read.h): the series, as many as there are patterns and separated
     * by "; ", and which of its points. NULL: the probe's analyse() adds it. */
    const char *series;
    enum read_off {
        READ_EACH,   /* a finding for each point; its size stands for the name's "*" */
        READ_FIRST,  /* the first point, if there are more */
        READ_LAST,   /* the last point */
        READ_GAIN,   /* how many times less a byte takes at the last point than at the first */
        READ_EXCESS, /* what the last point takes longer than the first, whose x is 1 */
    } read;
    /* The finding's sentence, in the pool, for the point that it was read off and the first one;
     * NULL: it has none. */
    const char *(*say)(struct analysis *, const struct point *at, const struct point *first);
};

/* What a probe's descriptor says of the findings that it adds. */
struct finding_table {
    const struct finding_line *lines;  /* ends with NULL patterns; NULL: it adds none */
    const struct standard *experiment; /* ends with a NULL factor; NULL: names say all */
    bool of_devices; /* the probe measures devices: outputs name them even where none was there */
    bool before_others; /* other probes' findings build on these: they are computed first */
};

/* The entry of the list for that factor; NULL where there is none. The list may be NULL. */
const struct standard *standard_find(const struct standard *list, const char *factor);

/* The i-th probe's table and, in *probe, its name; NULL for the one behind the last. Defined where
 * probes are listed (measure/probes/kit/probes.c), because this room may not know the probes. */
const struct finding_table *finding_table_at(size_t i, const char **probe);
/* NULL for an unknown probe. */
const struct finding_table *finding_table_of(const char *probe);

/* The i-th line of all, those of one probe together, and in *probe, which may be NULL, the probe's
 * name; NULL behind the last. */
const struct finding_line *finding_line_at(size_t i, const char **probe);
/* Whether the name matches one of the patterns. */
bool finding_name_matches(const char *patterns, const char *name);
/* The first line that the name matches; NULL where there is none. */
const struct finding_line *finding_line_find(const char *name);

/* What a finding means, all of it in one value. */
/* Which of the machine's places a level is: the grammar of their names is the registry's alone. */
enum level_kind {
    LEVEL_NONE,
    LEVEL_CACHE,      /* `number` says which */
    LEVEL_MEMORY,     /* behind all caches */
    LEVEL_SCRATCHPAD, /* of a device's multiprocessor */
    LEVEL_OTHER,      /* another memory, or another way to it */
};

struct finding_meaning {
    const struct finding_line *line; /* NULL: no line explains it */
    enum finding_role role;          /* ROLE_PLAIN where `line` is NULL or has other units */
    enum finding_fact fact;
    int device;          /* the number behind "gpu"; -1 */
    const char *subject; /* what the fact is of, within the finding's name: "L2" */
    size_t subject_length;
    int number; /* the first in its name, behind the device: 2 of "dtlb2.4K.hit"; -1: none */
    enum level_kind level;           /* that the subject names; LEVEL_NONE where it names none */
    const struct quantity *quantity; /* by its unit; NULL: an unknown unit */
    enum side side; /* never SIDE_OF_UNIT; SIDE_NEITHER where the value is not judged */
};
struct finding_meaning finding_meaning(const struct finding *);

/* Whether a level of that name, as factors have it, is the memory behind all caches. */
bool level_is_memory(const char *name);

/* Where a level stands among all, the nearest first: in the order in which the registry has the
 * latencies of levels. `stem` is what all findings of the level begin with: "gpu0.L2" of
 * "gpu0.L2.capacity", `length` bytes long. Levels that it does not have come last. */
size_t finding_level_rank(const char *stem, size_t length);

/* A place on the first screen: what the line says of it, with the words that are this finding's. */
enum { FINDING_WORDS = 64 };
struct finding_place {
    const char *name;
    char words[FINDING_WORDS];
    enum finding_role role;
    bool is_rate; /* a row of the table of bandwidths */
};
/* False where the finding has none. One in ns that is no twin of another in cycles stands where the
 * one in cycles would. */
bool finding_place(const struct finding *, bool is_twin, struct finding_place *);

#endif
