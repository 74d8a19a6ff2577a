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

static void rows_stand_in_the_order_of_the_points(void **state)
{
    (void)state;
    static const int order[] = {0, 2, 1};
    struct document document;
    sample_document(&document, 3, 1);
    struct series *series = &document.probes[1].series[0];
    size_t count = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            if (r != c) {
                series->points[count].from = order[r];
                series->points[count].to = order[c];
                series->points[count++].y.median = (float)(10 * (order[r] + 1) + order[c]);
            }
    assert_int_equal(series->point_count, count);
    char *text = print(&document, &plain, true);
    assert_non_null(strstr(text, "       0      2      1\n"));
    assert_non_null(strstr(text, "  0      -   12.0   11.0\n  2   30.0      -   31.0\n"
                                 "  1   20.0   22.0      -\n"));
    free(text);
    /* Points that come in no order of rows stand by their ids. */
    struct point first = series->points[0];
    series->points[0] = series->points[5];
    series->points[5] = first;
    text = print(&document, &plain, true);
    assert_non_null(strstr(text, "  1   20.0      -   22.0\n  2   30.0   31.0      -\n"));
    free(text);
    document_free(&document);
}

static void doubtful_pairs_are_marked(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    document.probes[1].series[0].points[0].flags = FLAG_BIT(FLAG_STOLEN);
    document.probes[1].series[0].points[1].flags = FLAG_BIT(FLAG_VIRTUAL_MACHINE);
    char *text = print(&document, &plain, true);
    assert_non_null(strstr(text, "  0      -  !73.4\n  1   76.9      -\n"));
    free(text);
    document_free(&document);
}

static void a_matrix_too_wide_for_a_summary_is_shown_by_its_values(void **state)
{
    (void)state;
    const struct text_style terminal = {.width = 80, .blocks = true};
    struct document document;
    sample_document(&document, 64, 1);
    char *text = print(&document, &terminal, false);
    assert_non_null(strstr(text, "pairs by value"));
    assert_fits(text, 80);
    free(text);
    document_free(&document);
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
    (void)state;
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

static void clusters_make_a_wide_matrix_one_of_groups(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 64, 1);
    add_clusters(&document, 64);
    document.probes[1].series[0].points[0].y = summary_of_nothing();
    char *text = print(&document, &plain, true);
    assert_non_null(strstr(
        text, "                     A            B\n"
              "  A 0-31          58.5        143.5\n"
              "             20.0-62.0  140.0-147.0\n"
              "  B 32-63        143.5         58.5\n"
              "           140.0-147.0    20.0-62.0\n"
              "  Medians both ways, within and between groups, and their least and greatest\n"
              "  value\n"
              "  Every number: fathom report -f csv-matrix FILE; as a picture: -f svg\n"
              "  x: 1 pair could not be measured\n"));
    free(text);
    /* Where there is room, the groups within them; too narrow for ranges, the widest one is shown.
     */
    const struct text_style wide = {.width = 200};
    text = print(&document, &wide, true);
    assert_non_null(strstr(text, "  AF 62-63 "));
    assert_non_null(strstr(text, "; widest "));
    free(text);
    document_free(&document);
}

/* Of a triangle no row has the first CPU, and no column the last one. */
static void half_a_matrix_is_grouped_too(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 64, 1);
    struct series *series = &document.probes[1].series[0];
    size_t kept = 0;
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].from > series->points[i].to)
            series->points[kept++] = series->points[i];
    series->point_count = kept;
    add_clusters(&document, 64);
    char *text = print(&document, &plain, true);
    assert_non_null(strstr(text, "                     A            B\n"
                                 "  A 0-31          58.5\n"
                                 "             20.0-62.0\n"
                                 "  B 32-63        143.5         58.5\n"));
    free(text);
    document_free(&document);
}

/* CPUs that are in no cluster stand alone; where most do, groups show nothing. */
static void single_cpus_are_groups_of_their_own(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 64, 1);
    add_cluster(&document, "0-29", 55, "a");
    add_cluster(&document, "34-63", 55, "b");
    char *text = print(&document, &plain, true);
    assert_non_null(strstr(text, "\n  B 30 "));
    assert_non_null(strstr(text, "\n  F 34-63 "));
    assert_null(strstr(text, "21-21")); /* a single pair has no range */
    free(text);
    document_free(&document);
    sample_document(&document, 64, 1);
    add_cluster(&document, "0-1", 20, "a");
    text = print(&document, &plain, true);
    assert_null(strstr(text, "Medians")); /* no groups */
    free(text);
    document_free(&document);
}

/* Names of groups that have no room beside their rows stand below these, whole. */
static void long_lists_of_cpus_stand_below_the_groups(void **state)
{
    (void)state;
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
    (void)state;
    const struct text_style terminal = {.width = 40, .blocks = true, .colour = true};
    struct document document;
    sample_document(&document, 64, 1);
    assert_golden(print(&document, &terminal, true), "matrix-values.txt");
    add_clusters(&document, 64);
    assert_golden(print(&document, &terminal, true), "matrix-groups.txt");
    document_free(&document);
}

/* A matrix of which only one direction of each pair was measured has no hole in the other. */
static void one_direction_is_no_loss(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 3, 1);
    struct series *series = &document.probes[1].series[0];
    size_t kept = 0;
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].from > series->points[i].to)
            series->points[kept++] = series->points[i];
    series->point_count = kept;
    char *text = print(&document, &plain, true);
    assert_non_null(
        strstr(text, "          0       1\n  1    24.9       -\n  2   142.1   143.5\n"));
    assert_null(strstr(text, "could not be measured"));
    free(text);
    document_free(&document);
}

static void a_triangle_has_the_mean_of_both_directions(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 3, 1);
    struct probe_result *probe = &document.probes[1];
    sample_factor(&document, &probe->parameters, &probe->parameter_count, "triangle");
    probe->series[0].points[0].y.median = 100; /* 0 to 1 */
    probe->series[0].points[2].y.median = 110; /* 1 to 0 */
    probe->series[0].points[1].y = summary_of_nothing();
    char *text = print(&document, &plain, true);
    assert_non_null(strstr(text, "  0       -\n  1   105.0       -\n"));
    assert_null(strstr(text, "could not be measured"));
    free(text);
    document_free(&document);
}

static void labels_stand_beside_the_rows(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    struct probe_result *probe = &document.probes[1];
    struct factor *labels =
        sample_factor(&document, &probe->parameters, &probe->parameter_count, "cpu_labels");
    labels->text = "0=c0.0 1=c12.1";
    char *text = print(&document, &plain, true);
    assert_non_null(strstr(text, "               0      1\n  0  c0.0      -   73.4\n"
                                 "  1 c12.1   76.9      -\n"));
    free(text);
    static const char *const odd[] = {
        "",  "x", "=", "0", "0=", "9999999999999999=a", "-1=b", "0=a-label-that-is-far-too-long",
        NULL};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        labels->text = odd[i];
        text = print(&document, &plain, true);
        assert_non_null(strstr(text, "  0      -   73.4\n"));
        free(text);
    }
    document_free(&document);
}

static void why_pairs_failed_is_reported_below(void **state)
{
    (void)state;
    const struct text_style wide = {.width = 200};
    struct document document;
    sample_document(&document, 4, 1);
    for (size_t i = 0; i < 3; i++) {
        document.probes[1].series[0].points[i].y = summary_of_nothing();
        document.probes[1].series[0].points[i].failed =
            i == 2 ? "CPU 3 is \033[1moffline" : "starved";
    }
    char *text = capture_text(&document, &document.probes[1], &wide);
    assert_inert(text);
    assert_non_null(strstr(text, "  2 cores pairs failed, the first is (0,1): starved\n"));
    assert_non_null(
        strstr(text, "  1 cores pair failed, the first is (0,3): CPU 3 is ?[1moffline\n"));
    assert_non_null(strstr(text, "x: 3 pairs could not be measured"));
    free(text);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_stand_in_the_order_of_the_points),
        cmocka_unit_test(doubtful_pairs_are_marked),
        cmocka_unit_test(a_matrix_too_wide_for_a_summary_is_shown_by_its_values),
        cmocka_unit_test(every_matrix_fits_every_width),
        cmocka_unit_test(clusters_make_a_wide_matrix_one_of_groups),
        cmocka_unit_test(half_a_matrix_is_grouped_too),
        cmocka_unit_test(single_cpus_are_groups_of_their_own),
        cmocka_unit_test(long_lists_of_cpus_stand_below_the_groups),
        cmocka_unit_test(maps_are_as_before),
        cmocka_unit_test(one_direction_is_no_loss),
        cmocka_unit_test(a_triangle_has_the_mean_of_both_directions),
        cmocka_unit_test(labels_stand_beside_the_rows),
        cmocka_unit_test(why_pairs_failed_is_reported_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
