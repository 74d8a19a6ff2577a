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

/* The CPUs of the series, ascending, and the point of each pair of them. */
static void list_cpus(struct core_pairs *pairs, struct talk *talk)
{
    const struct series *series = pairs->series;
    struct pool *pool = &talk->document->pool;
    int greatest = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        const int cpu = point->from > point->to ? point->from : point->to;
        greatest = cpu > greatest ? cpu : greatest;
    }
    const size_t ids = (size_t)greatest + 1;
    size_t *place = pool_alloc(pool, ids, sizeof *place); /* in the list, from 1 on; 0: nowhere */
    pairs->cpus = pool_alloc(pool, ids, sizeof *pairs->cpus);
    for (size_t i = 0; i < series->point_count; i++)
        place[series->points[i].from] = place[series->points[i].to] = 1;
    for (size_t id = 0; id < ids; id++)
        if (place[id]) {
            pairs->cpus[pairs->count++] = (int)id;
            place[id] = pairs->count;
        }
    pairs->points = pool_alloc(pool, pairs->count * pairs->count + 1, sizeof(struct point *));
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        pairs->points[(place[point->from] - 1) * pairs->count + place[point->to] - 1] = point;
    }
}

/* A gap in the table is said to be one; nothing but gaps is no table. */
static void tell_gaps(const struct core_pairs *pairs, const struct talk *talk)
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
    if (!cells)
        talk_missing(talk, "any pair of CPUs");
}

void core_pairs_measure(struct core_pairs *pairs, struct talk *talk, const struct core_wish *wish)
{
    uint64_t a_line = wish->samples < A_LINE ? 1 : A_LINE;
    while (wish->samples / a_line > LINES_MOST)
        a_line *= 2;
    const struct talk_option options[] = {
        {"op", wish->op},
        {"lines", talk_digits(talk, (wish->samples + a_line - 1) / a_line)},
        {"samples", talk_digits(talk, a_line)},
        {"iterations", talk_digits(talk, wish->iterations)},
        {wish->cpus ? "cpus" : NULL, wish->cpus},
        {.name = NULL}};
    const struct probe_result *result =
        talk_measure(talk, "cores", options, budget_of(talk, wish->samples, wish->iterations));
    *pairs = (struct core_pairs){.series = talk_series(result, NULL, "op", wish->op)};
    if (!pairs->series)
        talk_missing(talk, "any pair of CPUs");
    list_cpus(pairs, talk);
    tell_gaps(pairs, talk);
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
