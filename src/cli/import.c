#include "import/import.h"

#include "cli/options.h"
#include "cli/output.h"
#include "version.h"

static int import(struct invocation *invocation, struct error *error)
{
    const char *const *operands = (const char *const *)invocation->operands;
    const struct import_format *format = import_format_by_name(operands[0]);
    const struct settings *settings = &invocation->settings;
    struct document document = {0};
    int code = import_file(format, operands[1], settings, &document, error);
    document.tool = (struct tool_facts){
        .version = FATHOM_VERSION, .commit = FATHOM_COMMIT, .compiler = __VERSION__};
    if (code == 0) /* a single table is shown in full */
        code = output_document(settings, &document,
                               document.probe_count == 1 ? &document.probes[0] : NULL, error);
    document_free(&document);
    return code;
}

static const struct option_spec *const options[] = {import_options, made_format_options,
                                                    output_options, NULL};

const struct command import_command = {
    .name = "import",
    .operands = "FORMAT FILE",
    .summary = "read another tool's table and find in it what fathom would",
    .about = "Reads FILE (- for standard input), a table that another tool printed, and finds in "
             "it what fathom finds in its own measurements: levels in a curve, clusters in a "
             "matrix. Without -o the result is shown; -o FILE alone writes it as a document, which "
             "every other command reads; -f X -o FILE writes X to FILE.",
    .options = options,
    .run = import,
};
