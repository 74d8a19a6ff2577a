/* The copy-on-write twin is started by the bare system call: fork() takes locks, which a jump out
 * of recalled work would leave locked. */
#include "machine/pages.h"

#include "machine/files.h"
#include "machine/os.h"

#include "cut.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Bits 26 to 31 of mmap's flags hold log2 of the page size. */
enum { HUGE_FLAG_SHIFT = 26, SHIFT_2M = 21, SHIFT_1G = 30 };
/* Transparent huge pages of 512 MiB (aarch64 with small pages of 64 KiB) are too large to fault in
 * many times. */
static const uint64_t thp_most = UINT64_C(64) << 20;

size_t pages_bytes(enum pages_kind kind)
{
    uint64_t bytes = 0;
    switch (kind) {
    case PAGES_OF_SIZE:
        return 0;
    case PAGES_OF_THP:
        return files_number(&bytes, NULL, "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") &&
                       bytes <= thp_most
                   ? (size_t)bytes
                   : 0;
    case PAGES_OF_2M:
        return (size_t)1 << SHIFT_2M;
    case PAGES_OF_1G:
        return (size_t)1 << SHIFT_1G;
    default:
        return (size_t)sysconf(_SC_PAGESIZE);
    }
}

static unsigned char *map(size_t bytes, int flags)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

unsigned char *pages_map(size_t bytes, enum pages_kind kind, size_t page)
{
    unsigned char *memory = NULL;
    switch (kind) {
    case PAGES_OF_2M:
    case PAGES_OF_1G:
        return map(bytes, MAP_PRIVATE | MAP_HUGETLB |
                              ((kind == PAGES_OF_2M ? SHIFT_2M : SHIFT_1G) << HUGE_FLAG_SHIFT));
    case PAGES_OF_THP:
        memory = cut_aligned(bytes, page);
        if (memory)
            madvise(memory, bytes, MADV_HUGEPAGE);
        return memory;
    case PAGES_OF_SIZE:
        memory = cut_aligned(bytes, page);
        if (memory && cut_mapping(memory, bytes, page, 2 * page))
            madvise(memory, bytes, MADV_HUGEPAGE);
        return memory;
    default:
        memory = map(bytes, kind == PAGES_SHARED ? MAP_SHARED : MAP_PRIVATE);
        if (memory) /* a kernel without transparent huge pages refuses, but gives small ones */
            madvise(memory, bytes, MADV_NOHUGEPAGE);
        return memory;
    }
}

bool pages_populate(unsigned char *memory, size_t bytes)
{
    return mmap(memory, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_POPULATE, -1, 0) == memory;
}

bool pages_unmap(unsigned char *memory, size_t bytes)
{
    return munmap(memory, bytes) == 0;
}

bool pages_discard(unsigned char *memory, size_t bytes)
{
    return madvise(memory, bytes, MADV_DONTNEED) == 0;
}

bool pages_executable(unsigned char *memory, size_t bytes, bool executable)
{
    return mprotect(memory, bytes, PROT_READ | (executable ? PROT_EXEC : PROT_WRITE)) == 0;
}

bool pages_counted(void)
{
    const size_t page = pages_bytes(PAGES_OF_4K);
    volatile unsigned char *memory = pages_map(page, PAGES_OF_4K, page);
    struct os_thread_events before, after;
    if (!memory)
        return false;
    os_thread_events(&before);
    *memory = 1;
    os_thread_events(&after);
    pages_unmap((unsigned char *)memory, page);
    return after.page_faults > before.page_faults;
}

int pages_twin_start(void)
{
    const long twin = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    int status;
    /* The twin only stops itself until it is killed, so no code of this process runs twice. */
    if (twin == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            syscall(SYS_kill, (pid_t)syscall(SYS_getpid), SIGSTOP);
    }
    if (twin < 0)
        return -1;
    if (waitpid((pid_t)twin, &status, WUNTRACED) == (pid_t)twin && WIFSTOPPED(status))
        return (int)twin;
    pages_twin_end((int)twin);
    return -1;
}

void pages_twin_end(int twin)
{
    if (twin <= 0)
        return;
    kill(twin, SIGKILL);
    waitpid(twin, NULL, 0);
}
