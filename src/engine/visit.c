#include "engine/visit.h"

#include "engine/device.h"
#include "engine/leg.h"
#include "engine/repeats.h"
#include "kernels/additions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 20 us at 3 GHz: long enough to read the clock's rate to 0.1 %, short beside a group. */
static const double burst_additions = 60000;
static const double group_ns = 200e3;
/* Two bursts further apart than this saw two different clocks. */
static const double burst_agreement = 0.01;
static const double prepare_limit_ns = 120e9;
enum { ATTEMPTS = 4 };

int visit_reserve(struct visit *visit, size_t seats, struct error *error)
{
    size_t batches = visit->plan->batches;
    visit->shared = aligned_alloc(128, sizeof *visit->shared);
    visit->batches = calloc(visit->plan->trials_per_visit * batches, sizeof *visit->batches);
    /* Twice: what was done in all, and in the group that is being measured. */
    const size_t backgrounds = visit->plan->trials_per_visit * seats;
    visit->background = calloc(2 * backgrounds, sizeof *visit->background);
    struct stamp *stamps = calloc(seats * batches, sizeof *stamps);
    if (!visit->shared || !visit->batches || !visit->background || !stamps) {
        free(stamps);
        free(visit->shared);
        visit->shared = NULL;
        visit_release(visit);
        return error_out_of_memory(error);
    }
    *visit->shared = (struct visit_shared){
        .stamps = stamps, .of_group = visit->background + backgrounds, .seats_max = seats};
    return 0;
}

void visit_release(struct visit *visit)
{
    if (visit->shared)
        free(visit->shared->stamps);
    free(visit->shared);
    free(visit->batches);
    free(visit->background);
    visit->shared = NULL;
    visit->batches = NULL;
    visit->background = NULL;
}

uint64_t visit_now_ns(const struct visit *visit)
{
    return visit->model ? visit->modelled_ps / 1000 : os_raw_ns();
}

static double core_hz_now(struct visit *visit)
{
    if (visit->plan->kernel_timed)
        return NAN;
    uint64_t repeats = (uint64_t)(burst_additions / addition_steps);
    if (visit->model) {
        const struct timing_model *model = visit->model;
        uint64_t additions = repeats * addition_steps;
        uint64_t took_ps =
            model->additions(model->self, plan_seat(visit->trials[0].point, 0).cpu, additions);
        visit->modelled_ps += took_ps;
        return (double)additions * 1e12 / (double)took_ps;
    }
    uint64_t start = clock_ticks(visit->clock);
    additions_run(NULL, repeats);
    uint64_t end = clock_ticks(visit->clock);
    return (double)(repeats * addition_steps) * 1e9 / clock_ns(visit->clock, end - start);
}

/* --- how many repeats fill a batch --- */

static double wanted_ns(const struct visit *visit)
{
    const double shortest_ns = visit->model ? 0 : clock_shortest_batch_ns(visit->clock);
    return fmax(visit->plan->batch_ns, shortest_ns);
}

static int run_once(void *self, uint64_t repeats, double *took_ns)
{
    struct visit *visit = self;
    if (!leg_lead(visit, (struct leg){0, 1, repeats, false}))
        return ERROR_SYSTEM; /* a worker did not come, which is all that there is to say */
    *took_ns = leg_batch_ns(visit, 0);
    return 0;
}

static bool find_repeats(struct visit *visit)
{
    const struct repeats_search search = {wanted_ns(visit), 2, run_once, visit};
    return repeats_find(&search, &visit->repeats) == 0;
}

/* Whether a batch shows that both runs were interrupted when its repeats were found. Shorter
 * batches would time the clock and the threads' start rather than the kernel. */
static bool is_too_short(const struct visit *visit, double took_ns)
{
    return !visit->plan->repeats && took_ns < wanted_ns(visit) / 4;
}

/* What the background did in a leg counts for the group; and for the trials once it is kept. */
static void note_background(const struct visit *visit, unsigned trial)
{
    const struct visit_shared *shared = visit->shared;
    const struct plan_point *point = visit->trials[trial].point;
    for (size_t i = 0; shared->background && i < shared->seats; i++) {
        if (plan_seat(point, i).role != BACKGROUND)
            continue;
        struct background did = leg_background(visit, i);
        struct background *sum = &shared->of_group[trial * shared->seats + i];
        sum->repeats += did.repeats;
        sum->ns += did.ns;
    }
}

static void settle_background(const struct visit *visit, bool kept)
{
    const struct visit_shared *shared = visit->shared;
    const size_t count = shared->background ? visit->trial_count * shared->seats : 0;
    for (size_t i = 0; i < count; i++) {
        visit->background[i].repeats += kept ? shared->of_group[i].repeats : 0;
        visit->background[i].ns += kept ? shared->of_group[i].ns : 0;
        shared->of_group[i] = (struct background){0, 0};
    }
}

/* Measures batches [first, first + count) of the visit, counted over all its trials. */
static bool lead_legs(struct visit *visit, unsigned first, unsigned count)
{
    const unsigned per_trial = visit->plan->batches;
    for (unsigned at = first; at < first + count;) {
        struct leg leg = {at / per_trial, per_trial - at % per_trial, visit->repeats,
                          at % per_trial == 0};
        if (leg.batches > first + count - at)
            leg.batches = first + count - at;
        if (!leg_lead(visit, leg))
            return false;
        for (unsigned i = 0; i < leg.batches; i++)
            visit->batches[at + i].ns = leg_batch_ns(visit, i);
        note_background(visit, leg.trial);
        at += leg.batches;
    }
    return true;
}

static bool lead_group(struct visit *visit, unsigned first, unsigned count)
{
    for (int attempt = 1;; attempt++) {
        bool last = attempt == ATTEMPTS || visit_now_ns(visit) > visit->deadline_ns;
        if (visit->repeats == 0 && !find_repeats(visit))
            return false;
        atomic_store_explicit(&visit->shared->events, 0, memory_order_relaxed);
        double before_hz = core_hz_now(visit);
        if (!lead_legs(visit, first, count))
            return false;
        double after_hz = core_hz_now(visit);
        bool interrupted = atomic_load_explicit(&visit->shared->events, memory_order_relaxed);
        bool moved = fabs(after_hz / before_hz - 1) > burst_agreement;
        /* All batches of a visit are of the same repeats: only its first can still change them. */
        const bool too_short =
            first == 0 && attempt < ATTEMPTS && is_too_short(visit, visit->batches[0].ns);
        const bool kept = !too_short && (last || (!interrupted && !moved));
        settle_background(visit, kept);
        if (!kept) {
            visit->repeats = too_short ? 0 : visit->repeats;
            visit->redone += count;
            continue;
        }
        visit->interrupted += interrupted ? count : 0;
        visit->clock_moved += moved ? count : 0;
        for (unsigned i = 0; i < count; i++)
            visit->batches[first + i].core_hz = (before_hz + after_hz) / 2;
        return true;
    }
}

static void prepare(struct visit *visit)
{
    const struct timing_model *model = visit->model;
    unsigned ready = 0;
    do {
        if (!model)
            leg_begin_phase(visit->shared, prepare_limit_ns);
        visit->work->prepare(&visit->trials[ready]);
        if (model && model->prepared)
            model->prepared(model->self, &visit->trials[ready]);
    } while (++ready < visit->trial_count && visit_now_ns(visit) <= visit->deadline_ns);
    visit->trial_count = ready;
}

static bool lead(struct visit *visit)
{
    prepare(visit);
    const unsigned total = visit->trial_count * visit->plan->batches;
    unsigned group = 1; /* the first one tells how long a batch takes */
    for (unsigned done = 0;
         total > done && (done == 0 || visit_now_ns(visit) <= visit->deadline_ns);) {
        if (group > total - done)
            group = total - done;
        if (!lead_group(visit, done, group))
            return false;
        done += group;
        atomic_signal_fence(memory_order_release); /* a recall may come any time */
        visit->batch_count = done;
        double took_ns = fmax(visit->batches[done - 1].ns, 1);
        if (!visit->plan->kernel_timed) /* whose batches need no bursts, nor to share them */
            group = took_ns * total < group_ns ? total : (unsigned)fmax(1, group_ns / took_ns);
    }
    return true;
}

/* --- the visits of a job --- */

struct job {
    struct visit *const *visits;
    size_t count;
    struct visit **of_rank; /* the ranks of a visit follow one another */
};

static void work(void *argument, unsigned rank)
{
    struct visit *visit = ((const struct job *)argument)->of_rank[rank];
    struct visit_shared *shared = visit->shared;
    if (rank > shared->first_rank) {
        leg_follow(visit, rank - shared->first_rank);
        return;
    }
    visit->end = lead(visit) ? VISIT_DONE : VISIT_STARVED;
    shared->over = true;
    if (shared->seats > 1)
        barrier_wait(&shared->meeting, leg_patience_ns);
}

static bool overdue(void *argument)
{
    const struct job *job = argument;
    const uint64_t now_ns = os_raw_ns();
    bool any = now_ns > job->visits[0]->give_up_ns;
    for (size_t i = 0; i < job->count; i++) {
        struct visit_shared *shared = job->visits[i]->shared;
        uint64_t began = atomic_load_explicit(&shared->phase_began_ns, memory_order_acquire);
        uint64_t limit = atomic_load_explicit(&shared->phase_limit_ns, memory_order_relaxed);
        shared->overdue = began && now_ns > began && now_ns - began > limit;
        any = any || shared->overdue;
    }
    return any;
}

static void begin(struct visit *visit, unsigned first_rank)
{
    struct visit_shared *shared = visit->shared;
    const struct plan_point *point = visit->trials[0].point;
    shared->first_rank = first_rank;
    shared->seats = point->seat_count;
    shared->measured = shared->background = 0;
    for (size_t i = 0; i < point->seat_count; i++) {
        const enum role role = plan_seat(point, i).role;
        shared->measured += role == MEASURED;
        shared->background += role == BACKGROUND;
    }
    /* Those of a visit before, or of one that was recalled. */
    if (shared->background)
        memset(visit->background, 0,
               2 * visit->plan->trials_per_visit * shared->seats_max * sizeof *visit->background);
    shared->over = shared->overdue = false;
    atomic_store(&shared->stray, 0);
    atomic_store(&shared->phase_began_ns, 0);
    barrier_init(&shared->meeting, (unsigned)shared->seats, visit->clock);
    barrier_init(&shared->start_line, (unsigned)shared->measured, visit->clock);
    visit->redone = visit->interrupted = visit->clock_moved = visit->batch_count = 0;
    visit->end = VISIT_RECALLED; /* until its leader says otherwise */
}

/* Whoever was displaced gets a new thread, which is pinned anew or tells why it can't be. */
static void conclude(struct visit *visit, struct team *team)
{
    struct visit_shared *shared = visit->shared;
    const struct plan_point *point = visit->trials[0].point;
    int stray = atomic_load(&shared->stray);
    if (stray) {
        visit->end = VISIT_DISPLACED;
        error_set(&visit->failure, ERROR_IMPOSSIBLE,
                  "the worker of CPU %d ran on CPU %d: that CPU went offline or out of this "
                  "process's cpuset meanwhile",
                  plan_seat(point, (size_t)stray - 1).cpu, atomic_load(&shared->stray_cpu));
        for (size_t i = 0; i < shared->seats; i++)
            team_dismiss(team, plan_seat(point, i).cpu);
    } else if (visit->end == VISIT_RECALLED) {
        visit->end = shared->overdue      ? VISIT_STARVED
                     : visit->batch_count ? VISIT_DONE
                                          : VISIT_RECALLED;
    }
}

static int run_on_team(struct visit *const *visits, size_t count, struct team *team,
                       struct error *error)
{
    size_t seats = 0, ranks = 0;
    for (size_t i = 0; i < count; i++)
        seats += visits[i]->trials[0].point->seat_count;
    int cpus[seats];
    struct visit *of_rank[seats];
    for (size_t i = 0; i < count; i++) {
        struct visit *visit = visits[i];
        const struct plan_point *point = visit->trials[0].point;
        begin(visit, (unsigned)ranks);
        for (size_t seat = 0; seat < point->seat_count; seat++) {
            cpus[ranks + seat] = plan_seat(point, seat).cpu;
            of_rank[ranks + seat] = visit;
        }
        int code = team_ready(team, &cpus[ranks], point->seat_count, &visit->failure);
        if (code == ERROR_IMPOSSIBLE)
            visit->end = VISIT_FAILED;
        else if (code < 0)
            return error_set(error, code, "%s", visit->failure.text);
        else
            ranks += point->seat_count;
    }
    struct job job = {visits, count, of_rank};
    int code = 0;
    if (ranks)
        code = team_run(team, &(struct team_job){cpus, ranks, work, &job, overdue}, error);
    for (size_t i = 0; i < count && code >= 0; i++)
        if (visits[i]->end != VISIT_FAILED)
            conclude(visits[i], team);
    return code < 0 ? code : 0;
}

/* In turn, but at the same time of the model's. */
static int run_on_model(struct visit *const *visits, size_t count, struct team *team,
                        struct error *error)
{
    const uint64_t began_ps = visits[0]->modelled_ps;
    uint64_t ended_ps = began_ps;
    for (size_t i = 0; i < count; i++) {
        begin(visits[i], 0);
        visits[i]->modelled_ps = began_ps;
        visits[i]->end = lead(visits[i]) ? VISIT_DONE : VISIT_STARVED;
        ended_ps = visits[i]->modelled_ps > ended_ps ? visits[i]->modelled_ps : ended_ps;
    }
    for (size_t i = 0; i < count; i++)
        visits[i]->modelled_ps = ended_ps;
    return team_pause(team, 0, error); /* which tells whether to stop */
}

/* One after another: a device does one thing at a time. */
static int run_on_device(struct visit *const *visits, size_t count, struct team *team,
                         struct error *error)
{
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++)
        code = device_visit(visits[i], team, error);
    return code;
}

int visit_run(struct visit *const *visits, size_t count, struct team *team, struct error *error)
{
    if (visits[0]->plan->device)
        return run_on_device(visits, count, team, error);
    return visits[0]->model ? run_on_model(visits, count, team, error)
                            : run_on_team(visits, count, team, error);
}
