/*
 * The summary that lmbench's "make see" prints: tables with a line of dashes below the names, which
 * shows the width of each column, and a line for each host or run. The levels of "Memory latencies
 * in nanoseconds" and the memory columns of "Communication bandwidths in MB/s" are read; MB are
 * 10^6 bytes. "Main mem" goes through memory by a stride of 128 bytes, which prefetchers follow,
 * "Rand mem" at random. Lines of one host are trials.
 */
#include "base/quantity.h"
#include "speak/import/reading.h"

#include <math.h>
#include <string.h>

enum { NAME_BYTES = 48, MOST = 24 };

static const struct table {
    const char *title;
    size_t columns; /* least number of columns in the line of dashes */
    struct cell {
        size_t from_end; /* index of the column from the right: 1 is the last */
        const char *finding, *unit, *factor, *text;
        double scale;
    } cells[4];
} tables[] = {
    {"Memory latencies in nanoseconds",
     7,
     {{5, "L1.latency_ns", "ns", NULL, NULL, 1},
      {4, "L2.latency_ns", "ns", NULL, NULL, 1},
      {3, "DRAM.latency_ns", "ns", "order", "stride of 128 B", 1},
      {2, "DRAM.latency_ns", "ns", "order", "random", 1}}},
    {"Communication bandwidths in MB/s",
     9,
     {{4, "bandwidth.copy.1", "B/s", "test", "bcopy (libc)", 1e6},
      {3, "bandwidth.copy.1", "B/s", "test", "bcopy (hand)", 1e6},
      {2, "bandwidth.read.1", "B/s", NULL, NULL, 1e6},
      {1, "bandwidth.write.1", "B/s", NULL, NULL, 1e6}}},
};

struct lmbench {
    const struct table *table;  /* NULL: a table that is not read */
    struct field columns[MOST]; /* the dashes */
    size_t count;               /* 0: before the line of dashes */
    char first[NAME_BYTES];     /* first host; "" before the first line */
    bool several;               /* there are several hosts */
};

static void read_row(struct reading *reading)
{
    const struct lmbench *lmbench = reading->state;
    struct rows *rows = &reading->rows;
    char host[NAME_BYTES];
    const size_t fields = rows_cut(rows, 0);
    field_copy(&rows->fields[0], host, sizeof host);
    for (size_t c = 0; c < sizeof lmbench->table->cells / sizeof *lmbench->table->cells; c++) {
        const struct cell *cell = &lmbench->table->cells[c];
        const struct field *column = &lmbench->columns[lmbench->count - cell->from_end];
        struct table_kind kind = {.probe = quantity_is(cell->unit, DIMENSION_TIME) ? "latency"
                                                                                   : "bandwidth",
                                  .title = "lmbench's summary, imported",
                                  .finding = cell->finding,
                                  .unit = cell->unit};
        kind_add_text(&kind, cell->factor, cell->text);
        kind_add_text(&kind, "host", lmbench->several ? host : NULL);
        if (strncmp(cell->finding, "bandwidth.copy", 14) == 0)
            kind_add_text(&kind, "counted", "once");
        for (size_t i = 1; i < fields; i++) {
            const struct field *field = &rows->fields[i];
            /* Numbers are aligned to the right and may begin before their column. */
            if (field->end > column->column && field->end <= column->end + 1 &&
                field_begins_number(field))
                tables_add_value(&reading->tables, &kind,
                                 rows_positive(rows, field, "the value") * cell->scale);
        }
    }
}

static bool is_dashes(struct rows *rows)
{
    const size_t fields = rows_cut(rows, 0);
    for (size_t i = 0; i < fields; i++)
        if (strspn(rows->fields[i].text, "-") < rows->fields[i].length)
            return false;
    return fields > 3 && fields <= MOST;
}

static void read_line(struct reading *reading)
{
    struct lmbench *lmbench = reading->state;
    struct rows *rows = &reading->rows;
    if (!rows->length) {
        lmbench->count = 0;
        return;
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (rows_behind(rows, tables[i].title)) {
            lmbench->table = &tables[i];
            lmbench->count = 0;
            return;
        }
    if (rows_behind(rows, " - smaller is better") || rows_behind(rows, " - bigger is better")) {
        lmbench->table = NULL;
    } else if (is_dashes(rows)) {
        lmbench->count = lmbench->table && rows->count >= lmbench->table->columns ? rows->count : 0;
        memcpy(lmbench->columns, rows->fields, rows->count * sizeof *rows->fields);
    } else if (lmbench->count) {
        read_row(reading);
    } else {
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
        if (!rows.length)
            below = false;
        else if (is_dashes(&rows))
            below = true;
        else if (below && rows_cut(&rows, 0)) {
            field_copy(&rows.fields[0], host, sizeof host);
            lmbench->several =
                lmbench->several || (*lmbench->first && strcmp(lmbench->first, host) != 0);
            strcpy(lmbench->first, host);
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
    .nothing =
        "holds no line below 'Memory latencies in nanoseconds' or 'Communication bandwidths'",
};
