/* Compares a document with known machines: those of the gallery and of documents named. */
#include "compare/nearest.h"

#include "base/clean.h"
#include "base/text.h"
#include "conclude/complete.h"
#include "document/json.h"
#include "programs/cli/gallery.h"
#include "programs/cli/output.h"
#include "show/report/differences.h"

#include <math.h>
#include <string.h>

enum { LISTED_MOST = 8, CHANGES_MOST = 6, COLUMN = 24, SHORTENED_LEAST = 8 };

static const char *name_of(const struct document *document)
{
    return document->machine.cpu_model ? document->machine.cpu_model : "unknown processor";
}

/* "As 4 others of its model (Intel N95) but for L3.bandwidth -62 %. 9 of 12 values are the same, 1
 * is changed, 2 can't be told." */
static void line_add_model(struct line *line, const struct nearest *nearest, const char *model)
{
    const struct differences *differences = &nearest->differences;
    size_t answers[ANSWERS] = {0}, values = 0;
    if (!nearest->alike) {
        line_add_between(line, "No other known machine of its model (", model,
                         ") has a figure in common with it.");
        return;
    }
    line_add(line, "As %zu other%s", nearest->alike, nearest->alike == 1 ? "" : "s");
    line_add_between(line, " of its model (", model, ")");
    for (size_t i = 0; i < differences->count; i++) {
        const struct difference *difference = &differences->list[i];
        const size_t changes = answers[CHANGED];
        if (!nearest_counts(difference))
            continue;
        values++;
        answers[difference->compared.answer]++;
        if (answers[CHANGED] == changes || changes >= CHANGES_MOST)
            continue;
        line_add(line, changes ? ", " : " but for ");
        line_add_difference(line, difference);
        line_add(line, " %+.0f %%", 100 * (difference->compared.ratio - 1));
    }
    if (answers[CHANGED] > CHANGES_MOST)
        line_add(line, " and %zu more", answers[CHANGED] - CHANGES_MOST);
    line_add(line, "%s. %zu of %zu values are the same, %zu changed, %zu can't be told.",
             answers[CHANGED] ? "" : ": no change can be told", answers[SAME], values,
             answers[CHANGED], answers[CANT_TELL]);
}

/* "MODEL (FILE)" in that many columns: the model's name is shortened first, then the path. */
static void write_machine(FILE *out, const struct document *document, size_t columns)
{
    char model[CLEAN_TEXT], file[CLEAN_TEXT];
    const char *path = clean_text(document->file, file, sizeof file);
    clean_text(name_of(document), model, sizeof model);
    const size_t left = clean_columns(file) + 3 < columns ? columns - clean_columns(file) - 3 : 0;
    if (left < SHORTENED_LEAST) {
        fprintf(out, "(%s)\n", path_name(path));
        return;
    }
    const bool fits = clean_columns(model) <= left;
    model[fits ? strlen(model) : left - 2] = '\0';
    text_drop_half(model);
    fprintf(out, "%s%s (%s)\n", model, fits ? "" : "..", path);
}

static int write_text(const void *content, FILE *out, struct error *error)
{
    const struct nearest *nearest = content;
    const struct text_style style = output_style(out);
    struct line line = {0};
    fputs("   differs  in figures  machine\n", out);
    for (size_t i = 0; i < nearest->count && i < LISTED_MOST; i++) {
        const struct neighbour *its = &nearest->list[i];
        fprintf(out, "  %6.0f %%  %10zu  ", 100 * expm1(pow(its->away / (double)its->compared, 2)),
                its->compared);
        write_machine(out, its->document,
                      style.width > COLUMN ? (size_t)(style.width - COLUMN) : 0);
    }
    line_add_model(&line, nearest, name_of(nearest->document));
    fputc('\n', out);
    render_sentence(out, line.text, 0, &style);
    return 0;
}

#include "nearest.help.h"

/* The document comes first, then the known ones: of the operands, and of the gallery. */
static int nearest(void *with)
{
    struct invocation *invocation = with;
    struct pool *pool = &invocation->settings.pool;
    struct error *error = pool_error(pool);
    size_t known = 0;
    while (gallery[known].name)
        known++;
    const struct documents read = documents_read(invocation, known);
    for (size_t i = 0; i < known; i++) {
        struct document *document = &read.each[read.count - known + i];
        const char *text = gallery[i].text, *name = gallery[i].name;
        int code = document_read_text(document, text, strlen(text), name, error);
        document->file = name;
        if (code == 0)
            code = experiments_complete(document, error);
        pool_take(pool, &document->pool);
        pool_check(pool, code);
    }
    struct nearest found = {.count = 0};
    int code = nearest_find(&found, &read.each[0], read.each + 1, read.count - 1, error);
    if (code == 0)
        code = output_write(output_path(&invocation->options), write_text, &found, error);
    nearest_free(&found);
    return code;
}

static const struct option_spec *const options[] = {nearest_options, NULL};

const struct command nearest_command = {
    .name = "nearest",
    .help = &help,
    .options = options,
    .step = nearest,
};
