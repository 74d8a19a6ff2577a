#include "programs/cli/command.h"

#include "base/clean.h"
#include "conclude/complete.h"
#include "programs/cli/options.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const struct command *const commands[] = {
    &run_command,     &report_command, &diff_command,       &check_command,  &baseline_command,
    &merge_command,   &fleet_command,  &nearest_command,    &watch_command,  &need_command,
    &predict_command, &advise_command, &analyse_command,    &import_command, &as_command,
    &list_command,    &doctor_command, &completion_command, &manual_command, NULL,
};

const struct command *command_by_name(const char *name, const struct probe **probe)
{
    *probe = probe_by_name(name);
    if (*probe)
        return &probe_command;
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

const struct command *command_at(size_t i, const struct probe **probe)
{
    size_t count = 0;
    *probe = NULL;
    for (; commands[count]; count++)
        if (count == i)
            return commands[i];
    for (size_t p = 0; probes[p]; p++)
        if (count + p == i) {
            *probe = probes[p];
            return &probe_command;
        }
    return NULL;
}

const char *command_name(const struct command *command, const struct probe *probe)
{
    return probe ? probe->name : command->name;
}

const char *command_summary(const struct command *command, const struct probe *probe)
{
    return probe ? probe->help->summary : command->help->summary;
}

static const struct option_spec *nth(const struct option_spec *table, size_t *i)
{
    for (; table && table->name; table++)
        if ((*i)-- == 0)
            return table;
    return NULL;
}

const struct option_spec *command_option(const struct command *command, const struct probe *probe,
                                         size_t i)
{
    const struct option_spec *option = nth(probe ? probe->help->options : command->foreign, &i);
    const struct option_spec *const *table = command->options;
    for (; !option && table && *table; table++)
        option = nth(*table, &i);
    return option ? option : nth(help_options, &i);
}

void command_tell(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    fprintf(stderr, "fathom: %s\n",
            text ? clean_text(text, text, strlen(text) + 1) : "out of memory for a remark");
    free(text);
}

void document_take(struct pool *pool, struct document *document, const char *path)
{
    const int code = experiment_read(document, path, pool_error(pool));
    pool_take(pool, &document->pool);
    pool_check(pool, code);
}

struct documents documents_read(struct invocation *invocation, size_t more)
{
    struct pool *pool = &invocation->settings.pool;
    const size_t read = (size_t)invocation->operand_count, count = read + more;
    struct documents documents = {pool_alloc(pool, count, sizeof *documents.each),
                                  pool_alloc(pool, count, sizeof(const struct document *)), count};
    for (size_t i = 0; i < count; i++) {
        documents.list[i] = &documents.each[i];
        if (i < read)
            document_take(pool, &documents.each[i], invocation->operands[i]);
    }
    return documents;
}
