/*
 * Memory to measure in: mapped with a page policy and a NUMA node, first touched by the CPU that
 * measures, and then verified. fathom reports the pages and the node that it obtained.
 */
#pragma once

#include "base/error.h"
#include "machine/os.h"

#include <stddef.h>
#include <stdint.h>

struct arena {
    unsigned char *memory;         /* aligned to 2 MiB */
    size_t bytes;                  /* usable: all that is mapped, or what arena_use() set */
    size_t mapped;                 /* bytes mapped: whole pages of the policy */
    enum page_policy asked, used;  /* `used`: the policy in effect, chosen by PAGES_AUTO */
    int node;                      /* NUMA node asked for; -1: that of the CPU that touches first */
    struct os_placement placement; /* filled by arena_verify() */
    /* By arena_touch_part(), which several threads may call at once: the bytes, and the page faults
     * that the kernel counted meanwhile. */
    _Atomic uint64_t touched_bytes, faults;
};

/* Maps at least `bytes`. PAGES_AUTO tries reserved 2 MiB pages, then transparent huge pages, then
 * small ones. ERROR_IMPOSSIBLE where the system does not give the pages; ERROR_USAGE where `bytes`
 * can't be addressed. */
int arena_map(struct arena *, size_t bytes, enum page_policy, int node, struct error *);
/* Limits the arena to its first `bytes`, or to all where it has fewer. The rest stays mapped, and
 * takes no physical memory while it is untouched. */
void arena_use(struct arena *, size_t bytes);
/* Writes to every page of `bytes` bytes at offset `at`, up to the arena's end. Call it on the CPU
 * that will measure. */
void arena_touch_part(struct arena *, size_t at, size_t bytes);
/* Asks the system which pages and which node the touched memory has. */
void arena_verify(struct arena *);
/* The flags that follow from the placement: small-pages, misplaced. */
unsigned arena_flags(const struct arena *);
void arena_unmap(struct arena *);

/* The first bytes of the last arenas, kept so that the next arena gets other pages: Linux hands the
 * pages that were just freed to the next map, so that rounds would meet the same two or three
 * placements, and their trials would not be independent. */
enum { ATTIC_ARENAS = 12 };
struct attic {
    struct {
        unsigned char *memory;
        size_t bytes;
    } kept[ATTIC_ARENAS];
    unsigned next;     /* index of the oldest, which the next one replaces */
    size_t bytes;      /* kept now */
    size_t bytes_most; /* 0: nothing is kept */
    bool gave_back;    /* the last arena was not kept whole: the next one may have its pages */
};

/* As arena_unmap(), but keeps as many of the arena's touched bytes as fit, and frees the oldest
 * kept memory for them. Reserved huge pages are never kept, because they are few. */
void arena_keep(struct arena *, struct attic *);
void attic_clear(struct attic *);
