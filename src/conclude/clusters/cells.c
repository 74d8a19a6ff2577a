#include "base/sort.h"
#include "conclude/clusters/parts.h"
#include "stats/order.h"
#include "stats/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The noise of whole numbers is at least that of rounding; of other numbers, at least 0.3 %. */
static const double rounding_deviation = 0.29, least_noise = 0.003;
/* The usual noise, for matrices with too few columns to tell noise from structure. */
static const double usual_noise = 0.03;
enum { COLUMNS_ENOUGH = 6, ROWS_FEW = 24, ROWS_VERY_FEW = 12, COLUMNS_LOOKED_AT = 32 };
/* Of a missing cell's third rows, as many are looked at; there may be more. */
enum { THIRDS_LOOKED_AT = 256 };

static bool is_latency(double value)
{
    return isfinite(value) && value > 0;
}

static double both_directions(const double *latency, size_t n, size_t a, size_t b)
{
    double there = latency[a * n + b], back = latency[b * n + a];
    if (is_latency(there) && is_latency(back))
        return (there + back) / 2;
    return is_latency(there) ? there : is_latency(back) ? back : NAN;
}

/* A known latency of a row, and the row to which it leads. */
struct way {
    float latency; /* the first member: by_float() */
    size_t to;
};

/* Estimates the missing latency of row b and the row that has these ways, by way of a third row:
 * the larger of both rows' latencies to it, minimised over all third rows (the completion of an
 * ultrametric, De Soete 1984). Without a third row it is `best`, the matrix's largest latency. The
 * ways ascend, so the search ends at one that is as long as the best found. Of those beyond the
 * nearest only some are looked at, so that time grows with the cells. */
static float guess(const struct cells *cells, const struct way *ways, size_t count, size_t b,
                   float best)
{
    const size_t step = cells->m / THIRDS_LOOKED_AT + 1;
    for (size_t i = 0; i < count && ways[i].latency < best; i += i < THIRDS_LOOKED_AT ? 1 : step) {
        const float other = cells->known[b * cells->m + ways[i].to];
        if (!isnan(other))
            best = fminf(best, fmaxf(ways[i].latency, other));
    }
    return best;
}

static void fill(struct cells *cells, struct pool *pool)
{
    size_t m = cells->m;
    struct way *ways = pool_alloc(pool, m + 1, sizeof *ways);
    float farthest = 0;
    for (size_t i = 0; i < m * m; i++)
        farthest = fmaxf(farthest, cells->known[i]);
    for (size_t a = 0; a < m; a++) {
        size_t count = 0;
        for (size_t k = 0; k < m; k++)
            if (!isnan(cells->known[a * m + k]))
                ways[count++] = (struct way){cells->known[a * m + k], k};
        qsort(ways, count, sizeof *ways, by_float);
        for (size_t b = 0; b < a; b++) {
            float value = cells->known[a * m + b];
            if (isnan(value))
                value = guess(cells, ways, count, b, farthest);
            cells->filled[a * m + b] = cells->filled[b * m + a] = logf(value);
        }
    }
}

double cells_distance(const struct cells *cells, size_t a, size_t b, size_t first, size_t step)
{
    const float *x = cells->filled + a * cells->m, *y = cells->filled + b * cells->m;
    double sum = 0, most = 0;
    size_t count = 0;
    for (size_t k = first; k < cells->m; k += step)
        if (k != a && k != b) {
            const double square = pow((double)(x[k] - y[k]), 2);
            sum += square;
            most = square > most ? square : most;
            count++;
        }
    /* A single cell may be disturbed. */
    if (count >= COLUMNS_ENOUGH)
        return sqrt(fmax(0, sum - most) / (double)(count - 1));
    return count ? sqrt(sum / (double)count) : NAN;
}

/* Median absolute deviation of two rows' differences from their median difference, converted to a
 * standard deviation of one cell. Deviations are taken from the median difference, because a row
 * that is slower as a whole is not noisier. */
static double difference_noise(const struct cells *cells, size_t a, size_t b, size_t first,
                               size_t step)
{
    double differences[2 * COLUMNS_LOOKED_AT + 2];
    size_t count = 0;
    for (size_t k = first; k < cells->m && count < 2 * COLUMNS_LOOKED_AT; k += step)
        if (k != a && k != b)
            differences[count++] =
                (double)(cells->filled[a * cells->m + k] - cells->filled[b * cells->m + k]);
    if (count == 0)
        return NAN;
    double middle = median_of(differences, count);
    for (size_t i = 0; i < count; i++)
        differences[i] = fabs(differences[i] - middle);
    return mad_to_deviation * median_of(differences, count) / sqrt(2);
}

static double row_noise(const struct cells *cells, size_t a)
{
    size_t m = cells->m;
    if (m < COLUMNS_ENOUGH)
        return usual_noise;
    /* An even step would visit only the first of each two siblings. */
    size_t step = m / COLUMNS_LOOKED_AT + 1;
    step += m > COLUMNS_LOOKED_AT && step % 2 == 0;
    double least = INFINITY;
    size_t nearest = a;
    for (size_t b = 0; b < m; b++) {
        double distance = b == a ? NAN : cells_distance(cells, a, b, 0, 2 * step);
        if (distance < least) {
            least = distance;
            nearest = b;
        }
    }
    /* With few columns, half of them is too few: all are used, with a factor, because the nearest
     * row was selected by the same columns. */
    return m < ROWS_FEW ? (m < ROWS_VERY_FEW ? 3 : 2) * difference_noise(cells, a, nearest, 0, 1)
                        : difference_noise(cells, a, nearest, step, 2 * step);
}

/* A row's noise is estimated from few columns, so each row gets at least the typical noise of all
 * rows. */
static void pool_noise(struct cells *cells, double *room)
{
    if (cells->m == 0)
        return;
    memcpy(room, cells->noise, cells->m * sizeof *room);
    sort_ascending(room, cells->m);
    double typical = cells->m < ROWS_FEW ? quantile(room, cells->m, 0.75) : median(room, cells->m);
    if (cells->m < ROWS_VERY_FEW)
        typical = fmax(typical, usual_noise / 2);
    for (size_t a = 0; a < cells->m; a++)
        cells->noise[a] = fmax(cells->noise[a], typical);
}

/* The noise that at least half of the row's cells are known to have; `room` holds m values. */
static double given_noise(const struct cells *cells, const double *noise, size_t n, size_t a,
                          double *room)
{
    size_t count = 0;
    for (size_t b = 0; b < cells->m && noise; b++) {
        double value = (double)cells->known[a * cells->m + b];
        double given = both_directions(noise, n, cells->rows[a], cells->rows[b]) / value;
        if (is_latency(given))
            room[count++] = given;
    }
    return count ? median_of(room, count) : 0;
}

static double rounding_noise(const struct cells *cells, const double *latency, size_t n, size_t a,
                             double *room)
{
    size_t count = 0;
    for (size_t b = 0; b < cells->m; b++) {
        double there = latency[cells->rows[a] * n + cells->rows[b]];
        double back = latency[cells->rows[b] * n + cells->rows[a]];
        if (isnan(cells->known[a * cells->m + b]))
            continue;
        if ((is_latency(there) && there != rint(there)) || (is_latency(back) && back != rint(back)))
            return 0;
        room[count++] = (double)cells->known[a * cells->m + b];
    }
    return rounding_deviation / median_of(room, count);
}

void cells_read(struct cells *cells, struct pool *pool, const double *latency, const double *noise,
                size_t n)
{
    *cells = (struct cells){0};
    cells->rows = pool_alloc(pool, n + 1, sizeof *cells->rows);
    for (size_t a = 0; a < n; a++) {
        bool any = false;
        for (size_t b = 0; b < n && !any; b++)
            any = a != b && !isnan(both_directions(latency, n, a, b));
        if (any)
            cells->rows[cells->m++] = a;
    }
    const size_t m = cells->m;
    cells->known = pool_alloc(pool, m * m + 1, sizeof *cells->known);
    cells->filled = pool_alloc(pool, m * m + 1, sizeof *cells->filled);
    cells->noise = pool_alloc(pool, m + 1, sizeof *cells->noise);
    cells->given = pool_alloc(pool, m + 1, sizeof *cells->given);
    double *room = pool_alloc(pool, m + 1, sizeof *room);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++)
            cells->known[a * m + b] =
                a == b ? NAN : (float)both_directions(latency, n, cells->rows[a], cells->rows[b]);
    fill(cells, pool);
    for (size_t a = 0; a < m; a++)
        cells->noise[a] = fmax(least_noise, row_noise(cells, a));
    pool_noise(cells, room);
    for (size_t a = 0; a < m; a++) {
        cells->given[a] = given_noise(cells, noise, n, a, room);
        cells->noise[a] = fmax(cells->noise[a], cells->given[a]);
        cells->noise[a] = fmax(cells->noise[a], rounding_noise(cells, latency, n, a, room));
    }
}
