/* A latency that is told in cycles and in ns is judged in one of the two, and the other says so. */
#include "conclude/registry/home.h"

#include "conclude/registry/finding.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char probe_name[] = "latency";

struct bench {
    struct pool pool;
    struct probe_result probe;
    struct machine_facts machine;
};

static const struct finding *named(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->probe.finding_count; i++)
        if (strcmp(bench->probe.findings[i].name, name) == 0)
            return &bench->probe.findings[i];
    fail();
    return NULL;
}

/* A former document's pair, of 100 cycles and 40 ns. */
static void add_pair(struct bench *bench, const char *cycles, const char *ns)
{
    finding_add_value(&bench->probe, &bench->pool, cycles, "cycles",
                      (struct interval){100, 90, 110}, 0);
    finding_add_value(&bench->probe, &bench->pool, ns, "ns", (struct interval){40, 39, 43}, 0);
}

static void former_pairs_get_one_home(void **state)
{
    static const struct {
        const char *cycles, *ns;
        enum finding_home home;
    } pairs[] = {{"L1.latency", "L1.latency_ns", HOME_CYCLES},
                 {"L2.latency", "L2.latency_ns", HOME_CYCLES},
                 {"L3.latency", "L3.latency_ns", HOME_NS},
                 {"DRAM.latency", "DRAM.latency_ns", HOME_NS},
                 {"last.latency", "last.latency_ns", HOME_NS},
                 {"loaded.unloaded_cycles", "loaded.unloaded", HOME_NS},
                 {"gpu0.shared.latency", "gpu0.shared.latency_ns", HOME_CYCLES},
                 {"gpu0.DRAM.latency", "gpu0.DRAM.latency_ns", HOME_NS},
                 {"gpu0.host.read", "gpu0.host.read_ns", HOME_NS}};
    enum { PAIRS = sizeof pairs / sizeof *pairs };
    struct bench bench = {.probe.name = probe_name};
    for (int i = 0; i < PAIRS; i++)
        add_pair(&bench, pairs[i].cycles, pairs[i].ns);
    homes_complete(&bench.probe, &bench.machine, &bench.pool);
    for (int i = 0; i < PAIRS; i++) {
        const struct finding *cycles = named(&bench, pairs[i].cycles),
                             *ns = named(&bench, pairs[i].ns);
        const bool in_cycles = pairs[i].home == HOME_CYCLES;
        assert_int_equal(finding_is_derived(cycles), !in_cycles);
        assert_int_equal(finding_is_derived(ns), in_cycles);
        /* The derived interval is the home's. */
        const double low = in_cycles ? ns->low : cycles->low;
        assert_true(fabs(low - (in_cycles ? 36 : 97.5)) < 1e-9);
    }
    pool_free(&bench.pool);
}

static void a_figure_in_one_unit_is_derived_from_none(void **state)
{
    static const struct {
        const char *name, *unit;
    } figures[] = {{"window.size", ""},
                   {"dtlb1.4K.hit", "cycles"},
                   {"cores.cas.min", "ns"},
                   {"bandwidth.read.1", "B/s"},
                   {"DRAM.latency", "cycles"}};
    struct bench bench = {.probe.name = probe_name};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        finding_add_value(&bench.probe, &bench.pool, figures[i].name, figures[i].unit,
                          (struct interval){4, 3, 5}, 0);
    homes_complete(&bench.probe, &bench.machine, &bench.pool);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        assert_false(finding_is_derived(&bench.probe.findings[i]));
    }
    pool_free(&bench.pool);
}

/* The clock's own spread widens the derived interval. */
static void a_derived_interval_has_the_clocks_spread(void **state)
{
    struct bench bench = {.probe.name = probe_name};
    add_pair(&bench, "L1.latency", "L1.latency_ns");
    struct finding *cycles = &bench.probe.findings[0], *ns = cycles + 1;
    finding_derive(ns, cycles, (struct interval){2.5e9, 2e9, 3e9});
    assert_true(fabs(ns->value - 40) < 1e-9 && fabs(ns->low - 30) < 1e-9 &&
                fabs(ns->high - 55) < 1e-9);
    finding_derive(cycles, ns, (struct interval){2.5e9, 2e9, 3e9});
    assert_true(fabs(cycles->value - 100) < 1e-9 && fabs(cycles->low - 60) < 1e-9 &&
                fabs(cycles->high - 165) < 1e-9);
    pool_free(&bench.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(former_pairs_get_one_home),
        cmocka_unit_test(a_figure_in_one_unit_is_derived_from_none),
        cmocka_unit_test(a_derived_interval_has_the_clocks_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
