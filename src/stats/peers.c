#include "stats/peers.h"

#include "stats/quantile.h"
#include "stats/student.h"
#include "stats/tails.h"

#include <math.h>

/* Of a normal distribution: the standard deviation over the median absolute deviation, and half of
 * a 95 % interval over the standard deviation. */
static const double normal_mad = 1.482602218505602, normal_95 = 1.959963984540054;
/* Beyond so many standard deviations a value says nothing of the others' scatter. */
static const double far_away = 5;
/* By how much a value's own variance is above that of most. */
static double extra_variance(const struct peer *peer, double usual)
{
    const double extra = peer->error * peer->error - usual * usual;
    return extra > 0 ? extra / (normal_95 * normal_95) : 0;
}

/* How many of n ascending values reach `least`. */
static size_t reaching(const double *ascending, size_t n, double least)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ascending[middle] < least)
            low = middle + 1;
        else
            high = middle;
    }
    return n - low;
}

/* Counts say how often a value like that is met, and nothing beyond: of ten machines of which nine
 * say 2, the tenth, which says 1, may be one of many. */
static void judge_counted(struct peer *peers, size_t n, double centre, const double *deviations)
{
    for (size_t i = 0; i < n; i++) {
        const double own = fabs(peers[i].value - centre);
        peers[i].distance = 0;
        peers[i].p = own > 0 ? (double)reaching(deviations, n, own) / (double)n : 1;
    }
}

/* What the values that are not far away are like, as differences from the centre. */
struct near {
    double mad, usual; /* robust deviation of all; the usual error of one */
    double count, sum, squares;
};

/* Whatever its own interval: a value that may lie anywhere says nothing of the others' scatter. */
static bool is_near(const struct near *near, const struct peer *peer, double centre)
{
    return fabs(peer->value - centre) <= far_away * near->mad;
}

static void judge_one(const struct near *near, struct peer *peer, double centre, double tails)
{
    const double away = peer->value - centre, own = is_near(near, peer, centre) ? 1 : 0;
    const double others = near->count - own, mean = (near->sum - own * away) / others;
    const double variance =
        (near->squares - own * away * away - others * mean * mean) / (others - 1);
    const double scatter =
        sqrt(fmax(variance, 0) * (1 + 1 / others) + extra_variance(peer, near->usual));
    peer->distance = scatter > 0 ? (away - mean) / scatter : 0;
    peer->p = scatter > 0 ? student_beyond(peer->distance, fmin(others - 1, tails)) : 1;
}

static double middle_of_errors(const struct peer *peers, size_t n, double *scratch)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = peers[i].error;
    sort_ascending(scratch, n);
    return median(scratch, n);
}

struct peers peers_judge(struct peer *peers, size_t n, double *scratch)
{
    struct near near = {.usual = middle_of_errors(peers, n, scratch)};
    struct peers all = {.spread = 0};
    for (size_t i = 0; i < n; i++)
        scratch[i] = peers[i].value;
    sort_ascending(scratch, n);
    all.centre = median(scratch, n);
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(peers[i].value - all.centre);
    sort_ascending(scratch, n);
    near.mad = normal_mad * median(scratch, n);
    all.counted = !(near.mad > 0);
    if (all.counted) {
        judge_counted(peers, n, all.centre, scratch);
        return all;
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (is_near(&near, &peers[i], all.centre)) {
            const double away = peers[i].value - all.centre;
            scratch[kept++] = away;
            near.sum += away;
            near.squares += away * away;
        }
    near.count = (double)kept;
    const double tails = tails_freedom(scratch, kept);
    const double variance = (near.squares - near.sum * near.sum / near.count) / (near.count - 1);
    all.spread = sqrt(fmax(variance, 0));
    all.freedom = fmin(near.count - 1, tails);
    for (size_t i = 0; i < n; i++)
        judge_one(&near, &peers[i], all.centre, tails);
    return all;
}
