/*
 * The form of every table, byte for byte: given the values that the tools themselves once printed,
 * a tongue prints what they printed. Those of c2clat, multichase and STREAM were recorded with the
 * tools' own builds; core_latency's and core-to-core-latency's are published with their sources
 * (tests/data/README.md); mlc's are what PerfSpect and superbenchmark test their readers with;
 * lat_mem_rd, bw_mem and mem-lat print as their sources say; asct's are its documentation's.
 */
#include "booth.h"

#define CELL(OP, FROM, TO, VALUE)                                                                  \
    {                                                                                              \
        "cores", "hand-off", "op", OP, 0, FROM, TO, true, VALUE, 0, 0, 0, NULL                     \
    }

static void core_latency(void **state)
{
    struct document document = {0};
    static const struct made_up values[] = {
        CELL("cas", 1, 0, 38), CELL("cas", 0, 1, 39), CELL("cas", 0, 2, 13), CELL("cas", 0, 3, 38),
        CELL("cas", 1, 2, 39), CELL("cas", 1, 3, 13), CELL("cas", 2, 0, 12), CELL("cas", 2, 1, 38),
        CELL("cas", 2, 3, 39), CELL("cas", 3, 0, 38), CELL("cas", 3, 1, 12), CELL("cas", 3, 2, 38),
    };
    assert_int_equal(SPEAK(*state, values, "core_latency"), 0);
    assert_string_equal(here->out, "Running CAS Core Benchmark\n"
                                   " Samples: 500\n"
                                   " Iterations: 4000\n"
                                   "\n"
                                   "      0     1     2     3\n"
                                   "0           39    13    38\n"
                                   "1     38          39    13\n"
                                   "2     12    38          39\n"
                                   "3     38    12    38\n");
    assert_string_equal(here->asked, "fathom cores --op cas --lines 64\n");
    read_back(here, "core-matrix", &document);
    assert_non_null(document_finding(&document, "cores.cas.min"));
    assert_true(document_finding(&document, "cores.cas.min")->value == 12);
    assert_true(document_finding(&document, "cores.cas.max")->value == 39);
    document_free(&document);
}

static void core_latency_takes_its_two_ways_and_no_third(void **state)
{
    static const struct made_up values[] = {CELL("readwrite", 0, 1, 51.4),
                                            CELL("readwrite", 1, 0, 50.6)};
    assert_int_equal(SPEAK(*state, values, "core_latency", "-b", "readwrite"), 0);
    assert_string_equal(here->out,
                        "Running Read/Write Core Benchmark\n Samples: 500\n"
                        " Iterations: 4000\n\n      0     1\n0           51\n1     51\n");
    assert_int_equal(SPEAK(*state, values, "core_latency", "-b", "xadd"), ERROR_USAGE);
    assert_non_null(strstr(here->error.text, "xadd"));
    assert_string_equal(here->asked, "");
}

static void core_to_core_latency(void **state)
{
    static const struct made_up values[] = {
        {"cores", "hand-off", "op", "cas", 0, 1, 0, true, 10.9, 10.5, 11.3, 0, NULL},
        {"cores", "hand-off", "op", "cas", 0, 2, 0, true, 94, 93, 95, 0, NULL},
        {"cores", "hand-off", "op", "cas", 0, 2, 1, true, 94.4, 94, 94.8, 0, NULL},
    };
    assert_int_equal(SPEAK(*state, values, "core-to-core-latency", "4000", "500"), 0);
    const char *table = strstr(here->out, "Num cores");
    assert_non_null(table);
    assert_string_equal(table, "Num cores: 3\n"
                               "Num iterations per samples: 4000\n"
                               "Num samples: 500\n"
                               "\n"
                               "1) CAS latency on a single shared cache line\n"
                               "\n"
                               "           0       1       2   \n"
                               "      0\n"
                               "      1   11\u00b10 \n"
                               "      2   94\u00b11    94\u00b10 \n"
                               "\n"
                               "    Min  latency: 10.9ns \u00b10.4 cores: (1,0)\n"
                               "    Max  latency: 94.4ns \u00b10.4 cores: (2,1)\n"
                               "    Mean latency: 66.4ns\n");
}

static void core_to_core_latency_has_csv_alone_on_standard_output(void **state)
{
    static const struct made_up values[] = {CELL("cas", 1, 0, 10.5), CELL("cas", 0, 1, 11)};
    struct document document = {0};
    assert_int_equal(SPEAK(*state, values, "core-to-core-latency", "--csv", "-c", "0,1"), 0);
    assert_string_equal(here->out, ",\n10.5,\n");
    assert_non_null(strstr(here->aside, "Mean latency: 10.5ns"));
    assert_non_null(strstr(here->asked, "--cpus 0,1"));
    read_back(here, "core-matrix", &document);
    document_free(&document);
}

static void core_to_core_latency_takes_the_direction_that_was_measured(void **state)
{
    static const struct made_up values[] = {CELL("cas", 0, 1, 11), CELL("cas", 1, 2, 12),
                                            CELL("cas", 2, 0, 13)};
    assert_int_equal(SPEAK(*state, values, "core-to-core-latency"), 0);
    assert_non_null(
        strstr(here->out, "\n      1   11\u00b10 \n      2   13\u00b10    12\u00b10 \n"));
    assert_non_null(strstr(here->out, "Mean latency: 12.0ns"));
    assert_non_null(strstr(here->aside, "CPU 1 to 0 has no value"));
    assert_int_equal(here->talk.holes, 0);
}

static void core_to_core_latency_refuses_what_is_no_number(void **state)
{
    static const struct made_up values[] = {CELL("cas", 1, 0, 10.5)};
    assert_int_equal(SPEAK(*state, values, "core-to-core-latency", "many"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "core-to-core-latency", "0"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "core-to-core-latency", "-b", "4"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "core-to-core-latency", "-b", "1,"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "core-to-core-latency", "1", "2", "3"), ERROR_USAGE);
    assert_string_equal(here->asked, "");
}

static void c2clat(void **state)
{
    static const struct made_up values[] = {CELL("readwrite", 0, 1, 62),
                                            CELL("readwrite", 1, 0, 62)};
    struct document document = {0};
    assert_int_equal(SPEAK(*state, values, "c2clat", "-s", "200"), 0);
    assert_string_equal(here->out, " CPU    0    1\n"
                                   "   0    0   62\n"
                                   "   1   62    0\n");
    assert_non_null(strstr(here->asked, "--op readwrite --lines 32\n"));
    read_back(here, "core-matrix", &document);
    document_free(&document);
    assert_int_equal(SPEAK(*state, values, "c2clat", "-p", "-n", "a \"b"), ERROR_USAGE);
}

/* A pair that could not be measured is no 0. */
static void a_gap_is_seen_and_said(void **state)
{
    static const struct made_up one_way[] = {CELL("readwrite", 0, 1, 62)};
    static const struct made_up nothing[] = {
        {"cores", "hand-off", "op", "readwrite", 0, 0, 1, true, 0, 0, 0, 0, "CPU 1 went away"}};
    static const struct made_up values[] = {
        CELL("readwrite", 0, 1, 62),
        {"cores", "hand-off", "op", "readwrite", 0, 1, 0, true, 0, 0, 0, 0, "CPU 1 went away"}};
    assert_int_equal(SPEAK(*state, values, "c2clat"), 0);
    assert_string_equal(here->out, " CPU    0    1\n   0    0   62\n   1    -    0\n");
    assert_non_null(strstr(here->aside, "CPU 1 to 0 has no value: CPU 1 went away"));
    assert_int_equal(here->talk.holes, 1);
    /* So is one that was never begun; and with nothing but gaps there is no table. */
    assert_int_equal(SPEAK(*state, one_way, "c2clat"), 0);
    assert_non_null(strstr(here->aside, "CPU 1 to 0 has no value: there was no time for it"));
    assert_int_equal(SPEAK(*state, nothing, "c2clat"), ERROR_IMPOSSIBLE);
    assert_string_equal(here->out, "");
}

#define SIZE(PROBE, X, VALUE)                                                                      \
    {                                                                                              \
        PROBE, "latency", NULL, NULL, X, 0, 0, false, VALUE, 0, 0, 0, NULL                         \
    }

static void mem_lat(void **state)
{
    static const struct made_up values[] = {SIZE("latency", 65536, 7.08)};
    struct document document = {0};
    assert_int_equal(SPEAK(*state, values, "mem-lat", "-b", "64", "-s", "64"), 0);
    assert_string_equal(here->out,
                        "Buffer size: 64 KB, stride 64, time 0.007424 s, latency 7.08 ns\n");
    assert_string_equal(here->asked,
                        "fathom latency --sizes 65536 --stride 64 --order random --state chased "
                        "--loads 100\n");
    read_back(here, "mem-lat", &document);
    assert_true(fabs(document.probes[0].series[0].points[0].y.median - 7.08f) < 1e-6f);
    document_free(&document);
    assert_int_equal(SPEAK(*state, values, "mem-lat", "-b", "64", "-n", "1000000000"), 0);
    assert_non_null(strstr(here->out, "time 7.080000 s"));
    assert_int_equal(SPEAK(*state, values, "mem-lat", "-b", "64k"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "mem-lat", "-b", "0"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "mem-lat", "-q"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "mem-lat", "-b"), ERROR_USAGE);
}

static void lat_mem_rd(void **state)
{
    /* The tool's own steps to 1 MiB: 1, 2, 4 KiB and so on; the others have no value here. */
    static const struct made_up values[] = {SIZE("latency", 512, 1.25), SIZE("latency", 4096, 1.25),
                                            SIZE("latency", 32768, 1.251),
                                            SIZE("latency", 1048576, 12.3456)};
    struct document document = {0};
    assert_int_equal(SPEAK(*state, values, "lat_mem_rd", "-t", "-N", "3", "1", "128"), 0);
    assert_string_equal(here->out, "\"stride=128\n"
                                   "0.00049 1.250\n"
                                   "0.00391 1.250\n"
                                   "0.03125 1.251\n"
                                   "1.00000 12.346\n"
                                   "\n");
    assert_non_null(strstr(here->aside, "-N does nothing here"));
    assert_string_equal(here->asked, "fathom latency --to 1048576 --stride 128 --order random "
                                     "--loads 100\n");
    read_back(here, "lat_mem_rd", &document);
    document_free(&document);
    assert_int_equal(SPEAK(*state, values, "lat_mem_rd", "1M"), 0);
    assert_non_null(strstr(here->out, "\"stride=64\n"));
    assert_int_equal(SPEAK(*state, values, "lat_mem_rd"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "lat_mem_rd", "1", "12"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "lat_mem_rd", "-P", "0", "1"), ERROR_USAGE);
}

static void multichase(void **state)
{
    static const struct made_up values[] = {
        {"latency", "latency", NULL, NULL, 67108864, 0, 0, false, 600, 542.1, 711.6, 0, NULL}};
    struct document document = {0};
    assert_int_equal(SPEAK(*state, values, "multichase", "-m", "64m", "-s64"), 0);
    assert_string_equal(here->out, " 542.1\n");
    assert_int_equal(SPEAK(*state, values, "multichase", "-vm64m", "-s", "64"), 0);
    assert_string_equal(here->out, "nr_mixer_indices = 8\n"
                                   "base_object_size = 8\n"
                                   "nr_threads = 1\n"
                                   "page_size = 4096 bytes\n"
                                   "total_memory = 67108864 (64.0 MiB)\n"
                                   "stride = 64\n"
                                   "tlb_locality = 262144\n"
                                   "chase = simple\n"
                                   "samples (one column per thread, one row per sample):\n"
                                   "  542.1  avg=542.1\n"
                                   "  600.0  avg=600.0\n"
                                   "  711.6  avg=711.6\n"
                                   " 542.1\n");
    assert_string_equal(here->asked,
                        "fathom latency --size 67108864 --stride 64 --pages small --access read "
                        "--state chased --order random-in-block:262144\n");
    read_back(here, "multichase", &document);
    document_free(&document);
    assert_int_equal(SPEAK(*state, values, "multichase", "-a", "-m", "64m"), 0);
    assert_string_equal(here->out, " 600.0\n");
    assert_int_equal(SPEAK(*state, values, "multichase", "-c", "critword:64"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "multichase", "-c", "parallel"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "multichase", "-s", "12"), ERROR_USAGE);
}

static void multichase_has_small_numbers_of_three_decimals(void **state)
{
    static const struct made_up values[] = {
        {"latency", "latency", NULL, NULL, 1048576, 0, 0, false, 11.6, 11.577, 12, 0, NULL}};
    assert_int_equal(SPEAK(*state, values, "multichase", "-m", "1m"), 0);
    assert_string_equal(here->out, "11.577\n");
}

static void bw_mem(void **state)
{
    static const struct made_up values[] = {
        {"bandwidth", "bandwidth by threads", NULL, NULL, 1, 0, 0, false, 3e10, 0, 0, 0, NULL}};
    assert_int_equal(SPEAK(*state, values, "bw_mem", "64m", "rd"), 0);
    assert_string_equal(here->out, "67.11 30000.00\n");
    assert_string_equal(here->asked,
                        "fathom bandwidth --kernel read --size 67108864 --threads 1\n");
    /* A copy is counted once, and has two arrays. */
    assert_int_equal(SPEAK(*state, values, "bw_mem", "512k", "cp"), 0);
    assert_string_equal(here->out, "0.524288 15000.00\n");
    assert_non_null(strstr(here->asked, "--size 1048576"));
    assert_int_equal(SPEAK(*state, values, "bw_mem", "100", "rd"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "bw_mem", "1m", "read"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "bw_mem", "1m"), ERROR_USAGE);
}

#define RATE(KERNEL, BEST, MEDIAN, WORST)                                                          \
    {                                                                                              \
        "bandwidth", "stream", "kernel", KERNEL, 2, 0, 0, false, MEDIAN, WORST, BEST, 0, NULL      \
    }

static void stream(void **state)
{
    static const struct made_up values[] = {
        RATE("copy", 9882.0e6, 2937e6, 1106e6), RATE("scale", 7946.4e6, 3926e6, 1702e6),
        RATE("add", 6859.3e6, 3763e6, 2871e6), RATE("triad", 7034.9e6, 3736e6, 1316e6)};
    static const char line[] = "-------------------------------------------------------------\n";
    struct document document = {0};
    char expected[4096];
    assert_int_equal(SPEAK(*state, values, "stream"), 0);
    snprintf(expected, sizeof expected,
             "%sSTREAM version $Revision: 5.10 $\n%sThis system uses 8 bytes per array element.\n%s"
             "Array size = 10000000 (elements), Offset = 0 (elements)\n"
             "Memory per array = 76.3 MiB (= 0.1 GiB).\n"
             "Total memory required = 228.9 MiB (= 0.2 GiB).\n"
             "Each kernel will be executed 10 times.\n"
             " The *best* time for each kernel (excluding the first iteration)\n"
             " will be used to compute the reported bandwidth.\n%s"
             "Number of Threads requested = 2\nNumber of Threads counted = 2\n%s"
             "Function    Best Rate MB/s  Avg time     Min time     Max time\n"
             "Copy:            9882.0     0.054477     0.016191     0.144665\n"
             "Scale:           7946.4     0.040754     0.020135     0.094007\n"
             "Add:             6859.3     0.063779     0.034989     0.083595\n"
             "Triad:           7034.9     0.064240     0.034116     0.182371\n%s",
             line, line, line, line, line, line);
    assert_string_equal(here->out, expected);
    read_back(here, "stream", &document);
    assert_string_equal(document.probes[0].findings[0].name, "bandwidth.copy.all");
    document_free(&document);
}

static void the_cuda_program(void **state)
{
    static const struct made_up values[] = {
        {"gpu", "gpu0 latency", "order", "strided", 8, 0, 0, false, 27.0677, 0, 0, 54, NULL},
        {"gpu", "gpu0 latency", "order", "strided", 28672, 0, 0, false, 46.1153, 0, 0, 92, NULL},
        {"gpu", "gpu0 latency", "order", "strided", 117440512, 0, 0, false, 220.202, 0, 0, 436,
         NULL}};
    struct document document = {0};
    if (probe_absent("gpu"))
        skip();
    assert_int_equal(SPEAK(*state, values, "latency", "1"), 0);
    assert_string_equal(here->out, "MHz            B           KB          CPI\n"
                                   "1995            8            0           54 \n"
                                   "1995        28672           28           92 \n"
                                   "1980    117440512       114688          436 \n");
    read_back(here, "gpu-latency", &document);
    document_free(&document);
    assert_int_equal(SPEAK(*state, values, "latency", "2"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "latency"), ERROR_USAGE);
}

static void lat_mem_pingpong(void **state)
{
    static const struct made_up values[] = {
        CELL("cas", 0, 1, 60),
        CELL("cas", 1, 0, 61),
        CELL("store-load", 0, 1, 90),
        CELL("store-load", 1, 0, 92),
        {"contention", "contention", "op", "cas", 1, 0, 0, false, 5.25, 0, 0, 0, NULL}};
    assert_int_equal(SPEAK(*state, values, "lat_mem_pingpong", "-P", "2", "-N", "3", "cas"), 0);
    assert_string_equal(here->out, "60.500\n");
    assert_string_equal(here->asked, "fathom cores --op cas --lines 64 --cpus 0,1\n");
    assert_int_equal(SPEAK(*state, values, "lat_mem_pingpong", "-P2", "rw"), 0);
    assert_string_equal(here->out, "91.000\n");
    assert_int_equal(SPEAK(*state, values, "lat_mem_pingpong", "cas"), 0);
    assert_string_equal(here->out, "5.250\n");
    assert_int_equal(SPEAK(*state, values, "lat_mem_pingpong", "rw"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "lat_mem_pingpong", "-P", "3", "cas"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "lat_mem_pingpong", "-P", "2", "xadd"), ERROR_USAGE);
}

#define READS(CHAINS, X, VALUE)                                                                    \
    {                                                                                              \
        "parallelism", "chains by size", "chains", CHAINS, X, 0, 0, false, VALUE, 0, 0, 0, NULL    \
    }
/* The first finding of that name, whatever its experiment. */
static double first_finding(const struct document *document, const char *name)
{
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t i = 0; i < document->probes[p].finding_count; i++)
            if (strcmp(document->probes[p].findings[i].name, name) == 0)
                return document->probes[p].findings[i].value;
    return NAN;
}

#define LOOP(PROBE, SERIES, FACTOR, TEXT, X, VALUE)                                                \
    {                                                                                              \
        PROBE, SERIES, FACTOR, TEXT, X, 0, 0, false, VALUE, 0, 0, 0, NULL                          \
    }

/* As reviews of single boards have it: two buffers' copy counts once. */
static void tinymembench(void **state)
{
    static const struct made_up values[] = {
        LOOP("bandwidth", "bandwidth", "kernel", "copy", 67108864, 2.8e9),
        LOOP("bandwidth", "bandwidth", "kernel", "write", 33554432, 5.8e9),
        LOOP("copy", "copy", "method", "memcpy", 33554432, 3e9),
        {"copy", "copy", "method", "memset", 33554432, 0, 0, false, 5.9e9, 0, 6e9, 0, NULL},
        READS("1", 1024, 1.5),
        READS("1", 65536, 8),
        READS("1", 131072, 11.5),
        READS("2", 1024, 0.75),
        READS("2", 65536, 6.3),
        READS("2", 131072, 8.65),
    };
    struct document document = {0};
    /* As sbc-bench calls it. */
    assert_int_equal(
        SPEAK(*state, values, "tinymembench", "-b", "2", "-B", "3", "-l", "3", "-c", "1000000"), 0);
    assert_string_equal(
        strstr(here->out, " C copy"),
        " C copy                                               :   1400.0 MB/s\n"
        " C fill                                               :   5800.0 MB/s\n"
        " ---\n"
        " standard memcpy                                      :   1500.0 MB/s\n"
        " standard memset                                      :   6000.0 MB/s (1.7%)\n"
        " libc memcpy copy                                     :   1500.0 MB/s\n"
        " libc memset fill                                     :   6000.0 MB/s (1.7%)\n"
        "\n"
        "==========================================================================\n"
        "== Memory latency test                                                  ==\n"
        "== Note 1: all times are beyond that of a read of the L1 cache          ==\n"
        "==========================================================================\n"
        "\n"
        "block size : single random read / dual random read\n"
        "      1024 :    0.0 ns          /     0.0 ns \n"
        "     65536 :    6.5 ns          /    11.1 ns \n"
        "    131072 :   10.0 ns          /    15.8 ns \n");
    assert_non_null(strstr(here->asked, "fathom copy --sizes 33554432\n"));
    read_back(here, "sbc-bench", &document);
    assert_true(first_finding(&document, "bandwidth.copy.1") == 1400e6);
    document_free(&document);
}

#define LEVEL(NAME, VALUE)                                                                         \
    {                                                                                              \
        "latency", NULL, NULL, NAME, 0, 0, 0, false, VALUE, 0, 0, 0, NULL                          \
    }
#define UNDER(SHOWS, STEP, VALUE)                                                                  \
    {                                                                                              \
        "loaded", "by step", "shows", SHOWS, STEP, 0, 0, false, VALUE, 0, 0, 0, NULL               \
    }

/* With the numbers of its documentation. */
static void asct(void **state)
{
    static const struct made_up values[] = {
        LEVEL("L1.latency_ns", 1.5),
        LEVEL("L2.latency_ns", 5.2),
        LEVEL("L3.latency_ns", 48.1),
        LEVEL("last.latency_ns", 107.6),
        SIZE("latency", 128, 1.5),
        SIZE("latency", 65536, 1.6),
        SIZE("latency", 131072, 5),
        SIZE("latency", 393216, 90), /* no power of two */
        SIZE("latency", 524288, 5.5),
        SIZE("latency", 8388608, 48.1),
        SIZE("latency", 33554432, 99),
        SIZE("latency", 1073741824, 107.6),
        {"bandwidth", "bandwidth", "kernel", "read", 32768, 0, 0, false, 126.5e9, 0, 0, 0, NULL},
        {"bandwidth", "bandwidth", "kernel", "read", 327680, 0, 0, false, 74.5e9, 0, 0, 0, NULL},
        {"bandwidth", "bandwidth", "kernel", "read", 553648128, 0, 0, false, 15.8e9, 0, 0, 0, NULL},
        UNDER("latency by step of the traffic", 1, 115.5),
        UNDER("latency by step of the traffic", 15, 305.4),
        UNDER("bandwidth by step of the traffic", 1, 10.7e9),
        UNDER("bandwidth by step of the traffic", 15, 920.7e9),
        {"bandwidth", "by threads", "mix", "1:0", 2, 0, 0, false, 918.9e9, 0, 0, 0, NULL},
        {"bandwidth", "by threads", "mix", "2:1nt", 2, 0, 0, false, 652.1e9, 0, 0, 0, NULL},
        {"numa", "nodes", "shows", "latency of one CPU", 0, 0, 0, true, 113.3, 0, 0, 0, NULL},
        {"numa", "nodes", "shows", "latency of one CPU", 0, 0, 1, true, 266.9, 0, 0, 0, NULL},
        {"cores", "hand-off", "op", "cas", 0, 0, 1, true, 31.91, 0, 0, 0, NULL},
        {"cores", "hand-off", "op", "cas", 0, 1, 0, true, 32.09, 0, 0, 0, NULL},
    };
    struct numa_facts nodes[] = {{0, "0-1", 1 << 30}, {1, "", 1 << 30}};
    struct document document = {0};
    here->machine.facts.nodes = nodes;
    here->machine.facts.node_count = 2;
    assert_int_equal(SPEAK(*state, values, "asct", "run", "sweep"), 0);
    assert_string_equal(here->out, "Latencies at different levels of cache\n"
                                   "--------------------------------------\n"
                                   "     Lower Bound Upper Bound Optimum Datasize Latency [ns]\n"
                                   "L1           128         64K              32K          1.5\n"
                                   "L2          128K        512K             320K          5.2\n"
                                   "LLC           8M          8M               8M         48.1\n"
                                   "DRAM         32M          1G             528M        107.6\n"
                                   "\n"
                                   "Bandwidth at different levels of cache\n"
                                   "--------------------------------------\n"
                                   "Datasize Used Level Bandwidth [GB/s]\n"
                                   "          32K    L1            126.5\n"
                                   "         320K    L2             74.5\n"
                                   "           8M   LLC                -\n"
                                   "         528M  DRAM             15.8\n"
                                   "\n");
    assert_int_equal(here->talk.holes, 1);
    assert_string_equal(here->asked, "fathom latency\n"
                                     "fathom bandwidth --kernel read --threads 1 --sizes "
                                     "32768,327680,8388608,553648128\n");
    assert_int_equal(SPEAK(*state, values, "asct", "run", "ll", "pb", "idle-latency", "^memory"),
                     0);
    assert_string_equal(here->out, "Loaded latency with background memory activity\n"
                                   "----------------------------------------------\n"
                                   " Injected NOPs  Loaded latency [ns]  Bandwidth [GB/s]\n"
                                   "          4096                115.5              10.7\n"
                                   "             0                305.4             920.7\n"
                                   "\n");
    assert_int_equal(SPEAK(*state, values, "asct", "run", "pb", "il"), 0);
    assert_non_null(strstr(here->out, "\n       Node 0 Node 1\nNode 0  113.3  266.9\n\n"));
    assert_non_null(strstr(here->out, "\n            Traffic type  Peak BW [GB/s]\n"
                                      "               All Reads           918.9\n"));
    assert_int_equal(SPEAK(*state, values, "asct", "run", "c2c-latency"), 0);
    assert_string_equal(here->out,
                        "Core-to-Core Latency Summary (ns): Data Address @ Local Numa Node\n"
                        "=================================================================\n"
                        "\n"
                        "Node-to-Node Median Latency Matrix (ns):\n"
                        "----------------------------------------\n"
                        "      Node0 Node1\n"
                        "Node0 32.00     -\n"
                        "Node1     -     -\n"
                        "\n");
    assert_int_equal(SPEAK(*state, values, "asct", "run", "pb", "-f", "csv"), 0);
    assert_non_null(strstr(here->out, ",Traffic type,Peak BW [GB/s]\n0,All Reads,918.9\n"));
    assert_int_equal(SPEAK(*state, values, "asct", "run", "il", "-f", "csv"), 0);
    assert_string_equal(here->out, ",Node 0,Node 1\nNode 0,113.3,266.9\n");
    assert_int_equal(SPEAK(*state, values, "asct", "run", "c2c-latency", "-f", "csv"), 0);
    assert_string_equal(here->out, ",CPUA,CPUB,LATENCY,CPUA_NODE,MEMBIND_NODE\n"
                                   "0,0,1,31.91,0,0\n"
                                   "1,1,0,32.09,0,0\n");
    read_back(here, "asct", &document);
    assert_true(fabs(first_finding(&document, "cores.mean") - 32) < 0.01);
    document_free(&document);
    /* The usual ones, as JSON. */
    assert_int_equal(SPEAK(*state, values, "asct", "run", "--format", "json", "-o", "here"), 0);
    assert_null(strstr(here->out, "loaded-latency"));
    read_back(here, "asct", &document);
    assert_non_null(strstr(here->aside, "a node has no value"));
    assert_int_equal(here->talk.holes, 8); /* LLC's rate, three mixes, all rates between nodes */
    assert_true(first_finding(&document, "L3.latency_ns") == 48.1);
    assert_true(fabs(first_finding(&document, "L2.bandwidth.read") - 74.5e9) < 1e5);
    assert_true(fabs(first_finding(&document, "bandwidth.read.all") - 918.9e9) < 1e5);
    document_free(&document);
    assert_int_equal(SPEAK(*state, values, "asct", "run", "ls", "^ls"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "asct", "run", "-f", "csv"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "asct", "run", "-f", "text"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "asct", "diff"), ERROR_USAGE);
}

#define FIGURE(NAME, VALUE)                                                                        \
    {                                                                                              \
        "gpu", NULL, NULL, NAME, 0, 0, 0, false, VALUE, 0, 0, 0, NULL                              \
    }

static void nvbandwidth(void **state)
{
    static const struct made_up values[] = {
        FIGURE("gpu0.host.to_device.pinned", 50e9), FIGURE("gpu1.host.to_device.pinned", 51e9),
        FIGURE("gpu0.peer1.copy", 277e9), FIGURE("gpu1.peer0.copy", 276e9),
        FIGURE("gpu0.host.read_ns", 772.58)};
    struct document document = {0};
    static const char pinned[] = "Running host_to_device_memcpy_ce.\n"
                                 "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n"
                                 "           0         1\n"
                                 " 0     50.00     51.00\n"
                                 "\n"
                                 "SUM host_to_device_memcpy_ce 101.00\n"
                                 "\n";
    if (probe_absent("gpu"))
        skip();
    assert_int_equal(SPEAK(*state, values, "nvbandwidth", "-t", "host_to_device_memcpy_ce",
                           "device_to_device_memcpy_write_ce"),
                     0);
    assert_non_null(strstr(here->out, pinned));
    assert_non_null(strstr(here->out, "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)\n"
                                      "           0         1\n"
                                      " 0       N/A    276.00\n"
                                      " 1    277.00       N/A\n"));
    assert_string_equal(here->asked, "fathom gpu --what host,peers\n");
    assert_int_equal(here->talk.holes, 0);
    read_back(here, "nvbandwidth", &document);
    assert_true(first_finding(&document, "gpu1.host.to_device.pinned") == 51e9);
    document_free(&document);
    /* All tests, as JSON: a device without a value is N/A, a test without one a hole. */
    assert_int_equal(SPEAK(*state, values, "nvbandwidth", "-j", "-v"), 0);
    assert_non_null(strstr(here->out, "\"bandwidth_matrix\": [[\"772.58\", \"N/A\"]]"));
    assert_int_equal(here->talk.holes, 5);
    read_back(here, "nvbandwidth", &document);
    assert_true(first_finding(&document, "gpu0.host.to_device.pinned") == 50e9);
    document_free(&document);
    assert_int_equal(SPEAK(*state, values, "nvbandwidth", "-t", "all_to_host_memcpy_ce"),
                     ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "nvbandwidth", "-t", "2"), ERROR_USAGE);
    /* The list has the tool's indexes, by which a test may be called. */
    assert_int_equal(SPEAK(*state, values, "nvbandwidth", "-t", "5"), 0);
    assert_non_null(strstr(here->out, "SUM device_to_device_memcpy_write_ce 553.00\n"));
    assert_null(strstr(here->out, "host_to_device_memcpy_ce"));
    assert_int_equal(SPEAK(*state, values, "nvbandwidth", "--list"), 0);
    assert_non_null(strstr(here->out, "Index, Name:\n\tDescription\n=======================\n"
                                      "0, host_to_device_memcpy_ce:\n\tCopies "));
    assert_non_null(strstr(here->out, "\n\n5, device_to_device_memcpy_write_ce:\n\t"));
    assert_string_equal(here->asked, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOOTH_TEST(core_latency),
        BOOTH_TEST(core_latency_takes_its_two_ways_and_no_third),
        BOOTH_TEST(core_to_core_latency),
        BOOTH_TEST(core_to_core_latency_has_csv_alone_on_standard_output),
        BOOTH_TEST(core_to_core_latency_refuses_what_is_no_number),
        BOOTH_TEST(core_to_core_latency_takes_the_direction_that_was_measured),
        BOOTH_TEST(c2clat),
        BOOTH_TEST(a_gap_is_seen_and_said),
        BOOTH_TEST(mem_lat),
        BOOTH_TEST(lat_mem_rd),
        BOOTH_TEST(multichase),
        BOOTH_TEST(multichase_has_small_numbers_of_three_decimals),
        BOOTH_TEST(bw_mem),
        BOOTH_TEST(stream),
        BOOTH_TEST(the_cuda_program),
        BOOTH_TEST(lat_mem_pingpong),
        BOOTH_TEST(tinymembench),
        BOOTH_TEST(nvbandwidth),
        BOOTH_TEST(asct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
