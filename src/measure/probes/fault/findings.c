/* What the fault probe's series say, and what each of its findings is. */
#include "base/units.h"
#include "conclude/registry/finding.h"
#include "document/flag.h"
#include "measure/probes/fault/fault.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- what was counted --- */

static struct point *measured_point(const struct probe_task *task, const struct fault_point *at)
{
    const size_t series = (size_t)((const struct fault_state *)task->state)->series[at->what];
    return series_point(&task->result->series[series], at->x);
}

static int note_counts(struct probe_task *task, uint64_t meant, uint64_t counted,
                       struct error *error)
{
    struct factor *of_meant = probe_add_parameter(task, "faults_meant");
    if (of_meant)
        of_meant->number = (double)meant;
    struct factor *of_counted = probe_add_parameter(task, "faults_counted");
    of_counted->number = (double)counted;
    return 0;
}

/* What failed in one stage may have its value from the next. */
static void forget_failures(struct probe_task *task)
{
    const struct fault_state *state = task->state;
    for (size_t i = 0; i < state->point_count; i++)
        if (!measured_point(task, &state->points[i]))
            return;
    if (task->result->status == PROBE_PARTIAL) {
        task->result->status = PROBE_OK;
        task->result->reason = NULL;
    }
}

void fault_conclude(struct probe_task *task, const struct stage_outcome *outcome)
{
    struct error *error = pool_error(task->pool);
    const struct fault_state *state = task->state;
    uint64_t meant = 0, counted = 0;
    (void)outcome;
    forget_failures(task);
    for (size_t i = 0; i < state->point_count; i++) {
        const struct fault_point *at = &state->points[i];
        struct point *point = measured_point(task, at);
        meant += at->meant;
        counted += at->counted;
        if (point && at->refused) {
            point->y = summary_of_nothing();
            point->flags = 0;
            point->failed = "the system refused a call that it takes: see the limits on memory, "
                            "mappings and processes";
            task->result->status = PROBE_PARTIAL;
            task->result->reason = pool_printf(
                task->pool, "%s at %g: %s", fault_series_names[at->what], point->x, point->failed);
        } else if (point && at->meant != at->counted) {
            /* That is what every batch met: nobody else interrupted it. */
            point->flags &= ~FLAG_BIT(FLAG_PREEMPTED);
            point->flags |= FLAG_BIT(FLAG_MISCOUNTED);
        }
    }
    if (state->not_measured) {
        struct factor *left_out = probe_add_parameter(task, parameter_not_measured);
        left_out->text = state->not_measured;
    }
    return (void)pool_check(task->pool, note_counts(task, meant, counted, error));
}

/* --- findings --- */

static const struct series *series_of(const struct analysis *analysis, enum fault_what what)
{
    return analysis_series(analysis, fault_series_names[what], NULL, NULL);
}

static bool has_value(const struct point *point)
{
    return point && point->y.n;
}

/* fault.touch.4K for every page size of the series; for calls, that of the largest one. */
static const struct {
    enum fault_what what;
    const char *stem, *behind;
} of_pages[] = {{FAULT_TOUCH, "touch", ""},       {FAULT_RESERVED, "touch", ".reserved"},
                {FAULT_ZERO, "zeroing", ""},      {FAULT_MINOR, "minor", ""},
                {FAULT_LOOK, "load", ""},         {FAULT_POPULATE, "populate", ""},
                {FAULT_COPY, "copy_on_write", ""}};

static int add_of_page(struct analysis *analysis, size_t row, const struct series *series,
                       const struct point *point, struct error *error)
{
    const size_t first = analysis->result->finding_count;
    char name[64], size[UNIT_TEXT];
    snprintf(name, sizeof name, "fault.%s.%s%s", of_pages[row].stem,
             size_name((uint64_t)point->x, size), of_pages[row].behind);
    struct finding *finding = analysis_add_summary(analysis, name, "ns", &point->y, point->flags);
    const struct series *touched =
        series_of(analysis, of_pages[row].what == FAULT_RESERVED ? FAULT_RESERVED : FAULT_TOUCH);
    const struct point *touch = touched ? series_point(touched, point->x) : NULL;
    if (of_pages[row].what == FAULT_TOUCH || of_pages[row].what == FAULT_RESERVED)
        finding->text = pool_printf(analysis->pool, "%.2f GB/s of memory is touched that way",
                                    point->x / (double)point->y.median);
    else if (has_value(touch))
        finding->text = pool_printf(analysis->pool, "%.0f %% of a first touch",
                                    100 * (double)(point->y.median / touch->y.median));
    analysis_read_off(analysis, first, series);
    return 0;
}

static int add_of_pages(struct analysis *analysis, struct error *error)
{
    for (size_t row = 0; row < sizeof of_pages / sizeof *of_pages; row++) {
        const struct series *series = series_of(analysis, of_pages[row].what);
        for (size_t i = 0; series && i < series->point_count; i++) {
            int code = has_value(&series->points[i])
                           ? add_of_page(analysis, row, series, &series->points[i], error)
                           : 0;
            if (code < 0)
                return code;
        }
    }
    return 0;
}

/* How many times sooner memory is touched by huge pages than by small ones. */
static int add_huge_gain(struct analysis *analysis, struct error *error)
{
    const struct series *series = series_of(analysis, FAULT_TOUCH);
    if (!series || series->point_count < 2)
        return 0;
    const struct point *small = &series->points[0], *huge = &series->points[1];
    if (!has_value(small) || !has_value(huge))
        return 0;
    const size_t first = analysis->result->finding_count;
    const double pages = huge->x / small->x;
    const struct estimate a = finding_time_of(small), b = finding_time_of(huge);
    struct finding *finding =
        finding_add_value(analysis->result, analysis->pool, "fault.huge_gain", "",
                          pages * (double)(a.median / b.median), pages * (double)(a.low / b.high),
                          pages * (double)(a.high / b.low), small->flags | huge->flags);
    finding->text = "times as fast: memory touched by transparent huge pages, over by small ones";
    analysis_read_off(analysis, first, series);
    return 0;
}

/* By pages of a large call, and by the call of a single page. */
static int add_given_back(struct analysis *analysis, enum fault_what what, const char *stem,
                          struct error *error)
{
    const struct series *series = series_of(analysis, what);
    const size_t first = analysis->result->finding_count;
    if (!series || !series->point_count)
        return 0;
    const struct point *one = &series->points[0], *most = &series->points[series->point_count - 1];
    char name[64];
    snprintf(name, sizeof name, "fault.%s.page", stem);
    if (has_value(most) && !analysis_add_summary(analysis, name, "ns", &most->y, most->flags))
        return error_out_of_memory(error);
    snprintf(name, sizeof name, "fault.%s.call", stem);
    if (has_value(one) && series->point_count > 1 &&
        !analysis_add_summary(analysis, name, "ns", &one->y, one->flags))
        return error_out_of_memory(error);
    analysis_read_off(analysis, first, series);
    return 0;
}

/* What a call takes longer beside those threads. */
static int add_shootdown(struct analysis *analysis, struct error *error)
{
    const struct series *series = series_of(analysis, FAULT_SHOOTDOWN);
    if (!series || series->point_count < 2)
        return 0;
    const struct point *alone = &series->points[0], *all = &series->points[series->point_count - 1];
    if (!has_value(alone) || !has_value(all) || alone->x > 1)
        return 0;
    const size_t first = analysis->result->finding_count;
    const struct estimate a = finding_time_of(alone), b = finding_time_of(all);
    struct finding *finding =
        finding_add_value(analysis->result, analysis->pool, "fault.shootdown", "ns",
                          (double)b.median - (double)a.median, (double)b.low - (double)a.high,
                          (double)b.high - (double)a.low, alone->flags | all->flags);
    finding->text = pool_printf(analysis->pool,
                                "a call beside %g other thread%s, over the %.0f ns of one alone%s",
                                all->x - 1, all->x > 2 ? "s" : "", (double)a.median,
                                finding->low > 0 ? "" : ": no difference is shown");
    analysis_read_off(analysis, first, series);
    return finding->text ? 0 : error_out_of_memory(error);
}

static int add_count(struct analysis *analysis, struct error *error)
{
    const double meant = analysis_number(analysis, "faults_meant"),
                 counted = analysis_number(analysis, "faults_counted");
    if (!(meant > 0))
        return (analysis_keep(analysis, "fault.count",
                              "the document does not say how many faults "
                              "were counted"),
                0);
    struct finding *finding = finding_add_value(
        analysis->result, analysis->pool, "fault.count", "", counted / meant, counted / meant,
        counted / meant, counted < meant || counted > meant ? FLAG_BIT(FLAG_MISCOUNTED) : 0);
    finding->text = pool_printf(analysis->pool,
                                "%.0f page faults were meant, and the kernel "
                                "counted %.0f",
                                meant, counted);
    return finding->text ? 0 : error_out_of_memory(error);
}

void fault_analyse(struct analysis *analysis)
{
    struct error *error = pool_error(analysis->pool);
    int code = add_of_pages(analysis, error);
    if (code == 0)
        code = add_huge_gain(analysis, error);
    if (code == 0)
        code = add_given_back(analysis, FAULT_UNMAP, "unmap", error);
    if (code == 0)
        code = add_given_back(analysis, FAULT_DISCARD, "discard", error);
    if (code == 0)
        code = add_given_back(analysis, FAULT_UNMAP_HUGE, "unmap_huge", error);
    if (code == 0)
        code = add_shootdown(analysis, error);
    return (void)pool_check(analysis->pool, code == 0 ? add_count(analysis, error) : code);
}

/* What decides which experiment a finding is of: the names say it. */
const struct standard fault_experiment[] = {
    {"pages", STANDARD_NAMED, NULL, 0},
    {"size", STANDARD_ABSENT, NULL, 0},
    {"node", STANDARD_TEXT, "own", 0},
    {"core", STANDARD_FASTEST, NULL, 0},
    {.factor = NULL},
};

const struct finding_line fault_lines[] = {
    {.patterns = "fault.touch.*",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "The first store to a page of that size of fresh memory: the fault, the page and "
                "its zeroing.",
     .moves = "The kernel, its mitigations and control groups, a hypervisor that has to provide "
              "the memory, and the bandwidth that zeroing takes.",
     .advice = "Keep memory rather than giving it back and getting it anew; touch it before the "
               "work that may not wait."},
    {.patterns = "fault.touch.*.reserved",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "The same on a page of a reserved pool (MAP_HUGETLB).",
     .moves = "Zeroing decides it, and how busy memory is.",
     .advice = "Touch such memory when the program starts, or have it populated."},
    {.patterns = "fault.zeroing.*",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "Filling a page of that size with zeros that is there already.",
     .moves = "It is memory's and the caches' bandwidth, as the pages were used just before.",
     .advice = "No kernel can save this part of a first touch; what is left is the fault itself."},
    {.patterns = "fault.minor.*",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "The first store to a page that is in memory and lacks only its translation.",
     .moves = "The kernel and its mitigations: nothing is zeroed and nothing allocated.",
     .advice = "It is what a mapped file costs for each page that is cached; MAP_POPULATE maps "
               "them all at once."},
    {.patterns = "fault.load.*",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "The first load from a page of fresh memory: it is given one page of zeros that "
                "all share.",
     .moves = "The kernel and its mitigations; the store that follows one day faults once more.",
     .advice = "To make memory present store to it: loads only put the price off."},
    {.patterns = "fault.populate.*",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "A page of fresh memory where one call maps all of them (MAP_POPULATE).",
     .moves = "The way into the kernel and out of it is saved, zeroing is not.",
     .advice = "Where it is well below the first touch, populate what will all be used."},
    {.patterns = "fault.copy_on_write.*",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "The first store to a page after a fork whose copy still lives: the page is "
                "copied.",
     .moves = "The fault, and the copy; while other threads run, also their translations.",
     .advice = "Fork early or use posix_spawn: every page that is written while the copy lives "
               "costs that."},
    {.patterns = "fault.huge_gain",
     .unit = "",
     .role = ROLE_PROPERTY,
     .side = SIDE_LESS,
     .meaning = "How many times as fast fresh memory is touched by transparent huge pages "
                "(MADV_HUGEPAGE) as by small ones.",
     .moves = "The dearer a fault is beside zeroing, the more is won.",
     .advice = "Where it is well above 1, advise large allocations, as far as they are used "
               "whole."},
    {.patterns = "fault.unmap.page, fault.discard.page",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "Giving back a touched small page, of the many of one call: by munmap, or by "
                "madvise(MADV_DONTNEED).",
     .moves = "The kernel, control groups, and how many pages a call gives back.",
     .advice = "Give memory back in large parts, or keep it."},
    {.patterns = "fault.unmap.call, fault.discard.call",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "The same in calls of a single page.",
     .moves = "The call itself, and the translations to be forgotten each time.",
     .advice = "What it exceeds the other by is won by gathering pages before a call."},
    {.patterns = "fault.unmap_huge.page",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "Giving back a touched transparent huge page by munmap.",
     .moves = "The kernel: there is one page to give back where small ones would be hundreds.",
     .advice = "Compare it with as many small pages."},
    {.patterns = "fault.shootdown",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "What unmapping a page takes longer while threads of the process run on all other "
                "CPUs: each is interrupted to forget the translation, and waited for.",
     .moves = "How far CPUs are from each other, and hypervisors, for which an interruption is a "
              "way out of the guest. Processors that announce it without interrupting are not "
              "slowed.",
     .advice = "Many threads that give memory back all the time slow each other: let the "
               "allocator keep it, or use processes."},
    {.patterns = "fault.count",
     .unit = "",
     .role = ROLE_CONDITION,
     .meaning = "The kernel's own count of page faults over those that were meant: 1 is the proof "
                "that what was timed is what is said.",
     .moves = "What else moves this program's pages: NUMA balancing, KSM, limits on memory.",
     .advice = "Where it is not 1, believe none of these times."},
    {.patterns = NULL},
};
