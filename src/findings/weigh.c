/* Weighs the verdicts on single values together. */
#include "findings/weigh.h"

#include "stats/compare.h"

#include <math.h>
#include <stdlib.h>

/* Of twenty comparisons of unchanged machines, one may report a change, over all values
 * together. */
static const double alpha = 0.05;

/* Makes changes uncertain that may be chance, given the number of comparisons. */
static int correct(struct differences *result)
{
    double *p = malloc((result->count + 1) * sizeof *p);
    if (!p)
        return ERROR_SYSTEM;
    for (size_t i = 0; i < result->count; i++)
        p[i] = isnan(result->list[i].p) ? 1 : result->list[i].p;
    double last = compare_holm(p, result->count, alpha);
    free(p);
    for (size_t i = 0; i < result->count; i++)
        if (result->list[i].verdict == CHANGED && !(result->list[i].p <= last))
            result->list[i].verdict = UNCERTAIN;
    return 0;
}

static bool finding_changed(const struct differences *result, const struct probe_result *probe)
{
    for (size_t i = 0; i < result->count; i++)
        if (result->list[i].probe == probe && result->list[i].finding_a &&
            result->list[i].verdict == CHANGED)
            return true;
    return false;
}

/* Whether the difference at `i` belongs to a point of the same curve that moved in the same
 * direction. */
static bool moved_with(const struct differences *result, size_t i, const struct difference *point)
{
    const struct difference *other = i < result->count ? &result->list[i] : NULL;
    return other && other->series == point->series && other->verdict == CHANGED &&
           (other->ratio > 1) == (point->ratio > 1);
}

static bool has_neighbours(const struct differences *result, size_t i)
{
    const struct series *series = result->list[i].series;
    return (i > 0 && result->list[i - 1].series == series) ||
           (i + 1 < result->count && result->list[i + 1].series == series);
}

/* Makes single points of a curve that changed alone uncertain. Points stand in the order of their
 * x. A point that is made uncertain here had no changed neighbour, so it was no other point's
 * support. */
static void ask_neighbours(struct differences *result)
{
    const struct probe_result *probe = NULL;
    bool supported = false;
    for (size_t i = 0; i < result->count; i++) {
        struct difference *point = &result->list[i];
        if (point->verdict != CHANGED || !point->series || point->series->matrix)
            continue;
        if (point->probe != probe) {
            probe = point->probe;
            supported = finding_changed(result, probe);
        }
        if (!supported && has_neighbours(result, i) && !moved_with(result, i - 1, point) &&
            !moved_with(result, i + 1, point))
            point->verdict = UNCERTAIN;
    }
}

static void count(struct differences *result)
{
    for (size_t i = 0; i < result->count; i++) {
        result->changed += result->list[i].verdict == CHANGED;
        result->uncertain += result->list[i].verdict == UNCERTAIN;
    }
}

int differences_weigh(struct differences *result)
{
    int code = correct(result);
    if (code == 0) {
        ask_neighbours(result);
        count(result);
    }
    return code;
}
