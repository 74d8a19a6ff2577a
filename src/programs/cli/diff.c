#include "compare/differences.h"
#include "conclude/complete.h"
#include "programs/cli/options.h"
#include "programs/cli/output.h"
#include "show/render/differences.h"

#include <math.h>

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
    double tolerance;
};

static int write_html(const void *content, FILE *out, struct error *error)
{
    const struct both *both = content;
    return render_page(out, both->documents, 2, both->tolerance, error);
}

static const struct formats formats = {
    {"text", "csv", "json", "html"},
    {write_text, render_differences_csv, render_differences_json, write_html}};

#include "diff.help.h"

static int write_differences(const struct invocation *invocation, const struct document *a,
                             const struct document *b, struct error *error)
{
    const struct command_options *asked = &invocation->options;
    save_function *write = formats.write[asked->format.choice];
    struct differences differences = {0};
    const double tolerance = asked->tolerance.has ? asked->tolerance.number / 100 : NAN;
    const struct both both = {{.differences = &differences,
                               .listed = asked->points.has ? LISTED_WITH_REASONS : LISTED_CHANGES},
                              (const struct document *const[]){a, b},
                              tolerance};
    int code = differences_find(&differences, a, b, tolerance, error);
    if (code == 0)
        code = output_write(output_path(asked), write, &both, error);
    if (code == 0 && differences_exist(&differences))
        code = EXIT_CHECK_FAILED;
    else if (code == 0 && !differences.count)
        code = EXIT_DOUBTFUL;
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
        code = write_differences(invocation, &a, &b, error);
    document_free(&a);
    document_free(&b);
    return code;
}

static const struct option_spec *const options[] = {diff_options, output_options, NULL};

const struct command diff_command = {
    .name = "diff",
    .help = &help,
    .options = options,
    .run = diff,
};
