#include "conclude/levels/curve/mixture.h"

#include "base/error.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = KNEES_MOST + 1, STEPS_MOST = 160 };
static const int sweeps[] = {[MIXTURE_ROUGH] = 2, [MIXTURE_THOROUGH] = 4};
static const double step_rough = 1.0 / 12, step_coarse = 1.0 / 32,
                    step_fine = 1.0 / 128; /* octaves */

struct fit {
    const struct miss_shares *shares;
    const struct mixture_sample *samples;
    size_t n, columns;
    double *column[COLUMNS]; /* over the samples' latency, so that residuals are relative */
    double *weight, *octave; /* log2 of the samples' bytes */
    double heights[COLUMNS];
    double normal[COLUMNS][COLUMNS], right[COLUMNS]; /* of the normal equations */
};

static void set_column(struct fit *fit, size_t knee, int shape, double log_capacity)
{
    for (size_t i = 0; i < fit->n; i++)
        fit->column[knee + 1][i] =
            miss_share(fit->shares, shape, fit->octave[i] - log_capacity) * fit->column[0][i];
}

static void add_equations(struct fit *fit, size_t c)
{
    double right = 0, products[COLUMNS] = {0};
    for (size_t i = 0; i < fit->n; i++) {
        double weighted = fit->weight[i] * fit->column[c][i];
        right += weighted;
        for (size_t d = 0; d < fit->columns; d++)
            products[d] += weighted * fit->column[d][i];
    }
    fit->right[c] = right;
    for (size_t d = 0; d < fit->columns; d++)
        fit->normal[c][d] = fit->normal[d][c] = products[d];
}

/* Solves for base and heights by Cholesky's method; the weighted sum of squares that remains, or
 * INFINITY where the equations have no solution with a positive base and no negative height. */
static double solve(struct fit *fit)
{
    double l[COLUMNS][COLUMNS], z[COLUMNS], rest = 0;
    const size_t m = fit->columns;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = fit->normal[i][j];
            for (size_t k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            if (i == j && !(sum > 1e-10 * fit->normal[i][i]))
                return INFINITY;
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
        double sum = fit->right[i];
        for (size_t k = 0; k < i; k++)
            sum -= l[i][k] * z[k];
        z[i] = sum / l[i][i];
    }
    for (size_t i = m; i-- > 0;) {
        double sum = z[i];
        for (size_t k = i + 1; k < m; k++)
            sum -= l[k][i] * fit->heights[k];
        fit->heights[i] = sum / l[i][i];
        if (!(fit->heights[i] > 0))
            return INFINITY;
    }
    for (size_t i = 0; i < fit->n; i++)
        rest += fit->weight[i];
    for (size_t i = 0; i < m; i++)
        rest -= z[i] * z[i];
    return fmax(rest, 0);
}

static double distance(const struct fit *fit, size_t i)
{
    double sum = 0;
    for (size_t c = 0; c < fit->columns; c++)
        sum += fit->heights[c] * fit->column[c][i];
    return (sum - 1) / fit->samples[i].deviation;
}

static void set_weights(struct fit *fit, bool robust)
{
    for (size_t i = 0; i < fit->n; i++) {
        double far = robust ? fabs(distance(fit, i)) / 2 : 0;
        double deviation = fit->samples[i].deviation;
        fit->weight[i] = 1 / (deviation * deviation) / fmax(1, far);
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

struct search {
    double cost[STEPS_MOST][MISS_SHAPES];
    double log_capacity[STEPS_MOST];
    size_t steps;
    double best;
    int best_shape;
    size_t best_step;
};

static void search_knee(struct fit *fit, size_t knee, double least, double most, double step,
                        struct search *search)
{
    double span = log2(most / least);
    size_t steps = (size_t)fmin(STEPS_MOST, ceil(span / step) + 1);
    search->steps = steps;
    search->best = INFINITY;
    for (size_t s = 0; s < steps; s++) {
        double at = steps > 1 ? (double)s / (double)(steps - 1) : 0.5;
        search->log_capacity[s] = log2(least) + span * at;
        for (int shape = 0; shape < MISS_SHAPES; shape++) {
            set_column(fit, knee, shape, search->log_capacity[s]);
            add_equations(fit, knee + 1);
            double cost = search->cost[s][shape] = solve(fit);
            if (cost < search->best) {
                search->best = cost;
                search->best_shape = shape;
                search->best_step = s;
            }
        }
    }
}

/* Computes the weight of each size from the likelihoods of all shapes, with the residuals' variance
 * as the noise, because no shape is exactly true. */
static void weigh(const struct search *search, const struct fit *fit, struct mixture_knee *knee)
{
    double freedom = fmax(1, (double)fit->n - 2 * (double)fit->columns);
    double variance = fmax(1, search->best / freedom);
    double weights[STEPS_MOST], total = 0, mean = 0;
    for (size_t s = 0; s < search->steps; s++) {
        weights[s] = 0;
        for (int shape = 0; shape < MISS_SHAPES; shape++)
            weights[s] += exp((search->best - search->cost[s][shape]) / (2 * variance));
        total += weights[s];
        mean += weights[s] * search->log_capacity[s];
    }
    double below = 0;
    /* A step of the search stands for half a step on either side. */
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

static void take_best(const struct fit *fit, const struct search *search, struct mixture_knee *knee)
{
    if (!(search->best < INFINITY))
        return;
    knee->shape = search->best_shape;
    knee->best = exp2(search->log_capacity[search->best_step]);
    weigh(search, fit, knee);
}

static void settle_knee(struct fit *fit, size_t index, struct mixture_knee *knee,
                        enum mixture_effort effort, struct search *search)
{
    const double step = effort == MIXTURE_ROUGH ? step_rough : step_coarse;
    search_knee(fit, index, knee->least, knee->most, step, search);
    take_best(fit, search, knee);
    if (effort == MIXTURE_THOROUGH) {
        double least = fmax(knee->least, fmin(knee->low, knee->best) * exp2(-step));
        double most = fmin(knee->most, fmax(knee->high, knee->best) * exp2(step));
        search_knee(fit, index, least, most, step_fine, search);
        take_best(fit, search, knee);
    }
    set_column(fit, index, knee->shape, log2(knee->best));
    add_equations(fit, index + 1);
}

static void settle_all(struct fit *fit, struct mixture *mixture, enum mixture_effort effort,
                       struct search *search)
{
    for (size_t i = 0; i < fit->n; i++) {
        fit->column[0][i] = 1 / fit->samples[i].latency;
        fit->octave[i] = log2(fit->samples[i].bytes);
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
        for (size_t c = 0; c < fit->columns; c++)
            add_equations(fit, c);
        for (size_t k = 0; k < mixture->count; k++)
            settle_knee(fit, k, &mixture->knees[k], effort, search);
        bool solved = solve(fit) < INFINITY;
        mixture->base = solved ? fit->heights[0] : NAN;
        mixture->cost = solved ? loss(fit) : INFINITY;
        for (size_t k = 0; k < mixture->count; k++)
            mixture->knees[k].height = solved ? fit->heights[k + 1] : 0;
        if (solved)
            set_weights(fit, true);
    }
}

int mixture_fit(struct mixture *mixture, const struct miss_shares *shares,
                const struct mixture_sample *samples, size_t n, enum mixture_effort effort)
{
    struct fit fit = {.shares = shares, .samples = samples, .n = n, .columns = mixture->count + 1};
    double *room = malloc((COLUMNS + 2) * (n ? n : 1) * sizeof *room);
    struct search *search = malloc(sizeof *search);
    bool memory = room && search;
    if (memory) {
        fit.weight = room;
        fit.octave = room + n;
        for (size_t c = 0; c < COLUMNS; c++)
            fit.column[c] = room + (c + 2) * n;
        settle_all(&fit, mixture, effort, search);
    }
    free(room);
    free(search);
    return memory ? 0 : ERROR_SYSTEM;
}

double mixture_at(const struct mixture *mixture, const struct miss_shares *shares, double bytes)
{
    double sum = mixture->base;
    for (size_t k = 0; k < mixture->count; k++)
        sum += mixture->knees[k].height *
               miss_share(shares, mixture->knees[k].shape, log2(bytes / mixture->knees[k].best));
    return sum;
}

double mixture_level(const struct mixture *mixture, size_t level)
{
    double sum = mixture->base;
    for (size_t k = 0; k < level; k++)
        sum += mixture->knees[k].height;
    return sum;
}

static double beyond(const struct mixture *mixture, const struct miss_shares *shares, size_t knee,
                     double bytes)
{
    const struct mixture_knee *k = &mixture->knees[knee];
    return knee < mixture->count ? miss_share(shares, k->shape, log2(bytes / k->best)) : 0;
}

double mixture_share(const struct mixture *mixture, const struct miss_shares *shares, size_t level,
                     double bytes)
{
    double missing = level ? beyond(mixture, shares, level - 1, bytes) : 1;
    return fmax(0, missing - beyond(mixture, shares, level, bytes));
}
