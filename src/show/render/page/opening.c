/* What comes first: whose document it is, how far to trust it, how it came about, the machine. */
#include "show/render/page/page.h"

#include "base/units.h"
#include "show/report/machine.h"

#include <ctype.h>

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

/* The machine, or what was measured where nothing is known of it. */
static void put_title(FILE *out, const struct document *document)
{
    const struct machine_facts *machine = &document->machine;
    const bool known = machine->cpu_model || machine->cpu_arch || machine->cores || machine->os;
    struct line line = {0};
    line_add_machine(&line, machine);
    html_text(out, known || !document->probe_count || !document->probes[0].title
                       ? line.text
                       : document->probes[0].title);
}

bool html_opening(FILE *out, const struct report *report, size_t count, size_t index)
{
    const struct document *document = report->catalogue.documents[index];
    const struct verdict_block *verdict = html_verdict(report, index);
    const char *level = count > 1 ? "h2" : "h1";
    fprintf(out, "<section aria-labelledby=machine-%zu>\n<p class=host>", index);
    html_document(out, report->catalogue.documents, count, index);
    fprintf(out, "</p>\n<%s id=machine-%zu>", level, index);
    put_title(out, document);
    fprintf(out, "</%s>\n", level);
    if (verdict) {
        fprintf(out, "<p class=\"trust %s\"><strong>", verdict->good ? "good" : "doubtful");
        html_sentence(out, verdict->sentence);
        fputs("</strong></p>\n", out);
    }
    const bool table = document_is_imported(document) && !document->run.joined;
    (table ? put_imported : put_run)(out, document);
    const bool done = html_machine(out, &report->catalogue, count, index);
    fputs("</section>\n", out);
    return done;
}
