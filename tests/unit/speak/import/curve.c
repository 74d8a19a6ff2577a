#include "desk.h"

static const struct series *only(const struct desk *desk)
{
    assert_int_equal(desk->document.probe_count, 1);
    return &desk->document.probes[0].series[0];
}

static void rows_become_points_in_order(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(
        read_text(desk, &curve_format, "# a remark\nbytes,latency\n\n4K, 2\r\n1024,1\n4096;4\n"),
        0);
    const struct series *series = only(desk);
    assert_int_equal(series->point_count, 2);
    assert_true(series->points[0].x == 1024 && series->points[0].y.median == 1);
    assert_true(series->points[1].x == 4096 && series->points[1].y.median == 3);
    assert_int_equal(series->points[1].y.n, 2); /* a size that repeats is a trial more */
    assert_true(isnan(series->points[0].cycles.median));
    assert_int_equal(desk->document.probes[0].status, PROBE_PARTIAL);
    assert_non_null(strstr(desk->document.probes[0].reason, "three sizes"));
}

static void units_and_a_third_column_are_understood(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(settings_set(&desk->settings, "size-unit", "K", NULL), 0);
    assert_int_equal(read_text(desk, &curve_format, "0.5 2 6\n1 2 6\n"), 0);
    assert_true(only(desk)->points[0].x == 512);
    assert_true(only(desk)->points[0].y.median == 2 && only(desk)->points[0].cycles.median == 6);
    assert_int_equal(settings_set(&desk->settings, "unit", "cycles", NULL), 0);
    assert_int_equal(read_text(desk, &curve_format, "1\t6\t2\n"), 0);
    assert_true(only(desk)->points[0].y.median == 2 && only(desk)->points[0].cycles.median == 6);
    assert_int_equal(read_text(desk, &curve_format, "1,6\n"), 0);
    assert_string_equal(only(desk)->y.unit, "cycles");
    assert_true(only(desk)->points[0].y.median == 6);
}

/* Of lines of that many blanks around a latency the last digits were lost once. */
static void lines_may_be_of_any_length(void **state)
{
    struct desk *desk = *state;
    char text[1024];
    snprintf(text, sizeof text, "1K 1\n%247s4K 1.29%300s\r\n#%300s\n", "", "", "x");
    assert_int_equal(read_text(desk, &curve_format, text), 0);
    assert_true(fabs((double)only(desk)->points[1].y.median - 1.29) < 1e-6);
    snprintf(text, sizeof text, "\"stride=64\n%247s0.004 1.29\n", "");
    assert_int_equal(read_text(desk, &lat_mem_rd_format, text), 0);
    assert_true(fabs((double)only(desk)->points[0].y.median - 1.29) < 1e-6);
}

static void sizes_need_a_unit(void **state)
{
    struct desk *desk = *state;
    assert_refused(desk, &curve_format, "size,latency\n32,1\n", "line 2: size '32' has no unit");
    assert_int_equal(read_text(desk, &curve_format, "Region,Latency (ns)\n32,1\n"), 0);
    assert_true(only(desk)->points[0].x == 32768);
    assert_int_equal(read_text(desk, &curve_format, "size (MiB)\tns\n1\t5\n2K\t1\n"), 0);
    assert_true(only(desk)->points[0].x == 2048 && only(desk)->points[1].x == 1048576);
    assert_int_equal(settings_set(&desk->settings, "size-unit", "B", NULL), 0);
    assert_int_equal(read_text(desk, &curve_format, "size (MiB),ns\n2048,5\n"), 0);
    assert_true(only(desk)->points[0].x == 2048); /* what a person says counts */
}

static void names_tell_units(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &curve_format, "size,latency (cycles)\n4K,5\n"), 0);
    assert_string_equal(only(desk)->y.unit, "cycles");
    assert_refused(desk, &curve_format, "size,read GB/s\n4K,5\n", "names a bandwidth");
    assert_refused(desk, &curve_format, "# of bandwidth GB/s\n# size ns\n# size GB/s\n4K,5\n",
                   "line 3: speaks of bandwidths");
    assert_int_equal(read_text(desk, &curve_format, "# at 38 GB/s\n# size ns\n4K,5\n"), 0);
    assert_refused(desk, &core_matrix_format, "\n# GB/s\n,5\n5,\n", "line 2: speaks of");
    assert_int_equal(read_text(desk, &curve_format, "size,latency (us)\n64K,0.005\n"), 0);
    assert_true(only(desk)->points[0].y.median == 5);
    assert_refused(desk, &curve_format, "size,latency (us)\n4K,5\n", "outside of what there is");
}

/* A unit is a word of the name, however it is written; "kbytes" are no bytes. */
static void names_of_sizes_are_taken_by_word(void **state)
{
    static const struct {
        const char *name;
        double bytes;
    } known[] = {{"size_kb", 0x1p10},    {"kib", 0x1p10},      {"Size [KB]", 0x1p10},
                 {"SizeKB", 0x1p10},     {"kbytes", 0x1p10},   {"Kilobytes", 0x1p10},
                 {"SizeMBytes", 0x1p20}, {"array_mb", 0x1p20}, {"gibibytes", 0x1p30},
                 {"size_bytes", 1},      {"SizeBytes", 1},     {"size (B)", 1}};
    struct desk *desk = *state;
    char text[64];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        snprintf(text, sizeof text, "%s,ns\n32,1\n", known[i].name);
        assert_int_equal(read_text(desk, &curve_format, text), 0);
        assert_true(only(desk)->points[0].x == 32 * known[i].bytes);
    }
    assert_refused(desk, &curve_format, "table,ns\n32,1\n", "line 2: size '32' has no unit");
    assert_refused(desk, &curve_format, "KB,latency_ms\n32,1\n", "outside of what there is");
    assert_int_equal(read_text(desk, &curve_format, "KB,loads [ns]\n32,1\n"), 0);
}

static void commas_are_no_points(void **state)
{
    struct desk *desk = *state;
    assert_refused(desk, &curve_format, "4K;1,5\n8K;1,6\n", "line 1: latency '1,5' has a decimal");
    assert_refused(desk, &curve_format, "4K\t1.5\n8K\t1,6\n",
                   "line 2: latency '1,6' has a decimal");
}

static void options_of_other_formats_are_refused(void **state)
{
    static const struct {
        const char *option, *value;
        bool curve, matrix;
    } cases[] = {
        {"unit", "ns", true, true},
        {"size-unit", "K", true, false},
        {"op", "cas", false, true},
        {"ids", "no", false, true},
    };
    struct desk *desk = *state;
    const char *unread;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        settings_free(&desk->settings);
        assert_int_equal(settings_add(&desk->settings, import_options, NULL), 0);
        assert_int_equal(settings_set(&desk->settings, cases[i].option, cases[i].value, NULL), 0);
        for (size_t f = 0; import_formats[f]; f++) {
            const struct import_format *format = import_formats[f];
            const bool matrix =
                format == &core_matrix_format || format == &core_to_core_latency_format;
            const bool taken =
                (format == &curve_format && cases[i].curve) || (matrix && cases[i].matrix);
            /* Options are looked at first: the file need not be there. */
            assert_int_equal(import_file(format, "/nowhere/table", &desk->settings, &desk->document,
                                         &unread, &desk->error),
                             ERROR_USAGE);
            assert_true(taken == !strstr(desk->error.text, "does not take it"));
            assert_true(taken || (strstr(desk->error.text, cases[i].option) &&
                                  strstr(desk->error.text, format->name)));
            document_free(&desk->document);
        }
    }
}

static void curves_without_levels_say_why(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &curve_format, "1K,16\n2K,12\n4K,8\n8K,4\n16K,2\n"), 0);
    assert_non_null(strstr(desk->document.probes[0].reason, "falls"));
    assert_int_equal(read_text(desk, &curve_format, "1K,4\n1K,4\n1K,4\n1K,4\n"), 0);
    assert_int_equal(only(desk)->point_count, 1);
    assert_non_null(strstr(desk->document.probes[0].reason, "three sizes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(rows_become_points_in_order),
        DESK_TEST(units_and_a_third_column_are_understood),
        DESK_TEST(lines_may_be_of_any_length),
        DESK_TEST(sizes_need_a_unit),
        DESK_TEST(names_tell_units),
        DESK_TEST(names_of_sizes_are_taken_by_word),
        DESK_TEST(commas_are_no_points),
        DESK_TEST(options_of_other_formats_are_refused),
        DESK_TEST(curves_without_levels_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
