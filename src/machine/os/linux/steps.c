#include "machine/steps.h"

const char *const steps_kind_names[] = {"unknown", "plain", "string", "past", NULL};

#if defined(__x86_64__) && defined(__GLIBC__)
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* The trap flag of EFLAGS (Intel SDM vol. 1, 3.4.3.3). */
enum { TRAP_FLAG = 0x100 };
/* A function decides within its first hundred instructions; a loop of plain loads and stores goes
 * on for longer. */
enum { STEPS_MOST = 400, LEAST_SHARED = 4096 };

/* Of the copy of this process alone: a signal handler has no other place for it. */
static volatile sig_atomic_t steps;

static _Noreturn void end_with(enum steps_kind kind)
{
    for (;;)
        syscall(SYS_exit_group, (int)kind);
}

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

/* After each instruction: the next one stands at RIP. */
static void handle_step(int number, siginfo_t *info, void *context)
{
    const ucontext_t *at = context;
    const unsigned char *next = (const unsigned char *)at->uc_mcontext.gregs[REG_RIP];
    (void)number, (void)info;
    if (is_string(next))
        end_with(STEPS_STRING);
    if (is_past(next))
        end_with(STEPS_PAST);
    if (++steps >= STEPS_MOST)
        end_with(STEPS_PLAIN);
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

static _Noreturn void step_through(enum steps_function function, unsigned char *memory,
                                   uint64_t bytes, uint64_t apart)
{
    /* Read each time, so that the compiler can't put its own instructions in the place of a call.
     */
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    void *(*volatile set)(void *, int, size_t) = memset;
    struct sigaction action = {.sa_sigaction = handle_step, .sa_flags = SA_SIGINFO};
    sigset_t none;
    sigemptyset(&action.sa_mask);
    sigemptyset(&none);
    sigaction(SIGTRAP, &action, NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    copy(memory, memory + apart, 1); /* found by the linker before it is stepped through */
    set(memory, 0, 1);
    set_trap_flag();
    if (function == STEPS_MEMCPY)
        copy(memory, memory + apart, bytes);
    else
        set(memory, 0, bytes);
    clear_trap_flag();
    end_with(steps ? STEPS_PLAIN : STEPS_UNKNOWN);
}

/* fork() would run what libraries have registered for it. */
static enum steps_kind kind_of(enum steps_function function, unsigned char *memory, uint64_t bytes,
                               uint64_t apart)
{
    const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    int status = 0;
    if (child == 0)
        step_through(function, memory, bytes, apart);
    if (child < 0 || waitpid((pid_t)child, &status, 0) != (pid_t)child || !WIFEXITED(status) ||
        WEXITSTATUS(status) > STEPS_PAST)
        return STEPS_UNKNOWN;
    return (enum steps_kind)WEXITSTATUS(status);
}

/* 1, 2, 3, 4, 6, 8, 12, ... */
static uint64_t next_size(uint64_t bytes)
{
    return bytes < 2 ? 2 : bytes & (bytes - 1) ? bytes / 3 * 4 : bytes / 2 * 3;
}

size_t steps_switches(enum steps_function function, uint64_t most, struct steps_switch *switches,
                      size_t room)
{
    const uint64_t apart = (most / LEAST_SHARED + 1) * LEAST_SHARED;
    unsigned char *memory = mmap(NULL, 2 * apart, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return 0;
    size_t count = 0;
    uint64_t before = 0;
    for (uint64_t bytes = 1; bytes <= most && count < room; bytes = next_size(bytes)) {
        const enum steps_kind kind = kind_of(function, memory, bytes, apart);
        if (kind == STEPS_UNKNOWN) {
            count = 0;
            break;
        }
        if (!count || kind != switches[count - 1].kind) {
            /* The first size that does as this one does, by halving. */
            uint64_t low = before, high = bytes;
            while (high - low > 1) {
                const uint64_t middle = low + (high - low) / 2;
                if (kind_of(function, memory, middle, apart) == kind)
                    high = middle;
                else
                    low = middle;
            }
            switches[count++] = (struct steps_switch){high, kind};
        }
        before = bytes;
    }
    munmap(memory, 2 * apart);
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
