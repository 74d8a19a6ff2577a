#include "cli/command.h"

#include "probes/probe.h"

#include <string.h>

const struct command *const commands[] = {
    &run_command, &report_command, &list_command, &doctor_command, NULL,
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
