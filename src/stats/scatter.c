#include "stats/scatter.h"

#include <math.h>

struct squares {
    double unit, time, rest; /* sums of squares over all blocks */
    double units_in_blocks;  /* units in blocks of two units or more */
    size_t freedom;          /* degrees of freedom, the same for unit and rest */
    size_t blocks;
};

static void add_block(struct squares *sums, const float *first, const float *second, size_t m)
{
    double first_mean = 0, second_mean = 0;
    for (size_t i = 0; i < m; i++) {
        first_mean += (double)first[i] / (double)m;
        second_mean += (double)second[i] / (double)m;
    }
    /* With two times, a unit's mean and difference hold all there is to know. */
    double mean = (first_mean + second_mean) / 2, difference = second_mean - first_mean;
    for (size_t i = 0; i < m; i++) {
        double unit = ((double)first[i] + (double)second[i]) / 2 - mean;
        double rest = (double)second[i] - (double)first[i] - difference;
        sums->unit += 2 * unit * unit;
        sums->rest += rest * rest / 2;
    }
    sums->time += (double)m * difference * difference / 2;
    sums->units_in_blocks += (double)m;
    sums->freedom += m - 1;
    sums->blocks++;
}

static double root_of(double variance)
{
    return variance > 0 ? sqrt(variance) : 0;
}

bool scatter_split(const float *values, size_t units, size_t per_visit, struct scatter_parts *parts)
{
    struct squares sums = {0};
    double total = 0;
    for (size_t i = 0; i < 2 * units; i++)
        total += (double)values[i];
    /* A block ends where either of its visits does. */
    for (size_t begin = 0, end; begin < units; begin = end) {
        for (end = begin + 1; end < units && end % per_visit && (end + units) % per_visit; end++)
            ;
        if (end - begin > 1)
            add_block(&sums, values + begin, values + units + begin, end - begin);
    }
    if (!sums.freedom)
        return false;
    double unit = sums.unit / (double)sums.freedom, rest = sums.rest / (double)sums.freedom;
    double time = sums.time / (double)sums.blocks;
    double m = sums.units_in_blocks / (double)sums.blocks;
    *parts = (struct scatter_parts){total / (2 * (double)units), root_of((unit - rest) / 2),
                                    root_of((time - rest) / m), root_of(rest)};
    return true;
}
