/*
 * What the measuring threads ask of the operating system. os/linux/ answers for Linux; os/null/
 * answers that it can't, and always builds. System files that describe the machine are not read
 * here but through machine/files.h.
 */
#ifndef FATHOM_MACHINE_OS_H
#define FATHOM_MACHINE_OS_H

#include "base/cpulist.h"
#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- threads --- */

/* Pins the calling thread to one CPU and checks that it is there. ERROR_IMPOSSIBLE, with the
 * system's reason, when it can't be. */
int os_pin_thread(int cpu, struct error *);
/* The CPUs that the calling thread may run on, however many there are; the caller frees. On an
 * error the list is empty: ERROR_IMPOSSIBLE where the system can't say. */
int os_affinity(struct cpulist *, struct error *);
/* Lets the calling thread, and those that it starts from now on, run on these CPUs alone.
 * ERROR_IMPOSSIBLE, with the system's reason, where it may not. */
int os_set_affinity(const struct cpulist *, struct error *);
/* CPU the caller runs on now, -1 where the system can't say. */
int os_current_cpu(void);

/* What has happened to the calling thread since it began. */
struct os_thread_events {
    /* Involuntary and voluntary switches: nothing that is timed sleeps, and a thread stopped by a
     * signal, a freezer or a debugger counts as a voluntary one. */
    uint64_t switches;
    uint64_t page_faults; /* minor and major */
};
void os_thread_events(struct os_thread_events *);

/* Sleeps while the word has that value, for at most `at_most_ns` (UINT64_MAX: no limit), and may
 * wake at any time. True only if all of that time has passed. It takes no lock, so a thread that
 * gets no time to run keeps no other from waking. */
bool os_sleep_while(atomic_uint *word, unsigned value, uint64_t at_most_ns);
/* Wakes all threads that sleep on the word, which the caller has changed. */
void os_wake(atomic_uint *word);

/* Nanoseconds that a hypervisor has taken since boot from each of the CPUs 0 to count - 1; 0 where
 * the system doesn't say, and false where it says so of none. A reading costs some 20 us, and more
 * the more CPUs there are, so read between visits, never between batches. */
bool os_stolen_ns(uint64_t *of_cpu, size_t count);

/* CPU time since boot of everything that ran, and of this program and the children that it waited
 * for. */
struct os_work {
    uint64_t all_ns, own_ns;
};
/* False where the system doesn't say. The system counts in ticks, of 10 ms as a rule. */
bool os_work(struct os_work *);

/* --- memory --- */

enum page_policy { PAGES_AUTO, PAGES_SMALL, PAGES_THP, PAGES_HUGE2M, PAGES_HUGE1G };
enum { PAGES_COUNT = PAGES_HUGE1G + 1 };
extern const char *const page_policy_names[PAGES_COUNT + 1]; /* "auto", "small", ..., NULL */

/* Address space for `bytes` (rounded up by the caller to the policy's page), not touched yet,
 * aligned to 2 MiB, advised or mapped by the policy, which is not PAGES_AUTO. NULL with
 * ERROR_IMPOSSIBLE where the system can't give such pages. `node` >= 0 binds the memory to that
 * NUMA node. */
void *os_map(size_t bytes, enum page_policy, int node, struct error *);
void os_unmap(void *memory, size_t bytes);

/* Bytes of free memory, from a call that needs no file; 0 where there is no such call. */
uint64_t os_memory_free(void);

/* What the kernel gave for touched memory (from smaps and move_pages). */
struct os_placement {
    uint64_t page_bytes; /* size of the pages behind at least nine tenths of it; 0 unknown */
    double huge_share;   /* share of the bytes on huge pages, 0 to 1; NAN unknown */
    int node;            /* the node that holds all sampled pages; -1 mixed or unknown */
    double node_share;   /* share of sampled pages on the node asked for; NAN unknown */
};
void os_verify(const void *memory, size_t bytes, int wanted_node, struct os_placement *);

/* Monotonic nanoseconds that no clock discipline bends (CLOCK_MONOTONIC_RAW). */
uint64_t os_raw_ns(void);

#endif
