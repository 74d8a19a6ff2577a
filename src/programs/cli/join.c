/* Commands that combine many documents into one: baseline and merge. */
#include "compare/merge.h"
#include "compare/spread.h"
#include "conclude/complete.h"
#include "programs/cli/measure.h"
#include "programs/cli/options.h"
#include "programs/cli/output.h"

#include <stdlib.h>
#include <unistd.h>

typedef int join_function(struct document *, const struct document *, size_t, const char **left_out,
                          struct error *);

struct joining {
    const struct invocation *invocation;
    join_function *how;
    const char *to; /* the document that the others are added to; NULL: none */
};

/* Joins the documents of the operands, and the one that was measured, if any. */
static int join(struct measurement *measured, void *with, struct error *error)
{
    const struct joining *joining = with;
    const struct invocation *invocation = joining->invocation;
    struct command_options asked = invocation->options;
    const size_t operands = (size_t)invocation->operand_count;
    size_t read = 0;
    struct document *documents = calloc(operands + 2, sizeof *documents);
    struct document joined = {0};
    const char *left_out = NULL;
    int code = documents ? 0 : error_out_of_memory(error);
    if (code == 0 && joining->to)
        code = save_alone(&joining->to, 1, error);
    if (code == 0 && joining->to && access(joining->to, F_OK) == 0)
        code = experiment_read(&documents[read++], joining->to, error);
    for (size_t i = 0; i < operands && code == 0; i++)
        code = experiment_read(&documents[read++], invocation->operands[i], error);
    if (measured && code == 0)
        documents[read] = measured->document;
    if (code == 0)
        code = joining->how(&joined, documents, read + (measured != NULL), &left_out, error);
    if (code == 0 && left_out) /* the document does not record it */
        command_tell("%s", left_out);
    if (joining->to && !asked.output.has)
        asked.output = asked.add;
    if (code == 0)
        code = output_document(&asked, &joined, NULL, error);
    document_free(&joined);
    for (size_t i = 0; documents && i < read; i++)
        document_free(&documents[i]);
    free(documents);
    return code;
}

static int baseline(struct invocation *invocation, struct error *error)
{
    const struct command_options *asked = &invocation->options;
    struct joining joining = {invocation, baseline_build, asked->add.text};
    const struct output *output = output_choose(asked).output;
    if (joining.to && output_is_standard(joining.to))
        return error_set(error, ERROR_USAGE, "--add %s: name the file of a baseline", joining.to);
    if (joining.to && !asked->output.has && !output->is_document)
        return error_set(error, ERROR_USAGE,
                         "--add %s keeps a document there, and --format %s makes none: name "
                         "another file with -o FILE, or -o - to see it",
                         joining.to, output->name);
    if (invocation->operand_count)
        return measure_refuse_how(invocation, error) < 0 ? ERROR_USAGE
                                                         : join(NULL, &joining, error);
    if (!joining.to)
        return error_set(error, ERROR_USAGE,
                         "too few words: write fathom baseline FILE..., or --add BASE to measure");
    int code = save_possible(joining.to, error);
    if (code == 0 && !asked->common.thorough.has)
        code = settings_set(&invocation->settings, "quick", NULL, error);
    return code == 0 ? measure_and_use(invocation, join, &joining, error) : code;
}

static int merge(struct invocation *invocation, struct error *error)
{
    return join(NULL, &(struct joining){invocation, documents_merge, NULL}, error);
}

#include "join.help.h"

static const struct option_spec *const options[] = {joined_format_options, output_options, NULL};
static const struct option_spec *const baseline_options[] = {
    joined_format_options, output_options, add_options, repeat_options,
    probe_common_options,  twin_options,   NULL};

const struct command baseline_command = {
    .name = "baseline",
    .help = &baseline_help,
    .options = baseline_options,
    .run = baseline,
};

const struct command merge_command = {
    .name = "merge",
    .help = &merge_help,
    .options = options,
    .run = merge,
};
