#include "conclude/levels/of_document.h"
#include "document/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct factor forward[] = {{"order", "forward", NAN}};

static struct finding *add(struct document *document, const char *name, const char *unit)
{
    return sample_finding(document, &document->probes[0], name, unit, 7, 0);
}

/* A document of a machine and a probe without findings. */
static void begin(struct document *document)
{
    sample_document(document, 2, 1);
    document->probe_count = 1;
    document->probes[0].finding_count = 0;
}

static void collect(struct levels *levels, const struct document *document)
{
    assert_int_equal(levels_of_document(levels, document, NULL), 0);
}

static void names_of_other_tools_are_no_levels(void **state)
{
    struct document document;
    struct levels levels;
    begin(&document);
    add(&document, "syscall.latency", "ns");
    add(&document, "pipe.capacity", "B");
    add(&document, "L2.latency.old", "ns");
    add(&document, "L2.latency", "B"); /* a size is none of a level's latency */
    add(&document, "gpu0.L1.latency", "cycles");
    collect(&levels, &document);
    assert_int_equal(levels.count, 0);
    add(&document, "L2.capacity", "B");
    collect(&levels, &document);
    assert_int_equal(levels.count, 1);
    assert_string_equal(levels.list[0].name, "L2");
    document_free(&document);
}

static void every_experiment_has_a_row_and_the_standard_one_comes_first(void **state)
{
    struct document document;
    struct levels levels;
    begin(&document);
    struct finding *other = add(&document, "L2.latency", "cycles");
    other->factors = forward;
    other->factor_count = other->deviations = 1;
    add(&document, "L2.latency", "cycles")->value = 17;
    add(&document, "DRAM.latency", "ns");
    collect(&levels, &document);
    assert_int_equal(levels.count, 3);
    assert_true(levels.list[0].facts[FACT_LATENCY]->value == 17);
    assert_int_equal(levels.list[0].experiment, 0);
    assert_string_equal(levels.list[1].example->factors->text, "forward");
    assert_string_equal(levels.list[2].name, "DRAM");
    document_free(&document);
}

static void what_has_no_room_is_counted(void **state)
{
    enum { MORE = 6 };
    struct document document;
    struct levels levels;
    struct factor factors[LEVELS_MAX + MORE];
    begin(&document);
    for (size_t i = 0; i < LEVELS_MAX + MORE - 1; i++) {
        struct finding *finding = add(&document, "L2.latency", "cycles");
        factors[i] = (struct factor){"k", NULL, (double)i};
        finding->factors = &factors[i];
        finding->factor_count = finding->deviations = 1;
    }
    add(&document, "L2.latency", "cycles"); /* the standard one always has its row */
    collect(&levels, &document);
    assert_int_equal(levels.count, LEVELS_MAX);
    assert_int_equal(levels.left_out, MORE);
    assert_int_equal(levels.list[0].experiment, 0);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_other_tools_are_no_levels),
        cmocka_unit_test(every_experiment_has_a_row_and_the_standard_one_comes_first),
        cmocka_unit_test(what_has_no_room_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
