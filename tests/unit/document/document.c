#include "document/document.h"

#include "document/flag.h"
#include "sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* --- document --- */

static void a_point_that_failed_was_not_measured(void **state)
{
    struct point points[] = {
        {.x = 1, .y.n = 5}, {.x = 2, .failed = "no memory"}, {.x = 3, .y.n = 1}};
    const struct series series = {.points = points, .point_count = 3};
    assert_ptr_equal(series_point(&series, 1), &points[0]);
    assert_null(series_point(&series, 2));
    assert_ptr_equal(series_point(&series, 3), &points[2]);
    assert_null(series_point(&series, 2.5));
}

static void headline_flags_are_those_of_findings_alone(void **state)
{
    struct document document;
    sample_document(&document, 2, 1);
    document.probes[0].series[0].points[0].flags = FLAG_BIT(FLAG_STOLEN);
    document.probes[1].findings[0].flags = FLAG_BIT(FLAG_BIMODAL);
    assert_int_equal(document_headline_flags(&document),
                     FLAG_BIT(FLAG_TOO_FEW) | FLAG_BIT(FLAG_BIMODAL));
    document_free(&document);
}

static void an_axis_has_ids_where_it_numbers_things(void **state)
{
    const struct axis ids[] = {{"cpu", ""}, {"node", NULL}, {"multiprocessor", ""}, {"trial", ""}};
    const struct axis others[] = {{"CPUs", ""}, {"cpu", "B"}, {"chains", ""}, {NULL, NULL}};
    for (size_t i = 0; i < 4; i++) {
        assert_true(axis_has_ids(&ids[i]));
        assert_false(axis_has_ids(&others[i]));
    }
}

static void assert_cache_of(const struct machine_facts *facts, int level, int cpu, uint64_t kib)
{
    const struct cache_facts *cache = cache_of_cpu(facts, level, cpu);
    assert_int_equal(cache ? cache->size_bytes : 0, kib << 10);
}

/* Two P cores of two threads, two clusters of E cores, and two E cores without a third level. Equal
 * caches are listed once. */
static void a_cpu_has_caches_of_its_own(void **state)
{
    struct cache_facts caches[] = {
        {1, "data", 48 << 10, 64, 12, "0-1"},   {1, "instruction", 64 << 10, 64, 8, "4"},
        {1, "data", 32 << 10, 64, 8, "4"},      {2, "unified", 4 << 20, 64, 16, "4-7"},
        {2, "unified", 2 << 20, 64, 16, "0-1"}, {3, "unified", 24 << 20, 64, 12, "0-11"}};
    struct cpu_kind_facts kinds[] = {{"efficiency", "4-13"}, {"performance", "0-3"}};
    struct machine_facts facts = {
        .caches = caches, .cache_count = 6, .kinds = kinds, .kind_count = 2};
    assert_cache_of(&facts, 1, 3, 48); /* by its kind */
    assert_cache_of(&facts, 2, 0, 2048);
    assert_cache_of(&facts, 2, 3, 2048);
    assert_cache_of(&facts, 2, 9, 4096);
    assert_cache_of(&facts, 2, -1, 4096); /* unknown: the largest */
    assert_cache_of(&facts, 2, 99, 4096);
    assert_cache_of(&facts, 3, 12, 24 << 10);
    assert_cache_of(&facts, 4, 0, 0);
    /* The last two share 2 MiB, as the tree says, and have no third level. */
    const char *small[] = {"0-1", "2-3", "12-13"}, *large[] = {"4-7", "8-11"}, *last[] = {"0-11"};
    struct declared_objects objects[] = {
        {.type = "L3Cache", .cpus = last, .cpus_count = 1, .size_bytes = 24 << 20},
        {.type = "L2Cache", .cpus = large, .cpus_count = 2, .size_bytes = 4 << 20},
        {.type = "L2Cache", .cpus = small, .cpus_count = 3, .size_bytes = 2 << 20}};
    facts.declared = (struct declared_facts){.objects = objects, .object_count = 3};
    assert_cache_of(&facts, 2, 12, 2048);
    assert_cache_of(&facts, 2, 9, 4096);
    assert_cache_of(&facts, 3, 12, 0);
    assert_cache_of(&facts, 3, 9, 24 << 10);
    assert_cache_of(&facts, 3, -1, 24 << 10);
    assert_cache_of(&facts, 1, 12, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_that_failed_was_not_measured),
        cmocka_unit_test(headline_flags_are_those_of_findings_alone),
        cmocka_unit_test(an_axis_has_ids_where_it_numbers_things),
        cmocka_unit_test(a_cpu_has_caches_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
