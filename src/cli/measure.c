#include "cli/measure.h"

#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/redact.h"
#include "findings/differences.h"
#include "result/json.h"
#include "run/run.h"
#include "version.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct measurement {
    struct invocation *invocation;
    struct machine machine;
    struct document document;
    struct run run;
    struct progress_line line;
    bool only_used;       /* the document is for the caller: no probes, file or page are named */
    struct outlet report; /* what is shown when all is measured; path NULL: nothing */
    const char *path;     /* of the document; NULL: it is not kept */
    bool unnamed;         /* the document is kept, under a name that is still to be made */
    const char *html;     /* of the page; NULL: none is asked for */
};

struct machine_source measure_source(void)
{
    const char *root = getenv("FATHOM_ROOT");
    return (struct machine_source){.root = root && *root ? root : NULL};
}

/* --- what is to be measured --- */

static bool is_named(const struct invocation *invocation, const char *probe)
{
    for (int i = 0; i < invocation->operand_count; i++)
        if (strcmp(invocation->operands[i], probe) == 0)
            return true;
    return false;
}

/* In the table's order, however they were typed. Where none is named, the run chooses. */
static int choose_probes(struct measurement *run, struct error *error)
{
    const struct invocation *invocation = run->invocation;
    const int operands = run->only_used ? 0 : invocation->operand_count;
    if (!invocation->probe && !operands)
        return 0;
    const struct probe **named =
        pool_alloc(&run->document.pool, (size_t)operands + 2, sizeof *named);
    size_t count = 0;
    if (!named)
        return error_out_of_memory(error);
    for (size_t i = 0; probes[i]; i++)
        if (probes[i] == invocation->probe || is_named(invocation, probes[i]->name))
            named[count++] = probes[i];
    run->run.probes = named;
    return 0;
}

static int note_command(struct measurement *run, struct error *error)
{
    struct document *document = &run->document;
    const struct invocation *invocation = run->invocation;
    document->tool = (struct tool_facts){
        .version = FATHOM_VERSION, .commit = FATHOM_COMMIT, .compiler = __VERSION__};
    if (!run->only_used && settings_has(&invocation->settings, "redact")) {
        document->machine.hostname = NULL;
        return redact_command(invocation, &document->pool, &document->run, error);
    }
    document->run.command = (const char **)invocation->argv;
    document->run.command_count = (size_t)invocation->argc;
    return 0;
}

/* --- where it goes --- */

/* A document without a name gets one of machine and time. */
static int name_document(struct measurement *run, struct error *error)
{
    char when[20];
    time_t now = time(NULL);
    strftime(when, sizeof when, "%Y%m%dT%H%M%S", gmtime(&now));
    char *path = pool_printf(
        &run->document.pool, "fathom-%s-%s.json",
        run->document.machine.hostname ? run->document.machine.hostname : "machine", when);
    for (char *c = path; c && *c; c++)
        if (*c == '/')
            *c = '_';
    run->path = path;
    return path ? 0 : error_out_of_memory(error);
}

/* -o names the place for the document: it is written there from the beginning on. Without --format
 * the text goes to standard output, as if there were no -o. */
static void keep_at_output(struct measurement *run)
{
    if (output_is_standard(run->report.path))
        return;
    run->path = run->report.path;
    run->report = run->report.chosen ? (struct outlet){0} : output_choose(&(struct settings){0});
}

/* Where the report goes, and where the document is kept beside it. */
static int choose_outputs(struct measurement *run, struct error *error)
{
    const struct settings *settings = &run->invocation->settings;
    const bool to_file = settings_has(settings, "output");
    run->report = output_choose(settings);
    run->html = settings_has(settings, "html") ? settings_text(settings, "html") : NULL;
    run->path = settings_has(settings, "document") ? settings_text(settings, "document") : NULL;
    if (run->html && output_is_standard(run->html))
        return error_set(error, ERROR_USAGE,
                         "--html %s would mix the page with the report: name a file, or ask for "
                         "the page alone with --format html",
                         run->html);
    if (run->path && to_file && !run->report.chosen)
        return error_set(error, ERROR_USAGE,
                         "-o without --format is a place for the document, and so is --document: "
                         "leave one out, or say with --format what goes to -o");
    if (run->path && output_is_standard(run->path) && output_is_standard(run->report.path))
        return error_set(error, ERROR_USAGE,
                         "--document %s would mix the document with the report: name a file, or "
                         "ask for the document alone with -o -",
                         run->path);
    if (!run->path && to_file && outlet_is_document(&run->report))
        keep_at_output(run);
    else
        run->unnamed = !run->path && !run->invocation->probe;
    int code = output_files_differ(settings, error);
    if (code == 0 && run->html)
        code = render_page_possible(error);
    return code == 0 && run->report.path ? outlet_possible(&run->report, error) : code;
}

/* A stream is given the document once, when it is complete. */
static bool is_file(const char *path)
{
    return path && !output_is_stream(path);
}

static void show_progress(void *argument, const char *probe, double done, double left_s,
                          const char *so_far)
{
    progress_show(&((struct measurement *)argument)->line, probe, done, left_s, so_far);
}

static int save(void *argument, const struct document *document, struct error *error)
{
    struct measurement *run = argument;
    progress_end(&run->line);
    int code = is_file(run->path) ? document_save(document, run->path, error) : 0;
    return code == 0 && is_file(run->html)
               ? output_html(run->html, &document, 1, differences_threshold, error)
               : code;
}

/* --- measuring --- */

/* Everything that can be refused is refused here, before anything is measured or written. */
static int prepare(struct measurement *run, struct error *error)
{
    const struct machine_source source = measure_source();
    run->run = (struct run){.machine = &run->machine,
                            .settings = &run->invocation->settings,
                            .document = &run->document,
                            .stop = &interrupt_signal,
                            .began_ns = os_raw_ns(),
                            .listener = {isatty(STDERR_FILENO) ? show_progress : NULL, save, run}};
    int code = run->only_used ? 0 : choose_outputs(run, error);
    if (code == 0)
        code = choose_probes(run, error);
    if (code == 0)
        code = machine_read(&run->machine, &source, error);
    if (code == 0)
        code = run_plan(&run->run, error);
    if (code == 0)
        code = note_command(run, error);
    return code == 0 && run->unnamed ? name_document(run, error) : code;
}

/* --- after measuring --- */

/* Names the files that were written beside the report. */
static void tell_files(const struct measurement *run)
{
    const bool text =
        run->report.path && outlet_is_text(&run->report) && output_is_standard(run->report.path);
    FILE *out = text ? stdout : stderr;
    if (is_file(run->path))
        fprintf(out, "%sdocument: %s   (show it again: fathom report %s)\n", text ? "\n" : "",
                run->path, run->path);
    if (run->html)
        fprintf(out, "page: %s\n", run->html);
}

static int show(const struct measurement *run, struct error *error)
{
    const struct document *document = &run->document;
    const struct probe_result *alone = run->invocation->probe ? &document->probes[0] : NULL;
    int code = run->report.path ? outlet_write(&run->report, document, alone, error) : 0;
    if (code == 0 && run->path && !is_file(run->path))
        code = output_save(document, run->path, error);
    if (code == 0 && run->html && !is_file(run->html))
        code = output_html(run->html, &document, 1, differences_threshold, error);
    /* A format has nothing to show because nothing could be measured. */
    if (code == ERROR_USAGE && output_status(document) == EXIT_IMPOSSIBLE)
        code = ERROR_IMPOSSIBLE;
    if (code == 0)
        tell_files(run);
    return code;
}

/* What is measured is not lost because a file can't be written any more. */
static void show_instead(struct measurement *run)
{
    if (!run->report.path || !output_is_standard(run->report.path))
        run->report = output_choose(&(struct settings){0});
    run->path = run->html = NULL;
    show(run, NULL);
}

static int interrupted(const struct measurement *run)
{
    if (is_file(run->path))
        fprintf(stderr, "fathom: interrupted; what was measured until then is in %s\n", run->path);
    else
        fputs("fathom: interrupted\n", stderr);
    return EXIT_SIGNAL + (int)interrupt_signal;
}

static void release(struct measurement *run)
{
    run_release(&run->run);
    document_free(&run->document);
    machine_free(&run->machine);
}

static int run_measurement(struct invocation *invocation, struct error *error)
{
    struct measurement run = {.invocation = invocation};
    interrupt_catch(); /* before the first file, or a temporary one could be left behind */
    int code = prepare(&run, error);
    if (code == 0) {
        code = run_measure(&run.run, error);
        if (code == ERROR_USAGE && run.document.probe_count)
            show_instead(&run);
    }
    if (code == 0) {
        code = show(&run, error);
        if (code < 0 && !run.path && is_file(run.report.path))
            show_instead(&run);
    }
    if (code == 0)
        code = output_status(&run.document);
    else if (code == ERROR_INTERRUPTED)
        code = interrupted(&run);
    release(&run);
    return code;
}

int measure_and_use(struct invocation *invocation, measure_use *use, void *argument,
                    struct error *error)
{
    struct measurement run = {.invocation = invocation, .only_used = true};
    interrupt_catch();
    int code = prepare(&run, error);
    if (code == 0)
        code = run_measure(&run.run, error);
    if (code == 0)
        code = use(&run.document, argument, error);
    else if (code == ERROR_INTERRUPTED)
        code = interrupted(&run);
    release(&run);
    return code;
}

static const struct option_spec measure_options[] = {
    {"document", 0, OPTION_TEXT, "FILE", NULL, 0, 0, NULL,
     "write the document to FILE, beside what --format and -o ask for"},
    {"redact", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL,
     "leave the host's name and the names of files out of the document"},
    {.name = NULL},
};

static const struct option_spec *const options[] = {
    probe_common_options, made_format_options, html_options, output_options, measure_options, NULL};

const struct command run_command = {
    .name = "run",
    .operands = "[PROBE...]",
    .summary = "measure everything, or the probes named, and keep the document",
    .about =
        "Measures every probe (or those named) within a time budget, prints a summary of one "
        "screen, and writes the document, which has every number with its interval, to -o FILE or "
        "to fathom-HOST-TIME.json in the current folder. 'fathom report FILE' shows it again. With "
        "-f X -o FILE, FILE gets X instead, and the document goes to --document FILE or to that "
        "name. SIGINT and SIGTERM end the run and save what was measured until then.",
    .options = options,
    .run = run_measurement,
};

/* A probe by itself: its name, purpose and options come from its own table. */
const struct command probe_command = {
    .name = "probe",
    .options = options,
    .run = run_measurement,
};
