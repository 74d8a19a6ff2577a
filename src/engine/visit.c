#include "engine/visit.h"

#include "engine/barrier.h"
#include "kernels/additions.h"

#include <math.h>
#include <stdlib.h>

/* 20 us at 3 GHz: long enough to read the clock's rate to 0.1 %, short beside a group. */
static const double burst_additions = 60000;
static const double group_ns = 200e3;
/* Two bursts further apart than this saw two different clocks. */
static const double burst_agreement = 0.01;
static const double patience_ns = 250e6;
/* What a leg may take before the coordinator recalls it: no hand-off and no miss takes 2 us. */
static const double leg_limit_ns = 2e9, operation_limit_ns = 2e3;
static const double prepare_limit_ns = 120e9;
enum { ATTEMPTS = 4 };

struct stamp {
    uint64_t start, end; /* ticks; of a kernel that times itself: 0 and picoseconds */
};

/* One leg: some batches of one trial in a row, with the same team throughout. */
struct leg {
    unsigned trial, batches;
    uint64_t repeats;
};

struct visit_shared {
    struct barrier meeting;       /* all seats */
    struct barrier start_line;    /* the measured ones */
    _Alignas(128) struct leg leg; /* written by the leader between two meetings */
    bool over;
    atomic_bool leg_over; /* tells the background workers */
    atomic_uint events;   /* interruptions of any seat during the group */
    _Alignas(128) atomic_uint_least64_t phase_began_ns; /* for the coordinator */
    atomic_uint_least64_t phase_limit_ns;
    size_t seats, measured;
    struct stamp *stamps; /* [seats][plan->batches] */
};

int visit_reserve(struct visit *visit, size_t seats, struct error *error)
{
    size_t batches = visit->plan->batches;
    visit->shared = aligned_alloc(128, sizeof *visit->shared);
    visit->batches = calloc(visit->plan->trials_per_visit * batches, sizeof *visit->batches);
    struct stamp *stamps = calloc(seats * batches, sizeof *stamps);
    if (!visit->shared || !visit->batches || !stamps) {
        free(stamps);
        free(visit->shared);
        visit->shared = NULL;
        visit_release(visit);
        return error_set(error, ERROR_SYSTEM, "out of memory");
    }
    *visit->shared = (struct visit_shared){.stamps = stamps};
    return 0;
}

void visit_release(struct visit *visit)
{
    if (visit->shared)
        free(visit->shared->stamps);
    free(visit->shared);
    free(visit->batches);
    visit->shared = NULL;
    visit->batches = NULL;
}

/* --- what every seat does --- */

static void measure(struct visit *visit, unsigned rank, struct worker *worker)
{
    struct visit_shared *shared = visit->shared;
    const struct leg *leg = &shared->leg;
    struct stamp *stamps = shared->stamps + rank * visit->plan->batches;
    for (unsigned i = 0; i < leg->batches; i++) {
        if (shared->measured > 1 && !barrier_wait(&shared->start_line, patience_ns))
            return;
        if (visit->plan->kernel_timed) {
            stamps[i] = (struct stamp){0, worker->run(worker->state, leg->repeats)};
            continue;
        }
        uint64_t start = clock_ticks(visit->clock);
        worker->run(worker->state, leg->repeats);
        stamps[i] = (struct stamp){start, clock_ticks(visit->clock)};
    }
}

static void work_in_background(struct visit_shared *shared, struct worker *worker)
{
    while (!atomic_load_explicit(&shared->leg_over, memory_order_relaxed))
        worker->run(worker->state, 1);
}

static bool has_partner(const struct plan_point *point)
{
    return point->seat_count > 1 && point->seats[1].role == PARTNER;
}

static void do_seat(struct visit *visit, unsigned rank)
{
    struct visit_shared *shared = visit->shared;
    const struct leg *leg = &shared->leg;
    struct trial *trial = &visit->trials[leg->trial];
    struct worker *worker = &trial->workers[rank];
    const struct seat *seat = &trial->point->seats[rank];
    uint64_t warm = has_partner(trial->point) ? visit->plan->warm_repeats : 0;
    struct os_thread_events before, after;
    os_thread_events(&before);

    if (seat->role == PARTNER) {
        worker->run(worker->state, warm + leg->batches * leg->repeats);
    } else if (seat->role == BACKGROUND) {
        work_in_background(shared, worker);
    } else {
        if (warm && rank == 0)
            worker->run(worker->state, warm);
        measure(visit, rank, worker);
        if (shared->measured > 1)
            barrier_wait(&shared->start_line, patience_ns);
        if (rank == 0)
            atomic_store_explicit(&shared->leg_over, true, memory_order_relaxed);
    }

    os_thread_events(&after);
    int cpu = os_current_cpu();
    if (after.involuntary_switches != before.involuntary_switches ||
        after.page_faults != before.page_faults || (cpu >= 0 && cpu != seat->cpu))
        atomic_fetch_add_explicit(&shared->events, 1, memory_order_relaxed);
}

static void follow(struct visit *visit, unsigned rank)
{
    struct barrier *meeting = &visit->shared->meeting;
    /* Between legs the leader may be preparing; the coordinator watches over that. */
    while (barrier_wait(meeting, prepare_limit_ns) && !visit->shared->over) {
        do_seat(visit, rank);
        if (!barrier_wait(meeting, patience_ns))
            return;
    }
}

/* --- what the leader does --- */

static void begin_phase(struct visit_shared *shared, double limit_ns)
{
    atomic_store_explicit(&shared->phase_limit_ns, (uint64_t)limit_ns, memory_order_relaxed);
    atomic_store_explicit(&shared->phase_began_ns, os_raw_ns(), memory_order_release);
}

static bool lead_leg(struct visit *visit, struct leg leg)
{
    struct visit_shared *shared = visit->shared;
    double operations = visit->trials[leg.trial].operations * (double)leg.repeats * leg.batches;
    begin_phase(shared, leg_limit_ns + operations * operation_limit_ns);
    shared->leg = leg;
    atomic_store_explicit(&shared->leg_over, false, memory_order_relaxed);
    if (shared->seats == 1) {
        do_seat(visit, 0);
        return true;
    }
    if (!barrier_wait(&shared->meeting, patience_ns))
        return false;
    do_seat(visit, 0);
    return barrier_wait(&shared->meeting, patience_ns);
}

/* The i-th batch of the leg that was just done: from the first start to the last end. */
static double batch_ns(const struct visit *visit, unsigned i)
{
    const struct visit_shared *shared = visit->shared;
    const struct seat *seats = visit->trials[shared->leg.trial].point->seats;
    uint64_t start = UINT64_MAX, end = 0;
    for (size_t seat = 0; seat < shared->seats; seat++) {
        if (seats[seat].role != MEASURED)
            continue;
        const struct stamp *stamp = &shared->stamps[seat * visit->plan->batches + i];
        start = stamp->start < start ? stamp->start : start;
        end = stamp->end > end ? stamp->end : end;
    }
    return visit->plan->kernel_timed ? (double)end * 1e-3 : clock_ns(visit->clock, end - start);
}

static double core_hz_now(const struct visit *visit)
{
    if (visit->plan->kernel_timed)
        return NAN;
    uint64_t repeats = (uint64_t)(burst_additions / addition_steps);
    uint64_t start = clock_ticks(visit->clock);
    additions_run(NULL, repeats);
    uint64_t end = clock_ticks(visit->clock);
    return (double)(repeats * addition_steps) * 1e9 / clock_ns(visit->clock, end - start);
}

/* How many repeats fill a batch: doubles them until a run is long enough to tell. */
static bool find_repeats(struct visit *visit)
{
    double wanted_ns = fmax(visit->plan->batch_ns, clock_shortest_batch_ns(visit->clock));
    uint64_t repeats = 1;
    for (;; repeats *= 2) {
        if (!lead_leg(visit, (struct leg){0, 1, repeats}))
            return false;
        double took_ns = batch_ns(visit, 0);
        if (took_ns >= wanted_ns / 8 || repeats >= UINT64_C(1) << 40) {
            visit->repeats = (uint64_t)ceil((double)repeats * wanted_ns / fmax(took_ns, 1));
            return true;
        }
    }
}

/* Measures batches [first, first + count) of the visit, counted over all its trials. */
static bool lead_legs(struct visit *visit, unsigned first, unsigned count)
{
    const unsigned per_trial = visit->plan->batches;
    for (unsigned at = first; at < first + count;) {
        struct leg leg = {at / per_trial, per_trial - at % per_trial, visit->repeats};
        if (leg.batches > first + count - at)
            leg.batches = first + count - at;
        if (!lead_leg(visit, leg))
            return false;
        for (unsigned i = 0; i < leg.batches; i++)
            visit->batches[at + i].ns = batch_ns(visit, i);
        at += leg.batches;
    }
    return true;
}

static bool lead_group(struct visit *visit, unsigned first, unsigned count)
{
    for (int attempt = 1;; attempt++) {
        bool last = attempt == ATTEMPTS || os_raw_ns() > visit->deadline_ns;
        atomic_store_explicit(&visit->shared->events, 0, memory_order_relaxed);
        double before_hz = core_hz_now(visit);
        if (!lead_legs(visit, first, count))
            return false;
        double after_hz = core_hz_now(visit);
        bool interrupted = atomic_load_explicit(&visit->shared->events, memory_order_relaxed);
        bool moved = fabs(after_hz / before_hz - 1) > burst_agreement;
        if ((interrupted || moved) && !last) {
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

static bool lead(struct visit *visit)
{
    begin_phase(visit->shared, prepare_limit_ns);
    for (unsigned i = 0; i < visit->trial_count; i++)
        visit->work->prepare(&visit->trials[i]);
    if (visit->repeats == 0 && !find_repeats(visit))
        return false;
    const unsigned total = visit->trial_count * visit->plan->batches;
    unsigned group = 1; /* the first one tells how long a batch takes */
    for (unsigned done = 0; done < total && (done == 0 || os_raw_ns() <= visit->deadline_ns);) {
        if (group > total - done)
            group = total - done;
        if (!lead_group(visit, done, group))
            return false;
        done += group;
        visit->batch_count = done;
        double took_ns = fmax(visit->batches[done - 1].ns, 1);
        if (!visit->plan->kernel_timed) /* whose batches need no bursts, nor to share them */
            group = took_ns * total < group_ns ? total : (unsigned)fmax(1, group_ns / took_ns);
    }
    return true;
}

static void visit_work(void *argument, unsigned rank)
{
    struct visit *visit = argument;
    if (rank > 0) {
        follow(visit, rank);
        return;
    }
    visit->end = lead(visit) ? VISIT_DONE : VISIT_STARVED;
    visit->shared->over = true;
    if (visit->shared->seats > 1)
        barrier_wait(&visit->shared->meeting, patience_ns);
}

static bool visit_overdue(void *argument)
{
    const struct visit_shared *shared = ((struct visit *)argument)->shared;
    uint64_t began = atomic_load_explicit(&shared->phase_began_ns, memory_order_acquire);
    uint64_t limit = atomic_load_explicit(&shared->phase_limit_ns, memory_order_relaxed);
    return began && os_raw_ns() - began > limit;
}

int visit_run(struct visit *visit, struct team *team, struct error *error)
{
    struct visit_shared *shared = visit->shared;
    const struct plan_point *point = visit->trials[0].point;
    shared->seats = point->seat_count;
    shared->measured = 0;
    int cpus[point->seat_count];
    for (size_t i = 0; i < point->seat_count; i++) {
        cpus[i] = point->seats[i].cpu;
        shared->measured += point->seats[i].role == MEASURED;
    }
    shared->over = false;
    atomic_store(&shared->phase_began_ns, 0);
    barrier_init(&shared->meeting, (unsigned)shared->seats, visit->clock);
    barrier_init(&shared->start_line, (unsigned)shared->measured, visit->clock);
    visit->redone = visit->interrupted = visit->clock_moved = visit->batch_count = 0;
    struct team_job job = {cpus, point->seat_count, visit_work, visit, visit_overdue};
    int code = team_run(team, &job, error);
    if (code == TEAM_RECALLED)
        visit->end = VISIT_STARVED;
    return code < 0 ? code : 0;
}
