#include "engine/team.h"

#include "engine/recall.h"
#include "machine/os.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POLL_MS = 50, PATIENCE_POLLS = 100, JOIN_S = 5 };

/* LOST is final, whatever the thread does later. */
enum member_state { IDLE, BUSY, ENDED, LOST };

struct member {
    int cpu;
    pthread_t thread;
    struct team *team;
    pthread_cond_t called;
    enum member_state state; /* guarded by the team's lock, like all that follows */
    bool pinned, quit;
    struct error error;  /* why it could not be pinned */
    struct team_job job; /* a copy: a lost worker may look at it long after */
    bool has_job;
    unsigned rank;
    sigjmp_buf escape; /* the thread's own */
    volatile sig_atomic_t recallable;
};

struct team {
    pthread_mutex_t lock;
    pthread_cond_t returned;
    const volatile sig_atomic_t *stop;
    int (*pin)(int cpu, struct error *);
    int patience_polls; /* with a thread that gets no time to run */
    struct member **members;
    size_t count;
};

/* The handler can know its member only by the thread that it runs on. */
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

/* The member is idle again, unless the coordinator gave it up. The lock is held. */
static void report(struct member *member)
{
    if (member->state == LOST)
        return;
    member->state = IDLE;
    pthread_cond_broadcast(&member->team->returned);
}

/* The thread may get its first time to run long after the team has gone on without it. */
static void *member_main(void *argument)
{
    struct member *member = argument;
    struct team *team = member->team;
    current = member;
    struct error error = {0};
    int pinned = team->pin(member->cpu, &error);

    pthread_mutex_lock(&team->lock);
    member->pinned = pinned == 0;
    member->error = error;
    report(member);
    for (;;) {
        while (!member->has_job && !member->quit && member->state != LOST)
            pthread_cond_wait(&member->called, &team->lock);
        if (member->quit || member->state == LOST) /* what the job was about is gone */
            break;
        pthread_mutex_unlock(&team->lock);
        run_recallable(member);
        pthread_mutex_lock(&team->lock);
        member->has_job = false;
        report(member);
    }
    if (member->state != LOST)
        member->state = ENDED;
    pthread_cond_broadcast(&team->returned);
    pthread_mutex_unlock(&team->lock);
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
    pthread_mutex_init(&team->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&team->returned, &attributes);
    pthread_condattr_destroy(&attributes);
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

/* Gives a member up. Its thread may come to life at any time: what that touches, the member, the
 * team and its lock, is never freed. The lock is held. */
static void lose(struct member *member)
{
    member->state = LOST;
    pthread_detach(member->thread);
}

/* Sleeps until a member reports or one poll has passed. True for the latter: only a timeout counts
 * as a poll, not a wake-up. */
static bool wait_a_poll(struct team *team)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += POLL_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    return pthread_cond_timedwait(&team->returned, &team->lock, &until) == ETIMEDOUT;
}

static struct member *find_member(const struct team *team, int cpu)
{
    for (size_t i = 0; i < team->count; i++)
        if (team->members[i]->cpu == cpu)
            return team->members[i];
    return NULL;
}

/* Starts the thread with every signal but the recall blocked, so that SIGINT reaches the
 * coordinator. */
static int start_thread(struct member *member)
{
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, RECALL_SIGNAL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 * 1024); /* 1024 threads must fit */
    int code = pthread_create(&member->thread, &attributes, member_main, member);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

/* Waits until a new thread has pinned itself. The lock is held. */
static int wait_for_start(struct team *team, struct member *member, struct error *error)
{
    for (int polls = 0; member->state == BUSY; polls += wait_a_poll(team)) {
        const bool stop =
            polls > 0 && is_stopped(team); /* most threads start within the first poll */
        if (stop || polls == team->patience_polls) {
            lose(member);
            return stop ? interrupted(error) : starved(member->cpu, error);
        }
    }
    return 0;
}

/* Starts a member for the CPU. The lock is held. */
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
    member->state = BUSY; /* until it has pinned itself */
    pthread_cond_init(&member->called, NULL);
    int code = start_thread(member);
    if (code) {
        free(member);
        return error_set(error, ERROR_IMPOSSIBLE,
                         "no thread for CPU %d: %s; see ulimit -u, or choose fewer CPUs with "
                         "--cpus",
                         cpu, strerror(code));
    }
    *result = team->members[team->count++] = member;
    return wait_for_start(team, member, error);
}

/* The CPU's member, started if need be. The lock is held. */
static int get_member(struct team *team, int cpu, struct member **result, struct error *error)
{
    struct member *member = find_member(team, cpu);
    int code = member ? 0 : add_member(team, cpu, &member, error);
    if (code < 0)
        return code;
    if (member->state == LOST)
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
        busy += team->members[i]->state == BUSY;
    return busy;
}

/* Recalls whoever is busy until all are back. The lock is held. A signal that arrives just before
 * the work begins is not heeded, so it is sent again at every poll. */
static int recall(struct team *team, struct error *error)
{
    bool passed = true;
    for (int polls = 0; busy_members(team); polls += passed) {
        if (polls == team->patience_polls) {
            int cpu = -1;
            for (size_t i = 0; i < team->count; i++)
                if (team->members[i]->state == BUSY) {
                    lose(team->members[i]);
                    cpu = team->members[i]->cpu;
                }
            return starved(cpu, error);
        }
        for (size_t i = 0; i < team->count && passed; i++)
            if (team->members[i]->state == BUSY)
                pthread_kill(team->members[i]->thread, RECALL_SIGNAL);
        passed = wait_a_poll(team);
    }
    return 0;
}

static int wait_for_end(struct team *team, const struct team_job *job, struct error *error)
{
    while (busy_members(team)) {
        wait_a_poll(team);
        if (!busy_members(team))
            break;
        bool stop = is_stopped(team);
        if (!stop && !(job->overdue && job->overdue(job->argument)))
            continue;
        int code = recall(team, error);
        if (code < 0)
            return code;
        return stop ? interrupted(error) : TEAM_RECALLED;
    }
    return is_stopped(team) ? interrupted(error) : TEAM_DONE;
}

int team_run(struct team *team, const struct team_job *job, struct error *error)
{
    pthread_mutex_lock(&team->lock);
    int code = 0;
    struct member *member = NULL;
    for (size_t rank = 0; rank < job->count && code == 0; rank++)
        code = get_member(team, job->cpus[rank], &member, error);
    for (size_t rank = 0; rank < job->count && code == 0; rank++) {
        member = find_member(team, job->cpus[rank]);
        member->job = *job;
        member->has_job = true;
        member->rank = (unsigned)rank;
        member->state = BUSY;
        pthread_cond_signal(&member->called);
    }
    if (code == 0)
        code = wait_for_end(team, job, error);
    pthread_mutex_unlock(&team->lock);
    return code;
}

int team_ready(struct team *team, const int *cpus, size_t count, struct error *error)
{
    pthread_mutex_lock(&team->lock);
    int code = 0;
    struct member *member;
    for (size_t i = 0; i < count && code == 0; i++)
        code = get_member(team, cpus[i], &member, error);
    pthread_mutex_unlock(&team->lock);
    return code;
}

/* False: it is lost. */
static bool ask_to_end(struct member *member)
{
    pthread_mutex_lock(&member->team->lock);
    const bool lost = member->state == LOST;
    member->quit = true;
    pthread_cond_signal(&member->called);
    pthread_mutex_unlock(&member->team->lock);
    return !lost;
}

/* Waits until an idle member that was asked to end has done so, and frees it. False: it is lost. It
 * gets at least one poll, however few are left. Its last instructions, too, need time on its CPU.
 */
static bool see_end(struct member *member, int *polls_left)
{
    struct team *team = member->team;
    pthread_mutex_lock(&team->lock);
    for (bool waited = false; member->state != ENDED && (!waited || *polls_left > 0);) {
        const bool passed = wait_a_poll(team);
        *polls_left -= passed;
        waited = waited || passed;
    }
    const bool ended = member->state == ENDED;
    if (!ended)
        lose(member);
    pthread_mutex_unlock(&team->lock);
    if (!ended)
        return false;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += JOIN_S;
    if (pthread_timedjoin_np(member->thread, NULL, &until) != 0) {
        pthread_mutex_lock(&team->lock);
        lose(member);
        pthread_mutex_unlock(&team->lock);
        return false;
    }
    pthread_cond_destroy(&member->called);
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

int team_pause(struct team *team, uint64_t until_ns, struct error *error)
{
    while (!is_stopped(team)) {
        uint64_t now_ns = os_raw_ns();
        if (now_ns >= until_ns)
            return 0;
        uint64_t left_ns = until_ns - now_ns, poll_ns = POLL_MS * UINT64_C(1000000);
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
    int polls_left = team->patience_polls; /* for all: their CPUs are held at the same time */
    for (size_t i = 0; i < team->count; i++)
        ask_to_end(team->members[i]);
    for (size_t i = 0; i < team->count; i++) {
        struct member *member = team->members[i];
        if (!ask_to_end(member) || !see_end(member, &polls_left))
            team->members[lost++] = member;
    }
    team->count = lost;
    if (lost) /* they may still come back to the team */
        return;
    recall_end();
    pthread_cond_destroy(&team->returned);
    pthread_mutex_destroy(&team->lock);
    free(team->members);
    free(team);
}
