#include "findings/device.h"
#include "findings/lookup.h"
#include "result/flag.h"
#include "views/clean.h"
#include "views/figure.h"
#include "views/html.h"
#include "views/levels.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { KEY_FINDINGS_MAX = 32, NAMES_MAX = 4, WARNINGS_MAX = 50, DEVICES_MAX = 16 };

/* --- the machine and the run --- */

/* "2026-11-21T04:18:25Z" as "2026-11-21 04:18 UTC"; anything else as it stands. */
static void put_time(FILE *out, const char *started)
{
    char readable[32];
    int end = 0;
    sscanf(started, "%*4d-%*2d-%*2dT%*2d:%*2d:%*2dZ%n", &end);
    if (end == 20 && started[end] == '\0') {
        snprintf(readable, sizeof readable, "%.10s %.5s UTC", started, started + 11);
        started = readable;
    }
    html_text(out, started);
}

static void put_imported(FILE *out, const struct document *document)
{
    fputs("<p class=run>Another tool's table", out);
    if (document->tool.version) {
        fputs(", imported by fathom ", out);
        html_text(out, document->tool.version);
    }
    fputs(": it does not say when and how it was measured.</p>\n", out);
}

static void put_run(FILE *out, const struct document *document)
{
    const struct run_facts *run = &document->run;
    char text[UNIT_TEXT];
    struct line joined = {0};
    line_add_joined(&joined, run);
    fputs("<p class=run>", out);
    if (joined.length) {
        joined.text[0] = (char)toupper((unsigned char)joined.text[0]);
        fprintf(out, "%s%s", joined.text, run->started ? ", the newest of " : "");
        put_time(out, run->started ? run->started : "");
    } else if (run->started) {
        fputs("Measured on ", out);
        put_time(out, run->started);
    }
    if (run->elapsed_s >= 0 && run->elapsed_s < 1e9)
        fprintf(out, "%s %s", run->started ? " in" : "Measured in",
                duration_format(run->elapsed_s, text));
    if (document->tool.version) {
        fputs(" by fathom ", out);
        html_text(out, document->tool.version);
    }
    if (run->command_count) {
        fputs(": <code>", out);
        html_command(out, run);
        fputs("</code>", out);
    }
    fputs("</p>\n", out);
}

/* What all points and findings of a document say of their own worth. */
struct worth {
    size_t findings, doubtful;
    size_t untried;  /* findings of probes whose points have one trial at most */
    unsigned fewest; /* trials of the point that has the fewest; 0 where none has any */
    float coverage;  /* of the point that has the least */
};

static size_t finite_findings(const struct probe_result *probe)
{
    size_t count = 0;
    for (size_t i = 0; i < probe->finding_count; i++)
        count += isfinite(probe->findings[i].value) != 0;
    return count;
}

static bool is_baseline(const struct document *document)
{
    return document->run.joined && strcmp(document->run.joined, "baseline") == 0;
}

static struct worth worth_of(const struct document *document)
{
    struct worth worth = {.coverage = 1};
    for (size_t p = 0; p < document->probe_count; p++) {
        const struct probe_result *probe = &document->probes[p];
        bool tried = is_baseline(document), single = html_is_imported(document);
        for (size_t i = 0; i < probe->finding_count; i++)
            worth.doubtful += flag_doubts(probe->findings[i].flags) != 0;
        for (size_t s = 0; s < probe->series_count; s++)
            for (size_t i = 0; i < probe->series[s].point_count; i++) {
                const struct summary *y = &probe->series[s].points[i].y;
                tried = tried || y->n > 1;
                single = single || y->n == 1;
                if (y->n && (!worth.fewest || y->n < worth.fewest))
                    worth.fewest = y->n;
                if (y->n && y->coverage < worth.coverage)
                    worth.coverage = y->coverage;
            }
        worth.findings += finite_findings(probe);
        worth.untried += single && !tried ? finite_findings(probe) : 0;
    }
    return worth;
}

/* What a value and the interval beside it are. */
static void put_meaning(FILE *out, const struct document *document, const struct worth *worth)
{
    if (is_baseline(document))
        fputs(" Every value is the median over the documents; the interval beside it is their "
              "middle four fifths.",
              out);
    else if (worth->fewest > 1)
        fprintf(out,
                " Every value is the median of %u or more independent trials; the interval "
                "beside it holds the true median with a probability of %.0f %% or more.",
                worth->fewest, floor((double)worth->coverage * 100));
}

static void put_trust(FILE *out, const struct document *document)
{
    struct worth worth = worth_of(document);
    bool good = document->run.complete && !worth.doubtful && !worth.untried && worth.findings;
    fprintf(out, "<p class=\"trust %s\"><strong>", good ? "good" : "doubtful");
    if (!document->run.complete)
        fputs("Not complete: the run was stopped, and this is what it had measured.", out);
    else if (html_is_imported(document) && worth.untried == worth.findings)
        fputs("Imported: no trials, nothing is known of how sure it is.", out);
    else if (worth.findings == 0)
        fputs("No findings.", out);
    else if (worth.untried && !worth.doubtful)
        fprintf(out,
                "%zu of %zu values come from a single trial: nothing is known of how sure they "
                "are.",
                worth.untried, worth.findings);
    else if (worth.doubtful)
        fprintf(out, "%zu of %zu values are in doubt, marked !: the reasons stand below.",
                worth.doubtful, worth.findings);
    else
        fprintf(out, "All %zu values can be trusted as they stand.", worth.findings);
    fputs("</strong>", out);
    put_meaning(out, document, &worth);
    fputs("</p>\n", out);
}

/* --- the datasheet --- */

/* Which columns any level fills. */
struct columns {
    bool facts[FACTS], declared;
};

static void put_level(FILE *out, const struct document *document, int device,
                      const struct level *level, const struct columns *columns)
{
    char text[UNIT_TEXT];
    fputs("\n<tr><th scope=row>", out);
    html_text(out, level->name);
    for (int fact = 0; fact < FACTS; fact++) {
        if (!columns->facts[fact])
            continue;
        fputs("<td>", out);
        if (level->facts[fact])
            html_finding_value(out, level->facts[fact]);
        double declared = level_declared_bytes(document, device, level);
        if (fact == CAPACITY && columns->declared)
            fprintf(out, "<td>%s", isfinite(declared) ? figure_valued(declared, "B", text) : "");
    }
}

static void put_levels(FILE *out, const struct document *document, int device)
{
    static const char *const heads[FACTS] = {"latency", "in time", "capacity", "line", "ways"};
    struct level levels[LEVELS_MAX];
    struct columns columns = {0};
    size_t count = levels_collect(document, device, levels);
    for (size_t i = 0; i < count; i++) {
        for (int fact = 0; fact < FACTS; fact++)
            columns.facts[fact] = columns.facts[fact] || levels[i].facts[fact];
        columns.declared =
            columns.declared || isfinite(level_declared_bytes(document, device, &levels[i]));
    }
    columns.facts[CAPACITY] = columns.facts[CAPACITY] || columns.declared;
    if (count == 0)
        return;
    char whose[24] = "";
    if (device >= 0)
        snprintf(whose, sizeof whose, " of gpu%d", device);
    fprintf(out,
            "<div class=scroll tabindex=0 role=region aria-label=\"Datasheet%s\">"
            "<table class=datasheet><caption>Depth%s: how far away each level is, and how much it "
            "holds</caption><thead><tr><th scope=col>level",
            whose, whose);
    for (int fact = 0; fact < FACTS; fact++)
        if (columns.facts[fact])
            fprintf(out, "<th scope=col>%s%s", heads[fact],
                    fact == CAPACITY && columns.declared ? "<th scope=col>declared" : "");
    fputs("<tbody>", out);
    for (size_t i = 0; i < count; i++)
        put_level(out, document, device, &levels[i], &columns);
    fputs("</table></div>\n", out);
}

/* What the datasheet has no column for, and no other finding says in cycles. */
static bool is_key(const struct finding_lookup *lookup, const struct finding *finding, int device)
{
    char level[LEVEL_NAME_BYTES];
    return isfinite(finding->value) && device_of_name(finding->name, NULL) == device &&
           level_fact(finding, level) == FACTS && !finding_lookup_is_twin(lookup, finding) &&
           strncmp(finding->name, "cluster", strlen("cluster")) != 0;
}

static void put_key_findings(FILE *out, const struct document *document,
                             const struct finding_lookup *lookup, int device)
{
    size_t told = 0;
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t i = 0; i < document->probes[p].finding_count; i++) {
            const struct finding *finding = &document->probes[p].findings[i];
            const char *name;
            if (told == KEY_FINDINGS_MAX || !is_key(lookup, finding, device))
                continue;
            fputs(told++ ? "<div><dt>" : "<dl class=key>\n<div><dt>", out);
            device_of_name(finding->name, &name); /* which stands above them */
            html_text(out, name);
            fputs("<dd>", out);
            html_finding_value(out, finding);
            fputs("</div>\n", out);
        }
    fputs(told ? "</dl>\n" : "", out);
}

/* The same of each device, below what it is. */
static void put_devices(FILE *out, const struct document *document,
                        const struct finding_lookup *lookup)
{
    int devices[DEVICES_MAX];
    const size_t count = device_list(document, devices, DEVICES_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct gpu_facts *gpu = device_facts(&document->machine, devices[i]);
        const char *warning = gpu ? gpu_warning(gpu) : NULL;
        struct line line = {0};
        line_add_gpu(&line, gpu);
        fprintf(out, "<h3 class=device>gpu%d: ", devices[i]);
        html_text(out, line.text);
        fputs("</h3>\n", out);
        if (warning) {
            fputs("<p class=\"trust doubtful\"><strong>", out);
            html_text(out, warning);
            fputs("</strong></p>\n", out);
        }
        put_levels(out, document, devices[i]);
        put_key_findings(out, document, lookup, devices[i]);
    }
}

/* --- what has to be known --- */

static void put_names(FILE *out, const struct document *document, unsigned bit)
{
    size_t named = 0, points = 0;
    for (size_t p = 0; p < document->probe_count; p++) {
        const struct probe_result *probe = &document->probes[p];
        for (size_t i = 0; i < probe->finding_count; i++)
            if ((probe->findings[i].flags & bit) && named++ < NAMES_MAX) {
                fputs(named > 1 ? ", " : " <span class=whom>", out);
                html_text(out, probe->findings[i].name);
            }
        for (size_t s = 0; s < probe->series_count; s++)
            for (size_t i = 0; i < probe->series[s].point_count; i++)
                points += (probe->series[s].points[i].flags & bit) != 0;
    }
    if (named > NAMES_MAX)
        fprintf(out, " and %zu more", named - NAMES_MAX);
    if (points)
        fprintf(out, "%s%zu point%s", named ? "; " : " <span class=whom>", points,
                points == 1 ? "" : "s");
    fputs(named || points ? "</span>" : "", out);
}

static void put_flag(FILE *out, const struct document *document, int flag)
{
    const struct flag_text *text = &flag_texts[flag];
    fprintf(out, "<li class=%s><strong>", text->doubt ? "doubtful" : "remark");
    html_text(out, text->meaning);
    fputs("</strong>", out);
    put_names(out, document, FLAG_BIT(flag));
    fputs(" <span class=remedy>", out);
    html_text(out, text->remedy);
    fputs("</span>\n", out);
}

static unsigned all_flags(const struct document *document)
{
    unsigned flags = document_headline_flags(document);
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t s = 0; s < document->probes[p].series_count; s++)
            for (size_t i = 0; i < document->probes[p].series[s].point_count; i++)
                flags |= document->probes[p].series[s].points[i].flags;
    return flags;
}

static void put_disagreements(FILE *out, const struct probe_result *probe)
{
    for (size_t i = 0; i < probe->finding_count; i++) {
        struct line line = {0};
        if (!disagreement_is(&probe->findings[i]))
            continue;
        line_add_disagreement(&line, &probe->findings[i]);
        fputs("<li class=disagreement>", out);
        html_text(out, line.text);
        fputs("\n", out);
    }
}

static void put_status(FILE *out, const struct probe_result *probe)
{
    if (probe->status == PROBE_OK)
        return;
    fprintf(out, "<li class=%s><strong>", probe->status == PROBE_SKIPPED ? "remark" : "doubtful");
    html_text(out, probe->name);
    fprintf(out, ": %s</strong> ", probe_status_names[probe->status]);
    html_text(out, probe->reason);
    fputs("\n", out);
}

static void put_known(FILE *out, const struct document *document, size_t index)
{
    const struct conditions *conditions = &document->conditions;
    unsigned flags = all_flags(document), doubts = flag_doubts(flags);
    bool ended_well = true;
    for (size_t p = 0; p < document->probe_count; p++)
        ended_well = ended_well && document->probes[p].status == PROBE_OK;
    if (!flags && ended_well && !conditions->warning_count &&
        disagreements_print(NULL, document, NULL, NULL) == 0)
        return;
    fprintf(out,
            "<section class=know aria-labelledby=know-%zu><h3 id=know-%zu>To know</h3>\n<ul>\n",
            index, index);
    for (size_t p = 0; p < document->probe_count; p++)
        put_disagreements(out, &document->probes[p]);
    for (size_t p = 0; p < document->probe_count; p++)
        put_status(out, &document->probes[p]);
    for (int flag = 0; flag < FLAG_COUNT; flag++)
        if (doubts & FLAG_BIT(flag))
            put_flag(out, document, flag);
    for (int flag = 0; flag < FLAG_COUNT; flag++)
        if (flags & ~doubts & FLAG_BIT(flag))
            put_flag(out, document, flag);
    for (size_t i = 0; i < conditions->warning_count && i < WARNINGS_MAX; i++) {
        fputs("<li class=remark>", out);
        html_text(out, conditions->warnings[i]);
        fputs("\n", out);
    }
    if (conditions->warning_count > WARNINGS_MAX)
        fprintf(out, "<li class=remark>%zu more are in the document\n",
                conditions->warning_count - WARNINGS_MAX);
    fputs("</ul></section>\n", out);
}

void html_sheet(FILE *out, const struct document *const *documents, size_t count, size_t index)
{
    const struct document *document = documents[index];
    struct line machine = {0}, name = {0};
    const char *level = count > 1 ? "h2" : "h1";
    struct finding_lookup lookup;
    struct pool pool = {0};
    line_add_machine(&machine, &document->machine);
    line_add_document(&name, documents, count, index);
    fprintf(out, "<section class=sheet aria-labelledby=machine-%zu>\n<p class=host>", index);
    html_text(out, name.text);
    fprintf(out, "</p>\n<%s id=machine-%zu>", level, index);
    html_text(out, machine.text);
    fprintf(out, "</%s>\n", level);
    const bool table = html_is_imported(document) && !document->run.joined;
    (table ? put_imported : put_run)(out, document);
    put_trust(out, document);
    put_levels(out, document, -1);
    if (finding_lookup_build(&lookup, &pool, document, NULL) == 0) {
        put_key_findings(out, document, &lookup, -1);
        put_devices(out, document, &lookup);
    }
    pool_free(&pool);
    put_known(out, document, index);
    fputs("</section>\n", out);
}
