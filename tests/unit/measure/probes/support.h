/* What the probes' tests share: a machine made of facts, and a task planned on it. */
#ifndef FATHOM_TESTS_PROBES_SUPPORT_H
#define FATHOM_TESTS_PROBES_SUPPORT_H

#include "again.h"
#include "measure/probes/kit/probe.h"
#include "measure/run/stages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BENCH_CPUS = 6 };

/* Six CPUs of which 0 to 4 are allowed, 3 and 4 of the faster kind; L1 32 KiB, L2 1 MiB, L3 16 MiB;
 * 8 GiB free. */
struct bench {
    struct machine machine;
    struct cpu_place places[BENCH_CPUS];
    int allowed[BENCH_CPUS - 1];
    struct cache_facts caches[3];
    struct numa_facts node;
    struct settings settings;
    struct probe_result result;
    struct probe_task task;
    struct pool pool;
    struct error error;
};

static int bench_set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){0};
    for (int i = 0; i < BENCH_CPUS; i++)
        bench.places[i] = (struct cpu_place){i, i, 0, 0, 0, i == 3 || i == 4};
    for (int i = 0; i < BENCH_CPUS - 1; i++)
        bench.allowed[i] = i;
    bench.caches[0] = (struct cache_facts){1, "data", 32 << 10, 64, 8, "0"};
    bench.caches[1] = (struct cache_facts){2, "unified", 1 << 20, 64, 16, "0"};
    bench.caches[2] = (struct cache_facts){3, "unified", 16 << 20, 64, 16, "0-5"};
    bench.node = (struct numa_facts){0, "0-5", UINT64_C(16) << 30};
    bench.machine = (struct machine){
        .facts = {.caches = bench.caches, .cache_count = 3, .nodes = &bench.node, .node_count = 1},
        .cpus = bench.places,
        .cpu_count = BENCH_CPUS,
        .allowed = {bench.allowed, BENCH_CPUS - 1},
        .memory_available_bytes = UINT64_C(8) << 30,
    };
    *state = &bench;
    return 0;
}

static int bench_tear_down(void **state)
{
    struct bench *bench = *state;
    stages_close(&bench->task);
    probe_release(&bench->task);
    settings_free(&bench->settings);
    pool_free(&bench->pool);
    return 0;
}

/* Plans the probe with options given as name, value, name, value, ..., NULL. May be called again.
 */
static int bench_plan(struct bench *bench, const struct probe *probe, ...)
{
    stages_close(&bench->task);
    probe_release(&bench->task);
    settings_free(&bench->settings);
    assert_int_equal(settings_add(&bench->settings, probe_common_options, NULL), 0);
    assert_int_equal(settings_add(&bench->settings, probe->options, NULL), 0);
    bench->task.seed = 1;
    va_list options;
    va_start(options, probe);
    const char *name;
    while ((name = va_arg(options, const char *))) {
        const char *value = va_arg(options, const char *);
        assert_int_equal(settings_set(&bench->settings, name, value, &bench->error), 0);
    }
    va_end(options);
    return probe_prepare(&bench->task, probe, &bench->settings, &bench->machine, &bench->pool,
                         &bench->result, &bench->error);
}

static inline const struct finding *bench_finding(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->result.finding_count; i++)
        if (strcmp(bench->result.findings[i].name, name) == 0)
            return &bench->result.findings[i];
    for (size_t i = 0; i < bench->result.finding_count; i++)
        print_message("# %s %g\n", bench->result.findings[i].name, bench->result.findings[i].value);
    fail_msg("there is no finding %s, only those above", name);
    return NULL;
}

#define BENCH_TEST(test) cmocka_unit_test_setup_teardown(test, bench_set_up, bench_tear_down)

#endif
