#include "measure/engine/visit.h"

#include "measure/engine/repeats.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const double bracket_ns = 200e3;
/* The clock moved where two bursts differ by more than this share. */
static const double burst_agreement = 0.01;
enum { ATTEMPTS = 4 };

int visit_reserve(struct visit *visit, size_t seats, struct error *error)
{
    const struct plan *plan = visit->plan;
    const struct executor_kind *kind = visit->executor->kind;
    const size_t batches = (size_t)plan_visit_trials(plan) * plan->batches;
    visit->batches = calloc(batches, sizeof *visit->batches);
    visit->shares = plan->windows ? calloc(batches * seats, sizeof *visit->shares) : NULL;
    if (!visit->batches || (plan->windows && !visit->shares))
        return error_out_of_memory(error);
    return kind->reserve ? kind->reserve(visit, seats, error) : 0;
}

void visit_release(struct visit *visit)
{
    if (visit->own)
        visit->executor->kind->release(visit);
    free(visit->batches);
    free(visit->shares);
    visit->batches = NULL;
    visit->shares = NULL;
    visit->own = NULL;
}

struct seat_share *visit_shares(const struct visit *visit, unsigned batch)
{
    return visit->shares + batch * visit->trials[0].point->seat_count;
}

int visit_run(struct visit *const *visits, size_t count, struct error *error)
{
    struct executor *executor = visits[0]->executor;
    for (size_t i = 0; i < count; i++) {
        struct visit *visit = visits[i];
        visit->redone = visit->interrupted = visit->clock_moved = visit->batch_count = 0;
        visit->stolen_ns = 0;
    }
    return executor->kind->run(executor, visits, count, error);
}

/* --- how many repeats fill a batch --- */

static double wanted_ns(const struct visit *visit)
{
    return fmax(visit->plan->batch_ns, visit->executor->shortest_batch_ns);
}

/* Where threads start together on busy CPUs, one may wait for milliseconds before it begins. A
 * batch's `ns` includes that wait, which says nothing about how many repeats fill a batch. */
static double worked_ns(const struct batch *batch)
{
    return batch->worked_ns > 0 ? batch->worked_ns : batch->ns;
}

static int try_repeats(void *self, uint64_t repeats, double *took_ns)
{
    struct visit *visit = self;
    const struct batch_run run = {0, 1, repeats, false, 0};
    struct batch batch = {.ns = NAN, .core_hz = NAN};
    int code = visit->executor->kind->measure(visit, &run, &batch, NULL);
    *took_ns = worked_ns(&batch);
    return code;
}

/* A batch of a quarter of a round or more goes round as a whole, or the undisturbed batches of a
 * trial would be those of the part that a cache keeps. */
static int find_repeats(struct visit *visit)
{
    const struct repeats_search search = {wanted_ns(visit), try_repeats, visit};
    const int code = repeats_find(&search, &visit->repeats);
    const uint64_t round = visit->trials[0].round, rounds = round ? visit->repeats / round : 0;
    if (code == 0 && round && visit->repeats >= round / 4)
        visit->repeats = (rounds ? rounds : 1) * round;
    return code;
}

/* --- brackets --- */

static bool is_past_deadline(const struct visit *visit)
{
    return executor_now_ns(visit->executor) > visit->deadline_ns;
}

static double burst_hz(struct visit *visit)
{
    const struct executor_kind *kind = visit->executor->kind;
    return kind->burst_hz ? kind->burst_hz(visit) : NAN;
}

/* Threads of other seats may be on the same core on purpose. */
static double core_width(struct visit *visit, double hz)
{
    const struct executor_kind *kind = visit->executor->kind;
    const struct plan_point *point = visit->trials[0].point;
    const bool seen =
        kind->core_width && point->seat_count == 1 && plan_seat(point, 0).cpu >= 0 && hz > 0;
    return seen ? kind->core_width(visit, hz) : 0;
}

/* Measures batches [first, first + count) of the visit, counted over all its trials. 1 where they
 * were interrupted. */
static int measure_batches(struct visit *visit, unsigned first, unsigned count)
{
    const unsigned per_trial = visit->plan->batches;
    int interrupted = 0;
    for (unsigned at = first; at < first + count;) {
        struct batch_run run = {at / per_trial, per_trial - at % per_trial, visit->repeats,
                                at % per_trial == 0, 0};
        if (run.batches > first + count - at)
            run.batches = first + count - at;
        int code = visit->executor->kind->measure(visit, &run, visit->batches + at, NULL);
        if (code < 0)
            return code;
        interrupted |= code;
        at += run.batches;
    }
    return interrupted;
}

/* An interrupted burst shows too low a clock, never too high a one. */
static double clock_of(double before_hz, double after_hz, bool moved)
{
    return moved ? fmax(before_hz, after_hz) : (before_hz + after_hz) / 2;
}

static void drop(struct batch *batches, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        batches[i].ns = NAN;
}

static int measure_bracket(struct visit *visit, unsigned first, unsigned count)
{
    for (int attempt = 1;; attempt++) {
        const bool last = attempt == ATTEMPTS || is_past_deadline(visit);
        int code = visit->repeats ? 0 : find_repeats(visit);
        if (code < 0)
            return code;
        const double before_hz = burst_hz(visit);
        const double width_before = core_width(visit, before_hz);
        const int measured = measure_batches(visit, first, count);
        if (measured < 0)
            return measured;
        const bool interrupted = measured > 0 && !(visit->plan->meant & MEANT_SWITCHES);
        const double after_hz = burst_hz(visit);
        const bool moved = fabs(after_hz / before_hz - 1) > burst_agreement;
        /* A batch may be so short that both tries were interrupted when its repeats were found: it
         * would time the clock and the threads' start rather than the kernel. All batches of a
         * visit have the same repeats: only its first batch can still change them. */
        const bool too_short = first == 0 && attempt < ATTEMPTS && !visit->plan->repeats &&
                               worked_ns(&visit->batches[0]) < wanted_ns(visit) / 4;
        const bool kept = !too_short && (last || (!interrupted && !moved));
        if (!kept) {
            visit->repeats = too_short ? 0 : visit->repeats;
            visit->redone += count;
            continue;
        }
        visit->clock_moved += moved ? count : 0;
        if (interrupted && visit->plan->whole)
            drop(visit->batches + first, count);
        else
            visit->interrupted += interrupted ? count : 0;
        const double width = fmax(core_width(visit, after_hz), width_before);
        for (unsigned i = 0; visit->executor->kind->burst_hz && i < count; i++) {
            visit->batches[first + i].core_hz = clock_of(before_hz, after_hz, moved);
            visit->batches[first + i].core_width = width;
        }
        return 0;
    }
}

/* Batches of the next bracket, by the time of the `last` batch. */
static unsigned batches_a_bracket(const struct visit *visit, const struct batch *last,
                                  unsigned total)
{
    const double took_ns = fmax(last->ns, 1);
    if (!visit->executor->kind->burst_hz || isnan(last->core_hz))
        return 1;
    return took_ns * total < bracket_ns ? total : (unsigned)fmax(1, bracket_ns / took_ns);
}

static void prepare(struct visit *visit)
{
    unsigned ready = 0;
    do
        visit->executor->kind->prepare(visit, &visit->trials[ready]);
    while (++ready < visit->trial_count && !is_past_deadline(visit));
    visit->trial_count = ready;
}

/* Trials of a sweep between two bursts: some 200 us. */
enum { SWEEP_BRACKET = 12 };

/* Measures trials [first, end); each is made ready right before it is measured. */
static int sweep_bracket(struct visit *visit, unsigned first, unsigned end)
{
    const unsigned each = visit->plan->batches;
    const double before_hz = burst_hz(visit);
    for (unsigned i = first; i < end; i++) {
        visit->executor->kind->prepare(visit, &visit->trials[i]);
        const struct batch_run run = {i, each, visit->repeats, true, 0};
        const int code =
            visit->executor->kind->measure(visit, &run, visit->batches + i * each, NULL);
        if (code < 0)
            return code;
        if (code > 0 && !(visit->plan->meant & MEANT_SWITCHES))
            drop(visit->batches + i * each, each);
    }
    const double after_hz = burst_hz(visit);
    for (unsigned i = first * each; i < end * each; i++)
        visit->batches[i].core_hz = (before_hz + after_hz) / 2;
    if (fabs(after_hz / before_hz - 1) > burst_agreement)
        drop(visit->batches + first * each, (end - first) * each);
    return 0;
}

/* The first burst after a sleep reads up to 6 % low, which says nothing about the trials' clock. */
static int lead_sweep(struct visit *visit)
{
    burst_hz(visit);
    for (unsigned done = 0; done < visit->trial_count && !is_past_deadline(visit);) {
        const unsigned left = visit->trial_count - done,
                       end = done + (left < SWEEP_BRACKET ? left : SWEEP_BRACKET);
        const int code = sweep_bracket(visit, done, end);
        if (code < 0)
            return code;
        done = end;
        atomic_signal_fence(memory_order_release); /* as below */
        visit->batch_count = done * visit->plan->batches;
    }
    return 0;
}

/* --- windows --- */

double visit_window_ns(const struct plan_point *point, const struct seat_share *shares)
{
    double rate = 0, measured = 0;
    for (size_t i = 0; i < point->seat_count; i++) {
        if (plan_seat(point, i).role != MEASURED)
            continue;
        rate += shares[i].ns > 0 ? (double)shares[i].repeats / shares[i].ns : 0;
        measured++;
    }
    return measured / rate;
}

/* The first window's beginning reaches the workers one after another, some 0.1 us each. That must
 * not be more than a hundredth of a window. */
static const double window_each_ns = 10e3;

/* Moves the windows of a run that are kept to its front and returns their number. */
static unsigned keep_windows(struct visit *visit, const struct batch_run *run, unsigned first,
                             bool moved, bool last)
{
    const size_t seats = visit->trials[run->trial].point->seat_count;
    const bool may_stop = visit->plan->meant & MEANT_SWITCHES;
    unsigned kept = first;
    for (unsigned i = first; i < first + run->batches; i++) {
        const bool interrupted = visit->batches[i].interrupted && !may_stop;
        if (!last && (interrupted || moved))
            continue;
        visit->interrupted += interrupted;
        visit->clock_moved += moved;
        visit->batches[kept] = visit->batches[i];
        memmove(visit_shares(visit, kept), visit_shares(visit, i), seats * sizeof *visit->shares);
        kept++;
    }
    visit->redone += first + run->batches - kept;
    return kept - first;
}

static int measure_windows(struct visit *visit, unsigned trial)
{
    const unsigned end = (trial + 1) * visit->plan->batches;
    const double seats = (double)visit->trials[trial].point->seat_count;
    unsigned at = trial * visit->plan->batches;
    for (int attempt = 1; at < end; attempt++) {
        const struct batch_run run = {trial, end - at, 1, attempt == 1,
                                      fmax(wanted_ns(visit), window_each_ns * seats)};
        const double before_hz = burst_hz(visit);
        const int code = visit->executor->kind->measure(visit, &run, visit->batches + at,
                                                        visit_shares(visit, at));
        const double after_hz = burst_hz(visit);
        const bool moved = fabs(after_hz / before_hz - 1) > burst_agreement;
        if (code < 0)
            return code;
        for (unsigned i = 0; i < run.batches; i++)
            visit->batches[at + i].core_hz = clock_of(before_hz, after_hz, moved);
        at += keep_windows(visit, &run, at, moved, attempt == ATTEMPTS || is_past_deadline(visit));
    }
    return 0;
}

int visit_lead(struct visit *visit)
{
    if (visit->plan->sweep)
        return lead_sweep(visit);
    prepare(visit);
    if (visit->plan->windows) {
        visit->repeats = 1;
        for (unsigned i = 0; i < visit->trial_count && (i == 0 || !is_past_deadline(visit)); i++) {
            const int code = measure_windows(visit, i);
            if (code < 0)
                return code;
            atomic_signal_fence(memory_order_release); /* as below */
            visit->batch_count = (i + 1) * visit->plan->batches;
        }
        return 0;
    }
    const unsigned total = visit->trial_count * visit->plan->batches;
    unsigned bracket = 1; /* the first one shows how long a batch takes */
    for (unsigned done = 0; done < total && (done == 0 || !is_past_deadline(visit));) {
        if (bracket > total - done)
            bracket = total - done;
        int code = measure_bracket(visit, done, bracket);
        if (code < 0)
            return code;
        done += bracket;
        atomic_signal_fence(memory_order_release); /* a recall may come at any time: the batches
                                                      must be written before their count */
        visit->batch_count = done;
        bracket = batches_a_bracket(visit, &visit->batches[done - 1], total);
    }
    return 0;
}
