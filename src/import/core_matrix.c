/*
 * Matrices of core-to-core latency as other tools print them:
 *
 * - CSV (commas, semicolons or tabs): the full square, or the lower triangle with or without its
 *   diagonal, which core-to-core-latency pads with empty cells; without ids, or with a first row
 *   and a first column of ids, or with the row alone;
 * - a table by blanks: a line of ids, then rows that begin with theirs. A cell belongs to the id
 *   that it stands below, so the diagonal may be blank. What stands before and after it is passed
 *   over, but for the processor's name ("CPU: ...").
 *
 * A cell is a number, perhaps with a spread that is not looked at ("53±1"). Empty, "-", "x" and
 * "nan" say that nothing was measured, and so does 0: a tool that prints it rounded or filled up.
 * The diagonal says nothing of two cores and is passed over. A row is the core that measures.
 */
#include "base/units.h"
#include "import/core_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int out_of_memory(const struct import_text *text, struct error *error)
{
    return error_set(error, ERROR_SYSTEM, "%s: out of memory", text->file);
}

/* --- the document --- */

static int add_points(struct series *series, struct pool *pool, const struct core_table *table)
{
    size_t n = table->n;
    series->points = pool_alloc(pool, n * n + 1, sizeof *series->points);
    if (!series->points)
        return ERROR_SYSTEM;
    for (size_t row = 0; row < n; row++)
        for (size_t column = 0; column < n; column++) {
            double value = table->latency[row * n + column], scratch;
            if (row == column || isnan(value))
                continue;
            struct point *point = &series->points[series->point_count++];
            *point = (struct point){.x = NAN,
                                    .from = table->ids[row],
                                    .to = table->ids[column],
                                    .cycles = {NAN, NAN, NAN},
                                    .scatter = {NAN, NAN, NAN}};
            summarize(&value, 1, &scratch, &point->y);
        }
    return 0;
}

static int fill_document(struct document *document, const struct core_table *table,
                         const struct import_text *text, const struct settings *settings,
                         struct error *error)
{
    struct pool *pool = &document->pool;
    struct probe_result *probe = document->probes = pool_alloc(pool, 1, sizeof *probe);
    struct series *series = pool_alloc(pool, 1, sizeof *series);
    const char *op =
        settings_has(settings, "op") ? pool_strdup(pool, settings_text(settings, "op")) : NULL;
    if (!probe || !series)
        return out_of_memory(text, error);
    document->probe_count = 1;
    document->machine.cpu_model = pool_strdup(pool, table->model);
    *probe = (struct probe_result){.name = "cores",
                                   .title = "Hand-off latency between cores",
                                   .elapsed_s = NAN,
                                   .series = series,
                                   .series_count = 1};
    *series = (struct series){.name = "hand-off",
                              .matrix = true,
                              .x = {"cpu", ""},
                              .y = {"latency", settings_text(settings, "unit")}};
    series->y.unit = pool_strdup(pool, series->y.unit);
    if (op) {
        series->factors = pool_alloc(pool, 1, sizeof *series->factors);
        if (!series->factors)
            return out_of_memory(text, error);
        series->factors[0] = (struct factor){.name = "op", .text = op, .number = NAN};
        series->factor_count = 1;
    }
    if (!series->y.unit || add_points(series, pool, table) < 0)
        return out_of_memory(text, error);
    if (series->point_count == 0)
        return error_set(error, ERROR_USAGE, "%s: holds no latency of two cores: give a matrix",
                         text->file);
    return 0;
}

static int check_op(const struct settings *settings, struct error *error)
{
    static const char *const letters = "abcdefghijklmnopqrstuvwxyz0123456789-";
    if (!settings_has(settings, "op"))
        return 0;
    const char *op = settings_text(settings, "op");
    if (op[strspn(op, letters)] || strlen(op) > 32)
        return error_set(error, ERROR_USAGE,
                         "--op: '%.40s' is no operation's name: write small letters, digits and "
                         "dashes, like cas",
                         op);
    return 0;
}

static int read_core_matrix(const struct import_text *text, const struct settings *settings,
                            struct document *document, struct error *error)
{
    struct pool scratch = {0};
    struct core_table table = {0};
    int code = check_op(settings, error);
    if (code == 0)
        code = core_table_read(&table, &scratch, text, settings_choice(settings, "ids"), error);
    if (code == 0)
        code = fill_document(document, &table, text, settings, error);
    pool_free(&scratch);
    return code;
}

static const char *const options[] = {"unit", "op", "ids", NULL};

const struct import_format core_matrix_format = {
    .name = "core-matrix",
    .options = options,
    .summary = "latency between cores, as CSV or a table: square or lower triangle",
    .read = read_core_matrix,
};
