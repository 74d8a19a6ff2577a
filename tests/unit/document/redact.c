#include "document/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "document/json.h"

static int redact(void *with)
{
    document_redact(with);
    return 0;
}

/* The redacted document as JSON; the caller frees. */
static char *redacted(struct document *document)
{
    char *text = NULL;
    size_t size = 0;
    struct error error = {0};
    assert_int_equal(pool_enter(&document->pool, redact, document, &error), 0);
    FILE *stream = open_memstream(&text, &size);
    assert_int_equal(document_write(document, stream, &error), 0);
    fclose(stream);
    return text;
}

static void names_are_nowhere_in_the_document(void **state)
{
    struct document document;
    struct gpu_facts gpu = {.uuid = "GPU-1234", .host_node = NAN, .other_processes = NAN};
    struct remark remark = {"node17 is loaded", "see /data/ann/log, and /proc/stat",
                            "ask ann@node17.example, not node170"};
    struct factor parameter = {.name = "samples", .text = "~/secret/x.csv", .number = NAN};
    sample_document(&document, 2, 1);
    document.machine.hostname = "node17";
    document.machine.model_of = "jobs.json with L1.latency=+5%";
    document.machine.gpus = &gpu;
    document.machine.gpu_count = 1;
    document.conditions.remarks = &remark;
    document.conditions.remark_count = 1;
    document.probes[0].parameters = &parameter;
    document.probes[0].parameter_count = 1;
    document.probes[0].reason = "cannot open '/srv/jobs/ann/a b'";
    document.probes[1].series[0].points[0].failed = "node17: out of memory";
    char *text = redacted(&document);
    static const char *const gone[] = {"\"node17", "node17 ", "node17.", "GPU-1234",
                                       "/home",    "secret",  "jobs"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        if (strstr(text, gone[i]))
            fail_msg("%s is still there", gone[i]);
    static const char *const there[] = {
        "HOST is loaded",       "see PATH, and /proc/stat", "not node170",
        "\"samples\":\"PATH\"", "HOST: out of memory",      "\"a document with L1.latency=+5%\""};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        if (!strstr(text, there[i]))
            fail_msg("%s is not there", there[i]);
    free(text);
    document_free(&document);
}

static void a_document_without_names_stays_as_it_is(void **state)
{
    struct document document;
    struct error error = {0};
    char *before = NULL;
    size_t size = 0;
    sample_document(&document, 2, 1);
    document.machine.hostname = NULL;
    FILE *stream = open_memstream(&before, &size);
    assert_int_equal(document_write(&document, stream, &error), 0);
    fclose(stream);
    char *after = redacted(&document);
    assert_string_equal(after, before);
    free(before);
    free(after);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_nowhere_in_the_document),
        cmocka_unit_test(a_document_without_names_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
