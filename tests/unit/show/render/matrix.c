#include "capture.h"

#include "show/render/parts.h"
#include "show/report/parts.h"
#include "stats/sample.h"

static const struct text_style plain = {.width = 80};

static char *draw(struct report *report, const struct text_style *style)
{
    struct capture capture = {0};
    draw_report(capture_begin(&capture), report, style);
    pool_free(&test_pool);
    return capture_end(&capture);
}

static char *print(const struct document *document, const struct text_style *style, bool whole)
{
    struct report report;
    const struct probe_result *probe = &document->probes[1];
    report_begin(&report, &test_pool, &document, 1);
    report_add_matrix(&report, 0, probe, &probe->series[0], whole);
    return draw(&report, style);
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void add_cluster(struct document *document, const char *cpus, double ns, const char *says)
{
    struct finding *finding =
        sample_finding(document, &document->probes[1], "cluster", "ns", ns, 0);
    finding->cpus = cpus;
    finding->text = says;
}

static const struct text_style maps[] = {{.width = 40},
                                         {.width = 40, .blocks = true, .colour = true},
                                         {.width = 80},
                                         {.width = 80, .blocks = true},
                                         {.width = 80, .blocks = true, .colour = true},
                                         {.width = 200},
                                         {.width = 200, .blocks = true, .colour = true}};

/* Pairs and halves of the CPUs, as sample_handoff_ns() has them; each half before its pairs. */
static void add_clusters(struct document *document, int cpus)
{
    for (int half = 0; half < 2; half++) {
        char *list =
            pool_printf(&document->pool, "%d-%d", half * cpus / 2, (half + 1) * cpus / 2 - 1);
        add_cluster(document, list, 55, "a half");
        for (int cpu = half * cpus / 2; cpu < (half + 1) * cpus / 2; cpu += 2)
            add_cluster(document, pool_printf(&document->pool, "%d-%d", cpu, cpu + 1), 20,
                        "two threads");
    }
}

static void every_matrix_fits_every_width(void **state)
{
    static const int sizes[] = {16, 64, 128, 512};
    /* Most of the time is the largest one's. */
    const size_t count = sizeof sizes / sizeof *sizes - (sample_each() > 1);
    for (size_t i = 0; i < count; i++)
        for (int clusters = 0; clusters < 2; clusters++) {
            struct document document;
            sample_document(&document, sizes[i], 1);
            if (clusters)
                add_clusters(&document, sizes[i]);
            for (size_t m = 0; m < sizeof maps / sizeof *maps; m++)
                for (int whole = 0; whole < 2; whole++) {
                    char *text = print(&document, &maps[m], whole);
                    assert_fits(text, (size_t)maps[m].width);
                    if (whole)
                        assert_non_null(strstr(text, "Max"));
                    if (sizes[i] > 64 && whole)
                        assert_non_null(strstr(text, "csv-matrix"));
                    assert_in_range(count_lines(text), whole ? 2 : 1, maps[m].width + 8);
                    free(text);
                }
            document_free(&document);
        }
}

/* Names of groups that have no room beside their rows stand below these, whole. */
static void long_lists_of_cpus_stand_below_the_groups(void **state)
{
    char lists[2][256] = {"", ""};
    struct document document;
    sample_document(&document, 64, 1);
    for (int cpu = 0; cpu < 64; cpu++) {
        char *list = lists[cpu % 2];
        snprintf(list + strlen(list), sizeof lists[0] - strlen(list), "%s%d", *list ? "," : "",
                 cpu);
    }
    add_cluster(&document, lists[0], 55, "a");
    add_cluster(&document, lists[1], 55, "b");
    char *text = print(&document, &plain, true);
    assert_non_null(strstr(text, "\n  A: 0,2,4,6,"));
    assert_non_null(strstr(text, "\n     52,54,56,58,60,62\n  B: 1,3,5,"));
    assert_fits(text, 80);
    free(text);
    document_free(&document);
}

static void maps_are_as_before(void **state)
{
    const struct text_style terminal = {.width = 40, .blocks = true, .colour = true};
    struct document document;
    sample_document(&document, 64, 1);
    assert_golden(print(&document, &terminal, true), "matrix-values.txt");
    add_clusters(&document, 64);
    assert_golden(print(&document, &terminal, true), "matrix-groups.txt");
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_matrix_fits_every_width),
        cmocka_unit_test(long_lists_of_cpus_stand_below_the_groups),
        cmocka_unit_test(maps_are_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
