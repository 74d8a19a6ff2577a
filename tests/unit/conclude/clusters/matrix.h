/* Matrices for the tests of clusters, and what is found in them, as text. */
#ifndef FATHOM_TESTS_STATS_MATRIX_H
#define FATHOM_TESTS_STATS_MATRIX_H

#include "base/cpulist.h"
#include "conclude/clusters/cluster.h"
#include "stats/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- matrices --- */

struct matrix {
    size_t n;
    double *latency;
};

static inline struct matrix matrix_new(size_t n)
{
    struct matrix matrix = {n, malloc(n * n * sizeof(double))};
    assert_non_null(matrix.latency);
    for (size_t i = 0; i < n * n; i++)
        matrix.latency[i] = NAN;
    return matrix;
}

/* A square of numbers, with commas between them and nothing where there is no number. */
static inline struct matrix matrix_load(const char *name)
{
    char path[4096], line[4096];
    const char *source = getenv("FATHOM_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/core-matrix/%s.csv", source ? source : ".", name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s cannot be opened", path);
    struct matrix matrix = {0};
    for (size_t row = 0; fgets(line, sizeof line, file); row++) {
        if (row == 0) {
            size_t n = 1;
            for (const char *c = line; *c; c++)
                n += *c == ',';
            matrix = matrix_new(n);
        }
        const char *cell = line;
        for (size_t column = 0; column < matrix.n && cell; column++) {
            char *end;
            double value = strtod(cell, &end);
            matrix.latency[row * matrix.n + column] = end == cell ? NAN : value;
            cell = strchr(cell, ',');
            cell = cell ? cell + 1 : NULL;
        }
    }
    fclose(file);
    return matrix;
}

/* Latency by the smallest of the nested sizes that both CPUs are in: sizes {2, 8, 32} and ns {10,
 * 30, 100, 200} are threads, complexes and sockets. Ends with size 0. */
static inline double nested_ns(size_t a, size_t b, const size_t *sizes, const double *ns)
{
    size_t level = 0;
    while (sizes[level] && a / sizes[level] != b / sizes[level])
        level++;
    return ns[level];
}

static inline struct matrix matrix_nested(size_t n, const size_t *sizes, const double *ns,
                                          double noise, uint64_t seed)
{
    struct matrix matrix = matrix_new(n);
    struct random random = {seed};
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            matrix.latency[a * n + b] =
                a == b ? NAN : nested_ns(a, b, sizes, ns) * exp(noise * sample_normal(&random));
    return matrix;
}

static inline void add_to_row(struct matrix *matrix, size_t row, double ns)
{
    for (size_t other = 0; other < matrix->n; other++) {
        matrix->latency[row * matrix->n + other] += ns;
        matrix->latency[other * matrix->n + row] += ns;
    }
}

static inline void drop_cell(struct matrix *matrix, size_t a, size_t b)
{
    matrix->latency[a * matrix->n + b] = matrix->latency[b * matrix->n + a] = NAN;
}

/* --- what is found --- */

static inline size_t write_cluster(const struct clusters *clusters, size_t i, char *text,
                                   size_t size)
{
    struct cpulist list = {0};
    const struct cluster *cluster = &clusters->list[i];
    for (size_t j = 0; j < cluster->count; j++)
        assert_int_equal(cpulist_add(&list, (int)cluster->members[j]), 0);
    size_t used = (size_t)snprintf(text, size, "(");
    cpulist_format(&list, text + used, size - used);
    used += strlen(text + used);
    cpulist_free(&list);
    for (size_t j = i + 1; j < clusters->count; j++)
        if (clusters->list[j].parent == (int)i)
            used += write_cluster(clusters, j, text + used, size - used);
    return used + (size_t)snprintf(text + used, size - used, ")");
}

/* "(0-3(0-1)(2-3))(4-7)"; frees the matrix. */
static inline char *found(struct matrix matrix, const double *noise)
{
    enum { SIZE = 1 << 16 };
    struct pool pool = {0};
    struct clusters clusters;
    char *text = calloc(SIZE, 1);
    size_t used = 0;
    clusters_find(&clusters, &pool, matrix.latency, noise, matrix.n);
    for (size_t i = 0; i < clusters.count; i++) {
        assert_true(clusters.list[i].parent < (int)i);
        if (clusters.list[i].parent < 0)
            used += write_cluster(&clusters, i, text + used, SIZE - used);
    }
    pool_free(&pool);
    free(matrix.latency);
    return text;
}

#define assert_found(matrix, expected)                                                             \
    do {                                                                                           \
        char *text = found(matrix, NULL);                                                          \
        assert_string_equal(text, expected);                                                       \
        free(text);                                                                                \
    } while (0)

/* Expects the same groups of `seeds` matrices. */
static inline void assert_always(size_t n, const size_t *sizes, const double *ns, double noise,
                                 const char *expected)
{
    for (uint64_t seed = 1; seed <= sample_seeds(25); seed++) {
        char *text = found(matrix_nested(n, sizes, ns, noise, seed), NULL);
        if (strcmp(text, expected) != 0)
            fail_msg("%zu rows, noise %g, seed %llu:\n%s\nwanted\n%s", n, noise,
                     (unsigned long long)seed, text, expected);
        free(text);
    }
}

#endif
