/*
 * What a reader must know to trust a document's numbers: contradictions with declared values,
 * probes that did not complete, flags with their meanings and remedies. All outputs draw these
 * notes, so they omit and count the same.
 */
#include "base/clean.h"
#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"
#include "conclude/registry/finding.h"
#include "document/flag.h"
#include "show/report/figure.h"
#include "show/report/parts.h"

#include <math.h>
#include <string.h>

enum { NAMES_MAX = 3, REMARKS_MAX = 8, DISAGREEMENTS_MAX = 12, FAILURES_MAX = 3 };

/* How much a note matters, by its kind; a doubt more with each family that it touches. */
enum { WEIGHT_FAILED = 400, WEIGHT_BUSY = 300, WEIGHT_DECLARED = 200, WEIGHT_DOUBT = 100 };

/* The document and probes that the notes are about. */
struct scope {
    struct report *report;
    struct graded *graded;
    const struct document *document;
    size_t index;
    const struct probe_result *only; /* NULL: all probes */
    const struct probe_result *probes;
    size_t probe_count; /* number of `probes` */
};

static struct note *add_note(const struct scope *scope, enum note_kind kind, const char *what)
{
    struct graded *graded = scope->graded;
    struct note *note = pool_append(scope->report->pool, (void **)&graded->notes,
                                    &graded->note_count, sizeof *note);
    *note = (struct note){.kind = kind, .flag = -1, .what = what};
    return note;
}

/* The bit of the family of a finding, or of a probe. */
static uint64_t family_bit(const struct scope *scope, const struct probe_result *probe,
                           const struct finding *finding)
{
    const int family = verdict_family(&scope->graded->verdict, scope->document, probe, finding);
    return family < 0 ? 0 : (uint64_t)1 << family;
}

static void add_more(const struct scope *scope, size_t all, size_t said)
{
    if (all > said)
        add_note(scope, NOTE_REMARK,
                 report_text(scope->report, "%zu more are in the document", all - said));
}

/* --- contradictions between measured and declared values --- */

static bool has_own_sentence(const struct catalogue_entry *entry)
{
    return entry->meaning.role == ROLE_DISAGREEMENT || entry->meaning.role == ROLE_NOTE;
}

/* A disagreement: the interval excludes the declared value, or the finding exists to report one.
 * Those of clusters are shown below their matrix. */
static bool is_disagreement(const struct catalogue_entry *entry)
{
    const struct finding *finding = entry->finding;
    const struct finding_meaning *meaning = &entry->meaning;
    const bool above = finding->low > finding->declared, below = finding->high < finding->declared;
    if (!finding->text || catalogue_is_of_clusters(entry))
        return false;
    /* Nodes and bandwidths are compared with declared values elsewhere (show/report/facts.c). Less
     * bandwidth than declared is no disagreement, but more is. */
    if (meaning->fact == FACT_NODE || (meaning->role == ROLE_WIDTH && !above))
        return false;
    /* A level whose declared capacity was not found: the text says why. */
    if (meaning->fact == FACT_CAPACITY && meaning->device < 0 && isnan(finding->value) &&
        isfinite(finding->declared))
        return true;
    return has_own_sentence(entry) || (isfinite(finding->declared) && (above || below));
}

/* "L3: in this run 5.70 MiB of 32 MiB behaved as cache: ...", or with both values "L1.line is 128 B
 * and declared as 64 B: ..." */
static void add_disagreement(const struct scope *scope, struct line *line,
                             const struct catalogue_entry *entry)
{
    const struct finding *finding = entry->finding;
    struct line what = {0};
    /* The sentences about capacities and split pages have both values. */
    const bool bare = !has_own_sentence(entry) && entry->meaning.fact != FACT_CAPACITY &&
                      entry->meaning.fact != FACT_SPLIT && isfinite(finding->declared);
    /* A finding that exists to report a disagreement names its subject in its sentence. */
    if (!has_own_sentence(entry) && !bare) {
        const char *rest;
        char name[CLEAN_TEXT];
        int device = device_of_name(finding->name, &rest);
        clean_text(rest, name, sizeof name);
        /* For a device, all but the last word: "gpu0 split.32K.L1" for its capacity. */
        const char *last = strrchr(name, '.');
        const int family =
            verdict_family(&scope->graded->verdict, scope->document, entry->probe, finding);
        if (device >= 0)
            line_add(&what, "gpu%d ", device);
        if (device < 0 && family >= 0)
            line_add(&what, "%s", scope->graded->verdict.families[family].name);
        else
            line_add(&what, "%.*s",
                     (int)(device >= 0 && last ? last - name : (ptrdiff_t)strcspn(name, ".")),
                     name);
    }
    line_add_experiment(&what, finding);
    line_add(line, "%s%s", what.text, what.length ? ": " : "");
    if (bare) {
        const struct cell value = cell_of_value(finding->value, finding->unit, FORM_VALUE);
        const struct cell declared = cell_of_value(finding->declared, finding->unit, FORM_VALUE);
        char text[CELL_TEXT];
        line_add_between(line, "", finding->name, " is ");
        line_add(line, "%s and declared as ", cell_text(&value, text));
        line_add(line, "%s: ", cell_text(&declared, text));
    }
    line_add_clean(line, finding->text);
}

static void add_disagreements(const struct scope *scope)
{
    const struct catalogue *catalogue = &scope->report->catalogue;
    size_t count = 0;
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        struct line line = {0};
        if (entry->document != scope->index || !is_disagreement(entry) ||
            ++count > DISAGREEMENTS_MAX)
            continue;
        add_disagreement(scope, &line, entry);
        struct note *note = add_note(scope, NOTE_DISAGREEMENT, report_line(scope->report, &line));
        note->families = family_bit(scope, entry->probe, entry->finding);
        note->weight = WEIGHT_DECLARED;
    }
    add_more(scope, count, DISAGREEMENTS_MAX);
}

/* --- probes that failed or are not complete --- */

static void add_status(const struct scope *scope, const struct probe_result *probe)
{
    static const char *const says[] = {
        [PROBE_PARTIAL] = " is not complete",
        [PROBE_SKIPPED] = " was skipped",
        [PROBE_FAILED] = " failed",
    };
    struct line line = {0};
    if (probe->status == PROBE_OK)
        return;
    line_add_between(&line, "", probe->name, says[probe->status]);
    struct note *note = add_note(scope, probe->status == PROBE_SKIPPED ? NOTE_REMARK : NOTE_DOUBT,
                                 report_line(scope->report, &line));
    note->why = probe->reason;
    note->families = family_bit(scope, probe, NULL);
    note->weight = probe->status == PROBE_FAILED ? WEIGHT_FAILED : 0;
}

/* A reason for missing values, and how many points of a probe have it. */
struct failure {
    const struct point *first;
    const struct series *series; /* of the first point */
    size_t count;
};

struct failures {
    struct failure list[FAILURES_MAX];
    size_t count, others; /* `others`: points with further reasons */
};

static void add_failed(struct failures *failures, const struct series *series,
                       const struct point *point)
{
    size_t at = 0;
    while (at < failures->count && strcmp(failures->list[at].first->failed, point->failed) != 0)
        at++;
    if (at == FAILURES_MAX) {
        failures->others++;
        return;
    }
    if (at == failures->count)
        failures->list[failures->count++] = (struct failure){point, series, 0};
    failures->list[at].count++;
}

/* "12 latency points failed, 64 MiB first": "no memory" */
static void add_failures(const struct scope *scope, const struct probe_result *probe)
{
    struct failures failures = {.count = 0};
    for (size_t s = 0; s < probe->series_count; s++)
        for (size_t i = 0; i < probe->series[s].point_count; i++)
            if (probe->series[s].points[i].failed)
                add_failed(&failures, &probe->series[s], &probe->series[s].points[i]);
    for (size_t i = 0; i < failures.count; i++) {
        const struct failure *failure = &failures.list[i];
        const char *many = failure->count == 1 ? "" : "s";
        struct line line = {0}, why = {0};
        char x[UNIT_TEXT];
        line_add(&line, "%zu ", failure->count);
        line_add_clean(&line, probe->name);
        if (failure->series->matrix)
            line_add(&line, " pair%s failed, the first is (%d,%d)", many, failure->first->from,
                     failure->first->to);
        else
            line_add(&line, " point%s failed, the first at %s", many,
                     figure_place(failure->first->x, failure->series->x.unit, x));
        line_add_clean(&why, failure->first->failed);
        if (failures.others && i + 1 == failures.count)
            line_add(&why, " (and %zu more for other reasons)", failures.others);
        add_note(scope, NOTE_DOUBT, report_line(scope->report, &line))->why =
            report_line(scope->report, &why);
    }
}

/* --- flags --- */

/* The points of a probe that carry a flag. */
struct tally {
    size_t flagged, all;
    double x_low, x_high;
    const char *x_unit;
    bool matrix, mixed; /* `matrix`: all series are matrices; `mixed`: their axes differ, so a range
                           means nothing */
};

static const char *axis_name(const struct series *series)
{
    return series->x.name ? series->x.name : "";
}

/* ", 12 of 130 latency points from 1 MiB to 1 GiB" */
static void add_points(struct line *line, const struct probe_result *probe, unsigned bit)
{
    struct tally tally = {.matrix = true, .x_low = INFINITY, .x_high = -INFINITY};
    for (size_t s = 0; s < probe->series_count; s++) {
        const struct series *series = &probe->series[s];
        if (device_has_condition(series)) /* its points repeat those of another series */
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
    char low[UNIT_TEXT], high[UNIT_TEXT];
    if (tally.flagged == 0)
        return;
    line_add(line, "%s", line->length ? ", " : "");
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

/* The findings with the flag: "L1.latency, L2.latency (order forward) and 3 more". A twin like
 * "L1.latency_ns" is named only if no other finding has the flag. Returns whether there are any. */
static bool add_names(struct line *line, const struct scope *scope, unsigned bit)
{
    const struct catalogue *catalogue = &scope->report->catalogue;
    size_t flagged = 0, named = 0;
    for (int twins = 0; twins < 2 && !named; twins++)
        for (size_t i = 0; i < catalogue->count; i++) {
            const struct catalogue_entry *entry = &catalogue->list[i];
            struct line name = {0};
            if (entry->document != scope->index || (scope->only && scope->only != entry->probe) ||
                !(entry->finding->flags & bit) || entry->twin != twins || ++flagged > NAMES_MAX)
                continue;
            line_add_clean(&name, entry->finding->name);
            line_add_in_brackets(&name, entry->finding);
            line_add(line, "%s%s", named++ ? ", " : "", name.text);
        }
    if (flagged > named)
        line_add(line, " and %zu more", flagged - named);
    return named > 0;
}

/* The families of all findings with the flag. */
static uint64_t families_with(const struct scope *scope, unsigned bit)
{
    uint64_t families = 0;
    for (size_t p = 0; p < scope->probe_count; p++)
        for (size_t i = 0; i < scope->probes[p].finding_count; i++)
            if (scope->probes[p].findings[i].flags & bit)
                families |= family_bit(scope, &scope->probes[p], &scope->probes[p].findings[i]);
    return families;
}

/* "; as few as 2 trials, coverage 50 %" */
static void add_fewest(struct line *line, const struct scope *scope)
{
    const struct summary *fewest = NULL;
    for (size_t p = 0; p < scope->probe_count; p++) {
        const struct probe_result *probe = &scope->probes[p];
        for (size_t s = 0; s < probe->series_count; s++)
            for (size_t i = 0; i < probe->series[s].point_count; i++) {
                const struct point *point = &probe->series[s].points[i];
                if (point->flags & FLAG_BIT(FLAG_TOO_FEW) && point->y.n &&
                    (!fewest || point->y.n < fewest->n))
                    fewest = &point->y;
            }
    }
    if (fewest)
        line_add(line, "; as few as %u trial%s", fewest->n, fewest->n == 1 ? "" : "s");
    if (fewest && fewest->n > 1)
        line_add(line, ", coverage %.0f %%", floor((double)fewest->coverage * 100));
}

/* A note on one flag: its meaning, the values that have it, and the remedy. */
static void add_flag(const struct scope *scope, int flag)
{
    const struct flag_text *text = &flag_texts[flag];
    struct line whom = {0};
    const bool named = add_names(&whom, scope, FLAG_BIT(flag));
    /* In a summary findings represent the points that they result from. */
    for (size_t p = 0; p < scope->probe_count && (scope->only || !named); p++)
        add_points(&whom, &scope->probes[p], FLAG_BIT(flag));
    if (!whom.length)
        return;
    if (flag == FLAG_TOO_FEW)
        add_fewest(&whom, scope);
    struct note *note = add_note(scope, text->doubt ? NOTE_DOUBT : NOTE_REMARK, text->meaning);
    note->flag = flag;
    note->whom = report_line(scope->report, &whom);
    note->why = text->why;
    note->remedy = text->remedy;
    note->families = text->doubt ? families_with(scope, FLAG_BIT(flag)) : 0;
    note->weight = text->doubt ? WEIGHT_DOUBT : 0;
}

/* Other programs, and the figures that were taken beside them or for which they left too little
 * time. */
static void add_busy(const struct scope *scope)
{
    const struct document_verdict *verdict = &scope->graded->verdict;
    uint64_t families = 0;
    for (size_t p = 0; p < scope->probe_count; p++)
        for (size_t i = 0; i < scope->probes[p].finding_count; i++) {
            const struct finding *finding = &scope->probes[p].findings[i];
            const char *kind = finding_kind(finding);
            if (kind == finding_beside_others || (kind == finding_too_few && verdict->busy.length))
                families |= family_bit(scope, &scope->probes[p], finding);
        }
    if (!families)
        return;
    struct note *note = add_note(
        scope, NOTE_REMARK,
        report_text(scope->report, "measured beside other programs (%s); what is GOOD holds",
                    verdict->busy.length ? verdict->busy.text
                                         : "another thread of the core, or another guest"));
    note->remedy = "repeat when they have ended";
    note->families = families;
    note->weight = WEIGHT_BUSY;
}

static unsigned flags_to_tell(const struct scope *scope)
{
    unsigned flags = 0;
    for (const struct probe_result *probe = scope->probes;
         probe < scope->probes + scope->probe_count; probe++) {
        for (size_t i = 0; i < probe->finding_count; i++)
            flags |= probe->findings[i].flags;
        for (size_t s = 0; s < probe->series_count; s++)
            for (size_t i = 0; i < probe->series[s].point_count; i++)
                flags |= probe->series[s].points[i].flags;
    }
    /* Skip the flag if the remarks have named the hypervisor. */
    const struct conditions *conditions = &scope->document->conditions;
    const char *hypervisor = scope->document->machine.hypervisor;
    for (size_t i = 0; i < conditions->remark_count && hypervisor; i++)
        if (strstr(conditions->remarks[i].what, hypervisor))
            flags &= ~FLAG_BIT(FLAG_VIRTUAL_MACHINE);
    return flags;
}

void report_collect_notes(struct report *report, size_t index, const struct probe_result *probe)
{
    const struct document *document = report->catalogue.documents[index];
    const struct scope scope = {.report = report,
                                .graded = &report->graded[index],
                                .document = document,
                                .index = index,
                                .only = probe,
                                .probes = probe ? probe : document->probes,
                                .probe_count = probe ? 1 : document->probe_count};
    const struct conditions *conditions = &document->conditions;
    scope.graded->note_count = 0;
    for (size_t p = 0; p < scope.probe_count; p++)
        add_status(&scope, &scope.probes[p]);
    for (size_t p = 0; p < scope.probe_count; p++)
        add_failures(&scope, &scope.probes[p]);
    add_busy(&scope);
    /* Causes first: conditions of the run explain doubts, and doubts explain disagreements. */
    for (size_t i = 0; i < conditions->remark_count && i < REMARKS_MAX; i++) {
        struct note *note = add_note(&scope, NOTE_REMARK, conditions->remarks[i].what);
        note->why = conditions->remarks[i].why;
        note->remedy = conditions->remarks[i].remedy;
    }
    add_more(&scope, conditions->remark_count, REMARKS_MAX);
    const unsigned flags = flags_to_tell(&scope);
    for (int doubts = 1; doubts >= 0; doubts--) {
        for (int flag = 0; flag < FLAG_COUNT; flag++)
            if (flags & FLAG_BIT(flag) && flag_texts[flag].doubt == doubts)
                add_flag(&scope, flag);
        if (doubts && !probe) /* a probe in full shows its findings above */
            add_disagreements(&scope);
    }
    for (size_t p = 0; p < scope.probe_count; p++) {
        const struct factor *left = probe_parameter(&scope.probes[p], parameter_not_measured);
        if (!left || !left->text)
            continue;
        add_note(&scope, NOTE_REMARK,
                 probe ? "not measured"
                       : report_text(report, "not measured by %s", scope.probes[p].name))
            ->why = left->text;
    }
    /* Numbers the notes that matter most: each touches a family that none before it touches. */
    enum { NUMBERED_MAX = 3 };
    uint64_t touched = 0;
    for (unsigned number = 1; number <= NUMBERED_MAX; number++) {
        struct note *most = NULL;
        for (size_t i = 0; i < scope.graded->note_count; i++) {
            struct note *note = &scope.graded->notes[i];
            if (!note->number && note->weight && note->families & ~touched &&
                (!most || note->weight > most->weight))
                most = note;
        }
        if (!most)
            return;
        most->number = number;
        touched |= most->families;
    }
}

unsigned report_note_of(const struct report *report, size_t index, const struct finding *finding)
{
    const struct graded *graded = &report->graded[index];
    const struct document *document = report->catalogue.documents[index];
    unsigned number = 0;
    for (size_t p = 0; p < document->probe_count; p++) {
        const struct probe_result *probe = &document->probes[p];
        if (!probe->finding_count || finding < probe->findings ||
            finding >= probe->findings + probe->finding_count)
            continue;
        const int family = verdict_family(&graded->verdict, document, probe, finding);
        for (size_t i = 0; i < graded->note_count && family >= 0; i++)
            if (graded->notes[i].number && graded->notes[i].families >> family & 1 &&
                (!number || graded->notes[i].number < number))
                number = graded->notes[i].number;
    }
    return number;
}

/* The numbered ones first; returns how many were not shown. */
size_t report_add_notes(struct report *report, size_t index, const struct probe_result *probe,
                        bool all)
{
    const struct graded *graded = &report->graded[index];
    const size_t before = report->count;
    if (all && graded->note_count)
        report_add_heading(report, SECTION_KNOW, index, probe, 2, "notes");
    for (unsigned number = 1; number <= graded->note_count; number++)
        for (size_t i = 0; i < graded->note_count; i++)
            if (graded->notes[i].number == number)
                report_add(report, BLOCK_NOTE, SECTION_KNOW, index, probe)->note = graded->notes[i];
    for (size_t i = 0; i < graded->note_count && all; i++)
        if (!graded->notes[i].number)
            report_add(report, BLOCK_NOTE, SECTION_KNOW, index, probe)->note = graded->notes[i];
    return all ? 0 : graded->note_count - (report->count - before);
}
