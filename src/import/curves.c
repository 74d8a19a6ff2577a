#include "import/curves.h"

#include "base/units.h"
#include "findings/registry.h"
#include "import/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double curve_number(const char *field)
{
    double value;
    return number_parse(field, &value, NULL) == 0 && value > 0 ? value : 0;
}

int curve_rows_add(struct curve_rows *rows, struct curve_row row, struct error *error)
{
    struct curve_row *slot =
        pool_append(rows->pool, (void **)&rows->list, &rows->count, sizeof *slot);
    if (!slot)
        return error_out_of_memory(error);
    *slot = row;
    return 0;
}

static int by_bytes(const void *a, const void *b)
{
    const struct curve_row *p = a, *q = b;
    return (p->bytes > q->bytes) - (p->bytes < q->bytes);
}

/* Rows of one size are trials of one point. `values` has room for all of them. */
static void fill_point(struct point *point, const struct curve_row *rows, size_t n, bool ns,
                       double *values)
{
    struct summary cycles;
    size_t known = 0;
    for (size_t i = 0; i < n; i++)
        known += isfinite(rows[i].cycles) ? 1 : 0;
    for (size_t i = 0; i < n; i++)
        values[i] = rows[i].cycles;
    summarize(values, known == n ? n : 0, values, &cycles);
    *point = (struct point){
        .x = rows[0].bytes,
        .y = cycles,
        .cycles = {NAN, NAN, NAN},
        .scatter = {NAN, NAN, NAN},
    };
    if (!ns)
        return;
    point->cycles = (struct estimate){cycles.median, cycles.low, cycles.high};
    for (size_t i = 0; i < n; i++)
        values[i] = rows[i].ns;
    summarize(values, n, values, &point->y);
}

int curve_series(struct series *series, struct curve_rows *rows, struct error *error)
{
    double *values = malloc((rows->count + 1) * sizeof *values);
    series->points = pool_alloc(rows->pool, rows->count + 1, sizeof *series->points);
    bool ns = false;
    for (size_t i = 0; i < rows->count; i++)
        ns = ns || isfinite(rows->list[i].ns);
    *series = (struct series){.name = "latency",
                              .factors = series->factors,
                              .factor_count = series->factor_count,
                              .x = {"working set", "B"},
                              .y = {"latency", ns ? "ns" : "cycles"},
                              .points = series->points};
    if (!values || !series->points) {
        free(values);
        return error_set(error, ERROR_SYSTEM, "out of memory for %zu points", rows->count);
    }
    if (rows->count)
        qsort(rows->list, rows->count, sizeof *rows->list, by_bytes);
    size_t end = 0;
    for (size_t first = 0; first < rows->count; first = end) {
        for (end = first; end < rows->count && rows->list[end].bytes == rows->list[first].bytes;)
            end++;
        fill_point(&series->points[series->point_count++], rows->list + first, end - first, ns,
                   values);
    }
    free(values);
    return 0;
}

/* Why a curve has no level. */
static const char *no_levels(const struct series *series)
{
    if (series->point_count < 3)
        return "no levels: that takes three sizes at least, and a dozen to be of use";
    if ((double)series->points[0].y.median >
        1.2 * (double)series->points[series->point_count - 1].y.median)
        return "no levels: latency falls as the working set grows, which no memory does; is the "
               "size in the first column?";
    return "no levels: latency stays nowhere the same from one size to the next";
}

int curve_probe(struct document *document, const char *title, struct series *series, size_t count,
                size_t which, struct error *error)
{
    struct probe_result *result = table_probe(document, "latency", title);
    if (!result)
        return error_out_of_memory(error);
    result->series = series;
    result->series_count = count;
    series[which].headline = true;
    return 0;
}

void curve_explain(struct probe_result *result)
{
    bool levels = false;
    for (size_t i = 0; i < result->finding_count; i++)
        levels = levels || finding_meaning(&result->findings[i]).role == ROLE_LEVEL;
    for (size_t i = 0; i < result->series_count && !levels; i++)
        if (result->series[i].headline) {
            result->status = PROBE_PARTIAL;
            result->reason = no_levels(&result->series[i]);
        }
}

bool curve_line(const char **cursor, char *line, size_t size, bool *whole)
{
    if (!**cursor)
        return false;
    const size_t length = strcspn(*cursor, "\n");
    size_t kept = length;
    while (kept && strchr(" \t\r", (*cursor)[kept - 1]))
        kept--;
    *whole = kept < size;
    if (!*whole)
        kept = size - 1;
    memcpy(line, *cursor, kept);
    line[kept] = '\0';
    *cursor += length + ((*cursor)[length] == '\n');
    return true;
}

int curve_line_refuse(struct error *error, const char *file, size_t number, size_t size)
{
    return table_refuse(error, file, number,
                        "has more than %zu bytes, which no line of such a table has: give the "
                        "table as it was printed",
                        size - 1);
}
