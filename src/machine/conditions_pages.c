#include "machine/conditions_check.h"

#include "machine/files.h"

#include <stdlib.h>
#include <string.h>

#define THP_ROOT "/sys/kernel/mm/transparent_hugepage/"

/* The word in brackets, as in "always [madvise] never"; NULL where none of `words` is in
 * brackets. */
static const char *chosen(const struct inspection *inspection, const char *path,
                          const char *const *words)
{
    const char *line = files_line(inspection->pool, inspection->root, "%s", path);
    for (; line && *words; words++) {
        const char *at = strchr(line, '[');
        size_t length = strlen(*words);
        if (at && strncmp(at + 1, *words, length) == 0 && at[1 + length] == ']')
            return *words;
    }
    return NULL;
}

static const char page_walks[] = "figures beyond the TLB's reach include page walks";

int check_huge_pages(struct inspection *inspection)
{
    static const char *const enabled[] = {"always", "madvise", "never", NULL};
    static const char *const refusal[] = {"never", NULL};
    if (!inspection->has_files)
        return 0;
    const char *thp = chosen(inspection, THP_ROOT "enabled", enabled);
    inspection->conditions->thp = thp;
    char **names;
    if (!files_names(inspection->pool, &names, inspection->root, "/sys/kernel/mm"))
        return 0; /* unknown; another remark has said that /sys is missing */
    if (!thp &&
        !files_names(inspection->pool, &names, inspection->root, "/sys/kernel/mm/hugepages"))
        return remark_add(inspection, REMARK_KNOW, "huge pages",
                          "this kernel has no huge pages of any kind", page_walks,
                          "measure under another kernel for figures without them");
    if (!thp)
        return remark_add(inspection, REMARK_KNOW, "huge pages",
                          "this kernel has no transparent huge pages", page_walks,
                          "reserve pages (sysctl vm.nr_hugepages=600) and use --pages huge2m");
    if (strcmp(thp, "never") == 0)
        return remark_add(inspection, REMARK_SPOILS, "huge pages", "transparent huge pages are off",
                          page_walks, "echo madvise > " THP_ROOT "enabled");
    if (chosen(inspection, THP_ROOT "defrag", refusal))
        return remark_add(
            inspection, REMARK_KNOW, "huge pages",
            "the kernel gives huge pages only where memory happens not to be fragmented",
            "on small pages figures beyond the TLB's reach include page walks",
            "echo madvise > " THP_ROOT "defrag");
    return remark_fine(inspection, "huge pages",
                       pool_printf(inspection->pool, "transparent huge pages: %s", thp));
}

int check_reserved_pages(struct inspection *inspection)
{
    uint64_t total, free_pages;
    const char *const pages = "/sys/kernel/mm/hugepages/hugepages-2048kB";
    if (!inspection->has_files ||
        !files_number(&total, inspection->root, "%s/nr_hugepages", pages) ||
        !files_number(&free_pages, inspection->root, "%s/free_hugepages", pages) ||
        free_pages > total)
        return 0;
    if (total == 0)
        return remark_fine(inspection, "reserved pages",
                           "no 2 MiB pages are reserved (--pages huge2m would need them)");
    return remark_fine(inspection, "reserved pages",
                       pool_printf(inspection->pool, "%llu of %llu reserved 2 MiB pages are free",
                                   (unsigned long long)free_pages, (unsigned long long)total));
}

int check_swap(struct inspection *inspection)
{
    char *text = inspection->has_files ? files_text(inspection->root, "/proc/meminfo") : NULL;
    uint64_t total = 0, unused = 0;
    bool known = text && text_number(&total, text, "SwapTotal") &&
                 text_number(&unused, text, "SwapFree") && unused <= total;
    free(text);
    if (!known)
        return 0;
    if (total == unused)
        return remark_fine(inspection, "swap", total ? "swap is not in use" : "there is no swap");
    return remark_add(inspection, REMARK_KNOW, "swap",
                      pool_printf(inspection->pool, "%.0f MiB are swapped out",
                                  (double)(total - unused) * 0x1p-20),
                      "memory is short, and what is measured may be written to disk meanwhile",
                      "stop the programs that fill the memory, then swapoff -a and swapon -a");
}

int check_balancing(struct inspection *inspection)
{
    uint64_t balancing;
    if (!inspection->has_files || inspection->machine->facts.node_count < 2 ||
        !files_number(&balancing, inspection->root, "/proc/sys/kernel/numa_balancing"))
        return 0;
    if (balancing == 0)
        return remark_fine(inspection, "NUMA balancing", "NUMA balancing is off");
    return remark_add(inspection, REMARK_SPOILS, "NUMA balancing", "NUMA balancing is on",
                      "the kernel unmaps and moves pages while they are measured",
                      "sysctl kernel.numa_balancing=0");
}
