/*
 * What the system's pages cost: the first touch of memory by page size, what part of it is zeroing,
 * faults that only translate, all pages at once by MAP_POPULATE, copy-on-write after a fork, and
 * giving pages back, alone and while other threads of the process run on other CPUs.
 *
 * A batch goes once through a region of memory; before each, and not timed, the region is brought
 * back to where it was (trial->restore). The proof is the kernel's own count: a batch must take
 * exactly as many page faults as it means to, or it is measured again, and what differs to the last
 * is flagged.
 */
#include "measure/probes/fault/fault.h"

#include "base/units.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/working_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Enough pages that a batch lasts some 100 us, and few enough that it is rarely interrupted. */
enum { SMALL_PAGES = 512, HUGE_PAGES = 8, CALL_PAGES = 16, SHOOTDOWN_CALLS = 16 };
/* A region of one page of 1 GiB takes some tenths of a second. Threads have to meet before and
 * after each batch, so on a busy machine fewer batches are more trials. */
enum { BATCHES_1G = 1, BATCHES_THREADS = 2, STAGES_MOST = 6 };
/* The system's paths differ by that much from one time to the next. */
static const double precision = 0.05, unstable_above = 0.3;
static const double brief_weight_s = 1;

const char *const fault_series_names[FAULT_WHATS] = {
    [FAULT_TOUCH] = "first touch",
    [FAULT_RESERVED] = "first touch, reserved pages",
    [FAULT_ZERO] = "zeroing",
    [FAULT_MINOR] = "minor fault",
    [FAULT_LOOK] = "first load",
    [FAULT_POPULATE] = "populate",
    [FAULT_COPY] = "copy-on-write",
    [FAULT_UNMAP] = "unmap",
    [FAULT_DISCARD] = "discard",
    [FAULT_UNMAP_HUGE] = "unmap, huge pages",
    [FAULT_SHOOTDOWN] = "unmap by threads",
};

static const struct {
    enum pages_action action;
    enum pages_restore restore;
    enum { NO_FAULT, A_FAULT_EACH } faults;
    struct axis x;
} whats[FAULT_WHATS] = {
    [FAULT_TOUCH] = {PAGES_TOUCH, PAGES_FRESH, A_FAULT_EACH, {"page", "B"}},
    [FAULT_RESERVED] = {PAGES_TOUCH, PAGES_FRESH, A_FAULT_EACH, {"page", "B"}},
    [FAULT_ZERO] = {PAGES_CLEAR, PAGES_KEPT, NO_FAULT, {"page", "B"}},
    [FAULT_MINOR] = {PAGES_TOUCH, PAGES_DROPPED, A_FAULT_EACH, {"page", "B"}},
    [FAULT_LOOK] = {PAGES_LOOK, PAGES_FRESH, A_FAULT_EACH, {"page", "B"}},
    [FAULT_POPULATE] = {PAGES_POPULATE, PAGES_FRESH, A_FAULT_EACH, {"page", "B"}},
    [FAULT_COPY] = {PAGES_TOUCH, PAGES_TWINNED, A_FAULT_EACH, {"page", "B"}},
    [FAULT_UNMAP] = {PAGES_UNMAP, PAGES_FILLED, NO_FAULT, {"call", "B"}},
    [FAULT_DISCARD] = {PAGES_DISCARD, PAGES_FILLED, NO_FAULT, {"call", "B"}},
    [FAULT_UNMAP_HUGE] = {PAGES_UNMAP, PAGES_FILLED, NO_FAULT, {"call", "B"}},
    [FAULT_SHOOTDOWN] = {PAGES_UNMAP, PAGES_FILLED, NO_FAULT, {"threads", ""}},
};

bool fault_is_meant(enum fault_what what)
{
    return whats[what].faults == A_FAULT_EACH;
}

static const struct option_spec options[] = {
    {"cpu", 0, OPTION_INTEGER, "N", NULL, 0, CPU_ID_MAX, NULL,
     "CPU that measures (default: the first of the fastest kind)"},
    {"size", 0, OPTION_SIZE, "SIZE", NULL, 4096, 0, NULL,
     "memory that is touched and given back in one batch (default: 512 small pages, 8 huge ones)"},
    {.name = NULL},
};

/* --- planning --- */

static int add_series(struct probe_task *task, enum fault_what what, struct error *error)
{
    struct fault_state *state = task->state;
    struct plan *plan = &task->plan;
    if (state->series[what] >= 0)
        return 0;
    struct series *series =
        pool_append(task->pool, (void **)&plan->series, &plan->series_count, sizeof *series);
    *series = (struct series){.name = fault_series_names[what], .headline = what == FAULT_TOUCH};
    series->x = whats[what].x;
    series->y = (struct axis){what == FAULT_SHOOTDOWN ? "time a call" : "time a page", "ns"};
    state->series[what] = (int)plan->series_count - 1;
    return 0;
}

static int add_point(struct probe_task *task, struct fault_point what, double x, size_t threads,
                     struct error *error)
{
    struct fault_state *state = task->state;
    struct plan *plan = &task->plan;
    int code = add_series(task, what.what, error);
    struct fault_point *point =
        pool_append(task->pool, (void **)&state->points, &state->point_count, sizeof *point);
    struct plan_point *planned =
        pool_append(task->pool, (void **)&plan->points, &plan->point_count, sizeof *planned);
    struct seat *seats = pool_alloc(task->pool, threads, sizeof *seats);
    if (code < 0 || !point || !planned || !seats)
        return error_out_of_memory(error);
    *point = what;
    point->x = x;
    for (size_t i = 0; i < threads; i++)
        seats[i] = (struct seat){state->cpus[i], i ? BACKGROUND : MEASURED};
    *planned = (struct plan_point){.series = (unsigned)state->series[what.what],
                                   .x = x,
                                   .seats = seats,
                                   .seat_count = (unsigned)threads,
                                   /* what the other threads use meanwhile */
                                   .arena_bytes = threads > 1 ? SHOOTDOWN_CALLS * what.page : 0};
    return 0;
}

/* What a region of such pages has: as many bytes as --size says, in whole pages. */
static size_t region(const struct probe_task *task, size_t page, unsigned pages)
{
    if (!settings_has(task->settings, "size"))
        return page * pages;
    const size_t asked = (size_t)settings_size(task->settings, "size");
    return asked < page ? page : asked / page * page;
}

static struct fault_point point_of(const struct probe_task *task, enum fault_what what,
                                   enum pages_kind kind, size_t page, unsigned pages)
{
    const size_t bytes = region(task, page, pages);
    return (struct fault_point){
        .what = what, .kind = kind, .page = page, .bytes = bytes, .call_bytes = bytes};
}

static int not_measured(struct probe_task *task, const char *what, const char *why,
                        struct error *error)
{
    struct fault_state *state = task->state;
    const char *before = state->not_measured;
    state->not_measured =
        pool_printf(task->pool, "%s%s%s: %s", before ? before : "", before ? "; " : "", what, why);
    return state->not_measured ? 0 : error_out_of_memory(error);
}

/* Whether such pages can be had, as many as a batch needs; else notes why not. 1, 0, or
 * ERROR_SYSTEM. */
static int can_be_had(struct probe_task *task, enum page_policy policy, const char *what,
                      size_t bytes, struct error *error)
{
    struct error why = {0};
    void *memory = os_map(bytes, policy, -1, &why);
    if (memory) {
        os_unmap(memory, bytes);
        return 1;
    }
    return not_measured(task, what, why.text, error);
}

static int plan_small(struct probe_task *task, size_t page, bool brief, struct error *error)
{
    static const enum fault_what each[] = {FAULT_TOUCH, FAULT_ZERO,     FAULT_MINOR,
                                           FAULT_LOOK,  FAULT_POPULATE, FAULT_COPY};
    static const enum fault_what back[] = {FAULT_UNMAP, FAULT_DISCARD};
    int code = 0;
    for (size_t i = 0; i < sizeof each / sizeof *each && code == 0; i++) {
        const enum pages_kind kind = each[i] == FAULT_MINOR ? PAGES_SHARED : PAGES_OF_4K;
        code = add_point(task, point_of(task, each[i], kind, page, SMALL_PAGES), (double)page, 1,
                         error);
        if (brief)
            return code;
    }
    for (size_t i = 0; i < sizeof back / sizeof *back; i++) {
        struct fault_point point = point_of(task, back[i], PAGES_OF_4K, page, SMALL_PAGES);
        const size_t calls[] = {page, CALL_PAGES * page, point.bytes};
        for (size_t c = 0; c < sizeof calls / sizeof *calls && code == 0; c++) {
            if (point.bytes % calls[c] || (c && calls[c] <= calls[c - 1]))
                continue; /* it would end in a part of a call, or is there already */
            point.call_bytes = calls[c];
            code = add_point(task, point, (double)calls[c], 1, error);
        }
    }
    return code;
}

static int plan_huge(struct probe_task *task, bool brief, struct error *error)
{
    const size_t thp = pages_bytes(PAGES_OF_THP), reserved = pages_bytes(PAGES_OF_2M);
    struct fault_point point = point_of(task, FAULT_TOUCH, PAGES_OF_THP, thp ? thp : 1, HUGE_PAGES);
    int code = thp ? can_be_had(task, PAGES_THP, "transparent huge pages", point.bytes, error) : 0;
    if (code > 0) {
        code = add_point(task, point, (double)thp, 1, error);
        point.what = FAULT_ZERO;
        if (code == 0 && !brief)
            code = add_point(task, point, (double)thp, 1, error);
        point.what = FAULT_UNMAP_HUGE;
        if (code == 0 && !brief)
            code = add_point(task, point, (double)point.bytes, 1, error);
    }
    if (code < 0 || brief || !reserved)
        return code;
    point = point_of(task, FAULT_RESERVED, PAGES_OF_2M, reserved, HUGE_PAGES / 2);
    code = can_be_had(task, PAGES_HUGE2M, "reserved pages of 2 MiB", point.bytes, error);
    return code > 0 ? add_point(task, point, (double)reserved, 1, error) : code;
}

static int add_shootdown(struct probe_task *task, size_t page, size_t threads, struct error *error)
{
    const struct fault_point point = {.what = FAULT_SHOOTDOWN,
                                      .kind = PAGES_OF_4K,
                                      .page = page,
                                      .bytes = SHOOTDOWN_CALLS * page,
                                      .call_bytes = page};
    return add_point(task, point, (double)threads, threads, error);
}

/* By doubling, and all. */
static int plan_threads(struct probe_task *task, size_t page, struct error *error)
{
    struct fault_state *state = task->state;
    const size_t all = state->cpu_count;
    int code =
        all > 1 ? 0 : not_measured(task, "unmapping beside threads", "that takes two CPUs", error);
    if (code < 0 || all < 2)
        return code;
    task->plan.batches = BATCHES_THREADS;
    task->plan.share = 0.6;
    for (size_t threads = 1; threads < all && code == 0; threads *= 2)
        code = add_shootdown(task, page, threads, error);
    return code == 0 ? add_shootdown(task, page, all, error) : code;
}

static int choose_cpus(struct probe_task *task, struct error *error)
{
    struct fault_state *state = task->state;
    const size_t count = task->cpus.count;
    struct cpu_place *places = pool_alloc(task->pool, count, sizeof *places);
    int *cpus = pool_alloc(task->pool, count, sizeof *cpus);
    int code = chases_seat(task, &state->seat, error);
    if (code < 0)
        return code;
    machine_places(task->machine, &task->cpus, places);
    qsort(places, count, sizeof *places, machine_by_thread);
    cpus[state->cpu_count++] = state->seat->cpu;
    for (size_t i = 0; i < count; i++)
        if (places[i].id != state->seat->cpu)
            cpus[state->cpu_count++] = places[i].id;
    state->cpus = cpus;
    return 0;
}

static void begin_plan(struct probe_task *task)
{
    const struct fault_state *state = task->state;
    struct plan *plan = &task->plan;
    probe_plan_clear(task);
    plan->cycles = false; /* what the system does takes memory's time as much as the core's */
    plan->pages = PAGES_SMALL;
    plan->touch_cpu = state->seat->cpu;
    plan->repeats = 1;
    plan->unstable_above = unstable_above;
    if (!settings_has(task->settings, "precision"))
        plan->precision = precision;
}

static void plan_fault(struct probe_task *task)
{
    struct error *error = pool_error(task->pool);
    struct fault_state *state = pool_alloc(task->pool, 1, sizeof *state);
    const size_t page = pages_bytes(PAGES_OF_4K);
    const bool brief = !task->named;
    task->state = state;
    for (int i = 0; i < FAULT_WHATS; i++)
        state->series[i] = -1;
    int code =
        settings_has(task->settings, "size")
            ? working_sets_check(task, "size", settings_size(task->settings, "size"), 1, error)
            : 0;
    if (code == 0)
        code = choose_cpus(task, error);
    if (code < 0)
        return (void)pool_check(task->pool, code);
    if (!page || (task->machine->live && !pages_counted())) {
        task->result->status = PROBE_SKIPPED;
        task->result->reason =
            "this system counts no page faults (getrusage), so none of these times could be "
            "proven: measure outside this sandbox or emulator, on Linux itself";
        return (void)pool_check(task->pool, 0);
    }
    begin_plan(task);
    if (brief)
        task->weight_s = brief_weight_s;
    code = plan_small(task, page, brief, error);
    if (code == 0)
        code = plan_huge(task, brief, error);
    task->plan.share = brief ? 1 : 0.5;
    return (void)pool_check(task->pool, code);
}

/* The largest pages take so long that a batch is a trial. */
static int plan_largest(struct probe_task *task, struct error *error)
{
    const size_t page = pages_bytes(PAGES_OF_1G);
    if (!page || page > machine_memory_budget(task->machine))
        return 0;
    task->plan.batches = BATCHES_1G;
    const int code = can_be_had(task, PAGES_HUGE1G, "reserved pages of 1 GiB", page, error);
    return code > 0 ? add_point(task, point_of(task, FAULT_RESERVED, PAGES_OF_1G, page, 1),
                                (double)page, 1, error)
                    : code;
}

/* Threads that got no time to run together on a busy machine may get it later. */
static int plan_failed_again(struct probe_task *task, struct error *error)
{
    const struct fault_state *state = task->state;
    if (state->series[FAULT_SHOOTDOWN] < 0)
        return 0;
    const size_t which = (size_t)state->series[FAULT_SHOOTDOWN];
    size_t kept = 0;
    int code = 0;
    task->plan.batches = BATCHES_THREADS;
    task->plan.share = 0.5;
    for (size_t i = 0; i < task->plan.series[which].point_count && code == 0; i++) {
        const struct point point = task->plan.series[which].points[i];
        if (point.failed)
            code = add_shootdown(task, pages_bytes(PAGES_OF_4K), (size_t)point.x, error);
        else
            task->plan.series[which].points[kept++] = point;
    }
    task->plan.series[which].point_count = kept;
    return code;
}

static int plan_stage(struct probe_task *task, unsigned stage, struct error *error)
{
    struct fault_state *state = task->state;
    state->first = state->point_count;
    begin_plan(task);
    return stage == 1   ? plan_threads(task, pages_bytes(PAGES_OF_4K), error)
           : stage == 2 ? plan_largest(task, error)
                        : plan_failed_again(task, error);
}

/* One after the other, those that have nothing to measure left out. */
static bool next_fault(struct probe_task *task, const struct stage_outcome *outcome, unsigned stage)
{
    struct error *error = pool_error(task->pool);
    struct fault_state *state = task->state;
    (void)outcome, (void)stage;
    while (task->named && state->stage < STAGES_MOST) {
        const int code = plan_stage(task, ++state->stage, error);
        if (code < 0 || task->plan.point_count)
            return pool_check(task->pool, code < 0 ? code : 1) > 0;
    }
    return pool_check(task->pool, 0) > 0;
}

/* --- measuring --- */

static struct fault_point *point_at(const struct trial *trial)
{
    const struct fault_state *state = trial->probe_state;
    return &state->points[state->first + (size_t)(trial->point - trial->plan->points)];
}

static void prepare_fault(struct trial *trial)
{
    /* The region is the probe's, because it outlives a recall. */
    struct fault_state *state = (struct fault_state *)trial->probe_state;
    const struct fault_point *point = point_at(trial);
    const uint64_t pages = point->bytes / point->page;
    pages_release(&state->pages);
    state->pages = (struct pages){.bytes = point->bytes,
                                  .step = point->page,
                                  .call_bytes = point->call_bytes,
                                  .kind = point->kind};
    trial->workers[0].run = pages_kernels[whats[point->what].action];
    trial->workers[0].state = &state->pages;
    trial->restore = pages_restores[whats[point->what].restore];
    trial->faults = fault_is_meant(point->what) ? pages : 0;
    trial->operations =
        (double)(point->what == FAULT_SHOOTDOWN ? point->bytes / point->call_bytes : pages);
    for (size_t i = 1; i < trial->point->seat_count; i++) {
        struct worker *worker = &trial->workers[i];
        worker->run = pages_beside_run;
        worker->state = worker->room;
        *(struct pages_beside *)worker->state =
            (struct pages_beside){trial->arena->memory, point->page, SHOOTDOWN_CALLS};
    }
}

static void observe_fault(void *task, const struct observation *observation)
{
    struct fault_state *state = ((const struct probe_task *)task)->state;
    const struct trial *trial = observation->trial;
    struct fault_point *point = point_at(trial);
    for (unsigned i = 0; i < observation->batch_count; i++) {
        point->meant += trial->faults * observation->repeats;
        point->counted += observation->batches[i].faults;
    }
    point->refused += state->pages.refused;
    state->pages.refused = 0;
}

/* A thread that was lost may still be at the region. */
static void release_fault(struct probe_task *task)
{
    struct fault_state *state = task->state;
    if (state && task->result->status != PROBE_FAILED)
        pages_release(&state->pages);
}

const struct probe fault_probe = {
    .name = "fault",
    .place = 132,
    .title = "Page faults: the first touch of memory, and giving it back",
    .summary = "what the first touch of memory costs by page size, and giving it back",
    .about =
        "Memory that a program gets is not there until it is touched: then the kernel is asked, by "
        "a page fault, for a page of zeros. Measured is that first touch on small pages, on "
        "transparent huge pages (MADV_HUGEPAGE) and on reserved ones, and how much of it is "
        "zeroing; faults on pages that are there and only lack a translation; the first load of "
        "untouched memory; a whole region at once (MAP_POPULATE); the first store after a fork, "
        "which copies the page; and giving pages back, by munmap and madvise(MADV_DONTNEED), also "
        "while other threads of the process run on other CPUs, which then have to be interrupted "
        "to forget the translations (a TLB shootdown).\nThe proof is the kernel's own count: a "
        "batch is kept only if it took exactly the page faults that it meant to; where it never "
        "does, the point is flagged as miscounted.\nWhat moves it: the kernel's version and its "
        "mitigations, a hypervisor that has to provide the memory itself, control groups that "
        "account for it, the bandwidth that zeroing takes, and how many CPUs are to be "
        "interrupted.",
    .weight = 1,
    .options = options,
    .findings = {fault_lines, fault_experiment},
    .plan = plan_fault,
    .prepare = prepare_fault,
    .observe = observe_fault,
    .next = next_fault,
    .conclude = fault_conclude,
    .analyse = fault_analyse,
    .release = release_fault,
};
