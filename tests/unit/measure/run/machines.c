/* Every probe, measured for a moment on the CPUs that are here, with what recorded kernels of
 * tests/machines declare: no cache, or no TSC that may be trusted. */
#include "measure/run/run.h"

#include "../../../machines/tree.h"
#include "base/units.h"
#include "machine/clock.h"
#include "stats/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct bench {
    struct tree tree;
    struct machine here, told; /* `here` with what the tree declares */
    struct settings settings;
    struct document document;
    struct run run;
    struct error error;
};

static bool set_up(struct bench *bench, const char *name)
{
    struct cpulist cpus;
    *bench = (struct bench){.run = {.no_devices = true}};
    if (os_affinity(&cpus, NULL) != 0)
        return false; /* without a port some probes can't be planned */
    cpulist_free(&cpus);
    if (machine_read(&bench->here, &(struct machine_source){.guest = true}, &bench->error) < 0)
        return false; /* a port that knows no CPU */
    assert_true(tree_unpack(&bench->tree, name));
    const struct machine_source source = {.root = bench->tree.root};
    assert_int_equal(machine_read(&bench->told, &source, &bench->error), 0);
    struct machine *here = &bench->here;
    here->root = bench->tree.root;
    here->facts.caches = bench->told.facts.caches;
    here->facts.cache_count = bench->told.facts.cache_count;
    here->cache_count = 0;
    bench->run.machine = here;
    bench->run.settings = &bench->settings;
    bench->run.document = &bench->document;
    assert_int_equal(settings_add(&bench->settings, probe_common_options, &bench->error), 0);
    return true;
}

static void set(struct bench *bench, const char *name, const char *value)
{
    if (settings_set(&bench->settings, name, value, &bench->error) < 0)
        fail_msg("%s", bench->error.text);
}

static void measure(struct bench *bench, const struct probe *const *list)
{
    bench->run.probes = list;
    if (run_plan(&bench->run, &bench->error) < 0 || run_measure(&bench->run, &bench->error) < 0)
        fail_msg("%s", bench->error.text);
}

static void tear_down(struct bench *bench)
{
    run_release(&bench->run);
    settings_free(&bench->settings);
    document_free(&bench->document);
    machine_free(&bench->here);
    machine_free(&bench->told);
    tree_remove(&bench->tree);
}

/* Each probe has measured something or says why not, and none takes less than 256 MiB for memory
 * where nothing is declared. */
static void check_all(const struct bench *bench)
{
    for (size_t p = 0; p < bench->document.probe_count; p++) {
        const struct probe_result *probe = &bench->document.probes[p];
        size_t points = 0;
        for (size_t s = 0; s < probe->series_count; s++) {
            const struct series *series = &probe->series[s];
            const struct factor *level = series_factor(series, "level"),
                                *set = series_factor(series, "working set");
            uint64_t bytes;
            points += series->point_count;
            if (!bench->here.facts.cache_count && level && set && set->text && level->text &&
                strcmp(level->text, "DRAM") == 0 && size_parse(set->text, &bytes, NULL) == 0 &&
                bytes < UINT64_C(255) << 20)
                fail_msg("%s: a set of %s is called DRAM", probe->name, set->text);
        }
        if (!points && !probe->reason)
            fail_msg("%s measured nothing and does not say why", probe->name);
    }
}

static void every_probe_runs(const char *name, bool caches, bool distrusted)
{
    static struct bench bench;
    if (!set_up(&bench, name))
        skip();
    assert_int_equal(bench.here.facts.cache_count > 0, caches);
    assert_int_equal(clock_counter_distrusted(bench.here.root), distrusted);
    set(&bench, "quick", NULL);
    set(&bench, "budget", "3");
    /* All but those of devices, which this machine may have. */
    const struct probe *list[64] = {NULL};
    size_t count = 0;
    for (size_t i = 0; probes[i]; i++)
        if (strcmp(probes[i]->name, "gpu") != 0)
            list[count++] = probes[i];
    measure(&bench, list);
    assert_int_equal(bench.document.probe_count, count);
    check_all(&bench);
    tear_down(&bench);
}

static void every_probe_runs_where_no_cache_is_declared(void **state)
{
    every_probe_runs("guest-without-caches", false, false);
}

static void every_probe_runs_where_the_counter_is_distrusted(void **state)
{
#if defined(__x86_64__)
    every_probe_runs("kernel-distrusts-tsc", true, true);
#else
    every_probe_runs("kernel-distrusts-tsc", true, false);
#endif
}

/* A probe alone finds its levels first, so it measures in caches and not only in DRAM. */
static void a_probe_alone_takes_levels_first(void **state)
{
    static const char *const alone[] = {"prefetch", "access", "parallelism", "copy", "geometry"};
    for (size_t i = 0; i < sample_seeds(sizeof alone / sizeof *alone); i++) {
        static struct bench bench;
        if (!set_up(&bench, "guest-without-caches"))
            skip();
        const struct probe *const list[] = {probe_by_name(alone[i]), NULL};
        assert_int_equal(settings_add(&bench.settings, list[0]->help->options, &bench.error), 0);
        set(&bench, "budget", "2");
        measure(&bench, list);
        assert_true(bench.run.levels_first);
        assert_string_equal(bench.document.probes[0].name, "latency");
        assert_string_equal(bench.document.probes[1].name, alone[i]);
        check_all(&bench);
        tear_down(&bench);
    }
}

static void no_levels_come_before_what_lacks_a_second_cpu(void **state)
{
    static struct bench bench;
    char cpu[16];
    if (!set_up(&bench, "guest-without-caches"))
        skip();
    const struct probe *const list[] = {probe_by_name("loaded"), NULL};
    snprintf(cpu, sizeof cpu, "%d", bench.here.allowed.ids[0]);
    set(&bench, "cpus", cpu);
    measure(&bench, list);
    assert_false(bench.run.levels_first);
    assert_int_equal(bench.document.probes[0].status, PROBE_SKIPPED);
    tear_down(&bench);
}

/* The curve that finds the levels is not another probe beside which less is measured. */
static void bandwidth_alone_has_each_kernel_by_size(void **state)
{
    static struct bench bench;
    if (!set_up(&bench, "guest-without-caches"))
        skip();
    const struct probe *const list[] = {probe_by_name("bandwidth"), NULL};
    assert_int_equal(settings_add(&bench.settings, list[0]->help->options, &bench.error), 0);
    set(&bench, "budget", "3");
    set(&bench, "kernel", "copy,write");
    set(&bench, "sizes", "64K,128K");
    measure(&bench, list);
    const struct probe_result *result = document_probe(&bench.document, "bandwidth");
    for (size_t i = 0; i < 2; i++) {
        const struct factor kernel[] = {{"kernel", i ? "write" : "copy"}, {.name = NULL}};
        assert_non_null(series_find(result->series, result->series_count, "bandwidth", kernel));
    }
    tear_down(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_probe_runs_where_no_cache_is_declared),
        cmocka_unit_test(every_probe_runs_where_the_counter_is_distrusted),
        cmocka_unit_test(a_probe_alone_takes_levels_first),
        cmocka_unit_test(no_levels_come_before_what_lacks_a_second_cpu),
        cmocka_unit_test(bandwidth_alone_has_each_kernel_by_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
