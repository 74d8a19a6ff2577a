/* Small texts in the forms of tools, and a value that each has to give. Those that name no format
 * are known by their text. */
#include "desk.h"

static const char lmbench[] =
    "*Local* Communication bandwidths in MB/s - bigger is better\n"
    "-----------------------------------------------------------------------------\n"
    "Host                OS  Pipe AF    TCP  File   Mmap  Bcopy  Bcopy  Mem   Mem\n"
    "                             UNIX      reread reread (libc) (hand) read write\n"
    "--------- ------------- ---- ---- ---- ------ ------ ------ ------ ---- -----\n"
    "box       Linux 5.10.0- 2345 5678      3456.7 9876.5 5432.1 4321.0 9876 6543.\n"
    "\n"
    "Memory latencies in nanoseconds - smaller is better\n"
    "    (WARNING - may not be correct, check graphs)\n"
    "------------------------------------------------------------------------------\n"
    "Host                 OS   Mhz   L1 $   L2 $    Main mem    Rand mem    Guesses\n"
    "--------- -------------   ---   ----   ----    --------    --------    -------\n"
    "box       Linux 5.10.0-  2400 1.6690 5.8420        17.5        95.3\n";

static const char perf[] = "# Running 'mem/memcpy' benchmark:\n"
                           "# function 'default' (Default memcpy() provided by glibc)\n"
                           "# Copying 1MB bytes ...\n\n"
                           "       8.000000 GB/sec\n"
                           "# function 'x86-64-unrolled' (unrolled memcpy())\n"
                           "# Copying 1MB bytes ...\n\n"
                           "     512.000000 MB/sec\n";

static const char report[] =
    "{\"metadata\": {\"version\": \"0.5.0\"}, \"memory\": {"
    "\"idle-latency\": {\"Node 0\": {\"Node 0\": 100.5, \"Node 1\": 190}},"
    "\"cross-numa-bandwidth\": {\"Node 0\": {\"Node 0\": 160, \"Node 1\": 40}},"
    "\"peak-bandwidth\": {\"Traffic type\": {\"0\": \"All Reads\", \"1\": \"2:1 Reads-Writes\"},"
    "\"Peak BW [GB/s]\": {\"0\": 169.6, \"1\": 157.3}},"
    "\"latency-sweep\": {\"Latency [ns]\": {\"L1\": 1.5, \"LLC\": 30, \"DRAM\": 101}},"
    "\"bandwidth-sweep\": {\"Level\": {\"0\": \"L2\"}, \"Bandwidth [GB/s]\": {\"0\": 73.4}},"
    "\"loaded-latency\": {\"Loaded latency [ns]\": {\"0\": 300}, \"Bandwidth [GB/s]\": {\"0\": "
    "150}}}}";

#define MLC "Intel(R) Memory Latency Checker - v3.1\n"
#define RUN "block size: 1KiB\noperation: read\nscope: global\n"

static const struct {
    const char *format, *text, *finding;
    double value;
    const char *factor, *is; /* of the finding; NULL: none */
} cases[] = {
    {"lmbench", lmbench, "L2.latency_ns", 5.842, NULL, NULL},
    {"lmbench", lmbench, "bandwidth.read.1", 9876e6, NULL, NULL},
    {"lmbench", lmbench, "bandwidth.write.1", 6543e6, NULL, NULL},
    {"perf-bench", perf, "bandwidth.copy.1", 8.0 * (1 << 30), "working set", "1 MiB"},
    {"asct", report, "L3.latency_ns", 30, NULL, NULL},
    {"asct", report, "L2.bandwidth.read", 73.4e9, NULL, NULL},
    {"asct", report, "bandwidth.reads2-writes1.all", 157.3e9, NULL, NULL},
    {"asct", report, "numa.latency.remote", 190, NULL, NULL},
    {"asct", report, "numa.bandwidth.remote", 40e9, NULL, NULL},
    {"mlc",
     MLC "Measuring Maximum Memory Bandwidths for the system\n"
         "Will take several minutes to complete as multiple injection rates will be tried\n"
         "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\n"
         "ALL Reads        :\t100000.0\t\n",
     "bandwidth.read.all", 100e9, NULL, NULL},
    {"mlc",
     MLC "Measuring Peak Memory Bandwidths for the system\nBandwidths are in GB/sec\n"
         "ALL Reads        :\t100.5\n",
     "bandwidth.read.all", 100.5e9, NULL, NULL},
    {"mlc",
     MLC "Measuring idle latencies (in ns)...\n\tMemory node\n Socket\t     0\t     1\t\n"
         "     0\t  80.0\t 130.0\t\n     1\t 131.0\t  81.0\n",
     "numa.latency.remote", 131, NULL, NULL},
    {"sysbench",
     "CPU 0:\n" RUN "1 MiB transferred (1000 MiB/sec)\nCPU 1:\n" RUN
     "1 MiB transferred (3000 MiB/sec)\n",
     "bandwidth.read.1", 1000.0 * (1 << 20), "on", "cpu0"},
    {"stream",
     "STREAM version $Revision: 5.10 $\nCopy: inf 0.0 0.0 0.0\nTriad: 20000 0.1 0.1 0.1\n"
     "STREAM version $Revision: 5.10 $\nCopy: 30000 0.1 0.1 0.1\nTriad: 30000 0.1 0.1 0.1\n",
     "bandwidth.triad.1", 25e9, "pass", "best"},
    {"mem-lat", "Buffer size: 1 MB, stride 64, time 0.007 s, latency 7.5 ns\n", NULL, 1 << 20, NULL,
     NULL},
    {"lats", "5,1048576,425.1\n5,2097152,425.2\n5,4194304,425.3\n", NULL, 1 << 20, NULL, NULL},
    {"mess",
     "read_pct_rounded,pause,bandwidth_mean,bandwidth_std,rd_percentage_actual_mean,latency_mean\n"
     "50,0,0,0,0.5,90\n50,100,10.5,0.1,0.51,90\n50,10,20,0.1,0.51,95\n",
     NULL, 10.5e9, NULL, NULL},
    {"mess",
     "read_pct_rounded,bandwidth_smooth,bandwidth_mean,latency_mean,latency_smooth\n"
     "50,11,10.5,90,91\n50,21,20,95,96\n",
     NULL, 11e9, NULL, NULL},
};

static void texts_of_tools_give_their_values(void **state)
{
    struct desk *desk = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(recognised(desk, cases[i].text), cases[i].format) != 0)
            fail_msg("%s: \"%s\", %s", cases[i].format, recognised(desk, cases[i].text),
                     desk->error.text);
        if (read_text(desk, import_format_by_name(cases[i].format), cases[i].text) != 0)
            fail_msg("%s", desk->error.text);
        const double value = cases[i].finding ? value_of(desk, cases[i].finding)
                                              : desk->document.probes[0].series[0].points[0].x;
        if (!(fabs(value / cases[i].value - 1) < 1e-6))
            fail_msg("%s: %s is %g", cases[i].format, cases[i].finding, value);
        if (cases[i].factor)
            assert_string_equal(factor_of(desk, cases[i].finding, cases[i].factor), cases[i].is);
    }
}

/* A copy of the text whose lines begin and end otherwise, after `before` and before `after`; the
 * caller frees it. */
static char *dressed(const char *text, const char *before, const char *begin, const char *end,
                     const char *after)
{
    char *out = calloc(8 * strlen(text) + 256, 1), *at = out;
    assert_non_null(out);
    at += sprintf(at, "%s", before);
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        at += sprintf(at, "%s%.*s%s", begin, (int)strcspn(text, "\n"), text, end);
    sprintf(at, "%s", after);
    return out;
}

static void what_stands_around_a_table_changes_nothing(void **state)
{
    static const struct {
        const char *before, *begin, *end, *after;
    } dresses[] = {
        {"\xef\xbb\xbf", "", "\r\n", ""},
        {"", "", "\r", ""},
        {"", "\x1b[1;32m", "\x1b[0m\n", "\x1b[?25h"},
        {"me@here:~/x$ ./tool --run\n", "", "  \n", "me@here:~/x$ exit\nlogout\n"},
        {"PS C:\\tools> .\\tool.exe\r\n", "", "\r\n", "\r\nPS C:\\tools>"},
        {"# Results\n\nOf a run on 3 nodes:\n\n```\n$ ./tool\n", "", "\n", "```\n\nThat is all.\n"},
        {"\n\n\n", "", "\n\n", "\n\n"},
    };
    struct desk *desk = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t d = 0; d < sizeof dresses / sizeof *dresses; d++) {
            char *text = dressed(cases[i].text, dresses[d].before, dresses[d].begin, dresses[d].end,
                                 dresses[d].after);
            if (read_text(desk, NULL, text) != 0)
                fail_msg("%s, %zu: %s", cases[i].format, d, desk->error.text);
            const double value = cases[i].finding ? value_of(desk, cases[i].finding)
                                                  : desk->document.probes[0].series[0].points[0].x;
            if (!(fabs(value / cases[i].value - 1) < 1e-6))
                fail_msg("%s, %zu: %s is %g", cases[i].format, d, cases[i].finding, value);
            free(text);
        }
}

/* Of several runs the document says how many, and what the tool takes of its passes. */
static void runs_are_counted(void **state)
{
    struct desk *desk = *state;
    const char *stream = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        stream = strcmp(cases[i].format, "stream") == 0 ? cases[i].text : stream;
    assert_int_equal(read_text(desk, import_format_by_name("stream"), stream), 0);
    const struct probe_result *bandwidth = &desk->document.probes[0];
    for (size_t i = 0; i < bandwidth->finding_count; i++)
        if (strcmp(bandwidth->findings[i].name, "bandwidth.triad.1") == 0)
            assert_string_equal(bandwidth->findings[i].text, "n = 2: the median of as many runs");
    assert_string_equal(desk->document.conditions.remarks[0].what,
                        "a value is the median of its n runs, each the best of its passes (n = 1 "
                        "to 2)");
    assert_string_equal(desk->unread,
                        "table was read as stream but for 1 line: line 2, 'Copy: inf 0.0 0.0 0.0'");
    assert_string_equal(desk->document.conditions.remarks[1].what, desk->unread);
}

/* A column is read by its name, and what a name does not say is asked. */
static void columns_are_read_by_their_names(void **state)
{
    static const struct {
        const char *text;
        double ns, cycles; /* of the first point */
        const char *unread;
    } tables[] = {
        {"size_bytes,stride,latency_ns\n4096,64,1.5\n8192,64,1.5\n", 1.5, NAN, ""},
        {"size_kb,latency_ns,stddev\n4,1.5,0.1\n8,1.5,0.1\n", 1.5, NAN, "stddev"},
        {"size_kb,threads,ns\n4,1,1.5\n8,1,1.5\n", 1.5, NAN, ""},
        {"size,min,median,max\n4K,1,1.5,9\n8K,1,1.5,9\n", 1.5, NAN, "min, max"},
        {"tamano_bytes,stride_bytes,latencia_ns\n4096,64,1.5\n8192,64,1.6\n", 1.5, NAN, ""},
        {"size_bytes,size_label,latencia_ns\n4096,4K,1.5\n8192,8K,1.5\n", 1.5, NAN, "size_label"},
        {"size_bytes,iterations,ns,cycles\n4096,1000,1.5,4.5\n8192,1000,1.5,4.5\n", 1.5, 4.5,
         "iterations"},
        {"# size_kb latency_ns\n4 1.5\n8 1.5\n", 1.5, NAN, ""},
        {"# latency in us\n64K 0.0015\n128K 0.0015\n", 1.5, NAN, ""},
        {"4K 1.5 4.5\n8K 1.5 4.5\n", 1.5, 4.5, ""},
        {"# made by hand\n4K 1.5\n8K 1.5\n", 1.5, NAN, ""},
        {"row,size_kb,ns\n1,4,1.5\n2,8,1.5\n", 1.5, NAN, "row"},
        {"size,load/s,ns\n4K,9,1.5\n8K,9,1.5\n", 1.5, NAN, "load/s"},
        {"size_read,ns\n4K,1.5\n8K,1.5\n", 1.5, NAN, ""},
        {"kb_read,ns\n4,1.5\n8,1.5\n", 1.5, NAN, ""},
        {"size,time_ns,latency_ns\n4K,9,1.5\n8K,9,1.5\n", 1.5, NAN, "time_ns"},
        {"Size (KB)  Latency (ns)\n4  1.5\n8  1.5\n", 1.5, NAN, ""},
    };
    struct desk *desk = *state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (read_text(desk, &curve_format, tables[i].text) != 0)
            fail_msg("%s%s", tables[i].text, desk->error.text);
        const struct point *point = &desk->document.probes[0].series[0].points[0];
        if (fabs((double)point->y.median - tables[i].ns) > 1e-6 ||
            strcmp(desk->text.columns, tables[i].unread) != 0)
            fail_msg("%s%g, \"%s\"", tables[i].text, (double)point->y.median, desk->text.columns);
        assert_true(isnan(tables[i].cycles) ||
                    fabs((double)point->cycles.median - tables[i].cycles) < 1e-6);
    }
    assert_refused(desk, &curve_format, "4K 1.5 0.1\n8K 1.5 0.2\n", "--columns");
    assert_refused(desk, &curve_format, "4K 30000 1.5\n8K 30000 1.5\n", "--columns");
    assert_refused(desk, &curve_format, "size,ns\n4K,0.05\n8K,0.05\n", "outside of what there is");
    assert_int_equal(settings_set(&desk->settings, "columns", "size,-,ns", NULL), 0);
    assert_int_equal(read_text(desk, &curve_format, "4K 30000 1.5\n8K 30000 1.5\n"), 0);
    assert_true(desk->document.probes[0].series[0].points[0].y.median == 1.5f);
}

static void matrices_have_units_and_come_in_pages(void **state)
{
    static const struct {
        const char *text;
        double first;
        size_t series;
    } tables[] = {
        {"from,to,us\n0,1,0.12\n1,0,0.12\n", 120, 1},
        {"us,0,1\n0,,0.12\n1,0.12,\n", 120, 1},
        {"# latency in us\n,0.1,0.2\n0.1,,0.3\n0.2,0.3,\n", 100, 1},
        {"Some words, and more.\n\n```\n      0     1\n0          10\n1    11\n```\nThe end, 5.\n",
         10, 1},
        {",10\n11,\n\n,20\n21,\n", 10, 2},
        {"    0  1\n0\n1 \x1b[1m  8\x1b[0m\x1b[2m\xf1"
         "1 \x1b[0m\n",
         8, 1},
        {"    0  1\n0\n1   8\xb1"
         "1\n",
         8, 1},
    };
    struct desk *desk = *state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (read_text(desk, &core_matrix_format, tables[i].text) != 0)
            fail_msg("%s%s", tables[i].text, desk->error.text);
        const struct probe_result *cores = &desk->document.probes[0];
        if (fabs((double)cores->series[0].points[0].y.median - tables[i].first) > 1e-4 ||
            cores->series_count != tables[i].series)
            fail_msg("%s%g", tables[i].text, (double)cores->series[0].points[0].y.median);
    }
    assert_refused(desk, &core_matrix_format, "from,to,ns\n0,1,0.05\n", "outside of what there is");
}

static void what_measures_no_memory_is_named(void **state)
{
    struct desk *desk = *state;
    assert_string_equal(recognised(desk, "available: 1 nodes (0)\nnode distances:\nnode   0\n"),
                        "");
    assert_non_null(strstr(desk->error.text, "is numactl's distances"));
    assert_string_equal(recognised(desk, "CPU speed:\n    events per second:  1000\n"), "");
    assert_non_null(strstr(desk->error.text, "'sysbench memory' measures memory"));
}

/* UTF-16 in both orders, as the shells of Windows write it. */
static void wide_text_is_read(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *said; /* NULL: it is read */
    } texts[] = {
        {"\xff\xfe,\0001\0000\000\n\0001\0001\000,\000", 16, NULL},
        {"\xfe\xff\000,\0001\0000\000\n\0001\0001\000,", 16, NULL},
        {"\xfe\xff\000,\0001\0000\000\n\0001\0001\000,\xd8\x3d\xde\x00", 20,
         "'\xf0\x9f\x98\x80' is no latency"},
        {"\xff\xfe"
         "1",
         3, "half a character"},
        {"\xff\xfe"
         "1\0\0\0",
         6, "NUL"},
        {"\xfe\xff\xd8\x3d", 4, "surrogate"},
        {"\xfe\xff\xd8\x3d\x00\x31", 6, "surrogate"},
        {"\xfe\xff\xde\x00\x00\x31", 6, "surrogate"},
    };
    struct desk *desk = *state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        document_free(&desk->document);
        desk->text = (struct import_text){
            .file = "table", .text = texts[i].bytes, .length = texts[i].length};
        const int code = import_read(&core_matrix_format, &desk->text, &desk->settings,
                                     &desk->document, &desk->unread, &desk->error);
        if (texts[i].said ? code == 0 || !strstr(desk->error.text, texts[i].said) : code < 0)
            fail_msg("%zu: %d, %s", i, code, desk->error.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(texts_of_tools_give_their_values),
        DESK_TEST(what_stands_around_a_table_changes_nothing),
        DESK_TEST(runs_are_counted),
        DESK_TEST(columns_are_read_by_their_names),
        DESK_TEST(matrices_have_units_and_come_in_pages),
        DESK_TEST(what_measures_no_memory_is_named),
        DESK_TEST(wide_text_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
