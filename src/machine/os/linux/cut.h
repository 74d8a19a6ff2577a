/*
 * Memory cut into mappings that no larger transparent huge page fits into. The kernel fills a fault
 * with the largest of the enabled sizes whose aligned block lies in one mapping
 * (thp_vma_suitable_orders() in mm/memory.c), and it merges adjacent mappings only if their flags
 * are equal. So neighbours differ in MADV_DONTDUMP, which changes nothing but core files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* mmap() aligns only to small pages, so this maps more and unmaps what is before and after; `bytes`
 * are whole small pages. NULL: errno says why not. */
static inline void *cut_aligned(size_t bytes, size_t page)
{
    const size_t spare = page - (size_t)sysconf(_SC_PAGESIZE);
    char *memory =
        mmap(NULL, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    const size_t before = (page - (uintptr_t)memory % page) % page;
    if (before)
        munmap(memory, before);
    if (before < spare)
        munmap(memory + before + bytes, spare - before);
    return memory + before;
}

/* Cuts each aligned block of `next` bytes behind its first `page` bytes: every aligned page is
 * whole, no block is. Takes no lock and allocates nothing. False: the kernel allows no more
 * mappings. */
static inline bool cut_mapping(void *memory, size_t bytes, size_t page, size_t next)
{
    const uintptr_t first = (uintptr_t)memory, end = first + bytes;
    bool differs = true, done = true;
    for (uintptr_t at = first / next * next + page; at < end && done; at += next) {
        const size_t left = end - at;
        if (at >= first && differs)
            done = madvise((void *)at, left < next ? left : next, MADV_DONTDUMP) == 0;
        differs = !differs;
    }
    return done;
}
