#include "programs/cli/options.h"
#include "programs/cli/output.h"
#include "programs/cli/redact.h"

#include <math.h>
#include <string.h>

/* Imported documents may have no command. */
const struct probe_result *output_only_probe(const struct document *document)
{
    const struct run_facts *run = &document->run;
    const bool of_run = run->command_count > 1 && strcmp(run->command[1], run_command.name) == 0;
    return document->probe_count == 1 && !of_run ? &document->probes[0] : NULL;
}

/* A page shows any number of documents side by side. */
static int report(void *with)
{
    struct invocation *invocation = with;
    struct pool *pool = &invocation->settings.pool;
    const struct outlet outlet = output_choose(&invocation->options);
    const size_t count = (size_t)invocation->operand_count;
    if (count > 1 && !outlet.output->takes_several)
        pool_leave(pool, ERROR_USAGE,
                   "--format %s shows one document, and %zu were given: give one, or "
                   "--format html or svg for a page or a picture of several",
                   outlet.output->name, count);
    const struct documents read = documents_read(invocation, 0);
    for (size_t i = 0; i < count && invocation->options.redact.has; i++)
        redact_read(&read.each[i], pool);
    return count == 1
               ? outlet_write(&outlet, read.each, output_only_probe(read.each), pool_error(pool))
               : outlet_write_several(&outlet, read.list, count, NAN, pool_error(pool));
}

#include "report.help.h"
static const struct option_spec *const options[] = {format_options, points_options, output_options,
                                                    chart_options,  redact_options, NULL};

const struct command report_command = {
    .name = "report",
    .help = &help,
    .options = options,
    .step = report,
};
