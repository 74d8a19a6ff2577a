#include "programs/cli/measure.h"

#include "base/clean.h"
#include "compare/differences.h"
#include "document/json.h"
#include "measure/run/run.h"
#include "programs/cli/interrupt.h"
#include "programs/cli/options.h"
#include "programs/cli/output.h"
#include "programs/cli/progress.h"
#include "programs/cli/redact.h"
#include "programs/library/version.h"

#include <limits.h>
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
    struct keeping document_kept, page_kept;
};

struct machine_source measure_source(const struct settings *settings)
{
    const char *root = getenv("FATHOM_ROOT");
    return (struct machine_source){.root = root && *root ? root : NULL,
                                   .smbios = settings && settings_has(settings, "smbios")
                                                 ? settings_text(settings, "smbios")
                                                 : NULL};
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

static int begin_keeping(struct measurement *run, struct error *error)
{
    const struct outlet document = {.output = output_by_name("json"), .path = run->path},
                        page = {.output = output_by_name("html"), .path = run->html};
    int code = keeping_begin(&run->document_kept, &document, run->unnamed, error);
    return code == 0 ? keeping_begin(&run->page_kept, &page, false, error) : code;
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
    const int code = keeping_update(&run->document_kept, document, error);
    return code == 0 ? keeping_update(&run->page_kept, document, error) : code;
}

/* --- measuring --- */

/* Everything that can be refused is refused here, before anything is measured or written. */
static int prepare(struct measurement *run, struct error *error)
{
    const struct machine_source source = measure_source(&run->invocation->settings);
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
    if (code == 0 && run->unnamed)
        code = name_document(run, error);
    return code == 0 ? begin_keeping(run, error) : code;
}

/* --- after measuring --- */

/* The file that the keeping's content is in now; NULL where it is in none, or that is gone. */
static const char *place_of(const struct keeping *kept)
{
    const struct saving *saving = &kept->saving;
    const char *place = saving_beside(saving) ? saving_beside(saving) : saving->name;
    return saving->holder && access(place, F_OK) == 0 ? place : NULL;
}

/* Names the files that were written beside the report. */
static void tell_files(const struct measurement *run)
{
    const bool text =
        run->report.path && outlet_is_text(&run->report) && output_is_standard(run->report.path);
    FILE *out = text ? stdout : stderr;
    const char *path = place_of(&run->document_kept), *page = place_of(&run->page_kept);
    char clean[PATH_MAX];
    if (path)
        fprintf(out, "%sdocument: %s   (show it again: fathom report %s)\n", text ? "\n" : "",
                clean_text(path, clean, sizeof clean), clean);
    if (path && saving_beside(&run->document_kept.saving))
        command_tell("nothing could be measured, so %s is as it was", run->path);
    if (page || run->html)
        fprintf(out, "page: %s\n", clean_text(page ? page : run->html, clean, sizeof clean));
}

/* What was measured takes an older document's place, but not where nothing was. */
static int finish(struct measurement *run, struct error *error)
{
    struct keeping *const kept[] = {&run->document_kept, &run->page_kept};
    const struct document *document = &run->document;
    int code = 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept && code == 0; i++)
        if (output_status(document) != EXIT_IMPOSSIBLE || !saving_beside(&kept[i]->saving))
            code = keeping_finish(kept[i], document, error);
    return code;
}

/* What is measured is not lost because a file can't be written any more. */
static void show_instead(struct measurement *run)
{
    const struct probe_result *alone = run->invocation->probe ? &run->document.probes[0] : NULL;
    if (!run->report.path || !output_is_standard(run->report.path))
        run->report = output_choose(&(struct settings){0});
    outlet_write(&run->report, &run->document, alone, NULL);
}

static int show(struct measurement *run, struct error *error)
{
    const struct document *document = &run->document;
    const struct probe_result *alone = run->invocation->probe ? &document->probes[0] : NULL;
    int code = finish(run, error);
    bool lost = code < 0;
    if (code == 0 && run->report.path) {
        code = outlet_write(&run->report, document, alone, error);
        lost = code < 0 && !place_of(&run->document_kept) && !output_is_standard(run->report.path);
    }
    if (lost && (code == ERROR_USAGE || code == ERROR_IMPOSSIBLE))
        show_instead(run);
    /* A format has nothing to show because nothing could be measured. */
    if (code == ERROR_USAGE && output_status(document) == EXIT_IMPOSSIBLE)
        code = ERROR_IMPOSSIBLE;
    if (code == 0)
        tell_files(run);
    return code;
}

/* Says where the results of a run are that came to no good end, if they are anywhere. */
static void tell_kept(const struct measurement *run, const char *why)
{
    const char *place = place_of(&run->document_kept);
    const bool beside = saving_beside(&run->document_kept.saving);
    if (place)
        command_tell("%swhat was measured until then is in %s%s%s%s", why, place,
                     beside ? "; " : "", beside ? run->path : "", beside ? " is as it was" : "");
}

/* What gets the result once, at its end, gets what there is by then. A text for people is shown
 * only where the document is nowhere. */
static void write_to_streams(const struct measurement *run)
{
    const struct outlet *const outlets[] = {&run->document_kept.outlet, &run->page_kept.outlet,
                                            &run->report};
    const struct document *document = &run->document;
    struct error error = {0};
    int written = place_of(&run->document_kept) != NULL;
    for (size_t i = 0; i < sizeof outlets / sizeof *outlets; i++) {
        const struct probe_result *alone =
            outlets[i] == &run->report && run->invocation->probe ? &document->probes[0] : NULL;
        if (!outlets[i]->path || (outlet_is_text(outlets[i]) && written))
            continue;
        const int code = outlet_write_to_stream(outlets[i], document, alone, &error);
        if (code < 0)
            command_tell("%s", error.text);
        written = written || code == 1;
    }
}

static int interrupted(const struct measurement *run)
{
    if (place_of(&run->document_kept))
        tell_kept(run, "interrupted; ");
    else
        fputs("fathom: interrupted\n", stderr);
    return EXIT_SIGNAL + (int)interrupt_signal;
}

/* Files that probes write, where they do not hold all that they should. */
static void tell_unfinished(const struct run *run)
{
    for (size_t i = 0; i < run->turn_count; i++)
        if (run->turns[i].task.unfinished)
            command_tell("what '%s' wrote until then is in %s; the older file is as it was",
                         run->turns[i].task.probe->name, run->turns[i].task.unfinished);
}

static void release(struct measurement *run)
{
    run_release(&run->run);
    keeping_free(&run->document_kept);
    keeping_free(&run->page_kept);
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
        if (code == ERROR_INTERRUPTED)
            write_to_streams(&run);
    }
    if (code == 0)
        code = show(&run, error);
    if (code == 0)
        code = output_status(&run.document);
    else if (code == ERROR_INTERRUPTED)
        code = interrupted(&run);
    else
        tell_kept(&run, "");
    tell_unfinished(&run.run);
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

const struct option_spec machine_options[] = {
    {"smbios", 0, OPTION_TEXT, "FILE", NULL, 0, 0, NULL,
     "a copy of the firmware's table of memory modules, where this user may not read it: 'sudo cat "
     "/sys/firmware/dmi/tables/DMI > FILE' makes one"},
    {.name = NULL},
};

static const struct option_spec *const options[] = {
    probe_common_options, made_format_options, html_options, output_options,
    measure_options,      machine_options,     NULL};

const struct command run_command = {
    .name = "run",
    .operands = "[PROBE...]",
    .summary = "measure everything, or the probes named, and keep the document",
    .about =
        "Measures every probe (or those named) within a time budget, prints a summary of one "
        "screen, and writes the document, which has every number with its interval, to -o FILE or "
        "to fathom-HOST-TIME.json in the current folder. 'fathom report FILE' shows it again. With "
        "-f X -o FILE, FILE gets X instead, and the document goes to --document FILE or to that "
        "name. SIGINT and SIGTERM end the run and save what was measured until then. Where FILE "
        "exists, it stays as it is until the run has ended by itself; the results stand beside it "
        "as FILE.partial meanwhile.",
    .options = options,
    .run = run_measurement,
};

/* A probe by itself: its name, purpose and options come from its own table. */
const struct command probe_command = {
    .name = "probe",
    .options = options,
    .run = run_measurement,
};
