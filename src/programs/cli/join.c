/* Commands that combine many documents into one: baseline and merge. */
#include "compare/baseline.h"
#include "compare/merge.h"
#include "conclude/complete.h"
#include "programs/cli/options.h"
#include "programs/cli/output.h"

#include <stdio.h>
#include <stdlib.h>

typedef int join_function(struct document *, const struct document *, size_t, const char **left_out,
                          struct error *);

static int join(struct invocation *invocation, join_function *how, struct error *error)
{
    size_t count = (size_t)invocation->operand_count, read = 0;
    struct document *documents = calloc(count, sizeof *documents);
    struct document joined = {0};
    const char *left_out = NULL;
    int code = documents ? 0 : error_out_of_memory(error);
    for (; read < count && code == 0; read++)
        code = experiment_read(&documents[read], invocation->operands[read], error);
    if (code == 0)
        code = how(&joined, documents, count, &left_out, error);
    if (code == 0 && left_out) /* the document does not record it */
        command_tell("%s", left_out);
    if (code == 0)
        code = output_document(&invocation->options, &joined, NULL, error);
    document_free(&joined);
    for (size_t i = 0; documents && i < read; i++)
        document_free(&documents[i]);
    free(documents);
    return code;
}

static int baseline(struct invocation *invocation, struct error *error)
{
    return join(invocation, baseline_build, error);
}

static int merge(struct invocation *invocation, struct error *error)
{
    return join(invocation, documents_merge, error);
}

static const struct option_spec *const options[] = {joined_format_options, output_options, NULL};

const struct command baseline_command = {
    .name = "baseline",
    .operands = "FILE...",
    .summary = "typical values of machines of one kind, for 'fathom check'",
    .about = "Makes one document out of the documents of many machines of one kind: every value is "
             "the median over them, and its interval is the middle four fifths. It goes to "
             "standard output or to -o FILE. 'fathom check --against' and 'fathom diff' read it "
             "like any other document.",
    .options = options,
    .run = baseline,
};

const struct command merge_command = {
    .name = "merge",
    .operands = "FILE...",
    .summary = "one document of several runs on one machine",
    .about =
        "Joins documents of one machine. The newest run of each probe is used; what an older run "
        "measured in another experiment (another order, stride, node or kernel) is kept too. "
        "Standard error says what is left out. The result goes to standard output or to -o FILE.",
    .options = options,
    .run = merge,
};
