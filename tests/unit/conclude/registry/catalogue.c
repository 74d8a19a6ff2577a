#include "conclude/registry/catalogue.h"
#include "document/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
    (void)state;
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
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(experiments_are_the_same_in_all_documents),
        cmocka_unit_test(a_name_has_the_standard_one_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
