#include "base/guess.h"
#include "measure/probes/kit/probe.h"
#include "programs/cli/as.h"
#include "programs/cli/command.h"
#include "programs/cli/licences.h"
#include "programs/cli/options.h"
#include "programs/cli/words.h"
#include "programs/library/version.h"
#include "show/render/output.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The only function that turns an error into a line and an exit status. */
static int report_error(int code, const struct error *error)
{
    fprintf(stderr, "fathom: %s\n", error->text);
    return code == ERROR_USAGE ? EXIT_USAGE : EXIT_IMPOSSIBLE;
}

/* Standard output is flushed here, so that a full disk behind it is an error like any other. */
static int finish_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fputs("fathom: standard output can't be written to: is it closed, or the disk full?\n", stderr);
    return EXIT_USAGE;
}

/* An option in place of a command: one of `fathom` itself, or one of `run` and all probes. */
static int refuse_option(const char *typed, struct error *error)
{
    struct guess own = {.typed = typed + 2}, guess = own;
    guess_offer(&own, "help");
    guess_offer(&own, "version");
    for (const struct option_spec *option = probe_common_options; option->name; option++)
        guess_offer(&guess, option->name);
    if (own.word)
        return error_set(error, ERROR_USAGE, "no option is called '%s'; did you mean '--%s'?",
                         typed, own.word);
    if (guess.word)
        return error_set(error, ERROR_USAGE,
                         "'%s': options come after a command; did you mean 'fathom run --%s'?",
                         typed, guess.word);
    return error_set(error, ERROR_USAGE,
                     "'%s': options come after a command; 'fathom --help' lists the commands",
                     typed);
}

/* What users look for and fathom does not measure yet, with an alternative (docs/cookbook.md lists
 * the same). */
static const char *not_yet(const char *name)
{
    static const struct {
        const char *name, *where;
    } topics[] = {
        {"rows", "rows of DRAM are not measured yet: compare 'fathom loaded --traffic random' with "
                 "'--traffic sequential' for the effect of open rows"},
        {"replacement", "replacement policies are not measured yet: 'fathom geometry' shows ways "
                        "and sets, which matter more"},
    };
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (strcmp(topics[i].name, name) == 0)
            return topics[i].where;
    return NULL;
}

static int refuse_command(const char *name, struct error *error)
{
    if (not_yet(name))
        return error_set(error, ERROR_USAGE, "%s: %s", name, not_yet(name));
    if (probe_absent(name))
        return error_set(error, ERROR_USAGE, "%s: %s", name, probe_absent(name));
    const struct probe *probe;
    const struct command *command;
    struct guess guess = {.typed = name};
    if (name[0] == '-' && name[1] == '-')
        return refuse_option(name, error);
    if (output_by_name(name))
        return error_set(error, ERROR_USAGE,
                         "'%s' is a format and no command: 'fathom report -f %s FILE' shows a "
                         "document in it",
                         name, name);
    for (size_t i = 0; (command = command_at(i, &probe)); i++)
        guess_offer(&guess, command_name(command, probe));
    return guess_refuse(&guess, "command or probe", "'fathom --help' lists them", error);
}

/* Latency under load on a GPU is an experiment of the probe that knows GPUs, with the same words.
 */
static int turn_to_device(struct invocation *invocation, struct error *error)
{
    struct settings *settings = &invocation->settings;
    const char *probe = invocation->probe ? invocation->probe->name : "";
    bool asked = false;
    for (size_t i = 0; i < settings->count && strcmp(probe, "loaded") == 0; i++)
        asked |= strcmp(settings->list[i].spec->name, "device") == 0 && settings->list[i].given;
    if (!asked)
        return 0;
    settings_free(settings);
    invocation->probe = probe_by_name("gpu");
    if (!invocation->probe)
        return error_set(error, ERROR_USAGE, "--device: %s", probe_absent("gpu"));
    const int code = options_parse(invocation, invocation->argc - 1, invocation->argv + 1, error);
    return code < 0 ? code : settings_set(settings, "what", "loaded", error);
}

static int run_command_named(int argc, char **argv)
{
    struct error error = {0};
    struct invocation invocation = {.argc = argc, .argv = argv};
    invocation.command = command_by_name(argv[1], &invocation.probe);
    if (!invocation.command)
        return report_error(refuse_command(argv[1], &error), &error);
    int status = options_parse(&invocation, argc - 1, argv + 1, &error);
    const bool help = status == 0 && invocation.options.help.has;
    if (status == 0 && !help)
        status = turn_to_device(&invocation, &error);
    if (help)
        help_command(stdout, invocation.command, invocation.probe);
    else if (status == 0)
        status = words_check(&invocation, &error);
    if (status == 0 && !help)
        status = invocation.command->step
                     ? pool_enter(&invocation.settings.pool, invocation.command->step, &invocation,
                                  &error)
                     : invocation.command->run(&invocation, &error);
    if (status < 0 && invocation.command->refuse)
        status = invocation.command->refuse(&invocation, &error);
    settings_free(&invocation.settings);
    return status < 0 ? report_error(status, &error) : finish_output(status);
}

/* With a smaller stack the first deep call would crash: one buffer has 64 KiB, and libraries use an
 * unknown amount. */
enum { STACK_LEAST_KIB = 512 };

/* Says so by a plain text: to format a number takes 8 KiB of stack. */
static bool stack_is_small(void)
{
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) < 0 || stack.rlim_cur >= (rlim_t)STACK_LEAST_KIB * 1024)
        return false;
    fputs("fathom: the stack may not grow to the 512 KiB that are needed: raise the limit, as with "
          "'ulimit -s 8192'\n",
          stderr);
    return true;
}

static int print_version(int argc, char **argv)
{
    struct error error = {0};
    const bool all = argc > 0 && strcmp(argv[0], "--licences") == 0;
    if (argc > all) {
        error_set(&error, ERROR_USAGE,
                  "--version takes --licences and nothing else: '%s' is too much", argv[all]);
        return report_error(ERROR_USAGE, &error);
    }
    puts("fathom " FATHOM_VERSION " (" FATHOM_COMMIT ")");
    for (const struct licence *licence = licences; all && licence->of; licence++)
        printf("\n--- %s ---\n\n%s", licence->of, licence->text);
    return finish_output(EXIT_DONE);
}

int main(int argc, char **argv)
{
    /* If a standard channel is closed, the next file that is opened gets its number, and messages
     * would be written into a document. The channel is opened for reading, so that writing to it
     * fails. */
    int file;
    do
        file = open("/dev/null", O_RDONLY);
    while (file >= 0 && file <= STDERR_FILENO);
    if (file >= 0)
        close(file);
    signal(SIGXFSZ, SIG_IGN); /* past the limit on file size a write then fails */
    if (stack_is_small())
        return EXIT_IMPOSSIBLE;
    const struct tongue *tongue = argc ? as_called(argv[0]) : NULL;
    if (tongue) {
        /* Started under a tool's name, fathom acts as that tool. */
        struct error error = {0};
        const struct as as = {.tongue = tongue,
                              .argc = argc - 1,
                              .argv = argv + 1,
                              .whole = argv,
                              .whole_count = argc};
        const int status = as_speak(&as, &error);
        return status < 0 ? report_error(status, &error) : finish_output(status);
    }
    if (argc < 2) {
        help_program(stderr);
        return EXIT_USAGE;
    }
    const bool help = strcmp(argv[1], "help") == 0;
    if (help && argc == 3) { /* "help latency" is "latency --help" */
        char option[] = "--help", *asked[] = {argv[0], argv[2], option, NULL};
        return run_command_named(3, asked);
    }
    if (help || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help_program(stdout);
        return finish_output(EXIT_DONE);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 ||
        strcmp(argv[1], "-v") == 0 || strcmp(argv[1], "version") == 0)
        return print_version(argc - 2, argv + 2);
    if (strcmp(argv[1], "__complete") == 0) { /* called by the scripts of completion.c */
        complete_line(argv + 2, (size_t)argc - 2);
        return finish_output(EXIT_DONE);
    }
    return run_command_named(argc, argv);
}
