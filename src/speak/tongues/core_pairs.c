#include "speak/tongues/core_pairs.h"

#include <math.h>

/* What one hand-off takes on most machines, to say how long all take (docs/cookbook.md has
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

static int greatest_cpu(const struct series *series)
{
    int greatest = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        const int cpu = point->from > point->to ? point->from : point->to;
        greatest = cpu > greatest ? cpu : greatest;
    }
    return greatest;
}

/* The CPUs of the series, ascending, and the point of each pair of them. */
static int list_cpus(struct core_pairs *pairs, struct talk *talk, struct error *error)
{
    const struct series *series = pairs->series;
    struct pool *pool = &talk->document->pool;
    const size_t ids = (size_t)greatest_cpu(series) + 1;
    size_t *place = pool_alloc(pool, ids, sizeof *place); /* in the list, from 1 on; 0: nowhere */
    pairs->cpus = pool_alloc(pool, ids, sizeof *pairs->cpus);
    if (!place || !pairs->cpus)
        return error_out_of_memory(error);
    for (size_t i = 0; i < series->point_count; i++)
        place[series->points[i].from] = place[series->points[i].to] = 1;
    for (size_t id = 0; id < ids; id++)
        if (place[id]) {
            pairs->cpus[pairs->count++] = (int)id;
            place[id] = pairs->count;
        }
    pairs->points = pool_alloc(pool, pairs->count * pairs->count + 1, sizeof(struct point *));
    if (!pairs->points)
        return error_out_of_memory(error);
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        pairs->points[(place[point->from] - 1) * pairs->count + place[point->to] - 1] = point;
    }
    return 0;
}

/* A gap in the table is said to be one; nothing but gaps is no table. */
static int tell_gaps(const struct core_pairs *pairs, const struct talk *talk, struct error *error)
{
    size_t cells = 0;
    for (size_t i = 0; i < pairs->count; i++)
        for (size_t j = 0; j < pairs->count; j++) {
            const struct point *point = pairs->points[i * pairs->count + j];
            cells += core_pairs_cell(pairs, i, j) != NULL;
            if (i != j && !core_pairs_cell(pairs, i, j))
                talk_aside(talk, "CPU %d to %d has no value: %s", pairs->cpus[i], pairs->cpus[j],
                           point && point->failed ? point->failed : "there was no time for it");
        }
    return cells ? 0 : talk_missing(talk, "any pair of CPUs", error);
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
    code = list_cpus(pairs, talk, error);
    return code == 0 ? tell_gaps(pairs, talk, error) : code;
}

const struct point *core_pairs_cell(const struct core_pairs *pairs, size_t i, size_t j)
{
    const struct point *point = pairs->points[i * pairs->count + j];
    return point && point->y.n ? point : NULL;
}

double core_pairs_margin(const struct point *point)
{
    return ((double)point->y.high - (double)point->y.low) / 2;
}
