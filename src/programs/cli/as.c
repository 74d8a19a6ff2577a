/* `fathom as TOOL ...`, and fathom started by a tool's name. */
#include "programs/cli/as.h"

#include "base/text.h"
#include "measure/run/measure.h"
#include "programs/cli/measure.h"
#include "programs/cli/options.h"
#include "programs/cli/output.h"
#include "programs/library/version.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* State while a tongue measures. */
struct keeper {
    struct progress_line line;
    struct outlet kept;
};

static void show_progress(void *keeper, const char *probe, double done, double left_s,
                          const char *so_far)
{
    progress_show(&((struct keeper *)keeper)->line, probe, done, left_s, so_far);
}

static int save(void *argument, const struct document *document, struct error *error)
{
    struct keeper *keeper = argument;
    progress_end(&keeper->line);
    return outlet_update(&keeper->kept, document, error);
}

/* --- speaking --- */

/* Doubts do not change the exit status, because the tool's scripts take any status but 0 for no
 * result; standard error and the document have the doubts. A table with holes is no result. */
static int speak(const struct as *as, struct error *error)
{
    struct keeper keeper = {.kept = {.output = output_by_name("json"), .path = as->path}};
    const struct machine_source source = measure_source(NULL);
    struct document document = {
        .tool = {.version = FATHOM_VERSION, .commit = FATHOM_COMMIT, .compiler = __VERSION__},
        .run = {.command = (const char **)as->whole, .command_count = (size_t)as->whole_count}};
    struct machine machine = {0};
    measure_catch_signals();
    int code = outlet_begin(&keeper.kept, false, error);
    if (code == 0)
        code = machine_read(&machine, &source, error);
    struct talk talk = {.tongue = as->tongue,
                        .out = stdout,
                        .aside = stderr,
                        .machine = &machine,
                        .document = &document,
                        .stop = &measure_signal,
                        .budget_most_s = as->budget_most_s,
                        .listener = {isatty(STDERR_FILENO) ? show_progress : NULL, save, &keeper}};
    if (code == 0)
        code = tongue_speak(&talk, as->argc, as->argv, error);
    if (code == 0)
        code = outlet_finish(&keeper.kept, &document, error);
    if (code == 0 && talk.holes)
        code = EXIT_DOUBTFUL;
    if (code == ERROR_INTERRUPTED) {
        struct error why = {0};
        if (as->path && outlet_write_to_stream(&keeper.kept, &document, NULL, &why) < 0)
            command_tell("%s", why.text);
        code = measure_interrupted(&keeper.kept);
    }
    saving_free(&keeper.kept.saving);
    talk_release(&talk);
    document_free(&document);
    machine_free(&machine);
    return code;
}

int as_speak(const struct as *as, struct error *error)
{
    const char *first = as->argc == 1 ? as->argv[0] : "";
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "-?") == 0) {
        const struct tongue *tongue = as->tongue;
        printf("usage: fathom as %s [ARGUMENT...]%s%s\n\n", tongue->name,
               *tongue->help->operands ? " " : "", tongue->help->operands);
        help_wrapped(stdout, 0, 0, tongue->help->summary);
        putchar('\n');
        help_wrapped(stdout, 0, 0, tongue->help->differs);
        const struct tongue_argument *argument = tongue->help->arguments;
        if (argument->letter || argument->name)
            puts("\narguments:");
        for (; argument->letter || argument->name; argument++) {
            char names[64];
            snprintf(names, sizeof names, "%s%c%s%s%s%s%s", argument->letter ? "-" : "",
                     argument->letter ? argument->letter : ' ',
                     argument->letter && argument->name ? ", " : "", argument->name ? "--" : "",
                     argument->name ? argument->name : "", argument->value ? " " : "",
                     argument->value ? argument->value : "");
            const char *shown = names[0] == ' ' ? names + 1 : names;
            const int column = printf("  %s", shown);
            char help[512];
            snprintf(help, sizeof help, "%s%s", argument->idle ? "does nothing: " : "",
                     argument->help);
            help_wrapped(stdout, 26, column, help);
        }
        return EXIT_DONE;
    }
    return speak(as, error);
}

const struct tongue *as_called(const char *program)
{
    return tongue_by_name(path_name(program));
}

static int run_as(struct invocation *invocation, struct error *error)
{
    const struct as as = {.tongue = tongue_by_name(invocation->operands[0]),
                          .argc = invocation->operand_count - 1,
                          .argv = invocation->operands + 1,
                          .whole = invocation->argv,
                          .whole_count = invocation->argc,
                          .path = invocation->options.document.text,
                          .budget_most_s = invocation->options.common.budget.number};
    if (as.path && output_is_standard(as.path))
        return error_set(error, ERROR_USAGE,
                         "--document %s would mix the document with the tool's table: name a file",
                         as.path);
    return as_speak(&as, error);
}

#include "as.help.h"

static const struct option_spec *const options[] = {as_options, NULL};

const struct command as_command = {
    .name = "as",
    .help = &help,
    .options = options,
    .run = run_as,
    .passes_on = true,
};
