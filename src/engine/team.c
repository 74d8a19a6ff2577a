#include "engine/team.h"

#include "machine/os.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A signal that nobody else handles, and that does no harm when it comes too late. Compilers in
 * OpenCL drivers (LLVM) take SIGUSR2 for themselves, and after a SIGINT give it back as it was
 * before they came: deadly. */
enum { RECALL_SIGNAL = SIGURG, POLL_MS = 50, RECALL_PATIENCE_POLLS = 100 };

enum member_state { IDLE, BUSY, LOST };

struct member {
    int cpu;
    pthread_t thread;
    struct team *team;
    pthread_cond_t called;
    enum member_state state; /* guarded by the team's lock, like all that follows */
    bool pinned, quit, recalled;
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
    struct member **members;
    size_t count;
};

/* The handler has nothing but the thread to know its member by. */
static _Thread_local struct member *current;

static void handle_recall(int signal_number)
{
    (void)signal_number;
    struct member *member = current;
    if (member && member->recallable) {
        member->recallable = 0;
        siglongjmp(member->escape, 1);
    }
}

/* Runs the work so that a recall comes back here. Returns false when it did. */
static bool run_recallable(struct member *member)
{
    if (sigsetjmp(member->escape, 1))
        return false;
    member->recallable = 1;
    member->job.work(member->job.argument, member->rank);
    member->recallable = 0;
    return true;
}

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
    member->state = IDLE;
    pthread_cond_broadcast(&team->returned);
    for (;;) {
        while (!member->has_job && !member->quit)
            pthread_cond_wait(&member->called, &team->lock);
        if (member->quit || member->state == LOST) /* what the job was about is gone */
            break;
        pthread_mutex_unlock(&team->lock);
        bool finished = run_recallable(member);
        pthread_mutex_lock(&team->lock);
        member->recalled = !finished;
        member->has_job = false;
        member->state = IDLE;
        pthread_cond_broadcast(&team->returned);
    }
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
    struct sigaction action = {.sa_handler = handle_recall};
    sigemptyset(&action.sa_mask);
    sigaction(RECALL_SIGNAL, &action, NULL);
    *result = team;
    return 0;
}

/* Sleeps until a member reports or one poll has passed. */
static void wait_a_poll(struct team *team)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += POLL_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(&team->returned, &team->lock, &until);
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

/* The CPU's member, started if need be. The lock is held. */
static int get_member(struct team *team, int cpu, struct member **result, struct error *error)
{
    struct member *member = find_member(team, cpu);
    if (!member) {
        struct member **larger = realloc(team->members, (team->count + 1) * sizeof *team->members);
        if (larger)
            team->members = larger;
        member = larger ? calloc(1, sizeof *member) : NULL;
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
        team->members[team->count++] = member;
        while (member->state == BUSY)
            wait_a_poll(team);
    }
    if (member->state == LOST)
        return error_set(error, ERROR_SYSTEM, "CPU %d: its worker no longer answers", cpu);
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
    for (int poll = 0; busy_members(team); poll++) {
        if (poll == RECALL_PATIENCE_POLLS) {
            int cpu = -1;
            for (size_t i = 0; i < team->count; i++)
                if (team->members[i]->state == BUSY) {
                    team->members[i]->state = LOST;
                    cpu = team->members[i]->cpu;
                }
            return error_set(error, ERROR_SYSTEM,
                             "the worker on CPU %d gets no time to run: something of higher "
                             "priority holds that CPU; choose others with --cpus",
                             cpu);
        }
        for (size_t i = 0; i < team->count; i++)
            if (team->members[i]->state == BUSY)
                pthread_kill(team->members[i]->thread, RECALL_SIGNAL);
        wait_a_poll(team);
    }
    return 0;
}

static int wait_for_end(struct team *team, const struct team_job *job, struct error *error)
{
    while (busy_members(team)) {
        wait_a_poll(team);
        if (!busy_members(team))
            break;
        bool stop = team->stop && *team->stop;
        if (!stop && !(job->overdue && job->overdue(job->argument)))
            continue;
        int code = recall(team, error);
        if (code < 0)
            return code;
        return stop ? error_set(error, ERROR_INTERRUPTED, "interrupted") : TEAM_RECALLED;
    }
    if (team->stop && *team->stop)
        return error_set(error, ERROR_INTERRUPTED, "interrupted");
    return TEAM_DONE;
}

int team_run(struct team *team, const struct team_job *job, struct error *error)
{
    pthread_mutex_lock(&team->lock);
    int code = 0;
    struct member *member = NULL;
    for (size_t rank = 0; rank < job->count && code == 0; rank++)
        code = get_member(team, job->cpus[rank], &member, error);
    for (size_t rank = 0; rank < job->count && code == 0; rank++) {
        code = get_member(team, job->cpus[rank], &member, error);
        if (code == 0) {
            member->job = *job;
            member->has_job = true;
            member->rank = (unsigned)rank;
            member->state = BUSY;
            pthread_cond_signal(&member->called);
        }
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

/* Ends an idle member's thread. */
static void end_member(struct member *member)
{
    struct team *team = member->team;
    pthread_mutex_lock(&team->lock);
    member->quit = true;
    pthread_cond_signal(&member->called);
    pthread_mutex_unlock(&team->lock);
    pthread_join(member->thread, NULL);
    pthread_cond_destroy(&member->called);
    free(member);
}

void team_dismiss(struct team *team, int cpu)
{
    for (size_t i = 0; i < team->count; i++) {
        struct member *member = team->members[i];
        if (member->cpu != cpu || member->state == LOST)
            continue;
        team->members[i] = team->members[--team->count];
        end_member(member);
        return;
    }
}

int team_pause(struct team *team, uint64_t until_ns, struct error *error)
{
    while (!(team->stop && *team->stop)) {
        uint64_t now_ns = os_raw_ns();
        if (now_ns >= until_ns)
            return 0;
        uint64_t left_ns = until_ns - now_ns, poll_ns = POLL_MS * UINT64_C(1000000);
        struct timespec nap = {.tv_nsec = (long)(left_ns < poll_ns ? left_ns : poll_ns)};
        nanosleep(&nap, NULL);
    }
    return error_set(error, ERROR_INTERRUPTED, "interrupted");
}

void team_free(struct team *team)
{
    if (!team)
        return;
    bool lost = false;
    for (size_t i = 0; i < team->count; i++) {
        struct member *member = team->members[i];
        if (member->state == LOST) {
            lost = true;
            pthread_detach(member->thread);
            continue;
        }
        end_member(member);
    }
    if (lost) /* the lost thread may still come back to them */
        return;
    pthread_cond_destroy(&team->returned);
    pthread_mutex_destroy(&team->lock);
    free(team->members);
    free(team);
}
