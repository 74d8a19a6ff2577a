#include "conclude/reaches.h"

#include "stats/student.h"

#include <math.h>

/* The fewest sizes of a slope: between two other slopes, three may be just the place where these
 * meet, in a cache whose sets do not all fill at once. */
enum { LEAST = 4, LEAST_LAST = 3, POINTS_MOST = 256 };
/* No two trials of one set agree better than this, so a curve without scatter gets no more slopes.
 */
static const double scatter_least = 0.02;
/* Slopes that differ by less than this are one cache's. */
static const double apart = 0.15;

/* A line through the total times of points: offset + slope * bytes. */
struct slope {
    size_t first;
    double offset, slope, squares; /* of relative errors */
    double spread;      /* of the sizes: the slope's error is a relative one over its root */
    double slope_error; /* half of a 95 % interval */
};

struct fitting {
    const double *bytes, *total;
    size_t count;
};

/* The first slope begins at nothing: no lines take no time. */
static struct slope fit(const struct fitting *fitting, size_t first, size_t end)
{
    struct slope line = {.first = first};
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = first; i < end; i++) {
        const double weight = 1 / (fitting->total[i] * fitting->total[i]);
        w += weight;
        x += weight * fitting->bytes[i];
        y += weight * fitting->total[i];
        xx += weight * fitting->bytes[i] * fitting->bytes[i];
        xy += weight * fitting->bytes[i] * fitting->total[i];
    }
    const double spread = first ? xx - x * x / w : xx;
    line.slope = (first ? xy - x * y / w : xy) / spread;
    line.offset = first ? (y - line.slope * x) / w : 0;
    for (size_t i = first; i < end; i++) {
        const double wrong = (line.offset + line.slope * fitting->bytes[i]) / fitting->total[i] - 1;
        line.squares += wrong * wrong;
    }
    line.spread = spread;
    return line;
}

/* For the first `end` points: the squares that the best one, two, ... lines through them leave, and
 * where the last of these lines begins. */
struct best {
    double squares[REACHES_MAX];
    size_t last[REACHES_MAX];
};

static struct best best_of(const struct fitting *fitting, const struct best *before, size_t end)
{
    struct best best = {.squares = {fit(fitting, 0, end).squares}};
    for (size_t k = 1; k < REACHES_MAX; k++)
        best.squares[k] = INFINITY;
    const size_t least = end == fitting->count ? LEAST_LAST : LEAST;
    for (size_t first = LEAST; first + least <= end; first++) {
        const struct slope line = fit(fitting, first, end);
        for (size_t k = 1; k < REACHES_MAX && line.slope > 0; k++)
            if (before[first].squares[k - 1] + line.squares < best.squares[k]) {
                best.squares[k] = before[first].squares[k - 1] + line.squares;
                best.last[k] = first;
            }
    }
    return best;
}

/* Two slopes are distinguished only if their intervals do not overlap, too. */
static bool are_apart(const struct slope *lines, size_t slopes)
{
    for (size_t i = 1; i < slopes; i++) {
        const struct slope *a = &lines[i - 1], *b = &lines[i];
        if (fabs(log(b->slope / a->slope)) < log1p(apart) ||
            fabs(b->slope - a->slope) < a->slope_error + b->slope_error)
            return false;
    }
    return true;
}

/* Where two lines meet, which is between the sizes next to that place. The interval is one size
 * wider on either side, which may belong to the other line. */
static struct interval meeting(const struct fitting *fitting, const struct slope *a,
                               const struct slope *b)
{
    const double *next = &fitting->bytes[b->first],
                 at = (b->offset - a->offset) / (a->slope - b->slope);
    return (struct interval){fmax(next[-1], fmin(next[0], at)), next[-2], next[1]};
}

/* The number of parameters: one slope for each line, and for each further line its offset and its
 * beginning. */
static double parameters(size_t slopes)
{
    return 3 * (double)slopes - 2;
}

/* As many lines as the criterion asks for. All points scatter alike. */
static size_t choose(const struct fitting *fitting, const struct best *best, struct slope *chosen)
{
    const double n = (double)fitting->count;
    double least = INFINITY;
    size_t count = 0;
    for (size_t slopes = 1; slopes <= REACHES_MAX; slopes++) {
        const double squares = best[fitting->count].squares[slopes - 1],
                     judged = n * log(squares / n + scatter_least * scatter_least) +
                              parameters(slopes) * log(n);
        struct slope lines[REACHES_MAX];
        const double free = n - parameters(slopes);
        size_t end = fitting->count;
        if (!(judged < least) || free < 1)
            continue;
        for (size_t k = slopes; k-- > 0; end = lines[k].first) {
            lines[k] = fit(fitting, best[end].last[k], end);
            lines[k].slope_error = student_reach(free) * sqrt(squares / free / lines[k].spread);
        }
        if (!are_apart(lines, slopes))
            continue;
        least = judged;
        count = slopes;
        for (size_t k = 0; k < slopes; k++)
            chosen[k] = lines[k];
    }
    return count;
}

size_t reaches_find(const struct series *series, struct pool *pool, struct reach *reaches)
{
    double *bytes = pool_alloc(pool, POINTS_MOST, sizeof *bytes),
           *total = pool_alloc(pool, POINTS_MOST, sizeof *total);
    struct best *best = pool_alloc(pool, POINTS_MOST + 1, sizeof *best);
    struct fitting fitting = {bytes, total, 0};
    struct slope lines[REACHES_MAX];
    for (size_t i = 0; i < series->point_count && fitting.count < POINTS_MOST; i++) {
        const struct point *point = &series->points[i];
        if (!point->y.n || !(point->x > 0) || !(point->y.median > 0))
            continue;
        bytes[fitting.count] = point->x;
        total[fitting.count++] = point->x * (double)point->y.median;
    }
    if (fitting.count < LEAST_LAST)
        return 0;
    for (size_t end = LEAST_LAST; end <= fitting.count; end++)
        best[end] = best_of(&fitting, best, end);
    const size_t count = choose(&fitting, best, lines);
    for (size_t i = 0; i < count; i++)
        reaches[i] = (struct reach){{lines[i].slope, lines[i].slope - lines[i].slope_error,
                                     lines[i].slope + lines[i].slope_error},
                                    i + 1 < count ? meeting(&fitting, &lines[i], &lines[i + 1])
                                                  : (struct interval){NAN, NAN, NAN}};
    return count;
}
