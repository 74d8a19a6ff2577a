#include "cli/measure.h"

#include "base/random.h"
#include "cli/interrupt.h"
#include "cli/measurement.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/redact.h"
#include "findings/differences.h"
#include "machine/conditions.h"
#include "probes/probe.h"
#include "result/json.h"
#include "version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct machine_source measure_source(void)
{
    const char *root = getenv("FATHOM_ROOT");
    return (struct machine_source){.root = root && *root ? root : NULL};
}

/* --- before measuring --- */

static bool is_redacted(const struct measurement *run)
{
    return !run->only_used && settings_has(&run->invocation->settings, "redact");
}

static int describe_run(struct measurement *run, struct error *error)
{
    struct document *document = &run->document;
    const struct settings *settings = &run->invocation->settings;
    struct pool *pool = &document->pool;
    char started[32];
    time_t now = time(NULL);
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    document->tool = (struct tool_facts){
        .version = FATHOM_VERSION, .commit = FATHOM_COMMIT, .compiler = __VERSION__};
    document->run = (struct run_facts){
        .id = pool_printf(
            pool, "%016llx",
            (unsigned long long)random_mix(run->seed ^ os_raw_ns() ^ (uint64_t)getpid() << 40)),
        .started = pool_strdup(pool, started),
        .seed = run->seed,
        .precision = settings_has(settings, "precision")
                         ? settings_number(settings, "precision") / 100
                         : 0.01,
        .budget_s = run->budget_s,
    };
    document->run.command = pool_alloc(pool, (size_t)run->invocation->argc, sizeof(char *));
    if (!document->run.id || !document->run.started || !document->run.command)
        return error_out_of_memory(error);
    for (int i = 0; i < run->invocation->argc; i++)
        document->run.command[document->run.command_count++] = run->invocation->argv[i];
    document->machine = run->machine.facts;
    for (size_t i = 0; i < run->task_count; i++)
        if (run->tasks[i].gpu_count) {
            document->machine.gpus = run->tasks[i].gpus;
            document->machine.gpu_count = run->tasks[i].gpu_count;
        }
    if (!is_redacted(run))
        return 0;
    document->machine.hostname = NULL;
    return redact_command(run->invocation, pool, &document->run, error);
}

/* What keeps a document that nobody named: a name that tells machine and time. */
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

/* -o is given the document itself: it is kept there from the beginning on, and where nobody asked
 * for a format the text is shown as if there were no -o. */
static void keep_at_output(struct measurement *run)
{
    if (output_is_standard(run->report.path))
        return;
    run->path = run->report.path;
    run->report = (struct outlet){0};
    if (!settings_has(&run->invocation->settings, "format"))
        run->report = output_choose(&(struct settings){0});
}

/* Where what is shown goes, and where the document is kept beside it. */
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
    if (run->path && to_file && !settings_has(settings, "format"))
        return error_set(error, ERROR_USAGE,
                         "-o alone is where the document goes, and so is --document: leave one "
                         "out, or tell by --format what is to go to -o");
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
        code = view_html_possible(error);
    return code == 0 && run->report.path ? outlet_possible(&run->report, error) : code;
}

/* A stream is given the document once, when it is complete. */
static bool is_file(const char *path)
{
    return path && !output_is_stream(path);
}

/* Early and after every probe: whoever pulls the plug finds what was measured until then. */
static int save(struct measurement *run, struct error *error)
{
    const struct document *document = &run->document;
    run->document.run.elapsed_s = (double)(os_raw_ns() - run->began_ns) * 1e-9;
    int code = is_file(run->path) ? document_save(document, run->path, error) : 0;
    return code == 0 && is_file(run->html)
               ? output_html(run->html, &document, 1, differences_threshold, error)
               : code;
}

/* Everything that can be refused is refused here, before anything is measured or written. */
static int prepare(struct measurement *run, struct error *error)
{
    const struct settings *settings = &run->invocation->settings;
    struct machine_source source = measure_source();
    run->began_ns = os_raw_ns();
    /* 48 bits: a seed that any JSON reader can hold. */
    run->seed =
        settings_has(settings, "seed")
            ? (uint64_t)settings_number(settings, "seed")
            : random_mix((uint64_t)time(NULL) ^ run->began_ns ^ (uint64_t)getpid() << 32) >> 16;
    int code = run->only_used ? 0 : choose_outputs(run, error);
    if (code == 0)
        code = machine_read(&run->machine, &source, error);
    if (code == 0)
        code = conditions_read(&run->machine, &source, &run->document.pool,
                               &run->document.conditions, &run->remarks, error);
    if (code == 0)
        code = measurement_plan_probes(run, error);
    if (code == 0)
        run->budget_s = measurement_budget(run);
    if (code == 0 && !run->machine.live)
        code = error_set(error, ERROR_IMPOSSIBLE,
                         "%s names another machine, which can be looked at (fathom doctor) but "
                         "not measured: unset it",
                         source.root ? "FATHOM_ROOT" : "an HWLOC_ variable of the environment");
    if (code == 0)
        code = describe_run(run, error);
    if (code == 0 && run->unnamed)
        code = name_document(run, error);
    return code == 0 ? save(run, error) : code;
}

/* --- measuring --- */

static void note_conditions(struct measurement *run, const struct clock *clock,
                            const struct stage_outcome *outcome)
{
    struct conditions *conditions = &run->document.conditions;
    conditions->counter = clock->name;
    conditions->counter_hz = clock->hz;
    if (outcome->core_hz.n && !(conditions->core_hz > 0))
        conditions->core_hz = outcome->core_hz.median;
    if (run->machine.facts.hypervisor)
        conditions->stolen_s =
            (isnan(conditions->stolen_s) ? 0 : conditions->stolen_s) + outcome->stolen_s;
}

/* The document lists only probes that were come to. */
static int measure_all(struct measurement *run, struct engine *engine, struct error *error)
{
    struct progress_line line = {0};
    progress_begin(&line);
    engine->progress = progress_for(&line);
    int code = 0;
    for (size_t i = 0; i < run->task_count && code == 0; i++) {
        struct stage_outcome outcome;
        double left_s = run->budget_s - (double)(os_raw_ns() - run->began_ns) * 1e-9;
        double share = measurement_share(run, i);
        line.what = run->tasks[i].probe->name;
        engine->seed = random_mix(run->seed + i);
        run->tasks[i].document = &run->document;
        code = probe_measure(&run->tasks[i], engine, left_s * share, &outcome, error);
        progress_end(&line);
        note_conditions(run, engine->clock, &outcome);
        run->document.probe_count = i + 1;
        run->document.run.complete = code == 0 && i + 1 == run->task_count;
        int saved = save(run, code == 0 ? error : NULL);
        code = code == 0 ? saved : code;
    }
    return code;
}

static int measure(struct measurement *run, struct error *error)
{
    struct clock clock;
    struct engine engine = {.machine = &run->machine, .clock = &clock};
    run->document.conditions.stolen_s = NAN;
    run->document.conditions.core_hz = NAN;
    clock_calibrate(&clock);
    int code = team_create(&engine.team, &interrupt_signal, error);
    if (code == 0)
        code = measure_all(run, &engine, error);
    team_free(engine.team);
    return code;
}

/* --- after measuring --- */

/* What is kept beside what is shown. */
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
    /* A format that finds nothing to show where nothing could be measured. */
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
    for (size_t i = 0; i < run->task_count; i++) {
        if (run->tasks)
            probe_release(&run->tasks[i]);
        if (run->settings)
            settings_free(&run->settings[i]);
    }
    free(run->tasks);
    free(run->settings);
    document_free(&run->document);
    machine_free(&run->machine);
}

static int run_measurement(struct invocation *invocation, struct error *error)
{
    struct measurement run = {.invocation = invocation};
    interrupt_catch(); /* from the first file on, or a temporary one could be left behind */
    int code = prepare(&run, error);
    if (code == 0) {
        code = measure(&run, error);
        if (code == ERROR_USAGE)
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
        code = measure(&run, error);
    if (code == 0)
        code = use(&run.document, argument, error);
    else if (code == ERROR_INTERRUPTED)
        code = interrupted(&run);
    release(&run);
    return code;
}

static const struct option_spec measure_options[] = {
    {"document", 0, OPTION_TEXT, "FILE", NULL, 0, 0, NULL,
     "keep the document there, beside what --format and -o ask for"},
    {"redact", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL,
     "leave the host's name and names of files out of the document"},
    {.name = NULL},
};

static const struct option_spec *const options[] = {
    probe_common_options, made_format_options, html_options, output_options, measure_options, NULL};

const struct command run_command = {
    .name = "run",
    .operands = "[PROBE...]",
    .summary = "measure everything, or the probes named, and keep the document",
    .about = "Measures every probe (or those named) within a time budget, prints one screen with "
             "what a person wants to know, and writes the document with every number and its "
             "interval: to -o FILE, or to fathom-HOST-TIME.json here. 'fathom report FILE' shows "
             "it again. -f X -o FILE writes X to FILE instead of the screen, and the document "
             "to --document FILE or that name. On SIGINT or SIGTERM what was measured until then "
             "is saved.",
    .options = options,
    .run = run_measurement,
};

/* A probe by itself: its name, purpose and options come from its own table. */
const struct command probe_command = {
    .name = "probe",
    .options = options,
    .run = run_measurement,
};
