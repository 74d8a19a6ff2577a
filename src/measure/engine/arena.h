/*
 * Memory to measure in: mapped with a page policy and a NUMA node, touched first by the CPU that
 * measures, and then verified. What was obtained is what is reported.
 */
#ifndef FATHOM_MEASURE_ENGINE_ARENA_H
#define FATHOM_MEASURE_ENGINE_ARENA_H

#include "base/error.h"
#include "machine/os.h"

#include <stddef.h>

struct arena {
    unsigned char *memory;         /* aligned to 2 MiB */
    size_t bytes;                  /* that may be used: as mapped, unless arena_use() said less */
    size_t mapped;                 /* whole pages of the policy */
    enum page_policy asked, used;  /* `used` is what PAGES_AUTO came to */
    int node;                      /* asked for; -1: the one of the CPU that touches first */
    struct os_placement placement; /* filled by arena_verify() */
};

/* Maps at least `bytes`. PAGES_AUTO takes reserved 2 MiB pages where enough of them are free, then
 * transparent ones, then small ones. ERROR_IMPOSSIBLE where the policy asked for by name can't be
 * had. */
int arena_map(struct arena *, size_t bytes, enum page_policy, int node, struct error *);
/* From now on the first `bytes` are used, or all where it has fewer: what lies beyond is as if it
 * were not there, and costs nothing while it was never touched. */
void arena_use(struct arena *, size_t bytes);
/* Writes to every page; to be called on the CPU that will measure. */
void arena_touch(struct arena *);
/* The same for `bytes` from `at` on, as far as the arena reaches. */
void arena_touch_part(struct arena *, size_t at, size_t bytes);
/* Asks the kernel what the touched memory really is. */
void arena_verify(struct arena *);
/* The flags that the placement earns: small-pages, misplaced. */
unsigned arena_flags(const struct arena *);
void arena_unmap(struct arena *);

#endif
