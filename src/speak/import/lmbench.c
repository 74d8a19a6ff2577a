/*
 * The summary that lmbench's "make see" prints: tables with a line of dashes below the names, which
 * shows the width of each column, and a line for each host or run. The levels of "Memory latencies
 * in nanoseconds" and the memory columns of "Communication bandwidths in MB/s" are read; MB are
 * 10^6 bytes. "Main mem" goes through memory by a stride of 128 bytes, which prefetchers follow,
 * "Rand mem" at random. Lines of one host are trials.
 */
#include "base/quantity.h"
#include "speak/import/reading.h"

#include <ctype.h>
#include <string.h>

enum { NAME_BYTES = 48, MOST = 24, CELLS = 4 };

static const struct table {
    const char *title;
    struct cell {
        const char *name; /* above the dashes of its column */
        const char *finding, *unit, *factor, *text;
        double scale;
    } cells[CELLS];
} tables[] = {
    {"Memory latencies in nanoseconds",
     {{"L1 $", "L1.latency_ns", "ns", NULL, NULL, 1},
      {"L2 $", "L2.latency_ns", "ns", NULL, NULL, 1},
      {"Main mem", "DRAM.latency_ns", "ns", "order", "stride of 128 B", 1},
      {"Rand mem", "DRAM.latency_ns", "ns", "order", "random", 1}}},
    {"Communication bandwidths in MB/s",
     {{"(libc)", "bandwidth.copy.1", "B/s", "test", "bcopy (libc)", 1e6},
      {"(hand)", "bandwidth.copy.1", "B/s", "test", "bcopy (hand)", 1e6},
      {" read", "bandwidth.read.1", "B/s", NULL, NULL, 1e6},
      {" write", "bandwidth.write.1", "B/s", NULL, NULL, 1e6}}},
};

struct lmbench {
    const struct table *table; /* NULL: a table that is not read */
    size_t ends[CELLS];        /* of each cell's name, in characters of its line; 0: no such name */
    struct field columns[CELLS]; /* the dashes of each cell's column */
    struct field first;          /* those of the first column */
    bool below;                  /* the dashes were read */
    char host[NAME_BYTES];       /* first host; "" before the first line */
    bool several;                /* there are several hosts */
};

/* The number in a cell; lmbench prints 9876.5 and, of larger ones, thousands: "15.2K". */
static double number_in(const struct rows *rows, struct field field)
{
    const bool thousands = field.text[field.length - 1] == 'K';
    field.length -= thousands;
    return rows_positive(rows, &field, "the value") * (thousands ? 1e3 : 1);
}

static void read_row(struct reading *reading)
{
    const struct lmbench *lmbench = reading->state;
    struct rows *rows = &reading->rows;
    char host[NAME_BYTES];
    bool any = false;
    const size_t fields = rows_cut(rows, 0);
    field_copy(&rows->fields[0], host, sizeof host);
    /* Other lines may follow the table. */
    if (fields < 3 || rows->fields[0].column != lmbench->first.column) {
        rows_unread(rows);
        return;
    }
    for (size_t c = 0; c < CELLS; c++) {
        const struct cell *cell = &lmbench->table->cells[c];
        const struct field *column = &lmbench->columns[c];
        struct table_kind kind = {.probe = quantity_is(cell->unit, DIMENSION_TIME) ? "latency"
                                                                                   : "bandwidth",
                                  .title = "lmbench's summary, imported",
                                  .finding = cell->finding,
                                  .unit = cell->unit};
        kind_add_text(&kind, cell->factor, cell->text);
        kind_add_text(&kind, "host", lmbench->several ? host : NULL);
        if (strncmp(cell->finding, "bandwidth.copy", 14) == 0)
            kind_add_text(&kind, "counted", "once");
        for (size_t i = 1; i < fields && column->length; i++) {
            const struct field *field = &rows->fields[i];
            /* Numbers are aligned to the right and may begin before their column. */
            if (field->end > column->column && field->end <= column->end + 1 &&
                isdigit((unsigned char)*field->text)) {
                tables_add_value(&reading->tables, &kind, number_in(rows, *field) * cell->scale);
                any = true;
            }
        }
    }
    if (!any)
        rows_unread(rows);
}

static bool is_dashes(struct rows *rows)
{
    const size_t fields = rows_cut(rows, 0);
    for (size_t i = 0; i < fields; i++)
        if (strspn(rows->fields[i].text, "-") < rows->fields[i].length)
            return false;
    return fields > 3 && fields <= MOST;
}

/* Notes where the cells' names are; false if the line has none of them. */
static bool read_names(struct lmbench *lmbench, const struct rows *rows)
{
    bool any = false;
    for (size_t c = 0; c < CELLS && lmbench->table; c++) {
        const char *end = rows_behind(rows, lmbench->table->cells[c].name);
        lmbench->ends[c] = end ? (size_t)(end - rows->begin) : lmbench->ends[c];
        any = any || end;
    }
    return any;
}

static void read_line(struct reading *reading)
{
    struct lmbench *lmbench = reading->state;
    struct rows *rows = &reading->rows;
    const bool title =
        rows_behind(rows, " - smaller is better") || rows_behind(rows, " - bigger is better");
    if (title)
        lmbench->table = NULL;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (rows_behind(rows, tables[i].title))
            lmbench->table = &tables[i];
    if (title || rows_behind(rows, "L M B E N C H")) {
        lmbench->below = false;
        memset(lmbench->ends, 0, sizeof lmbench->ends);
    } else if (!rows->length) {
        return;
    } else if (is_dashes(rows)) {
        /* Chooses the column of dashes below each name. */
        lmbench->below = lmbench->table;
        lmbench->first = rows->fields[0];
        for (size_t c = 0; c < CELLS; c++) {
            lmbench->columns[c] = (struct field){"", 0, 0, 0};
            for (size_t i = 0; i < rows->count; i++)
                if (rows->fields[i].column < lmbench->ends[c] &&
                    lmbench->ends[c] <= rows->fields[i].end + 1)
                    lmbench->columns[c] = rows->fields[i];
        }
    } else if (lmbench->below) {
        read_row(reading);
    } else if (!read_names(lmbench, rows)) {
        rows_unread(rows);
    }
}

/* Whether the tables have lines of several hosts. */
static void begin_lmbench(struct reading *reading)
{
    struct lmbench *lmbench = reading->state;
    struct rows rows;
    bool below = false;
    rows_begin(&rows, reading->text);
    while (rows_next(&rows)) {
        char host[NAME_BYTES];
        if (rows_behind(&rows, "er is better"))
            below = false;
        else if (is_dashes(&rows))
            below = true;
        else if (below && rows_cut(&rows, 0) > 2) {
            field_copy(&rows.fields[0], host, sizeof host);
            lmbench->several =
                lmbench->several || (*lmbench->host && strcmp(lmbench->host, host) != 0);
            strcpy(lmbench->host, host);
        }
    }
}

static const char *const marks[] = {"Memory latencies in nanoseconds",
                                    "Communication bandwidths in MB/s", NULL};

const struct import_format lmbench_format = {
    .name = "lmbench",
    .place = 70,
    .summary = "lmbench's summary: latency of its levels, and bandwidth",
    .state_bytes = sizeof(struct lmbench),
    .marks = marks,
    .begin = begin_lmbench,
    .line = read_line,
    .statistic = "the median of its repetitions",
    .nothing =
        "holds no line below 'Memory latencies in nanoseconds' or 'Communication bandwidths'",
};
