#include "compare/differences.h"
#include "conclude/complete.h"
#include "programs/cli/options.h"
#include "programs/cli/output.h"
#include "show/render/differences.h"

#include <string.h>

static int write_text(const void *content, FILE *out, struct error *error)
{
    struct compared compared = *(const struct compared *)content;
    compared.style = output_style(out);
    return render_differences_text(&compared, out, error);
}

/* What is written. All formats but the page take it as its first member. */
struct both {
    struct compared compared;
    const struct document *const *documents;
};

static int write_html(const void *content, FILE *out, struct error *error)
{
    const struct both *both = content;
    return render_page(out, both->documents, 2, both->compared.threshold, error);
}

static const struct formats formats = {
    {"text", "csv", "json", "html"},
    {write_text, render_differences_csv, render_differences_json, write_html}};

static const struct option_spec diff_options[] = {
    {"threshold", 0, OPTION_REAL, "PCT", "3", 0.01, 1000, NULL, COMMAND_OPTION(threshold),
     "a value has changed if the whole interval of its change lies beyond this many percent"},
    {"format", 'f', OPTION_CHOICE, "FORMAT", "text", 0, 0, formats.names, COMMAND_OPTION(format),
     "text: what changed; csv and json: every value that both have, with its verdict; html: "
     "a page of both documents with a table of their differences"},
    {.name = NULL},
};

static int compare(const struct invocation *invocation, const struct document *a,
                   const struct document *b, struct error *error)
{
    const struct command_options *asked = &invocation->options;
    save_function *write = formats.write[asked->format.choice];
    struct differences differences = {0};
    const double threshold = asked->threshold.number / 100;
    const struct both both = {.compared = {.differences = &differences, .threshold = threshold},
                              .documents = (const struct document *const[]){a, b}};
    int code = differences_find(&differences, a, b, threshold, error);
    if (code == 0)
        code = output_write(output_path(asked), write, &both, error);
    if (code == 0 && differences.changed)
        code = EXIT_CHECK_FAILED;
    differences_free(&differences);
    return code;
}

static int diff(struct invocation *invocation, struct error *error)
{
    struct document a = {0}, b = {0};
    int code = experiment_read(&a, invocation->operands[0], error);
    if (code == 0)
        code = experiment_read(&b, invocation->operands[1], error);
    if (code == 0)
        code = compare(invocation, &a, &b, error);
    document_free(&a);
    document_free(&b);
    return code;
}

static const struct option_spec *const options[] = {diff_options, output_options, NULL};

const struct command diff_command = {
    .name = "diff",
    .operands = "BEFORE AFTER",
    .summary = "what changed between two documents; exit status 1 if anything did",
    .about = "Pairs the values of two documents by probe, factors and place, and compares their "
             "medians. A value has changed when the whole 95 % interval of its ratio lies beyond "
             "the threshold, in time as well as in cycles, also after a correction for the number "
             "of comparisons. A doubtful value has a wider interval. Other values beyond the "
             "threshold are shown as uncertain. A value of a single trial has no interval; one "
             "that is not above zero has no ratio and is listed as not compared. A different "
             "processor, page size, version or clock is reported.",
    .options = options,
    .run = diff,
};
