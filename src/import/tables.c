#include "import/tables.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct probe_result *table_probe(struct document *document, const char *name, const char *title)
{
    struct probe_result *probe = document_probe(document, name);
    if (!probe)
        probe = pool_append(&document->pool, (void **)&document->probes, &document->probe_count,
                            sizeof *probe);
    if (probe && !probe->name)
        *probe = (struct probe_result){.name = name, .title = title, .elapsed_s = NAN};
    return probe;
}

struct series *table_series(struct document *document, struct probe_result *probe,
                            const struct series *model)
{
    struct series *series =
        pool_append(&document->pool, (void **)&probe->series, &probe->series_count, sizeof *series);
    if (series)
        *series = *model;
    return series;
}

int table_factor(struct document *document, struct series *series, const char *name,
                 const char *text, double number)
{
    struct factor *factor = pool_append(&document->pool, (void **)&series->factors,
                                        &series->factor_count, sizeof *factor);
    const char *copy = pool_strdup(&document->pool, text);
    if (!factor || (text && !copy))
        return ERROR_SYSTEM;
    *factor = (struct factor){name, copy, number};
    return 0;
}

struct point *table_point(struct document *document, struct series *series, double value)
{
    struct point *point =
        pool_append(&document->pool, (void **)&series->points, &series->point_count, sizeof *point);
    double scratch;
    if (!point)
        return NULL;
    *point = (struct point){.x = NAN, .cycles = {NAN, NAN, NAN}, .scatter = {NAN, NAN, NAN}};
    summarize(&value, 1, &scratch, &point->y);
    return point;
}

static int by_x(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

void table_sort(struct series *series)
{
    if (series->point_count)
        qsort(series->points, series->point_count, sizeof *series->points, by_x);
}

int table_refuse(struct error *error, const char *file, size_t line, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (line)
        return error_set(error, ERROR_USAGE, "%s: line %zu: %s", file, line, text);
    return error_set(error, ERROR_USAGE, "%s: %s", file, text);
}

int table_no_memory(struct error *error, const char *file)
{
    return error_set(error, ERROR_SYSTEM, "%s: out of memory", file);
}
