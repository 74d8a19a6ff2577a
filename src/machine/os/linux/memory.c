#include "base/units.h"
#include "machine/cgroup.h"
#include "machine/files.h"
#include "machine/os.h"

#include "cut.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/* Enough for transparent huge pages of 2 MiB; larger ones (512 MiB on aarch64 with 64 KiB pages)
 * are not worth waiting for. */
static const size_t alignment_bytes = (size_t)2 << 20;

enum { NODE_MAX = 1 << 16, HUGE_SHIFT_2M = 21, HUGE_SHIFT_1G = 30 };

/* Bits 26 to 31 of mmap's flags hold log2 of the page size; older headers lack the names. */
enum { HUGE_FLAG_SHIFT = 26 };

/* A control group may forbid pages that the machine has reserved (hugetlb.2MB.max, which Kubernetes
 * sets to the pod's request, or 0). They can still be mapped, but the first touch beyond the limit
 * raises SIGBUS. If the limit can't be read, touching a page of a separate mapping at least detects
 * a limit of 0, and does not touch the arena, whose pages are placed later. */
static bool may_be_touched(size_t bytes, unsigned shift, int flags)
{
    struct cgroup_limits limits;
    struct pool pool = {0};
    cgroup_read(&limits, &pool, NULL);
    pool_free(&pool);
    if (limits.huge_bytes[shift == HUGE_SHIFT_1G ? CGROUP_HUGE_1G : CGROUP_HUGE_2M] < bytes)
        return false;
#ifndef MADV_POPULATE_WRITE
    enum { MADV_POPULATE_WRITE = 23 }; /* since Linux 5.14; older kernels return EINVAL */
#endif
    const size_t page = (size_t)1 << shift;
    void *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED)
        return true; /* the arena's mapping has reserved the last page, so none is left to try */
    bool may = madvise(memory, page, MADV_POPULATE_WRITE) == 0 || errno == EINVAL;
    munmap(memory, page);
    return may;
}

static void *map_hugetlb(size_t bytes, unsigned shift, struct error *error)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | (int)(shift << HUGE_FLAG_SHIFT);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory != MAP_FAILED && may_be_touched(bytes, shift, flags))
        return memory;
    if (memory != MAP_FAILED) {
        munmap(memory, bytes);
        error_set(
            error, ERROR_IMPOSSIBLE,
            "huge pages of %llu MiB are reserved, but this control group may not have %zu bytes "
            "of them: raise its hugetlb limit, or use --pages thp or small",
            1ull << (shift - 20), bytes);
        return NULL;
    }
    unsigned long long kib = 1ull << (shift - 10);
    unsigned long long pages = ((bytes - 1) >> shift) + 1;
    if (errno == EINVAL)
        error_set(error, ERROR_IMPOSSIBLE,
                  "huge pages of %llu MiB can't be had (%s): this machine has no such pages, use "
                  "--pages thp or small",
                  kib >> 10, strerror(errno));
    else
        error_set(error, ERROR_IMPOSSIBLE,
                  "%llu huge page(s) of %llu MiB can't be had (%s): reserve them, echo %llu > "
                  "/sys/kernel/mm/hugepages/hugepages-%llukB/nr_hugepages%s",
                  pages, kib >> 10, strerror(errno), pages, kib,
                  shift == HUGE_SHIFT_2M ? " (vm.nr_hugepages)" : "");
    return NULL;
}

static void *map_aligned(size_t bytes, struct error *error)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t rounded = (bytes + page - 1) / page * page;
    void *memory = NULL;
    errno = ENOMEM;
    if (rounded >= bytes && rounded + alignment_bytes >= rounded)
        memory = cut_aligned(rounded, alignment_bytes);
    if (!memory) {
        char size[UNIT_TEXT];
        const int why = errno;
        error_set(error, ERROR_IMPOSSIBLE,
                  "%s can't be mapped (%s): ask for less, or see ulimit -v",
                  size_format((double)bytes, size), strerror(why));
    }
    return memory;
}

#define THP_ROOT "/sys/kernel/mm/transparent_hugepage"

/* If THP is off, MADV_HUGEPAGE succeeds and does nothing. Newer kernels have the general switch and
 * one for each size (transhuge.rst: "inherit" follows the general one). `has`, unless NULL: whether
 * that size has one. */
static bool thp_off(uint64_t size, bool *has)
{
    char *all = files_text(NULL, THP_ROOT "/enabled");
    char *own =
        files_text(NULL, THP_ROOT "/hugepages-%llukB/enabled", (unsigned long long)size / 1024);
    bool off = all && strstr(all, "[never]") && (!own || strstr(own, "[inherit]"));
    off = off || (own && strstr(own, "[never]"));
    if (has)
        *has = own != NULL;
    free(all);
    free(own);
    return off;
}

static uint64_t largest_thp(void)
{
    uint64_t size = alignment_bytes;
    files_number(&size, NULL, THP_ROOT "/hpage_pmd_size");
    return size;
}

/* The kernel takes the largest size that is on and fits, so the memory is cut into pieces that the
 * next larger size that is on does not fit into. */
static int cut_for(void *memory, size_t bytes, size_t page, struct error *error)
{
    bool has;
    const bool off = thp_off(page, &has);
    if (!has)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "this kernel has no transparent huge pages of %zu KiB (Linux has them "
                         "since 6.8): use --pages small or thp",
                         page / 1024);
    if (off)
        return error_set(
            error, ERROR_IMPOSSIBLE,
            "transparent huge pages of %zu KiB are off; as root: echo madvise > " THP_ROOT
            "/hugepages-%zukB/enabled",
            page / 1024, page / 1024);
    size_t next = 2 * page;
    const uint64_t largest = largest_thp();
    while (next < largest && thp_off(next, NULL))
        next *= 2;
    if (!cut_mapping(memory, bytes, page, next))
        return error_set(
            error, ERROR_IMPOSSIBLE,
            "%zu bytes on pages of %zu KiB can't be had (%s): that takes more mappings "
            "than vm.max_map_count allows, ask for less",
            bytes, page / 1024, strerror(errno));
    return 0;
}

static int advise(void *memory, size_t bytes, enum page_policy policy, struct error *error)
{
    if (policy == PAGES_SMALL) {
        /* A kernel without THP refuses, but it gives only small pages anyway. */
        madvise(memory, bytes, MADV_NOHUGEPAGE);
        return 0;
    }
    const size_t page = page_policy_bytes(policy);
    const int code = page ? cut_for(memory, bytes, page, error) : 0;
    if (code < 0)
        return code;
    if (!page && thp_off(largest_thp(), NULL))
        return error_set(error, ERROR_IMPOSSIBLE,
                         "transparent huge pages are off: echo madvise > "
                         "/sys/kernel/mm/transparent_hugepage/enabled");
    if (madvise(memory, bytes, MADV_HUGEPAGE) != 0)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "transparent huge pages can't be had (%s): this kernel has none, use "
                         "--pages small or huge2m",
                         strerror(errno));
    return 0;
}

/* Uses the system call directly, to avoid a dependency on libnuma for one call. */
static int bind_node(void *memory, size_t bytes, int node, struct error *error)
{
    enum { BITS = 8 * sizeof(unsigned long) };
    unsigned long mask[NODE_MAX / BITS] = {0};
    long result = -1;
    errno = EINVAL;
    if (node < NODE_MAX) {
        mask[node / BITS] = 1ul << (node % BITS);
        /* The kernel reads one bit less than the number that it gets. */
        result = syscall(SYS_mbind, memory, bytes, MPOL_BIND, mask, (unsigned long)node + 2, 0);
    }
    if (result == 0)
        return 0;
    return error_set(
        error, ERROR_IMPOSSIBLE,
        "memory can't be bound to NUMA node %d (%s): choose a node that has memory and "
        "is allowed (numactl --show)",
        node, strerror(errno));
}

/* mmap() reserves huge pages of the whole machine, not of a node: if the node has too few, a touch
 * raises SIGBUS. */
static int check_node_pool(size_t bytes, int node, unsigned shift, struct error *error)
{
    uint64_t free_pages;
    if (!files_number(&free_pages, NULL,
                      "/sys/devices/system/node/node%d/hugepages/hugepages-%llukB/free_hugepages",
                      node, 1ull << (shift - 10)) ||
        free_pages >= ((bytes - 1) >> shift) + 1)
        return 0;
    return error_set(
        error, ERROR_IMPOSSIBLE,
        "NUMA node %d has %llu free huge pages of %llu MiB, %zu bytes need more: reserve "
        "them in /sys/devices/system/node/node%d/hugepages/",
        node, (unsigned long long)free_pages, 1ull << (shift - 20), bytes, node);
}

void *os_map(size_t bytes, enum page_policy policy, int node, struct error *error)
{
    unsigned shift = policy == PAGES_HUGE2M   ? HUGE_SHIFT_2M
                     : policy == PAGES_HUGE1G ? HUGE_SHIFT_1G
                                              : 0;
    if (bytes == 0) {
        error_set(error, ERROR_IMPOSSIBLE, "0 bytes can't be mapped: ask for at least one");
        return NULL;
    }
    void *memory = shift ? map_hugetlb(bytes, shift, error) : map_aligned(bytes, error);
    if (!memory)
        return NULL;
    int result = shift ? 0 : advise(memory, bytes, policy, error);
    if (result == 0 && node >= 0)
        result = bind_node(memory, bytes, node, error);
    if (result == 0 && node >= 0 && shift)
        result = check_node_pool(bytes, node, shift, error);
    if (result == 0)
        return memory;
    os_unmap(memory, bytes);
    return NULL;
}

void os_unmap(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}

uint64_t os_memory_free(void)
{
    struct sysinfo system;
    return sysinfo(&system) == 0 ? (uint64_t)system.freeram * system.mem_unit : 0;
}
