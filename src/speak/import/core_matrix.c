/*
 * Matrices of core-to-core latency as other tools print them:
 *
 * - CSV (commas, semicolons or tabs): the full square, or the lower triangle with or without its
 *   diagonal, which core-to-core-latency pads with empty cells; without ids, or with a first row
 *   and a first column of ids, or with the row alone;
 * - a table by blanks: a line of ids, then rows that begin with theirs. A cell belongs to the id
 *   that it stands below, so the diagonal may be blank. What stands before and after it is passed
 *   over, but for the processor's name ("CPU: ..."). Several may follow one another, as
 *   core-to-core-latency prints them, each below a line that names its operation;
 * - triples, by any of these separators: the core that measures, the one that answers, the latency,
 *   below a line that names the three, or more than four of them.
 *
 * A cell is a number, perhaps with a spread that is not looked at ("53±1"). Empty, "-", "x" and
 * "nan" say that nothing was measured, and so does 0: a tool that prints it rounded or filled up.
 * The diagonal says nothing of two cores and is passed over. A row is the core that measures. A
 * table of bandwidths between the same is none of latencies.
 */
#include "base/quantity.h"
#include "speak/import/core_table.h"
#include "speak/import/reading.h"

#include <math.h>
#include <string.h>

/* The least and the most that a hand-off between two cores takes. */
static const double hand_off_least_ns = 2, hand_off_most_ns = 1e5;

/* The unit that the last remark above the first line of a table names. */
static struct column unit_of_remarks(const struct import_text *source)
{
    struct import_text text = *source;
    struct rows rows;
    struct column unit = {.holds = COLUMN_UNKNOWN};
    rows_begin(&rows, &text);
    while (rows_next(&rows) && (!rows.length || *rows.text == '#'))
        if (rows.length) {
            const struct column found = column_in_words(rows.text, rows.length);
            unit = found.holds ? found : unit;
        }
    return unit;
}

static void add_points(struct reading *reading, struct series *series,
                       const struct core_table *table, double scale)
{
    const size_t n = table->n;
    const bool ns = quantity_is(series->y.unit, DIMENSION_TIME);
    series->points = pool_alloc(reading->pool, n * n + 1, sizeof *series->points);
    for (size_t row = 0; row < n; row++)
        for (size_t column = 0; column < n; column++) {
            double value = table->latency[row * n + column] * scale, scratch;
            if (row == column || isnan(value))
                continue;
            if (ns && (value < hand_off_least_ns || value > hand_off_most_ns))
                text_refuse(
                    reading->text,
                    "%g ns from %d to %d is outside of what a hand-off takes (%g to %g ns): "
                    "say the latencies' unit by --unit, or by a remark '# latency in us'",
                    value, table->ids[row], table->ids[column], hand_off_least_ns,
                    hand_off_most_ns);
            struct point *point = &series->points[series->point_count++];
            *point = point_bare();
            point->x = NAN;
            point->from = table->ids[row];
            point->to = table->ids[column];
            summarize(&value, 1, &scratch, &point->y);
        }
    if (series->point_count == 0)
        text_refuse(reading->text, "holds no latency of two cores: give a matrix");
}

static const char *given_op(const struct reading *reading)
{
    static const char *const letters = "abcdefghijklmnopqrstuvwxyz0123456789-";
    if (!settings_has(reading->settings, "op"))
        return NULL;
    const char *op = settings_text(reading->settings, "op");
    if (op[strspn(op, letters)] || strlen(op) > 32)
        pool_leave(reading->pool, ERROR_USAGE,
                   "--op: '%.40s' is no operation's name: write small letters, digits and dashes, "
                   "like cas",
                   op);
    return pool_strdup(reading->pool, op);
}

static void add_table(struct reading *reading, const struct core_table *table, const char *op)
{
    const char *unit = settings_text(reading->settings, "unit");
    double scale = 1;
    if (table->unit.holds == COLUMN_CYCLES && !quantity_is(unit, DIMENSION_CYCLES))
        text_refuse(reading->text, "names its latencies cycles: say so by --unit cycles");
    if (table->unit.holds == COLUMN_TIME && table->unit.unit > 0 &&
        !settings_given(reading->settings, "unit"))
        scale = table->unit.unit;
    struct probe_result *probe =
        table_probe(reading->document, "cores", "Hand-off latency between cores");
    struct series *series =
        table_series(reading->document, probe,
                     &(struct series){.name = "hand-off",
                                      .matrix = true,
                                      .x = {"cpu", ""},
                                      .y = {"latency", pool_strdup(reading->pool, unit)}});
    if (op) {
        struct factor *factor = pool_append(reading->pool, (void **)&series->factors,
                                            &series->factor_count, sizeof *factor);
        *factor = (struct factor){"op", op, NAN};
    }
    add_points(reading, series, table, scale);
}

void core_matrix_read(struct reading *reading)
{
    struct import_text *text = reading->text;
    struct core_table *tables = NULL;
    const char *given = given_op(reading);
    size_t count = 0;
    rows_refuse_bandwidth(text);
    const struct column unit = unit_of_remarks(text);
    struct core_rows rows = {.shape = CORE_NOTHING};
    while (*reading->rows.next || count == 0) {
        core_rows_read(&rows, &reading->rows);
        if (rows.count == 0 && count == 0)
            text_refuse(text, "holds no table: give a matrix of latencies");
        if (rows.count == 0)
            break;
        struct core_table *table =
            pool_append(reading->pool, (void **)&tables, &count, sizeof *table);
        core_table_read(table, &rows, text,
                        (enum core_ids)settings_choice(reading->settings, "ids"));
        if (!table->unit.holds || table->unit.unit == 0)
            table->unit = unit;
    }
    if (count > 1 && given)
        pool_leave(reading->pool, ERROR_USAGE,
                   "--op: %s holds %zu tables, each with its own operation: leave it out",
                   text->file, count);
    reading->document->machine.cpu_model = pool_strdup(reading->pool, tables[0].model);
    for (size_t i = 0; i < count; i++) {
        const char *op = given ? given : tables[i].op;
        if (!op && count > 1) /* which have to be distinguished */
            op = pool_printf(reading->pool, "table%zu", i + 1);
        add_table(reading, &tables[i], op);
    }
}

/* --- recognising --- */

/* Whether rows by a separator have as many cells as there are rows, ids aside, or one more each. */
static bool is_square_or_triangle(struct rows *rows)
{
    size_t first = 0, last = 0, count = 0;
    bool equal = true, rising = true, falling = true, ids = true, zero = false;
    const struct rows_place start = rows_place(rows);
    char separator = 0;
    while (!separator && rows_next_said(rows))
        separator = rows_separator(rows);
    rows_return(rows, start);
    while (rows_next(rows) && (equal || rising || falling)) {
        if (!rows->length && equal && count == first && count > 1)
            break; /* another square may follow */
        if (!rows->length || *rows->text == '#')
            continue;
        rows_cut(rows, separator);
        first = count ? first : rows->count;
        equal = equal && rows->count == first;
        rising = rising && (!count || rows->count == last + 1);
        falling = falling && (!count || rows->count + 1 == last);
        last = rows->count;
        if (rows_speak_of_bandwidth(rows))
            return false;
        for (size_t i = 0; i < rows->count && !count; i++) {
            ids = ids && field_id(&rows->fields[i]) >= 0;
            zero = zero || field_is(&rows->fields[i], "0");
        }
        for (size_t i = 1; i < rows->count && count; i++)
            if (!core_cell_is_empty(&rows->fields[i]) && !field_begins_number(&rows->fields[i]))
                return false;
        count++;
    }
    const bool square = equal && (first == count || (ids && zero && first + 1 == count));
    return separator && count > 1 && (square || (rising && last > 2) || (falling && first > 2));
}

/* A line of ids above rows that begin with one, or names above triples, are recognised by more than
 * their shape. */
static enum import_certainty recognise(const struct import_text *source)
{
    struct import_text text = *source;
    struct rows rows;
    rows_begin(&rows, &text);
    const enum import_certainty certainty = core_rows_recognise(&rows);
    rows_begin(&rows, &text);
    return certainty != IMPORT_NONE       ? certainty
           : is_square_or_triangle(&rows) ? IMPORT_SHAPE
                                          : IMPORT_NONE;
}

static const char *const options[] = {"unit", "op", "ids", NULL};

const struct import_format core_matrix_format = {
    .name = "core-matrix",
    .place = 10,
    .options = options,
    .summary = "latency between cores, as CSV or a table: square, lower triangle or from,to,ns",
    .recognise = recognise,
    .begin = core_matrix_read,
    .nothing = "",
};
