#include "compare/differences.h"
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

static int diff(void *with)
{
    struct invocation *invocation = with;
    struct pool *pool = &invocation->settings.pool;
    const struct command_options *asked = &invocation->options;
    const struct documents read = documents_read(invocation, 0);
    const double tolerance = asked->tolerance.has ? asked->tolerance.number / 100 : NAN;
    struct differences differences;
    const int code =
        differences_find(&differences, read.list[0], read.list[1], tolerance, pool_error(pool));
    pool_take(pool, &differences.pool);
    pool_check(pool, code);
    const struct both both = {{.differences = &differences,
                               .listed = asked->points.has ? LISTED_WITH_REASONS : LISTED_CHANGES},
                              read.list,
                              tolerance};
    pool_check(pool, output_write(output_path(asked), formats.write[asked->format.choice], &both,
                                  pool_error(pool)));
    return differences_exist(&differences) ? EXIT_CHECK_FAILED
           : differences.count             ? EXIT_DONE
                                           : EXIT_DOUBTFUL;
}

static const struct option_spec *const options[] = {diff_options, output_options, NULL};

const struct command diff_command = {
    .name = "diff",
    .help = &help,
    .options = options,
    .step = diff,
};
