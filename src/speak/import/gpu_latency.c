/*
 * A GPU's latency by working set, as two tools print it:
 *
 * - RRZE's gpu-latency (github.com/RRZE-HPC/gpu-benches): a line "clock: 1155 1410 ..." and rows of
 *   eight columns: loads, clock in MHz, working set in KiB, time in ms, and cycles per load as
 *   mean, median, 5 % and 95 % of its runs; the median is read;
 * - the CUDA program that fathom gpu began with: a line "MHz B KB CPI" and rows of clock, working
 *   set in bytes and in KB, and cycles per load. Rows without the heading are recognised by their
 *   third column, which is the second in whole KB.
 *
 * The time is the cycles over the clock. Loads of both tools go through the first level.
 */
#include "speak/import/reading.h"

#include <ctype.h>
#include <math.h>

enum { RRZE_COLUMNS = 8, SOURCE_COLUMNS = 4 };

struct gpu_curve {
    size_t columns; /* of the following rows; 0: no heading yet */
};

static bool is_source_heading(struct rows *rows)
{
    return rows_cut(rows, 0) == SOURCE_COLUMNS && field_is(&rows->fields[0], "MHz") &&
           field_is(&rows->fields[1], "B") && field_is(&rows->fields[2], "KB") &&
           field_is(&rows->fields[3], "CPI");
}

/* Whether the row is like "1995 28672 28 92": clock, bytes, the same in whole KB, cycles. */
static bool is_source_row(struct rows *rows)
{
    if (rows_cut(rows, 0) != SOURCE_COLUMNS)
        return false;
    double numbers[SOURCE_COLUMNS];
    for (size_t i = 0; i < SOURCE_COLUMNS; i++)
        numbers[i] = field_number(&rows->fields[i]);
    return numbers[0] > 0 && numbers[1] >= 4 && numbers[2] == floor(numbers[1] / 1024) &&
           numbers[3] > 0;
}

static const struct table_kind kind = {.probe = "gpu",
                                       .title = "GPU latency, imported",
                                       .series = &(const struct series){.name = "gpu0 latency",
                                                                        .headline = true,
                                                                        .x = {"working set", "B"},
                                                                        .y = {"latency", "ns"}},
                                       .factors = {{"path", "l1", NAN}}};

static void read_row(struct reading *reading)
{
    struct gpu_curve *curve = reading->state;
    struct rows *rows = &reading->rows;
    const bool rrze = curve->columns == RRZE_COLUMNS;
    const struct field *fields = rows->fields;
    if (rrze)
        reading->tables.statistic = "the median of its runs";
    if (rows_cut(rows, 0) != curve->columns)
        rows_refuse(rows, "write %zu columns as the tool does, not %zu", curve->columns,
                    rows->count);
    const double mhz = rows_positive(rows, &fields[rrze ? 1 : 0], "the clock");
    const double size = rows_positive(rows, &fields[rrze ? 2 : 1], "the size");
    const double cycles = rows_positive(rows, &fields[rrze ? 5 : 3], "the latency");
    table_gpu(reading->document, 0);
    tables_add(&reading->tables, &kind,
               (struct table_number){.x = rrze ? round(size * 1024) : size,
                                     .value = cycles / mhz * 1e3,
                                     .cycles = cycles});
}

static void read_line(struct reading *reading)
{
    struct gpu_curve *curve = reading->state;
    struct rows *rows = &reading->rows;
    if (!rows->length)
        return;
    const bool digit = isdigit((unsigned char)*rows->text);
    if (rows_begins(rows, "# gpu"))
        rows_refuse(rows, "an older fathom wrote this, perhaps of several curves: import what it "
                          "was made of, or give the rows of one curve alone");
    if (rows_begins(rows, "clock:"))
        curve->columns = RRZE_COLUMNS;
    else if (is_source_heading(rows) || (!curve->columns && is_source_row(rows)))
        curve->columns = SOURCE_COLUMNS;
    else if (!digit || !curve->columns)
        rows_unread(rows);
    if (curve->columns && digit)
        read_row(reading);
}

/* Whether there are several rows with one clock and growing working sets. */
static bool are_source_rows(const struct import_text *source)
{
    enum { LEAST = 3 };
    struct import_text text = *source;
    struct rows rows;
    double before = 0;
    size_t count = 0;
    rows_begin(&rows, &text);
    for (; rows_next_said(&rows); count++) {
        if (!is_source_row(&rows) || field_number(&rows.fields[1]) <= before)
            return false;
        before = field_number(&rows.fields[1]);
    }
    return count >= LEAST;
}

static enum import_certainty recognise(const struct import_text *source)
{
    if (are_source_rows(source))
        return IMPORT_SURE;
    struct import_text text = *source;
    struct rows rows;
    rows_begin(&rows, &text);
    while (rows_next(&rows)) {
        if (is_source_heading(&rows))
            return IMPORT_SURE;
        if (rows_begins(&rows, "clock:") && rows_next_said(&rows) &&
            rows_cut(&rows, 0) == RRZE_COLUMNS)
            return IMPORT_SURE;
    }
    return IMPORT_NONE;
}

const struct import_format gpu_latency_format = {
    .name = "gpu-latency",
    .place = 70,
    .summary = "a GPU's latency as RRZE's gpu-latency and the CUDA program latency print it",
    .state_bytes = sizeof(struct gpu_curve),
    .recognise = recognise,
    .line = read_line,
    .nothing = "holds no row below a line 'clock: ...' or 'MHz B KB CPI': give all that the tool "
               "printed",
};
