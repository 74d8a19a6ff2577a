#include "capture.h"

#include "render/parts.h"

static const struct view_style plain = {.width = 80};

static char *print(const struct document *document, const struct view_style *style, bool whole)
{
    struct capture capture = {0};
    const struct probe_result *probe = &document->probes[1];
    matrix_print(capture_begin(&capture), probe, &probe->series[0], style, whole);
    return capture_end(&capture);
}

static void pairs_that_failed_are_marked_and_counted(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 4, 1);
    struct series *series = &document.probes[1].series[0];
    series->points[0].y = summary_of_nothing();
    series->point_count--;
    char *text = print(&document, &plain, true);
    assert_non_null(strstr(text, "  0       -       x "));
    assert_non_null(strstr(text, "       x       -\n"));
    assert_non_null(strstr(text, "x: 2 pairs could not be measured\n"));
    free(text);
    document_free(&document);
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

static void the_closing_line_names_the_pairs(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    struct point *points = document.probes[1].series[0].points;
    points[0].from = 29;
    points[0].to = 28;
    points[0].y.median = 163.9f;
    points[1].from = 3;
    points[1].to = 7;
    points[1].y.median = 52.1f;
    char *text = print(&document, &plain, true);
    const char *closing = "\nMin 52.1 (3,7)  Max 163.9 (29,28)  Mean 108.0 ns\n";
    assert_string_equal(text + strlen(text) - strlen(closing), closing);
    free(text);
    document_free(&document);
}

static void a_matrix_too_wide_for_a_summary_is_shown_by_its_values(void **state)
{
    (void)state;
    const struct view_style terminal = {.width = 80, .blocks = true};
    struct document document;
    sample_document(&document, 64, 1);
    char *text = print(&document, &terminal, false);
    assert_non_null(strstr(text, "pairs by value"));
    assert_non_null(strstr(text, "\nMin 20.0 (12,13)  Max 147.0 (0,38)"));
    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        assert_true(strcspn(line, "\n") <= 3 * 80);
    free(text);
    text = print(&document, &plain, true);
    assert_non_null(strstr(text, " 63\n")); /* whole, however wide */
    free(text);
    document_free(&document);
}

static void scattered_ids_become_a_list(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 60, 1);
    struct series *series = &document.probes[1].series[0];
    for (size_t i = 0; i < series->point_count; i++) {
        series->points[i].from = (int)i * 1000;
        series->points[i].to = (int)i * 1000 + 1;
    }
    char *text = print(&document, &plain, true);
    assert_non_null(strstr(text, "    1000 -> 1001     "));
    free(text);
    document_free(&document);
}

static void a_thousand_cpus_are_printed(void **state)
{
    (void)state;
    const struct view_style terminal = {.width = 80, .blocks = true, .colour = true};
    struct document document;
    sample_document(&document, 1000, 1);
    char *text = print(&document, &terminal, true);
    assert_true(strlen(text) > 1000 * 1000 * 4);
    free(text);
    document_free(&document);
}

static void nothing_measured_is_said(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    document.probes[1].series[0].point_count = 0;
    char *text = print(&document, &plain, true);
    assert_string_equal(text, "  nothing was measured\n");
    free(text);
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

static void scatter_is_told_in_words(void **state)
{
    (void)state;
    const struct view_style wide = {.width = 200};
    struct document document;
    sample_document(&document, 4, 1);
    char *text = print(&document, &wide, true);
    assert_non_null(strstr(text, "  Scatter of a typical pair (standard deviation): from line to "
                                 "line 12.5 %, drift through the run 1.56 %\n"));
    free(text);
    document_free(&document);
}

static void why_pairs_failed_is_told_below(void **state)
{
    (void)state;
    const struct view_style wide = {.width = 200};
    struct document document;
    sample_document(&document, 4, 1);
    for (size_t i = 0; i < 3; i++) {
        document.probes[1].series[0].points[i].y = summary_of_nothing();
        document.probes[1].series[0].points[i].failed =
            i == 2 ? "CPU 3 is \033[1moffline" : "starved";
    }
    struct capture capture = {0};
    view_text_probe(capture_begin(&capture), &document, &document.probes[1], &wide);
    char *text = capture_end(&capture);
    assert_inert(text);
    assert_non_null(strstr(text, "! 2 cores pairs failed, (0,1) first: starved\n"));
    assert_non_null(strstr(text, "! 1 cores pair failed, (0,3) first: CPU 3 is ?[1moffline\n"));
    assert_non_null(strstr(text, "x: 3 pairs could not be measured"));
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

static char *print_clusters(const struct document *document, bool whole)
{
    struct capture capture = {0};
    struct catalogue catalogue;
    assert_true(catalogue_build(&catalogue, &document, 1));
    clusters_print(capture_begin(&capture), &catalogue, &document->probes[1], &plain, whole);
    catalogue_free(&catalogue);
    return capture_end(&capture);
}

static void clusters_are_shown_as_a_tree(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 8, 1);
    char *text = print_clusters(&document, true);
    assert_string_equal(text, "");
    free(text);
    add_cluster(&document, "0-3", 55.25, "looks like a core complex");
    add_cluster(&document, "0-1", 20, "looks like two threads");
    add_cluster(&document, "2-3", 21, "looks like two threads");
    add_cluster(&document, "4-7", 56, "looks like a core complex; not declared");
    struct finding *other =
        sample_finding(&document, &document.probes[1], "cluster.disagreement", "", 0, 0);
    other->cpus = "4-7";
    other->text = "CPUs 4-7 behave as one cluster; declared as separate";
    text = print_clusters(&document, true);
    assert_string_equal(
        text, "\nclusters\n"
              "  0-3                     55.2 ns  looks like a core complex\n"
              "    0-1                   20.0 ns  looks like two threads\n"
              "    2-3                   21.0 ns  looks like two threads\n"
              "  4-7                     56.0 ns  looks like a core complex; not declared\n"
              "  ! CPUs 4-7 behave as one cluster; declared as separate\n");
    free(text);
    text = print_clusters(&document, false);
    assert_string_equal(text, "  Clusters: 2 of 2 CPUs (20.0 to 21.0), 2 of 4 CPUs (55.2 to 56.0)\n"
                              "  ! CPUs 4-7 behave as one cluster; declared as separate\n");
    free(text);
    document_free(&document);
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
    for (int whole = 0; whole < 2; whole++) {
        char *text = print_clusters(&document, whole);
        assert_inert(text);
        free(text);
    }
    document_free(&document);
}

static void matrices_become_csv_squares(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 3, 1);
    document.probes[1].series[0].points[1].y = summary_of_nothing();
    char *text = capture_output("csv-matrix", &document);
    assert_string_equal(text, "cpu handoff cas ns,0,1,2\n0,,21.4,\n1,24.9,,140\n2,142.1,143.5,\n");
    free(text);
    document_free(&document);
    sample_hostile(&document);
    text = capture_output("csv-matrix", &document);
    assert_inert(text);
    assert_null(strchr(text, '"'));
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
    char *text = print_clusters(&document, true);
    assert_string_equal(text, "\nclusters\n"
                              "  0-1                     20.0 ns  looks like two threads\n");
    free(text);
    text = print_clusters(&document, false);
    assert_string_equal(text, "  Clusters: 1 of 2 CPUs (20.0)\n");
    free(text);
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
    char *text = print_clusters(&document, true);
    assert_string_equal(text, "\nclusters\n"
                              "  0-3                     55.0 ns  a\n"
                              "  home 1:\n"
                              "  0-1                     20.0 ns  b\n");
    free(text);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_that_failed_are_marked_and_counted),
        cmocka_unit_test(rows_stand_in_the_order_of_the_points),
        cmocka_unit_test(doubtful_pairs_are_marked),
        cmocka_unit_test(the_closing_line_names_the_pairs),
        cmocka_unit_test(a_matrix_too_wide_for_a_summary_is_shown_by_its_values),
        cmocka_unit_test(scattered_ids_become_a_list),
        cmocka_unit_test(a_thousand_cpus_are_printed),
        cmocka_unit_test(nothing_measured_is_said),
        cmocka_unit_test(one_direction_is_no_loss),
        cmocka_unit_test(a_triangle_has_the_mean_of_both_directions),
        cmocka_unit_test(labels_stand_beside_the_rows),
        cmocka_unit_test(scatter_is_told_in_words),
        cmocka_unit_test(why_pairs_failed_is_told_below),
        cmocka_unit_test(clusters_are_shown_as_a_tree),
        cmocka_unit_test(odd_clusters_do_no_harm),
        cmocka_unit_test(matrices_become_csv_squares),
        cmocka_unit_test(a_cluster_of_more_cpus_than_there_are_is_none),
        cmocka_unit_test(clusters_of_another_experiment_are_another_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
