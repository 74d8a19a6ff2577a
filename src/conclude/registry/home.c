#include "conclude/registry/home.h"

#include "base/quantity.h"
#include "base/text.h"
#include "base/units.h"
#include "conclude/registry/catalogue.h"

#include <math.h>
#include <string.h>

bool finding_is_derived(const struct finding *finding)
{
    return finding->clock_hz > 0;
}

enum finding_home finding_pair_home(const struct finding *finding,
                                    const struct machine_facts *machine)
{
    const struct finding_meaning meaning = finding_meaning(finding);
    uint64_t bytes;
    if (meaning.line && meaning.line->home)
        return meaning.line->home;
    bool beyond = meaning.level == LEVEL_MEMORY ||
                  (meaning.level == LEVEL_CACHE && meaning.number > PRIVATE_LEVELS);
    for (size_t i = 0; i < finding->factor_count && machine; i++) {
        const struct factor *factor = &finding->factors[i];
        beyond = beyond || (strcmp(factor->name, "working set") == 0 && factor->text &&
                            size_parse(factor->text, &bytes, NULL) == 0 &&
                            (double)bytes > own_cache_bytes(machine));
    }
    return beyond ? HOME_NS : HOME_CYCLES;
}

void finding_derive(struct finding *derived, const struct finding *home, struct interval clock_hz)
{
    const bool cycles = quantity_is(derived->unit, DIMENSION_CYCLES);
    const double least = clock_hz.low * 1e-9, most = clock_hz.high * 1e-9,
                 middle = clock_hz.value * 1e-9;
    derived->value = cycles ? home->value * middle : home->value / middle;
    derived->low = cycles ? home->low * least : home->low / most;
    derived->high = cycles ? home->high * most : home->high / least;
    derived->clock_hz = clock_hz.value;
    derived->kind = home->kind;
    derived->flags = home->flags;
    derived->disturbance = home->disturbance;
}

/* The same figure in ns: "X_ns" of "X", "X" of "X_cycles"; NULL: none. */
static const struct finding *in_ns(const struct finding_lookup *lookup,
                                   const struct finding *finding, struct pool *pool)
{
    static const char ending[] = "_cycles";
    if (!text_ends_with(finding->name, ending))
        return finding_lookup_twin(lookup, finding);
    const char *name =
        pool_printf(pool, "%.*s", (int)(strlen(finding->name) - strlen(ending)), finding->name);
    return finding_lookup_exact(lookup, name, finding, finding->cpus);
}

void homes_complete(struct probe_result *probe, const struct machine_facts *machine,
                    struct pool *pool)
{
    struct finding_lookup lookup;
    finding_lookup_build(&lookup, pool, NULL, probe);
    for (size_t i = 0; i < probe->finding_count; i++) {
        struct finding *cycles = &probe->findings[i];
        const struct finding *twin =
            quantity_is(cycles->unit, DIMENSION_CYCLES) ? in_ns(&lookup, cycles, pool) : NULL;
        if (!twin || !quantity_same(twin->unit, "ns") || finding_is_derived(cycles) ||
            finding_is_derived(twin))
            continue;
        struct finding *ns = &probe->findings[twin - probe->findings];
        const double hz = cycles->value / ns->value * 1e9;
        const struct interval clock = {hz, hz, hz};
        if (!(hz > 0) || !isfinite(hz))
            continue;
        if (finding_pair_home(cycles, machine) == HOME_CYCLES)
            finding_derive(ns, cycles, clock);
        else
            finding_derive(cycles, ns, clock);
    }
    pool_give_back(pool, lookup.sorted);
}
