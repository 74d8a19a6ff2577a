/* What can't be read is refused by its line, with what is expected there. */
#include "desk.h"

#define MEM_LAT_LINE(size, stride, ns)                                                             \
    "Buffer size: " size " KB, stride " stride ", time 0.003942 s, latency " ns " ns\n"
#define MLC_LATENCY   "Measuring idle latencies (in ns)...\n"
#define MLC_TRANSFERS "Measuring cache-to-cache transfer latency (in ns)...\n"
#define MLC_LOADED    "Measuring Loaded Latencies for the system\n"
#define MULTICHASE_RUN(size, stride, ns)                                                           \
    "nr_threads = 1\npage_size = 4096 bytes\ntotal_memory = " size " (0.0 MiB)\nstride = " stride  \
    "\nchase = simple\nsamples (one column per thread, one row per sample):\n  9.000  "            \
    "avg=9.000\n" ns "\n"
#define MULTICHASE_NAMES                                                                           \
    "Samples\t, Byte/thd\t, ChaseThds\t, ChaseNS\t, ChaseMibs\t, ChDeviate\t, LoadThds\t, "        \
    "LdMaxMibs\t, LdAvgMibs\t, LdDeviate\t, ChaseArg\t, MemLdArg\n"
#define OSU_LATENCY   "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n"
#define SBC_RAMLAT    "Executing ramlat on cpu0 (Cortex-A53), results in ns:\n\n size:  1x32 1xPTR\n"
#define SBC_BLOCKS    "block size : single random read / dual random read, [MADV_HUGEPAGE]\n"
#define SYSBENCH_RATE "1024.00 MiB transferred (4096.00 MiB/sec)\n"

static const struct {
    const char *format, *text, *said;
} cases[] = {
    {"curve", "", "no line of size and latency"},
    {"curve", "size,latency\n", "no line of size and latency"},
    {"curve", "1K,1\n2K,nan\n", "line 2: latency 'nan'"},
    {"curve", "1K,1\n2K,inf\n", "line 2: latency 'inf'"},
    {"curve", "1K,1\n2K,-1\n", "line 2: latency '-1'"},
    {"curve", "1K,1\n\n2K,0\n", "line 3: latency '0'"},
    {"curve", "1K,1\n-5,2\n", "line 2: '-5' is no size"},
    {"curve", "1K,1\n4Q,2\n", "line 2: '4Q' is no size"},
    {"curve", "1K,1\nx,y\n", "line 2: 'x' is no size"},
    {"curve", "1K,1\nme@here 2\n", "line 2: 'me@here' is no size"},
    {"curve", "1024\n", "line 1: has one column"},
    {"curve", "# \n1024\n", "line 2: has one column"},
    {"curve", "1K,2,3,4\n", "line 1: has 4 columns and no names"},
    {"curve", "1K,1\n2K,2,6\n", "line 2: write 2 columns"},
    {"asct", "{\"memory\": {\"latency-sweep\": {\"Latency [ns]\": {\"L1\": 0}}}}",
     "memory/latency-sweep/Latency [ns]/L1: 0 ns is outside of what there is"},
    {"asct", "{\"memory\": {\"latency-sweep\": {\"Latency [ns]\": {\"L1\": \"\"}}}}",
     "Latency [ns]/L1: the value is no number"},
    {"asct", "", "is empty, and so no JSON"},
    {"lats", "5,1048576,0.01\n", "line 1: 0.01 cycles is outside of what there is"},
    {"perf-bench", "# Running 'mem/memcpy' benchmark:\n\n  GB/sec\n",
     "line 3: perf prints a rate here"},
    {"osu", OSU_LATENCY "0.5 1\n", "line 3: the test prints a message's size"},
    {"osu", OSU_LATENCY "1 0.00\n", "line 3: 0 ns is outside of what there is"},
    {"nvbandwidth", "memory latency SM CPU(row) <-> GPU(column) (ns)\n 0\n0 1e9\n",
     "line 3: 1e+09 ns is outside of what there is"},
    {"mlc", "Measuring idle latencies (in ns)...\nNuma node 0\n0 0.8\n",
     "line 3: 0.8 ns is outside of what there is"},
    {"gpu-latency", "", "holds no row below"},
    {"gpu-latency", "MHz B KB CPI\n", "holds no row below"},
    {"gpu-latency", "MHz B KB CPI\n1500 1024 1\n", "line 2: write 4 columns"},
    {"gpu-latency", "MHz B KB CPI\n0 1024 1 30\n",
     "line 2: the clock '0' is not a positive number"},
    {"gpu-latency", "MHz B KB CPI\n1500 1024 1 30,5\n",
     "line 2: the latency '30,5' has a decimal comma"},
    {"gpu-latency", "clock: 1500\n1000 1500 -2 1 1 1 1 1\n",
     "line 2: the size '-2' is not a positive number"},
    {"gpu-latency", "clock: 1500\n1000 1500 2\n", "line 2: write 8"},
    {"likwid-bench", "", "holds no 'MByte/s:'"},
    {"likwid-bench", "Test: load\nMByte/s: 5,5\n", "line 2: likwid-bench prints a positive rate"},
    {"likwid-bench", "Test: load\nMByte/s: 0\n", "line 2: likwid-bench prints a positive rate"},
    {"mem-lat", "", "holds no line"},
    {"lat_mem_rd", "\"stride=64\n", "holds no line of size and latency below"},
    {"mem-lat", "Buffer size: 4 KB, stride 64\n", "line 1: mem-lat"},
    {"mem-lat", "\n" MEM_LAT_LINE("0", "64", "1"), "line 2: mem-lat prints"},
    {"mem-lat", MEM_LAT_LINE("4", "64", "nan"), "line 1: mem-lat prints"},
    {"mem-lat", MEM_LAT_LINE("4", "64", "1,5"), "line 1: mem-lat prints"},
    {"mem-lat", MEM_LAT_LINE("4", "64", "1e999"), "line 1: mem-lat prints"},
    {"mlc", "", "holds no matrix"},
    {"mlc", "hello\n1 2 3\n", "holds no matrix"},
    {"mlc", MLC_TRANSFERS, "line 1: no values follow"},
    {"mlc", MLC_TRANSFERS "Local Socket L2->L2 HIT  latency\n",
     "line 2: the latency 'latency' is not a positive number"},
    {"mlc", "Each iteration took 186.1 core clocks\n", "line 1: mlc prints clocks and then ns"},
    {"mlc", "Each iteration took 186,1 core clocks ( 80,9 ns)\n",
     "line 1: mlc prints clocks and then ns"},
    {"mlc", MLC_LATENCY, "line 1: no values follow"},
    {"mlc", MLC_LATENCY MLC_LOADED " 00000 80 100\n", "line 1: no values follow"},
    {"mlc", MLC_LATENCY "0 80 81\n", "line 2: a row before"},
    {"mlc", MLC_LATENCY "Numa node 0 1048577\n0 80 81\n",
     "line 2: 1048577 is no id: CPUs and nodes are numbered from 0 to 1048576"},
    {"mlc", MLC_LATENCY "Numa node 0 1\n0 80\n", "line 3: the line above names 2 nodes"},
    {"mlc", MLC_LATENCY "Numa node 0 1\n0 80 81 82\n", "line 3: the line above names 2"},
    {"mlc", MLC_LATENCY "Numa node 0\n0 fast\n",
     "line 3: the value 'fast' is not a positive number"},
    {"mlc", MLC_LATENCY "Numa node 0\n0 nan\n", "line 3: the value 'nan' is not a positive number"},
    {"mlc", MLC_LATENCY "Numa node 0\n0 -80\n", "line 3: the value '-80' is not a positive number"},
    {"mlc", MLC_LATENCY "Numa node 0\n-1 80\n", "line 3: a row begins with"},
    {"mlc", MLC_LATENCY "Numa node 0\n99999999999 80\n", "line 3: a row begins with"},
    {"mlc", MLC_LOADED "00000 80\n", "line 2: mlc prints a delay"},
    {"mlc", MLC_LOADED "00000 80 0\n", "line 2: mlc prints a delay"},
    {"mlc", MLC_LOADED "00000 80 100 1\n", "line 2: mlc prints a delay"},
    {"mlc", "Measuring Peak Injection Memory Bandwidths\nALL Reads : -\n",
     "holds no matrix and no latencies of Intel MLC's"},
    {"mlc", "Measuring Peak Injection Memory Bandwidths\nALL Reads\n",
     "line 2: mlc prints a bandwidth"},
    {"multichase", "", "holds no result"},
    {"multichase", MULTICHASE_NAMES, "holds no result"},
    {"multichase", "hello\n", "holds no result"},
    {"multichase", "1.5\n", "line 1: a latency of an unknown size"},
    {"multichase", MULTICHASE_RUN("4096", "64", "1.5") "1.5\n",
     "line 9: a latency of an unknown size"},
    {"multichase", MULTICHASE_RUN("4096", "64", "nan"), "line 8: this is no line"},
    {"multichase", MULTICHASE_RUN("4096", "64", "0.000"), "line 8: this is no line"},
    {"multichase", MULTICHASE_RUN("4096", "64", "1 2 3"), "line 8: this is no line"},
    {"multichase", MULTICHASE_RUN("-1", "64", "1.5"), "line 8: a latency of an unknown size"},
    {"multichase", MULTICHASE_NAMES "5 , 1\n", "line 2: multiload prints 12 values"},
    {"multichase", MULTICHASE_NAMES "5,1,1,0,1,0,0,0,0,0,simple,-\n", "line 2: no threads"},
    {"multichase", MULTICHASE_NAMES "5,1,0,0,1,0,0,0,0,0,simple,-\n", "line 2: no threads"},
    {"multichase", MULTICHASE_NAMES "5,1,0,0,1,0,4,0,inf,0,simple,-\n", "line 2: no threads"},
    {"osu", "", "holds no row"},
    {"osu", OSU_LATENCY, "holds no row"},
    {"osu", "# OSU MPI Latency Test v5.8\n1 2\n", "line 2: numbers before the line"},
    {"osu", OSU_LATENCY "1\n", "line 3: the test prints"},
    {"osu", OSU_LATENCY "1 0,25\n", "line 3: the test prints"},
    {"osu", OSU_LATENCY "1 -0.25\n", "line 3: the test prints"},
    {"sbc-bench", "", "holds no table"},
    {"sbc-bench", SBC_RAMLAT, "holds no table"},
    {"sbc-bench", SBC_RAMLAT " 4k: 2.6\n", "line 4: the line above names 3"},
    {"sbc-bench", SBC_RAMLAT " 4q: 2.6 2.0\n", "line 4: '4q' is no size"},
    {"sbc-bench", SBC_RAMLAT " 4k: 2,6 2,0\n", "line 4: latency '2,6' has a decimal comma"},
    {"sbc-bench", SBC_BLOCKS " 1024 : 0.0 ns\n", "line 2: tinymembench"},
    {"sbc-bench", SBC_BLOCKS " 1024 : -1 ns / 0.0 ns\n", "line 2: tinymembench"},
    {"sbc-bench", " C copy : 1409,6 MB/s (2)\n", "line 1: tinymembench"},
    {"sbc-bench", " C copy : 0 MB/s (2)\n", "line 1: tinymembench"},
    {"stream", "", "holds no rate"},
    {"stream", "\nTriad:\n", "line 2: the best rate in MB/s ''"},
    {"stream", "Triad: 0\n", "line 1: the best rate in MB/s '0'"},
    {"stream", "Triad: 43000,5 1 1 1\n", "has a decimal comma"},
    {"sysbench", "", "holds no"},
    {"sysbench", SYSBENCH_RATE, "line 1: a rate without 'operation: read'"},
    {"sysbench", "operation: none\n" SYSBENCH_RATE, "line 2: a rate without"},
    {"sysbench", "operation: read\n1,5 MiB transferred (4096,00 MiB/sec)\n",
     "line 2: sysbench prints a positive rate"},
};

static void what_can_not_be_read_is_refused(void **state)
{
    struct desk *desk = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(desk, import_format_by_name(cases[i].format), cases[i].text, cases[i].said);
}

/* A reader takes time in proportion to its text. */
static void long_texts_are_read(void **state)
{
    static const struct {
        const char *format, *head, *line;
        size_t points; /* or findings */
    } texts[] = {
        {"curve", "size_bytes,ns\n", "%zu,5.5\n", 1000},
        {"likwid-bench", "", "Test: load\nSize (Byte): %zu\nMByte/s: 5\n", 1000},
        {"osu", "# OSU MPI Latency Test v5.8\n# Size  Latency (us)\n", "%zu 1.5\n", 1000},
        {"stream", "", "Triad: %zu 1 1 1\n", 1},
        {"sbc-bench", " size:  1xPTR\n", " %zuk: 2.0\n", 1000},
    };
    struct desk *desk = *state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *text = long_text(texts[i].head, texts[i].line, sample_seeds(200000));
        const int code = read_text(desk, import_format_by_name(texts[i].format), text);
        free(text);
        if (code < 0)
            fail_msg("%s", desk->error.text);
        const struct probe_result *probe = &desk->document.probes[0];
        assert_int_equal(probe->series_count ? probe->series[0].point_count : probe->finding_count,
                         texts[i].points);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(what_can_not_be_read_is_refused),
        DESK_TEST(long_texts_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
