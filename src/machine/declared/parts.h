/* What declarations_read() is put together from, a file a subject. Each fills its own part of
 * facts.declared: 0, or ERROR_SYSTEM without memory. Not for use outside of this folder. */
#ifndef FATHOM_MACHINE_DECLARED_PARTS_H
#define FATHOM_MACHINE_DECLARED_PARTS_H

#include "machine/declared/declared.h"

/* nodes.c: SLIT, HMAT, tiers and weights. */
int declared_nodes(struct machine *, const char *root);
int declared_cxl(struct machine *, const char *root);
int declared_shares(struct machine *, const char *root);
int declared_clocks(struct machine *, const char *root);
/* Modules by the firmware's own table, which only root may read. */
int declared_smbios(struct machine *, const char *root);
/* Modules by what dmidecode printed into a file. */
int declared_dmidecode(struct machine *, const char *path, struct error *);

/* The structures of an SMBIOS table, one after the other; what is no structure ends it. */
int smbios_add_modules(struct machine *, const unsigned char *table, size_t size);

/* One more of an array in the machine's pool; NULL without memory. `array` is the address of the
 * pointer to it. */
void *declared_append(struct machine *, void *array, size_t *count, size_t size);
/* "node12" is 12, with "node" as its prefix; -1: it is not such a name, or the number has too many
 * digits. */
int declared_number_of(const char *name, const char *prefix);

/* What no machine exceeds, so that larger numbers are garbage. */
enum {
    DECLARED_MODULES_MAX = 4096,
    DECLARED_MTS_MAX = 1000 * 1000,
    DECLARED_BITS_MAX = 1 << 16,
};

#endif
