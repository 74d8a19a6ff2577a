#include "speak/import/import.h"

#include "programs/cli/options.h"
#include "programs/cli/output.h"
#include "programs/library/version.h"

/* Reads the operands FORMAT FILE, or FILE alone; *format is then NULL. */
static int read_operands(const struct invocation *invocation, const struct import_format **format,
                         const char **path, struct error *error)
{
    const bool named = invocation->operand_count == 2;
    *format = import_format_by_name(invocation->operands[0]);
    *path = invocation->operands[named ? 1 : 0];
    if (!*format || named)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "%s is the name of a format, and no file was given: fathom import %s FILE; a "
                     "file of that name is ./%s",
                     *path, *path, *path);
}

static int import(struct invocation *invocation, struct error *error)
{
    const struct import_format *format;
    const char *path = NULL, *unread = NULL;
    struct document document = {0};
    int code = read_operands(invocation, &format, &path, error);
    if (code < 0)
        return code;
    code = import_file(format, path, &invocation->settings, &document, &unread, error);
    document.tool = (struct tool_facts){
        .version = FATHOM_VERSION, .commit = FATHOM_COMMIT, .compiler = __VERSION__};
    if (code == 0 && unread)
        command_tell("%s", unread);
    if (code == 0) /* a single table is shown in full */
        code = output_document(&invocation->options, &document,
                               document.probe_count == 1 ? &document.probes[0] : NULL, error);
    document_free(&document);
    return code;
}

static const struct option_spec *const options[] = {made_format_options, output_options, NULL};

#include "import.help.h"

const struct command import_command = {
    .name = "import",
    .help = &help,
    .options = options,
    .foreign = import_options,
    .run = import,
};
