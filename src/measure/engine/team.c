#include "measure/engine/team.h"

#include "machine/os.h"
#include "measure/engine/burst.h"
#include "measure/engine/recall.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POLL_MS = 50, PATIENCE_POLLS = 100, JOIN_S = 5 };
/* A signal ends a pause at once; a stop that is set without one waits for this. A shorter nap would
 * be most of what `fathom watch` costs. */
enum { PAUSE_POLL_MS = 500 };

/* The worker alone ends BUSY and LEAVING. The coordinator alone begins them and sets LOST, which
 * is final whatever the thread does later. */
enum member_state { IDLE, BUSY, LEAVING, ENDED, LOST };

struct member {
    int cpu;
    pthread_t thread;
    struct team *team;
    atomic_uint state; /* the worker sleeps on it while it is idle */
    /* Written by the worker until it is first idle. */
    bool pinned;
    struct error error; /* why it could not be pinned */
    /* Written by the coordinator while the worker is idle. */
    struct team_job job; /* a copy, because a lost worker may still read it much later */
    unsigned rank;
    struct burst_core core; /* used by the thread alone, like the escape */
    sigjmp_buf escape;      /* used by the thread alone */
    volatile sig_atomic_t recallable;
};

/* There is no lock: a thread that holds one may lose its CPU, and waiting for a lock has no
 * deadline. The coordinator alone uses these members, except `returned` and the members' states. */
struct team {
    atomic_uint returned; /* reports of workers so far; the coordinator sleeps on it */
    const volatile sig_atomic_t *stop;
    int (*pin)(int cpu, struct error *);
    int patience_polls; /* polls before a thread that gets no time to run is lost */
    struct member **members;
    size_t count;
};

/* A signal handler can find its member only through the thread that it runs on. */
static _Thread_local struct member *current;

/* Called by the signal's handler: whether this thread is a worker. */
static int handle_recall(void)
{
    struct member *member = current;
    if (member && member->recallable) {
        member->recallable = 0;
        siglongjmp(member->escape, 1);
    }
    return member != NULL;
}

/* Runs the work so that a recall comes back here. */
static void run_recallable(struct member *member)
{
    if (sigsetjmp(member->escape, 1))
        return;
    member->recallable = 1;
    member->job.work(member->job.argument, member->rank);
    member->recallable = 0;
}

/* The worker goes from state `done` to `next`. False: the coordinator gave it up. */
static bool report(struct member *member, enum member_state done, enum member_state next)
{
    unsigned expected = done;
    if (!atomic_compare_exchange_strong(&member->state, &expected, next))
        return false;
    atomic_fetch_add(&member->team->returned, 1);
    os_wake(&member->team->returned);
    return true;
}

/* The thread may first run long after the team has gone on without it. */
static void *member_main(void *argument)
{
    struct member *member = argument;
    current = member;
    member->pinned = member->team->pin(member->cpu, &member->error) == 0;
    bool goes_on = report(member, BUSY, IDLE);
    while (goes_on) {
        const unsigned state = atomic_load(&member->state);
        if (state == IDLE) {
            os_sleep_while(&member->state, IDLE, UINT64_MAX);
        } else if (state == BUSY) {
            run_recallable(member);
            goes_on = report(member, BUSY, IDLE);
        } else { /* the job's data are gone */
            report(member, LEAVING, ENDED);
            goes_on = false;
        }
    }
    return NULL;
}

int team_create(struct team **result, const volatile sig_atomic_t *stop, struct error *error)
{
    return team_create_pinned_by(result, os_pin_thread, stop, error);
}

int team_create_pinned_by(struct team **result, int (*pin)(int cpu, struct error *),
                          const volatile sig_atomic_t *stop, struct error *error)
{
    struct team *team = calloc(1, sizeof *team);
    if (!team)
        return error_out_of_memory(error);
    team->stop = stop;
    team->pin = pin;
    team->patience_polls = PATIENCE_POLLS;
    recall_begin(handle_recall);
    *result = team;
    return 0;
}

void team_set_patience(struct team *team, int polls)
{
    team->patience_polls = polls;
}

static bool is_stopped(const struct team *team)
{
    /* Set by a signal's handler, or by another thread. */
    return team->stop && __atomic_load_n(team->stop, __ATOMIC_RELAXED);
}

static int interrupted(struct error *error)
{
    return error_set(error, ERROR_INTERRUPTED, "interrupted");
}

static int starved(int cpu, struct error *error)
{
    return error_set(error, ERROR_SYSTEM,
                     "the worker on CPU %d gets no time to run: something of higher priority holds "
                     "that CPU; choose others with --cpus",
                     cpu);
}

/* Gives up a member that is in that state. False: it came back at the last moment. A lost thread
 * may run again at any time, so the member and the team, which it uses, are never freed. */
static bool lose(struct member *member, enum member_state state)
{
    unsigned expected = state;
    if (!atomic_compare_exchange_strong(&member->state, &expected, LOST))
        return false;
    pthread_detach(member->thread);
    return true;
}

/* Sleeps until a member reports after `returned` was read, or one poll has passed. True after a
 * timeout: only that counts as a poll, not a wake-up. */
static bool wait_a_poll(struct team *team, unsigned returned)
{
    return os_sleep_while(&team->returned, returned, POLL_MS * UINT64_C(1000000));
}

static struct member *find_member(const struct team *team, int cpu)
{
    for (size_t i = 0; i < team->count; i++)
        if (team->members[i]->cpu == cpu)
            return team->members[i];
    return NULL;
}

/* Starts a member for the CPU. */
static int add_member(struct team *team, int cpu, struct member **result, struct error *error)
{
    struct member **larger = realloc(team->members, (team->count + 1) * sizeof *team->members);
    if (larger)
        team->members = larger;
    struct member *member = larger ? calloc(1, sizeof *member) : NULL;
    if (!member)
        return error_out_of_memory(error);
    member->cpu = cpu;
    member->team = team;
    atomic_init(&member->state, BUSY); /* until it has pinned itself */
    /* Starts the thread with every signal but the recall blocked, so that SIGINT reaches the
     * coordinator. */
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, RECALL_SIGNAL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 * 1024); /* 1024 threads must fit in memory */
    int code = pthread_create(&member->thread, &attributes, member_main, member);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code) {
        free(member);
        return error_set(error, ERROR_IMPOSSIBLE,
                         "no thread for CPU %d: %s; see ulimit -u, or choose fewer CPUs with "
                         "--cpus",
                         cpu, strerror(code));
    }
    *result = team->members[team->count++] = member;
    /* Waits until a new thread has pinned itself. */
    for (int polls = 0;;) {
        const unsigned returned = atomic_load(&team->returned);
        if (atomic_load(&member->state) != BUSY)
            return 0;
        const bool stop =
            polls > 0 && is_stopped(team); /* most threads start within the first poll */
        if ((stop || polls == team->patience_polls) && lose(member, BUSY))
            return stop ? interrupted(error) : starved(member->cpu, error);
        polls += wait_a_poll(team, returned);
    }
}

/* The CPU's member, started if need be. */
static int get_member(struct team *team, int cpu, struct member **result, struct error *error)
{
    struct member *member = find_member(team, cpu);
    int code = member ? 0 : add_member(team, cpu, &member, error);
    if (code < 0)
        return code;
    if (atomic_load(&member->state) == LOST)
        return starved(cpu, error);
    if (!member->pinned)
        return error_set(error, ERROR_IMPOSSIBLE, "%s", member->error.text);
    *result = member;
    return 0;
}

static size_t busy_members(const struct team *team)
{
    size_t busy = 0;
    for (size_t i = 0; i < team->count; i++)
        busy += atomic_load(&team->members[i]->state) == BUSY;
    return busy;
}

/* Recalls busy members until all are back. A member ignores a signal that arrives just before its
 * work begins, so the signal is sent again at every poll. */
static int recall(struct team *team, struct error *error)
{
    bool passed = true;
    for (int polls = 0;; polls += passed) {
        const unsigned returned = atomic_load(&team->returned);
        if (!busy_members(team))
            return 0;
        if (polls == team->patience_polls) {
            /* Gives up the busy members and returns the CPU of one of them; -1: none was busy. */
            int cpu = -1;
            for (size_t i = 0; i < team->count; i++)
                if (lose(team->members[i], BUSY))
                    cpu = team->members[i]->cpu;
            return cpu < 0 ? 0 : starved(cpu, error);
        }
        for (size_t i = 0; i < team->count && passed; i++)
            if (atomic_load(&team->members[i]->state) == BUSY)
                pthread_kill(team->members[i]->thread, RECALL_SIGNAL);
        passed = wait_a_poll(team, returned);
    }
}

static int wait_for_end(struct team *team, const struct team_job *job, struct error *error)
{
    for (;;) {
        const unsigned returned = atomic_load(&team->returned);
        if (!busy_members(team))
            return is_stopped(team) ? interrupted(error) : TEAM_DONE;
        wait_a_poll(team, returned);
        const bool stop = is_stopped(team);
        if (!busy_members(team) || (!stop && !(job->overdue && job->overdue(job->argument))))
            continue;
        const int code = recall(team, error);
        if (code < 0)
            return code;
        return stop ? interrupted(error) : TEAM_RECALLED;
    }
}

/* Wakes an idle worker, which then reads its job. */
static void call(struct member *member, enum member_state state)
{
    atomic_store(&member->state, state);
    os_wake(&member->state);
}

int team_run(struct team *team, const struct team_job *job, struct error *error)
{
    int code = 0;
    struct member *member = NULL;
    for (size_t rank = 0; rank < job->count && code == 0; rank++)
        code = get_member(team, job->cpus[rank], &member, error);
    for (size_t rank = 0; rank < job->count && code == 0; rank++) {
        member = find_member(team, job->cpus[rank]);
        member->job = *job;
        member->rank = (unsigned)rank;
        call(member, BUSY);
    }
    return code == 0 ? wait_for_end(team, job, error) : code;
}

int team_ready(struct team *team, const int *cpus, size_t count, struct error *error)
{
    int code = 0;
    struct member *member;
    size_t ready = 0;
    for (; ready < count; ready++) {
        code = get_member(team, cpus[ready], &member, error);
        if (code < 0)
            break;
    }
    if (code == ERROR_IMPOSSIBLE)
        team_dismiss(team, cpus[ready]);
    return code;
}

/* No member is busy between two jobs. False: it is lost. */
static bool ask_to_end(struct member *member)
{
    if (atomic_load(&member->state) == LOST)
        return false;
    call(member, LEAVING);
    return true;
}

/* Waits until a member that was asked to end has ended, and frees it. False: it is lost. It gets
 * at least one poll, however few are left. The thread's last instructions need time on its CPU,
 * too, hence the timed join. */
static bool see_end(struct member *member, int *polls_left)
{
    struct team *team = member->team;
    for (bool waited = false;;) {
        const unsigned returned = atomic_load(&team->returned);
        if (atomic_load(&member->state) == ENDED)
            break;
        if (waited && *polls_left <= 0 && lose(member, LEAVING))
            return false;
        const bool passed = wait_a_poll(team, returned);
        *polls_left -= passed;
        waited = waited || passed;
    }
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += JOIN_S;
    if (pthread_timedjoin_np(member->thread, NULL, &until) != 0) {
        lose(member, ENDED);
        return false;
    }
    free(member);
    return true;
}

void team_dismiss(struct team *team, int cpu)
{
    int polls_left = team->patience_polls;
    for (size_t i = 0; i < team->count; i++) {
        struct member *member = team->members[i];
        if (member->cpu != cpu || !ask_to_end(member))
            continue;
        if (see_end(member, &polls_left))
            team->members[i] = team->members[--team->count];
        return;
    }
}

struct burst_core *team_own_core(void)
{
    return current ? &current->core : NULL;
}

int team_pause(struct team *team, uint64_t until_ns, struct error *error)
{
    while (!is_stopped(team)) {
        uint64_t now_ns = os_raw_ns();
        if (now_ns >= until_ns)
            return 0;
        uint64_t left_ns = until_ns - now_ns, poll_ns = PAUSE_POLL_MS * UINT64_C(1000000);
        struct timespec nap = {.tv_nsec = (long)(left_ns < poll_ns ? left_ns : poll_ns)};
        nanosleep(&nap, NULL);
    }
    return interrupted(error);
}

void team_free(struct team *team)
{
    if (!team)
        return;
    size_t lost = 0;
    int polls_left = team->patience_polls; /* for all members together: they wait for their CPUs at
                                              the same time */
    for (size_t i = 0; i < team->count; i++)
        ask_to_end(team->members[i]);
    for (size_t i = 0; i < team->count; i++) {
        struct member *member = team->members[i];
        if (atomic_load(&member->state) == LOST || !see_end(member, &polls_left))
            team->members[lost++] = member;
    }
    team->count = lost;
    if (lost) /* lost threads may still use the team */
        return;
    recall_end();
    free(team->members);
    free(team);
}
