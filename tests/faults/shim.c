/*
 * Preloaded into a program, makes its n-th call of one kind fail, or counts them.
 *
 *     FATHOM_FAULT=KIND:N         the n-th call fails, once; N 0: none does
 *     FATHOM_FAULT_COUNT=FILE     the number of calls is written there when the program ends
 *     FATHOM_FAULT=clock          no call fails, but the system's clocks stand still
 *     FATHOM_FAULT=steps          the time of day steps back by a day with each second reading
 *     FATHOM_FAULT=changes:FILE   FILE gets the bytes of FILE.new when the first of it were read
 *     FATHOM_FAULT=refuse:CALLS   the kernel refuses all of affinity, perf or policy, as in
 * containers, or code: mprotect() that makes memory executable
 *
 * KIND is alloc, write, link, rename, fsync, mmap or thread. Calls count where the program or the C
 * library makes them, not where another library does: hwloc and drivers of GPUs crash by
 * themselves, and cannot be mended here. Writes are made within the C library, where nothing can be
 * put in their place, so the kernel is asked to stop each of them (seccomp).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum kind { ALLOC, WRITE, LINK, RENAME, FSYNC, MMAP, THREAD, KINDS };
static const char *const names[KINDS] = {"alloc", "write", "link",  "rename",
                                         "fsync", "mmap",  "thread"};

enum { RANGES = 8 };
static struct {
    uintptr_t from, to;
} own[RANGES];
static int ranges;
static enum kind chosen = KINDS;
static long failing;
static atomic_long calls;
static char count_path[4096];
static bool clock_stands, clock_steps;
static char changing[2048];
static _Thread_local int in_hwloc;

/* Whether the call that is made now is the one to fail. */
static bool fails(enum kind kind)
{
    return kind == chosen && !in_hwloc && atomic_fetch_add(&calls, 1) + 1 == failing;
}

static bool is_own(const void *caller)
{
    for (int i = 0; i < ranges; i++)
        if ((uintptr_t)caller >= own[i].from && (uintptr_t)caller < own[i].to)
            return true;
    return false;
}

static int note_object(struct dl_phdr_info *info, size_t size, void *first)
{
    bool *is_program = first;
    const bool wanted = *is_program || strstr(info->dlpi_name, "/libc.so");
    *is_program = false;
    for (int i = 0; wanted && i < info->dlpi_phnum && ranges < RANGES; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            own[ranges].from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            own[ranges].to = own[ranges].from + info->dlpi_phdr[i].p_memsz;
            ranges++;
        }
    return 0;
}

/* --- writes --- */

/* A write that is let through is made by another call, which is not stopped. */
static void on_write(int signal_number, siginfo_t *info, void *context)
{
    const int before = errno;
    ucontext_t *at = context;
    long result = -ENOSYS;
#if defined __x86_64__
    const int file = (int)at->uc_mcontext.gregs[REG_RDI];
    const struct iovec part = {(void *)at->uc_mcontext.gregs[REG_RSI],
                               (size_t)at->uc_mcontext.gregs[REG_RDX]};
#elif defined __aarch64__
    const int file = (int)at->uc_mcontext.regs[0];
    const struct iovec part = {(void *)at->uc_mcontext.regs[1], at->uc_mcontext.regs[2]};
#endif
    if (info->si_syscall == __NR_write) {
        const bool failing_now = fails(WRITE);
        result = failing_now ? -1 : syscall(__NR_pwritev2, file, &part, 1, -1L, -1L, 0);
        if (result < 0)
            result = failing_now ? -ENOSPC : -errno;
    }
#if defined __x86_64__
    at->uc_mcontext.gregs[REG_RAX] = result;
#elif defined __aarch64__
    at->uc_mcontext.regs[0] = (unsigned long long)result;
#endif
    errno = before;
}

/* The kernel ends what calls `numbers` as the last of the filter's results says. */
static void filter_calls(const int *numbers, size_t count, uint32_t result, uint32_t rights)
{
    enum { MOST = 8 };
    struct sock_filter filter[MOST + 5];
    size_t at = 0;
    if (rights) { /* only with one of them as third argument */
        filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                    offsetof(struct seccomp_data, args[2]));
        filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, rights, 0,
                                                    (uint8_t)(count + 1));
    }
    filter[at++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < count; i++)
        filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)numbers[i],
                                                    (uint8_t)(count - i), 0);
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, result);
    const struct sock_fprog program = {(unsigned short)at, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        _exit(77);
}

static void stop_writes(void)
{
    struct sigaction action = {.sa_sigaction = on_write, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSYS, &action, NULL);
    filter_calls(&(int){__NR_write}, 1, SECCOMP_RET_TRAP, 0);
}

static void refuse(const char *what)
{
    static const struct {
        const char *what;
        int numbers[5];
        size_t count;
        uint32_t rights;
    } kinds[] = {
        {"affinity", {__NR_sched_setaffinity}, 1, 0},
        {"perf", {__NR_perf_event_open}, 1, 0},
        {"policy",
         {__NR_mbind, __NR_set_mempolicy, __NR_get_mempolicy, __NR_move_pages, __NR_migrate_pages},
         5,
         0},
        {"code", {__NR_mprotect}, 1, PROT_EXEC}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(what, kinds[i].what) == 0)
            filter_calls(kinds[i].numbers, kinds[i].count, SECCOMP_RET_ERRNO | EPERM,
                         kinds[i].rights);
}

/* --- beginning and end --- */

__attribute__((constructor)) static void begin(void)
{
    bool first = true;
    const char *fault = getenv("FATHOM_FAULT"), *path = getenv("FATHOM_FAULT_COUNT");
    dl_iterate_phdr(note_object, &first);
    if (path && strlen(path) < sizeof count_path)
        strcpy(count_path, path);
    for (int i = 0; fault && i < KINDS; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(fault, names[i], length) != 0 || fault[length] != ':')
            continue;
        failing = atol(fault + length + 1);
        chosen = (enum kind)i;
    }
    clock_stands = fault && strcmp(fault, "clock") == 0;
    clock_steps = fault && strcmp(fault, "steps") == 0;
    if (fault && strncmp(fault, "changes:", strlen("changes:")) == 0)
        snprintf(changing, sizeof changing, "%s", fault + strlen("changes:"));
    if (fault && strncmp(fault, "refuse:", strlen("refuse:")) == 0)
        refuse(fault + strlen("refuse:"));
    if (chosen == WRITE)
        stop_writes();
}

__attribute__((destructor)) static void end(void)
{
    const long count = atomic_load(&calls);
    const enum kind kind = chosen;
    if (!*count_path || kind == KINDS)
        return;
    failing = 0;
    int file = open(count_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dprintf(file, "%ld\n", count);
    close(file);
}

/* --- the calls --- */

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static bool refused(const void *caller)
{
    if (chosen != ALLOC || !is_own(caller) || !fails(ALLOC))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static __typeof__(&clock_gettime) next;
    if (!next)
        next = NEXT(clock_gettime);
    if (!clock_stands) {
        static atomic_int readings;
        const int code = next(clock, now);
        if (clock_steps && clock == CLOCK_REALTIME && atomic_fetch_add(&readings, 1) % 2)
            now->tv_sec -= 24 * 60 * 60;
        return code;
    }
    *now = (struct timespec){1000, 0};
    return 0;
}

time_t time(time_t *result)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result)
        *result = now.tv_sec;
    return now.tv_sec;
}

/* In place, as a data base writes: the file stays the same one. */
static void change(void)
{
    char name[sizeof changing + 8];
    snprintf(name, sizeof name, "%s.new", changing);
    const int from = open(name, O_RDONLY), to = open(changing, O_WRONLY);
    while (sendfile(to, from, NULL, 1 << 20) > 0)
        continue;
    close(from);
    close(to);
    *changing = '\0';
}

size_t fread(void *to, size_t size, size_t count, FILE *stream)
{
    const size_t got = NEXT(fread)(to, size, count, stream);
    struct stat file, named;
    if (*changing && fstat(fileno(stream), &file) == 0 && stat(changing, &named) == 0 &&
        file.st_dev == named.st_dev && file.st_ino == named.st_ino)
        change();
    return got;
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    if (!fails(LINK))
        return NEXT(linkat)(from_folder, from, to_folder, to, flags);
    errno = EIO;
    return -1;
}

int rename(const char *from, const char *to)
{
    if (!fails(RENAME))
        return NEXT(rename)(from, to);
    errno = EIO;
    return -1;
}

int fsync(int file)
{
    if (!fails(FSYNC))
        return NEXT(fsync)(file);
    errno = EIO;
    return -1;
}

void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset)
{
    if (!fails(MMAP))
        return NEXT(mmap)(address, bytes, protection, flags, file, offset);
    errno = ENOMEM;
    return MAP_FAILED;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument)
{
    return fails(THREAD) ? EAGAIN : NEXT(pthread_create)(thread, attributes, run, argument);
}

/* --- hwloc: what it allocates through the C library is its own --- */

#define IN_HWLOC(name, parameters, arguments)                                                      \
    int name parameters;                                                                           \
    int name parameters                                                                            \
    {                                                                                              \
        in_hwloc++;                                                                                \
        const int result = ((int(*) parameters)dlsym(RTLD_NEXT, #name))arguments;                  \
        in_hwloc--;                                                                                \
        return result;                                                                             \
    }

IN_HWLOC(hwloc_topology_init, (void **topology), (topology))
IN_HWLOC(hwloc_topology_load, (void *topology), (topology))
IN_HWLOC(hwloc_topology_set_synthetic, (void *topology, const char *text), (topology, text))
