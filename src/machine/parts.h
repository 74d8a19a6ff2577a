/*
 * The parts of machine_read(), one file for each subject: each reads its system files below the
 * root. What is missing, garbage or larger than on any machine is unknown, and no error. All
 * functions are called in a step of the machine's pool and leave it if memory is short.
 */
#pragma once

#include "machine/machine.h"

#include <hwloc.h>

/* Fills `live`, `cpus`, `caches`, the topology's part of the facts, and hwloc's tree as the
 * document keeps it. */
void topology_read(struct machine *, hwloc_topology_t, const struct machine_source *);

/* Adds a cache that these CPUs share, in the order of levels, unless no cache has such a size;
 * `as_object`: also to hwloc's tree, which has it already if hwloc found it. */
void topology_add_cache(struct machine *, struct cache_facts, const struct cpulist *,
                        bool as_object);

/* What one CPU says by CPUID: its number among the hardware threads, and registers EAX to EDX of
 * each cache; zeros follow the last one. */
enum { CPUID_CACHES_MAX = 8 };
struct cpuid_leaves {
    int cpu;
    uint32_t apic, caches[CPUID_CACHES_MAX][4];
};
/* Adds the caches that these CPUs, ascending by number, declare. */
void cpuid_add_caches(struct machine *, const struct cpuid_leaves *, size_t count);
/* The same for the CPUs that may be used, asked one after another. None on a processor without
 * CPUID, or if threads can't be pinned. */
void cpuid_read(struct machine *);

/* Fills `nodes`, one for each of facts.nodes. If the system does not say, distances are unknown, a
 * node is allowed, and all its memory counts as free. */
void nodes_read(struct machine *, const struct machine_source *);

/* Fills the facts' names and page sizes and, from /proc/meminfo, memory_bytes. */
void identity_read(struct machine *, const char *root);
/* "KVM", "VMware", ..., "unknown hypervisor"; NULL if none is noticed. A container is none. */
const char *identity_hypervisor(struct pool *, const char *root);
/* Whether the files below `root` say that QEMU's TCG emulates all instructions of the machine. A
 * guest of KVM is not emulated, even if QEMU started it. */
bool identity_emulated(struct pool *, const char *root);

/* Fills allowed, memory_available_bytes and cpu_quota from the files and, on a live machine, from
 * the affinity mask of this thread (empty: unknown). */
void limits_read(struct machine *, const char *root, const struct cpulist *mask);
/* Fills the same for a machine that has no files: everything is allowed. */
void limits_none(struct machine *);
/* Bytes that can be allocated without swapping, from /proc/meminfo; 0: unknown. */
uint64_t limits_memory_free(const char *root);

/* Each fills a part of facts.declared (document/declared.h). Call them after the parts above. */
void declared_nodes(struct machine *, const char *root); /* SLIT, HMAT, tiers and weights */
void declared_cxl(struct machine *, const char *root);
void declared_shares(struct machine *, const char *root);
void declared_clocks(struct machine *, const char *root);
/* Memory modules from the firmware's own table, which only root may read. */
void declared_modules(struct machine *, const char *root);
/* Memory modules from a copy of that table. Leaves with ERROR_USAGE if the file can't be read or
 * lists no module. */
void declared_modules_of_file(struct machine *, const char *path);
/* Adds the modules of an SMBIOS table; bytes that are no structure end the table. */
void smbios_add_modules(struct machine *, const unsigned char *table, size_t size);

/* Adds a CPU of which only the number is known, if it isn't there yet. */
void machine_add_cpu(struct machine *, int id);
/* Appends an element to an array in the machine's pool and returns it. `array` is the address of
 * the pointer to the array. */
void *machine_append(struct machine *, void *array, size_t *count, size_t size);
/* The number in a name: 12 of "node12" with the prefix "node"; -1: it is not such a name, or the
 * number has too many digits. */
int number_behind(const char *name, const char *prefix);
/* All such numbers of the names as a list, "0-1,12"; NULL if there are none. */
const char *numbers_behind(struct pool *, char *const *names, size_t count, const char *prefix);
