/*
 * nvbandwidth's text, and its JSON (-j), which has the same words and matrices: "Running
 * host_to_device_memcpy_ce.", a line like "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)", a
 * line of column numbers, and rows that begin with their number. "N/A" means not measured, and so
 * does 0 from a device to itself. GB are 10^9 bytes. Each test becomes a matrix from source to
 * destination: "GPU(row) <- GPU(column)" is transposed. SUM lines repeat the sum of the values.
 *
 * One-way copies between host and device by the copy engine, from and to pinned memory, become
 * findings, because fathom measures them too.
 */
#include "speak/import/json_values.h"
#include "speak/import/reading.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 96, DEVICES_MOST = 1024 };

/* The current matrix. */
struct matrix {
    char test[NAME_BYTES]; /* "" before the first */
    bool described;        /* units and directions are known */
    bool host_rows, host_columns, backward, latency;
    int columns[DEVICES_MOST];
    size_t column_count; /* 0: before the line of columns */
    double sum;          /* of the values so far */
    size_t case_place;   /* in JSON: index of its test */
    struct cell {
        int row, column;
        double value;
    } * cells; /* in JSON, where the test's name follows its matrix */
    size_t cell_count;
};

/* Reads "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)" or "... latency (ns)". */
static void read_description(struct reading *reading, const struct rows *words)
{
    struct matrix *matrix = reading->state;
    matrix->latency = rows_behind(words, "(ns)");
    if (!matrix->latency && !rows_behind(words, "(GB/s)"))
        rows_refuse(&reading->rows, "bandwidth in GB/s and latency in ns are read");
    matrix->host_rows = rows_behind(words, "CPU(row)");
    matrix->host_columns = rows_behind(words, "CPU(column)");
    matrix->backward = rows_behind(words, " <- ");
    matrix->described = true;
    matrix->column_count = 0;
    matrix->sum = 0;
}

static void read_columns(struct reading *reading)
{
    struct matrix *matrix = reading->state;
    struct rows *rows = &reading->rows;
    const size_t fields = rows_cut(rows, 0);
    for (size_t i = 0; i < fields; i++) {
        if (field_id(&rows->fields[i]) < 0 || i == DEVICES_MOST)
            rows_refuse(rows, "nvbandwidth prints the columns' numbers here, like 0 1 2 3");
        matrix->columns[i] = field_id(&rows->fields[i]);
    }
    matrix->column_count = fields;
}

/* The series of a test, by the kinds of its source and destination. */
static const struct series *series_of(const struct matrix *matrix)
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
    const bool host = matrix->host_rows || matrix->host_columns;
    const bool to_host = matrix->host_rows == matrix->backward;
    const int ends = !host ? 0 : to_host ? 2 : 1;
    return matrix->latency ? &times[ends] : &rates[ends];
}

static void add_cell(struct reading *reading, struct cell cell)
{
    struct matrix *matrix = reading->state;
    const bool up = strcmp(matrix->test, "host_to_device_memcpy_ce") == 0;
    const bool down = strcmp(matrix->test, "device_to_host_memcpy_ce") == 0;
    const int from = matrix->backward ? cell.column : cell.row,
              to = matrix->backward ? cell.row : cell.column;
    const double value = matrix->latency ? cell.value : cell.value * 1e9;
    matrix->sum += cell.value;
    struct table_kind kind = {
        .probe = "gpu", .title = "nvbandwidth, imported", .series = series_of(matrix)};
    kind_add_text(&kind, "test", matrix->test);
    tables_add_cell(&reading->tables, &kind, from, to, value);
    if ((!up && !down) || !(matrix->host_rows || matrix->host_columns))
        return;
    /* A test that fathom has too becomes a finding. */
    kind.series = NULL;
    kind.finding =
        pool_printf(reading->pool, "gpu%d.host.%s.pinned",
                    matrix->host_rows ? cell.column : cell.row, up ? "to_device" : "to_host");
    kind.unit = "B/s";
    tables_add_value(&reading->tables, &kind, value);
}

static void read_row(struct reading *reading)
{
    const struct matrix *matrix = reading->state;
    struct rows *rows = &reading->rows;
    const size_t fields = rows_cut(rows, 0);
    const int row = field_id(&rows->fields[0]);
    if (row < 0 || fields != matrix->column_count + 1)
        rows_refuse(rows,
                    "the line above numbers %zu columns: give a row's number and as many values",
                    matrix->column_count);
    for (size_t i = 1; i < fields; i++) {
        const struct field *field = &rows->fields[i];
        if (!field_is(field, "N/A") && field_number(field) != 0)
            add_cell(reading, (struct cell){row, matrix->columns[i - 1],
                                            rows_positive(rows, field, "the value")});
    }
}

static const char known[] =
    "SUM |COEFFICIENT_OF_VARIATION|MIN |MAX |AVG |nvbandwidth Version|Built from|CUDA |"
    "Driver Version|MPI version|Device |Process |NOTE:";

/* Reads "0: NVIDIA A10 (00000000:17:00)". */
static void read_device(struct reading *reading, const char *text)
{
    const char *name = strstr(text, ": ");
    const double id = strtod(text, NULL);
    if (!name || !isdigit((unsigned char)*text) || id >= (double)DEVICES_MOST)
        return;
    size_t length = strcspn(name += 2, "(:\n\r");
    while (length && name[length - 1] == ' ')
        length--;
    table_gpu(reading->document, (int)id)->name =
        pool_printf(reading->pool, "%.*s", (int)length, name);
}

static void read_line(struct reading *reading)
{
    struct matrix *matrix = reading->state;
    struct rows *rows = &reading->rows;
    const bool digit = rows->length && isdigit((unsigned char)*rows->text);
    if (rows_begins(rows, "Running ") || rows_begins(rows, "running ")) {
        size_t length = rows->length - 8;
        length -= length && rows->text[rows->length - 1] == '.';
        snprintf(matrix->test, NAME_BYTES, "%.*s", (int)length, rows->text + 8);
        matrix->described = false;
    } else if (rows_behind(rows, "(row)") || rows_behind(rows, "(column)")) {
        read_description(reading, rows);
    } else if (matrix->described && digit) {
        (matrix->column_count ? read_row : read_columns)(reading);
    } else if (rows_begins(rows, "Device ")) {
        read_device(reading, rows->text + strlen("Device "));
    } else if (rows_begins(rows, "SUM ")) {
        /* Compares "SUM device_to_device_memcpy_read_ce 552.17" with the values: rows may be
         * missing. */
        const double sum = field_number(&rows->fields[rows_cut(rows, 0) - 1]);
        if (matrix->described && fabs(sum - matrix->sum) > 0.01 * sum)
            rows_refuse(rows,
                        "the values of %s add up to %.6g, and their SUM is %.6g: give all of them",
                        matrix->test, matrix->sum, sum);
        matrix->described = false;
    } else {
        rows_unread_but(rows, known);
    }
}

/* --- JSON --- */

static bool is_json(const struct import_text *text)
{
    static const char *const words[] = {"\"nvbandwidth\"", NULL};
    return json_recognise(text, words);
}

static void end_case(struct reading *reading)
{
    struct matrix *matrix = reading->state;
    if (matrix->cell_count && !matrix->described)
        text_refuse(reading->text, "a matrix without its description: give all that nvbandwidth -j "
                                   "printed");
    for (size_t i = 0; i < matrix->cell_count; i++)
        add_cell(reading, matrix->cells[i]);
    matrix->cell_count = 0;
    matrix->described = false;
    matrix->test[0] = '\0';
}

static void take(struct reading *reading, const struct json_found *found)
{
    static const char *const repeated[] = {"sum",     "min", "max",
                                           "average", "avg", "coefficient_of_variation"};
    struct matrix *matrix = reading->state;
    const char *key = json_key(found), *ending = strrchr(key, '_');
    const double value = found->text ? strtod(found->text, NULL) : found->number;
    if (json_found_at(found, "nvbandwidth/GPU Device list") && found->text)
        read_device(reading, found->text);
    if (!json_found_at(found, "nvbandwidth/testcases/*"))
        return;
    if (matrix->case_place != found->places[0])
        end_case(reading);
    matrix->case_place = found->places[0];
    if (strcmp(key, "name") == 0 && found->text) {
        snprintf(matrix->test, NAME_BYTES, "%s", found->text);
    } else if (ending && strcmp(ending, "_description") == 0 && found->text) {
        struct rows words = {.text = found->text, .length = strlen(found->text)};
        read_description(reading, &words);
    } else if (ending && strcmp(ending, "_matrix") == 0 && found->arrays == 3) {
        if (value > 0) { /* "N/A" and 0: nothing was measured */
            struct cell *cell = pool_append(reading->pool, (void **)&matrix->cells,
                                            &matrix->cell_count, sizeof *cell);
            *cell = (struct cell){(int)found->places[1], (int)found->places[2], value};
        }
    } else if (!found->text) {
        for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++)
            if (strcmp(key, repeated[i]) == 0)
                return;
        json_unread(reading->text, found);
    }
}

static void begin_nvbandwidth(struct reading *reading)
{
    if (!is_json(reading->text))
        return;
    json_values(reading, take);
    end_case(reading);
    reading->rows.next += strlen(reading->rows.next); /* JSON has been read as a whole */
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
    .summary = "what nvbandwidth prints, also with -j: copies between host and GPUs",
    .state_bytes = sizeof(struct matrix),
    .recognise = recognise,
    .begin = begin_nvbandwidth,
    .line = read_line,
    .statistic = "the median of its samples, or with -m their mean",
    .nothing =
        "holds no matrix of nvbandwidth's, like one below 'memcpy CE CPU(row) -> GPU(column) "
        "bandwidth (GB/s)'",
};
