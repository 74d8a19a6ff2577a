#include "conclude/analyse.h"

#include "base/text.h"
#include "document/json.h"
#include "programs/cli/options.h"
#include "programs/cli/output.h"
#include "programs/library/version.h"

#include <string.h>
#include <sys/stat.h>

/* --- where documents go --- */

static void check_several(const struct invocation *invocation, struct pool *pool)
{
    const char *output = invocation->options.output.text;
    for (int i = 0; i < invocation->operand_count; i++) {
        const char *path = invocation->operands[i];
        if (strcmp(path, "-") == 0)
            pool_leave(pool, ERROR_USAGE,
                       "standard input has no file name to write to: analyse it alone, with "
                       "-o FILE or without -o");
        for (int j = 0; output && j < i; j++)
            if (strcmp(path_name(path), path_name(invocation->operands[j])) == 0)
                pool_leave(pool, ERROR_USAGE,
                           "%s and %s would both become %s in %s: analyse them one after the "
                           "other",
                           invocation->operands[j], path, path_name(path), output);
    }
}

/* Whether each document keeps its name, in the folder of -o or where it was. */
static bool is_to_folder(const struct invocation *invocation, struct pool *pool)
{
    const struct command_options *asked = &invocation->options;
    const bool in_place = asked->in_place.has;
    const char *output = asked->output.text;
    const bool json = output_choose(asked).output->is_document;
    if (in_place && output)
        pool_leave(pool, ERROR_USAGE,
                   "--in-place writes each document where it was, and -o elsewhere: leave "
                   "one out");
    if (in_place && !json)
        pool_leave(pool, ERROR_USAGE,
                   "--in-place writes documents, which are JSON: leave out --format %s",
                   asked->format.text);
    struct stat there;
    const bool folder = output && (text_ends_with(output, "/") ||
                                   (stat(output, &there) == 0 && S_ISDIR(there.st_mode)));
    if (in_place || (json && folder))
        return true;
    if (invocation->operand_count > 1)
        pool_leave(pool, ERROR_USAGE,
                   json ? "%d documents don't fit in one file: give -o FOLDER, or --in-place"
                        : "%d documents can't be shown as one: analyse them with --in-place "
                          "or -o FOLDER, and 'fathom report' shows them",
                   invocation->operand_count);
    return false;
}

/* --- analysing --- */

static void read_and_analyse(struct document *document, const char *path, struct pool *pool)
{
    const char *remarks = NULL;
    int code = document_read(document, path, pool_error(pool));
    if (code == 0)
        code = document_analyse(document, &remarks, pool_error(pool));
    pool_take(pool, &document->pool);
    pool_check(pool, code);
    document->tool.analysed = FATHOM_VERSION " (" FATHOM_COMMIT ")";
    if (remarks)
        command_tell("%s: kept findings that cannot be computed from its series: %s",
                     strcmp(path, "-") == 0 ? "standard input" : path, remarks);
}

/* Reads and analyses all documents before it writes the first. Each is written to a temporary file
 * that is renamed, so the old document stays whole after any failure. */
static int analyse(void *with)
{
    struct invocation *invocation = with;
    struct pool *pool = &invocation->settings.pool;
    const size_t count = (size_t)invocation->operand_count;
    const char *folder = invocation->options.output.text;
    const bool several = is_to_folder(invocation, pool);
    if (several)
        check_several(invocation, pool);
    if (invocation->options.in_place.has)
        pool_check(pool,
                   save_alone((const char *const *)invocation->operands, count, pool_error(pool)));
    struct document *documents = pool_alloc(pool, count, sizeof *documents);
    for (size_t i = 0; i < count; i++)
        read_and_analyse(&documents[i], invocation->operands[i], pool);
    if (!several)
        return output_document(&invocation->options, documents, output_only_probe(documents),
                               pool_error(pool));
    for (size_t i = 0; i < count; i++) {
        const char *path = invocation->operands[i];
        const char *slash = folder && text_ends_with(folder, "/") ? "" : "/";
        if (folder)
            path = pool_printf(pool, "%s%s%s", folder, slash, path_name(path));
        pool_check(pool, document_save(&documents[i], path, pool_error(pool)));
    }
    return 0;
}

#include "analyse.help.h"

static const struct option_spec *const options[] = {own_options, joined_format_options,
                                                    output_options, NULL};

const struct command analyse_command = {
    .name = "analyse",
    .help = &help,
    .options = options,
    .step = analyse,
};
