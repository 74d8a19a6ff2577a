#include "base/clean.h"
#include "findings/device.h"
#include "render/parts.h"
#include "report/figure.h"
#include "result/flag.h"

#include <math.h>
#include <string.h>

enum { NAMES_MAX = 3, WARNINGS_MAX = 12 };

/* The points of a probe that carry a flag. */
struct tally {
    size_t flagged, all;
    double x_low, x_high;
    const char *x_unit;
    bool matrix, mixed; /* all of them are matrices; mixed: not all on one axis, so that a range
                           says nothing */
};

static const char *axis_name(const struct series *series)
{
    return series->x.name ? series->x.name : "";
}

static struct tally tally_points(const struct probe_result *probe, unsigned bit)
{
    struct tally tally = {.matrix = true, .x_low = INFINITY, .x_high = -INFINITY};
    for (size_t s = 0; s < probe->series_count; s++) {
        const struct series *series = &probe->series[s];
        if (device_has_condition(series)) /* its points are those of another series */
            continue;
        tally.matrix = tally.matrix && series->matrix;
        tally.mixed = tally.mixed || (s && strcmp(axis_name(series), axis_name(series - 1)) != 0);
        tally.x_unit = series->x.unit;
        tally.all += series->point_count;
        for (size_t i = 0; i < series->point_count; i++) {
            if (!(series->points[i].flags & bit))
                continue;
            tally.flagged++;
            tally.x_low = fmin(tally.x_low, series->points[i].x);
            tally.x_high = fmax(tally.x_high, series->points[i].x);
        }
    }
    return tally;
}

/* ", 12 of 130 latency points from 1 MiB to 1 GiB" */
static void add_points(struct line *line, const struct probe_result *probe, unsigned bit)
{
    struct tally tally = tally_points(probe, bit);
    char low[UNIT_TEXT], high[UNIT_TEXT];
    if (tally.flagged == 0)
        return;
    line_add(line, "%s", line->length ? ", " : " (");
    if (tally.flagged == tally.all)
        line_add(line, "all ");
    else
        line_add(line, "%zu of %zu ", tally.flagged, tally.all);
    line_add_clean(line, probe->name);
    line_add(line, "%s", tally.matrix ? " pairs" : " points");
    if (!tally.matrix && !tally.mixed && tally.flagged < tally.all && tally.x_high > tally.x_low)
        line_add(line, " from %s to %s", figure_place(tally.x_low, tally.x_unit, low),
                 figure_place(tally.x_high, tally.x_unit, high));
}

size_t line_add_flagged(struct line *line, const struct catalogue *catalogue, size_t document,
                        const struct probe_result *only, unsigned bit)
{
    size_t flagged = 0, named = 0;
    /* "L1.latency_ns" says what "L1.latency" has said, unless that has nothing to say. */
    for (int twins = 0; twins < 2 && !named; twins++)
        for (size_t i = 0; i < catalogue->count; i++) {
            const struct catalogue_entry *entry = &catalogue->list[i];
            if (entry->document != document || (only && only != entry->probe) ||
                !(entry->finding->flags & bit) || entry->twin != twins)
                continue;
            flagged++;
            if (flagged > NAMES_MAX)
                continue;
            struct line name = {0};
            line_add_clean(&name, entry->finding->name);
            line_add_in_brackets(&name, entry->finding);
            line_add(line, "%s%s", named++ ? ", " : "", name.text);
        }
    if (flagged > named)
        line_add(line, " and %zu more", flagged - named);
    return flagged;
}

static void print_note(FILE *out, const struct view_style *style, bool doubt,
                       const struct line *line)
{
    fprintf(out, "  %s%c%s ", doubt ? ink(style, INK_WARN) : "", doubt ? '!' : '-',
            doubt ? ink(style, INK_PLAIN) : "");
    line_print_wrapped(out, style, 4, line);
}

/* What one flag says, of which values, and what a person can do. */
static void print_flag(FILE *out, const struct catalogue *catalogue,
                       const struct probe_result *only, int flag, const struct view_style *style)
{
    const struct document *document = catalogue->documents[0];
    const struct flag_text *text = &flag_texts[flag];
    struct line line = {0}, names = {0}, values = {0};
    const size_t named = line_add_flagged(&names, catalogue, 0, only, FLAG_BIT(flag));
    if (named)
        line_add(&values, " (%s", names.text);
    /* In a summary the headline values stand for the points that they come from. */
    for (size_t p = 0; p < document->probe_count && (only || !named); p++)
        if (!only || only == &document->probes[p])
            add_points(&values, &document->probes[p], FLAG_BIT(flag));
    if (values.length == 0)
        return;
    if (only)
        line_add(&line, "%s: ", text->name);
    line_add(&line, "%s%s): %s", text->meaning, values.text, text->remedy);
    print_note(out, style, text->doubt, &line);
}

static void print_status(FILE *out, const struct probe_result *probe,
                         const struct view_style *style)
{
    static const char *const says[] = {
        [PROBE_PARTIAL] = "is not complete",
        [PROBE_SKIPPED] = "was skipped",
        [PROBE_FAILED] = "failed",
    };
    struct line line = {0};
    if (probe->status == PROBE_OK)
        return;
    line_add_clean(&line, probe->name);
    line_add(&line, " %s", says[probe->status]);
    line_add(&line, "%s", probe->reason ? ": " : "");
    line_add_clean(&line, probe->reason);
    print_note(out, style, probe->status != PROBE_SKIPPED, &line);
}

/* What was left out and why, "gpu0 texture: needs ..."; NULL where nothing was. */
static const char *not_measured(const struct probe_result *probe)
{
    const struct factor *parameter = probe_parameter(probe, "not_measured");
    return parameter ? parameter->text : NULL;
}

static void print_not_measured(FILE *out, const struct probe_result *probe,
                               const struct view_style *style)
{
    struct line line = {0};
    if (!not_measured(probe))
        return;
    line_add(&line, "not measured: ");
    line_add_clean(&line, not_measured(probe));
    print_note(out, style, false, &line);
}

static void print_failures(FILE *out, const struct probe_result *probe,
                           const struct view_style *style)
{
    struct failures failures;
    failures_collect(&failures, probe);
    for (size_t i = 0; i < failures.count; i++) {
        struct line line = {0};
        line_add_failure(&line, probe, &failures, i);
        print_note(out, style, true, &line);
    }
}

static bool has_failures(const struct probe_result *probe)
{
    for (size_t s = 0; s < probe->series_count; s++)
        for (size_t i = 0; i < probe->series[s].point_count; i++)
            if (probe->series[s].points[i].failed)
                return true;
    return false;
}

static void print_warnings(FILE *out, const struct conditions *conditions,
                           const struct view_style *style)
{
    for (size_t i = 0; i < conditions->warning_count && i < WARNINGS_MAX; i++) {
        struct line line = {0};
        line_add_clean(&line, conditions->warnings[i]);
        print_note(out, style, false, &line);
    }
    if (conditions->warning_count > WARNINGS_MAX)
        fprintf(out, "  - and %zu more in the document\n",
                conditions->warning_count - WARNINGS_MAX);
}

/* Whether the warnings have already told of the hypervisor, by its name. */
static bool has_told_of_hypervisor(const struct document *document)
{
    const char *hypervisor = document->machine.hypervisor;
    for (size_t i = 0; i < document->conditions.warning_count && hypervisor; i++)
        if (strstr(document->conditions.warnings[i], hypervisor))
            return true;
    return false;
}

static unsigned flags_of(const struct probe_result *probe)
{
    unsigned flags = 0;
    for (size_t i = 0; i < probe->finding_count; i++)
        flags |= probe->findings[i].flags;
    for (size_t s = 0; s < probe->series_count; s++)
        for (size_t i = 0; i < probe->series[s].point_count; i++)
            flags |= probe->series[s].points[i].flags;
    return flags;
}

void notes_print(FILE *out, const struct catalogue *catalogue, const struct probe_result *probe,
                 const struct view_style *style)
{
    const struct document *document = catalogue->documents[0];
    unsigned flags = 0;
    bool ended_well = true;
    for (size_t p = 0; p < document->probe_count; p++)
        if (!probe || probe == &document->probes[p]) {
            flags |= flags_of(&document->probes[p]);
            ended_well = ended_well && document->probes[p].status == PROBE_OK &&
                         !has_failures(&document->probes[p]);
        }
    if (!flags && ended_well && document->conditions.warning_count == 0 &&
        (probe ? !not_measured(probe) : disagreements_print(NULL, catalogue, style) == 0))
        return;
    fprintf(out, "\n%sto know%s\n", ink(style, INK_BOLD), ink(style, INK_PLAIN));
    if (!probe) /* a probe in full has its findings above */
        disagreements_print(out, catalogue, style);
    for (size_t p = 0; p < document->probe_count; p++)
        if (!probe || probe == &document->probes[p])
            print_status(out, &document->probes[p], style);
    for (size_t p = 0; p < document->probe_count; p++)
        if (!probe || probe == &document->probes[p])
            print_failures(out, &document->probes[p], style);
    if (has_told_of_hypervisor(document))
        flags &= ~FLAG_BIT(FLAG_VIRTUAL_MACHINE);
    unsigned doubts = flag_doubts(flags);
    for (int flag = 0; flag < FLAG_COUNT; flag++)
        if (doubts & FLAG_BIT(flag))
            print_flag(out, catalogue, probe, flag, style);
    for (int flag = 0; flag < FLAG_COUNT; flag++)
        if (flags & ~doubts & FLAG_BIT(flag))
            print_flag(out, catalogue, probe, flag, style);
    if (probe)
        print_not_measured(out, probe, style);
    print_warnings(out, &document->conditions, style);
}
