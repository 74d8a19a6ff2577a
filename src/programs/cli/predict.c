/* Tells what a loop takes on the machine of a document. */
#include "conclude/predict.h"

#include "base/line.h"
#include "base/quote.h"
#include "base/units.h"
#include "programs/cli/output.h"

#include <math.h>

/* By enum loop_pages. */
static const char *const loop_pages[] = {"auto", "4K", "thp", NULL};

struct told {
    struct loop loop;
    struct prediction prediction;
};

/* "3 MiB at random, 4 chains, 8 threads, 12 cycles of work, on huge pages, node 1" */
static void line_add_loop(struct line *line, const struct told *told)
{
    const struct loop *loop = &told->loop;
    char size[UNIT_TEXT];
    line_add(line, "%s, %s", size_format(loop->bytes, size), loop_pattern_names[loop->pattern]);
    if (loop->pattern == LOOP_STRIDE)
        line_add(line, " of %s", size_format(loop->stride, size));
    if (loop->pattern == LOOP_RANDOM)
        line_add(line, ", %u chain%s", loop->chains, loop->chains == 1 ? "" : "s");
    line_add(line, ", %u thread%s", loop->threads, loop->threads == 1 ? "" : "s");
    if (loop->work > 0)
        line_add(line, ", %g cycle%s of work", loop->work, loop->work == 1 ? "" : "s");
    if (loop->pages)
        line_add(line, ", pages %s", loop_pages[loop->pages]);
    if (loop->node >= 0)
        line_add(line, ", memory of node %d", loop->node);
}

static void line_add_figure(struct line *line, const char *name, const struct interval *figure,
                            double unit, const char *of)
{
    char value[UNIT_TEXT], low[UNIT_TEXT], high[UNIT_TEXT];
    line_add(
        line, "  %-16s %s %s  (%s to %s)\n", name, figure_format(figure->value / unit, 3, value),
        of, figure_format(figure->low / unit, 3, low), figure_format(figure->high / unit, 3, high));
}

static int write_text(const void *content, FILE *out, struct error *error)
{
    const struct told *told = content;
    const struct prediction *made = &told->prediction;
    const struct text_style style = output_style(out);
    struct line line = {0}, sentence = {0};
    line_add_loop(&line, told);
    line_add(&line, "\n");
    if (!made->untold) {
        line_add_figure(&line, "time per access", &made->ns, 1, "ns");
        line_add_figure(&line, "bytes a second", &made->bytes, 1e9, "GB/s");
    }
    fputs(line.text, out);
    line_add(&sentence, "%s%s", made->untold ? "can't tell: " : "",
             made->untold ? made->untold : made->reason);
    fputs("  ", out);
    render_sentence(out, sentence.text, 2, &style);
    return 0;
}

static void put_figure(FILE *out, const char *name, const struct interval *figure)
{
    fprintf(out, ",\n\"%s\":{", name);
    json_number(out, "", "value", figure->value);
    json_number(out, ",", "low", figure->low);
    json_number(out, ",", "high", figure->high);
    fputc('}', out);
}

static int write_json(const void *content, FILE *out, struct error *error)
{
    const struct told *told = content;
    const struct loop *loop = &told->loop;
    const struct prediction *made = &told->prediction;
    json_text(out, "{\"schema\":\"fathom-predict/1\",\n\"loop\":{", "pattern",
              loop_pattern_names[loop->pattern]);
    json_number(out, ",", "size_bytes", loop->bytes);
    json_number(out, ",", "stride_bytes",
                loop->pattern == LOOP_STRIDE ? loop->stride : (double)NAN);
    json_number(out, ",", "chains", loop->chains);
    json_number(out, ",", "threads", loop->threads);
    json_number(out, ",", "work_cycles", loop->work);
    json_text(out, ",", "pages", loop_pages[loop->pages]);
    json_number(out, ",", "node", loop->node < 0 ? (double)NAN : loop->node);
    fputc('}', out);
    if (!made->untold) {
        put_figure(out, "time_per_access_ns", &made->ns);
        put_figure(out, "bytes_per_second", &made->bytes);
    }
    json_text(out, ",\n", made->untold ? "cant_tell" : "reason",
              made->untold ? made->untold : made->reason);
    fputs("}\n", out);
    return 0;
}

static const struct formats formats = {{"text", "json"}, {write_text, write_json}};

#include "predict.help.h"

static int predict_loop(void *with)
{
    struct invocation *invocation = with;
    const struct command_options *asked = &invocation->options;
    struct pool *pool = &invocation->settings.pool;
    struct told told = {
        .loop = {.bytes = (double)asked->loop.size.bytes,
                 .pattern = (enum loop_pattern)asked->loop.pattern.choice,
                 .stride = asked->loop.stride.has ? (double)asked->loop.stride.bytes : 64,
                 .chains = (unsigned)asked->loop.chains.number,
                 .threads = (unsigned)asked->loop.threads.number,
                 .work = asked->loop.work.number,
                 .pages = (enum loop_pages)asked->loop.pages.choice,
                 .node = asked->loop.node.has ? (int)asked->loop.node.number : -1}};
    if (!asked->loop.size.has)
        pool_leave(pool, ERROR_USAGE, "of what size is the set? Give --size, like 3M");
    if (asked->loop.stride.has && told.loop.pattern != LOOP_STRIDE)
        pool_leave(pool, ERROR_USAGE, "--stride is of --pattern stride");
    const struct documents read = documents_read(invocation, 0);
    pool_check(
        pool, predict(read.list, read.count, &told.loop, pool, &told.prediction, pool_error(pool)));
    pool_check(pool, output_write(output_path(asked), formats.write[asked->format.choice], &told,
                                  pool_error(pool)));
    return told.prediction.untold ? EXIT_DOUBTFUL : EXIT_DONE;
}

static const struct option_spec *const options[] = {predict_options, NULL};

const struct command predict_command = {
    .name = "predict",
    .help = &help,
    .options = options,
    .step = predict_loop,
};
