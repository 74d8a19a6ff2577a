#include "machine/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In the child, where another thread may hold any lock: system calls alone. Tells the parent the
 * reason if it does not become the program. */
static _Noreturn void become(const struct child_plan *plan, const sigset_t *signals, int told,
                             int says)
{
    signal(SIGXFSZ, SIG_DFL); /* which main() ignores, and a program would inherit */
    /* The kernel reads one bit less than the number that it gets. */
    bool done =
        setpgid(0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
        (!plan->small_pages || prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0) &&
        (!plan->nodes || syscall(SYS_set_mempolicy, plan->interleaved ? MPOL_INTERLEAVE : MPOL_BIND,
                                 &plan->nodes, 8 * sizeof plan->nodes + 1) == 0);
    for (int i = 0; i < 3 && done; i++)
        done = dup2(i == 1 && plan->says ? says : plan->streams[i], i) >= 0;
    if (done && sigprocmask(SIG_SETMASK, signals, NULL) == 0)
        execvp(plan->arguments[0], plan->arguments);
    const int why = errno;
    _exit(write(told, &why, sizeof why) < 0 ? 126 : 127);
}

int child_start(struct child *child, const struct child_plan *plan, struct error *error)
{
    sigset_t all, before;
    int told[2], says[2] = {-1, -1}, why = 0;
    child->id = 0;
    if ((plan->says && pipe2(says, O_CLOEXEC | O_NONBLOCK) < 0) || pipe2(told, O_CLOEXEC) < 0) {
        why = error_set(error, ERROR_SYSTEM, "no pipe can be made: %s", strerror(errno));
        close(says[0]);
        close(says[1]);
        return why;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t id = fork();
    if (id == 0)
        become(plan, &before, told[1], says[1]);
    child->id = id > 0 ? id : 0;
    why = id < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(told[1]);
    close(says[1]);
    child->said = says[0];
    while (id > 0 && read(told[0], &why, sizeof why) < 0 && errno == EINTR)
        ;
    close(told[0]);
    if (!why)
        return 0;
    child_reap(child, &(struct child_end){0});
    close(says[0]);
    return error_set(error, id < 0 ? ERROR_SYSTEM : ERROR_USAGE, "'%s' can't be run: %s",
                     plan->arguments[0],
                     why == ENOEXEC ? "it is no program, and has no #! line" : strerror(why));
}

bool child_ended(const struct child *child, int *stopped)
{
    siginfo_t seen = {.si_pid = 0};
    waitid(P_PID, (id_t)child->id, &seen, WEXITED | WSTOPPED | WNOWAIT | WNOHANG);
    *stopped = seen.si_pid && seen.si_code == CLD_STOPPED ? seen.si_status : 0;
    return seen.si_pid;
}

double child_cpu_s(const struct child *child)
{
    clockid_t clock;
    struct timespec used = {0};
    if (clock_getcpuclockid(child->id, &clock) == 0)
        clock_gettime(clock, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

void child_signal(const struct child *child, int signal)
{
    if (child->id > 0)
        kill(-child->id, signal);
}

void child_reap(struct child *child, struct child_end *end)
{
    struct rusage used = {.ru_maxrss = 0};
    int status = 0;
    *end = (struct child_end){.status = -1};
    if (child->id <= 0)
        return;
    child_signal(child, SIGKILL); /* it is a zombie until wait4(), so its group is still its own */
    while (wait4(child->id, &status, 0, &used) < 0 && errno == EINTR)
        ;
    child->id = 0;
    end->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end->cpu_s = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}
