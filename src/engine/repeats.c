#include "engine/repeats.h"

#include <math.h>
#include <stdbool.h>

/* A kernel that runs 2^40 repeats in no measurable time does no work: stop. */
static const uint64_t most_repeats = UINT64_C(1) << 40;
/* A try that takes this share of a batch tells how many repeats fill one. */
static const double enough_share = 1.0 / 8;

int repeats_find(const struct repeats_search *search, uint64_t *result)
{
    const double enough_ns = search->wanted_ns * enough_share;
    for (uint64_t repeats = 1;; repeats *= 2) {
        double least_ns = INFINITY;
        /* An interruption makes a try longer and never shorter: the faster of two decides. */
        for (int i = 0; i < 2 && (i == 0 || least_ns >= enough_ns); i++) {
            double took_ns;
            int code = search->try_repeats(search->self, repeats, &took_ns);
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
