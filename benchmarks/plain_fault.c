/*
 * Page faults as one would time them by hand: map, touch every page, unmap, with the clock read
 * between. fathom's figures are compared with it.
 *
 * usage: plain_fault   prints lines "touch NS", "touch_huge NS", "unmap NS", "discard NS",
 * "copy_on_write NS": time a page, the medians of 205 regions of 512 small pages or 8 huge ones
 */
#include "machine/os.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REGIONS = 205, GROUP = 5, PAGES = 512, HUGE_PAGES = 8, HUGE = 2 << 20 };

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void tell(const char *name, double *took_ns, size_t pages)
{
    qsort(took_ns, REGIONS, sizeof *took_ns, compare);
    printf("%s %.2f\n", name, took_ns[REGIONS / 2] / (double)pages);
}

static char *map(size_t bytes, int advice)
{
    char *memory =
        mmap(NULL, bytes + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        exit(1);
    char *aligned = memory + HUGE - (uintptr_t)memory % HUGE;
    munmap(memory, (size_t)(aligned - memory));
    munmap(aligned + bytes, (size_t)(memory + HUGE - aligned));
    madvise(aligned, bytes, advice);
    return aligned;
}

static double touch(char *memory, size_t bytes, size_t page)
{
    const double began_ns = now_ns();
    for (size_t at = 0; at < bytes; at += page)
        *(volatile char *)(memory + at) = 1;
    return now_ns() - began_ns;
}

static double touch_beside_a_copy(char *memory, size_t bytes, size_t page)
{
    const pid_t child = fork();
    if (child == 0)
        for (;;)
            kill(getpid(), SIGSTOP);
    waitpid(child, NULL, WUNTRACED);
    const double took_ns = touch(memory, bytes, page);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return took_ns;
}

int main(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = PAGES * page;
    const size_t huge_bytes = (size_t)HUGE_PAGES * HUGE;
    static double touched[REGIONS], huge[REGIONS], unmapped[REGIONS], discarded[REGIONS],
        copied[REGIONS];
    struct error error;
    if (os_pin_thread(os_current_cpu(), &error) < 0)
        return 1;
    /* In turn and in groups, as fathom goes through its points: pages that were given back just
     * before still have lines in the caches, and those of the kind before are others: it decides
     * what touching a huge page takes. */
    for (int group = 0; group < REGIONS; group += GROUP) {
        for (int n = -1; n < GROUP; n++) {
            const int i = group + (n < 0 ? 0 : n); /* the first warms */
            char *memory = map(bytes, MADV_NOHUGEPAGE);
            touched[i] = touch(memory, bytes, page);
            const double began_ns = now_ns();
            munmap(memory, bytes);
            unmapped[i] = now_ns() - began_ns;
        }
        for (int n = -1; n < GROUP; n++) {
            const int i = group + (n < 0 ? 0 : n); /* the first warms */
            char *memory = map(huge_bytes, MADV_HUGEPAGE);
            huge[i] = touch(memory, huge_bytes, HUGE);
            munmap(memory, huge_bytes);
        }
        for (int n = -1; n < GROUP; n++) {
            const int i = group + (n < 0 ? 0 : n); /* the first warms */
            char *memory = map(bytes, MADV_NOHUGEPAGE);
            touch(memory, bytes, page);
            const double began_ns = now_ns();
            madvise(memory, bytes, MADV_DONTNEED);
            discarded[i] = now_ns() - began_ns;
            munmap(memory, bytes);
        }
        for (int n = -1; n < GROUP; n++) {
            const int i = group + (n < 0 ? 0 : n); /* the first warms */
            char *memory = map(bytes, MADV_NOHUGEPAGE);
            touch(memory, bytes, page);
            copied[i] = touch_beside_a_copy(memory, bytes, page);
            munmap(memory, bytes);
        }
    }
    tell("touch", touched, PAGES);
    tell("touch_huge", huge, HUGE_PAGES);
    tell("unmap", unmapped, PAGES);
    tell("discard", discarded, PAGES);
    tell("copy_on_write", copied, PAGES);
    return 0;
}
