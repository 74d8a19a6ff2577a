/*
 * What the measuring threads need from the operating system. os/linux/ implements it for Linux;
 * os/null/ builds on every system, and most of its functions report that there is no port. System
 * files that describe the machine are read through machine/files.h.
 */
#pragma once

#include "base/cpulist.h"
#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- threads --- */

/* Pins the calling thread to one CPU and checks that it runs there. ERROR_IMPOSSIBLE, with the
 * system's reason, if it can't be pinned. */
int os_pin_thread(int cpu, struct error *);
/* The CPUs that the calling thread may run on; the caller frees. On an error the list is empty:
 * ERROR_IMPOSSIBLE if the system can't say. */
int os_affinity(struct cpulist *, struct error *);
/* Restricts the calling thread, and threads that it starts later, to these CPUs. ERROR_IMPOSSIBLE,
 * with the system's reason, if the system refuses. */
int os_set_affinity(const struct cpulist *, struct error *);
/* The CPU that the calling thread runs on now, -1 if the system can't say. */
int os_current_cpu(void);

/* What has happened to the calling thread since it began. */
struct os_thread_events {
    /* Context switches, involuntary and voluntary: timed code never sleeps, and the kernel counts a
     * stop by a signal, a freezer or a debugger as voluntary. */
    uint64_t switches;
    uint64_t page_faults; /* minor and major */
};
void os_thread_events(struct os_thread_events *);

/* Sleeps while the word has that value, for at most `at_most_ns` (UINT64_MAX: no limit), and may
 * wake at any time. True only if all of that time has passed. It takes no lock, so a sleeper that
 * gets no CPU time can't keep another from waking. */
bool os_sleep_while(atomic_uint *word, unsigned value, uint64_t at_most_ns);
/* Wakes all threads that sleep on the word, which the caller has changed. */
void os_wake(atomic_uint *word);

/* Nanoseconds that a hypervisor has taken since boot from each of the CPUs 0 to count - 1; 0 if the
 * system doesn't say, and false if it says nothing for any of them. A reading costs some 20 us, and
 * more with many CPUs, so read between visits, never between batches. */
bool os_stolen_ns(uint64_t *of_cpu, size_t count);

/* CPU time used: by all programs since boot, and by this program and the children that it waited
 * for. */
struct os_work {
    uint64_t all_ns, own_ns;
};
/* False if the system doesn't say. The system counts in ticks, usually of 10 ms. */
bool os_work(struct os_work *);

/* What the system tells of the machine by calls; empty and 0 where its files do (/proc/cpuinfo). */
struct os_identity {
    char processor[64], hypervisor[16];
    uint64_t memory_bytes;
};
struct os_identity os_identity(void);

/* --- memory --- */

/* From PAGES_16K on: transparent huge pages of that size and no larger ones. */
enum page_policy {
    PAGES_AUTO,
    PAGES_SMALL,
    PAGES_THP,
    PAGES_HUGE2M,
    PAGES_HUGE1G,
    PAGES_16K,
    PAGES_32K,
    PAGES_64K,
    PAGES_128K,
    PAGES_256K,
    PAGES_512K,
    PAGES_1M
};
enum { PAGES_COUNT = PAGES_1M + 1 };
extern const char *const page_policy_names[PAGES_COUNT + 1]; /* "auto", "small", ..., NULL */

/* The size of pages of PAGES_16K to PAGES_1M; 0: another policy. */
static inline size_t page_policy_bytes(enum page_policy policy)
{
    return policy < PAGES_16K ? 0 : (size_t)16384 << (policy - PAGES_16K);
}

/* Address space for `bytes` (a multiple of the policy's page), not touched yet, aligned to 2 MiB,
 * on the pages of the policy, which must not be PAGES_AUTO. NULL with ERROR_IMPOSSIBLE if the
 * system can't give such pages. `node` >= 0 binds the memory to that NUMA node. */
void *os_map(size_t bytes, enum page_policy, int node, struct error *);
void os_unmap(void *memory, size_t bytes);

/* Bytes of free memory, by a system call and not from a file; 0 if there is no such call. */
uint64_t os_memory_free(void);

/* Which pages and node the kernel gave for touched memory (from smaps, which tells no transparent
 * pages below the largest from small ones, and move_pages). */
struct os_placement {
    uint64_t page_bytes; /* size of the pages that hold at least 90 % of it; 0: unknown or mixed */
    double huge_share;   /* share of the bytes on huge pages, 0 to 1; NAN: unknown */
    int node;            /* the node that holds all sampled pages; -1: mixed or unknown */
    double node_share;   /* share of sampled pages on the node asked for; NAN: unknown */
};
void os_verify(const void *memory, size_t bytes, int wanted_node, struct os_placement *);

/* Monotonic nanoseconds, which NTP does not adjust (CLOCK_MONOTONIC_RAW). */
uint64_t os_raw_ns(void);
