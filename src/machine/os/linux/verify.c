/* Pages and node of touched memory, by /proc/self/smaps (proc(5)) and move_pages(2). Emulators and
 * sandboxes may lack either, or answer about another address space: the placement is then unknown.
 */
#include "machine/files.h"
#include "machine/os.h"

#include <math.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SAMPLES = 256 };

struct backing {
    uint64_t rss_bytes, huge_bytes; /* touched bytes; those of them on transparent huge pages */
    uint64_t reserved_bytes;        /* on pages of hugetlbfs, which rss does not count */
    uint64_t page_bytes;            /* KernelPageSize of the last mapping */
};

static void count_line(struct backing *backing, const char *line)
{
    uint64_t bytes;
    if (text_number(&bytes, line, "KernelPageSize"))
        backing->page_bytes = bytes;
    else if (text_number(&bytes, line, "Rss"))
        backing->rss_bytes += bytes;
    else if (text_number(&bytes, line, "AnonHugePages"))
        backing->huge_bytes += bytes;
    else if (text_number(&bytes, line, "Private_Hugetlb"))
        backing->reserved_bytes += bytes;
}

static void place_pages(struct os_placement *placement, const struct backing *backing)
{
    uint64_t base = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t touched = backing->rss_bytes + backing->reserved_bytes;
    if (touched == 0)
        return;
    double thp = (double)backing->huge_bytes / (double)touched;
    double reserved = (double)backing->reserved_bytes / (double)touched;
    placement->huge_share = fmin(thp + reserved, 1);
    uint64_t thp_bytes = (uint64_t)2 << 20;
    files_number(&thp_bytes, NULL, "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
    if (reserved >= 0.9)
        placement->page_bytes = backing->page_bytes;
    else if (thp >= 0.9)
        placement->page_bytes = thp_bytes;
    else if (placement->huge_share <= 0.1)
        placement->page_bytes = base;
}

static void place_node(struct os_placement *placement, const void *memory, size_t bytes, int wanted)
{
    void *pages[SAMPLES];
    int status[SAMPLES];
    size_t page = (size_t)sysconf(_SC_PAGESIZE), all = bytes / page;
    size_t count = all < SAMPLES ? all : SAMPLES;
    for (size_t i = 0; i < count; i++) {
        pages[i] = (char *)memory + all / count * i * page;
        status[i] = -1;
    }
    if (count == 0 || syscall(SYS_move_pages, 0, count, pages, NULL, status, 0) != 0)
        return;
    size_t present = 0, right = 0, like_first = 0;
    int first = -1;
    for (size_t i = 0; i < count; i++) {
        if (status[i] < 0) /* not touched, or the zero page */
            continue;
        first = present++ ? first : status[i];
        right += status[i] == wanted;
        like_first += status[i] == first;
    }
    if (present && like_first == present)
        placement->node = first;
    if (present && wanted >= 0)
        placement->node_share = (double)right / (double)present;
}

void os_verify(const void *memory, size_t bytes, int wanted_node, struct os_placement *placement)
{
    *placement =
        (struct os_placement){.page_bytes = 0, .huge_share = NAN, .node = -1, .node_share = NAN};
    /* Sums up the mappings that overlap the range. The kernel may have merged the range with an
     * adjacent mapping of the same flags; that has the same policy, so the shares hold for both. */
    struct backing backing = {0};
    uintptr_t first = (uintptr_t)memory, end = first + bytes;
    bool inside = false;
    char line[FILES_LINE_MAX];
    FILE *maps = fopen("/proc/self/smaps", "re");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long long from, to;
        if (sscanf(line, "%llx-%llx ", &from, &to) == 2) {
            if (from >= end)
                break;
            inside = to > first;
        } else if (inside) {
            count_line(&backing, line);
        }
    }
    if (maps)
        fclose(maps);
    place_pages(placement, &backing);
    place_node(placement, memory, bytes, wanted_node);
}
