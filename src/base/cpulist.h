/*
 * A set of CPUs by the operating system's ids, kept as a sorted list so that there is no upper
 * bound of 1024. Text form as the kernel and taskset write it: "0-7,16-31:2" is 0 to 7 and every
 * second one of 16 to 31.
 */
#pragma once

#include "base/error.h"
#include "base/pool.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    CPU_ID_MAX = 1 << 20, /* ids above this are refused as typing errors */
    NODES_MAX = 1024,     /* the most memory nodes that Linux supports (CONFIG_NODES_SHIFT) */
};

struct cpulist {
    int *ids; /* ascending, each once */
    size_t count;
};

/* Orders ids, for qsort() and bsearch(). */
int cpulist_by_id(const void *, const void *);
/* Reads a list that a person typed into the pool; ERROR_USAGE with a remedy for anything else
 * (empty text, "3-", "7-3", "1,,2", ids above CPU_ID_MAX). Without memory it does what pool_alloc()
 * does, or returns ERROR_SYSTEM. */
int cpulist_read(const char *text, struct cpulist *, struct pool *, struct error *);
/* Adds one id to a list that is not in a pool, which cpulist_free() frees; ERROR_SYSTEM when there
 * is no memory. Adding in ascending order takes constant time. */
int cpulist_add(struct cpulist *, int id);
bool cpulist_has(const struct cpulist *, int id);
/* How many ids of the first list the second has. */
size_t cpulist_common(const struct cpulist *, const struct cpulist *);
/* Whether the kernel's text, "0-1,4", holds the id. Of a malformed text the ranges before the first
 * error count. NULL holds nothing. */
bool cpulist_text_has(const char *text, int id);
/* How many CPUs the text names; 0 where it is NULL or malformed. */
size_t cpulist_text_count(const char *text);
/* Writes "0-7,16,18" into text, cut at `size` bytes; returns text. */
char *cpulist_format(const struct cpulist *, char *text, size_t size);
/* The same, never cut, in the pool. Without memory it does what pool_alloc() does. */
const char *cpulist_pooled(struct pool *, const struct cpulist *);
void cpulist_free(struct cpulist *);
