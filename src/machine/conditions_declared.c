/* What the system leaves to this process of clocks and of caches. */
#include "base/units.h"
#include "machine/conditions_check.h"

#include <string.h>

/* --- clocks --- */

/* A limit within a percent of the hardware's is a rounding. */
static bool is_limited(const struct declared_clock *clock)
{
    return clock->max_hz && clock->max_hz < clock->hardware_max_hz / 100 * 99;
}

int check_clock_limit(struct inspection *inspection)
{
    const struct declared_facts *declared = &inspection->machine->facts.declared;
    for (size_t i = 0; i < declared->clock_count; i++) {
        const struct declared_clock *clock = &declared->clocks[i];
        char set[UNIT_TEXT], most[UNIT_TEXT];
        if (!is_limited(clock))
            continue;
        return remark_add(inspection, REMARK_KNOW, "clock limit",
                          pool_printf(inspection->pool,
                                      "CPUs %s may run at up to %s, their hardware at up to %s",
                                      clock->cpus, hertz_format((double)clock->max_hz, set),
                                      hertz_format((double)clock->hardware_max_hz, most)),
                          "times in ns are those of the lower clock",
                          "raise scaling_max_freq (cpupower frequency-set -u) unless programs are "
                          "to run so");
    }
    return 0;
}

/* --- resctrl --- */

static bool is_partial(const struct declared_share *share)
{
    return share->of_ways ? share->ways < share->of_ways : share->percent < 100;
}

static const char *share_words(struct pool *pool, const struct declared_share *share)
{
    if (share->of_ways)
        return pool_printf(pool, "%u of %u ways of %s %d", share->ways, share->of_ways,
                           share->resource, share->domain);
    return pool_printf(pool, "%.0f %% of the bandwidth of domain %d", share->percent,
                       share->domain);
}

enum { SHARES_NAMED = 4 };

int check_shares(struct inspection *inspection)
{
    const struct declared_facts *declared = &inspection->machine->facts.declared;
    struct pool *pool = inspection->pool;
    const char *state = NULL;
    size_t count = 0;
    for (size_t i = 0; i < declared->share_count; i++) {
        if (!is_partial(&declared->shares[i]) || ++count > SHARES_NAMED)
            continue;
        const char *words = share_words(pool, &declared->shares[i]);
        state = words && (state || count == 1)
                    ? pool_printf(pool, "%s%s%s", state ? state : "resctrl leaves ",
                                  state ? ", " : "", words)
                    : NULL;
        if (!state)
            return ERROR_SYSTEM;
    }
    if (!count)
        return 0;
    if (count > SHARES_NAMED)
        state = pool_printf(pool, "%s and %zu more", state, count - SHARES_NAMED);
    return remark_add(inspection, REMARK_KNOW, "shares",
                      state ? pool_printf(pool, "%s (group %s)", state, declared->share_group)
                            : NULL,
                      "capacity and bandwidth are those of the share",
                      "measure in the group in which "
                      "programs run, or widen its schemata");
}
