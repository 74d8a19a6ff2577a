#include "cli/measure.h"

#include "base/random.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "machine/conditions.h"
#include "probes/probe.h"
#include "result/json.h"
#include "version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double budget_default_s = 25, budget_quick_s = 4, budget_thorough_s = 600;

/* One run, from the beginning to the end. */
struct measurement {
    const struct invocation *invocation;
    struct machine machine;
    struct document document;
    struct remarks remarks;
    struct probe_task *tasks;  /* one a probe, in the order of document.probes */
    struct settings *settings; /* one a probe */
    size_t task_count;
    uint64_t began_ns, seed;
    double budget_s;
    const char *path; /* of the document; NULL: it is not kept */
};

struct machine_source measure_source(void)
{
    const char *root = getenv("FATHOM_ROOT");
    return (struct machine_source){.root = root && *root ? root : NULL};
}

/* --- before measuring --- */

static int choose_probes(const struct invocation *invocation, const struct probe **chosen,
                         size_t *count, struct error *error)
{
    *count = 0;
    if (invocation->probe) {
        chosen[(*count)++] = invocation->probe;
        if (invocation->operand_count)
            return error_set(
                error, ERROR_USAGE,
                "%s takes no operand like '%s': leave it out, or name an option; see --help",
                invocation->probe->name, invocation->operands[0]);
        return 0;
    }
    for (int i = 0; i < invocation->operand_count; i++)
        if (!probe_by_name(invocation->operands[i]))
            return error_set(error, ERROR_USAGE, "unknown probe '%s'; 'fathom list' shows them",
                             invocation->operands[i]);
    for (size_t p = 0; probes[p]; p++) {
        bool asked = invocation->operand_count == 0;
        for (int i = 0; i < invocation->operand_count; i++)
            asked = asked || strcmp(invocation->operands[i], probes[p]->name) == 0;
        if (asked)
            chosen[(*count)++] = probes[p];
    }
    return 0;
}

/* The settings of one probe: its own options and the common ones, as far as they were given. */
static int copy_settings(struct settings *to, const struct settings *from,
                         const struct probe *probe, uint64_t seed, struct error *error)
{
    int code = settings_add(to, probe->options, error);
    if (code == 0)
        code = settings_add(to, probe_common_options, error);
    for (size_t i = 0; code == 0 && i < to->count; i++) {
        const struct option_spec *spec = settings_spec(to, i);
        if (settings_given(from, spec->name))
            code = settings_set(to, spec->name, settings_text(from, spec->name), error);
    }
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    return code == 0 ? settings_set(to, "seed", text, error) : code;
}

static int plan_probes(struct measurement *run, struct error *error)
{
    const struct probe *chosen[64];
    int code = choose_probes(run->invocation, chosen, &run->task_count, error);
    if (code < 0)
        return code;
    run->tasks = calloc(run->task_count, sizeof *run->tasks);
    run->settings = calloc(run->task_count, sizeof *run->settings);
    struct pool *pool = &run->document.pool;
    run->document.probes = pool_alloc(pool, run->task_count, sizeof *run->document.probes);
    if (!run->tasks || !run->settings || !run->document.probes)
        return error_set(error, ERROR_SYSTEM, "out of memory");
    for (size_t i = 0; i < run->task_count && code == 0; i++) {
        code = copy_settings(&run->settings[i], &run->invocation->settings, chosen[i], run->seed,
                             error);
        if (code == 0)
            code = probe_prepare(&run->tasks[i], chosen[i], &run->settings[i], &run->machine, pool,
                                 &run->document.probes[i], error);
    }
    return code;
}

static double choose_budget(const struct settings *settings)
{
    if (settings_has(settings, "budget"))
        return settings_number(settings, "budget");
    return settings_has(settings, "quick")      ? budget_quick_s
           : settings_has(settings, "thorough") ? budget_thorough_s
                                                : budget_default_s;
}

static int describe_run(struct measurement *run, struct error *error)
{
    struct document *document = &run->document;
    const struct settings *settings = &run->invocation->settings;
    struct pool *pool = &document->pool;
    char started[32];
    time_t now = time(NULL);
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    document->tool = (struct tool_facts){FATHOM_VERSION, FATHOM_COMMIT, __VERSION__};
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
        return error_set(error, ERROR_SYSTEM, "out of memory");
    for (int i = 0; i < run->invocation->argc; i++)
        document->run.command[document->run.command_count++] = run->invocation->argv[i];
    document->machine = run->machine.facts;
    return 0;
}

/* Where the document goes: -o, or for a whole run a name that tells machine and time. */
static int choose_path(struct measurement *run, struct error *error)
{
    const struct settings *settings = &run->invocation->settings;
    if (settings_has(settings, "output")) {
        run->path = settings_text(settings, "output");
        return 0;
    }
    if (run->invocation->probe)
        return 0;
    char when[20];
    time_t now = time(NULL);
    strftime(when, sizeof when, "%Y%m%dT%H%M%S", gmtime(&now));
    char *path =
        pool_printf(&run->document.pool, "fathom-%s-%s.json",
                    run->machine.facts.hostname ? run->machine.facts.hostname : "machine", when);
    for (char *c = path; c && *c; c++)
        if (*c == '/')
            *c = '_';
    run->path = path;
    return path ? 0 : error_set(error, ERROR_SYSTEM, "out of memory");
}

/* Also by its other name: a document is written there once, when it is complete. */
static bool to_standard_output(const struct measurement *run)
{
    return run->path && (strcmp(run->path, "-") == 0 || strcmp(run->path, "/dev/stdout") == 0);
}

/* Early and after every probe: whoever pulls the plug finds what was measured until then. */
static int save(struct measurement *run, struct error *error)
{
    run->document.run.elapsed_s = (double)(os_raw_ns() - run->began_ns) * 1e-9;
    return run->path && !to_standard_output(run) ? document_save(&run->document, run->path, error)
                                                 : 0;
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
    run->budget_s = choose_budget(settings);
    int code = machine_read(&run->machine, &source, error);
    if (code == 0)
        code = conditions_read(&run->machine, &source, &run->document.pool,
                               &run->document.conditions, &run->remarks, error);
    if (code == 0)
        code = plan_probes(run, error);
    if (code == 0 && !run->machine.live)
        code = error_set(error, ERROR_IMPOSSIBLE,
                         "%s names another machine, which can be looked at (fathom doctor) but "
                         "not measured: unset it",
                         source.root ? "FATHOM_ROOT" : "an HWLOC_ variable of the environment");
    if (code == 0)
        code = describe_run(run, error);
    if (code == 0)
        code = choose_path(run, error);
    return code == 0 ? save(run, error) : code;
}

/* --- measuring --- */

static double weight_from(const struct measurement *run, size_t first)
{
    double weight = 0;
    for (size_t i = first; i < run->task_count; i++)
        if (run->document.probes[i].status != PROBE_SKIPPED)
            weight += run->tasks[i].probe->weight;
    return weight;
}

static void note_conditions(struct measurement *run, const struct clock *clock,
                            const struct sampled *sampled)
{
    struct conditions *conditions = &run->document.conditions;
    conditions->counter = clock->name;
    conditions->counter_hz = clock->hz;
    if (sampled->core_hz.n && !(conditions->core_hz > 0))
        conditions->core_hz = sampled->core_hz.median;
    if (run->machine.facts.hypervisor)
        conditions->stolen_s =
            (isnan(conditions->stolen_s) ? 0 : conditions->stolen_s) + sampled->stolen_s;
}

/* The document lists only probes that were come to. */
static int measure_all(struct measurement *run, struct engine *engine, struct error *error)
{
    struct progress_line line = {0};
    progress_begin(&line);
    engine->progress = progress_for(&line);
    int code = 0;
    for (size_t i = 0; i < run->task_count && code == 0; i++) {
        struct sampled sampled;
        double left_s = run->budget_s - (double)(os_raw_ns() - run->began_ns) * 1e-9;
        double share = run->tasks[i].probe->weight / weight_from(run, i);
        line.what = run->tasks[i].probe->name;
        engine->seed = random_mix(run->seed + i);
        code = probe_measure(&run->tasks[i], engine, left_s * share, &sampled, error);
        progress_end(&line);
        note_conditions(run, engine->clock, &sampled);
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

static int show(struct measurement *run, struct error *error)
{
    const struct probe_result *alone = run->invocation->probe ? &run->document.probes[0] : NULL;
    if (to_standard_output(run)) {
        int code = document_write(&run->document, stdout, error);
        return ferror(stdout) ? 0 : code; /* main() tells of it, as for every other output */
    }
    struct settings format = {0};
    int code = settings_add(&format, format_options, error);
    if (code == 0)
        code = settings_set(&format, "format", settings_text(&run->invocation->settings, "format"),
                            error);
    if (code == 0)
        code = output_document(&format, &run->document, alone, error);
    settings_free(&format);
    bool csv = strcmp(settings_text(&run->invocation->settings, "format"), "csv") == 0;
    if (code == 0 && run->path)
        fprintf(csv ? stderr : stdout, "\ndocument: %s   (show it again: fathom report %s)\n",
                run->path, run->path);
    return code;
}

static int interrupted(const struct measurement *run)
{
    if (run->path && !to_standard_output(run))
        fprintf(stderr, "fathom: interrupted; what was measured until then is in %s\n", run->path);
    else
        fputs("fathom: interrupted\n", stderr);
    return EXIT_SIGNAL + (int)interrupt_signal;
}

static int run_measurement(struct invocation *invocation, struct error *error)
{
    struct measurement run = {.invocation = invocation};
    interrupt_catch(); /* from the first file on, or a temporary one could be left behind */
    int code = prepare(&run, error);
    if (code == 0) {
        code = measure(&run, error);
        if (code == ERROR_USAGE) { /* the document can't be saved any more: show what it holds */
            run.path = NULL;
            show(&run, NULL);
        }
    }
    if (code == 0)
        code = show(&run, error);
    if (code == 0)
        code = output_status(&run.document);
    else if (code == ERROR_INTERRUPTED)
        code = interrupted(&run);
    for (size_t i = 0; i < run.task_count; i++) {
        if (run.tasks)
            probe_release(&run.tasks[i]);
        if (run.settings)
            settings_free(&run.settings[i]);
    }
    free(run.tasks);
    free(run.settings);
    document_free(&run.document);
    machine_free(&run.machine);
    return code;
}

static const struct option_spec *const options[] = {probe_common_options, format_options,
                                                    output_options, NULL};

const struct command run_command = {
    .name = "run",
    .operands = "[PROBE...]",
    .summary = "measure everything, or the probes named, and keep the document",
    .about = "Measures every probe (or those named) within a time budget, prints one screen with "
             "what a person wants to know, and writes the document with every number and its "
             "interval: to -o FILE, or to fathom-HOST-TIME.json here. 'fathom report FILE' shows "
             "it again. On SIGINT or SIGTERM what was measured until then is saved.",
    .options = options,
    .run = run_measurement,
};

/* A probe by itself: its name, purpose and options come from its own table. */
const struct command probe_command = {
    .name = "probe",
    .options = options,
    .run = run_measurement,
};
