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

int documents_read(struct documents *documents, const struct invocation *invocation,
                   struct error *error)
{
    const size_t count = (size_t)invocation->operand_count;
    *documents = (struct documents){calloc(count, sizeof *documents->each),
                                    calloc(count, sizeof *documents->list), 0};
    int code = documents->each && documents->list ? 0 : error_out_of_memory(error);
    for (size_t i = 0; code == 0 && i < count; i++) {
        documents->list[documents->count++] = &documents->each[i];
        code = experiment_read(&documents->each[i], invocation->operands[i], error);
    }
    return code;
}

void documents_free(struct documents *documents)
{
    for (size_t i = 0; i < documents->count; i++)
        document_free(&documents->each[i]);
    free(documents->each);
    free(documents->list);
}
