#include "conclude/registry/catalogue.h"

#include "conclude/registry/finding.h"
#include "document/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- catalogue --- */

static struct factor forward[] = {{"order", "forward", NAN}, {"stride", NULL, 8}};
static struct factor swapped[] = {{"order", "forward", NAN}, {"stride", NULL, 8}};
static struct factor backward[] = {{"order", "backward", NAN}, {"pages", "huge2m", NAN}};

static void tell(struct finding *finding, struct factor *factors, size_t deviations)
{
    finding->factors = factors;
    finding->factor_count = 2;
    finding->deviations = deviations;
}

static struct finding *add(struct document *document, const char *name, const char *unit)
{
    return sample_finding(document, &document->probes[1], name, unit, 7, 0);
}

/* The last of a document's findings: add() puts it there. */
static const struct catalogue_entry *last_of(const struct catalogue *catalogue, size_t document)
{
    const struct probe_result *probe = &catalogue->documents[document]->probes[1];
    return catalogue_of(catalogue, document, probe) + probe->finding_count - 1;
}

static void experiments_are_the_same_in_all_documents(void **state)
{
    struct document a, b;
    struct catalogue catalogue;
    struct pool pool = {0};
    sample_document(&a, 2, 1);
    sample_document(&b, 2, 1);
    tell(add(&a, "L2.latency", "cycles"), forward, 2);
    tell(add(&b, "L2.latency", "cycles"), backward, 1);
    tell(add(&b, "L2.latency", "cycles"), swapped, 2);
    const struct document *list[] = {&a, &b};
    catalogue_build(&catalogue, &pool, list, 2);
    const struct catalogue_entry *one = last_of(&catalogue, 0), *other = last_of(&catalogue, 1);
    assert_true(one->experiment > 0);
    assert_int_equal(one->experiment, other->experiment);
    assert_int_not_equal(one->experiment, other[-1].experiment);
    assert_int_not_equal(other[-1].experiment, 0);
    assert_int_equal(catalogue_of(&catalogue, 1, &b.probes[0])->experiment, 0);
    pool_free(&pool);
    document_free(&a);
    document_free(&b);
}

static void a_name_has_the_standard_one_first(void **state)
{
    struct document document;
    struct catalogue catalogue;
    struct pool pool = {0};
    size_t first = 0;
    sample_document(&document, 2, 1);
    tell(add(&document, "some", "ns"), forward, 2);
    const struct finding *standard = add(&document, "some", "ns");
    assert_non_null(standard);
    const struct document *list[] = {&document};
    catalogue_build(&catalogue, &pool, list, 1);
    while (strcmp(catalogue.by_name[first]->finding->name, "some") != 0)
        assert_in_range(++first, 1, catalogue.count - 2);
    assert_string_equal(catalogue.by_name[first + 1]->finding->name, "some");
    assert_int_equal(catalogue.by_name[first]->experiment, 0);
    assert_int_not_equal(catalogue.by_name[first + 1]->experiment, 0);
    pool_free(&pool);
    document_free(&document);
}

/* --- lookup --- */

static struct finding *put(struct document *document, size_t probe, const char *name,
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
    put(document, 0, "b", NULL);
    put(document, 0, "cluster", "4-5");
    put(document, 0, "cluster", "0-1");
    put(document, 0, "b_ns", NULL);
    put(document, 0, "b", NULL);
    put(document, 0, "alone_ns", NULL);
    put(document, 0, "a_ns", "0");
    put(document, 1, "a", "1");
    put(document, 1, "b", "7");
}

static void names_are_found_in_the_documents_order(void **state)
{
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
    struct document document = {0};
    struct finding_lookup all;
    struct factor onward = {"order", "forward", 0};
    const struct finding standard = {0};
    document.probes = pool_alloc(&document.pool, 1, sizeof *document.probes);
    document.probe_count = 1;
    for (int i = 0; i < 4; i++)
        put(&document, 0, i % 2 ? "a_ns" : "a", NULL);
    struct finding *list = document.probes[0].findings;
    list[0].factors = list[1].factors = &onward;
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
    struct document document = {0};
    struct finding_lookup all;
    char cpus[16];
    enum { MANY = 100000 };
    document.probes = pool_alloc(&document.pool, 1, sizeof *document.probes);
    document.probe_count = 1;
    for (int i = 0; i < MANY; i++) {
        snprintf(cpus, sizeof cpus, "%d", i);
        put(&document, 0, "cluster", pool_strdup(&document.pool, cpus));
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
        cmocka_unit_test(experiments_are_the_same_in_all_documents),
        cmocka_unit_test(a_name_has_the_standard_one_first),
        cmocka_unit_test(names_are_found_in_the_documents_order),
        cmocka_unit_test(twins_are_of_one_name_and_the_same_cpus),
        cmocka_unit_test(the_standard_experiment_comes_first),
        cmocka_unit_test(a_hundred_thousand_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
