#include "conclude/analyse.h"

#include "base/text.h"
#include "document/json.h"
#include "programs/cli/options.h"
#include "programs/cli/output.h"
#include "programs/library/version.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- where documents go --- */

static int check_several(const struct invocation *invocation, const char *output,
                         struct error *error)
{
    for (int i = 0; i < invocation->operand_count; i++) {
        if (strcmp(invocation->operands[i], "-") == 0)
            return error_set(error, ERROR_USAGE,
                             "standard input has no file name to write to: analyse it alone, with "
                             "-o FILE or without -o");
        for (int j = 0; output && j < i; j++)
            if (strcmp(path_name(invocation->operands[i]), path_name(invocation->operands[j])) == 0)
                return error_set(error, ERROR_USAGE,
                                 "%s and %s would both become %s in %s: analyse them one after the "
                                 "other",
                                 invocation->operands[j], invocation->operands[i],
                                 path_name(invocation->operands[i]), output);
    }
    return 0;
}

/* *folder: each document keeps its name, in the folder `output` or where it was. */
static int check_output(const struct invocation *invocation, bool *folder, struct error *error)
{
    const struct command_options *asked = &invocation->options;
    const bool in_place = asked->in_place.has;
    const char *output = asked->output.text;
    const bool json = output_choose(asked).output->is_document;
    if (in_place && output)
        return error_set(error, ERROR_USAGE,
                         "--in-place writes each document where it was, and -o elsewhere: leave "
                         "one out");
    if (in_place && !json)
        return error_set(error, ERROR_USAGE,
                         "--in-place writes documents, which are JSON: leave out --format %s",
                         asked->format.text);
    struct stat there;
    const bool to_folder = output && (text_ends_with(output, "/") ||
                                      (stat(output, &there) == 0 && S_ISDIR(there.st_mode)));
    *folder = in_place || (json && to_folder);
    if (invocation->operand_count > 1 && !*folder)
        return error_set(error, ERROR_USAGE,
                         json ? "%d documents don't fit in one file: give -o FOLDER, or --in-place"
                              : "%d documents can't be shown as one: analyse them with --in-place "
                                "or -o FOLDER, and 'fathom report' shows them",
                         invocation->operand_count);
    return *folder ? check_several(invocation, output, error) : 0;
}

/* --- analysing --- */

static int read_and_analyse(struct document *document, const char *path, struct error *error)
{
    const char *remarks = NULL;
    int code = document_read(document, path, error);
    if (code == 0)
        code = document_analyse(document, &remarks, error);
    if (code < 0)
        return code;
    document->tool.analysed = FATHOM_VERSION " (" FATHOM_COMMIT ")";
    if (remarks)
        command_tell("%s: kept findings that cannot be computed from its series: %s",
                     strcmp(path, "-") == 0 ? "standard input" : path, remarks);
    return 0;
}

/* Writes a temporary file and renames it, so the old document stays whole after any failure. */
static int write_named(const struct invocation *invocation, struct document *document,
                       const char *path, struct error *error)
{
    const char *folder = invocation->options.output.text;
    if (!folder)
        return document_save(document, path, error);
    const char *slash = text_ends_with(folder, "/") ? "" : "/";
    const char *target = pool_printf(&document->pool, "%s%s%s", folder, slash, path_name(path));
    return target ? document_save(document, target, error) : error_out_of_memory(error);
}

/* Reads and analyses all documents before it writes the first. */
static int analyse(struct invocation *invocation, struct error *error)
{
    bool folder = false;
    int code = check_output(invocation, &folder, error);
    if (code < 0)
        return code;
    const size_t count = (size_t)invocation->operand_count;
    if (invocation->options.in_place.has)
        code = save_alone((const char *const *)invocation->operands, count, error);
    struct document *documents = calloc(count, sizeof *documents);
    size_t read = 0;
    if (!documents)
        return error_out_of_memory(error);
    for (; read < count && code == 0; read++)
        code = read_and_analyse(&documents[read], invocation->operands[read], error);
    if (code == 0 && !folder)
        code = output_document(&invocation->options, &documents[0],
                               output_only_probe(&documents[0]), error);
    for (size_t i = 0; i < count && code == 0 && folder; i++)
        code = write_named(invocation, &documents[i], invocation->operands[i], error);
    for (size_t i = 0; i < read; i++)
        document_free(&documents[i]);
    free(documents);
    return code;
}

#include "analyse.help.h"

static const struct option_spec *const options[] = {own_options, joined_format_options,
                                                    output_options, NULL};

const struct command analyse_command = {
    .name = "analyse",
    .help = &help,
    .options = options,
    .run = analyse,
};
