/*
 * What the machine calls itself: host, system, processor, hypervisor, and the sizes of its pages.
 */
#ifndef FATHOM_MACHINE_IDENTITY_H
#define FATHOM_MACHINE_IDENTITY_H

#include "machine/machine.h"

/* Fills the facts' names and page sizes and, from /proc/meminfo, memory_bytes; facts that the files
 * below `root` lack stay absent. ERROR_SYSTEM without memory. */
int identity_read(struct machine *, const char *root, struct error *);

/* "KVM", "VMware", ..., "unknown hypervisor"; NULL where none is noticed. Containers do not
 * count. */
const char *identity_hypervisor(struct pool *, const char *root);

/* Whether QEMU's TCG does all instructions of the machine whose files lie below `root`, as far as
 * they say. What runs under KVM is not emulated, though QEMU may have started it. */
bool identity_emulated(struct pool *, const char *root);

#endif
