/*
 * What firmware and kernel say of a machine's memory (document/declared.h), read below its root.
 * Like all system files these are not believed blindly: what is missing, garbage or beyond what any
 * machine has is unknown, and fails nothing.
 */
#ifndef FATHOM_MACHINE_DECLARED_DECLARED_H
#define FATHOM_MACHINE_DECLARED_DECLARED_H

#include "machine/machine.h"

/* Fills facts.declared but for the objects, which topology.c adds. To be called when topology,
 * nodes, identity and limits have been read. ERROR_USAGE where source->smbios names a file that
 * can't be read or has no memory module; ERROR_SYSTEM without memory. */
int declarations_read(struct machine *, const struct machine_source *, struct error *);

#endif
