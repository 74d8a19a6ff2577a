/*
 * Hand-offs between CPUs as distances. hwloc's are whole numbers, so they are in picoseconds, which
 * the name says; hwloc itself only compares them. Both directions of a pair count as one. hwloc
 * wants a whole matrix: where pairs are missing, the CPUs that lack most of them are left out.
 */
#include "base/quantity.h"
#include "conclude/ways.h"
#include "show/render/hwloc/parts.h"
#include "show/report/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* FROM_USER | MEANS_LATENCY of hwloc/distances.h. */
enum { KIND = 2 | 4, VALUES_A_LINE = 10, NUMBER = 24, LINE = VALUES_A_LINE * NUMBER };

/* A second is no hand-off. */
static const double most_ps = 1e12;

struct matrix {
    int *cpus;       /* ascending */
    double *values;  /* row by row, in ps; NAN where a pair has none */
    size_t *missing; /* of each CPU: pairs with CPUs that are not left out */
    bool *left_out;
    size_t count;
};

static double value_at(const struct grid *grid, int from, int to)
{
    const size_t row = grid_row(grid, from), column = grid_column(grid, to);
    if (row >= grid->row_count || column >= grid->column_count)
        return NAN;
    const struct point *point = grid->cells[row * grid->column_count + column];
    return point ? way_value(point) : NAN;
}

/* The mean of both directions, or the one there is. */
static double between(const struct grid *grid, int a, int b)
{
    const double there = value_at(grid, a, b), back = value_at(grid, b, a);
    return isnan(there) ? back : isnan(back) ? there : (there + back) / 2;
}

static void collect_cpus(struct matrix *matrix, const struct grid *grid, const struct cpulist *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (grid_row(grid, all->ids[i]) < grid->row_count ||
            grid_column(grid, all->ids[i]) < grid->column_count)
            matrix->cpus[matrix->count++] = all->ids[i];
}

static void collect_values(struct matrix *matrix, const struct grid *grid, double ps)
{
    const size_t n = matrix->count;
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++) {
            const double value =
                r == c ? 0 : round(between(grid, matrix->cpus[r], matrix->cpus[c]) * ps);
            const bool good = r == c || (value >= 1 && value <= most_ps);
            matrix->values[r * n + c] = good ? value : NAN;
            matrix->missing[r] += !good;
        }
}

static void leave_out(struct matrix *matrix)
{
    const size_t n = matrix->count;
    for (;;) {
        size_t worst = 0;
        for (size_t i = 1; i < n; i++)
            if (matrix->missing[i] > matrix->missing[worst])
                worst = i;
        if (!n || !matrix->missing[worst])
            return;
        matrix->left_out[worst] = true;
        matrix->missing[worst] = 0;
        for (size_t i = 0; i < n; i++)
            if (!matrix->left_out[i] && isnan(matrix->values[i * n + worst]))
                matrix->missing[i]--;
    }
}

static bool matrix_build(struct matrix *matrix, const struct grid *grid, const struct cpulist *all,
                         double ps)
{
    matrix->cpus = calloc(all->count + 1, sizeof *matrix->cpus);
    if (!matrix->cpus)
        return false;
    collect_cpus(matrix, grid, all);
    const size_t n = matrix->count;
    matrix->values = calloc(n * n + 1, sizeof *matrix->values);
    matrix->missing = calloc(n + 1, sizeof *matrix->missing);
    matrix->left_out = calloc(n + 1, sizeof *matrix->left_out);
    if (!matrix->values || !matrix->missing || !matrix->left_out)
        return false;
    collect_values(matrix, grid, ps);
    leave_out(matrix);
    return true;
}

static void matrix_free(struct matrix *matrix)
{
    free(matrix->cpus);
    free(matrix->values);
    free(matrix->missing);
    free(matrix->left_out);
}

/* Numbers that end up in elements of some each, with the length of their text. */
struct numbers {
    FILE *out;
    const char *element;
    char line[LINE + 1];
    size_t length, count;
};

static void end_numbers(struct numbers *numbers)
{
    if (numbers->count)
        fprintf(numbers->out, "    <%s length=\"%zu\">%s</%s>\n", numbers->element, numbers->length,
                numbers->line, numbers->element);
    numbers->count = numbers->length = 0;
}

static void put_number(struct numbers *numbers, double number)
{
    numbers->length += (size_t)snprintf(numbers->line + numbers->length, NUMBER, "%.0f ", number);
    if (++numbers->count == VALUES_A_LINE)
        end_numbers(numbers);
}

static void put_matrix(FILE *out, const struct matrix *matrix)
{
    struct numbers indexes = {.out = out, .element = "indexes"};
    struct numbers values = {.out = out, .element = "u64values"};
    const size_t n = matrix->count;
    size_t left = 0;
    for (size_t i = 0; i < n; i++)
        left += !matrix->left_out[i];
    if (left < 2)
        return;
    fprintf(out,
            "  <distances2 type=\"PU\" nbobjs=\"%zu\" kind=\"%d\" name=\"HandOffPicoseconds\" "
            "indexing=\"os\">\n",
            left, KIND);
    for (size_t i = 0; i < n; i++)
        if (!matrix->left_out[i])
            put_number(&indexes, matrix->cpus[i]);
    end_numbers(&indexes);
    for (size_t i = 0; i < n * n; i++)
        if (!matrix->left_out[i / n] && !matrix->left_out[i % n])
            put_number(&values, matrix->values[i]);
    end_numbers(&values);
    fputs("  </distances2>\n", out);
}

int hwloc_put_distances(FILE *out, const struct objects *objects, const struct document *document,
                        struct error *error)
{
    const struct series *series = ways_between_cpus(document);
    const struct quantity *quantity = series ? quantity_of(series->y.unit) : NULL;
    struct matrix matrix = {.count = 0};
    struct grid grid;
    if (!quantity)
        return 0;
    /* A matrix too scattered for a grid has no distances. */
    const bool built = grid_build(&grid, series);
    const bool good = !built || matrix_build(&matrix, &grid, &objects->list[OBJECT_ROOT].cpus,
                                             quantity->metric_factor * 1e12);
    if (good)
        put_matrix(out, &matrix);
    matrix_free(&matrix);
    grid_free(&grid);
    return good ? 0 : error_out_of_memory(error);
}
