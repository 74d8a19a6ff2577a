/*
 * Intel's Memory Latency Checker: its modes and their tables. A script that parses them looks for
 * tabs: "       0\t  84.0\t 140.0" between nodes, " 00000\t300.00\t 200000.0" under load.
 */
#include "tongues/mlc.h"

#include "base/units.h"
#include "probes/chase/working_sets.h"

#include <string.h>

static const double megabyte = 1e6;
static const double nodes_s = 20, loaded_s = 20, idle_s = 3, lines_s = 8, throughput_s = 2;
enum { KIB = 1024, MIB = 1048576 };

static const struct tongue_argument arguments[] = {
    {0, "latency_matrix", NULL, "latency from every node's CPUs to every node's memory", false},
    {0, "bandwidth_matrix", NULL, "bandwidth of all CPUs of a node, reading, to every node", false},
    {0, "peak_injection_bandwidth", NULL, "all CPUs, by mixes of reads and writes", false},
    {0, "max_bandwidth", NULL, "the same, as fathom always looks for the most", false},
    {0, "loaded_latency", NULL, "latency of one CPU while the others make traffic", false},
    {0, "idle_latency", NULL, "latency of one CPU and one buffer", false},
    {0, "c2c_latency", NULL, "lines that another core's cache holds", false},
    {'b', NULL, "SIZE",
     "the buffer of --idle_latency, or with -T of each thread: in KiB, or with m "
     "or g behind it",
     false},
    {'c', NULL, "CPU", "the CPU that measures latency", false},
    {'i', NULL, "CPU", "fathom touches memory from the CPU that measures", true},
    {'T', NULL, NULL, "with --loaded_latency: throughput alone, of all CPUs reading", false},
    {'d', NULL, "DELAY", "fathom steps through delays of its own", true},
    {'t', NULL, "SECONDS", "how long a mode may measure", false},
    {'R', NULL, NULL, "traffic of reads alone, which is the default", true},
    {'W', NULL, "N", "for other traffic: fathom loaded --mix, fathom bandwidth --mix", true},
    {'X', NULL, NULL, "fathom takes second hardware threads last by itself", true},
    {'e', NULL, NULL, "fathom never touches prefetchers, so it needs no root", true},
    {'r', NULL, NULL, "fathom's chases always go in random order", true},
    {'U', NULL, NULL, "fathom's chases always go in random order", true},
    {'x', NULL, "N", "fathom's kernels repeat as long as they have to", true},
    {'l', NULL, "BYTES", "for another stride: fathom latency --stride", true},
    {'Y', NULL, NULL, "fathom takes the widest vectors there are", true},
    {'Z', NULL, NULL, "fathom takes the widest vectors there are", true},
    {.letter = 0},
};

/* --- between nodes --- */

/* Both matrices come of one measurement, so a call of all modes measures once. */
static int measure_nodes(struct mlc *mlc, struct error *error)
{
    static const struct talk_option none[] = {{.name = NULL}};
    const struct probe_result *result = document_probe(mlc->talk->document, "numa");
    return result ? (mlc->result = result, 0)
                  : talk_measure(mlc->talk, "numa", none, mlc->seconds > 0 ? mlc->seconds : nodes_s,
                                 &mlc->result, error);
}

static bool is_column(const struct series *series, int node, bool from)
{
    for (size_t i = 0; i < series->point_count; i++)
        if ((from ? series->points[i].from : series->points[i].to) == node)
            return true;
    return false;
}

static bool has_value(const struct series *series)
{
    for (size_t i = 0; series && i < series->point_count; i++)
        if (series->points[i].y.n)
            return true;
    return false;
}

/* Rows are nodes with CPUs, columns nodes with memory; "-" is a cell that could not be had. */
static int print_nodes(struct mlc *mlc, const char *heading, const char *shows, double unit,
                       struct error *error)
{
    FILE *out = mlc->talk->out;
    const struct series *series = talk_series(mlc->result, NULL, "shows", shows);
    const struct machine_facts *facts = &mlc->talk->machine->facts;
    if (!has_value(series))
        return talk_missing(mlc->talk, shows, error);
    fputs(heading, out);
    fputs("\t\tNuma node\nNuma node\t", out);
    for (size_t to = 0; to < facts->node_count; to++)
        if (is_column(series, facts->nodes[to].id, false))
            fprintf(out, "%6d\t", facts->nodes[to].id);
    for (size_t from = 0; from < facts->node_count; from++) {
        const int id = facts->nodes[from].id;
        if (!is_column(series, id, true))
            continue;
        fprintf(out, "\n%8d\t", id);
        for (size_t to = 0; to < facts->node_count; to++) {
            const struct point *point = talk_cell(series, id, facts->nodes[to].id);
            if (point)
                fprintf(out, unit > 1 ? "%.1f\t" : "%6.1f\t", (double)point->y.median / unit);
            else if (is_column(series, facts->nodes[to].id, false))
                fputs("     -\t", out);
        }
    }
    fputs("\n\n", out);
    return 0;
}

static int latency_matrix(struct mlc *mlc, struct error *error)
{
    int code = measure_nodes(mlc, error);
    if (code < 0)
        return code;
    return print_nodes(mlc, "Measuring idle latencies for random access (in ns)...\n",
                       "latency of one CPU", 1, error);
}

#define ALL_THREADS "Using all the threads from each core if Hyper-threading is enabled\n"

static int bandwidth_matrix(struct mlc *mlc, struct error *error)
{
    int code = measure_nodes(mlc, error);
    if (code < 0)
        return code;
    return print_nodes(mlc,
                       "Measuring Memory Bandwidths between nodes within system \n"
                       "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\n" ALL_THREADS
                       "Using Read-only traffic type\n",
                       "bandwidth of all CPUs of the node, reading", megabyte, error);
}

/* --- under load --- */

static bool step_is_measured(const struct series *latency, const struct series *bandwidth,
                             unsigned step)
{
    const struct point *ns = series_point(latency, step), *rate = series_point(bandwidth, step);
    return ns && rate && ns->y.n && rate->y.n && rate->y.median > 0;
}

static bool has_traffic(const struct series *latency, const struct series *bandwidth)
{
    for (unsigned step = LOADED_FULL; latency && bandwidth && step > LOADED_NONE; step--)
        if (step_is_measured(latency, bandwidth, step))
            return true;
    return false;
}

/* From the most traffic to the least, as the tool's delays grow. What it calls a delay is the pause
 * after each line, in turns of an empty loop; without traffic there is none. */
static int loaded_latency(struct mlc *mlc, struct error *error)
{
    static const struct talk_option none[] = {{.name = NULL}};
    struct talk *talk = mlc->talk;
    const struct talk_option chase[] = {{mlc->cpu ? "cpu" : NULL, mlc->cpu}, {.name = NULL}};
    int code = talk_measure(talk, "loaded", mlc->cpu ? chase : none,
                            mlc->seconds > 0 ? mlc->seconds : loaded_s, &mlc->result, error);
    if (code < 0)
        return code;
    const struct series *latency =
        talk_series(mlc->result, NULL, "shows", loaded_shows[LOADED_LATENCY]);
    const struct series *bandwidth =
        talk_series(mlc->result, NULL, "shows", loaded_shows[LOADED_BANDWIDTH]);
    if (!has_traffic(latency, bandwidth))
        return talk_missing(talk, "latency under load", error);
    fprintf(talk->out,
            "Measuring Loaded Latencies for the system\n" ALL_THREADS
            "Using Read-only traffic type\n"
            "Inject\tLatency\tBandwidth\nDelay\t(ns)\tMB/sec\n==========================\n");
    for (unsigned step = LOADED_FULL; step > LOADED_NONE; step--)
        if (step_is_measured(latency, bandwidth, step))
            fprintf(talk->out, " %05u\t%6.2f\t%9.1f\n", loaded_pauses[step],
                    (double)series_point(latency, step)->y.median,
                    (double)series_point(bandwidth, step)->y.median / megabyte);
    fputc('\n', talk->out);
    const struct point *idle = series_point(latency, LOADED_NONE);
    if (idle && idle->y.n)
        talk_aside(talk,
                   "without any traffic it is %.1f ns; a delay is a pause of so many turns of "
                   "an empty loop after each line",
                   (double)idle->y.median);
    return 0;
}

static int throughput(struct mlc *mlc, struct error *error)
{
    struct talk *talk = mlc->talk;
    const uint64_t threads = talk->machine->allowed.count;
    const struct talk_option options[] = {
        {"kernel", "read"},
        {"size", talk_text(talk, "%llu", (unsigned long long)(mlc->bytes * threads))},
        {.name = NULL}};
    int code = talk_measure(talk, "bandwidth", options,
                            mlc->seconds > 0 ? mlc->seconds : throughput_s, &mlc->result, error);
    if (code < 0)
        return code;
    const struct point *point = talk_point(
        talk, talk_series(mlc->result, "bandwidth by threads", NULL, NULL), (double)threads);
    if (!point)
        return talk_missing(talk, "the throughput", error);
    fprintf(talk->out,
            "Measuring Loaded Latencies for the system\n" ALL_THREADS
            "Using Read-only traffic type\n"
            "Inject\tLatency\tBandwidth\nDelay\t(ns)\tMB/sec\n==========================\n"
            " 00000\t  0.00\t%9.1f\n\n",
            (double)point->y.median / megabyte);
    talk_aside(talk, "-T measures no latency: the 0.00 is the tool's own");
    return 0;
}

/* --- one buffer --- */

static int idle_latency(struct mlc *mlc, struct error *error)
{
    struct talk *talk = mlc->talk;
    const uint64_t bytes = mlc->bytes ? mlc->bytes : working_sets_largest(talk->machine);
    const struct talk_option options[] = {
        {"size", talk_text(talk, "%llu", (unsigned long long)bytes)},
        {mlc->cpu ? "cpu" : NULL, mlc->cpu},
        {.name = NULL}};
    int code = talk_measure(talk, "latency", options, mlc->seconds > 0 ? mlc->seconds : idle_s,
                            &mlc->result, error);
    if (code < 0)
        return code;
    const struct series *series = talk_series(mlc->result, "latency", NULL, NULL);
    const struct point *point = series && series->point_count ? &series->points[0] : NULL;
    if (!point || !point->y.n)
        return talk_missing(talk, "the latency", error);
    fprintf(talk->out,
            "Using buffer size of %.3fMiB\nEach iteration took %.1f core clocks ( %.1f ns)\n\n",
            (double)bytes / MIB, (double)point->cycles.median, (double)point->y.median);
    return 0;
}

/* --- lines of other cores --- */

static int c2c_latency(struct mlc *mlc, struct error *error)
{
    static const struct talk_option none[] = {{.name = NULL}};
    static const struct {
        const char *state, *label;
    } states[] = {{"exclusive", "HIT  latency"}, {"modified", "HITM latency"}};
    struct talk *talk = mlc->talk;
    int code = talk_measure(talk, "coherence", none, mlc->seconds > 0 ? mlc->seconds : lines_s,
                            &mlc->result, error);
    if (code < 0)
        return code;
    fputs("Measuring cache-to-cache transfer latency (in ns)...\n", talk->out);
    unsigned printed = 0;
    for (size_t s = 0; s < sizeof states / sizeof *states; s++)
        for (size_t i = 0; i < mlc->result->series_count; i++) {
            const struct series *series = &mlc->result->series[i];
            const struct factor *op = series_factor(series, "op"),
                                *state = series_factor(series, "state");
            if (!op || !state || strcmp(op->text, "load") != 0 ||
                strcmp(state->text, states[s].state) != 0 || !series->point_count ||
                !series->points[0].y.n)
                continue;
            fprintf(talk->out, "Local Socket L2->L2 %s\t%.1f\n", states[s].label,
                    (double)series->points[0].y.median);
            printed++;
        }
    fputc('\n', talk->out);
    return printed ? 0 : talk_missing(talk, "any line of another core's", error);
}

/* --- modes --- */

static const struct {
    const char *argument;
    int (*speak)(struct mlc *, struct error *);
} modes[] = {
    {"latency_matrix", latency_matrix},     {"peak_injection_bandwidth", mlc_peak_bandwidths},
    {"max_bandwidth", mlc_peak_bandwidths}, {"bandwidth_matrix", bandwidth_matrix},
    {"loaded_latency", loaded_latency},     {"idle_latency", idle_latency},
    {"c2c_latency", c2c_latency},
};
enum { MODES = sizeof modes / sizeof *modes };

/* Without a mode the tool runs all but a second look at bandwidth and the single buffer. */
static bool is_wanted(const struct talk *talk, size_t mode, bool any)
{
    const bool of_all = mode != 2 && modes[mode].speak != idle_latency;
    return any ? talk_named(talk, modes[mode].argument) != NULL : of_all;
}

static int read_arguments(struct mlc *mlc, struct error *error)
{
    const struct talk *talk = mlc->talk;
    uint64_t seconds, cpu;
    int code = talk_number(talk, 't', 1, 3600, 0, &seconds, error);
    mlc->seconds = code == 0 ? (double)seconds : 0;
    mlc->cpu = talk_value(talk, 'c');
    if (code == 0)
        code = talk_number(talk, 'c', 0, 65535, 0, &cpu, error);
    if (code == 0 && talk_value(talk, 'b'))
        code = talk_size(talk, "-b", talk_value(talk, 'b'), KIB, &mlc->bytes, error);
    if (code == 0 && talk_value(talk, 'T') && !mlc->bytes)
        code = error_set(error, ERROR_USAGE,
                         "mlc: -T: give the buffer of each thread too, like -b20 for 20 KiB");
    return code;
}

static int speak(struct talk *talk, struct error *error)
{
    struct mlc mlc = {.talk = talk};
    bool any = false;
    for (size_t i = 0; i < MODES; i++)
        any = any || talk_named(talk, modes[i].argument);
    int code = read_arguments(&mlc, error);
    if (code < 0)
        return code;
    fputs("Intel(R) Memory Latency Checker - v3.11\n", talk->out);
    if (any)
        fputs("Command line parameters:", talk->out);
    for (size_t i = 0; i < MODES && any; i++)
        if (is_wanted(talk, i, any))
            fprintf(talk->out, " --%s", modes[i].argument);
    fputs(any ? " \n\n" : "", talk->out);
    for (size_t i = 0; i < MODES && code == 0; i++)
        if (is_wanted(talk, i, any))
            code = modes[i].speak == loaded_latency && talk_value(talk, 'T')
                       ? throughput(&mlc, error)
                       : modes[i].speak(&mlc, error);
    return code;
}

const struct tongue mlc_tongue = {
    .name = "mlc",
    .place = 90,
    .summary = "nodes, mixes of reads and writes, latency under load, lines of other cores (Intel)",
    .operands = "",
    .differs =
        "mlc switches prefetchers off, as root, and goes forward through its buffer; where it may "
        "not, it takes random order within blocks. fathom touches no prefetcher and takes "
        "random order over the whole buffer, so its idle latencies have a row of DRAM opened for "
        "nearly every load and are some nanoseconds larger. Under load, fathom's delays are pauses "
        "in turns of a loop: compare the curve, latency over bandwidth, and not the delays. "
        "Bandwidths by mix count lines as the memory sees them, a store's own read among the "
        "reads. The first line names the tool whose form it is, for the sake of scripts; the "
        "numbers are fathom's. Lines of other sockets are measured by 'fathom coherence --cpus'.",
    .arguments = arguments,
    .speak = speak,
};
