#include "engine/leg.h"

const double leg_patience_ns = 250e6;
/* What a leg may take before the coordinator recalls it: no hand-off and no miss takes 2 us. */
static const double leg_limit_ns = 2e9, operation_limit_ns = 2e3;
static const double prepare_limit_ns = 120e9;

static void measure(struct visit *visit, unsigned rank, struct worker *worker)
{
    struct visit_shared *shared = visit->shared;
    const struct leg *leg = &shared->leg;
    struct stamp *stamps = shared->stamps + rank * visit->plan->batches;
    for (unsigned i = 0; i < leg->batches; i++) {
        if (shared->measured > 1 && !barrier_wait(&shared->start_line, leg_patience_ns))
            return;
        if (visit->plan->kernel_timed) {
            stamps[i] = (struct stamp){0, worker->run(worker->state, leg->repeats), 0};
            continue;
        }
        uint64_t start = clock_ticks(visit->clock);
        worker->run(worker->state, leg->repeats);
        stamps[i] = (struct stamp){start, clock_ticks(visit->clock), 0};
    }
}

static void work_in_background(struct visit *visit, unsigned rank, struct worker *worker)
{
    struct visit_shared *shared = visit->shared;
    struct stamp *stamp = shared->stamps + rank * visit->plan->batches;
    uint64_t start = clock_ticks(visit->clock), repeats = 0;
    for (; !atomic_load_explicit(&shared->leg_over, memory_order_relaxed); repeats++)
        worker->run(worker->state, 1);
    *stamp = (struct stamp){start, clock_ticks(visit->clock), repeats};
}

static bool has_partner(const struct plan_point *point)
{
    return point->seat_count > 1 && plan_seat(point, 1).role == PARTNER;
}

/* A pinned thread is elsewhere only when its CPU was taken away: offline, or out of the cpuset. The
 * kernel then moves the thread, and what it would measure is another CPU. */
static bool is_in_place(struct visit *visit, unsigned rank)
{
    int cpu = os_current_cpu();
    if (cpu < 0 || cpu == plan_seat(visit->trials[0].point, rank).cpu)
        return true;
    atomic_store_explicit(&visit->shared->stray_cpu, cpu, memory_order_relaxed);
    atomic_store_explicit(&visit->shared->stray, (int)rank + 1, memory_order_relaxed);
    return false;
}

static bool is_complete(const struct visit_shared *shared)
{
    return atomic_load_explicit(&shared->stray, memory_order_relaxed) == 0;
}

static void do_seat(struct visit *visit, unsigned rank)
{
    struct visit_shared *shared = visit->shared;
    const struct leg *leg = &shared->leg;
    struct trial *trial = &visit->trials[leg->trial];
    struct worker *worker = &trial->workers[rank];
    const enum role role = plan_seat(trial->point, rank).role;
    uint64_t warm = has_partner(trial->point) ? visit->plan->warm_repeats : 0;
    struct os_thread_events before, after;
    os_thread_events(&before);

    if (role == PARTNER) {
        worker->run(worker->state, warm + leg->batches * leg->repeats);
    } else if (role == BACKGROUND) {
        work_in_background(visit, rank, worker);
    } else {
        if (warm && rank == 0)
            worker->run(worker->state, warm);
        if (leg->first && trial->warm_repeats)
            worker->run(worker->state, trial->warm_repeats);
        measure(visit, rank, worker);
        if (shared->measured > 1)
            barrier_wait(&shared->start_line, leg_patience_ns);
        if (rank == 0)
            atomic_store_explicit(&shared->leg_over, true, memory_order_relaxed);
    }

    os_thread_events(&after);
    if (!is_in_place(visit, rank) || after.switches != before.switches ||
        after.page_faults != before.page_faults)
        atomic_fetch_add_explicit(&shared->events, 1, memory_order_relaxed);
}

/* Every seat looks where it is before the meeting, so after it they agree whether to go on. */
void leg_follow(struct visit *visit, unsigned rank)
{
    struct visit_shared *shared = visit->shared;
    is_in_place(visit, rank);
    /* Between legs the leader may be preparing; the coordinator watches over that. */
    while (barrier_wait(&shared->meeting, prepare_limit_ns) && !shared->over &&
           is_complete(shared)) {
        do_seat(visit, rank);
        if (!barrier_wait(&shared->meeting, leg_patience_ns))
            return;
    }
}

/* A background worker is called once, and goes on at that speed. */
static void model_background(const struct visit *visit, uint64_t leg_ps)
{
    const struct visit_shared *shared = visit->shared;
    const struct plan_point *point = visit->trials[shared->leg.trial].point;
    for (size_t i = 0; i < shared->seats; i++) {
        struct stamp *stamp = &shared->stamps[i * visit->plan->batches];
        if (plan_seat(point, i).role != BACKGROUND)
            continue;
        stamp->repeats = leg_ps / (stamp->end ? stamp->end : 1);
        stamp->end *= stamp->repeats;
    }
}

/* The leg as the stand-in has it: no thread waits for another, so each seat has its turn. */
static void model_leg(struct visit *visit)
{
    const struct visit_shared *shared = visit->shared;
    const struct timing_model *model = visit->model;
    const struct leg *leg = &shared->leg;
    const struct trial *trial = &visit->trials[leg->trial];
    const uint64_t warm = has_partner(trial->point) ? visit->plan->warm_repeats : 0;
    for (size_t i = 0; i < shared->seats; i++) {
        struct worker *worker = &trial->workers[i];
        const struct seat seat = plan_seat(trial->point, i);
        uint64_t repeats = seat.role == PARTNER ? warm + leg->batches * leg->repeats
                           : seat.role == BACKGROUND
                               ? 1
                               : (i == 0 ? warm : 0) + (leg->first ? trial->warm_repeats : 0);
        uint64_t took = 0;
        if (repeats)
            took = model->work(model->self, seat.cpu, worker->run, worker->state, repeats);
        if (seat.role == BACKGROUND)
            shared->stamps[i * visit->plan->batches] = (struct stamp){0, took, 1};
    }
    uint64_t leg_ps = 0;
    for (unsigned batch = 0; batch < leg->batches; batch++) {
        uint64_t longest = 0;
        for (size_t i = 0; i < shared->seats; i++) {
            struct worker *worker = &trial->workers[i];
            const struct seat seat = plan_seat(trial->point, i);
            if (seat.role != MEASURED)
                continue;
            uint64_t took =
                model->work(model->self, seat.cpu, worker->run, worker->state, leg->repeats);
            shared->stamps[i * visit->plan->batches + batch] = (struct stamp){0, took, 0};
            longest = took > longest ? took : longest;
        }
        leg_ps += longest;
    }
    model_background(visit, leg_ps);
    visit->modelled_ps += leg_ps;
}

void leg_begin_phase(struct visit_shared *shared, double limit_ns)
{
    atomic_store_explicit(&shared->phase_limit_ns, (uint64_t)limit_ns, memory_order_relaxed);
    atomic_store_explicit(&shared->phase_began_ns, os_raw_ns(), memory_order_release);
}

bool leg_lead(struct visit *visit, struct leg leg)
{
    struct visit_shared *shared = visit->shared;
    double operations = visit->trials[leg.trial].operations * (double)leg.repeats * leg.batches;
    shared->leg = leg;
    if (visit->model) {
        model_leg(visit);
        return true;
    }
    leg_begin_phase(shared, leg_limit_ns + operations * operation_limit_ns);
    atomic_store_explicit(&shared->leg_over, false, memory_order_relaxed);
    is_in_place(visit, 0);
    if (shared->seats > 1 && !barrier_wait(&shared->meeting, leg_patience_ns))
        return false;
    if (!is_complete(shared))
        return false;
    do_seat(visit, 0);
    if (shared->seats > 1 && !barrier_wait(&shared->meeting, leg_patience_ns))
        return false;
    /* Whoever did not start with the others has no time of this leg, but that of one before. */
    if (shared->measured > 1 &&
        atomic_load_explicit(&shared->start_line.broken, memory_order_relaxed))
        return false;
    return is_complete(shared);
}

double leg_batch_ns(const struct visit *visit, unsigned i)
{
    const struct visit_shared *shared = visit->shared;
    const struct plan_point *point = visit->trials[shared->leg.trial].point;
    uint64_t start = UINT64_MAX, end = 0;
    for (size_t seat = 0; seat < shared->seats; seat++) {
        if (plan_seat(point, seat).role != MEASURED)
            continue;
        const struct stamp *stamp = &shared->stamps[seat * visit->plan->batches + i];
        start = stamp->start < start ? stamp->start : start;
        end = stamp->end > end ? stamp->end : end;
    }
    bool picoseconds = visit->plan->kernel_timed || visit->model;
    return picoseconds ? (double)end * 1e-3 : clock_ns(visit->clock, end - start);
}

struct background leg_background(const struct visit *visit, size_t seat)
{
    const struct stamp *stamp = &visit->shared->stamps[seat * visit->plan->batches];
    double ns = visit->model ? (double)stamp->end * 1e-3
                             : clock_ns(visit->clock, stamp->end - stamp->start);
    return (struct background){stamp->repeats, ns};
}
