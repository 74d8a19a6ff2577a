#include "engine/repeats.h"

#include <math.h>
#include <stdbool.h>

/* A kernel that runs 2^40 repeats in no measurable time does no work: stop. */
static const uint64_t most_repeats = UINT64_C(1) << 40;
/* A run of this share of a batch tells how long a whole one would be. */
static const double enough_share = 1.0 / 8;

int repeats_find(const struct repeats_search *search, uint64_t *result)
{
    const double enough_ns = search->wanted_ns * enough_share;
    for (uint64_t repeats = 1;; repeats *= 2) {
        double least_ns = INFINITY;
        /* What interrupts a run makes it longer and never shorter: the faster of two decides. */
        for (int run = 0; run < 2 && (run == 0 || least_ns >= enough_ns); run++) {
            double took_ns;
            int code = search->run(search->self, repeats, &took_ns);
            if (code < 0)
                return code;
            least_ns = fmin(least_ns, took_ns);
        }
        if (least_ns >= enough_ns || repeats >= most_repeats) {
            *result = (uint64_t)ceil((double)repeats * search->wanted_ns / fmax(least_ns, 1));
            return 0;
        }
    }
}
