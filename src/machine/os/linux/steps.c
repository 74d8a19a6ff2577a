#include "machine/steps.h"

const char *const steps_kind_names[] = {"unknown", "plain", "string", "past", NULL};

#if defined(__x86_64__) && defined(__GLIBC__)
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* The trap flag of EFLAGS (Intel SDM vol. 1, 3.4.3.3). */
enum { TRAP_FLAG = 0x100 };
/* A function decides within its first hundred instructions; a loop of plain loads and stores goes
 * on for longer. */
enum { STEPS_MOST = 200, SWITCHES_MOST = 16, PAGE = 4096 };

/* Of the copy of this process alone: a signal handler has no other place for it. */
static struct {
    sigjmp_buf back;
    volatile sig_atomic_t steps, kind;
} call;

/* F3 [REX] A4/A5 is rep movs, AA/AB rep stos. */
static bool is_string(const unsigned char *at)
{
    if (*at++ != 0xf3)
        return false;
    at += (*at & 0xf0) == 0x40;
    return *at == 0xa4 || *at == 0xa5 || *at == 0xaa || *at == 0xab;
}

/* Opcodes of the map 0F that store past the caches: MOVNTPS/PD, MOVNTI, MOVNTQ/DQ. */
static bool is_past_opcode(unsigned char opcode)
{
    return opcode == 0x2b || opcode == 0xe7;
}

/* With any of the encodings: legacy, VEX of two and three bytes, EVEX (Intel SDM vol. 2, 2.1, 2.3,
 * 2.7). */
static bool is_past(const unsigned char *at)
{
    if (at[0] == 0xc5)
        return is_past_opcode(at[2]);
    if (at[0] == 0xc4)
        return (at[1] & 0x1f) == 1 && is_past_opcode(at[3]);
    if (at[0] == 0x62)
        return (at[1] & 7) == 1 && is_past_opcode(at[4]);
    at += *at == 0x66;
    at += (*at & 0xf0) == 0x40;
    return at[0] == 0x0f && (is_past_opcode(at[1]) || at[1] == 0xc3);
}

/* After each instruction: the next one stands at RIP. A jump out of the handler leaves the trap
 * flag clear, and the rest of the call undone. */
static void handle_step(int number, siginfo_t *info, void *context)
{
    const ucontext_t *at = context;
    const unsigned char *next = (const unsigned char *)at->uc_mcontext.gregs[REG_RIP];
    (void)number, (void)info;
    call.steps++;
    call.kind = is_string(next) ? STEPS_STRING : is_past(next) ? STEPS_PAST : STEPS_PLAIN;
    if (call.kind != STEPS_PLAIN || call.steps >= STEPS_MOST)
        siglongjmp(call.back, 1);
}

static inline void set_trap_flag(void)
{
    /* Below the stack's end lies the red zone. */
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\torq %0, (%%rsp)\n\tpopfq\n\t"
                     "lea 128(%%rsp), %%rsp"
                     :
                     : "i"(TRAP_FLAG)
                     : "cc", "memory");
}

static inline void clear_trap_flag(void)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\tandq %0, (%%rsp)\n\tpopfq\n\t"
                     "lea 128(%%rsp), %%rsp"
                     :
                     : "i"(~TRAP_FLAG)
                     : "cc", "memory");
}

struct buffers {
    unsigned char *memory;
    uint64_t apart;
};

static enum steps_kind kind_of(enum steps_function function, const struct buffers *buffers,
                               uint64_t bytes)
{
    /* Read each time, so that the compiler can't put its own instructions in the place of a call.
     */
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    void *(*volatile set)(void *, int, size_t) = memset;
    call.steps = 0;
    call.kind = STEPS_UNKNOWN;
    if (sigsetjmp(call.back, 1))
        return (enum steps_kind)call.kind;
    set_trap_flag();
    if (function == STEPS_MEMCPY)
        copy(buffers->memory, buffers->memory + buffers->apart, bytes);
    else
        set(buffers->memory, 0, bytes);
    clear_trap_flag();
    return (enum steps_kind)call.kind;
}

/* 1, 2, 3, 4, 6, 8, 12, ... */
static uint64_t next_size(uint64_t bytes)
{
    return bytes < 2 ? 2 : bytes & (bytes - 1) ? bytes / 3 * 4 : bytes / 2 * 3;
}

struct found {
    size_t count;
    struct steps_switch switches[SWITCHES_MOST];
};

/* The first size in (low, high] that does as `high` does. */
static uint64_t first_of(enum steps_function function, const struct buffers *buffers, uint64_t low,
                         uint64_t high, enum steps_kind kind)
{
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (kind_of(function, buffers, middle) == kind)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static void look(enum steps_function function, const struct buffers *buffers, uint64_t most,
                 struct found *found)
{
    size_t count = 0;
    kind_of(function, buffers, 1); /* the linker finds it before it is stepped through in earnest */
    for (uint64_t before = 0, bytes = 1; bytes <= most && count < SWITCHES_MOST;
         before = bytes, bytes = next_size(bytes)) {
        const enum steps_kind kind = kind_of(function, buffers, bytes);
        if (kind == STEPS_UNKNOWN)
            return;
        if (!count || kind != found->switches[count - 1].kind)
            found->switches[count++] =
                (struct steps_switch){first_of(function, buffers, before, bytes, kind), kind};
    }
    found->count = count;
}

static _Noreturn void look_and_end(enum steps_function function, const struct buffers *buffers,
                                   uint64_t most, struct found *found)
{
    struct sigaction action = {.sa_sigaction = handle_step, .sa_flags = SA_SIGINFO};
    sigset_t none;
    sigemptyset(&action.sa_mask);
    sigemptyset(&none);
    sigaction(SIGTRAP, &action, NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    look(function, buffers, most, found);
    for (;;)
        syscall(SYS_exit_group, 0);
}

/* Memory that is written by nobody takes none. */
static unsigned char *map(uint64_t bytes, int flags)
{
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

size_t steps_switches(enum steps_function function, uint64_t most, struct steps_switch *switches,
                      size_t room)
{
    const uint64_t apart = (most / PAGE + 1) * PAGE;
    const struct buffers buffers = {map(2 * apart, MAP_PRIVATE), apart};
    struct found *found = (struct found *)(void *)map(sizeof *found, MAP_SHARED);
    size_t count = 0;
    if (buffers.memory && found) {
        /* fork() would run what libraries have registered for it. */
        const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (child == 0)
            look_and_end(function, &buffers, most, found);
        if (child > 0)
            waitpid((pid_t)child, NULL, 0);
        count = child > 0 && found->count <= room ? found->count : 0;
        memcpy(switches, found->switches, count * sizeof *switches);
    }
    if (buffers.memory)
        munmap(buffers.memory, 2 * apart);
    if (found)
        munmap(found, sizeof *found);
    return count;
}

#else

size_t steps_switches(enum steps_function function, uint64_t most, struct steps_switch *switches,
                      size_t room)
{
    (void)function, (void)most, (void)switches, (void)room;
    return 0;
}

#endif
