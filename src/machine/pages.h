/*
 * The operating system's calls on pages: map without touching, populate, discard, make executable,
 * share with a copy of this process. They are for kernels that time these calls: nothing here takes
 * a lock or allocates, and a jump may leave every call. os/linux/ implements them for Linux; those
 * of os/null/ report that the system has none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The pages of a mapping. */
enum pages_kind {
    PAGES_OF_4K,  /* private memory on pages of the smallest size, which need not be 4 KiB */
    PAGES_OF_THP, /* private memory advised to be on transparent huge pages; aligned to them */
    PAGES_OF_2M,  /* reserved huge pages */
    PAGES_OF_1G,
    PAGES_OF_SIZE, /* as PAGES_OF_THP, but no larger than `page`; pages_bytes() has no size of it */
    PAGES_SHARED,  /* shared memory on the smallest pages: discarding keeps its contents */
    PAGES_KINDS
};

/* Bytes of a page of that kind; 0: the system has none. For PAGES_OF_THP that is what the kernel
 * maps at once. Reads system files, so don't call it in timed work. */
size_t pages_bytes(enum pages_kind);
/* Whether the kernel counts this thread's page faults: tries it on one fresh page. */
bool pages_counted(void);

/* Address space of that kind, not touched yet: whole pages of `page` bytes, which pages_bytes() or
 * page_policy_bytes() gave, aligned to them. NULL if the system refuses. */
unsigned char *pages_map(size_t bytes, enum pages_kind, size_t page);
/* Replaces the mapping by fresh small pages that are all present at once. */
bool pages_populate(unsigned char *memory, size_t bytes);
bool pages_unmap(unsigned char *memory, size_t bytes);
/* Gives the pages back and keeps the mapping: private memory is then as if never touched; shared
 * memory keeps its contents and loses its translations. */
bool pages_discard(unsigned char *memory, size_t bytes);
/* Makes a whole mapping executable and no longer writable, or the other way round; never both.
 * False: the system refuses, as some policies do for memory that a program has written. */
bool pages_executable(unsigned char *memory, size_t bytes, bool executable);

/* Starts a copy of this process that shares all private memory until one of both writes to it,
 * and waits until the copy has stopped. Returns its process id, or -1. The copy ends when the
 * calling thread does. */
int pages_twin_start(void);
void pages_twin_end(int twin);
