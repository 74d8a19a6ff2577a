/*
 * Which machine this is, and which part of it may be used: the facts for the document, in the
 * document's own types, and what plans need in addition.
 *
 * Every system file is read below `root`, so a recorded tree replays as another machine. A machine
 * read from a root or from a synthetic description is not `live`: it can be planned for and shown,
 * but not measured.
 */
#pragma once

#include "base/cpulist.h"
#include "base/error.h"
#include "base/pool.h"
#include "document/document.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine_source {
    const char *root;      /* NULL: the machine we run on */
    const char *synthetic; /* an hwloc synthetic topology, like "pack:2 core:8 pu:2"; NULL: none */
    /* Path of a copy of the firmware's table of memory modules; `root` is not put before it. NULL:
     * the table itself, if this user may read it. */
    const char *smbios;
    bool guest; /* fathom is a library in another program: the environment is not changed */
};

/* The place of one CPU (a hardware thread). `core` and `package` are fathom's own numbers from 0;
 * members other than `id` and `sibling` are -1 if unknown. */
struct cpu_place {
    int id;      /* the operating system's number */
    int core;    /* the same for all hardware threads of a core */
    int sibling; /* 0 for the first hardware thread of its core, 1 for the second, ... */
    int package;
    int node; /* the operating system's NUMA node number */
    int kind; /* index into facts.kinds; the largest is the most performant */
};

/* What plans need to know of a NUMA node in addition to facts.nodes of the same index. */
struct node_place {
    unsigned *distances; /* to each of facts.nodes, as the firmware declares; 0: unknown */
    uint64_t free_bytes;
    bool allowed; /* this process may take memory from it */
};

/* One cache that several CPUs share; the facts list equal caches only once. */
struct cache_place {
    int level;
    struct cpulist cpus; /* in the machine's pool */
};

struct machine {
    struct machine_facts facts;
    struct node_place *nodes; /* one for each of facts.nodes */
    struct cpu_place *cpus;   /* online CPUs, ascending by id */
    size_t cpu_count;
    struct cache_place *caches; /* the nearest level first */
    size_t cache_count;
    struct cpulist allowed; /* online, in the affinity mask and in the cgroup's cpuset */
    /* Free now under the smallest limit (MemAvailable, cgroup v1 and v2 memory limits up the whole
     * path); a run may use half. */
    uint64_t memory_available_bytes;
    double cpu_quota; /* CPUs' worth of time that cpu.max allows; INFINITY: unlimited */
    bool live;
    const char *root; /* below which its system files are; NULL: this machine's own */
    bool emulated;    /* an emulator executes the instructions: times say nothing about hardware */
    struct pool pool;
};

/* Reads the machine. A system file that is missing, or holds garbage, makes one fact unknown and is
 * no error. ERROR_IMPOSSIBLE if no CPU is found, ERROR_USAGE for a bad synthetic description, a
 * root that is not a directory, or a bad `smbios`. */
int machine_read(struct machine *, const struct machine_source *, struct error *);
/* The machine that a document tells of, which must live as long. Where the document says nothing of
 * its CPUs, each is a core of its own. ERROR_USAGE where it names more CPUs than any machine has.
 */
int machine_of_document(struct machine *, const struct document *, struct error *);
void machine_free(struct machine *);

const struct cpu_place *machine_cpu(const struct machine *, int id); /* NULL: no such CPU */
int machine_core(const struct machine *, int cpu); /* its core; not known: a number of its own */
/* The places of the list's CPUs, in its order; for a CPU that the machine lacks, only the id is
 * set. */
void machine_places(const struct machine *, const struct cpulist *, struct cpu_place *places);
/* For qsort() of places: the first threads of all cores, then the second ones. */
int machine_by_thread(const void *, const void *);
/* The most that a measurement may map: half of the free memory. */
uint64_t machine_memory_budget(const struct machine *);
/* The largest data or unified cache declared at the last level of all CPUs, NULL if none is. */
const struct cache_facts *machine_last_cache(const struct machine *);
/* The machine's cache line in bytes as declared, or the architecture's usual one. */
unsigned machine_line_bytes(const struct machine *);
