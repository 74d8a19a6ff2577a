/* What firmware and kernel declare of a machine's memory besides its caches and nodes: a part of
 * the document. All of it may be absent. Nodes and CPUs are the operating system's numbers; lists
 * of them are written as the kernel writes lists of CPUs, "0-3,8". An absent number is 0 where 0
 * has no meaning of its own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row of the firmware's table of distances between nodes (SLIT). */
struct declared_distances {
    int node;
    uint64_t *to; /* to each of the document's nodes, in their order: 10 is local; 0 unknown */
    size_t count;
};

/* The path to a node's memory from its best initiator nodes, by the firmware's HMAT. The kernel
 * shows no other initiators. */
struct declared_way {
    int node;
    unsigned access;  /* 0: initiators may be devices; 1: they have CPUs */
    const char *from; /* list of the initiator nodes */
    uint64_t read_latency_ns, write_latency_ns;
    uint64_t read_bandwidth, write_bandwidth; /* B/s */
};

/* Nodes that the kernel takes for equally fast; a tier with a higher id is slower. */
struct declared_tier {
    int id;
    const char *nodes;
};

/* The weight of a node when the kernel interleaves pages over nodes. */
struct declared_weight {
    int node;
    unsigned weight;
};

struct declared_cxl {
    const char *name; /* "region0" */
    const char *mode; /* "ram", "pmem"; NULL unknown */
    uint64_t size_bytes;
    unsigned interleave_ways, interleave_bytes; /* devices; bytes of a piece */
    const char *nodes; /* nodes that hold this memory; NULL: none, or unknown */
};

/* A slot for a memory module (SMBIOS, type 17). */
struct declared_module {
    const char *slot, *bank; /* as the firmware names them; NULL unknown */
    bool empty;
    uint64_t size_bytes;
    const char *type;                      /* "DDR5" */
    unsigned rated_mts, configured_mts;    /* million transfers a second */
    unsigned data_bits, total_bits, ranks; /* width without and with ECC */
    const char *maker, *part;
};

/* The part of one cache, or of one memory bandwidth, that resctrl allows this process. */
struct declared_share {
    const char *resource;   /* "L3", "L3DATA", "L2", "MB" */
    int domain;             /* the kernel's number of the cache */
    unsigned ways, of_ways; /* of a cache: allowed, and all; `of_ways` 0 unknown */
    double percent; /* of "MB"; NAN for a cache, or where the kernel counts in another unit */
};

/* The range of clocks that CPUs may run at; 0 unknown. */
struct declared_clock {
    const char *cpus;
    uint64_t hardware_min_hz, hardware_max_hz, min_hz, max_hz, base_hz;
};

/* hwloc's tree without its links: the objects of one type with equal attributes. They nest as their
 * sets of CPUs do; of equal sets a Package holds a Die, a Die a cache of a higher level, and so on
 * down to a PU. */
struct declared_objects {
    const char *type;  /* hwloc's: "Package", "L3Cache", "Core", "NUMANode", "PU" */
    uint64_t *indexes; /* the operating system's; absent where it has none */
    const char **cpus; /* of each object; of "PU" one list of all */
    size_t index_count, cpus_count;
    uint64_t size_bytes; /* of caches, as the members below */
    unsigned line_bytes, ways;
};

struct declared_facts {
    struct declared_distances *distances;
    struct declared_way *ways;
    struct declared_tier *tiers;
    struct declared_weight *weights;
    struct declared_cxl *cxl;
    struct declared_module *modules;
    struct declared_share *shares;
    struct declared_clock *clocks;
    struct declared_objects *objects;
    size_t distance_count, way_count, tier_count, weight_count, cxl_count, module_count,
        share_count, clock_count, object_count;
    const char *share_group; /* this process's resctrl group; NULL: there is no resctrl */
};
