/*
 * A latency curve as a table: columns of sizes and latencies, separated by semicolons, tabs, commas
 * or blanks. Names above the columns, or --columns, say what they hold. Without names, the first of
 * two columns has sizes and the second latencies; the last two of three columns are the same
 * latency in ns and in cycles if their ratio on all lines is one clock. Blank lines and lines that
 * begin with # are skipped, but the last # line above the table may name the columns or the
 * latencies' unit. Sizes may have any order; repeated sizes are trials of one point. A size needs a
 * unit, by a suffix, its column's name or --size-unit: 32 may be 32 bytes or 32 KiB, and the wrong
 * one would give a false capacity. Each stride, number of threads and CPU is a curve.
 */
#include "speak/import/columns.h"
#include "speak/import/reading.h"

#include <math.h>
#include <string.h>

enum { COLUMNS_MOST = 24, NOWHERE = COLUMNS_MOST };
static const double clock_least_ghz = 0.3, clock_most_ghz = 6; /* cycles per ns */
static const double clock_spread = 0.05; /* the rounding of numbers printed with two digits */

struct curve {
    size_t columns; /* of each row; 0: no row yet */
    bool named;
    size_t size, ns, cycles, stride, threads, cpu; /* index of each column; NOWHERE: none */
    double size_unit; /* of sizes without a suffix, in bytes; 0: unknown */
    double ns_unit;
    bool ns_said; /* the text or an option gives the unit of latencies */
    enum column_statistic statistic;
};

/* Chooses columns by the names in the current line, which was cut. */
static void read_names(struct reading *reading)
{
    struct curve *curve = reading->state;
    const struct rows *rows = &reading->rows;
    struct column columns[COLUMNS_MOST + 1] = {0};
    size_t *places[] = {[COLUMN_SIZE] = &curve->size,       [COLUMN_TIME] = &curve->ns,
                        [COLUMN_CYCLES] = &curve->cycles,   [COLUMN_STRIDE] = &curve->stride,
                        [COLUMN_THREADS] = &curve->threads, [COLUMN_CPU] = &curve->cpu};
    const bool cycles = reading->asked.unit.choice == 1;
    bool rate = false;
    if (rows->count > COLUMNS_MOST)
        rows_refuse(rows, "names more than %d columns: give a smaller table", COLUMNS_MOST);
    for (size_t i = 0; i < rows->count; i++) {
        struct column *column = &columns[i];
        *column = column_named(&rows->fields[i]);
        rate = rate || column->holds == COLUMN_RATE;
        /* The first column holds sizes unless its name says otherwise. */
        if (i == 0 && column->holds == COLUMN_UNKNOWN)
            column->holds = COLUMN_SIZE;
        if (column->holds == COLUMN_TIME && column->unit == 0 && cycles)
            column->holds = COLUMN_CYCLES;
        if (column->holds == COLUMN_UNKNOWN || column->holds >= sizeof places / sizeof *places ||
            !places[column->holds])
            continue;
        size_t *place = places[column->holds];
        const bool sized = column->holds == COLUMN_SIZE && *place != NOWHERE &&
                           columns[*place].unit == 0 && column->unit > 0;
        const struct column *other = &columns[*place];
        if (*place == NOWHERE || sized ||
            (column->holds != COLUMN_SIZE &&
             (column->latency != other->latency ? column->latency
                                                : column->statistic < other->statistic)))
            *place = i;
    }
    const bool none = curve->ns == NOWHERE && curve->cycles == NOWHERE;
    if (none && rate)
        rows_refuse(rows, "this names a bandwidth: give a table of latencies");
    if (none && rows->count == 2 && curve->size == 0 && columns[1].holds == COLUMN_UNKNOWN)
        *(cycles ? &curve->cycles : &curve->ns) = 1;
    else if (none || curve->size == NOWHERE)
        rows_refuse(rows,
                    "no column is named %s: name the columns by --columns, like --columns "
                    "size,latency,- ('-': not read)",
                    none ? "a latency, ns or cycles" : "a size");
    if (curve->size_unit == 0)
        curve->size_unit = columns[curve->size].unit;
    const size_t read = curve->ns != NOWHERE ? curve->ns : curve->cycles;
    curve->statistic = columns[read].statistic;
    if (statistic_names[curve->statistic])
        reading->tables.statistic = pool_printf(reading->pool, "the %s by its column's name",
                                                statistic_names[curve->statistic]);
    if (curve->ns != NOWHERE && columns[curve->ns].unit > 0) {
        curve->ns_unit = columns[curve->ns].unit;
        curve->ns_said = true;
    }
    for (size_t i = 0; i < rows->count; i++)
        if (i != curve->size && i != curve->ns && i != curve->cycles && i != curve->stride &&
            i != curve->threads && i != curve->cpu)
            column_unread(reading->text, &rows->fields[i]);
    curve->columns = rows->count;
    curve->named = true;
}

/* Whether the ratio of the third to the second column (of the second to the third if
 * `cycles_first`) is one clock on all lines. */
static bool is_one_clock(const struct reading *reading, bool cycles_first)
{
    struct rows rows = reading->rows;
    double least = INFINITY, most = 0;
    rows_begin(&rows, reading->text);
    while (rows_next_said(&rows)) {
        rows_split(&rows);
        const double ratio = field_number(&rows.fields[cycles_first ? 1 : 2]) /
                             field_number(&rows.fields[cycles_first ? 2 : 1]);
        if (rows.count != 3 || isnan(ratio))
            return false;
        least = fmin(least, ratio);
        most = fmax(most, ratio);
    }
    return least >= clock_least_ghz && most <= clock_most_ghz && most <= least * (1 + clock_spread);
}

/* Chooses the columns of a table without names. */
static void choose_columns(struct reading *reading)
{
    struct curve *curve = reading->state;
    struct rows *rows = &reading->rows;
    const bool cycles_first = reading->asked.unit.choice == 1;
    if (rows->count < 2)
        rows_refuse(rows, "has one column: write size and latency");
    if (rows->count > 2 && (rows->count > 3 || !is_one_clock(reading, cycles_first)))
        rows_refuse(rows,
                    "has %zu columns and no names%s: say what they hold by --columns, like "
                    "--columns size,ns,- ('-': not read)",
                    rows->count,
                    rows->count > 3 ? "" : ", and their ratio is not the same clock in each line");
    curve->size = 0;
    *(cycles_first ? &curve->cycles : &curve->ns) = 1;
    if (rows->count == 3)
        *(cycles_first ? &curve->ns : &curve->cycles) = 2;
    curve->columns = rows->count;
}

/* Takes the names from an option, or from a remark above the table that has as many words as there
 * are columns. */
static bool take_names(struct reading *reading, const char *names, size_t length, size_t count)
{
    const struct rows kept = reading->rows;
    struct rows *rows = &reading->rows;
    bool known = false;
    rows->begin = rows->text = names;
    rows->length = length;
    columns_cut(rows);
    for (size_t i = 0; i < rows->count; i++)
        known = known || column_named(&rows->fields[i]).holds != COLUMN_UNKNOWN;
    known = known && (!count || (rows->count == count && columns_are_names(rows)));
    if (known)
        read_names(reading);
    *rows = kept;
    return known;
}

static void begin_curve(struct reading *reading)
{
    struct curve *curve = reading->state;
    struct rows *rows = &reading->rows;
    const struct rows_place start = rows_place(rows);
    struct rows_place remark = {0};
    *curve = (struct curve){.size = NOWHERE,
                            .ns = NOWHERE,
                            .cycles = NOWHERE,
                            .stride = NOWHERE,
                            .threads = NOWHERE,
                            .cpu = NOWHERE,
                            .ns_unit = 1,
                            .ns_said = reading->asked.unit.given,
                            .statistic = STATISTIC_NONE};
    if (reading->asked.size_unit.has)
        curve->size_unit = exp2(10 * reading->asked.size_unit.choice);
    const char *listed = reading->asked.columns.text;
    if (listed) {
        if (!take_names(reading, listed, strlen(listed), 0))
            pool_leave(
                reading->pool, ERROR_USAGE,
                "--columns: '%.60s' names no size and latency: write names like size_kb, ns, "
                "cycles, stride and - for what is not read, with commas between them",
                listed);
        return;
    }
    rows_refuse_bandwidth(reading->text);
    while (rows_next(rows) && (!rows->length || *rows->text == '#'))
        if (rows->length)
            remark = rows_place(rows);
    const size_t count = rows_split(rows);
    const bool names = columns_are_names(rows);
    rows_return(rows, start);
    if (!remark.length || names)
        return;
    size_t marks = 0;
    while (marks < remark.length && strchr("# \t", remark.text[marks]))
        marks++;
    if (take_names(reading, remark.text + marks, remark.length - marks, count))
        return;
    const struct column unit = column_in_words(remark.text, remark.length);
    if (unit.holds == COLUMN_TIME && !curve->ns_said) {
        curve->ns_unit = unit.unit;
        curve->ns_said = true;
    }
}

static double number_at(const struct rows *rows, size_t place, const char *what)
{
    return place == NOWHERE ? NAN : rows_positive(rows, &rows->fields[place], what);
}

static void read_line(struct reading *reading)
{
    struct curve *curve = reading->state;
    struct rows *rows = &reading->rows;
    struct table_kind kind = {.title = "Latency by working-set size, imported"};
    char cpu[ROWS_CPU];
    if (!rows->length || *rows->text == '#')
        return;
    columns_cut(rows);
    if (!reading->tables.count && columns_are_names(rows)) {
        if (!curve->named)
            read_names(reading);
        return;
    }
    if (!curve->columns)
        choose_columns(reading);
    if (rows->count != curve->columns)
        rows_refuse(rows, "write %zu columns as %s, not %zu", curve->columns,
                    reading->tables.count ? "in the lines before" : "there are names", rows->count);
    const struct field *size = &rows->fields[curve->size];
    const int shown = (int)(size->length < ROWS_SHOWN ? size->length : ROWS_SHOWN);
    if (!field_has_unit(size) && curve->size_unit == 0 && field_number(size) > 0)
        rows_refuse(rows,
                    "size '%.*s' has no unit: write 48K, or say by --size-unit B, K, M or G what "
                    "plain numbers count",
                    shown, size->text);
    const double bytes = field_size(size, curve->size_unit);
    if (bytes == 0)
        rows_refuse(rows,
                    "'%.*s' is no size: write a positive number, or one like 48K; --size-unit says "
                    "what a plain number counts",
                    shown, size->text);
    kind_add_number(&kind, "stride", number_at(rows, curve->stride, "stride"));
    kind_add_number(&kind, "threads", number_at(rows, curve->threads, "number of threads"));
    if (curve->cpu != NOWHERE)
        kind_add_text(&kind, "on", field_copy(&rows->fields[curve->cpu], cpu, sizeof cpu));
    kind_add_text(&kind, "statistic", statistic_names[curve->statistic]);
    kind.said = curve->ns_said || curve->cycles != NOWHERE;
    tables_add_latency(&reading->tables, kind, bytes,
                       number_at(rows, curve->ns, "latency") * curve->ns_unit,
                       number_at(rows, curve->cycles, "latency"));
}

/* The table has equally many columns in each row, one of them sizes and one latencies, below at
 * most one line of names. */
static enum import_certainty recognise(const struct import_text *source)
{
    struct import_text text = *source;
    struct rows rows;
    size_t lines = 0, broken = 0, columns = 0, size = 0, latency = 1;
    bool units = false, named = false;
    rows_begin(&rows, &text);
    while (rows_next_said(&rows)) {
        columns_cut(&rows);
        if (!lines && !named && columns_are_names(&rows)) {
            bool sized = false, timed = false, rate = false;
            for (size_t i = rows.count; i-- > 0;) {
                const struct column column = column_named(&rows.fields[i]);
                rate = rate || column.holds == COLUMN_RATE;
                if (column.holds == COLUMN_SIZE || (i == 0 && !sized && !column.holds)) {
                    sized = sized || column.holds == COLUMN_SIZE;
                    units = units || column.unit > 0;
                    size = i;
                } else if (column.holds == COLUMN_TIME || column.holds == COLUMN_CYCLES) {
                    timed = true;
                    latency = i;
                } else if (column.holds == COLUMN_FROM || column.holds == COLUMN_TO) {
                    return IMPORT_NONE;
                }
            }
            if ((rows.count > 3 && !(sized && timed)) || (rate && !timed))
                return IMPORT_NONE;
            columns = rows.count;
            named = true;
            continue;
        }
        if (rows.count < 2 || (columns && rows.count != columns) || (!named && rows.count > 3) ||
            !(field_size(&rows.fields[size], 1) > 0 || field_number(&rows.fields[size]) > 0) ||
            !(field_number(&rows.fields[latency]) > 0)) {
            broken++;
            continue;
        }
        columns = rows.count;
        units = units || field_has_unit(&rows.fields[size]);
        lines++;
    }
    if (broken)
        return lines > 1 && lines > 2 * broken ? IMPORT_BROKEN : IMPORT_NONE;
    return lines < 2 ? IMPORT_NONE : units ? IMPORT_FORM : IMPORT_SHAPE;
}

static const char *const options[] = {"unit", "size-unit", "columns", NULL};

const struct import_format curve_format = {
    .name = "curve",
    .place = 20,
    .options = options,
    .summary = "a table of sizes and latencies, in which levels are searched",
    .state_bytes = sizeof(struct curve),
    .recognise = recognise,
    .begin = begin_curve,
    .line = read_line,
    .nothing = "holds no line of size and latency",
};

/* --- Mess --- */

/*
 * Curves of latency by bandwidth, one for each share of reads, as Mess 2 writes them ("memory_
 * curves.csv"): a line of names with the share of reads in % (read_pct_rounded or rd_percentage),
 * bandwidth in GB/s and latency in ns. Columns are found by their names; a smoothed column is read
 * only if the original one is missing.
 */
enum { MISSING = ROWS_FIELDS };

struct mess {
    bool named;
    size_t columns, reads, rate, ns;
    double rate_unit, ns_unit;
};

/* Whether the name is longer than these words and ends with them. */
static bool ends(const struct field *name, const char *words)
{
    const size_t length = strlen(words);
    return name->length > length && strncmp(name->text + name->length - length, words, length) == 0;
}

/* Finds the columns by the current line, which was cut; false if one is missing. */
static bool find_columns(struct mess *mess, const struct rows *rows)
{
    static const enum column_holds holds[] = {COLUMN_READS, COLUMN_RATE, COLUMN_TIME};
    size_t *places[] = {&mess->reads, &mess->rate, &mess->ns};
    double *units[] = {NULL, &mess->rate_unit, &mess->ns_unit};
    *mess = (struct mess){.columns = rows->count,
                          .reads = MISSING,
                          .rate = MISSING,
                          .ns = MISSING,
                          .rate_unit = 1e9,
                          .ns_unit = 1};
    for (size_t i = 0; i < rows->count; i++) {
        struct field name = rows->fields[i];
        if (ends(&name, "_smooth"))
            name.length -= strlen("_smooth");
        const struct column column = column_named(&name);
        for (size_t p = 0; p < sizeof places / sizeof *places; p++)
            /* The rounded share of reads tells curves apart, if there is one. */
            if (column.holds == holds[p] && (*places[p] == MISSING || ends(&name, "_rounded"))) {
                *places[p] = i;
                if (units[p] && column.unit > 0)
                    *units[p] = column.unit;
            }
    }
    return mess->reads != MISSING && mess->rate != MISSING && mess->ns != MISSING;
}

static void read_mess(struct reading *reading)
{
    struct mess *mess = reading->state;
    struct rows *rows = &reading->rows;
    if (!rows->length)
        return;
    rows_split(rows);
    if (!mess->named) {
        mess->named = find_columns(mess, rows);
        for (size_t i = 0; mess->named && i < rows->count; i++)
            if (i != mess->reads && i != mess->rate && i != mess->ns)
                column_unread(reading->text, &rows->fields[i]);
        if (!mess->named)
            rows_unread(rows);
        return;
    }
    if (rows->count != mess->columns)
        rows_refuse(rows, "write %zu columns as there are names, not %zu", mess->columns,
                    rows->count);
    const double reads = field_number(&rows->fields[mess->reads]);
    struct table_kind kind = {
        .probe = "loaded", .title = "Latency under load, imported", .series = &table_loaded};
    if (!(reads >= 0 && reads <= 100))
        rows_refuse(rows, "the share of reads is a number from 0 to 100 %%");
    if (field_number(&rows->fields[mess->rate]) == 0)
        return; /* such a row is added by the script that draws the curves, to begin them at the
                   left */
    kind.factors[0] = (struct factor){"mix", NULL, reads};
    tables_add_point(&reading->tables, &kind,
                     rows_positive(rows, &rows->fields[mess->rate], "bandwidth") * mess->rate_unit,
                     rows_positive(rows, &rows->fields[mess->ns], "latency") * mess->ns_unit);
}

static enum import_certainty recognise_mess(const struct import_text *source)
{
    struct import_text text = *source;
    struct rows rows;
    struct mess mess;
    rows_begin(&rows, &text);
    return rows_next_said(&rows) && rows_split(&rows) > 2 && columns_are_names(&rows) &&
                   find_columns(&mess, &rows)
               ? IMPORT_SURE
               : IMPORT_NONE;
}

const struct import_format mess_format = {
    .name = "mess",
    .place = 70,
    .summary = "Mess 2's curves as CSV: latency by bandwidth for each share of reads",
    .state_bytes = sizeof(struct mess),
    .recognise = recognise_mess,
    .line = read_mess,
    .nothing = "holds no row with a share of reads, a bandwidth and a latency below a line with "
               "these names",
};
