#include "base/clean.h"
#include "findings/device.h"
#include "render/page/page.h"
#include "report/figure.h"
#include "report/levels.h"
#include "result/flag.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { KEY_FINDINGS_MAX = 32, DEVICES_MAX = 16 };

/* --- the machine and the run --- */

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
        html_time(out, run->started);
    } else if (run->started) {
        fputs("Measured on ", out);
        html_time(out, run->started);
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
    html_experiment(out, level_example(level));
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

static void put_levels(FILE *out, const struct catalogue *catalogue, size_t index, int device)
{
    const struct document *document = catalogue->documents[index];
    static const char *const heads[FACTS] = {"latency", "in time", "capacity", "line", "ways"};
    struct levels levels;
    struct columns columns = {0};
    levels_collect(&levels, catalogue, index, device);
    for (size_t i = 0; i < levels.count; i++) {
        const struct level *level = &levels.list[i];
        for (int fact = 0; fact < FACTS; fact++)
            columns.facts[fact] = columns.facts[fact] || level->facts[fact];
        columns.declared =
            columns.declared || isfinite(level_declared_bytes(document, device, level));
    }
    columns.facts[CAPACITY] = columns.facts[CAPACITY] || columns.declared;
    if (levels.count == 0)
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
    for (size_t i = 0; i < levels.count; i++)
        put_level(out, document, device, &levels.list[i], &columns);
    fputs("</table></div>\n", out);
    if (levels.left_out)
        fprintf(out, "<p>%zu more values of other experiments are in the document.</p>\n",
                levels.left_out);
}

/* What the datasheet has no column for, and no other finding says in cycles. */
static bool is_key(const struct catalogue_entry *entry, int device)
{
    char level[LEVEL_NAME_BYTES];
    return isfinite(entry->finding->value) && entry->meaning.device == device &&
           level_fact(entry, level) == FACTS && !entry->twin && !catalogue_is_of_clusters(entry);
}

static void put_key_findings(FILE *out, const struct catalogue *catalogue, size_t index, int device)
{
    size_t told = 0;
    for (size_t i = 0; i < catalogue->count && told < KEY_FINDINGS_MAX; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        const char *name;
        if (entry->document != index || !is_key(entry, device))
            continue;
        fputs(told++ ? "<div><dt" : "<dl class=key>\n<div><dt", out);
        if (entry->meaning.role != ROLE_PLAIN) {
            fputs(" title=\"", out);
            html_text(out, entry->meaning.line->meaning);
            fputs("\"", out);
        }
        fputs(">", out);
        device_of_name(entry->finding->name, &name); /* which stands above them */
        html_name(out, name);
        html_experiment(out, entry->finding);
        fputs("<dd>", out);
        html_finding_value(out, entry->finding);
        fputs("</div>\n", out);
    }
    fputs(told ? "</dl>\n" : "", out);
}

/* The same of each device, below what it is. */
static void put_devices(FILE *out, const struct catalogue *catalogue, size_t index)
{
    const struct document *document = catalogue->documents[index];
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
        put_levels(out, catalogue, index, devices[i]);
        put_key_findings(out, catalogue, index, devices[i]);
    }
}

void html_opening(FILE *out, const struct catalogue *catalogue, size_t count, size_t index)
{
    const struct document *document = catalogue->documents[index];
    struct line machine = {0};
    const char *level = count > 1 ? "h2" : "h1";
    line_add_machine(&machine, &document->machine);
    fprintf(out, "<section aria-labelledby=machine-%zu>\n<p class=host>", index);
    html_document(out, catalogue->documents, count, index);
    fprintf(out, "</p>\n<%s id=machine-%zu>", level, index);
    html_text(out, machine.text);
    fprintf(out, "</%s>\n", level);
    put_trust(out, document);
    const bool table = html_is_imported(document) && !document->run.joined;
    (table ? put_imported : put_run)(out, document);
    html_machine(out, catalogue, count, index);
    fputs("</section>\n", out);
}

void html_sheet(FILE *out, const struct catalogue *catalogue, size_t count, size_t index)
{
    struct line name = {0};
    line_add_document(&name, catalogue->documents, count, index);
    fputs("<section class=sheet aria-label=\"Datasheet: ", out);
    html_text(out, name.text);
    fputs("\">\n", out);
    if (count > 1) {
        fputs("<p class=host>", out);
        html_document(out, catalogue->documents, count, index);
        fputs("</p>\n", out);
    }
    put_levels(out, catalogue, index, -1);
    put_key_findings(out, catalogue, index, -1);
    put_devices(out, catalogue, index);
    html_know(out, catalogue, index);
    fputs("</section>\n", out);
}
