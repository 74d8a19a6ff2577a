/*
 * What a single access costs beyond a plain aligned load: a load whose value must be forwarded from
 * a store that has not reached the cache, and a load across the end of a line or of a page.
 *
 * Forwarding: a store and a load of the same bytes alternate in one chain (as in Agner Fog's and
 * Wong's test programs). The two addresses are in two registers, because some processors recognize
 * the same register and skip memory altogether; that case is measured as well.
 *
 * Crossing: two chases through the same lines; in one the elements lie within a line, in the other
 * across its end. Elements are two lines apart (for page crossings, one page), so no two elements
 * share a line.
 */
#include "base/random.h"
#include "measure/kernels/chase.h"
#include "measure/kernels/forward.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/kit/build.h"

#include <math.h>

enum { FORWARD_ROOM = 4096, FORWARD_BYTES = 16, HALF_WORD = 4 };

static const double in_the_level = 0.75;

/* A case of forwarding, and its finding. */
static const struct {
    const char *series, *finding, *text;
    double store_bytes, load_bytes, offset;
} cases[FORWARD_COUNT] = {
#include "access.texts.h"
};

/* Series of crossings. Page crossings are a separate stage, on small pages. */
enum { LINE_WITHIN, LINE_ACROSS, PAGE_WITHIN, PAGE_ACROSS, CROSSINGS };
static const char *const crossing_names[CROSSINGS] = {"within a line", "across the end of a line",
                                                      "within a page", "across the end of a page"};

struct access_state {
    struct chases chases;
    size_t page_bytes; /* of the machine's smallest pages */
    struct chase_level levels[CHASE_LEVELS_MAX];
    size_t level_count;
    size_t first_forward; /* first of the series of forwarding */
    enum forwarding forwards[FORWARD_COUNT];
    size_t forward_count;
};

/* --- planning --- */

/* The smallest set that is well beyond the previous level: other programs evict little of a small
 * set from a shared level, and few pages need little translation. */
static uint64_t crossing_bytes(const struct chase_level *level)
{
    const uint64_t near = 4 * level->above;
    return !level->last && level->above && near < level->bytes ? near : level->bytes;
}

static void plan_crossing(struct probe_task *task, int which)
{
    struct access_state *state = task->state;
    const bool pages = which >= PAGE_WITHIN;
    const size_t line = state->chases.line_bytes, page = state->page_bytes;
    struct chase_kind kind = {.address = ADDRESS_POINTER, .stride = pages ? page : 2 * line};
    if (which == LINE_ACROSS)
        kind.offset = line - HALF_WORD;
    else if (which == PAGE_WITHIN)
        kind.offset = page - line;
    else if (which == PAGE_ACROSS)
        kind.offset = page - HALF_WORD;
    const int series = chases_add_series(&state->chases, task, crossing_names[which], &kind,
                                         page_policy_names[task->plan.pages]);
    for (size_t i = 0; i < state->level_count; i++) {
        const uint64_t bytes = crossing_bytes(&state->levels[i]) / kind.stride * kind.stride;
        if (bytes)
            chases_add_point(&state->chases, task, series, (double)bytes, bytes);
    }
}

/* --- measuring --- */

static void prepare_access(struct trial *trial)
{
    const struct access_state *state = trial->probe_state;
    const size_t series = trial->point->series;
    if (series < state->first_forward || series >= state->first_forward + state->forward_count) {
        chases_prepare(trial, &state->chases);
        return;
    }
    struct random random = {trial->seed};
    uint64_t places = FORWARD_ROOM / FORWARD_BYTES;
    unsigned char *place = trial->arena->memory + random_below(&random, places) * FORWARD_BYTES;
    struct worker *worker = &trial->workers[0];
    worker->run = forward_kernels[state->forwards[series - state->first_forward]];
    worker->state = worker->room;
    *(struct forward *)worker->state = (struct forward){place, place};
    trial->operations = forward_steps;
}

/* --- findings --- */

/* Parameter: levels in which crossings were measured, with their working sets in bytes before
 * rounding to whole strides: "L1", 24576, "DRAM", 268435456. */
static const char level_sets[] = "level_sets";

static double whole(double bytes, size_t stride)
{
    return floor(bytes / (double)stride) * (double)stride;
}

static const struct point *crossing_at(const struct analysis *analysis, int which, double x)
{
    const struct series *series = analysis_series(analysis, crossing_names[which], NULL, NULL);
    return series ? series_point(series, x) : NULL;
}

/* What crossing adds in one level. The interval combines the opposite ends of both medians'
 * intervals. */
static void add_crossing(struct analysis *analysis, const char *level, double bytes, bool pages)
{
    const int within = pages ? PAGE_WITHIN : LINE_WITHIN, across = within + 1;
    const double of_lines = whole(bytes, 2 * analysis_line_bytes(analysis)),
                 x = pages ? whole(bytes, chases_page_noted(analysis)) : of_lines;
    const struct point *plain = crossing_at(analysis, within, x);
    const struct point *crossing = crossing_at(analysis, across, x);
    const struct point *there = pages ? crossing_at(analysis, LINE_WITHIN, of_lines) : NULL;
    if (!plain || !crossing)
        return;
    const struct estimate a = finding_cycles_of(plain), b = finding_cycles_of(crossing);
    const char *name =
        pool_printf(analysis->pool, "access.%s_cross.%.7s", pages ? "page" : "line", level);
    if (pages && chases_page_noted(analysis) < facts_page_bytes(analysis->machine)) {
        analysis_add(analysis, name, "cycles")->text =
            "not measured: the pages of this machine are larger than those that were crossed";
        return;
    }
    /* A set of lines a page apart has few lines. If the previous level hashes its sets, it may hold
     * all of them, and then they load faster than lines of this level. */
    if (there && plain->cycles.median < in_the_level * (double)there->cycles.median) {
        analysis_add(analysis, name, "cycles")->text =
            "not found: lines a page apart fit the level before, because its sets are hashed";
        return;
    }
    struct finding *finding = analysis_add_value(
        analysis, name, "cycles",
        (struct interval){(double)b.median - (double)a.median, (double)b.low - (double)a.high,
                          (double)b.high - (double)a.low},
        plain->flags | crossing->flags);
    const char *verdict = isnan(finding->low) ? ": a single trial shows no difference for certain"
                          : !(finding->low > 0 || finding->high < 0) ? ": no difference is shown"
                                                                     : "";
    finding->text = pool_printf(analysis->pool, "more than the %.1f cycles of a load %s%s",
                                (double)a.median, crossing_names[within], verdict);
}

#include "access.findings.h"

/* --- plan, next, conclude, analyse --- */

static void plan_access(struct probe_task *task)
{
    struct access_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    state->chases = chases_make(task);
    state->page_bytes = chases_note_page(task);
    state->chases.seat = chases_seat(task, task->options);
    state->level_count = chases_levels(task, state->chases.seat->cpu, NULL, state->levels);
    chases_plan_place(task, &state->chases, PAGES_AUTO);
    task->plan.share = 0.5;
    if (chase_straddles)
        for (int i = LINE_WITHIN; i <= LINE_ACROSS; i++)
            plan_crossing(task, i);
    state->first_forward = task->plan.series_count;
    for (int i = 0; i < FORWARD_COUNT; i++)
        if (forward_kernels[i]) {
            const enum forwarding which = (enum forwarding)i;
            const struct factor factors[] = {{"store", .number = cases[which].store_bytes},
                                             {"offset", .number = cases[which].offset}};
            const unsigned series =
                build_series(task, (struct series){.name = cases[which].series,
                                                   .factors = (struct factor *)factors,
                                                   .factor_count = 2,
                                                   .x = {"load", "B"},
                                                   .y = {"latency", "ns"}});
            build_point(task, series, cases[which].load_bytes, &state->chases.seat->cpu, 1,
                        MEASURED)
                ->arena_bytes = FORWARD_ROOM;
            state->forwards[state->forward_count++] = which;
        }
}

static bool next_access(struct probe_task *task)
{
    const struct access_state *state = task->state;
    if (task->stage > 1 || !chase_straddles)
        return false;
    chases_plan_place(task, &state->chases, PAGES_SMALL);
    for (int i = PAGE_WITHIN; i <= PAGE_ACROSS; i++)
        plan_crossing(task, i);
    return task->plan.point_count > 0;
}

static void conclude_access(struct probe_task *task)
{
    const struct access_state *state = task->state;
    struct factor *sets = state->level_count ? build_note_list(task, level_sets) : NULL;
    for (size_t i = 0; i < state->level_count; i++) {
        build_word(task, sets, state->levels[i].name);
        build_element(task, sets, (double)crossing_bytes(&state->levels[i]));
    }
    if (!chase_straddles)
        finding_add(task->result, task->pool, "access.line_cross", "cycles")->text =
            "not measured: this architecture need not load across the end of a line";
}

static void analyse_access(struct analysis *analysis)
{
    size_t count;
    const struct factor *sets = analysis_list(analysis, level_sets, &count);
    for (int i = 0; i < FORWARD_COUNT; i++) {
        const struct series *series = analysis_series(analysis, cases[i].series, NULL, NULL);
        if (!series || !series->point_count)
            continue;
        finding_add_cycles_of(analysis->result, analysis->pool, cases[i].finding, series->points,
                              series->points->flags)
            ->text = cases[i].text;
        analysis_read_off(analysis, series);
    }
    for (int pages = 0; pages < 2; pages++)
        for (size_t i = 0; i + 1 < count; i += 2)
            if (sets[i].text && sets[i + 1].number > 0)
                add_crossing(analysis, sets[i].text, sets[i + 1].number, pages);
    if (!count)
        analysis_keep(analysis, "access.line_cross.*, access.page_cross.*",
                      "the document does not say which set is which level's");
    analysis_keep(analysis, "access.line_cross",
                  "the document's series do not say what this architecture cannot do");
}

#include "access.help.h"

const struct probe access_probe = {
    .name = "access",
    .place = 120,
    .help = &help,
    .sized_by_found = true,
    .findings = {finding_lines, experiment},
    .plan = plan_access,
    .prepare = prepare_access,
    .next = next_access,
    .conclude = conclude_access,
    .analyse = analyse_access,
};
