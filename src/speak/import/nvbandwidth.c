/*
 * nvbandwidth: "Running host_to_device_memcpy_ce.", a line like "memcpy CE CPU(row) -> GPU(column)
 * bandwidth (GB/s)", one of columns' numbers and rows that begin with theirs; "N/A" and, of a
 * device to itself, 0 say that nothing was measured. GB are 10^9 bytes. Each test is a matrix, by
 * where the bytes come from: "GPU(row) <- GPU(column)" is turned round. Its SUM lines repeat what
 * stands there.
 *
 * Copies one way between host and device by the copy engine, from and to pinned memory, are what
 * fathom measures too, and become findings.
 */
#include "speak/import/rows.h"
#include "speak/import/tables.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 96, DEVICES_MOST = 1024 };

struct reading {
    struct rows rows;
    struct tables tables;
    char test[NAME_BYTES]; /* "" before the first */
    bool described;        /* units and directions are known */
    bool host_rows, host_columns, backward, latency;
    int columns[DEVICES_MOST];
    size_t column_count; /* 0: their line is to come */
    struct error *error;
};

/* "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)", or "latency (ns)". */
static int read_description(struct reading *reading)
{
    const struct rows *rows = &reading->rows;
    reading->latency = rows_behind(rows, "(ns)");
    if (!reading->latency && !rows_behind(rows, "(GB/s)"))
        return rows_refuse(rows, reading->error, "bandwidth in GB/s and latency in ns are read");
    reading->host_rows = rows_behind(rows, "CPU(row)");
    reading->host_columns = rows_behind(rows, "CPU(column)");
    reading->backward = rows_behind(rows, " <- ");
    reading->described = true;
    reading->column_count = 0;
    return 0;
}

static int read_columns(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    const size_t fields = rows_cut(rows, 0);
    for (size_t i = 0; i < fields; i++)
        if (field_id(&rows->fields[i]) < 0 || i == DEVICES_MOST)
            return rows_refuse(rows, reading->error,
                               "nvbandwidth prints the columns' numbers here, like 0 1 2 3");
    for (size_t i = 0; i < fields; i++)
        reading->columns[i] = field_id(&rows->fields[i]);
    reading->column_count = fields;
    return 0;
}

/* The series of a test, by what its ends are. */
static const struct series *series_of(const struct reading *reading)
{
#define MODEL(ends, what, unit)                                                                    \
    {                                                                                              \
        .name = "copies", .matrix = true, .headline = true, .x = {ends, ""}, .y = { what, unit }   \
    }
    static const struct series rates[] = {MODEL("device to device", "bandwidth", "B/s"),
                                          MODEL("host to device", "bandwidth", "B/s"),
                                          MODEL("device to host", "bandwidth", "B/s")},
                               times[] = {MODEL("device to device", "latency", "ns"),
                                          MODEL("host to device", "latency", "ns"),
                                          MODEL("device to host", "latency", "ns")};
#undef MODEL
    const bool host = reading->host_rows || reading->host_columns;
    const bool to_host = reading->host_rows == reading->backward;
    const int ends = !host ? 0 : to_host ? 2 : 1;
    return reading->latency ? &times[ends] : &rates[ends];
}

/* A test that fathom has too. */
static int add_finding(struct reading *reading, int device, double rate)
{
    const bool up = strcmp(reading->test, "host_to_device_memcpy_ce") == 0;
    const bool down = strcmp(reading->test, "device_to_host_memcpy_ce") == 0;
    char name[NAME_BYTES];
    if (!up && !down)
        return 0;
    snprintf(name, sizeof name, "gpu%d.host.%s.pinned", device, up ? "to_device" : "to_host");
    const struct table_kind kind = {.probe = "gpu",
                                    .title = "nvbandwidth, imported",
                                    .finding = name,
                                    .unit = "B/s",
                                    .factors = {{"test", reading->test, NAN}}};
    return tables_add_value(&reading->tables, &kind, rate);
}

static int add_cell(struct reading *reading, int row, int column, double value)
{
    const struct table_kind kind = {
        .probe = "gpu",
        .title = "nvbandwidth, imported",
        .series = series_of(reading),
        .factors = {{*reading->test ? "test" : NULL, reading->test, NAN}}};
    const double scaled = reading->latency ? value : value * 1e9;
    const int device = reading->host_rows ? column : row;
    int code = tables_add(&reading->tables, &kind,
                          (struct table_number){.x = NAN,
                                                .from = reading->backward ? column : row,
                                                .to = reading->backward ? row : column,
                                                .value = scaled,
                                                .cycles = NAN});
    return code == 0 && (reading->host_rows || reading->host_columns)
               ? add_finding(reading, device, scaled)
               : code;
}

static int read_row(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    const size_t fields = rows_cut(rows, 0);
    const int row = field_id(&rows->fields[0]);
    int code = 0;
    if (row < 0 || fields != reading->column_count + 1)
        return rows_refuse(rows, reading->error,
                           "the line above numbers %zu columns: give a row's number and as many "
                           "values",
                           reading->column_count);
    for (size_t i = 1; i < fields && code == 0; i++) {
        const struct field *field = &rows->fields[i];
        double value = field_number(field);
        if (field_is(field, "N/A") || value == 0)
            continue;
        code = rows_positive(rows, field, "the value", &value, reading->error);
        if (code == 0)
            code = add_cell(reading, row, reading->columns[i - 1], value);
    }
    return code;
}

static const char *const known[] = {"SUM ",           "COEFFICIENT_OF_VARIATION",
                                    "MIN ",           "MAX ",
                                    "AVG ",           "nvbandwidth Version",
                                    "Built from",     "CUDA ",
                                    "Driver Version", "MPI version",
                                    "Device ",        "Process ",
                                    "NOTE:",          NULL};

/* "Device 0: NVIDIA A10 (00000000:17:00)" */
static int read_device(struct reading *reading)
{
    const struct rows *rows = &reading->rows;
    const double id = rows_number_behind(rows, "Device ");
    const char *name = rows_behind(rows, ": "), *end = rows->text + rows->length;
    if (!(id >= 0) || id >= (double)DEVICES_MOST || !name)
        return 0;
    size_t length = 0;
    while (name + length < end && name[length] != '(')
        length++;
    while (length && name[length - 1] == ' ')
        length--;
    struct document *document = reading->tables.document;
    struct gpu_facts *gpu = table_gpu(document, (int)id);
    if (!gpu || !(gpu->name = pool_printf(&document->pool, "%.*s", (int)length, name)))
        return error_out_of_memory(reading->error);
    return 0;
}

static int read_line(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    if (!rows->length)
        return 0;
    if (rows_begins(rows, "Running ") || rows_begins(rows, "running ")) {
        snprintf(reading->test, NAME_BYTES, "%.*s", (int)(rows->length - 8), rows->text + 8);
        const size_t length = strlen(reading->test);
        if (length && reading->test[length - 1] == '.')
            reading->test[length - 1] = '\0';
        reading->described = false;
        return 0;
    }
    if (rows_behind(rows, "(row)") || rows_behind(rows, "(column)"))
        return read_description(reading);
    if (reading->described && isdigit((unsigned char)*rows->text))
        return reading->column_count ? read_row(reading) : read_columns(reading);
    if (rows_begins(rows, "Device "))
        return read_device(reading);
    if (rows_begins(rows, "SUM "))
        reading->described = false;
    rows_unread_but(rows, known);
    return 0;
}

/* What nvbandwidth -j prints. */
static bool is_json(const struct import_text *text)
{
    return text->text[strspn(text->text, " \t\r\n")] == '{' && text_holds(text, "\"nvbandwidth\"");
}

static int read_nvbandwidth(struct import_text *text, const struct settings *settings,
                            struct document *document, struct error *error)
{
    (void)settings;
    struct reading reading = {.error = error};
    rows_begin(&reading.rows, text);
    tables_begin(&reading.tables, document, error);
    int code = 0;
    while (code == 0 && rows_next(&reading.rows))
        code = read_line(&reading);
    if (code == 0 && is_json(text))
        code = table_refuse(error, text,
                            "is nvbandwidth's JSON, and its text is read: run it without -j");
    if (code == 0 && !reading.tables.count)
        code = table_refuse(error, text,
                            "holds no matrix of nvbandwidth's, like one below 'memcpy CE CPU(row) "
                            "-> GPU(column) bandwidth (GB/s)'");
    return code == 0 ? tables_end(&reading.tables) : code;
}

static enum import_certainty recognise(const struct import_text *text)
{
    return text_has_line(text, "nvbandwidth Version") || is_json(text) ||
                   (text_holds(text, "(column) bandwidth (GB/s)") && text_holds(text, "GPU("))
               ? IMPORT_SURE
               : IMPORT_NONE;
}

const struct import_format nvbandwidth_format = {
    .name = "nvbandwidth",
    .place = 70,
    .summary = "what nvbandwidth prints: copies between host and GPUs, as text",
    .recognise = recognise,
    .read = read_nvbandwidth,
};
