/* Weighs the verdicts on single values together. */
#include "compare/weigh.h"

#include "stats/compare.h"

#include <math.h>

/* In one of twenty comparisons of unchanged machines any value may be reported as changed. */
static const double alpha = 0.05;

/* Conditions are not tested, and a value without an interval can't become changed. */
static bool is_tested(const struct difference *difference)
{
    return difference->verdict != CONDITION &&
           !(difference->verdict == UNCERTAIN && isnan(difference->p));
}

/* Makes changes uncertain that may be chance, given the number of comparisons. Findings are few and
 * points many, and measuring more sizes must not make a changed finding harder to detect: so each
 * of the two families gets half of the error rate (Hochberg and Tamhane, "Multiple comparison
 * procedures", 1987, on families and Bonferroni's split). */
static void correct(struct differences *result, bool of_points)
{
    double *p = pool_alloc(&result->pool, result->count, sizeof *p);
    size_t n = 0;
    for (size_t i = 0; i < result->count; i++) {
        const struct difference *difference = &result->list[i];
        if (!difference->series == !of_points && is_tested(difference))
            p[n++] = isnan(difference->p) ? 1 : difference->p;
    }
    const double last = compare_holm(p, n, alpha / 2);
    pool_give_back(&result->pool, p);
    for (size_t i = 0; i < result->count; i++) {
        struct difference *difference = &result->list[i];
        if (!difference->series == !of_points && difference->verdict == CHANGED &&
            !(difference->p <= last))
            difference->verdict = UNCERTAIN;
    }
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

/* Makes points uncertain that changed alone on their curve. Points are sorted by x. A point that
 * becomes uncertain here had no changed neighbouring point, so no other point relied on it. */
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

void differences_weigh(struct differences *result)
{
    correct(result, false);
    correct(result, true);
    ask_neighbours(result);
    for (size_t i = 0; i < result->count; i++) {
        result->changed += result->list[i].verdict == CHANGED;
        result->uncertain += result->list[i].verdict == UNCERTAIN;
    }
}
