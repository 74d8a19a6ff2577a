#include "conclude/levels/steps.h"

#include "base/pool.h"
#include "base/random.h"

#include <math.h>
#include <stdbool.h>

enum policy { LRU, RANDOM, RESISTING, POLICIES };
enum { WAYS_MAX = 16, LINES_TRIED = 6, LINES_MAX = LINES_TRIED * WAYS_MAX };
/* Ratios are tabulated from 2^-12 to 2^5, 64 an octave: far below the capacity a few sets are
 * overfull by chance and miss, and with a DRAM of 400 cycles a share of 0.7 % costs half as much as
 * an L1 hit. */
enum { OCTAVES_BELOW = 12, OCTAVES = 17, PER_OCTAVE = 64, RATIOS = OCTAVES * PER_OCTAVE + 1 };

/* Shapes with the same number of ways are neighbours, so that their sets are simulated once. */
static const struct {
    int ways;
    bool scattered;
} fillings[] = {{2, true}, {4, false}, {4, true}, {8, false}, {8, true}, {16, false}, {16, true}};
enum { FILLINGS = sizeof fillings / sizeof *fillings, DRAWN = POLICIES * FILLINGS };
_Static_assert(MISS_SHAPES == DRAWN + 1, "every policy with every filling, and lines drawn anew");

struct miss_shares {
    float share[RATIOS][MISS_SHAPES];
};

static double ratio_of(int i)
{
    return exp2((double)i / (double)PER_OCTAVE - (double)OCTAVES_BELOW);
}

/* --- misses in one set --- */

/* The share of misses when `lines` lines are visited in a cycle, after the set has settled, with
 * random replacement. */
static double simulate_random(int ways, int lines)
{
    enum { SETTLE = 40, LAPS = 160 };
    struct random random = {(uint64_t)(lines * WAYS_MAX + ways)};
    int held[WAYS_MAX], misses = 0;
    bool in[LINES_MAX + 1] = {false}; /* the last: of no line */
    for (int way = 0; way < ways; way++)
        held[way] = LINES_MAX;
    for (int lap = 0; lap < SETTLE + LAPS; lap++)
        for (int line = 0; line < lines; line++) {
            if (in[line])
                continue;
            int *victim = &held[random_below(&random, (uint64_t)ways)];
            in[*victim] = false;
            *victim = line;
            in[line] = true;
            misses += lap >= SETTLE;
        }
    return (double)misses / (LAPS * lines);
}

static double at(int policy, const double *of_lines, int ways, long lines)
{
    if (lines <= LINES_TRIED * ways)
        return of_lines[lines];
    return policy == RESISTING ? (double)(lines - ways + 1) / (double)lines
                               : of_lines[LINES_TRIED * ways];
}

/* A line shares its set with a Poisson-distributed number of other lines. Each number's probability
 * is computed from the one before; only their ratios matter. */
static void scattered_shares(double (*of_lines)[LINES_MAX + 1], int ways, double mean,
                             double share[POLICIES])
{
    const double spread = 6 * sqrt(mean) + 6;
    double missing[POLICIES] = {0}, mass = 0, chance = 1;
    for (long others = mean > spread ? (long)(mean - spread) : 0; (double)others < mean + spread;
         others++) {
        for (int policy = 0; policy < POLICIES; policy++)
            missing[policy] += chance * at(policy, of_lines[policy], ways, others + 1);
        mass += chance;
        chance *= mean / (double)(others + 1);
    }
    for (int policy = 0; policy < POLICIES; policy++)
        share[policy] = missing[policy] / mass;
}

double miss_share_drawn(double ratio)
{
    return ratio > 1 ? 1 - 1 / ratio : 0;
}

static void tabulate(struct miss_shares *shares, int filling, double (*of_lines)[LINES_MAX + 1])
{
    double share[POLICIES], before[POLICIES] = {0};
    const int ways = fillings[filling].ways;
    for (int i = 0; i < RATIOS; i++) {
        const double mean = ways * ratio_of(i), fewer = floor(mean), part = mean - fewer;
        const long lines = (long)fewer;
        if (fillings[filling].scattered)
            scattered_shares(of_lines, ways, mean, share);
        for (int policy = 0; policy < POLICIES; policy++) {
            if (!fillings[filling].scattered)
                share[policy] =
                    ((1 - part) * fewer * at(policy, of_lines[policy], ways, lines) +
                     part * (fewer + 1) * at(policy, of_lines[policy], ways, lines + 1)) /
                    mean;
            before[policy] = fmin(1, fmax(share[policy], before[policy]));
            shares->share[i][policy * FILLINGS + filling] = (float)before[policy];
        }
    }
}

struct miss_shares *miss_shares_make(struct pool *pool)
{
    struct miss_shares *shares = pool_alloc(pool, 1, sizeof *shares);
    double of_lines[POLICIES][LINES_MAX + 1];
    for (int i = 0; i < RATIOS; i++)
        shares->share[i][DRAWN] = (float)miss_share_drawn(ratio_of(i));
    for (int filling = 0; filling < FILLINGS; filling++) {
        const int ways = fillings[filling].ways;
        const bool anew = filling == 0 || ways != fillings[filling - 1].ways;
        for (int policy = 0; policy < POLICIES && anew; policy++)
            for (int lines = 0; lines <= LINES_TRIED * ways; lines++)
                of_lines[policy][lines] = lines <= ways      ? 0
                                          : policy == LRU    ? 1
                                          : policy == RANDOM ? simulate_random(ways, lines)
                                                             : (double)(lines - ways + 1) / lines;
        tabulate(shares, filling, of_lines);
    }
    return shares;
}

void miss_shares_at(const struct miss_shares *shares, double above, double of_shape[MISS_SHAPES])
{
    const double place =
        fmin(fmax((above + (double)OCTAVES_BELOW) * (double)PER_OCTAVE, 0), RATIOS - 1);
    const int i = (int)fmin(place, RATIOS - 2);
    const float *low = shares->share[i], *high = shares->share[i + 1];
    for (int shape = 0; shape < MISS_SHAPES; shape++)
        of_shape[shape] =
            (double)low[shape] + ((double)high[shape] - (double)low[shape]) * (place - i);
}
