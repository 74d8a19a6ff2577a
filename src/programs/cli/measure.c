#include "programs/cli/measure.h"

#include "base/clean.h"
#include "base/line.h"
#include "conclude/registry/registry.h"
#include "machine/os.h"
#include "programs/cli/options.h"
#include "programs/cli/redact.h"
#include "programs/cli/sweep.h"
#include "programs/library/version.h"
#include "show/report/figure.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run that is shown and kept. */
struct shown {
    const struct invocation *invocation;
    struct measurement measured;
    const struct document *document; /* that is shown: the measured one, or several joined */
    struct progress_line line;
    struct line settled;  /* figures of the last probe that has ended */
    struct outlet report; /* what is shown at the end; path NULL: nothing */
    struct outlet kept, page;
    /* of a sweep; kept to the end, because their documents may refer to memory of the machine and
     * the settings */
    struct shown *steps;
    bool unnamed; /* the document's name is not chosen yet: fathom-HOST-TIME.json */
};

/* --- what is to be measured --- */

int measure_refuse_how(const struct invocation *invocation, struct error *error)
{
    static const struct option_spec *const how[] = {probe_common_options, twin_options,
                                                    repeat_options};
    const char *name = NULL;
    for (size_t i = 0; i < sizeof how / sizeof *how; i++)
        for (const struct option_spec *spec = how[i]; spec->name && !name; spec++)
            name = settings_first_given(
                (const struct setting *const[]){settings_of(&invocation->settings, spec), NULL});
    return !name ? 0
                 : error_set(error, ERROR_USAGE,
                             "--%s says how to measure, and the documents named are read as they "
                             "are: leave it out, or name none",
                             name);
}

static int plan_asked(struct measurement *measured, const struct command_options *asked,
                      struct error *error)
{
    return asked->every.given && !asked->repeat.given
               ? error_set(error, ERROR_USAGE,
                           "--every is the time from run to run: say how many with --repeat")
               : measurement_plan(measured, error);
}

struct measurement measure_as_asked(const struct invocation *invocation)
{
    return (struct measurement){
        .source = measure_source(invocation->options.smbios.text),
        .twin_of = invocation->options.machine.text,
        .changes = invocation->options.change.text,
        .run = {.settings = &invocation->settings},
        .document = {
            .tool = {.version = FATHOM_VERSION, .commit = FATHOM_COMMIT, .compiler = __VERSION__},
            .run = {.command = (const char **)invocation->argv,
                    .command_count = (size_t)invocation->argc}}};
}

/* --- where it goes --- */

/* Chooses the place of the report and of the document. -o names the place of the document, which is
 * written from the beginning of the run. Without --format the text goes to standard output, with or
 * without -o. */
static int choose_outputs(struct shown *run, struct error *error)
{
    const struct command_options *asked = &run->invocation->options;
    const bool to_file = asked->output.has;
    const char *html = asked->html.text, *path = asked->document.text;
    run->report = output_choose(asked);
    if (html && output_is_standard(html))
        return error_set(error, ERROR_USAGE,
                         "--html %s would mix the page with the report: name a file, or ask for "
                         "the page alone with --format html",
                         html);
    if (path && to_file && !run->report.chosen)
        return error_set(error, ERROR_USAGE,
                         "-o without --format is a place for the document, and so is --document: "
                         "leave one out, or say with --format what goes to -o");
    if (path && output_is_standard(path) && output_is_standard(run->report.path))
        return error_set(error, ERROR_USAGE,
                         "--document %s would mix the document with the report: name a file, or "
                         "ask for the document alone with -o -",
                         path);
    if (path || !to_file || !run->report.output->is_document) {
        run->unnamed = !path && !run->invocation->probe;
    } else if (!output_is_standard(run->report.path)) {
        path = run->report.path;
        run->report = run->report.chosen
                          ? (struct outlet){0}
                          : output_choose(&(struct command_options){.points = asked->points});
    }
    run->kept = (struct outlet){.output = output_by_name("json"), .path = path};
    run->page = (struct outlet){.output = output_by_name("html"), .path = html};
    const int code = output_files_differ(run->invocation, error);
    return code == 0 && run->report.path ? outlet_possible(&run->report, error) : code;
}

/* One bar for the whole time, whatever the probe says of its own. */
static void show_progress(void *argument, const char *probe, double done, double left_s,
                          const char *so_far)
{
    struct shown *run = argument;
    const double budget_s = run->measured.run.budget_s,
                 elapsed_s = (double)(os_raw_ns() - run->measured.run.began_ns) * 1e-9;
    progress_show(&run->line, probe, elapsed_s / budget_s, budget_s - elapsed_s,
                  *so_far ? so_far : run->settled.text);
}

static int save(void *argument, const struct document *document, struct error *error)
{
    struct shown *run = argument;
    progress_end(&run->line);
    /* The figures of the probe that has ended, as many as the line takes: "L1 4.00 cycles". */
    const struct probe_result *probe =
        document->probe_count ? &document->probes[document->probe_count - 1] : NULL;
    struct line line = {0};
    for (size_t i = 0; probe && i < probe->finding_count && line.length < 200; i++) {
        const struct finding *finding = &probe->findings[i];
        const struct finding_meaning meaning = finding_meaning(finding);
        if (meaning.fact == FACT_NONE || meaning.fact == FACT_LATENCY_NS || finding->deviations ||
            !isfinite(finding->value))
            continue;
        struct line name = {0};
        line_add_clean(&name, finding->name);
        name.text[strcspn(name.text, ".")] = '\0';
        line_add(&line, "%s%s ", line.length ? "  " : "", name.text);
        line_add_value(&line, finding->value, finding->unit);
    }
    if (line.length)
        run->settled = line;
    const int code = outlet_update(&run->kept, document, error);
    return code == 0 ? outlet_update(&run->page, document, error) : code;
}

/* Named probes are sorted as in the table. If none is named, the run chooses. */
static int plan_shown(struct shown *shown, struct error *error)
{
    const struct invocation *invocation = shown->invocation;
    struct measurement *measured = &shown->measured;
    const size_t words = (size_t)invocation->operand_count;
    const struct probe **named = pool_alloc(&measured->document.pool, words + 2, sizeof *named);
    if (!named)
        return error_out_of_memory(error);
    size_t count = 0;
    for (size_t i = 0; probes[i]; i++) {
        bool asked = probes[i] == invocation->probe;
        for (size_t k = 0; k < words && !asked; k++)
            asked = strcmp(invocation->operands[k], probes[i]->name) == 0;
        if (asked)
            named[count++] = probes[i];
    }
    measured->run.probes = count ? named : NULL;
    measured->run.listener =
        (struct run_listener){isatty(STDERR_FILENO) ? show_progress : NULL, save, shown};
    const int code = plan_asked(measured, &invocation->options, error);
    return code == 0 && invocation->options.redact.has
               ? redact_measured(&measured->document, invocation, error)
               : code;
}

/* Refuses all wrong input here, before anything is measured or written. */
static int prepare(struct shown *run, struct sweep *sweep, struct error *error)
{
    const struct command_options *asked = &run->invocation->options;
    int code = choose_outputs(run, error);
    const char *path = run->kept.path;
    if (code == 0)
        code = plan_shown(run, error);
    if (code == 0 && asked->add.has && (!path || output_is_standard(path)))
        code =
            error_set(error, ERROR_USAGE, "--add adds to a document: name its file with -o FILE%s",
                      asked->format.has ? " or --document FILE" : "");
    if (code == 0 && sweep_asked(run->invocation))
        code = sweep_open(sweep, run->invocation, asked->add.has ? path : NULL, error);
    if (code == 0 && run->unnamed) {
        run->kept.path = measurement_name(&run->measured);
        code = run->kept.path ? 0 : error_out_of_memory(error);
    }
    if (code == 0)
        code = outlet_begin(&run->kept, run->unnamed, error);
    return code == 0 ? outlet_begin(&run->page, false, error) : code;
}

/* --- after measuring --- */

static const struct probe_result *alone(const struct shown *run)
{
    return run->invocation->probe ? &run->document->probes[0] : NULL;
}

/* Shows the results on standard output if the file can't be written any more, so that they are not
 * lost. */
static void show_instead(struct shown *run)
{
    if (!run->report.path || !output_is_standard(run->report.path))
        run->report = output_choose(&(struct command_options){0});
    outlet_write(&run->report, run->document, alone(run), NULL);
}

static int show(struct shown *run, struct document *document, struct error *error)
{
    struct outlet *const files[] = {&run->kept, &run->page};
    const bool nothing = output_status(document) == EXIT_IMPOSSIBLE;
    int code = 0;
    /* Results replace an older document, but a run without results does not. */
    for (size_t i = 0; i < sizeof files / sizeof *files && code == 0; i++)
        if (!nothing || !saving_beside(&files[i]->saving))
            code = outlet_finish(files[i], document, error);
    bool lost = code < 0;
    document->file = outlet_place(&run->kept);
    /* If a single probe measured nothing, the reason, which is printed below, replaces the screen;
     * but not if there are devices to name. */
    const bool text =
        run->report.path && run->report.output->is_text && output_is_standard(run->report.path);
    const bool reason_alone = nothing && text && !run->report.points && alone(run) &&
                              !document->machine.gpu_count && document->verdict.family_count &&
                              document->verdict.families->why;
    if (code == 0 && run->report.path && !reason_alone) {
        code = outlet_write(&run->report, document, alone(run), error);
        lost = code < 0 && !outlet_place(&run->kept) && !output_is_standard(run->report.path);
    }
    if (lost && (code == ERROR_USAGE || code == ERROR_IMPOSSIBLE))
        show_instead(run);
    /* The format had nothing to show because nothing was measured: no wrong usage. */
    if (code == ERROR_USAGE && nothing)
        code = ERROR_IMPOSSIBLE;
    if (code == 0) {
        /* Names the files written in addition to the report. */
        FILE *out = text ? stdout : stderr;
        const char *path = outlet_place(&run->kept), *page = outlet_place(&run->page);
        char clean[PATH_MAX];
        const bool reasons = nothing && (!text || reason_alone);
        for (size_t i = 0; reasons && i < document->verdict.family_count; i++)
            if (document->verdict.families[i].why)
                command_tell("%s was not measured: %s",
                             alone(run) ? alone(run)->name : document->verdict.families[i].name,
                             document->verdict.families[i].why);
        if (path && (!text || reason_alone)) /* the text says it itself */
            fprintf(out, "document: %s\n", clean_text(path, clean, sizeof clean));
        if (path && saving_beside(&run->kept.saving))
            command_tell("nothing could be measured, so %s was not changed", run->kept.path);
        if (run->page.path)
            fprintf(out, "page: %s\n",
                    clean_text(page ? page : run->page.path, clean, sizeof clean));
    }
    return code;
}

/* Writes the results so far to outputs that are written only once, at the end. The text is shown
 * only if the document is written nowhere. */
static void write_to_streams(const struct shown *run)
{
    const struct outlet *const outlets[] = {&run->kept, &run->page, &run->report};
    struct error error = {0};
    int written = outlet_place(&run->kept) != NULL;
    for (size_t i = 0; i < sizeof outlets / sizeof *outlets; i++) {
        if (!outlets[i]->path || (outlets[i]->output->is_text && written))
            continue;
        const int code = outlet_write_to_stream(
            outlets[i], run->document, outlets[i] == &run->report ? alone(run) : NULL, &error);
        if (code < 0)
            command_tell("%s", error.text);
        written = written || code == 1;
    }
}

/* Says where the results of a failed run are kept, if anywhere. */
static void tell_kept(const struct outlet *kept, const char *why)
{
    const char *place = outlet_place(kept);
    const bool beside = saving_beside(&kept->saving);
    if (place)
        command_tell("%sthe results so far are in %s%s%s%s", why, place, beside ? "; " : "",
                     beside ? kept->path : "", beside ? " was not changed" : "");
}

int measure_interrupted(const struct outlet *kept)
{
    if (kept && outlet_place(kept))
        tell_kept(kept, "interrupted; ");
    else
        command_tell("interrupted");
    return EXIT_SIGNAL + (int)measure_signal;
}

/* Measures as often as was asked; every further run begins `every` seconds after the one before it.
 * `shown` may be NULL. */
static int run_repeatedly(struct measurement *measured, const struct command_options *asked,
                          struct shown *shown, struct error *error)
{
    const uint64_t began_ns = os_raw_ns();
    int code = run_measure(&measured->run, error);
    for (unsigned i = 1; i < asked->repeat.number && code == 0; i++) {
        const double since_s = (double)(os_raw_ns() - began_ns) * 1e-9;
        code = measurement_again(measured, i * asked->every.number - since_s, NULL, error);
        if (code == 0 && shown)
            code = save(shown, &measured->document, error);
    }
    return code;
}

/* It has no outlets. */
static int plan_step(struct shown *step, const struct invocation *invocation, struct error *error)
{
    *step = (struct shown){.invocation = invocation, .measured = measure_as_asked(invocation)};
    step->document = &step->measured.document;
    return plan_shown(step, error);
}

/* Measures every combination. All are planned once before, so that none is refused in the middle.
 */
static int measure_sweep(struct shown *whole, struct sweep *sweep, struct error *error)
{
    struct shown *steps = whole->steps = calloc(sweep->step_count, sizeof *steps);
    int code = steps ? 0 : error_out_of_memory(error);
    for (size_t i = 0; i < sweep->step_count && code == 0; i++) {
        code = plan_step(&steps[i], &sweep->steps[i], error);
        if (code == 0)
            code = sweep_fits(sweep, steps[i].document, error);
        measurement_free(&steps[i].measured);
    }
    if (code == 0 && !sweep->document_count)
        code = save(whole, whole->document, error);
    for (size_t i = 0; i < sweep->step_count && code == 0; i++) {
        code = plan_step(&steps[i], &sweep->steps[i], error);
        if (code == 0)
            code = run_repeatedly(&steps[i].measured, &sweep->steps[i].options, NULL, error);
        if (code != 0 && code != ERROR_INTERRUPTED)
            break;
        const int kept = sweep_keep(sweep, i, &steps[i].measured.document, error);
        code = code == 0 ? kept : code;
        whole->document = &sweep->joined;
        const int saved = save(whole, whole->document, code == 0 ? error : NULL);
        code = code == 0 ? saved : code;
    }
    return code;
}

static int run_measurement(struct invocation *invocation, struct error *error)
{
    struct shown shown = {.invocation = invocation, .measured = measure_as_asked(invocation)};
    struct run *run = &shown.measured.run;
    struct sweep sweep = {.axes = NULL};
    shown.document = &shown.measured.document;
    int code = prepare(&shown, &sweep, error);
    if (code == 0) {
        code = sweep.step_count
                   ? measure_sweep(&shown, &sweep, error)
                   : run_repeatedly(&shown.measured, &invocation->options, &shown, error);
        if (code == ERROR_USAGE && shown.document->probe_count)
            show_instead(&shown);
        if (code == ERROR_INTERRUPTED)
            write_to_streams(&shown);
    }
    struct document *document = sweep.step_count ? &sweep.joined : &shown.measured.document;
    if (code == 0)
        code = show(&shown, document, error);
    if (code == 0 && sweep.left_out)
        command_tell("%s", sweep.left_out);
    if (code == 0)
        code = output_status(document);
    else if (code == ERROR_INTERRUPTED)
        code = measure_interrupted(&shown.kept);
    else
        tell_kept(&shown.kept, "");
    run_release(run);
    saving_free(&shown.kept.saving);
    saving_free(&shown.page.saving);
    for (size_t i = 0; shown.steps && i < sweep.step_count; i++) {
        run_release(&shown.steps[i].measured.run);
        measurement_free(&shown.steps[i].measured);
    }
    free(shown.steps);
    sweep_close(&sweep);
    measurement_free(&shown.measured);
    return code;
}

int measure_and_use(const struct invocation *invocation, measure_use *use, void *argument,
                    struct error *error)
{
    struct measurement measured = measure_as_asked(invocation);
    int code = plan_asked(&measured, &invocation->options, error);
    if (code == 0)
        code = run_repeatedly(&measured, &invocation->options, NULL, error);
    if (code == 0)
        code = use(&measured, argument, error);
    if (code == ERROR_INTERRUPTED)
        code = measure_interrupted(NULL);
    measurement_free(&measured);
    return code;
}

#include "measure.help.h"

static const struct option_spec *const options[] = {
    probe_common_options, made_format_options, points_options, html_options,
    output_options,       measure_options,     sweep_options,  redact_options,
    machine_options,      twin_options,        repeat_options, NULL};

const struct command run_command = {
    .name = "run",
    .help = &help,
    .options = options,
    .run = run_measurement,
};

/* A probe as a command: its name, purpose and options come from its own table. */
const struct command probe_command = {
    .name = "probe",
    .help = &(const struct command_help){.summary = NULL},
    .options = options,
    .run = run_measurement,
};
