/* What all CPUs read from DRAM, beside what the modules' channels could carry. */
#include "conclude/analyse.h"
#include "document/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void read_nodes(struct document *document)
{
    struct error error = {0};
    char path[512];
    const char *source = getenv("FATHOM_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/declared/nodes.json", source ? source : ".");
    if (document_read(document, path, &error) < 0)
        fail_msg("%s", error.text);
}

/* Analysed anew: what stood there before is gone. */
static const struct finding *analysed(struct document *document, const char *name)
{
    struct error error = {0};
    const char *remarks;
    for (size_t i = 0; i < document->probe_count; i++)
        document->probes[i].finding_count = 0;
    if (document_analyse(document, &remarks, &error) < 0)
        fail_msg("%s", error.text);
    const struct finding *finding = document_finding(document, name);
    assert_non_null(finding);
    return finding;
}

static void fewer_cores_or_unknown_channels_are_not(void **state)
{
    struct document document;
    read_nodes(&document);
    document.machine.cores = 17;
    assert_true(isnan(analysed(&document, "bandwidth.read.all")->declared));
    document.machine.cores = 0; /* unknown */
    assert_true(isnan(analysed(&document, "bandwidth.read.all")->declared));
    document.machine.cores = 16;
    document.machine.declared.modules[0].configured_mts = 0;
    document.machine.declared.modules[0].rated_mts = 0;
    const struct finding *all = analysed(&document, "bandwidth.read.all");
    assert_true(isnan(all->declared));
    assert_string_equal(all->text, "16 CPUs together");
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_cores_or_unknown_channels_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
