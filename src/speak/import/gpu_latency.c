/*
 * A GPU's latency by working set, as two tools and `-f gpu-columns` write it:
 *
 * - RRZE's gpu-latency (github.com/RRZE-HPC/gpu-benches): a line "clock: 1155 1410 ..." and rows of
 *   eight columns: loads, clock in MHz, working set in KiB, time in ms, and cycles per load as
 *   mean, median, 5 % and 95 % of its runs; the median is read;
 * - the CUDA program that fathom gpu began with, and `-f gpu-columns`: a line "MHz B KB CPI" and
 *   rows of clock, working set in bytes and in KB, and cycles per load. If there are several
 *   curves, each has a line "# gpu0 latency, path l1, order random, stride 128" above it. Rows
 *   without the heading are recognised by their third column, which is the second in whole KB.
 *
 * The time is the cycles over the clock. Loads of both tools go through the first level.
 */
#include "conclude/registry/device.h"
#include "speak/import/reading.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RRZE_COLUMNS = 8, SOURCE_COLUMNS = 4, TEXT_BYTES = 48, DEVICES = 64, TITLE_FACTORS = 3 };

struct gpu_curves {
    size_t columns; /* of the following rows; 0: no heading yet */
    int device;
    size_t text_count;
    char texts[TITLE_FACTORS][2][TEXT_BYTES]; /* the title's factors: names and texts */
    const struct series *models[DEVICES];     /* kind of each device's curves; NULL: none yet */
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

/* Reads the device and the curve's factors from "# gpu1 latency, path l2, order random". */
static void read_title(struct reading *reading)
{
    struct gpu_curves *curves = reading->state;
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
    curves->device = device;
    curves->text_count = 0;
    for (size_t i = 1; i < fields && curves->text_count < TITLE_FACTORS; i++) {
        char text[2 * TEXT_BYTES];
        char(*pair)[TEXT_BYTES] = curves->texts[curves->text_count];
        if (sscanf(field_copy(&rows->fields[i], text, sizeof text), "%47s %47s", pair[0],
                   pair[1]) == 2)
            curves->text_count++;
    }
}

/* The model of the current device's curves. */
static const struct series *model_of(struct reading *reading)
{
    struct gpu_curves *curves = reading->state;
    const struct series **model = &curves->models[curves->device];
    if (*model)
        return *model;
    struct series *made = pool_alloc(reading->pool, 1, sizeof *made);
    *made = (struct series){.name = pool_printf(reading->pool, "gpu%d latency", curves->device),
                            .headline = true,
                            .x = {"working set", "B"},
                            .y = {"latency", "ns"}};
    table_gpu(reading->document, curves->device);
    return *model = made;
}

static void read_row(struct reading *reading)
{
    struct gpu_curves *curves = reading->state;
    struct rows *rows = &reading->rows;
    const bool rrze = curves->columns == RRZE_COLUMNS;
    const struct field *fields = rows->fields;
    if (rrze)
        reading->tables.statistic = "the median of its runs";
    if (rows_cut(rows, 0) != curves->columns)
        rows_refuse(rows, "write %zu columns as the tool does, not %zu", curves->columns,
                    rows->count);
    const double mhz = rows_positive(rows, &fields[rrze ? 1 : 0], "the clock");
    const double size = rows_positive(rows, &fields[rrze ? 2 : 1], "the size");
    const double cycles = rows_positive(rows, &fields[rrze ? 5 : 3], "the latency");
    struct table_kind kind = {
        .probe = "gpu", .title = "GPU latency, imported", .series = model_of(reading)};
    /* The factors that the title gives; without a title, that loads went through the first level.
     */
    static const char *const known[] = {"path", "order", "stride", "l1"};
    size_t count = 0;
    for (size_t i = 0; i < curves->text_count; i++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
            const char *text = curves->texts[i][1];
            const struct field field = {text, strlen(text), 0, 0};
            const double number = field_number(&field);
            if (strcmp(curves->texts[i][0], known[k]) == 0)
                kind.factors[count++] =
                    (struct factor){known[k], isfinite(number) ? NULL : text, number};
        }
    if (!curves->text_count)
        kind.factors[count++] = (struct factor){"path", "l1", NAN};
    tables_add(&reading->tables, &kind,
               (struct table_number){.x = rrze ? round(size * 1024) : size,
                                     .value = cycles / mhz * 1e3,
                                     .cycles = cycles});
}

static void read_line(struct reading *reading)
{
    struct gpu_curves *curves = reading->state;
    struct rows *rows = &reading->rows;
    if (!rows->length)
        return;
    const bool digit = isdigit((unsigned char)*rows->text);
    if (*rows->text == '#')
        read_title(reading);
    else if (rows_begins(rows, "clock:"))
        curves->columns = RRZE_COLUMNS;
    else if (is_source_heading(rows) || (!curves->columns && is_source_row(rows)))
        curves->columns = SOURCE_COLUMNS;
    else if (!digit || !curves->columns)
        rows_unread(rows);
    if (curves->columns && digit)
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
    .summary = "a GPU's latency as RRZE's gpu-latency and -f gpu-columns write it: its levels",
    .state_bytes = sizeof(struct gpu_curves),
    .recognise = recognise,
    .line = read_line,
    .nothing = "holds no row below a line 'clock: ...' or 'MHz B KB CPI': give all that the tool "
               "printed",
};
