#include "conclude/refresh.h"

#include <math.h>
#include <string.h>

const double refresh_least_ns = 0.9e3, refresh_most_ns = 16e3, refresh_longest_ns = 1e3;
/* Longer periods are searched up to this one, because a period in the range may be a part of a
 * longer one and is then no refresh. Rarer pulses are recognised because fewer than one in this
 * time meet a period. */
static const double looked_ns = 160e3;
const double refresh_chance = 1e-3;

enum {
    HALVES = 2,
    TRIALS_LEAST = 2 * HALVES,
    EVENTS_LEAST = 32, /* slow loads that a trial needs */
    NEIGHBOURS = 256,  /* frequencies on each side that show what the powers are without a period */
};
static const double slow_share = 0.1;
/* The part of a trial that is searched first, because the work grows with the square of the time;
 * then the whole trial is searched around the period that was found. */
static const double searched_ns = 1e6;
/* Frequencies that are tried for each width of a line: halfway between two of them a line loses a
 * fifth of its power. */
static const double a_line = 2;
/* Half of the range of phases at which a period's slow loads end. */
static const double window = 0.1;
struct refresh_trial refresh_take(const struct refresh_load *loads, size_t count, struct pool *pool)
{
    struct refresh_trial trial = {.usual_ns = NAN};
    double *sorted = pool_alloc(pool, count + 1, sizeof *sorted);
    if (count) {
        for (size_t i = 0; i < count; i++) {
            const double step = i ? loads[i].at_ns - loads[i - 1].at_ns : 0;
            trial.watched_ns += step < refresh_most_ns ? step : 0;
            sorted[i] = loads[i].ns;
        }
        sort_ascending(sorted, count);
        trial.usual_ns = quantile(sorted, count, 0.5);
        trial.from_ns = loads[0].at_ns;
        trial.to_ns = loads[count - 1].at_ns;
        const double over = quantile(sorted, count, 1 - slow_share);
        trial.slow = pool_alloc(pool, (size_t)(slow_share * (double)count) + 2, sizeof *trial.slow);
        for (size_t i = 0; i < count; i++)
            if (loads[i].ns > over && loads[i].ns < trial.usual_ns + refresh_longest_ns)
                trial.slow[trial.count++] = loads[i];
    }
    pool_give_back(pool, sorted);
    return trial;
}

bool refresh_tells(const struct refresh_trial *trial)
{
    return trial->count >= EVENTS_LEAST && trial->to_ns - trial->from_ns >= 4 * refresh_most_ns;
}

/* --- powers --- */

/* Adds Rayleigh's power of the trial's slow loads before `to_ns` to power[i], at the frequency
 * first + i * step for each i below `n`: 1 on average where nothing repeats, distributed
 * exponentially. `turns` has room for four doubles a load. The angles grow by the same step from
 * frequency to frequency, so two multiplications turn them. */
static void add_powers(const struct refresh_trial *trial, double to_ns, double first, double step,
                       double *power, size_t n, double *turns)
{
    size_t count = 0;
    while (count < trial->count && trial->slow[count].at_ns < to_ns) {
        const double t = 2 * M_PI * (trial->slow[count].at_ns - trial->from_ns);
        double *turn = &turns[4 * count++];
        turn[0] = cos(t * first);
        turn[1] = sin(t * first);
        turn[2] = cos(t * step);
        turn[3] = sin(t * step);
    }
    for (size_t i = 0; i < n && count; i++) {
        double x = 0, y = 0;
        for (double *turn = turns; turn < turns + 4 * count; turn += 4) {
            const double here = turn[0];
            x += here;
            y += turn[1];
            turn[0] = here * turn[2] - turn[1] * turn[3];
            turn[1] = here * turn[3] + turn[1] * turn[2];
        }
        power[i] += (x * x + y * y) / (double)count;
    }
}

static size_t strongest(const double *power, size_t from, size_t n)
{
    size_t best = from;
    for (size_t i = from; i < n; i++)
        best = power[i] > power[best] ? i : best;
    return best;
}

struct search {
    const struct refresh_trial *trials;
    size_t count, n; /* of trials; of frequencies */
    double first, step, *power, *sorted, *turns;
};

/* Whether the power there is larger than chance explains: without a period, the greatest of so many
 * powers is as large in refresh_chance of all cases. Slow loads of one burst are not independent,
 * so their powers have a larger mean, which the neighbours show. */
static bool stands_out(const struct search *search, size_t at, double trials, double of)
{
    const size_t from = at > NEIGHBOURS ? at - NEIGHBOURS : 0,
                 to = at + NEIGHBOURS < search->n ? at + NEIGHBOURS : search->n;
    memcpy(search->sorted, search->power + from, (to - from) * sizeof *search->sorted);
    /* The sum of k powers is above s with a probability of at most exp(k - s) (s / k)^k (Chernoff's
     * bound of the gamma distribution), and its median is about k - 1/3. */
    const double usual = fmax(1, median_of(search->sorted, to - from) / (trials - 1.0 / 3)),
                 sum = search->power[at] / usual;
    return sum > trials && trials - sum + trials * log(sum / trials) <= log(refresh_chance / of);
}

/* The frequency that the trials half, half + 2 and so on show, which may be below the range; NAN:
 * none. */
static double frequency_of(const struct search *search, size_t half)
{
    double *power = search->power;
    const size_t from = (size_t)((1 / refresh_most_ns - search->first) / search->step) + 1;
    size_t k = 0;
    memset(power, 0, search->n * sizeof *power);
    for (size_t i = half; i < search->count; i += HALVES, k++)
        add_powers(&search->trials[i], search->trials[i].from_ns + searched_ns, search->first,
                   search->step, power, search->n, search->turns);
    const size_t best = strongest(power, from, search->n);
    const double trials = (double)k, parts = floor(looked_ns / refresh_least_ns);
    if (!stands_out(search, best, trials, (double)search->n))
        return NAN;
    /* Short pulses also show multiples of their frequency, nearly as strong: the lowest is the
     * pulses' own. */
    for (double part = parts; part > 1; part--) {
        const double at =
            ((search->first + (double)best * search->step) / part - search->first) / search->step;
        for (double i = fmax(0, floor(at)); at >= 0 && i <= at + 1; i++)
            if (power[(size_t)i] > trials + (power[best] - trials) / 2 &&
                stands_out(search, (size_t)i, trials, parts))
                return search->first + i * search->step;
    }
    return search->first + (double)best * search->step;
}

/* --- one trial --- */

/* The period near to that frequency by the whole trial. */
static double period_in(const struct search *search, const struct refresh_trial *trial,
                        double frequency)
{
    const double width = 1 / searched_ns, step = 1 / (4 * (trial->to_ns - trial->from_ns));
    const size_t n = (size_t)fmin(2 * width / step + 1, (double)search->n);
    memset(search->power, 0, n * sizeof *search->power);
    add_powers(trial, INFINITY, frequency - width, step, search->power, n, search->turns);
    return 1 / (frequency - width + (double)strongest(search->power, 0, n) * step);
}

struct fold {
    double met, opposite, periods; /* periods with a slow load at the phase, and opposite to it */
    double cost_ns;                /* the wait of a load that comes as the refresh begins */
};

/* The value that the share `above` of the waits at the phase exceeds, after as many are subtracted
 * as there are opposite to it, which chance explains. Both lists ascend. */
static double excess(const double *at, size_t n, const double *opposite, size_t m, double above)
{
    const double wanted = above * ((double)n - (double)m);
    for (size_t i = n, k = m; i > 0; i--) {
        while (k > 0 && opposite[k - 1] > at[i - 1])
            k--;
        if ((double)(n - i + 1) - (double)(m - k) >= wanted)
            return at[i - 1];
    }
    return NAN;
}

static struct fold fold(const struct search *search, const struct refresh_trial *trial,
                        double period)
{
    struct fold found = {.periods = trial->watched_ns / period, .cost_ns = NAN};
    double x = 0, y = 0, last[2] = {-1, -1},
           *values[2] = {search->turns, search->turns + trial->count};
    size_t n[2] = {0, 0};
    for (size_t i = 0; i < trial->count; i++) {
        const double t = 2 * M_PI * (trial->slow[i].at_ns - trial->from_ns) / period;
        x += cos(t);
        y += sin(t);
    }
    const double phase = atan2(y, x) / (2 * M_PI);
    for (size_t i = 0; i < trial->count; i++) {
        const double at = (trial->slow[i].at_ns - trial->from_ns) / period - phase,
                     off = at - round(at);
        const bool there = fabs(off) <= window, opposite = fabs(off) >= 0.5 - window;
        if (!there && !opposite)
            continue;
        const double which = there ? round(at) : floor(at);
        values[opposite][n[opposite]++] = trial->slow[i].ns - trial->usual_ns;
        *(opposite ? &found.opposite : &found.met) += which > last[opposite];
        last[opposite] = fmax(last[opposite], which);
    }
    sort_ascending(values[0], n[0]);
    sort_ascending(values[1], n[1]);
    if (n[0] <= n[1])
        return found;
    /* A load comes at any moment of the refresh and waits for the rest of it, so the waits are
     * spread evenly up to the whole of it. The whole therefore lies half as far above the first
     * quantile as that above the second. */
    const double upper = excess(values[0], n[0], values[1], n[1], 0.1),
                 lower = excess(values[0], n[0], values[1], n[1], 0.3);
    found.cost_ns = upper + (upper - lower) / 2;
    return found;
}

/* --- all of it --- */

struct refresh refresh_find(const struct refresh_trial *trials, size_t count, struct pool *pool)
{
    const struct summary nothing = summary_of_nothing();
    struct refresh found = {REFRESH_TOO_FEW, nothing, nothing};
    struct search search = {.trials = trials, .count = count, .first = 1 / looked_ns};
    size_t most = 0, n = 0; /* trials whose waits are known */
    for (size_t i = 0; i < count; i++) {
        if (!refresh_tells(&trials[i]))
            return found;
        most = trials[i].count > most ? trials[i].count : most;
    }
    if (count < TRIALS_LEAST)
        return found;
    search.step = 1 / (a_line * searched_ns);
    search.n = (size_t)((1 / refresh_least_ns - search.first) / search.step);
    search.power = pool_alloc(pool, search.n, sizeof *search.power);
    search.sorted = pool_alloc(pool, 2 * NEIGHBOURS, sizeof *search.sorted);
    search.turns = pool_alloc(pool, 4 * most, sizeof *search.turns);
    double *values = pool_alloc(pool, 2 * count, sizeof *values), met = 0, periods = 0;
    const double one = frequency_of(&search, 0), other = frequency_of(&search, 1);
    /* Where pulses are short a half may show a multiple of the frequency that the other shows. */
    const double least = fmin(one, other), off = remainder(fmax(one, other), least);
    found.answer = isnan(one) && isnan(other)                             ? REFRESH_NONE
                   : isfinite(one + other) && fabs(off) < 1 / searched_ns ? REFRESH_FOUND
                                                                          : REFRESH_APART;
    for (size_t i = 0; i < count && found.answer == REFRESH_FOUND; i++) {
        const double period = period_in(&search, &trials[i], least);
        const struct fold here = fold(&search, &trials[i], period);
        met += here.met - here.opposite;
        periods += here.periods;
        values[i] = period;
        values[count + n] = here.cost_ns;
        n += isnan(here.cost_ns) ? 0 : 1;
    }
    if (found.answer == REFRESH_FOUND &&
        (met * least * looked_ns < periods || least < 1 / refresh_most_ns))
        found.answer = REFRESH_RARE;
    if (found.answer == REFRESH_FOUND) {
        summarize(values, count, values, &found.period_ns);
        if (n)
            summarize(values + count, n, values + count, &found.cost_ns);
    }
    pool_give_back(pool, search.power);
    pool_give_back(pool, search.sorted);
    pool_give_back(pool, search.turns);
    pool_give_back(pool, values);
    return found;
}
