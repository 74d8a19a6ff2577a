#include "compare/judging.h"

#include "base/quantity.h"
#include "document/flag.h"
#include "stats/compare.h"

#include <math.h>

/* For findings the correction for many comparisons uses the probability of so large a ratio on an
 * unchanged machine; the interval decides whether the change is large enough. For points, which are
 * many, it uses the probability for a change within the threshold. */
static const double unchanged = 0;

static bool is_far(const struct comparison *comparison, double threshold)
{
    return fabs(log(comparison->ratio)) > log1p(threshold);
}

static bool beyond(const struct comparison *comparison, double threshold)
{
    return comparison->low > 1 + threshold || comparison->high < 1 / (1 + threshold);
}

/* `p` stays NAN if the value is within the threshold or has no interval; the correction then
 * ignores it. */
static void judge(struct difference *difference, const struct comparison *time,
                  const struct comparison *cycles, double threshold)
{
    difference->ratio = time->ratio;
    difference->low = time->low;
    difference->high = time->high;
    difference->p = NAN;
    difference->verdict = SAME;
    const bool agree = !cycles || (time->ratio > 1) == (cycles->ratio > 1);
    if (!agree || !is_far(time, threshold) || (cycles && !is_far(cycles, threshold)))
        return;
    const bool certain = beyond(time, threshold) && (!cycles || beyond(cycles, threshold));
    difference->verdict = certain ? CHANGED : UNCERTAIN;
    if (isfinite(time->high - time->low) && (!cycles || isfinite(cycles->high - cycles->low)))
        difference->p = cycles ? fmax(time->p, cycles->p) : time->p;
}

/* --- points --- */

void judge_points(struct difference *difference, double threshold)
{
    const struct point *a = difference->point_a, *b = difference->point_b;
    difference->a = a->y.median;
    difference->b = b->y.median;
    struct comparison time = {(double)b->y.median / (double)a->y.median, NAN, NAN, 1}, cycles;
    const struct estimate before = finding_cycles_of(a), after = finding_cycles_of(b);
    const double left[] = {before.median, before.low, before.high};
    const double right[] = {after.median, after.low, after.high};
    const bool both = left[0] > 0 && right[0] > 0;
    if (is_far(&time, threshold))
        compare_medians(&a->y, &b->y, threshold, flag_widening(a->flags | b->flags), &time);
    if (both)
        compare_intervals(left, right, threshold, &cycles);
    judge(difference, &time, both ? &cycles : NULL, threshold);
}

/* --- findings --- */

static struct comparison compare_values(const struct finding *a, const struct finding *b)
{
    double left[3], right[3];
    struct comparison comparison;
    finding_doubted_bounds(a, left);
    finding_doubted_bounds(b, right);
    compare_intervals(left, right, unchanged, &comparison);
    return comparison;
}

static void judge_values(struct difference *difference, const struct twins *twins, double threshold)
{
    struct comparison value = compare_values(twins->before, twins->after), ns;
    const bool both = twins->ns_before && twins->ns_after && twins->ns_before->value > 0 &&
                      twins->ns_after->value > 0;
    if (both)
        ns = compare_values(twins->ns_before, twins->ns_after);
    difference->a = twins->before->value;
    difference->b = twins->after->value;
    judge(difference, &value, both ? &ns : NULL, threshold);
}

/* Whether `b` is above `a` beyond chance, by two independent intervals on a scale of ratios (Zou
 * and Donner, "Construction of confidence limits about effect measures", Statistics in Medicine
 * 2008). */
static bool is_above(const double a[3], const double b[3])
{
    enum { VALUE, LOW, HIGH };
    return log(b[VALUE] / a[VALUE]) > hypot(log(b[VALUE] / b[LOW]), log(a[HIGH] / a[VALUE]));
}

/* Flags of interference with trials: the points' intervals tell how well these agree. */
static const unsigned of_medians = FLAG_BIT(FLAG_PREEMPTED) | FLAG_BIT(FLAG_STOLEN) |
                                   FLAG_BIT(FLAG_UNSTABLE) | FLAG_BIT(FLAG_DRIFT);

/* Few trials are so near in time that one program may have disturbed them all. And with few sizes,
 * a change of only those and not of the level in either run may come from another part of a nearer
 * cache. */
bool level_is_doubtful(const struct shared_plateau *shared, bool above)
{
    const struct finding *before = shared->before, *after = shared->after;
    double left[3], right[3];
    finding_doubted_bounds(before, left);
    finding_doubted_bounds(after, right);
    return flag_doubts((before->flags | after->flags) & ~of_medians) ||
           (!shared->many && !(above ? is_above(left, right) : is_above(right, left)));
}

/* The sizes that both curves have show a level's change better than all sizes of each run, of which
 * some were measured in one run only. */
void judge_level(struct difference *difference, const struct shared_plateau *shared,
                 double threshold)
{
    const bool in_cycles = quantity_is(shared->before->unit, DIMENSION_CYCLES);
    const struct comparison *other = in_cycles ? &shared->time : &shared->cycles;
    difference->a = shared->a;
    difference->b = shared->b;
    judge(difference, in_cycles ? &shared->cycles : &shared->time,
          shared->has_cycles ? other : NULL, threshold);
    if (difference->verdict == CHANGED && level_is_doubtful(shared, difference->ratio > 1))
        difference->verdict = UNCERTAIN;
}

void judge_findings(struct difference *difference, const struct twins *twins,
                    const struct shared_plateau *shared, double threshold)
{
    if (shared)
        judge_level(difference, shared, threshold);
    else
        judge_values(difference, twins, threshold);
}

/* --- all verdicts together --- */

/* In one of twenty comparisons of unchanged machines any value may be reported as changed. */
static const double alpha = 0.05;

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
        /* Conditions are not tested, and a value without an interval can't become changed. */
        const bool tested = difference->verdict != CONDITION &&
                            !(difference->verdict == UNCERTAIN && isnan(difference->p));
        if (!difference->series == !of_points && tested)
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

/* Whether the difference at `i` belongs to a point of the same curve that moved in the same
 * direction. */
static bool moved_with(const struct differences *result, size_t i, const struct difference *point)
{
    const struct difference *other = i < result->count ? &result->list[i] : NULL;
    return other && other->series == point->series && other->verdict == CHANGED &&
           (other->ratio > 1) == (point->ratio > 1);
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
            supported = false;
            for (size_t f = 0; f < result->count && !supported; f++)
                supported = result->list[f].probe == probe && result->list[f].finding_a &&
                            result->list[f].verdict == CHANGED;
        }
        const bool neighbours = (i > 0 && point[-1].series == point->series) ||
                                (i + 1 < result->count && point[1].series == point->series);
        if (!supported && neighbours && !moved_with(result, i - 1, point) &&
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
