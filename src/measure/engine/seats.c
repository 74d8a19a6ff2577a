#include "measure/engine/seats.h"

#include "measure/engine/engine.h"

#include <math.h>

/* How long one seat waits for another. */
static const double patience_ns = 250e6;
/* Time that a run of batches may take before the coordinator recalls it. No hand-off and no miss
 * takes 2 us. */
static const double run_limit_ns = 2e9, operation_limit_ns = 2e3;
static const double prepare_limit_ns = 120e9;

static const struct clock *clock_of(const struct visit *visit)
{
    return visit->executor->engine->clock;
}

static void note_event(struct seats *seats)
{
    atomic_fetch_add_explicit(&seats->events, 1, memory_order_relaxed);
}

/* `start`: the end of the batch before, where the next batch begins with it; 0: none. */
static struct stamp measure_batch(const struct visit *visit, struct worker *worker,
                                  uint64_t repeats, uint64_t start)
{
    const struct clock *clock = clock_of(visit);
    if (visit->plan->kernel_timed)
        return (struct stamp){.end = worker->run(worker->state, repeats)};
    start = start ? start : clock_ticks(clock);
    worker->run(worker->state, repeats);
    return (struct stamp){.start = start, .end = clock_ticks(clock)};
}

static void measure(struct visit *visit, unsigned rank, struct worker *worker)
{
    struct seats *seats = visit->own;
    const struct batch_run *run = &seats->run;
    const struct trial *trial = &visit->trials[run->trial];
    struct stamp *stamps = seats->stamps + rank * visit->plan->batches;
    for (unsigned i = 0; i < run->batches; i++) {
        struct os_thread_events before, after;
        if (trial->restore)
            trial->restore(worker->state, run->repeats);
        if (seats->measured > 1 && !barrier_wait(&seats->start_line, patience_ns))
            return;
        if (!trial->restore) {
            stamps[i] = measure_batch(visit, worker, run->repeats,
                                      trial->passes_on && i ? stamps[i - 1].end : 0);
            continue;
        }
        os_thread_events(&before);
        struct stamp stamp = measure_batch(visit, worker, run->repeats, 0);
        os_thread_events(&after);
        stamp.faults = after.page_faults - before.page_faults;
        stamps[i] = stamp;
        if (after.switches != before.switches || stamp.faults != trial->faults * run->repeats)
            note_event(seats);
    }
}

/* --- windows --- */

/* A worker reads the clock this often in a window, or up to twice as often. */
enum { LOOKS = 16 };
/* In place of the beginning of the first window: not all workers came. */
static const uint64_t never = UINT64_MAX;

/* A worker on its way through the windows. */
struct going {
    const struct clock *clock;
    struct worker *worker;
    uint64_t look;           /* ticks from one look at the clock to the next */
    uint64_t now, step;      /* the last look; repeats from there to the next */
    uint64_t repeats, looks; /* in this window */
};

/* Works on for about one look. The faster the worker, the more repeats, so that a fast and a slow
 * core look equally often. */
static void go_on(struct going *going)
{
    const uint64_t before = going->now;
    going->worker->run(going->worker->state, going->step);
    going->now = clock_ticks(going->clock);
    going->repeats += going->step;
    going->looks++;
    if (going->now - before < going->look / 2)
        going->step *= 2;
}

/* Works until the first window begins, and returns that time. The first seat says when, once all
 * workers are ready, or `never` where one does not come. */
static uint64_t lead_in(struct visit *visit, unsigned rank, struct going *going)
{
    struct seats *seats = visit->own;
    const bool builds = seats->run.first && visit->trials[seats->run.trial].settle;
    const uint64_t patience =
        going->now + clock_ticks_of_ns(going->clock, builds ? prepare_limit_ns : patience_ns);
    uint64_t begin;
    go_on(going);
    atomic_fetch_add_explicit(&seats->under_way, 1, memory_order_relaxed);
    while (!(begin = atomic_load_explicit(&seats->begin, memory_order_relaxed))) {
        go_on(going);
        const bool all =
            atomic_load_explicit(&seats->under_way, memory_order_relaxed) == seats->count;
        if (rank == 0 && (all || going->now > patience))
            atomic_store_explicit(&seats->begin, all ? going->now + going->look : never,
                                  memory_order_relaxed);
    }
    return begin;
}

/* The windows have common ends, but each worker's own begins and ends with the first look after
 * these. One that was held up for several windows has the same stamp in all of them. */
static void work_in_windows(struct visit *visit, unsigned rank, struct worker *worker)
{
    struct seats *seats = visit->own;
    const struct batch_run *run = &seats->run;
    const struct clock *clock = clock_of(visit);
    const uint64_t window = clock_ticks_of_ns(clock, run->window_ns);
    struct stamp *stamps = seats->stamps + rank * visit->plan->batches;
    struct going going = {clock, worker, window / LOOKS, clock_ticks(clock), 1, 0, 0};
    uint64_t due = lead_in(visit, rank, &going);
    if (due == never)
        return;
    while (going.now < due)
        go_on(&going);
    for (unsigned i = 0; i < run->batches;) {
        struct os_thread_events before, after;
        os_thread_events(&before);
        struct stamp stamp = {.start = clock_ticks(clock)};
        going.repeats = going.looks = 0;
        going.now = stamp.start;
        due += window;
        do
            go_on(&going);
        while (going.now < due);
        os_thread_events(&after);
        stamp.end = going.now;
        stamp.repeats = going.repeats;
        stamp.looks = going.looks;
        stamp.interrupted = after.switches != before.switches ||
                            after.page_faults != before.page_faults || stamp.start >= due;
        stamps[i++] = stamp;
        for (; i < run->batches && due + window <= stamp.end; due += window)
            stamps[i++] = stamp;
    }
    while (going.now < due + going.look) /* others have up to a look to go */
        go_on(&going);
}

/* A pinned thread runs on another CPU only when its own was taken away: it went offline, or out of
 * the cpuset. The kernel then moves the thread, which would measure another CPU. */
static bool is_in_place(struct visit *visit, unsigned rank)
{
    struct seats *seats = visit->own;
    int cpu = os_current_cpu();
    if (cpu < 0 || cpu == plan_seat(visit->trials[0].point, rank).cpu)
        return true;
    atomic_store_explicit(&seats->stray_cpu, cpu, memory_order_relaxed);
    atomic_store_explicit(&seats->stray, (int)rank + 1, memory_order_relaxed);
    return false;
}

static bool is_complete(const struct seats *seats)
{
    return atomic_load_explicit(&seats->stray, memory_order_relaxed) == 0;
}

/* False where not all workers came to settle. */
static bool get_ready(struct visit *visit, unsigned rank, const struct trial *trial)
{
    struct seats *seats = visit->own;
    if (trial->build)
        trial->build(trial, rank);
    if (!trial->settle)
        return true;
    if (plan_seat(trial->point, rank).role == MEASURED && seats->measured > 1 &&
        !barrier_wait(&seats->start_line, prepare_limit_ns))
        return false;
    trial->settle(trial, rank);
    return true;
}

static void do_seat(struct visit *visit, unsigned rank)
{
    struct seats *seats = visit->own;
    const struct batch_run *run = &seats->run;
    struct trial *trial = &visit->trials[run->trial];
    struct worker *worker = &trial->workers[rank];
    const enum role role = plan_seat(trial->point, rank).role;
    uint64_t warm = plan_has_partner(trial->point) ? visit->plan->warm_repeats : 0;
    struct os_thread_events before, after;

    if (run->first && (role == MEASURED || run->window_ns > 0) && !get_ready(visit, rank, trial))
        return;
    os_thread_events(&before);
    if (role == MEASURED && run->first && trial->warm_repeats)
        worker->run(worker->state, trial->warm_repeats);
    if (run->window_ns > 0) {
        work_in_windows(visit, rank, worker);
    } else if (role == PARTNER) {
        worker->run(worker->state, warm + run->batches * run->repeats);
    } else if (role == BACKGROUND) {
        while (!atomic_load_explicit(&seats->run_over, memory_order_relaxed))
            worker->run(worker->state, 1);
    } else {
        if (warm && rank == 0)
            worker->run(worker->state, warm);
        measure(visit, rank, worker);
        if (seats->measured > 1)
            barrier_wait(&seats->start_line, patience_ns);
        if (rank == 0)
            atomic_store_explicit(&seats->run_over, true, memory_order_relaxed);
    }

    os_thread_events(&after);
    /* Switches and faults of restore() are no interruption: with it, each batch has counted its
     * own, as each window has. */
    const bool counted = (role == MEASURED && trial->restore) || run->window_ns > 0;
    if (!is_in_place(visit, rank) || (!counted && (after.switches != before.switches ||
                                                   after.page_faults != before.page_faults)))
        note_event(seats);
}

/* Every seat checks its CPU before the meeting, so that all seats agree after it whether to go
 * on. */
void seats_follow(struct visit *visit, unsigned rank)
{
    struct seats *seats = visit->own;
    is_in_place(visit, rank);
    /* Between runs the leader may prepare a trial, for which the coordinator has a limit. */
    while (barrier_wait(&seats->meeting, prepare_limit_ns) &&
           !atomic_load_explicit(&seats->over, memory_order_relaxed) && is_complete(seats)) {
        do_seat(visit, rank);
        if (!barrier_wait(&seats->meeting, patience_ns))
            return;
    }
}

/* Tells the coordinator that the phase that begins now takes `limit_ns` at most. */
static void begin_phase(struct seats *seats, double limit_ns)
{
    atomic_store_explicit(&seats->phase_limit_ns, (uint64_t)limit_ns, memory_order_relaxed);
    atomic_store_explicit(&seats->phase_began_ns, os_raw_ns(), memory_order_release);
}

void seats_begin_prepare(struct seats *seats)
{
    begin_phase(seats, prepare_limit_ns);
}

/* Leads a run of batches, from the meeting before it to the one after. */
static bool lead(struct visit *visit, const struct batch_run *run)
{
    struct seats *seats = visit->own;
    const struct trial *trial = &visit->trials[run->trial];
    const double operations = trial->operations * (double)run->repeats * run->batches;
    seats->run = *run;
    begin_phase(seats, run_limit_ns + operations * operation_limit_ns +
                           run->batches * run->window_ns +
                           (run->first && trial->settle ? prepare_limit_ns : 0));
    atomic_store_explicit(&seats->run_over, false, memory_order_relaxed);
    atomic_store_explicit(&seats->under_way, 0, memory_order_relaxed);
    atomic_store_explicit(&seats->begin, 0, memory_order_relaxed);
    atomic_store_explicit(&seats->events, 0, memory_order_relaxed);
    is_in_place(visit, 0);
    if (seats->count > 1 && !barrier_wait(&seats->meeting, patience_ns))
        return false;
    if (!is_complete(seats))
        return false;
    do_seat(visit, 0);
    if (seats->count > 1 && !barrier_wait(&seats->meeting, patience_ns))
        return false;
    /* A seat that did not start with the others has only stamps of an earlier run. */
    if (atomic_load_explicit(&seats->start_line.broken, memory_order_relaxed) ||
        atomic_load_explicit(&seats->begin, memory_order_relaxed) == never)
        return false;
    return is_complete(seats);
}

/* A batch that ends as a turn is passed on contains no reading of the clock. */
static double between_ns(const struct visit *visit, uint64_t start, uint64_t end)
{
    const struct seats *seats = visit->own;
    return visit->trials[seats->run.trial].passes_on
               ? clock_ns(clock_of(visit), end - start)
               : clock_between_ns(clock_of(visit), start, end);
}

/* From the first seat's start to the last one's end. */
static double batch_ns(const struct visit *visit, unsigned batch)
{
    const struct seats *seats = visit->own;
    const struct plan_point *point = visit->trials[seats->run.trial].point;
    uint64_t start = UINT64_MAX, end = 0;
    for (size_t seat = 0; seat < seats->count; seat++) {
        if (plan_seat(point, seat).role != MEASURED)
            continue;
        const struct stamp *stamp = &seats->stamps[seat * visit->plan->batches + batch];
        start = stamp->start < start ? stamp->start : start;
        end = stamp->end > end ? stamp->end : end;
    }
    return visit->plan->kernel_timed ? (double)end * 1e-3 : between_ns(visit, start, end);
}

/* The longest time that one seat took from its own start to its own end. */
static double worked_ns(const struct visit *visit, unsigned batch)
{
    const struct seats *seats = visit->own;
    const struct plan_point *point = visit->trials[seats->run.trial].point;
    double most = 0;
    for (size_t seat = 0; seat < seats->count; seat++) {
        const struct stamp *stamp = &seats->stamps[seat * visit->plan->batches + batch];
        if (plan_seat(point, seat).role == MEASURED)
            most = fmax(most, clock_between_ns(clock_of(visit), stamp->start, stamp->end));
    }
    return visit->plan->kernel_timed ? 0 : most;
}

static void read_window(const struct visit *visit, unsigned window, struct batch *batch,
                        struct seat_share *shares)
{
    const struct seats *seats = visit->own;
    const struct plan_point *point = visit->trials[seats->run.trial].point;
    batch->interrupted = false;
    for (size_t i = 0; i < seats->count; i++) {
        const struct stamp *stamp = &seats->stamps[i * visit->plan->batches + window];
        const struct clock *clock = clock_of(visit);
        const double readings_ns = (double)stamp->looks * clock->cost_ns,
                     ns = clock_ns(clock, stamp->end - stamp->start);
        shares[i] = (struct seat_share){stamp->repeats, ns > readings_ns ? ns - readings_ns : ns};
        batch->interrupted |= stamp->interrupted;
    }
    batch->ns = visit_window_ns(point, shares);
}

int seats_measure(struct visit *visit, const struct batch_run *run, struct batch *batches,
                  struct seat_share *shares)
{
    struct seats *seats = visit->own;
    if (!lead(visit, run))
        return ERROR_IMPOSSIBLE;
    for (unsigned i = 0; i < run->batches && run->window_ns > 0; i++)
        read_window(visit, i, &batches[i], shares + i * seats->count);
    for (unsigned i = 0; i < run->batches && !(run->window_ns > 0); i++) {
        batches[i].ns = batch_ns(visit, i);
        batches[i].worked_ns = worked_ns(visit, i);
        uint64_t sum = 0;
        for (size_t seat = 0; seat < seats->count; seat++)
            if (plan_seat(visit->trials[seats->run.trial].point, seat).role == MEASURED)
                sum += seats->stamps[seat * visit->plan->batches + i].faults;
        batches[i].faults = sum;
    }
    return atomic_load_explicit(&seats->events, memory_order_relaxed) > 0;
}

void seats_end(struct visit *visit)
{
    struct seats *seats = visit->own;
    atomic_store_explicit(&seats->over, true, memory_order_relaxed);
    if (seats->count > 1)
        barrier_wait(&seats->meeting, patience_ns);
}
