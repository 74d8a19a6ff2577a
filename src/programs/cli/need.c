/* What a program needs of memory, by taking it away. */
#include "measure/run/need.h"

#include "base/text.h"
#include "base/units.h"
#include "compare/joined.h"
#include "programs/cli/measure.h"
#include "programs/cli/options.h"
#include "programs/cli/output.h"
#include "programs/cli/redact.h"

#include <unistd.h>

struct shown {
    struct invocation *invocation;
    struct measurement measured;
    struct document here, there; /* with --against */
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

/* What the documents can't tell of any program is refused before it runs. */
static int read_compared(void *with)
{
    struct shown *shown = with;
    const struct command_options *asked = &shown->invocation->options;
    struct pool *pool = &shown->invocation->settings.pool;
    struct probe_result nothing = {.name = need_name};
    struct analysis any = {
        .result = &nothing, .pool = pool, .here = &shown->here, .there = &shown->there};
    document_take(pool, &shown->here, asked->here.text);
    document_take(pool, &shown->there, asked->against.text);
    joined_check(pool, (const struct document[]){shown->measured.document, shown->here}, 2, false);
    if (shown->here.run.id && text_same(shown->here.run.id, shown->there.run.id))
        pool_leave(pool, ERROR_USAGE,
                   "--here and --against name the same run: give documents of two machines");
    need_against(&any);
    return 0;
}

static int measure_need(struct invocation *invocation, struct error *error)
{
    const struct command_options *asked = &invocation->options;
    struct shown shown = {.invocation = invocation, .measured = measure_as_asked(invocation)};
    struct document *document = &shown.measured.document;
    shown.measured.run.probes = (const struct probe *const[]){NULL};
    shown.report = output_choose(asked);
    /* With -o alone the document goes there, and the text to standard output. */
    if (asked->output.has && !asked->format.has && !output_is_standard(shown.report.path)) {
        shown.kept = shown.report;
        shown.report = output_choose(&(struct command_options){.points = asked->points});
    }
    int code = outlet_possible(&shown.report, error);
    if (code == 0)
        code = outlet_begin(&shown.kept, false, error);
    if (asked->every.has != asked->progress.has + asked->rate.has)
        code = error_set(error, ERROR_USAGE,
                         "--every S needs one of --progress FILE and --rate CMD, and they need it");
    if (asked->against.has != asked->here.has)
        code =
            error_set(error, ERROR_USAGE, "--against FILE and --here FILE go together: give both");
    if (code == 0)
        code = measurement_plan(&shown.measured, error);
    if (code == 0 && asked->against.has)
        code = pool_enter(&invocation->settings.pool, read_compared, &shown, error);
    if (code == 0 && asked->redact.has)
        code = redact_measured(document, invocation, error);
    struct need need = {.machine = &shown.measured.machine,
                        .document = document,
                        .stop = &measure_signal,
                        .arguments = invocation->operands,
                        .cpus = asked->common.cpus.has ? &asked->common.cpus.cpus : NULL,
                        .budget_s = document->run.budget_s,
                        .every_s = asked->every.has ? asked->every.number : 0,
                        .progress_file = asked->progress.text,
                        .progress_command = asked->rate.text,
                        .here = &shown.here,
                        .there = asked->against.has ? &shown.there : NULL,
                        .seed = document->run.seed,
                        .aside =
                            !shown.report.output->is_text && output_is_standard(shown.report.path),
                        .planned = tell_plan,
                        .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
                        .save = save,
                        .argument = &shown};
    if (code == 0)
        code = need_measure(&need, error);
    progress_end(&shown.line);
    const struct probe_result *result = document->probes;
    if (code == 0)
        code = outlet_finish(&shown.kept, document, error);
    if (code == 0)
        code = outlet_write(&shown.report, document, result, error);
    if (code == 0)
        code = need_untold(result) ? EXIT_DOUBTFUL : output_status(document);
    else if (code == ERROR_INTERRUPTED) { /* what is known stays in its file, or is shown */
        struct error why = {0};
        if (result && result->finding_count && !outlet_place(&shown.kept) &&
            outlet_write_to_stream(&shown.report, document, result, &why) < 0)
            command_tell("%s", why.text);
        code = measure_interrupted(&shown.kept);
    }
    saving_free(&shown.kept.saving);
    measurement_free(&shown.measured);
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
