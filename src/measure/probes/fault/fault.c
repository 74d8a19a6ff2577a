/*
 * What the system's pages cost: the first touch of memory by page size, its part for zeroing,
 * faults that only add a translation, all pages at once by MAP_POPULATE, copy-on-write after a
 * fork, and giving pages back, alone and while other threads of the process run on other CPUs.
 *
 * A batch goes once through a region of memory; before each batch, untimed, trial->restore brings
 * the region back to its first state. The kernel's count is the proof: a batch must take exactly
 * the intended number of page faults, or it is measured again; a point whose count still differs is
 * flagged.
 */
#include "conclude/read.h"
#include "document/flag.h"
#include "measure/kernels/pages.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/working_sets.h"
#include "measure/probes/kit/build.h"

#include <string.h>

/* Enough pages that a batch lasts some 100 us, and few enough that it is rarely interrupted. */
enum { SMALL_PAGES = 512, HUGE_PAGES = 8, CALL_PAGES = 16, SHOOTDOWN_CALLS = 16 };
enum { SIZED_BYTES = 2 << 20 }; /* of transparent huge pages below the largest, but HUGE_PAGES */
/* A region of one page of 1 GiB takes some tenths of a second. Threads wait for each other before
 * and after each batch, so on a busy machine fewer batches a trial give more trials. */
enum { BATCHES_1G = 1, BATCHES_THREADS = 2, STAGES_MOST = 6 };
/* The system's paths vary this much from one time to the next. */
static const double precision = 0.05, unstable_above = 0.3;
static const double brief_weight_s = 1;

enum fault_what {
    FAULT_TOUCH,      /* first touch; x is the page */
    FAULT_RESERVED,   /* first touch of pages of a reserved pool */
    FAULT_ZERO,       /* zero pages that are present; x is the page */
    FAULT_MINOR,      /* the page is present, only its translation is missing */
    FAULT_LOOK,       /* first load: maps the one page of zeros */
    FAULT_POPULATE,   /* MAP_POPULATE */
    FAULT_COPY,       /* first store after a fork: copy-on-write */
    FAULT_UNMAP,      /* munmap(); x is the bytes of a call */
    FAULT_DISCARD,    /* madvise(MADV_DONTNEED); x is the bytes of a call */
    FAULT_UNMAP_HUGE, /* munmap() of transparent huge pages */
    FAULT_SHOOTDOWN,  /* munmap() of one page a call; x is the threads that use the memory */
    FAULT_WHATS
};

struct fault_point {
    enum fault_what what;
    enum pages_kind kind;
    double x;
    size_t page, bytes, call_bytes;
    uint64_t meant, counted; /* page faults of all kept batches */
    uint64_t refused;        /* system calls that failed */
};

struct fault_state {
    struct pages pages; /* of the current trial */
    const struct seat *seat;
    int *cpus; /* the measuring one, then the others, each core's first thread first */
    size_t cpu_count;
    struct fault_point *points; /* one each of the plan, in its order */
    size_t point_count, first;  /* first: index of the plan's first point */
    const char *not_measured;   /* what, and why; NULL: everything was */
    int series[FAULT_WHATS];    /* -1: not planned */
    unsigned stage;             /* the last planned stage; 0: the first */
};

static const struct {
    const char *series;
    enum pages_action action;
    enum pages_restore restore;
    bool faults; /* one fault is intended for each page */
    struct axis x;
} whats[FAULT_WHATS] = {
    [FAULT_TOUCH] = {"first touch", PAGES_TOUCH, PAGES_FRESH, true, {"page", "B"}},
    [FAULT_RESERVED] =
        {"first touch, reserved pages", PAGES_TOUCH, PAGES_FRESH, true, {"page", "B"}},
    [FAULT_ZERO] = {"zeroing", PAGES_CLEAR, PAGES_KEPT, false, {"page", "B"}},
    [FAULT_MINOR] = {"minor fault", PAGES_TOUCH, PAGES_DROPPED, true, {"page", "B"}},
    [FAULT_LOOK] = {"first load", PAGES_LOOK, PAGES_FRESH, true, {"page", "B"}},
    [FAULT_POPULATE] = {"populate", PAGES_POPULATE, PAGES_FRESH, true, {"page", "B"}},
    [FAULT_COPY] = {"copy-on-write", PAGES_TOUCH, PAGES_TWINNED, true, {"page", "B"}},
    [FAULT_UNMAP] = {"unmap", PAGES_UNMAP, PAGES_FILLED, false, {"call", "B"}},
    [FAULT_DISCARD] = {"discard", PAGES_DISCARD, PAGES_FILLED, false, {"call", "B"}},
    [FAULT_UNMAP_HUGE] = {"unmap, huge pages", PAGES_UNMAP, PAGES_FILLED, false, {"call", "B"}},
    [FAULT_SHOOTDOWN] = {"unmap by threads", PAGES_UNMAP, PAGES_FILLED, false, {"threads", ""}},
};

struct fault_options {
    struct setting cpu, size, pages;
};

#include "fault.help.h"

/* --- planning --- */

static void add(struct probe_task *task, struct fault_point point, double x, size_t threads)
{
    struct fault_state *state = task->state;
    int *series = &state->series[point.what];
    if (*series < 0)
        *series = (int)build_series(
            task, (struct series){
                      .name = whats[point.what].series,
                      .headline = point.what == FAULT_TOUCH,
                      .x = whats[point.what].x,
                      .y = {point.what == FAULT_SHOOTDOWN ? "time a call" : "time a page", "ns"}});
    point.x = x;
    *(struct fault_point *)pool_append(task->pool, (void **)&state->points, &state->point_count,
                                       sizeof point) = point;
    build_point(task, (unsigned)*series, x, state->cpus, threads, BACKGROUND)->arena_bytes =
        threads > 1 ? SHOOTDOWN_CALLS * point.page : 0; /* used by the other threads */
}

/* Bytes of `pages` pages, or of --size in whole pages. */
static size_t region(const struct probe_task *task, size_t page, unsigned pages)
{
    const struct setting *asked = &((const struct fault_options *)task->options)->size;
    if (!asked->has)
        return page * pages;
    return asked->bytes < page ? page : (size_t)asked->bytes / page * page;
}

static void not_measured(struct probe_task *task, const char *what, const char *why)
{
    struct fault_state *state = task->state;
    const char *before = state->not_measured;
    state->not_measured =
        pool_printf(task->pool, "%s%s%s: %s", before ? before : "", before ? "; " : "", what, why);
}

/* Whether pages of that policy are asked for: by its name, or by "auto", which asks for all. */
static bool is_asked(const struct probe_task *task, enum page_policy policy)
{
    const int asked = ((const struct fault_options *)task->options)->pages.choice;
    return asked == PAGES_AUTO || asked == (int)policy;
}

/* Whether the system has such pages. If not, notes why, or, where they were asked for by name,
 * refuses. Sizes below the largest are off unless somebody has turned them on: no note. */
static bool can_be_had(struct probe_task *task, enum page_policy policy, size_t bytes)
{
    static const char *const what[PAGES_COUNT] = {[PAGES_THP] = "transparent huge pages",
                                                  [PAGES_HUGE2M] = "reserved pages of 2 MiB",
                                                  [PAGES_HUGE1G] = "reserved pages of 1 GiB"};
    struct error why = {0};
    if (policy == PAGES_SMALL)
        return true;
    void *memory = os_map(bytes, policy, -1, &why);
    if (memory)
        os_unmap(memory, bytes);
    else if (!is_asked(task, PAGES_AUTO))
        pool_leave(task->pool, why.code, "%s", why.text);
    else if (what[policy])
        not_measured(task, what[policy], why.text);
    return memory;
}

/* Adds one point for the page size, or (`by_call`) points by the bytes that one call gives back. */
static void add_pages(struct probe_task *task, enum fault_what what, enum pages_kind kind,
                      size_t page, unsigned pages, bool by_call)
{
    const size_t bytes = region(task, page, pages), calls[] = {page, CALL_PAGES * page, bytes};
    struct fault_point point = {what, kind, 0, page, bytes, bytes, 0, 0, 0};
    if (!by_call)
        add(task, point, (double)(what == FAULT_UNMAP_HUGE ? bytes : page), 1);
    for (size_t c = 0; by_call && c < 3; c++) {
        point.call_bytes = calls[c];
        /* only whole calls, and no size twice */
        if (bytes % calls[c] == 0 && (c == 0 || calls[c] > calls[c - 1]))
            add(task, point, (double)calls[c], 1);
    }
}

static const enum page_policy policies[PAGES_KINDS] = {
    [PAGES_OF_4K] = PAGES_SMALL,  [PAGES_SHARED] = PAGES_SMALL, [PAGES_OF_THP] = PAGES_THP,
    [PAGES_OF_2M] = PAGES_HUGE2M, [PAGES_OF_1G] = PAGES_HUGE1G,
};

static const struct {
    enum fault_what what;
    enum pages_kind kind;
    unsigned pages;
    bool by_call, brief;
} first_stage[] = {
    {FAULT_TOUCH, PAGES_OF_4K, SMALL_PAGES, false, true},
    {FAULT_ZERO, PAGES_OF_4K, SMALL_PAGES, false, false},
    {FAULT_MINOR, PAGES_SHARED, SMALL_PAGES, false, false},
    {FAULT_LOOK, PAGES_OF_4K, SMALL_PAGES, false, false},
    {FAULT_POPULATE, PAGES_OF_4K, SMALL_PAGES, false, false},
    {FAULT_COPY, PAGES_OF_4K, SMALL_PAGES, false, false},
    {FAULT_UNMAP, PAGES_OF_4K, SMALL_PAGES, true, false},
    {FAULT_DISCARD, PAGES_OF_4K, SMALL_PAGES, true, false},
    {FAULT_TOUCH, PAGES_OF_THP, HUGE_PAGES, false, true},
    {FAULT_ZERO, PAGES_OF_THP, HUGE_PAGES, false, false},
    {FAULT_UNMAP_HUGE, PAGES_OF_THP, HUGE_PAGES, false, false},
    {FAULT_RESERVED, PAGES_OF_2M, HUGE_PAGES / 2, false, false},
};

static void add_shootdown(struct probe_task *task, size_t threads)
{
    const size_t page = pages_bytes(PAGES_OF_4K);
    const struct fault_point point = {
        FAULT_SHOOTDOWN, PAGES_OF_4K, 0, page, SHOOTDOWN_CALLS * page, page, 0, 0, 0};
    add(task, point, (double)threads, threads);
}

/* 1, 2, 4, ... threads and all of them. */
static void plan_threads(struct probe_task *task)
{
    const size_t all = ((struct fault_state *)task->state)->cpu_count;
    task->plan.batches = BATCHES_THREADS;
    task->plan.share = 0.6;
    for (size_t threads = 1; all > 1 && threads < all; threads *= 2)
        add_shootdown(task, threads);
    if (all > 1)
        add_shootdown(task, all);
    else
        not_measured(task, "unmapping beside threads", "that takes two CPUs");
}

/* The largest pages take so long that a trial has one batch. */
static void plan_largest(struct probe_task *task)
{
    const size_t page = pages_bytes(PAGES_OF_1G);
    task->plan.batches = BATCHES_1G;
    if (page && page <= machine_memory_budget(task->machine) &&
        can_be_had(task, PAGES_HUGE1G, page))
        add_pages(task, FAULT_RESERVED, PAGES_OF_1G, page, 1, false);
}

/* On a busy machine, threads that could not run at the same time may do so later. */
static void plan_failed_again(struct probe_task *task)
{
    const int which = ((struct fault_state *)task->state)->series[FAULT_SHOOTDOWN];
    struct series *series = which < 0 ? NULL : &task->plan.series[which];
    size_t kept = 0;
    task->plan.batches = BATCHES_THREADS;
    task->plan.share = 0.5;
    for (size_t i = 0; series && i < series->point_count; i++)
        if (series->points[i].failed)
            add_shootdown(task, (size_t)series->points[i].x);
        else
            series->points[kept++] = series->points[i];
    if (series)
        series->point_count = kept;
}

static void begin_plan(struct probe_task *task)
{
    struct fault_state *state = task->state;
    struct plan *plan = probe_plan_begin(task, state->seat->cpu, PAGES_SMALL, precision);
    state->first = state->point_count;
    plan->cycles = false; /* the system's work waits for memory as well as for the core */
    plan->repeats = 1;
    plan->unstable_above = unstable_above;
}

static void plan_fault(struct probe_task *task)
{
    struct fault_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    const struct fault_options *asked = task->options;
    const bool brief = !task->named;
    bool had[PAGES_KINDS] = {false}, tried[PAGES_KINDS] = {false};
    memset(state->series, -1, sizeof state->series);
    if (asked->size.has)
        working_sets_check(task, "size", asked->size.bytes, 1);
    state->seat = chases_seat(task, &asked->cpu);
    state->cpus = chases_cpus(task, state->seat->cpu);
    state->cpu_count = task->cpus.count;
    if (!pages_bytes(PAGES_OF_4K) || (task->machine->live && !pages_counted()))
        return build_skip(
            task, "this system counts no page faults (getrusage), so none of these times could be "
                  "proven: measure outside this sandbox or emulator, on Linux itself");
    begin_plan(task);
    for (size_t i = 0; i < sizeof first_stage / sizeof *first_stage; i++) {
        const enum pages_kind kind = first_stage[i].kind;
        const size_t page = pages_bytes(kind);
        if (!page || (brief && !first_stage[i].brief) || !is_asked(task, policies[kind]))
            continue;
        if (!tried[kind])
            had[kind] = can_be_had(task, policies[kind], region(task, page, first_stage[i].pages));
        tried[kind] = true;
        if (had[kind])
            add_pages(task, first_stage[i].what, kind, page, first_stage[i].pages,
                      first_stage[i].by_call);
    }
    if (!brief) {
        for (enum page_policy policy = PAGES_16K; policy <= PAGES_1M; policy++) {
            const size_t page = page_policy_bytes(policy);
            const unsigned most = (unsigned)(SIZED_BYTES / page),
                           pages = most > HUGE_PAGES ? most : HUGE_PAGES;
            if (!is_asked(task, policy) || !can_be_had(task, policy, region(task, page, pages)))
                continue;
            add_pages(task, FAULT_TOUCH, PAGES_OF_SIZE, page, pages, false);
            add_pages(task, FAULT_ZERO, PAGES_OF_SIZE, page, pages, false);
        }
    }
    if (!task->plan.point_count && is_asked(task, PAGES_HUGE1G))
        plan_largest(task);
    if (!task->plan.point_count)
        pool_leave(
            task->pool, ERROR_IMPOSSIBLE,
            "--pages %s: a page of that kind is too large to be touched many times here: use "
            "smaller ones",
            asked->pages.text);
    task->weight_s = brief ? brief_weight_s : 0;
    task->plan.share = brief ? 1 : 0.5;
}

/* Plans the next stage that has something to measure. */
static bool next_fault(struct probe_task *task)
{
    struct fault_state *state = task->state;
    while (task->named && state->stage < STAGES_MOST) {
        begin_plan(task);
        switch (++state->stage) {
        case 1:
            if (is_asked(task, PAGES_SMALL))
                plan_threads(task);
            break;
        case 2:
            if (is_asked(task, PAGES_AUTO))
                plan_largest(task);
            break;
        default:
            plan_failed_again(task);
        }
        if (task->plan.point_count)
            return true;
    }
    return false;
}

/* --- measuring --- */

static struct fault_point *point_at(const struct trial *trial)
{
    const struct fault_state *state = trial->probe_state;
    return &state->points[state->first + (size_t)(trial->point - trial->plan->points)];
}

static void prepare_fault(struct trial *trial)
{
    /* The region belongs to the probe, because it must survive a recalled preparation. */
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
    trial->faults = whats[point->what].faults ? pages : 0;
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

/* After a failure, a lost thread may still use the region. */
static void release_fault(struct probe_task *task)
{
    struct fault_state *state = task->state;
    if (state && task->result->status != PROBE_FAILED)
        pages_release(&state->pages);
}

/* --- concluding --- */

static struct point *measured_point(const struct probe_task *task, const struct fault_point *at)
{
    const size_t series = (size_t)((const struct fault_state *)task->state)->series[at->what];
    return series_point(&task->result->series[series], at->x);
}

/* Notes the kernel's counts, flags points with an unexpected count, and removes the values of
 * points whose system calls failed. */
static void conclude_fault(struct probe_task *task)
{
    const struct fault_state *state = task->state;
    struct probe_result *result = task->result;
    uint64_t meant = 0, counted = 0;
    bool lacking = false;
    for (size_t i = 0; i < state->point_count; i++)
        lacking = lacking || !measured_point(task, &state->points[i]);
    if (!lacking && result->status == PROBE_PARTIAL) { /* failed points were measured later */
        result->status = PROBE_OK;
        result->reason = NULL;
    }
    for (size_t i = 0; i < state->point_count; i++) {
        const struct fault_point *at = &state->points[i];
        struct point *point = measured_point(task, at);
        meant += at->meant;
        counted += at->counted;
        if (point && at->refused) {
            point->y = summary_of_nothing();
            point->flags = 0;
            point->failed = "the system refused a call that is needed: see the limits on memory, "
                            "mappings and processes";
            result->status = PROBE_PARTIAL;
            result->reason = pool_printf(task->pool, "%s at %g: %s", whats[at->what].series,
                                         point->x, point->failed);
        } else if (point && at->meant != at->counted) {
            /* The wrong count is the reason for the flag; nothing interrupted the batches. */
            point->flags &= ~FLAG_BIT(FLAG_PREEMPTED);
            point->flags |= FLAG_BIT(FLAG_MISCOUNTED);
        }
    }
    if (state->not_measured)
        build_note_text(task, parameter_not_measured, state->not_measured);
    build_note(task, "faults_meant", (double)meant);
    build_note(task, "faults_counted", (double)counted);
}

/* --- findings --- */

static const char *say_rate(struct analysis *analysis, const struct point *at,
                            const struct point *first)
{
    return pool_printf(analysis->pool, "%.2f GB/s of memory is touched that way",
                       at->x / (double)at->y.median);
}

static const char *say_share(struct analysis *analysis, const struct point *at,
                             const struct point *first)
{
    const struct series *touched = analysis_series(analysis, whats[FAULT_TOUCH].series, NULL, NULL);
    const struct point *touch = touched ? series_point(touched, at->x) : NULL;
    return touch && touch->y.n ? pool_printf(analysis->pool, "%.0f %% of a first touch",
                                             100 * (double)(at->y.median / touch->y.median))
                               : NULL;
}

static const char *say_gain(struct analysis *analysis, const struct point *at,
                            const struct point *first)
{
    return "times as fast: memory touched by transparent huge pages, compared with small ones";
}

static const char *say_others(struct analysis *analysis, const struct point *at,
                              const struct point *first)
{
    return pool_printf(
        analysis->pool,
        "longer for a call while %g other thread%s run than the %.0f ns that it takes alone%s",
        at->x - 1, at->x > 2 ? "s" : "", (double)first->y.median,
        finding_time_of(at).low > finding_time_of(first).high ? "" : ": no difference is shown");
}

#include "fault.findings.h"

static void analyse_fault(struct analysis *analysis)
{
    const double meant = analysis_number(analysis, "faults_meant"),
                 counted = analysis_number(analysis, "faults_counted"), ratio = counted / meant;
    findings_read(analysis, finding_lines);
    if (!(meant > 0))
        return analysis_keep(analysis, "fault.count",
                             "the document does not say how many faults were counted");
    analysis_add_value(analysis, "fault.count", "", (struct interval){ratio, ratio, ratio},
                       counted < meant || counted > meant ? FLAG_BIT(FLAG_MISCOUNTED) : 0)
        ->text =
        pool_printf(analysis->pool, "%.0f page faults were intended, and the kernel counted %.0f",
                    meant, counted);
}

const struct probe fault_probe = {
    .name = "fault",
    .place = 132,
    .help = &help,
    .weight = 1,
    .findings = {finding_lines, experiment},
    .plan = plan_fault,
    .prepare = prepare_fault,
    .observe = observe_fault,
    .next = next_fault,
    .conclude = conclude_fault,
    .analyse = analyse_fault,
    .release = release_fault,
};
