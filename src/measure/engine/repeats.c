#include "measure/engine/repeats.h"

#include <math.h>
#include <stdbool.h>

/* A kernel that runs 2^40 repeats in no measurable time does no work: stop. */
static const uint64_t most_repeats = UINT64_C(1) << 40;
/* A try at least this share of a batch long shows how many repeats fill a batch. */
static const double enough_share = 1.0 / 8;
/* Twice the work takes twice the time. Where it takes less than this many times as long, the
 * shorter try was mostly waiting. Halfway between 1 and 2, so that neither a clock's step nor the
 * fixed cost of a try decides. */
static const double work_shows = 1.5;

/* The faster of two tries: an interruption makes a try longer and never shorter. A first try below
 * `enough_ns` needs no second. */
static int try_twice(const struct repeats_search *search, uint64_t repeats, double enough_ns,
                     double *least_ns)
{
    *least_ns = INFINITY;
    for (int i = 0; i < 2 && (i == 0 || *least_ns >= enough_ns); i++) {
        double took_ns;
        const int code = search->try_repeats(search->self, repeats, &took_ns);
        if (code < 0)
            return code;
        *least_ns = fmin(*least_ns, took_ns);
    }
    return 0;
}

int repeats_find(const struct repeats_search *search, uint64_t *result)
{
    const double enough_ns = search->wanted_ns * enough_share;
    uint64_t repeats = 1;
    double least_ns, twice_ns = INFINITY;
    int code = try_twice(search, repeats, enough_ns, &least_ns);
    while (code == 0 && repeats < most_repeats) {
        const bool may_do = least_ns >= enough_ns;
        code = try_twice(search, 2 * repeats, fmax(enough_ns, may_do ? work_shows * least_ns : 0),
                         &twice_ns);
        if (code == 0 && may_do && twice_ns >= work_shows * least_ns)
            break;
        repeats *= 2;
        least_ns = twice_ns;
        twice_ns = INFINITY;
    }
    if (code == 0) {
        const double took_ns = fmax(fmin(least_ns, twice_ns / 2), 1);
        *result = (uint64_t)ceil((double)repeats * search->wanted_ns / took_ns);
    }
    return code < 0 ? code : 0;
}
