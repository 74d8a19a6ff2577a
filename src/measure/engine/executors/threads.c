/* The executor of CPUs: one pinned thread per seat. Visits run side by side; the first seat's
 * thread leads its visit, and the calling thread, the coordinator, sleeps and watches over them. */
#include "document/flag.h"
#include "measure/engine/burst.h"
#include "measure/engine/engine.h"
#include "measure/engine/seats.h"

#include <math.h>
#include <stdlib.h>

struct touching {
    const struct plan *plan;
    struct arena *arena;
    size_t from;       /* bytes before it are touched already */
    size_t first_part; /* the first part that reaches beyond `from` */
    uint64_t give_up_ns;
};

/* Interference may spoil the first tries to find the cycles of a multiplication, so there is one
 * now and then later on. */
enum { TRIES_OFTEN = 8, TRIES_APART = 64 };

struct threads_state {
    uint64_t *before_ns, *after_ns; /* stolen time, by CPU id; NULL without a hypervisor */
    size_t cpu_ids;
    struct touching touching; /* here, because a lost worker may still read it */
};

static bool serves(const struct engine *engine, const struct plan *plan)
{
    return !engine->model && !plan->device;
}

static void close_threads(struct executor *executor)
{
    struct threads_state *state = executor->own;
    free(state->before_ns);
    free(state->after_ns);
}

static int open_threads(struct executor *executor, struct error *error)
{
    struct threads_state *state = executor->own = calloc(1, sizeof *state);
    if (!state)
        return error_out_of_memory(error);
    executor->flags = executor->engine->machine->emulated ? FLAG_BIT(FLAG_EMULATED) : 0;
    executor->shortest_batch_ns = clock_shortest_batch_ns(executor->engine->clock);
    const struct plan *plan = executor->plan;
    state->cpu_ids = 1;
    for (size_t i = 0; i < plan->point_count; i++)
        for (size_t seat = 0; seat < plan->points[i].seat_count; seat++)
            if (plan_seat(&plan->points[i], seat).cpu >= (int)state->cpu_ids)
                state->cpu_ids = (size_t)plan_seat(&plan->points[i], seat).cpu + 1;
    const bool stealable = executor->engine->machine->facts.hypervisor;
    if (stealable) {
        state->before_ns = calloc(state->cpu_ids, sizeof *state->before_ns);
        state->after_ns = calloc(state->cpu_ids, sizeof *state->after_ns);
    }
    if (!stealable || (state->before_ns && state->after_ns))
        return 0;
    return error_out_of_memory(error);
}

static uint64_t now_ns(const struct executor *executor)
{
    return os_raw_ns();
}

static int pause_until(struct executor *executor, uint64_t until_ns, struct error *error)
{
    return team_pause(executor->engine->team, until_ns, error);
}

/* --- memory --- */

static void touch_part(void *argument, unsigned rank)
{
    const struct touching *touching = argument;
    const struct plan *plan = touching->plan;
    const struct arena_part whole = {0, touching->arena->bytes, plan->touch_cpu};
    const struct arena_part part =
        plan->part_count ? plan->parts[touching->first_part + rank] : whole;
    const size_t at = part.at > touching->from ? part.at : touching->from;
    if (at < part.at + part.bytes)
        arena_touch_part(touching->arena, at, part.at + part.bytes - at);
}

static bool touched_too_long(void *argument)
{
    return os_raw_ns() > ((const struct touching *)argument)->give_up_ns;
}

static int map(struct executor *executor, struct arena *arena, size_t bytes, struct error *error)
{
    return arena_map(arena, bytes, executor->plan->pages, executor->plan->node, error);
}

static int touch(struct executor *executor, struct arena *arena, size_t from, uint64_t give_up_ns,
                 struct error *error)
{
    const struct plan *plan = executor->plan;
    int cpus[plan->part_count ? plan->part_count : 1];
    struct threads_state *state = executor->own;
    size_t first = 0, end = plan->part_count;
    while (first < end && plan->parts[first].at + plan->parts[first].bytes <= from)
        first++;
    while (end > first && plan->parts[end - 1].at >= arena->bytes)
        end--;
    for (size_t i = first; i < end; i++)
        cpus[i - first] = plan->parts[i].cpu;
    if (!plan->part_count)
        cpus[end++] = plan->touch_cpu;
    if (first == end)
        return 1;
    state->touching = (struct touching){plan, arena, from, first, give_up_ns};
    const struct team_job job = {cpus, end - first, touch_part, &state->touching, touched_too_long};
    const int code = team_run(executor->engine->team, &job, error);
    return code < 0 ? code : code == TEAM_DONE;
}

/* --- what visit_lead() calls, on the leader's thread --- */

static int reserve(struct visit *visit, size_t count, struct error *error)
{
    struct seats *seats = aligned_alloc(128, sizeof *seats);
    struct stamp *stamps = calloc(count * visit->plan->batches, sizeof *stamps);
    if (!seats || !stamps) {
        free(seats);
        free(stamps);
        return error_out_of_memory(error);
    }
    *seats = (struct seats){.stamps = stamps};
    visit->own = seats;
    return 0;
}

static void release(struct visit *visit)
{
    free(((struct seats *)visit->own)->stamps);
    free(visit->own);
}

static void prepare(struct visit *visit, struct trial *trial)
{
    seats_begin_prepare(visit->own);
    visit->work->prepare(trial);
}

static double read_hz(struct visit *visit)
{
    const struct clock *clock = visit->executor->engine->clock;
    const int cpu = plan_seat(visit->trials[0].point, 0).cpu; /* the leader's */
    struct burst_core *core = team_own_core();
    if (visit->plan->kernel_timed)
        return NAN;
    if (cpu < 0 || !core) /* a worker that is not pinned may continue on a core of another kind */
        return burst_hz(clock, 0);
    if (!core->multiplication && (core->tries++ < TRIES_OFTEN || core->tries % TRIES_APART == 0))
        core->multiplication = burst_measure_multiplication(clock);
    return burst_hz(clock, core->multiplication);
}

static double core_width(struct visit *visit, double hz)
{
    struct burst_core *core = team_own_core();
    const struct clock *clock = visit->executor->engine->clock;
    return core ? burst_width(core, burst_wide_ns(clock), hz, &visit->core_alone) : 0;
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
    const struct seats *seats = visit->own;
    if (rank > seats->first_rank) {
        seats_follow(visit, rank - seats->first_rank);
        return;
    }
    visit->end = visit_lead(visit) == 0 ? VISIT_DONE : VISIT_STARVED;
    seats_end(visit);
}

static bool overdue(void *argument)
{
    const struct job *job = argument;
    const uint64_t now = os_raw_ns();
    bool any = now > job->visits[0]->give_up_ns;
    for (size_t i = 0; i < job->count; i++) {
        struct seats *seats = job->visits[i]->own;
        uint64_t began = atomic_load_explicit(&seats->phase_began_ns, memory_order_acquire);
        uint64_t limit = atomic_load_explicit(&seats->phase_limit_ns, memory_order_relaxed);
        seats->overdue = began && now > began && now - began > limit;
        any = any || seats->overdue;
    }
    return any;
}

static void begin(struct visit *visit, unsigned first_rank)
{
    struct seats *seats = visit->own;
    const struct plan_point *point = visit->trials[0].point;
    const struct clock *clock = visit->executor->engine->clock;
    seats->first_rank = first_rank;
    seats->count = point->seat_count;
    seats->measured = 0;
    for (size_t i = 0; i < point->seat_count; i++)
        seats->measured += plan_seat(point, i).role == MEASURED;
    seats->overdue = false;
    atomic_store(&seats->over, false);
    atomic_store(&seats->stray, 0);
    atomic_store(&seats->phase_began_ns, 0);
    barrier_init(&seats->meeting, (unsigned)seats->count, clock);
    barrier_init(&seats->start_line, (unsigned)seats->measured, clock);
    visit->end = VISIT_RECALLED; /* until its leader says otherwise */
}

/* Dismisses the threads of a displaced visit: the next visit starts new ones, which are pinned or
 * report why they can't be. */
static void conclude(struct visit *visit, struct team *team)
{
    struct seats *seats = visit->own;
    const struct plan_point *point = visit->trials[0].point;
    int stray = atomic_load(&seats->stray);
    if (stray) {
        visit->end = VISIT_DISPLACED;
        error_set(&visit->failure, ERROR_IMPOSSIBLE,
                  "the worker of CPU %d ran on CPU %d: that CPU went offline or out of this "
                  "process's cpuset meanwhile",
                  plan_seat(point, (size_t)stray - 1).cpu, atomic_load(&seats->stray_cpu));
        for (size_t i = 0; i < seats->count; i++)
            team_dismiss(team, plan_seat(point, i).cpu);
    } else if (visit->end == VISIT_RECALLED) {
        visit->end = seats->overdue       ? VISIT_STARVED
                     : visit->batch_count ? VISIT_DONE
                                          : VISIT_RECALLED;
    }
}

static int run_on_team(struct team *team, struct visit *const *visits, size_t count,
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
            visit->end = VISIT_UNSEATED;
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
        if (visits[i]->end != VISIT_UNSEATED)
            conclude(visits[i], team);
    return code < 0 ? code : 0;
}

/* Time that a hypervisor took from the visit's CPUs while it ran. */
static uint64_t stolen_ns(const struct threads_state *state, const struct plan_point *point)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < point->seat_count && state->after_ns; i++) {
        const int cpu = plan_seat(point, i).cpu;
        /* A CPU that went offline meanwhile reads 0 afterwards. */
        if (cpu >= 0 && state->after_ns[cpu] > state->before_ns[cpu])
            sum += state->after_ns[cpu] - state->before_ns[cpu];
    }
    return sum;
}

static int run_visits(struct executor *executor, struct visit *const *visits, size_t count,
                      struct error *error)
{
    struct threads_state *state = executor->own;
    if (state->before_ns)
        os_stolen_ns(state->before_ns, state->cpu_ids);
    int code = run_on_team(executor->engine->team, visits, count, error);
    if (state->after_ns)
        os_stolen_ns(state->after_ns, state->cpu_ids);
    for (size_t i = 0; i < count; i++)
        visits[i]->stolen_ns = stolen_ns(state, visits[i]->trials[0].point);
    return code;
}

const struct executor_kind executor_threads = {
    .name = "threads",
    .place = 30,
    .serves = serves,
    .open = open_threads,
    .close = close_threads,
    .now_ns = now_ns,
    .pause = pause_until,
    .map = map,
    .touch = touch,
    .reserve = reserve,
    .release = release,
    .run = run_visits,
    .prepare = prepare,
    .burst_hz = read_hz,
    .core_width = core_width,
    .measure = seats_measure,
};
