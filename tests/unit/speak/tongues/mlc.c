/* mlc's tables in the form that its readers expect, and back through our own. */
#include "booth.h"

#include "measure/probes/loaded/loaded.h"

/* The synthetic machine has one node; a second one is added here. */
static void two_nodes(struct booth *booth)
{
    static struct numa_facts nodes[] = {{0, "0", 1 << 30}, {1, "1", 1 << 30}};
    booth->machine.facts.nodes = nodes;
    booth->machine.facts.node_count = 2;
}

#define NODES(SHOWS, FROM, TO, VALUE)                                                              \
    {                                                                                              \
        "numa", "numa", "shows", SHOWS, 0, FROM, TO, true, VALUE, 0, 0, 0, NULL                    \
    }
#define LATENCY(FROM, TO, VALUE) NODES("latency of one CPU", FROM, TO, VALUE)
#define WIDTH(FROM, TO, VALUE)   NODES("bandwidth of all CPUs of the node, reading", FROM, TO, VALUE)

static void matrices(void **state)
{
    static const struct made_up values[] = {
        LATENCY(0, 0, 87),    LATENCY(0, 1, 101),      LATENCY(1, 0, 101.9),
        LATENCY(1, 1, 86.9),  WIDTH(0, 0, 82542.2e6),  WIDTH(0, 1, 76679.9e6),
        WIDTH(1, 0, 76536e6), WIDTH(1, 1, 135248.8e6),
    };
    struct document document = {0};
    two_nodes(*state);
    assert_int_equal(SPEAK(*state, values, "mlc", "--latency_matrix", "-e"), 0);
    assert_string_equal(here->out, "Intel(R) Memory Latency Checker - v3.11\n"
                                   "Command line parameters: --latency_matrix -e \n"
                                   "\n"
                                   "Measuring idle latencies for random access (in ns)...\n"
                                   "\t\tNuma node\n"
                                   "Numa node\t     0\t     1\t\n"
                                   "       0\t  87.0\t 101.0\t\n"
                                   "       1\t 101.9\t  86.9\t\n"
                                   "\n");
    read_back(here, "mlc", &document);
    assert_string_equal(document.probes[0].name, "numa");
    assert_int_equal(document.probes[0].series[0].point_count, 4);
    document_free(&document);
    assert_int_equal(SPEAK(*state, values, "mlc", "--bandwidth_matrix"), 0);
    assert_non_null(strstr(here->out,
                           "Measuring Memory Bandwidths between nodes within system \n"
                           "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\n"
                           "Using all the threads from each core if Hyper-threading is enabled\n"
                           "Using Read-only traffic type\n"
                           "\t\tNuma node\n"
                           "Numa node\t     0\t     1\t\n"
                           "       0\t82542.2\t76679.9\t\n"
                           "       1\t76536.0\t135248.8\t\n"));
    /* Both are of one measurement. */
    assert_int_equal(SPEAK(*state, values, "mlc", "--bandwidth_matrix", "--latency_matrix"), 0);
    assert_string_equal(here->asked, "fathom numa\n");
}

#define STEP(SHOWS, X, VALUE)                                                                      \
    {                                                                                              \
        "loaded", "loaded", "shows", SHOWS, X, 0, 0, false, VALUE, 0, 0, 0, NULL                   \
    }

static void loaded_latency(void **state)
{
    static const struct made_up values[] = {
        STEP("latency by step of the traffic", 0, 105.4),
        STEP("bandwidth by step of the traffic", 0, 0),
        STEP("latency by step of the traffic", 1, 105.48),
        STEP("bandwidth by step of the traffic", 1, 1148.7e6),
        STEP("latency by step of the traffic", 15, 282.55),
        STEP("bandwidth by step of the traffic", 15, 135345.6e6),
    };
    struct document document = {0};
    assert_int_equal(SPEAK(*state, values, "mlc", "--loaded_latency", "-X"), 0);
    const char *table = strstr(here->out, "Measuring");
    assert_non_null(table);
    assert_string_equal(table,
                        "Measuring Loaded Latencies for the system\n"
                        "Using all the threads from each core if Hyper-threading is enabled\n"
                        "Using Read-only traffic type\n"
                        "Inject\tLatency\tBandwidth\n"
                        "Delay\t(ns)\tMB/sec\n"
                        "==========================\n"
                        " 00000\t282.55\t 135345.6\n"
                        " 04096\t105.48\t   1148.7\n"
                        "\n");
    assert_non_null(strstr(here->aside, "without any traffic it is 105.4 ns"));
    read_back(here, "mlc", &document);
    assert_string_equal(document.probes[0].name, "loaded");
    assert_int_equal(document.probes[0].series[0].point_count, 2);
    /* The findings of the measurement's own ends. */
    assert_true(fabs(document_finding(&document, "loaded.saturated")->value - 282.55) < 0.01);
    assert_true(fabs(document_finding(&document, "loaded.bandwidth")->value - 135345.6e6) < 1e5);
    document_free(&document);
    /* Other traffic, some CPUs, and one row. */
    assert_int_equal(
        SPEAK(*state, values, "mlc", "--loaded_latency", "-W3", "-k1", "-c0", "-d9000"), 0);
    assert_string_equal(here->asked, "fathom loaded --cpu 0 --cpus 0,1 --mix 75\n");
    assert_null(strstr(here->out, "Read-only"));
    assert_null(strstr(here->out, " 00000\t"));
    assert_non_null(strstr(here->out, " 04096\t105.48\t   1148.7\n"));
    assert_int_equal(SPEAK(*state, values, "mlc", "--loaded_latency", "-W2"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "mlc", "--loaded_latency", "-W99"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "mlc", "--loaded_latency", "-k1-"), ERROR_USAGE);
    assert_string_equal(here->out, "");
}

static void throughput_has_no_latency(void **state)
{
    static const struct made_up values[] = {{"bandwidth", "bandwidth by threads", NULL, NULL, 2, 0,
                                             0, false, 117216.4e6, 0, 0, 0, NULL}};
    assert_int_equal(SPEAK(*state, values, "mlc", "--loaded_latency", "-d0", "-T", "-b20", "-t1"),
                     0);
    assert_non_null(strstr(here->out, "\n 00000\t  0.00\t 117216.4\n"));
    assert_non_null(strstr(here->asked, "--kernel read --size 40960"));
    /* The tool's own buffer, and its traffic by number. */
    assert_int_equal(SPEAK(*state, values, "mlc", "--loaded_latency", "-T", "-W7"), 0);
    assert_string_equal(here->asked, "fathom bandwidth --mix 2:1nt --size 209715200\n");
    assert_null(strstr(here->out, "Read-only"));
}

static void idle_latency(void **state)
{
    static const struct made_up counted[] = {{.probe = "latency",
                                              .series = "latency",
                                              .x = 20480,
                                              .value = 1.5,
                                              .cycles = 4.5,
                                              .tsc_hz = 2e9}};
    static const struct made_up values[] = {
        {"latency", "latency", NULL, NULL, 20480, 0, 0, false, 1.5, 0, 0, 4.5, NULL}};
    struct document document = {0};
    assert_int_equal(SPEAK(*state, values, "mlc", "--idle_latency", "-b20", "-t10", "-c1", "-i1"),
                     0);
    assert_non_null(strstr(here->out, "Using buffer size of 0.020MiB\n"
                                      "Each iteration took 4.5 core clocks (\t1.5\tns)\n"));
    assert_non_null(
        strstr(here->out, "Command line parameters: --idle_latency -b20 -t10 -c1 -i1 \n"));
    assert_string_equal(here->asked, "fathom latency --size 20480 --state chased --cpu 1\n");
    read_back(here, "mlc", &document);
    assert_true(document.probes[0].series[0].points[0].y.median == 1.5f);
    document_free(&document);
    assert_int_equal(SPEAK(*state, values, "mlc", "--idle_latency", "-b2x"), ERROR_USAGE);
    /* The time stamp counter's clocks, which the tool tells; the core's stand aside. */
    assert_int_equal(SPEAK(*state, counted, "mlc", "--idle_latency", "-b20", "-j1"), 0);
    assert_non_null(
        strstr(here->out, "Each iteration took 3.0 base frequency clocks (\t1.5\tns)\n"));
    assert_non_null(strstr(here->aside, "it is 4.5"));
    assert_string_equal(here->asked, "fathom latency --size 20480 --state chased --node 1\n");
}

#define MIX(FACTOR, TEXT, X, VALUE)                                                                \
    {                                                                                              \
        "bandwidth", "bandwidth by threads", FACTOR, TEXT, X, 0, 0, false, VALUE, 0, 0, 0, NULL    \
    }

static void peak_bandwidths(void **state)
{
    static const struct made_up values[] = {
        MIX("mix", "1:0", 1, 1e9),        MIX("mix", "1:0", 2, 165400.6e6),
        MIX("mix", "3:1", 2, 154975.2e6), MIX("mix", "2:1", 2, 158433.3e6),
        MIX("mix", "1:1", 2, 157352.1e6), MIX("kernel", "triad", 2, 157878.3e6),
    };
    struct document document = {0};
    assert_int_equal(SPEAK(*state, values, "mlc", "--peak_injection_bandwidth"), 0);
    assert_non_null(
        strstr(here->out, "Measuring Peak Injection Memory Bandwidths for the system\n"));
    assert_non_null(strstr(here->out, "ALL Reads        :\t165400.6\t\n"
                                      "3:1 Reads-Writes :\t154975.2\t\n"
                                      "2:1 Reads-Writes :\t158433.3\t\n"
                                      "1:1 Reads-Writes :\t157352.1\t\n"
                                      "Stream-triad like:\t157878.3\t\n"));
    assert_int_equal(SPEAK(*state, values, "mlc", "--max_bandwidth", "-b1m", "-k0-1"), 0);
    assert_non_null(strstr(here->out, "3:1 Reads-Writes :\t154975.21\t\n"));
    assert_non_null(strstr(here->asked, "--cpus 0-1 --size 2097152"));
    read_back(here, "mlc", &document);
    assert_non_null(document_finding(&document, "bandwidth.reads3-writes1.all"));
    assert_non_null(document_finding(&document, "bandwidth.read.all"));
    document_free(&document);
}

#define LINE(OP, STATE, VALUE)                                                                     \
    {                                                                                              \
        "coherence", OP STATE, "state", STATE, 0, 0, 1, true, VALUE, 0, 0, 0, NULL, OP             \
    }

static void c2c_latency_is_of_loads(void **state)
{
    static const struct made_up values[] = {
        LINE("store", "modified", 80), LINE("load", "modified", 47), LINE("load", "exclusive", 45)};
    static const struct made_up stores[] = {LINE("store", "modified", 80),
                                            LINE("store", "exclusive", 81)};
    assert_int_equal(SPEAK(*state, values, "mlc", "--c2c_latency"), 0);
    assert_non_null(strstr(here->out, "(in ns)...\nLocal Socket L2->L2 HIT  latency\t45.0\n"
                                      "Local Socket L2->L2 HITM latency\t47.0\n"));
    /* Where nothing can be printed, nothing is: no heading either. */
    assert_int_equal(SPEAK(*state, stores, "mlc", "--c2c_latency"), ERROR_IMPOSSIBLE);
    assert_string_equal(here->out, "");
}

static void what_is_unknown_is_refused(void **state)
{
    static const struct made_up values[] = {LATENCY(0, 0, 87)};
    assert_int_equal(SPEAK(*state, values, "mlc", "--no_such_mode"), ERROR_USAGE);
    assert_non_null(strstr(here->error.text, "--no_such_mode"));
    assert_int_equal(SPEAK(*state, values, "mlc", "extra"), ERROR_USAGE);
    assert_int_equal(SPEAK(*state, values, "mlc", "--latency_matrix=1"), ERROR_USAGE);
}

/* All modes: scripts find every table, and what has no value has no number. */
static void all_modes_have_their_tables(void **state)
{
    static const struct made_up values[] = {LATENCY(0, 0, 87), WIDTH(0, 0, 82542.2e6)};
    struct document document = {0};
    assert_int_equal(SPEAK(*state, values, "mlc"), 0);
    assert_string_equal(here->out,
                        "Intel(R) Memory Latency Checker - v3.11\n"
                        "Measuring idle latencies for random access (in ns)...\n"
                        "\t\tNuma node\nNuma node\t     0\t\n       0\t  87.0\t\n\n"
                        "Measuring Peak Injection Memory Bandwidths for the system\n"
                        "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\n"
                        "Using all the threads from each core if Hyper-threading is enabled\n"
                        "Using traffic with the following read-write ratios\n"
                        "ALL Reads        :\t     -\t\n3:1 Reads-Writes :\t     -\t\n"
                        "2:1 Reads-Writes :\t     -\t\n1:1 Reads-Writes :\t     -\t\n"
                        "Stream-triad like:\t     -\t\n\n"
                        "Measuring Memory Bandwidths between nodes within system \n"
                        "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\n"
                        "Using all the threads from each core if Hyper-threading is enabled\n"
                        "Using Read-only traffic type\n"
                        "\t\tNuma node\nNuma node\t     0\t\n       0\t82542.2\t\n\n"
                        "Measuring Loaded Latencies for the system\n"
                        "Using all the threads from each core if Hyper-threading is enabled\n"
                        "Using Read-only traffic type\nInject\tLatency\tBandwidth\n"
                        "Delay\t(ns)\tMB/sec\n==========================\n"
                        " 00000\t     -\t        -\n\n"
                        "Measuring cache-to-cache transfer latency (in ns)...\n"
                        "Local Socket L2->L2 HIT  latency\t     -\n"
                        "Local Socket L2->L2 HITM latency\t     -\n\n");
    assert_true(here->talk.holes >= 7);
    assert_non_null(strstr(here->aside, "fathom: mlc: measured by fathom"));
    read_back(here, "mlc", &document);
    document_free(&document);
}

/* A gap says why: the cell's own reason, or its probe's; what prevents any run is no gap. */
static void gaps_have_their_reasons(void **state)
{
    static const struct made_up values[] = {
        LATENCY(0, 0, 87),
        LATENCY(1, 0, 140),
        {"numa", "numa", "shows", "latency of one CPU", 0, 0, 1, true, 0, 0, 0, 0, "it is full"}};
    struct booth *booth = *state;
    two_nodes(booth);
    booth->skipped = "coherence";
    assert_int_equal(SPEAK(booth, values, "mlc"), 0);
    assert_non_null(strstr(here->aside, "node 0 to 1 has no value: it is full\n"));
    assert_non_null(strstr(here->aside, "node 1 to 1 has no value: there was no time for it\n"));
    assert_non_null(strstr(here->aside, "of another core's has no value: it needs two CPUs\n"));
    booth->refused = "another machine can't be measured";
    assert_int_equal(SPEAK(booth, values, "mlc"), ERROR_IMPOSSIBLE);
    assert_string_equal(here->error.text, "another machine can't be measured");
    assert_string_equal(here->out, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOOTH_TEST(matrices),
        BOOTH_TEST(loaded_latency),
        BOOTH_TEST(throughput_has_no_latency),
        BOOTH_TEST(idle_latency),
        BOOTH_TEST(peak_bandwidths),
        BOOTH_TEST(c2c_latency_is_of_loads),
        BOOTH_TEST(all_modes_have_their_tables),
        BOOTH_TEST(gaps_have_their_reasons),
        BOOTH_TEST(what_is_unknown_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
