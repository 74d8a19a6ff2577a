#include "cli/options.h"
#include "cli/output.h"
#include "result/json.h"

static int report(struct invocation *invocation, struct error *error)
{
    if (invocation->operand_count != 1)
        return error_set(error, ERROR_USAGE,
                         "report needs one document, and %d were given: fathom report FILE",
                         invocation->operand_count);
    struct document document = {0};
    int code = document_read(&document, invocation->operands[0], error);
    if (code == 0)
        code = output_document(&invocation->settings, &document, NULL, error);
    document_free(&document);
    return code;
}

static const struct option_spec *const options[] = {format_options, output_options, NULL};

const struct command report_command = {
    .name = "report",
    .operands = "FILE",
    .summary = "show a document that a run has written",
    .about = "Reads a document (FILE, or - for standard input) and prints what 'fathom run' "
             "printed when it wrote it. The exit status tells of the report, not of the run.",
    .options = options,
    .run = report,
};
