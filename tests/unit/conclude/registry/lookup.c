#include "conclude/registry/lookup.h"
#include "conclude/registry/finding.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static struct finding *add(struct document *document, size_t probe, const char *name,
                           const char *cpus)
{
    struct finding *finding =
        finding_add(&document->probes[probe], &document->pool, name, "cycles");
    finding->cpus = cpus;
    return finding;
}

static void fill(struct document *document)
{
    document->probes = pool_alloc(&document->pool, 2, sizeof *document->probes);
    document->probe_count = 2;
    add(document, 0, "b", NULL);
    add(document, 0, "cluster", "4-5");
    add(document, 0, "cluster", "0-1");
    add(document, 0, "b_ns", NULL);
    add(document, 0, "b", NULL);
    add(document, 0, "alone_ns", NULL);
    add(document, 0, "a_ns", "0");
    add(document, 1, "a", "1");
    add(document, 1, "b", "7");
}

static void names_are_found_in_the_documents_order(void **state)
{
    (void)state;
    struct document document = {0};
    struct finding_lookup all, second;
    fill(&document);
    const struct finding *first = document.probes[0].findings;
    const struct finding *last = document.probes[1].findings;
    finding_lookup_build(&all, &document.pool, &document, NULL);
    const struct finding standard = {0};
    assert_int_equal(all.count, 9);
    assert_ptr_equal(finding_lookup_name(&all, "b"), &first[0]);
    assert_ptr_equal(finding_lookup_name(&all, "a"), &last[0]);
    assert_ptr_equal(finding_lookup_exact(&all, "b", &standard, NULL), &first[0]);
    assert_ptr_equal(finding_lookup_exact(&all, "b", &standard, "7"), &last[1]);
    assert_ptr_equal(finding_lookup_exact(&all, "cluster", &standard, "4-5"), &first[1]);
    assert_ptr_equal(finding_lookup_exact(&all, "cluster", &standard, "0-1"), &first[2]);
    assert_null(finding_lookup_exact(&all, "cluster", &standard, "0-2"));
    assert_null(finding_lookup_name(&all, "zz"));
    assert_null(finding_lookup_name(&all, ""));
    finding_lookup_build(&second, &document.pool, NULL, &document.probes[1]);
    assert_int_equal(second.count, 2);
    assert_ptr_equal(finding_lookup_name(&second, "b"), &last[1]);
    assert_null(finding_lookup_name(&second, "cluster"));
    document_free(&document);
}

static void twins_are_of_one_name_and_the_same_cpus(void **state)
{
    (void)state;
    struct document document = {0};
    struct finding_lookup all;
    fill(&document);
    const struct finding *first = document.probes[0].findings;
    finding_lookup_build(&all, &document.pool, &document, NULL);
    assert_ptr_equal(finding_lookup_twin(&all, &first[0]), &first[3]);
    assert_null(finding_lookup_twin(&all, &first[1]));
    assert_true(finding_lookup_is_twin(&all, &first[3]));
    assert_false(finding_lookup_is_twin(&all, &first[0]));
    assert_false(finding_lookup_is_twin(&all, &first[5])); /* ns alone is no twin */
    assert_false(
        finding_lookup_is_twin(&all, &first[6])); /* the finding in cycles is about another CPU */
    document_free(&document);
}

static void the_standard_experiment_comes_first(void **state)
{
    (void)state;
    struct document document = {0};
    struct finding_lookup all;
    struct factor forward = {"order", "forward", 0};
    const struct finding standard = {0};
    document.probes = pool_alloc(&document.pool, 1, sizeof *document.probes);
    document.probe_count = 1;
    for (int i = 0; i < 4; i++)
        add(&document, 0, i % 2 ? "a_ns" : "a", NULL);
    struct finding *list = document.probes[0].findings;
    list[0].factors = list[1].factors = &forward;
    list[0].deviations = list[1].deviations = list[0].factor_count = list[1].factor_count = 1;
    finding_lookup_build(&all, &document.pool, &document, NULL);
    assert_ptr_equal(finding_lookup_name(&all, "a"), &list[2]);
    assert_ptr_equal(finding_lookup_exact(&all, "a", &standard, NULL), &list[2]);
    assert_ptr_equal(finding_lookup_exact(&all, "a", &list[0], NULL), &list[0]);
    assert_ptr_equal(finding_lookup_twin(&all, &list[0]), &list[1]);
    assert_ptr_equal(finding_lookup_twin(&all, &list[2]), &list[3]);
    document_free(&document);
}

/* A hundred thousand findings of one name: quadratic time would be noticed. */
static void a_hundred_thousand_are_found(void **state)
{
    (void)state;
    struct document document = {0};
    struct finding_lookup all;
    char cpus[16];
    enum { MANY = 100000 };
    document.probes = pool_alloc(&document.pool, 1, sizeof *document.probes);
    document.probe_count = 1;
    for (int i = 0; i < MANY; i++) {
        snprintf(cpus, sizeof cpus, "%d", i);
        add(&document, 0, "cluster", pool_strdup(&document.pool, cpus));
    }
    finding_lookup_build(&all, &document.pool, &document, NULL);
    for (int i = 0; i < MANY; i++) {
        const struct finding *finding = &document.probes[0].findings[i];
        if (finding_lookup_exact(&all, "cluster", finding, finding->cpus) != finding)
            fail_msg("CPU %d is not found", i);
    }
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_in_the_documents_order),
        cmocka_unit_test(twins_are_of_one_name_and_the_same_cpus),
        cmocka_unit_test(the_standard_experiment_comes_first),
        cmocka_unit_test(a_hundred_thousand_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
