/*
 * What machine_read() is put together from, a file a subject: each reads its part below the root.
 * Nothing that the files say is believed blindly: what is missing, garbage or beyond what any
 * machine has is unknown, and fails nothing. All return 0, or ERROR_SYSTEM without memory.
 */
#ifndef FATHOM_MACHINE_PARTS_H
#define FATHOM_MACHINE_PARTS_H

#include "machine/machine.h"

/* Fills `live`, `cpus`, `caches`, the topology's part of the facts, and hwloc's tree as the
 * document keeps it. Where hwloc finds nothing the list of CPUs is empty, without an error;
 * ERROR_USAGE for a bad synthetic description. */
int topology_read(struct machine *, const struct machine_source *, struct error *);

/* Fills `nodes`, one for each of facts.nodes. Where the system doesn't say, distances are unknown,
 * a node is allowed, and all of it counts as free. */
int nodes_read(struct machine *, const struct machine_source *);

/* Fills the facts' names and page sizes and, from /proc/meminfo, memory_bytes. */
int identity_read(struct machine *, const char *root);
/* "KVM", "VMware", ..., "unknown hypervisor"; NULL where none is noticed. Containers do not
 * count. */
const char *identity_hypervisor(struct pool *, const char *root);
/* Whether QEMU's TCG does all instructions of the machine whose files lie below `root`, as far as
 * they say. What runs under KVM is not emulated, though QEMU may have started it. */
bool identity_emulated(struct pool *, const char *root);

/* Fills allowed, memory_available_bytes and cpu_quota from the files and, on a live machine, from
 * the affinity mask. */
int limits_read(struct machine *, const char *root);
/* The same for a machine that has no files: everything is allowed. */
int limits_none(struct machine *);
/* Memory that can be taken without swapping, from /proc/meminfo; 0: unknown. */
uint64_t limits_memory_free(const char *root);

/* Each fills a part of facts.declared (document/declared.h); the parts above come before. */
int declared_nodes(struct machine *, const char *root); /* SLIT, HMAT, tiers and weights */
int declared_cxl(struct machine *, const char *root);
int declared_shares(struct machine *, const char *root);
int declared_clocks(struct machine *, const char *root);
/* Modules by the firmware's own table, which only root may read. */
int declared_modules(struct machine *, const char *root);
/* Modules by a copy of that table. ERROR_USAGE where the file can't be read or has none. */
int declared_modules_of_file(struct machine *, const char *path, struct error *);
/* The structures of an SMBIOS table, one after the other; what is no structure ends it. */
int smbios_add_modules(struct machine *, const unsigned char *table, size_t size);

/* Adds a CPU of which only the number is known, if it isn't there yet. */
int machine_add_cpu(struct machine *, int id);
/* One more of an array in the machine's pool; NULL without memory. `array` is the address of the
 * pointer to it. */
void *machine_append(struct machine *, void *array, size_t *count, size_t size);
/* "node12" is 12, with "node" as its prefix; -1: it is not such a name, or the number has too many
 * digits. */
int number_behind(const char *name, const char *prefix);

#endif
