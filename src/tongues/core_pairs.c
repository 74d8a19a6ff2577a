#include "tongues/core_pairs.h"

#include <math.h>
#include <stdlib.h>

/* What one hand-off takes on most machines, to tell how long so many take (docs/cookbook.md has
 * the tables that it was read off: 10 to 200 ns). */
static const double usual_ns = 100, times = 3; /* bursts and what is measured again beside it */
static const double least_s = 2, most_s = 600;
enum { A_LINE = 10, LINES_MOST = 4096 };

static double budget_of(const struct talk *talk, uint64_t samples, uint64_t iterations)
{
    const double n = (double)talk->machine->allowed.count;
    const double pairs = fmax(n * (n - 1), 1);
    const double each_s = (double)samples * (double)iterations * 2 * usual_ns * 1e-9 * times;
    return fmin(fmax(pairs * each_s, least_s), most_s);
}

static int ascending(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int list_cpus(struct core_pairs *pairs, struct talk *talk, struct error *error)
{
    const struct series *series = pairs->series;
    for (size_t i = 0; i < series->point_count; i++) {
        const int both[] = {series->points[i].from, series->points[i].to};
        for (size_t b = 0; b < 2; b++) {
            size_t at = 0;
            while (at < pairs->count && pairs->cpus[at] != both[b])
                at++;
            if (at < pairs->count)
                continue;
            int *cpu = pool_append(&talk->document->pool, (void **)&pairs->cpus, &pairs->count,
                                   sizeof *cpu);
            if (!cpu)
                return error_out_of_memory(error);
            *cpu = both[b];
        }
    }
    if (pairs->count)
        qsort(pairs->cpus, pairs->count, sizeof *pairs->cpus, ascending);
    return 0;
}

/* A gap in the table is said to be one. */
static void tell_gaps(const struct series *series, struct talk *talk)
{
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (!point->y.n)
            talk_aside(talk, "CPU %d to %d has no value: %s", point->from, point->to,
                       point->failed ? point->failed : "there was no time for it");
    }
}

int core_pairs_measure(struct core_pairs *pairs, struct talk *talk, const char *op,
                       const char *cpus, uint64_t samples, uint64_t iterations, struct error *error)
{
    uint64_t a_line = samples < A_LINE ? 1 : A_LINE;
    while (samples / a_line > LINES_MOST)
        a_line *= 2;
    const uint64_t lines = (samples + a_line - 1) / a_line;
    const struct talk_option options[] = {
        {"op", op},
        {"lines", talk_text(talk, "%llu", (unsigned long long)lines)},
        {"samples", talk_text(talk, "%llu", (unsigned long long)a_line)},
        {"iterations", talk_text(talk, "%llu", (unsigned long long)iterations)},
        {cpus ? "cpus" : NULL, cpus},
        {.name = NULL}};
    const struct probe_result *result;
    *pairs = (struct core_pairs){.series = NULL};
    int code =
        talk_measure(talk, "cores", options, budget_of(talk, samples, iterations), &result, error);
    if (code < 0)
        return code;
    pairs->series = talk_series(result, NULL, "op", op);
    if (!pairs->series)
        return talk_missing(talk, "any pair of CPUs", error);
    tell_gaps(pairs->series, talk);
    return list_cpus(pairs, talk, error);
}

const struct point *core_pairs_cell(const struct core_pairs *pairs, size_t i, size_t j)
{
    return talk_cell(pairs->series, pairs->cpus[i], pairs->cpus[j]);
}

double core_pairs_margin(const struct point *point)
{
    return ((double)point->y.high - (double)point->y.low) / 2;
}
