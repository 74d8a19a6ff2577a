#include "../render/capture.h"

#include "show/render/parts.h"
#include "show/report/parts.h"

static const struct text_style plain = {.width = 80};

static void add_cluster(struct document *document, const char *cpus, double ns, const char *says)
{
    struct finding *finding =
        sample_finding(document, &document->probes[1], "cluster", "ns", ns, 0);
    finding->cpus = cpus;
    finding->text = says;
}

static char *print(const struct document *document)
{
    struct report report;
    struct capture capture = {0};
    report_begin(&report, &test_pool, &document, 1);
    report_add_clusters(&report, 0, &document->probes[1]);
    draw_report(capture_begin(&capture), &report, &plain);
    pool_free(&test_pool);
    return capture_end(&capture);
}

/* In one line, and how many notes say that something is declared otherwise. */
static void assert_clusters(const struct document *document, const char *expected)
{
    struct report report;
    report_begin(&report, &test_pool, &document, 1);
    assert_string_equal(report_tell_clusters(&report, 0, &document->probes[1]), expected);
    pool_free(&test_pool);
}

static void odd_clusters_do_no_harm(void **state)
{
    (void)state;
    static const char *const lists[] = {NULL, "", "x", "3-1", "0-99999999999", HOSTILE, "0", "0-1"};
    struct document document;
    sample_document(&document, 8, 1);
    for (int round = 0; round < 4; round++)
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            add_cluster(&document, lists[i], i % 2 ? NAN : 1e300, i % 3 ? HOSTILE : NULL);
    char *text = print(&document);
    assert_inert(text);
    free(text);
    document_free(&document);
}

/* "0-1048575" is a few bytes and a million of CPUs: twenty thousand of these took minutes. */
static void a_cluster_of_more_cpus_than_there_are_is_none(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 8, 1);
    add_cluster(&document, "0-1048575", 55, "looks like all there is");
    add_cluster(&document, "0-99999999999999999999", 55, "looks like more");
    add_cluster(&document, "2-3,9-8,x", 55, "looks like nothing");
    add_cluster(&document, "0-1", 20, "looks like two threads");
    char *text = print(&document);
    assert_string_equal(text, "\nclusters              hand-off  what it looks like\n"
                              "  0-1                  20.0 ns  looks like two threads\n");
    free(text);
    assert_clusters(&document, "Clusters, ns: 1 with 2 CPUs (20.0)");
    document_free(&document);
}

static void clusters_of_another_experiment_are_another_tree(void **state)
{
    (void)state;
    struct document document;
    struct factor factors[] = {{"home", "1", NAN}};
    sample_document(&document, 8, 1);
    add_cluster(&document, "0-3", 55, "a");
    add_cluster(&document, "0-1", 20, "b");
    struct probe_result *probe = &document.probes[1];
    struct finding *other = &probe->findings[probe->finding_count - 1];
    other->factors = factors;
    other->factor_count = other->deviations = 1;
    char *text = print(&document);
    assert_string_equal(text, "\nclusters              hand-off  what it looks like\n"
                              "  0-3                  55.0 ns  a\n"
                              "  home 1:\n"
                              "  0-1                  20.0 ns  b\n");
    free(text);
    document_free(&document);
}

static void where_they_contradict_is_reported_once_on_the_first_screen(void **state)
{
    (void)state;
    struct document document;
    struct report report;
    sample_document(&document, 8, 1);
    for (int i = 0; i < 3; i++)
        sample_finding(&document, &document.probes[1], "cluster.disagreement", "", 0, 0)->text =
            i ? "a sentence" : NULL;
    const struct document *list = &document;
    report_begin(&report, &test_pool, &list, 1);
    report_add_cluster_notes(&report, 0, &document.probes[1], false);
    assert_int_equal(report.count, 1);
    assert_string_equal(report.list[0].note.what, "a sentence (and 2 more)");
    report_add_cluster_notes(&report, 0, &document.probes[1], true);
    assert_int_equal(report.count, 4);
    assert_string_equal(report.list[1].note.what, "declared otherwise");
    assert_null(report_tell_clusters(&report, 0, &document.probes[1]));
    pool_free(&test_pool);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_clusters_do_no_harm),
        cmocka_unit_test(a_cluster_of_more_cpus_than_there_are_is_none),
        cmocka_unit_test(clusters_of_another_experiment_are_another_tree),
        cmocka_unit_test(where_they_contradict_is_reported_once_on_the_first_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
