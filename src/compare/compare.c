#include "compare/compare.h"
#include "compare/prior.h"
#include "stats/peers.h"
#include "stats/student.h"

#include <math.h>

const double comparison_share = 0.025;

/* Half of a 95 % interval over the standard deviation, of a normal distribution. */
static const double normal_95 = 1.959963984540054;

/* The logarithm by which a figure is compared: of several runs the mean, whose variance their
 * scatter tells; that of a median of five is 1.4 times as large. Adds the squares of their
 * deviations. */
static double centre_of(const struct figure *figure, double *squares)
{
    double centre = figure->run_count ? 0 : log(figure->value);
    for (size_t i = 0; i < figure->run_count; i++)
        centre += log(figure->runs[i].number) / (double)figure->run_count;
    for (size_t i = 0; i < figure->run_count; i++)
        *squares += pow(log(figure->runs[i].number) - centre, 2);
    return centre;
}

/* Whether, without other programs at work, the figure might lie further to that side than runs
 * scatter. */
static bool is_beside(const struct figure *figure, bool above)
{
    return figure->beside &&
           (figure->worse == SIDE_NEITHER || (figure->worse == SIDE_MORE) != above);
}

/* The variance of the figure's value by its own interval, on one side. The trials' error, which the
 * narrower side shows, is `times` as large as the interval says; what others may have done is not.
 */
static double own_of(const struct figure *figure, bool above, double times)
{
    const double over = log(figure->high / figure->value), under = log(figure->value / figure->low);
    const double square = pow(above ? over : under, 2), least = pow(fmin(over, under), 2);
    const double error = (square + (times * times - 1) * least) / normal_95 / normal_95;
    return isfinite(error) ? error : INFINITY;
}

/* The variance of the ratio's logarithm on one side: the first figure may lie further to the other
 * side, the second further to this one. */
struct reach {
    struct variance between; /* of one run's value, of the side that scatters more */
    double all, own;         /* variances of the ratio: all of it; its part from own intervals */
};

static struct reach reach_of(const struct figure *const sides[2], bool above)
{
    struct reach reach = {.between = {0, INFINITY}};
    for (int i = 0; i < 2; i++) {
        const bool direction = i == 1 ? above : !above, beside = is_beside(sides[i], direction);
        const struct prior *prior = &priors[sides[i]->sort][sides[i]->guest][beside];
        double squares = 0, freedom = 0;
        for (int other = 0; other < 2; other++)
            if (sides[other]->run_count &&
                is_beside(sides[other], other == 1 ? above : !above) == beside) {
                centre_of(sides[other], &squares);
                freedom += (double)sides[other]->run_count - 1;
            }
        /* The scatter of several runs contains both variances; it counts as no less than the usual
         * error of each run's value. A single run shows its own interval alone, which may be
         * unusual. */
        const double usual = pow(prior->times * prior->own, 2);
        const double expected = prior->scatter * prior->scatter + usual;
        struct variance between = variance_shrunk(squares, freedom, expected, prior->freedom);
        /* Where both sides' runs scatter less than chance explains, they alone are believed. */
        if (sides[0]->run_count && sides[1]->run_count && freedom >= PEERS_FEWEST &&
            squares / freedom < expected * exp(-2 * sqrt(2 / freedom + 2 / prior->freedom)))
            between = (struct variance){squares / freedom, freedom};
        const double own = sides[i]->run_count ? 0 : own_of(sides[i], direction, prior->times);
        between.value =
            sides[i]->run_count ? fmax(between.value, usual) : fmax(between.value - usual, 0) + own;
        reach.own += own;
        reach.all += between.value / fmax(1, (double)sides[i]->run_count);
        reach.between.value = fmax(reach.between.value, between.value);
        reach.between.freedom = fmin(reach.between.freedom, between.freedom);
    }
    return reach;
}

struct comparison compare(const struct figure *a, const struct figure *b, double tolerance)
{
    const struct figure *const sides[] = {a, b};
    struct comparison result = {
        .answer = CANT_TELL,
        .side = SIDE_NEITHER,
        .ratio = b->value / a->value,
        .tolerance =
            isnan(tolerance) || a->sort == SORT_COUNT ? sorts[a->sort].tolerance : tolerance,
        .sort = a->sort,
        .runs = a->run_count + b->run_count,
    };
    double unused = 0;
    if (result.runs && a->sort != SORT_COUNT)
        result.ratio = exp(centre_of(b, &unused) - centre_of(a, &unused));
    if (a->worse != SIDE_NEITHER)
        result.side = (result.ratio > 1) == (a->worse == SIDE_MORE) ? SIDE_MORE : SIDE_LESS;
    if (a->sort == SORT_COUNT) {
        /* Trials vote on a count: two differ where each one's votes exclude the other's. */
        const bool voted = isfinite(a->low + a->high + b->low + b->high);
        const bool apart = a->high < b->low || b->high < a->low;
        comparison_decide(&result, voted && a->value == b->value ? SAME : CANT_TELL, BY_VOTES);
        result.p = !voted ? NAN : apart ? 0 : 1;
        return result;
    }
    if (!isfinite(a->low + a->high + b->low + b->high)) {
        comparison_decide(&result, CANT_TELL, BY_NOTHING);
        return result;
    }
    const double away = log(result.ratio);
    const struct reach below = reach_of(sides, false), above = reach_of(sides, true);
    const struct reach *towards_none = away > 0 ? &below : &above;
    const double half_below = student_reach(below.between.freedom) * sqrt(below.all);
    const double half_above = student_reach(above.between.freedom) * sqrt(above.all);
    result.low = exp(away - half_below);
    result.high = exp(away + half_above);
    result.resolution = expm1(fmax(half_below, half_above));
    result.p = student_beyond(away / sqrt(towards_none->all), towards_none->between.freedom);
    result.scatter = sqrt(towards_none->between.value);
    result.freedom = towards_none->between.freedom;
    result.decided = 2 * towards_none->own > towards_none->all ? BY_INTERVALS
                     : result.runs > 2                         ? BY_RUNS
                                                               : BY_PRIOR;
    if (fmax(half_below - away, half_above + away) <= log1p(result.tolerance))
        result.answer = SAME;
    return result;
}

bool comparison_is_beyond(const struct comparison *comparison)
{
    return fabs(log(comparison->ratio)) > log1p(comparison->tolerance);
}

void comparison_settle(struct comparison *comparison, double limit)
{
    if (comparison->p <= limit && comparison_is_beyond(comparison))
        comparison->answer = CHANGED;
}

void comparison_decide(struct comparison *comparison, enum answer answer, enum decided decided)
{
    comparison->answer = answer;
    comparison->decided = decided;
    comparison->low = comparison->high = comparison->p = comparison->resolution = NAN;
}

double comparison_worst(const struct comparison *comparison, enum side worse)
{
    return worse == SIDE_LESS ? -log(comparison->low) : log(comparison->high);
}
