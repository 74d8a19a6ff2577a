#include "conclude/levels/steps.h"

#include "base/pool.h"
#include "stats/series.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { COLUMNS = KNEES_MOST + 2, STEPS_MOST = 160 };
/* How thoroughly the knees are searched. */
enum effort { ROUGH, THOROUGH };
static const int sweeps[] = {[ROUGH] = 2, [THOROUGH] = 4};
static const double step_rough = 1.0 / 12, step_coarse = 1.0 / 32,
                    step_fine = 1.0 / 128; /* octaves */

/* A level from a plateau is removed if the loss without it grows by less than this factor. */
static const double needless_below = 1.3;
/* A level without a plateau is added only if the loss without it exceeds that of noise by
 * unfit_above, and with it less than parted_below of the loss remains. */
static const double unfit_above = 1.5, parted_below = 0.4;
/* Two knees within this factor are one knee of an unknown shape. */
static const double apart = 1.6;

/* All shapes of a knee are tried together: what differs between them is an array of MISS_SHAPES,
 * which compilers turn into vectors. */
struct fit {
    const struct miss_shares *shares;
    const struct mixture_sample *samples;
    size_t n, columns;
    struct {
        double weight, octave; /* log2 of the sample's bytes */
        /* A column for the base, for each knee, and for what they are to add up to, which is 1: all
         * is relative to the sample's latency. */
        double row[COLUMNS], tried[MISS_SHAPES]; /* what is tried in place of a column */
    } * at;                                      /* by sample */
    double *off;                                 /* by sample, and room for as many numbers */
    /* The normal equations and their factor by Cholesky, up to the diagonal. */
    double normal[COLUMNS][COLUMNS][MISS_SHAPES], factor[COLUMNS][COLUMNS][MISS_SHAPES];
    double heights[COLUMNS][MISS_SHAPES];
    struct search {
        double cost[STEPS_MOST][MISS_SHAPES];
        double log_capacity[STEPS_MOST];
        size_t steps;
        double best;
        int best_shape;
        size_t best_step;
    } search;
};

static void try_knee(struct fit *fit, double log_capacity)
{
    for (size_t i = 0; i < fit->n; i++) {
        miss_shares_at(fit->shares, fit->at[i].octave - log_capacity, fit->at[i].tried);
        for (int shape = 0; shape < MISS_SHAPES; shape++)
            fit->at[i].tried[shape] *= fit->at[i].row[0];
    }
}

static void set_column(struct fit *fit, size_t knee, int shape, double log_capacity)
{
    try_knee(fit, log_capacity);
    for (size_t i = 0; i < fit->n; i++)
        fit->at[i].row[knee + 1] = fit->at[i].tried[shape];
}

/* With what is tried in place of column c. */
static void add_equations(struct fit *fit, size_t c)
{
    for (size_t d = 0; d <= fit->columns; d++) {
        double products[MISS_SHAPES] = {0};
        for (size_t i = 0; i < fit->n; i++) {
            const double weight = fit->at[i].weight, other = fit->at[i].row[d],
                         *tried = fit->at[i].tried;
            for (int shape = 0; shape < MISS_SHAPES; shape++)
                products[shape] += weight * tried[shape] * (d == c ? tried[shape] : other);
        }
        memcpy(fit->normal[d < c ? c : d][d < c ? d : c], products, sizeof products);
    }
}

static void add_column(struct fit *fit, size_t c)
{
    for (size_t i = 0; i < fit->n; i++)
        for (int shape = 0; shape < MISS_SHAPES; shape++)
            fit->at[i].tried[shape] = fit->at[i].row[c];
    add_equations(fit, c);
}

/* Solves for base and heights by Cholesky's method; equations before `from` are as they were.
 * Returns the weighted sums of squares that remain; INFINITY: no solution has a positive base and
 * no negative height. */
static const double *solve(struct fit *fit, size_t from)
{
    const size_t m = fit->columns;
    double *rest = fit->factor[m][m];
    for (size_t i = from; i <= m; i++)
        for (size_t j = 0; j <= i; j++) {
            double *l = memcpy(fit->factor[i][j], fit->normal[i][j], sizeof fit->factor[i][j]);
            for (size_t k = 0; k < j; k++)
                for (int shape = 0; shape < MISS_SHAPES; shape++)
                    l[shape] -= fit->factor[i][k][shape] * fit->factor[j][k][shape];
            for (int shape = 0; shape < MISS_SHAPES && j < i; shape++)
                l[shape] /= fit->factor[j][j][shape];
            for (int shape = 0; shape < MISS_SHAPES && j == i && i < m; shape++)
                l[shape] = l[shape] > 1e-10 * fit->normal[i][j][shape] ? sqrt(l[shape]) : NAN;
        }
    for (size_t i = m; i-- > 0;) {
        double *height = memcpy(fit->heights[i], fit->factor[m][i], sizeof fit->heights[i]);
        for (size_t k = i + 1; k < m; k++)
            for (int shape = 0; shape < MISS_SHAPES; shape++)
                height[shape] -= fit->factor[k][i][shape] * fit->heights[k][shape];
        for (int shape = 0; shape < MISS_SHAPES; shape++) {
            height[shape] /= fit->factor[i][i][shape];
            rest[shape] = height[shape] > 0 ? rest[shape] : INFINITY;
        }
    }
    return rest;
}

static double distance(const struct fit *fit, size_t i)
{
    double sum = 0;
    for (size_t c = 0; c < fit->columns; c++)
        sum += fit->heights[c][0] * fit->at[i].row[c];
    return (sum - 1) / fit->samples[i].deviation;
}

static void set_weights(struct fit *fit, bool robust)
{
    for (size_t i = 0; i < fit->n; i++) {
        double far = robust ? fabs(distance(fit, i)) / 2 : 0;
        double deviation = fit->samples[i].deviation;
        fit->at[i].weight = 1 / (deviation * deviation) / fmax(1, far);
    }
}

static double loss(const struct fit *fit)
{
    double sum = 0;
    for (size_t i = 0; i < fit->n; i++) {
        double far = fabs(distance(fit, i));
        sum += far < 2 ? far * far : 4 * far - 4;
    }
    return sum;
}

/* --- one knee --- */

static void search_knee(struct fit *fit, size_t knee, double least, double most, double step)
{
    struct search *search = &fit->search;
    double span = log2(most / least);
    const size_t steps = search->steps = (size_t)fmin(STEPS_MOST, ceil(span / step) + 1);
    search->best = INFINITY;
    for (size_t s = 0; s < steps; s++) {
        double at = steps > 1 ? (double)s / (double)(steps - 1) : 0.5;
        search->log_capacity[s] = log2(least) + span * at;
        try_knee(fit, search->log_capacity[s]);
        add_equations(fit, knee + 1);
        const double *rest = solve(fit, s ? knee + 1 : 0);
        for (int shape = 0; shape < MISS_SHAPES; shape++) {
            const double cost = search->cost[s][shape] = fmax(rest[shape], 0);
            if (cost < search->best) {
                search->best = cost;
                search->best_shape = shape;
                search->best_step = s;
            }
        }
    }
}

/* The variance that samples have about a fit of that cost: above 1 where no shape is exactly true.
 */
static double misfit_variance(const struct fit *fit, double cost)
{
    return fmax(1, cost / fmax(1, (double)fit->n - 2 * (double)fit->columns));
}

/* Computes the weight of each size from the likelihoods of all shapes. */
static void weigh(struct fit *fit, struct mixture_knee *knee)
{
    const struct search *search = &fit->search;
    /* The same where even the nearest shape is off: neighbouring samples are then off together, so
     * they count as fewer. */
    for (size_t i = 0; i < fit->n; i++)
        fit->off[i] = distance(fit, i);
    const double effective = effective_count(fit->off, fit->n, fit->off + fit->n);
    const double variance = misfit_variance(fit, search->best) * (double)fit->n / effective;
    double weights[STEPS_MOST] = {0}, total = 0, mean = 0, below = 0;
    for (size_t s = 0; s < search->steps; s++) {
        for (int shape = 0; shape < MISS_SHAPES; shape++)
            weights[s] += exp((search->best - search->cost[s][shape]) / (2 * variance));
        total += weights[s];
        mean += weights[s] * search->log_capacity[s];
    }
    /* A step of the search covers half a step on either side. */
    double half = search->steps > 1 ? (search->log_capacity[1] - search->log_capacity[0]) / 2 : 0;
    knee->capacity = exp2(mean / total);
    knee->low = NAN;
    for (size_t s = 0; s < search->steps; s++) {
        below += weights[s] / total;
        if (isnan(knee->low) && below > 0.025)
            knee->low = exp2(search->log_capacity[s] - half);
        if (below <= 0.975 || isnan(knee->low))
            knee->high = exp2(search->log_capacity[s] + 3 * half);
    }
    if (!(knee->high >= knee->low))
        knee->high = knee->low * exp2(2 * half);
}

static void take_best(struct fit *fit, size_t index, struct mixture_knee *knee)
{
    const struct search *search = &fit->search;
    if (search->best < INFINITY) {
        knee->shape = search->best_shape;
        knee->best = exp2(search->log_capacity[search->best_step]);
    }
    set_column(fit, index, knee->shape, log2(knee->best));
    add_column(fit, index + 1);
    if (search->best < INFINITY && *solve(fit, index + 1) < INFINITY)
        weigh(fit, knee);
}

static void settle_knee(struct fit *fit, size_t index, struct mixture_knee *knee,
                        enum effort effort)
{
    const double step = effort == ROUGH ? step_rough : step_coarse;
    search_knee(fit, index, knee->least, knee->most, step);
    take_best(fit, index, knee);
    if (effort == THOROUGH) {
        double least = fmax(knee->least, fmin(knee->low, knee->best) * exp2(-step));
        double most = fmin(knee->most, fmax(knee->high, knee->best) * exp2(step));
        search_knee(fit, index, least, most, step_fine);
        take_best(fit, index, knee);
    }
}

/* Fits all knees, each searched from its `least` to its `most`. Where no such mixture explains the
 * samples the cost is INFINITY. */
static void fit_all(struct fit *fit, struct mixture *mixture, enum effort effort)
{
    fit->columns = mixture->count + 1;
    for (size_t i = 0; i < fit->n; i++) {
        fit->at[i].row[0] = 1 / fit->samples[i].latency;
        fit->at[i].row[fit->columns] = 1;
        fit->at[i].octave = log2(fit->samples[i].bytes);
    }
    for (size_t k = 0; k < mixture->count; k++) {
        struct mixture_knee *knee = &mixture->knees[k];
        knee->capacity = knee->best = sqrt(knee->least * knee->most);
        knee->low = knee->least;
        knee->high = knee->most;
        knee->shape = MISS_SHAPES - 1;
        set_column(fit, k, knee->shape, log2(knee->best));
    }
    set_weights(fit, false);
    for (int sweep = 0; sweep < sweeps[effort]; sweep++) {
        for (size_t c = 0; c <= fit->columns; c++)
            add_column(fit, c);
        for (size_t k = 0; k < mixture->count; k++)
            settle_knee(fit, k, &mixture->knees[k], effort);
        const bool found = *solve(fit, 0) < INFINITY;
        mixture->base = found ? fit->heights[0][0] : NAN;
        mixture->cost = found ? loss(fit) : INFINITY;
        for (size_t k = 0; k < mixture->count; k++)
            mixture->knees[k].height = found ? fit->heights[k + 1][0] : 0;
        if (found)
            set_weights(fit, true);
    }
}

static double beyond(const struct mixture *mixture, const struct miss_shares *shares, size_t knee,
                     double bytes)
{
    const struct mixture_knee *k = &mixture->knees[knee];
    double of_shape[MISS_SHAPES];
    if (knee >= mixture->count)
        return 0;
    miss_shares_at(shares, log2(bytes / k->best), of_shape);
    return of_shape[k->shape];
}

double mixture_at(const struct mixture *mixture, const struct miss_shares *shares, double bytes)
{
    double sum = mixture->base;
    for (size_t k = 0; k < mixture->count; k++)
        sum += mixture->knees[k].height * beyond(mixture, shares, k, bytes);
    return sum;
}

double mixture_level(const struct mixture *mixture, size_t level)
{
    double sum = mixture->base;
    for (size_t k = 0; k < level; k++)
        sum += mixture->knees[k].height;
    return sum;
}

double mixture_share(const struct mixture *mixture, const struct miss_shares *shares, size_t level,
                     double bytes)
{
    return fmax(0, (level ? beyond(mixture, shares, level - 1, bytes) : 1) -
                       beyond(mixture, shares, level, bytes));
}

/* --- how many knees --- */

/* Whether all levels differ in latency, have capacities apart, and serve most of the loads at some
 * measured size. */
static bool sound(struct fit *fit, const struct mixture *mixture)
{
    if (!isfinite(mixture->cost))
        return false;
    for (size_t k = 0; k <= mixture->count; k++) {
        double most = 0;
        for (size_t i = 0; i < fit->n; i++)
            most = fmax(most, mixture_share(mixture, fit->shares, k, fit->samples[i].bytes));
        bool distinct =
            k == 0 || mixture_level(mixture, k) > plateau_step * mixture_level(mixture, k - 1);
        bool far =
            k + 1 >= mixture->count || mixture->knees[k + 1].best >= apart * mixture->knees[k].best;
        if (most < 0.5 || !distinct || !far)
            return false;
    }
    return true;
}

/* Removes the least needed level; false: all are needed. */
static bool take_away(struct fit *fit, struct mixture *mixture)
{
    struct mixture best = {.cost = INFINITY};
    for (size_t k = 0; k + 1 < mixture->count; k++) {
        /* One knee in place of this one and the next. */
        struct mixture fewer = *mixture;
        fewer.knees[k].most = mixture->knees[k + 1].most;
        for (size_t next = k + 1; next + 1 < mixture->count; next++)
            fewer.knees[next] = mixture->knees[next + 1];
        fewer.count--;
        fit_all(fit, &fewer, ROUGH);
        if (fewer.cost < best.cost || !isfinite(best.cost))
            best = fewer;
    }
    const bool needless = mixture->count > 1 &&
                          (!isfinite(mixture->cost) || best.cost < needless_below * mixture->cost);
    if (needless)
        *mixture = best;
    return needless;
}

/* The best fit with two knees in place of knee k, on both sides of a size; of infinite cost: none
 * is better than that of one knee. */
static struct mixture split(struct fit *fit, const struct mixture *mixture, size_t k, bool proven)
{
    const double least = mixture->knees[k].least, most = mixture->knees[k].most;
    struct mixture best = {.cost = INFINITY};
    for (int cut = 1; cut <= 3 && mixture->count < KNEES_MOST; cut++) {
        struct mixture more = *mixture;
        for (size_t later = mixture->count; later > k; later--)
            more.knees[later] = mixture->knees[later - 1];
        more.knees[k].most = more.knees[k + 1].least = least * pow(most / least, cut / 4.0);
        more.count++;
        fit_all(fit, &more, ROUGH);
        if (more.cost < fmin(best.cost, mixture->cost) && (!proven || sound(fit, &more)))
            best = more;
    }
    return best;
}

/* Splits the knee that gains most by it; false: none gains enough. */
static bool part(struct fit *fit, struct mixture *mixture)
{
    struct mixture best = *mixture;
    for (size_t k = 0; k < mixture->count && mixture->cost >= unfit_above * (double)fit->n; k++) {
        const struct mixture more = split(fit, mixture, k, true);
        if (more.cost < best.cost)
            best = more;
    }
    const bool gained = best.cost < parted_below * mixture->cost;
    if (gained)
        *mixture = best;
    return gained;
}

/* If another level is likely on a rise, but not proven, the level before it may end earlier: its
 * interval holds both ends. A level is likely if the fit with it has the lower criterion of Akaike,
 * "A new look at the statistical model identification", IEEE Trans. Automatic Control 19(6), 1974.
 */
static void doubt_knees(struct fit *fit, struct mixture *mixture)
{
    const double variance = misfit_variance(fit, mixture->cost);
    for (size_t k = 0; k < mixture->count; k++) {
        const struct mixture more = split(fit, mixture, k, false);
        if (more.cost + 2 * KNEE_UNKNOWNS * variance < mixture->cost) {
            mixture->knees[k].low = fmin(mixture->knees[k].low, more.knees[k].low);
            mixture->knees[k].high = fmax(mixture->knees[k].high, more.knees[k].high);
        }
    }
}

void mixture_choose(struct mixture *mixture, struct pool *pool, const struct miss_shares *shares,
                    const struct mixture_sample *samples, size_t n)
{
    struct fit *fit = pool_alloc(pool, 1, sizeof *fit);
    *fit = (struct fit){.shares = shares, .samples = samples, .n = n};
    fit->at = pool_alloc(pool, n, sizeof *fit->at);
    fit->off = pool_alloc(pool, 2 * n, sizeof *fit->off);
    fit_all(fit, mixture, ROUGH);
    while (take_away(fit, mixture))
        ;
    const struct mixture seen = *mixture;
    while (part(fit, mixture))
        ;
    fit_all(fit, mixture, THOROUGH);
    /* A level that only the rough fit needed is dropped. */
    if (mixture->count > seen.count && !sound(fit, mixture)) {
        *mixture = seen;
        fit_all(fit, mixture, THOROUGH);
    }
    doubt_knees(fit, mixture);
}
