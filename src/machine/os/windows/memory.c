#include "base/units.h"
#include "machine/os.h"

#include <windows.h>

#include <math.h>
#include <psapi.h>

enum { ALIGNMENT = 2 << 20, SAMPLES = 512 };

/* Large pages need a privilege, which an administrator gives to a user and the program takes. */
static bool may_lock(void)
{
    HANDLE token;
    TOKEN_PRIVILEGES wanted = {.PrivilegeCount = 1,
                               .Privileges[0].Attributes = SE_PRIVILEGE_ENABLED};
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES, &token))
        return false;
    const bool may =
        LookupPrivilegeValueA(NULL, "SeLockMemoryPrivilege", &wanted.Privileges[0].Luid) &&
        AdjustTokenPrivileges(token, FALSE, &wanted, 0, NULL, NULL) &&
        GetLastError() == ERROR_SUCCESS;
    CloseHandle(token);
    return may;
}

/* Reserves more than is needed to find an aligned place, which another thread may take before it
 * is mapped. */
static void *map(size_t bytes, DWORD flags, DWORD node)
{
    const HANDLE process = GetCurrentProcess();
    void *memory = NULL;
    for (int attempt = 0; attempt < 8 && !memory; attempt++) {
        char *reserved =
            VirtualAllocExNuma(process, NULL, bytes + ALIGNMENT, MEM_RESERVE, PAGE_NOACCESS, node);
        if (!reserved)
            return NULL;
        VirtualFree(reserved, 0, MEM_RELEASE);
        reserved += (ALIGNMENT - (uintptr_t)reserved % ALIGNMENT) % ALIGNMENT;
        memory = VirtualAllocExNuma(process, reserved, bytes, MEM_RESERVE | MEM_COMMIT | flags,
                                    PAGE_READWRITE, node);
    }
    return memory;
}

void *os_map(size_t bytes, enum page_policy policy, int node, struct error *error)
{
    const bool large = policy == PAGES_HUGE2M;
    char size[UNIT_TEXT];
    ULONG highest = 0;
    GetNumaHighestNodeNumber(&highest);
    void *memory = NULL;
    if (policy != PAGES_SMALL && !large)
        error_set(error, ERROR_IMPOSSIBLE,
                  "Windows has no pages of that kind: use --pages small or huge2m");
    else if (node > (int)highest)
        error_set(error, ERROR_IMPOSSIBLE,
                  "memory can't be bound to NUMA node %d: the last one is node %lu", node, highest);
    else if (large && !may_lock())
        error_set(error, ERROR_IMPOSSIBLE,
                  "large pages can't be had: give this user the right to lock pages in memory "
                  "(secpol.msc, user rights), or use --pages small");
    else if (bytes == 0 || !(memory = map(bytes, large ? MEM_LARGE_PAGES : 0,
                                          node < 0 ? NUMA_NO_PREFERRED_NODE : (DWORD)node)))
        error_set(error, ERROR_IMPOSSIBLE, "%s can't be mapped (Windows error %lu): ask for less%s",
                  size_format((double)bytes, size), GetLastError(),
                  large ? ", or use --pages small" : "");
    return memory;
}

void os_unmap(void *memory, size_t bytes)
{
    if (memory)
        VirtualFree(memory, 0, MEM_RELEASE);
}

uint64_t os_memory_free(void)
{
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    return GlobalMemoryStatusEx(&memory) ? memory.ullAvailPhys : 0;
}

/* Asks about pages that are spread over the memory. */
void os_verify(const void *memory, size_t bytes, int wanted_node, struct os_placement *placement)
{
    PSAPI_WORKING_SET_EX_INFORMATION pages[SAMPLES];
    size_t known = 0, large = 0, here = 0;
    int node = -1;
    bool mixed = false;
    *placement = (struct os_placement){.huge_share = NAN, .node = -1, .node_share = NAN};
    for (size_t i = 0; i < SAMPLES; i++)
        pages[i].VirtualAddress =
            (void *)((uintptr_t)memory + (bytes - 1) / SAMPLES * i / 4096 * 4096);
    if (!QueryWorkingSetEx(GetCurrentProcess(), pages, sizeof pages))
        return;
    for (size_t i = 0; i < SAMPLES; i++) {
        const PSAPI_WORKING_SET_EX_BLOCK page = pages[i].VirtualAttributes;
        if (!page.Valid)
            continue;
        mixed = mixed || (known && (int)page.Node != node);
        node = (int)page.Node;
        here += node == wanted_node;
        large += page.LargePage;
        known++;
    }
    if (!known)
        return;
    placement->huge_share = (double)large / (double)known;
    placement->page_bytes = large * 10 >= known * 9 ? 2 << 20 : large * 10 <= known ? 4096 : 0;
    placement->node = mixed ? -1 : node;
    placement->node_share = wanted_node < 0 ? NAN : (double)here / (double)known;
}
