/* What a program needs of memory, by taking it away. */
#include "measure/run/need.h"

#include "base/units.h"
#include "programs/cli/measure.h"
#include "programs/cli/options.h"
#include "programs/cli/output.h"
#include "programs/cli/redact.h"
#include "programs/library/version.h"

#include <unistd.h>

struct shown {
    struct progress_line line;
    struct outlet report, kept;
};

static void tell_plan(void *argument, const struct need *need)
{
    char each[UNIT_TEXT], all[UNIT_TEXT];
    const double runs = 2.0 * (double)need->condition_count * need->blocks;
    command_tell("'%s' is measured %.0f times, about %s each: %s", need->arguments[0], runs,
                 duration_format(need->run_s, each), duration_format(runs * need->run_s, all));
}

static void show_progress(void *argument, double done, double left_s)
{
    struct shown *shown = argument;
    progress_show(&shown->line, "need", done, left_s, "");
}

static int save(void *argument, const struct document *document, struct error *error)
{
    struct shown *shown = argument;
    progress_end(&shown->line);
    return outlet_update(&shown->kept, document, error);
}

/* With -o alone the document goes there, and the text to standard output. */
static int choose_outputs(struct shown *shown, const struct command_options *asked,
                          struct error *error)
{
    shown->report = output_choose(asked);
    if (asked->output.has && !asked->format.has && !output_is_standard(shown->report.path)) {
        shown->kept = shown->report;
        shown->report = output_choose(&(struct command_options){.points = asked->points});
    }
    const int code = outlet_possible(&shown->report, error);
    return code == 0 ? outlet_begin(&shown->kept, false, error) : code;
}

static int write_results(struct shown *shown, const struct document *document, struct error *error)
{
    const struct probe_result *result = document->probes;
    int code = outlet_finish(&shown->kept, document, error);
    if (code == 0)
        code = outlet_write(&shown->report, document, result, error);
    return code < 0 ? code : need_untold(result) ? EXIT_DOUBTFUL : output_status(document);
}

/* After an interruption: what is known so far stays in its file, or is shown. */
static int keep_results(struct shown *shown, const struct document *document)
{
    struct error why = {0};
    const bool any = document->probe_count && document->probes->finding_count;
    if (any && !outlet_place(&shown->kept) &&
        outlet_write_to_stream(&shown->report, document, document->probes, &why) < 0)
        command_tell("%s", why.text);
    return measure_interrupted(&shown->kept);
}

static int measure_need(struct invocation *invocation, struct error *error)
{
    const struct command_options *asked = &invocation->options;
    static const struct probe *const none[] = {NULL};
    struct shown shown = {.line = {false}};
    struct measurement measured = {
        .source = measure_source(NULL),
        .run = {.settings = &invocation->settings, .probes = none},
        .document = {
            .tool = {.version = FATHOM_VERSION, .commit = FATHOM_COMMIT, .compiler = __VERSION__},
            .run = {.command = (const char **)invocation->argv,
                    .command_count = (size_t)invocation->argc}}};
    int code = choose_outputs(&shown, asked, error);
    if (asked->every.has != asked->progress.has + asked->rate.has)
        code = error_set(error, ERROR_USAGE,
                         "--every S needs one of --progress FILE and --rate CMD, and they need it");
    if (code == 0)
        code = measurement_plan(&measured, error);
    if (code == 0 && asked->redact.has)
        code = redact_measured(&measured.document, invocation, error);
    struct run_facts *facts = &measured.document.run;
    facts->budget_s = asked->common.budget.number;
    facts->seed = asked->common.seed.has ? (uint64_t)asked->common.seed.number : facts->seed;
    struct need need = {.machine = &measured.machine,
                        .document = &measured.document,
                        .stop = &measure_signal,
                        .arguments = invocation->operands,
                        .cpus = asked->common.cpus.has ? &asked->common.cpus.cpus : NULL,
                        .budget_s = facts->budget_s,
                        .every_s = asked->every.has ? asked->every.number : 0,
                        .progress_file = asked->progress.text,
                        .progress_command = asked->rate.text,
                        .seed = facts->seed,
                        .aside =
                            !shown.report.output->is_text && output_is_standard(shown.report.path),
                        .planned = tell_plan,
                        .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
                        .save = save,
                        .argument = &shown};
    if (code == 0)
        code = need_measure(&need, error);
    progress_end(&shown.line);
    if (code == 0)
        code = write_results(&shown, &measured.document, error);
    else if (code == ERROR_INTERRUPTED)
        code = keep_results(&shown, &measured.document);
    saving_free(&shown.kept.saving);
    measurement_free(&measured);
    return code;
}

#include "need.help.h"

static const struct option_spec *const options[] = {
    need_options, made_format_options, points_options, output_options, redact_options, NULL};

const struct command need_command = {
    .name = "need",
    .help = &help,
    .options = options,
    .passes_on = true,
    .run = measure_need,
};
