#include "programs/cli/redact.h"

#include "programs/cli/options.h"

const struct option_spec redact_options[] = {
    {"redact", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, COMMAND_OPTION(redact),
     "leave out the host's name, serial numbers, and names and paths of files"},
    {.name = NULL},
};

struct redaction {
    const struct invocation *invocation; /* NULL: only the first two words of the command stay */
    struct document *document;
};

/* Makes the command that repeats the run, without the program's path and options that name files,
 * because file names may contain names of people and machines. Made from the settings and not from
 * the words as typed: -oFILE, --out FILE and --output=FILE are one option, and a repeated option
 * counts once. */
static void redact_command(struct run_facts *run, const struct invocation *invocation,
                           struct pool *pool)
{
    const struct settings *settings = &invocation->settings;
    const size_t operands = (size_t)invocation->operand_count;
    run->command = pool_alloc(pool, 2 + settings->count + operands, sizeof *run->command);
    run->command_count = 0;
    run->command[run->command_count++] = "fathom";
    run->command[run->command_count++] = command_name(invocation->command, invocation->probe);
    for (size_t i = 0; i < settings->count; i++) {
        const struct setting *setting = &settings->list[i];
        const struct option_spec *spec = setting->spec;
        if (setting->given && !option_names_file(spec))
            run->command[run->command_count++] =
                spec->type == OPTION_FLAG ? pool_printf(pool, "--%s", spec->name)
                                          : pool_printf(pool, "--%s=%s", spec->name, setting->text);
    }
    /* Names of probes are kept; another program's words may be anything. */
    for (size_t i = 0; i < operands && !invocation->command->passes_on; i++)
        run->command[run->command_count++] = pool_strdup(pool, invocation->operands[i]);
}

static int redact(void *with)
{
    const struct redaction *redaction = with;
    struct document *document = redaction->document;
    struct run_facts *run = &document->run;
    if (redaction->invocation)
        redact_command(run, redaction->invocation, &document->pool);
    else if (run->command_count) {
        run->command[0] = "fathom";
        run->command_count = run->command_count > 1 ? 2 : 1;
    }
    document_redact(document);
    return 0;
}

int redact_measured(struct document *document, const struct invocation *invocation,
                    struct error *error)
{
    return pool_enter(&document->pool, redact, &(struct redaction){invocation, document}, error);
}

void redact_read(struct document *document, struct pool *pool)
{
    const struct run_facts *run = &document->run;
    struct invocation again = {.command = NULL};
    char **words = pool_alloc(pool, run->command_count + 1, sizeof *words);
    for (size_t i = 0; i < run->command_count; i++)
        words[i] = pool_strdup(pool, run->command[i]);
    if (run->command_count > 1)
        again.command = command_by_name(words[1], &again.probe);
    const bool understood =
        (again.command == &run_command || again.command == &probe_command) &&
        options_parse(&again, (int)run->command_count - 1, words + 1, NULL) == 0;
    const int code = redact_measured(document, understood ? &again : NULL, pool_error(pool));
    pool_take(pool, &document->pool);
    pool_take(pool, &again.settings.pool);
    pool_check(pool, code);
}
