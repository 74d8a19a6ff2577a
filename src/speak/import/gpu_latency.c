/*
 * A GPU's latency by working set, as two tools and `-f gpu-columns` write it:
 *
 * - RRZE's gpu-latency (github.com/RRZE-HPC/gpu-benches): a line "clock: 1155 1410 ..." and rows of
 *   eight columns: loads, clock in MHz, working set in KiB, time in ms, and cycles a load as mean,
 *   median, 5 % and 95 % of its runs, of which the median is taken;
 * - the CUDA program that fathom gpu began with, and `-f gpu-columns`: a line "MHz B KB CPI" and
 * rows of clock, working set in bytes and in KB, and cycles a load. Where it writes several curves,
 * each has a line "# gpu0 latency, path l1, order random, stride 128" above it. Rows that people
 * kept without the heading are known by their third column, which is the second in whole KB.
 *
 * Cycles over the clock are the time. Loads of both tools go through the first level.
 */
#include "conclude/registry/device.h"
#include "speak/import/rows.h"
#include "speak/import/tables.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RRZE_COLUMNS = 8, SOURCE_COLUMNS = 4, TEXT_BYTES = 48, DEVICES = 64, TITLE_FACTORS = 3 };

struct reading {
    struct rows rows;
    struct tables tables;
    size_t columns; /* of the rows to come; 0: no heading yet */
    int device;
    size_t text_count;
    char texts[TITLE_FACTORS][2][TEXT_BYTES]; /* of the title: names and texts */
    const struct series *models[DEVICES];     /* each device's curves; NULL: none yet */
    struct error *error;
};

static bool is_source_heading(struct rows *rows)
{
    return rows_cut(rows, 0) == SOURCE_COLUMNS && field_is(&rows->fields[0], "MHz") &&
           field_is(&rows->fields[1], "B") && field_is(&rows->fields[2], "KB") &&
           field_is(&rows->fields[3], "CPI");
}

/* "1995 28672 28 92": a clock, bytes, the same in whole KB, cycles. */
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

/* "# gpu1 latency, path l2, order random": which device, and the curve's factors. */
static void read_title(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    char name[TEXT_BYTES];
    const size_t fields = rows_cut(rows, ',');
    struct field first = rows->fields[0];
    if (first.length < 2)
        return;
    first.text += 2;
    first.length -= 2;
    const int device = device_of_name(field_copy(&first, name, sizeof name), NULL);
    if (device < 0 || device >= DEVICES)
        return;
    reading->device = device;
    reading->text_count = 0;
    for (size_t i = 1; i < fields && reading->text_count < TITLE_FACTORS; i++) {
        char text[2 * TEXT_BYTES];
        char(*pair)[TEXT_BYTES] = reading->texts[reading->text_count];
        if (sscanf(field_copy(&rows->fields[i], text, sizeof text), "%47s %47s", pair[0],
                   pair[1]) == 2)
            reading->text_count++;
    }
}

/* What a title says of the curve; without one, that loads went through the first level. */
static size_t fill_factors(const struct reading *reading, struct factor *factors)
{
    static const char *const known[] = {"path", "order", "stride", "l1"};
    size_t count = 0;
    for (size_t i = 0; i < reading->text_count; i++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
            const char *text = reading->texts[i][1];
            const struct field field = {text, strlen(text), 0, 0};
            const double number = field_number(&field);
            if (strcmp(reading->texts[i][0], known[k]) == 0)
                factors[count++] =
                    (struct factor){known[k], isfinite(number) ? NULL : text, number};
        }
    if (!reading->text_count)
        factors[count++] = (struct factor){"path", "l1", NAN};
    return count;
}

/* What a curve of the device at hand is like; NULL without memory. */
static const struct series *model_of(struct reading *reading)
{
    struct pool *pool = &reading->tables.document->pool;
    const struct series **model = &reading->models[reading->device];
    if (*model)
        return *model;
    struct series *made = pool_alloc(pool, 1, sizeof *made);
    const char *name = pool_printf(pool, "gpu%d latency", reading->device);
    if (!made || !name || !table_gpu(reading->tables.document, reading->device))
        return NULL;
    *made = (struct series){
        .name = name, .headline = true, .x = {"working set", "B"}, .y = {"latency", "ns"}};
    return *model = made;
}

static int add_row(struct reading *reading, double bytes, double mhz, double cycles)
{
    struct table_kind kind = {
        .probe = "gpu", .title = "GPU latency, imported", .series = model_of(reading)};
    if (!kind.series)
        return error_out_of_memory(reading->error);
    fill_factors(reading, kind.factors);
    return tables_add(
        &reading->tables, &kind,
        (struct table_number){.x = bytes, .value = cycles / mhz * 1e3, .cycles = cycles});
}

static int read_row(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    const bool rrze = reading->columns == RRZE_COLUMNS;
    const struct field *fields = rows->fields;
    double mhz = 0, size = 0, cycles = 0;
    if (rows_cut(rows, 0) != reading->columns)
        return rows_refuse(rows, reading->error, "write %zu columns as the tool does, not %zu",
                           reading->columns, rows->count);
    int code = rows_positive(rows, &fields[rrze ? 1 : 0], "the clock", &mhz, reading->error);
    if (code == 0)
        code = rows_positive(rows, &fields[rrze ? 2 : 1], "the size", &size, reading->error);
    if (code == 0)
        code = rows_positive(rows, &fields[rrze ? 5 : 3], "the latency", &cycles, reading->error);
    return code == 0 ? add_row(reading, rrze ? round(size * 1024) : size, mhz, cycles) : code;
}

static int read_line(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    if (!rows->length)
        return 0;
    if (*rows->text == '#')
        return read_title(reading), 0;
    if (rows_begins(rows, "clock:")) {
        reading->columns = RRZE_COLUMNS;
        return 0;
    }
    if (is_source_heading(rows)) {
        reading->columns = SOURCE_COLUMNS;
        return 0;
    }
    if (!reading->columns && is_source_row(rows))
        reading->columns = SOURCE_COLUMNS;
    if (reading->columns && isdigit((unsigned char)*rows->text))
        return read_row(reading);
    rows_unread(rows);
    return 0;
}

static int read_gpu_latency(struct import_text *text, const struct settings *settings,
                            struct document *document, struct error *error)
{
    (void)settings;
    struct reading reading = {.error = error};
    rows_begin(&reading.rows, text);
    tables_begin(&reading.tables, document, error);
    int code = 0;
    while (code == 0 && rows_next(&reading.rows))
        code = read_line(&reading);
    if (code == 0 && !reading.tables.count)
        code = table_refuse(error, text,
                            "holds no row below a line 'clock: ...' or 'MHz B KB CPI': give all "
                            "that the tool printed");
    return code == 0 ? tables_end(&reading.tables) : code;
}

/* Some rows of one clock after another, of which each one holds more than the one before. */
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
    .summary = "a GPU's latency as RRZE's gpu-latency and -f gpu-columns write it: its levels",
    .recognise = recognise,
    .read = read_gpu_latency,
};
