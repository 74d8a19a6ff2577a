/*
 * The registry of findings: what each finding is, by its name. Every probe's descriptor has a table
 * of the findings that it adds (struct finding_table); `fathom list findings`, the manual, the
 * build's docs/findings.md and all code that shows or compares findings use it. A finding without a
 * line in a table is a plain value.
 */
#pragma once

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
    ROLE_CONDITION,    /* state of the machine during the run: clock, heat, drift; shown and never
                          judged */
    ROLE_DISAGREEMENT, /* what was found differs from what is declared */
    ROLE_NOTE,         /* a sentence without a value, shown with other findings */
};

/* The column of its role's table that it fills. */
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
    FACT_ONE, /* bytes a second of one CPU: from DRAM (ROLE_WIDTH), or from the cache that is the
                 subject */
    FACT_ALL, /* the same of all CPUs, or of a device */
    FACT_EFFICIENCY, /* ROLE_PROPERTY: the rate of all n CPUs over n times the rate of one */
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
    FACT_LONGEST,  /* the longest time for which a CPU was taken */
    FACT_QUIETEST, /* the CPUs from which the least time is taken */
    FACT_WAKE,     /* a wake-up, as the first screen shows it */
    FACT_TOUCH,    /* the first touch of a page whose size is the subject */
    FACT_GAIN,     /* how many times as fast huge pages are touched, per byte */
    FACT_NODE,     /* ROLE_PROPERTY: the way to a node's memory, which the firmware declares too */
    FACT_SAID,     /* the first screen shows the subject, its value and its sentence */
};

/* A factor that matters to findings, and its standard value, which a name without factors implies.
 * A factor without an entry is always a deviation. */
struct standard {
    const char *factor; /* NULL ends a list */
    enum {
        STANDARD_NAMED,   /* the name says it, or it does not matter: no value is a deviation */
        STANDARD_TEXT,    /* `text` */
        STANDARD_NUMBER,  /* `number` */
        STANDARD_LINE,    /* a cache line of the machine */
        STANDARD_FASTEST, /* the fastest kind of core */
        STANDARD_ABSENT,  /* a standard series lacks this factor: any value is a deviation */
        STANDARD_PAGES,   /* the largest pages that are available */
    } kind;
    const char *text;
    double number;
};

/* The unit in which a figure is judged (conclude/registry/home.h). */
enum finding_home { HOME_BY_LEVEL, HOME_CYCLES, HOME_NS };

struct analysis;

/* A row in a probe's file, or an entry in a text beside it (scripts/findings). */
struct finding_line {
    /* Names as in documents, separated by ", "; <n> matches a number, * one or more characters
     * other than a dot: "L<n>.latency, DRAM.latency". */
    const char *patterns;
    const char *unit; /* "cycles"; "" for a plain number or a sentence alone; NULL: any */
    enum finding_role role;
    enum finding_fact fact;
    enum side side; /* which side is worse; SIDE_OF_UNIT by default */
    /* The home of a figure that is given both in cycles and in ns, where the level does not say it.
     */
    enum finding_home home;
    /* Set if neither role nor level nor fact implies it: all CPUs
     * share what was measured, or all were measured together. */
    enum { OF_ITS_ROLE, OF_SHARED, OF_ALL_CPUS } shared;
    /* The subject of the fact: which part of the name it is, counted from 1 after the device:
     * "read" in "bandwidth.read.1" is 2; 0: all but the last part. */
    int part;
    /* The curves on which a device's capacity is marked: those whose factor `what` has this value;
     * NULL: all. */
    const char *curve;
    /* Its place on the first screen of a device: the line of facts ("host"), or, if its fact is
     * FACT_ALL, the row of the table of bandwidths ("DRAM"). NULL: it is in the datasheet or not on
     * the screen. */
    const char *place;
    /* The words before its value there: "to the device"; <n> is the finding's number. One item for
     * each pattern, separated as patterns are, or one for all. A beginning up to ": " is shown once
     * if neighbours share it. */
    const char *words;
    /* How many points of its series must have a value; 0 means 1. With fewer, the finding has no
     * value, and its text says so (analysis_read_off()). */
    unsigned least_points;
    /* What the finding is. This and the next two are whole sentences; --help shows only the first
     * one. */
    const char *meaning;
    const char *moves;  /* what it depends on; NULL: unknown */
    const char *advice; /* what to do with it, or about it */
    /* How it is read off (conclude/read.h): the series, one for each pattern and separated by "; ",
     * and which points. NULL: the probe's analyse() adds it. */
    const char *series;
    enum read_off {
        READ_EACH,   /* a finding for each point; its size replaces the name's "*" */
        READ_FIRST,  /* the first point, if there are more */
        READ_LAST,   /* the last point */
        READ_GAIN,   /* time for each byte at the first point over that at the last */
        READ_EXCESS, /* how much longer the last point takes than the first, whose x is 1 */
    } read;
    /* Returns the finding's sentence, in the pool, from the point that was read off and the first
     * point; NULL: it has none. */
    const char *(*say)(struct analysis *, const struct point *at, const struct point *first);
};

/* A probe descriptor's table of the findings that it adds. */
struct finding_table {
    const struct finding_line *lines;  /* ends with NULL patterns; NULL: it adds none */
    const struct standard *experiment; /* ends with a NULL factor; NULL: no factor matters */
    bool of_devices; /* the probe measures devices: outputs mention them even if none was there */
    bool before_others; /* other probes' findings build on these: they are computed first */
};

/* The list's entry for that factor; NULL: none. The list may be NULL. */
const struct standard *standard_find(const struct standard *list, const char *factor);

/* The i-th probe's table and, in *probe, its name; NULL: past the last. Defined with the list of
 * probes (measure/probes/kit/probes.c), because conclude/ may not depend on the probes. */
const struct finding_table *finding_table_at(size_t i, const char **probe);
/* NULL for an unknown probe. */
const struct finding_table *finding_table_of(const char *probe);

/* Whether the name matches one of the patterns. */
bool finding_name_matches(const char *patterns, const char *name);
/* The first line that the name matches; NULL: none. */
const struct finding_line *finding_line_find(const char *name);
/* The same, looked up once for all: a document of 1 MB has thousands of findings, a comparison asks
 * several times for each, and the lines are hundreds. It stays while the name has the same line. */
const struct finding_line *finding_line_keep(struct finding *);

/* The sort of a level. Only the registry parses names of levels. */
enum level_kind {
    LEVEL_NONE,
    LEVEL_CACHE,      /* `number` says which */
    LEVEL_MEMORY,     /* behind all caches: the last level that was reached */
    LEVEL_SCRATCHPAD, /* of a device's multiprocessor */
    LEVEL_OTHER,      /* another memory, or another way to it */
};

struct finding_meaning {
    const struct finding_line *line; /* NULL: no line explains it */
    enum finding_role role;          /* ROLE_PLAIN if `line` is NULL or has another unit */
    enum finding_fact fact;
    int device;          /* the number after "gpu"; -1: no device */
    const char *subject; /* the subject of the fact, a part of the finding's name: "L2" */
    size_t subject_length;
    int number; /* the first number in its name after the device: 2 of "dtlb2.4K.hit"; -1: none */
    enum level_kind level;           /* of the subject; LEVEL_NONE: the subject is no level */
    const struct quantity *quantity; /* by its unit; NULL: an unknown unit */
    enum side side;                  /* never SIDE_OF_UNIT; SIDE_NEITHER: the value is not judged */
};
struct finding_meaning finding_meaning(const struct finding *);

/* The names of the last level that was reached: memory where the evidence says so, else the other.
 * It is one role. */
extern const char level_memory[], level_reached[];
/* Whether the value bounds a capacity from below: "L2.begins", where misses begin. */
bool finding_is_bound(const struct finding *);
/* Orders findings by name as strcmp() does, but takes "last.latency", of the last level that was
 * reached, for "DRAM.latency", and "L2.begins" for "L2.capacity": runs that reached as far differ
 * in what they can prove, and a cache of which less is left must not leave the comparison. */
int finding_name_order(const char *a, const char *b);

/* A level's rank among all, the nearest first: the registry's order of the levels' latencies.
 * `stem` is the common beginning of the level's findings: "gpu0.L2" of "gpu0.L2.capacity", `length`
 * bytes long. Levels without a line come last. */
size_t finding_level_rank(const char *stem, size_t length);

/* A finding's place on the first screen, by its line, with the words for this finding. */
enum { FINDING_WORDS = 64 };
struct finding_place {
    const char *name;
    char words[FINDING_WORDS];
    enum finding_role role;
    bool is_rate; /* a row of the table of bandwidths */
};
/* False: the finding has none. A finding in ns that is no twin of one in cycles takes the place of
 * the one in cycles. */
bool finding_place(const struct finding *, bool is_twin, struct finding_place *);

/* What all CPUs of a machine share, so that other programs can change its values: memory and the
 * way to it, caches beyond a core's own, and what is measured on all CPUs together. */

/* Where sharing is not declared, or is declared by a hypervisor, caches beyond the second level
 * count as shared by several cores. On some processors one core has all of such a cache. */
enum { PRIVATE_LEVELS = 2 };
/* Whether the cache of that level belongs to several cores. */
bool level_is_shared(const struct machine_facts *, int level);
/* Findings about a device are not shared, because a device is no CPU. */
bool finding_is_shared(const struct machine_facts *, const struct finding_meaning *);
/* Whether it is measured on all CPUs together, so that a program on any CPU affects it. */
bool finding_is_of_all_cpus(const struct finding_meaning *);
/* Declared bytes of the largest cache that one core has for itself; 0: unknown. */
double own_cache_bytes(const struct machine_facts *);
