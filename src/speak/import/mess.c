/*
 * Curves of latency by bandwidth, one for each share of reads, as Mess 2 writes them ("memory_
 * curves.csv"): a line of names with the share of reads in % (read_pct_rounded or rd_percentage),
 * bandwidth in GB/s and latency in ns. Columns are read by their names; what was smoothed is read
 * only where the numbers themselves are missing.
 */
#include "speak/import/columns.h"
#include "speak/import/reading.h"

#include <math.h>
#include <string.h>

enum { NOWHERE = ROWS_FIELDS };

struct mess {
    bool named;
    size_t columns, reads, rate, ns;
    double rate_unit, ns_unit;
};

/* Whether the name ends with these words. */
static bool ends(const struct field *name, const char *words)
{
    const size_t length = strlen(words);
    return name->length > length && strncmp(name->text + name->length - length, words, length) == 0;
}

/* Finds the columns of the line at hand, which was cut; false where one is missing. */
static bool find_columns(struct mess *mess, const struct rows *rows)
{
    static const enum column_holds holds[] = {COLUMN_READS, COLUMN_RATE, COLUMN_TIME};
    size_t *places[] = {&mess->reads, &mess->rate, &mess->ns};
    double *units[] = {NULL, &mess->rate_unit, &mess->ns_unit};
    *mess = (struct mess){.columns = rows->count,
                          .reads = NOWHERE,
                          .rate = NOWHERE,
                          .ns = NOWHERE,
                          .rate_unit = 1e9,
                          .ns_unit = 1};
    for (size_t i = 0; i < rows->count; i++) {
        struct field name = rows->fields[i];
        if (ends(&name, "_smooth"))
            name.length -= strlen("_smooth");
        const struct column column = column_named(&name);
        for (size_t p = 0; p < sizeof places / sizeof *places; p++)
            /* The share by which curves are told apart is the rounded one, where there is one. */
            if (column.holds == holds[p] && (*places[p] == NOWHERE || ends(&name, "_rounded"))) {
                *places[p] = i;
                if (units[p] && column.unit > 0)
                    *units[p] = column.unit;
            }
    }
    return mess->reads != NOWHERE && mess->rate != NOWHERE && mess->ns != NOWHERE;
}

static void read_line(struct reading *reading)
{
    static const struct series curve = {
        .name = "latency", .headline = true, .x = {"bandwidth", "B/s"}, .y = {"latency", "ns"}};
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
        .probe = "loaded", .title = "Latency under load, imported", .series = &curve};
    if (!(reads >= 0 && reads <= 100))
        rows_refuse(rows, "the share of reads is one from 0 to 100 %%");
    if (field_number(&rows->fields[mess->rate]) == 0)
        return; /* the script that draws the curves adds such a row to begin each at the left */
    kind.factors[0] = (struct factor){"mix", NULL, reads};
    tables_add_point(&reading->tables, &kind,
                     rows_positive(rows, &rows->fields[mess->rate], "bandwidth") * mess->rate_unit,
                     rows_positive(rows, &rows->fields[mess->ns], "latency") * mess->ns_unit);
}

static enum import_certainty recognise(const struct import_text *source)
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
    .recognise = recognise,
    .line = read_line,
    .nothing = "holds no row of a share of reads, a bandwidth and a latency below their names",
};
