/*
 * Pages of memory as the operating system deals in them: mapped and not touched, given back, shared
 * with a copy of this process. For the kernels that time these calls: nothing here takes a lock or
 * allocates, and every call may be left by a jump. os/linux/ answers for Linux; os/null/ answers
 * that it can't.
 */
#ifndef FATHOM_MACHINE_PAGES_H
#define FATHOM_MACHINE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is behind a mapping. */
enum pages_kind {
    PAGES_OF_4K,  /* private memory on pages of the smallest size, whatever that is here */
    PAGES_OF_THP, /* the same, advised to be on transparent huge pages; aligned to them */
    PAGES_OF_2M,  /* reserved huge pages */
    PAGES_OF_1G,
    PAGES_SHARED, /* memory that stays when its translations are dropped, on the smallest pages */
    PAGES_KINDS
};

/* Bytes of a page of that kind; 0: there are none here. For PAGES_OF_THP that is what the kernel
 * maps at once. Reads system files: not for timed work. */
size_t pages_bytes(enum pages_kind);
/* Whether the kernel counts this thread's page faults: tries it on one fresh page. */
bool pages_counted(void);

/* Address space of that kind, not touched yet: whole pages of `page` bytes, as pages_bytes() has
 * them, aligned to them. NULL where the system refuses. */
unsigned char *pages_map(size_t bytes, enum pages_kind, size_t page);
/* Maps fresh small pages in the place of what is mapped there, all of them present at once. */
bool pages_populate(unsigned char *memory, size_t bytes);
bool pages_unmap(unsigned char *memory, size_t bytes);
/* Gives the pages back and keeps the mapping: private memory is then untouched again; shared memory
 * keeps its contents and loses its translations. */
bool pages_discard(unsigned char *memory, size_t bytes);

/* Starts a copy of this process that shares all private memory until one of both writes to it,
 * and waits until that has stopped. Its number, or -1. It ends when the calling thread does. */
int pages_twin_start(void);
void pages_twin_end(int twin);

#endif
