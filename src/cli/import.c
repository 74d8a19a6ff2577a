#include "import/import.h"

#include "cli/options.h"
#include "cli/output.h"
#include "version.h"

#include <stdio.h>
#include <string.h>

/* "core-matrix, curve": what may be asked for. */
static const char *known_formats(char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; import_formats[i]; i++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? ", " : "",
                 import_formats[i]->name);
    return text;
}

/* A format and a file, or a file alone, of which *format is NULL. */
static int read_operands(const struct invocation *invocation, const struct import_format **format,
                         const char **path, struct error *error)
{
    enum { KNOWN_BYTES = 400 };
    char known[KNOWN_BYTES];
    const char *const *operands = (const char *const *)invocation->operands;
    const int count = invocation->operand_count;
    *format = NULL;
    if (count != 1 && count != 2)
        return error_set(error, ERROR_USAGE,
                         "import needs a file, or a format and a file, and %d operands were given: "
                         "fathom import [FORMAT] FILE",
                         count);
    *path = operands[count - 1];
    if (count == 1 && import_format_by_name(*path))
        return error_set(
            error, ERROR_USAGE,
            "%s is the name of a format, and no file was given: fathom import %s FILE; "
            "a file of that name is ./%s",
            *path, *path, *path);
    if (count == 2 && !(*format = import_format_by_name(operands[0])))
        return error_set(error, ERROR_USAGE, "unknown format '%s': choose from %s", operands[0],
                         known_formats(known, sizeof known));
    return 0;
}

static int import(struct invocation *invocation, struct error *error)
{
    const struct settings *settings = &invocation->settings;
    const struct import_format *format;
    const char *path = NULL, *unread = NULL;
    struct document document = {0};
    int code = read_operands(invocation, &format, &path, error);
    if (code < 0)
        return code;
    code = import_file(format, path, settings, &document, &unread, error);
    document.tool = (struct tool_facts){
        .version = FATHOM_VERSION, .commit = FATHOM_COMMIT, .compiler = __VERSION__};
    if (code == 0 && unread)
        fprintf(stderr, "fathom: %s\n", unread);
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
    .operands = "[FORMAT] FILE",
    .summary = "read another tool's table and look at it with fathom's eyes",
    .about = "Reads FILE (- for standard input), what another tool printed, and finds in it what "
             "fathom finds in its own measurements: levels in a curve, clusters in a matrix. The "
             "tool is known by its text; FORMAT names it where the text alone could be of several. "
             "All tables of a printout come into one document, and one line on standard error says "
             "what was not read. With -o FILE alone it is written as a document, which every other "
             "command takes; without, it is shown; -f X -o FILE writes X to FILE.",
    .options = options,
    .run = import,
};
