/*
 * What machine_read() is put together from, a file a subject: each reads its part below the root.
 * Nothing that the files say is believed blindly: what is missing, garbage or beyond what any
 * machine has is unknown, and fails nothing. All are in a step of the machine's pool, which a lack
 * of memory leaves.
 */
#ifndef FATHOM_MACHINE_PARTS_H
#define FATHOM_MACHINE_PARTS_H

#include "machine/machine.h"

#include <hwloc.h>

/* Fills `live`, `cpus`, `caches`, the topology's part of the facts, and hwloc's tree as the
 * document keeps it. */
void topology_read(struct machine *, hwloc_topology_t, const struct machine_source *);

/* Fills `nodes`, one for each of facts.nodes. Where the system doesn't say, distances are unknown,
 * a node is allowed, and all of it counts as free. */
void nodes_read(struct machine *, const struct machine_source *);

/* Fills the facts' names and page sizes and, from /proc/meminfo, memory_bytes. */
void identity_read(struct machine *, const char *root);
/* "KVM", "VMware", ..., "unknown hypervisor"; NULL where none is noticed. Containers do not
 * count. */
const char *identity_hypervisor(struct pool *, const char *root);
/* Whether QEMU's TCG emulates all instructions of the machine whose files lie below `root`, as far
 * as these files say. A guest of KVM is not emulated, even if QEMU started it. */
bool identity_emulated(struct pool *, const char *root);

/* Fills allowed, memory_available_bytes and cpu_quota from the files and, on a live machine, from
 * the affinity mask of this thread, which is empty where it is unknown. */
void limits_read(struct machine *, const char *root, const struct cpulist *mask);
/* The same for a machine that has no files: everything is allowed. */
void limits_none(struct machine *);
/* Memory that can be taken without swapping, from /proc/meminfo; 0: unknown. */
uint64_t limits_memory_free(const char *root);

/* Each fills a part of facts.declared (document/declared.h); the parts above come before. */
void declared_nodes(struct machine *, const char *root); /* SLIT, HMAT, tiers and weights */
void declared_cxl(struct machine *, const char *root);
void declared_shares(struct machine *, const char *root);
void declared_clocks(struct machine *, const char *root);
/* Modules by the firmware's own table, which only root may read. */
void declared_modules(struct machine *, const char *root);
/* Modules by a copy of that table. Leaves with ERROR_USAGE where the file can't be read or has
 * none. */
void declared_modules_of_file(struct machine *, const char *path);
/* The structures of an SMBIOS table, one after the other; what is no structure ends it. */
void smbios_add_modules(struct machine *, const unsigned char *table, size_t size);

/* Adds a CPU of which only the number is known, if it isn't there yet. */
void machine_add_cpu(struct machine *, int id);
/* One more of an array in the machine's pool. `array` is the address of the pointer to it. */
void *machine_append(struct machine *, void *array, size_t *count, size_t size);
/* "node12" is 12, with "node" as its prefix; -1: it is not such a name, or the number has too many
 * digits. */
int number_behind(const char *name, const char *prefix);
/* All such numbers of the names as a list, "0-1,12"; NULL where there are none. */
const char *numbers_behind(struct pool *, char *const *names, size_t count, const char *prefix);

#endif
