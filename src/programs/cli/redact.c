#include "programs/cli/redact.h"

/* From the settings and not from the words as typed: -oFILE, --out FILE and --output=FILE are one
 * option, and an option that was given twice counts once. */
int redact_command(const struct invocation *invocation, struct pool *pool, struct run_facts *run,
                   struct error *error)
{
    const struct settings *settings = &invocation->settings;
    const size_t operands = (size_t)invocation->operand_count;
    const char **words = pool_alloc(pool, 2 + settings->count + operands, sizeof *words);
    size_t count = 0;
    if (!words)
        return error_out_of_memory(error);
    words[count++] = "fathom";
    words[count++] = command_name(invocation->command, invocation->probe);
    for (size_t i = 0; i < settings->count; i++) {
        const struct option_spec *spec = settings_spec(settings, i);
        if (!settings_given(settings, spec->name) || option_names_file(spec))
            continue;
        words[count] = spec->type == OPTION_FLAG ? pool_printf(pool, "--%s", spec->name)
                                                 : pool_printf(pool, "--%s=%s", spec->name,
                                                               settings_text(settings, spec->name));
        if (!words[count++])
            return error_out_of_memory(error);
    }
    for (size_t i = 0; i < operands; i++) /* names of probes: nothing else is measured */
        words[count++] = invocation->operands[i];
    run->command = words;
    run->command_count = count;
    return 0;
}
