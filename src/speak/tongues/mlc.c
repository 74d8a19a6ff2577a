/*
 * Intel's Memory Latency Checker: its modes and their tables. A script that parses them looks for
 * tabs: "       0\t  84.0\t 140.0" between nodes, " 00000\t300.00\t 200000.0" under load.
 */
#include "speak/tongues/mlc.h"

#include "base/units.h"
#include "measure/probes/chase/working_sets.h"

#include <string.h>

static const double megabyte = 1e6, mebibyte = 1048576;
static const struct talk_option no_options[] = {{.name = NULL}};
static const double nodes_s = 20, idle_s = 6, lines_s = 8;
enum { KIB = 1024, CPU_MOST = 65535, DELAY_MOST = 1000000 };

static const struct tongue_argument arguments[] = {
    {0, "latency_matrix", NULL, "latency from every node's CPUs to every node's memory", false},
    {0, "bandwidth_matrix", NULL, "bandwidth of all CPUs of a node, reading, to every node", false},
    {0, "peak_injection_bandwidth", NULL, "all CPUs, by mixes of reads and writes", false},
    {0, "max_bandwidth", NULL, "the same, as fathom always looks for the most", false},
    {0, "loaded_latency", NULL, "latency of one CPU while the others make traffic", false},
    {0, "idle_latency", NULL, "latency of one CPU and one buffer", false},
    {0, "c2c_latency", NULL, "lines that another core's cache holds", false},
    {'b', NULL, "SIZE",
     "the buffer of --idle_latency, or of each thread with bandwidths and -T: in KiB, or with m or "
     "g behind it",
     false},
    {'c', NULL, "CPU", "the CPU that measures latency", false},
    {'k', NULL, "CPUS", "the CPUs that make traffic, like 1-3,5", false},
    {'j', NULL, "NODE", "the node whose memory --idle_latency takes", false},
    {'T', NULL, NULL, "with --loaded_latency: throughput alone, of all CPUs", false},
    {'d', NULL, "DELAY", "with --loaded_latency: the row of this delay alone, or of the nearest",
     false},
    {'t', NULL, "SECONDS", "how long a mode may measure", false},
    {'W', NULL, "N",
     "with --loaded_latency: 3 reads to a write (3), or as many (5); with -T also 2:1 (2), writes "
     "past the caches alone (6), and such writes with reads 2:1 (7 and 10), 1:1 (8) and 3:1 (9)",
     false},
    {'i', NULL, "CPU", "fathom touches memory from the CPU that measures", true},
    {'R', NULL, NULL, "traffic of reads alone, which is the default", true},
    {'X', NULL, NULL, "fathom takes second hardware threads last by itself", true},
    {'e', NULL, NULL, "fathom never touches prefetchers, so it needs no root", true},
    {'r', NULL, NULL, "fathom's chases always go in random order", true},
    {'U', NULL, NULL, "for random traffic: fathom loaded --traffic random", true},
    {'x', NULL, "N", "fathom's kernels repeat as long as they have to", true},
    {'l', NULL, "BYTES", "for another stride: fathom latency --stride", true},
    {'D', NULL, "N", "for random order within a block: fathom latency --order", true},
    {'g', NULL, "FILE", "fathom steps through delays of its own", true},
    {'h', NULL, NULL, "fathom takes the largest pages that it can have", true},
    {'L', NULL, NULL, "fathom takes the largest pages that it can have", true},
    {'m', NULL, "MASK", "for some CPUs alone: -k", true},
    {'K', NULL, "N", "fathom chooses by itself where traffic is made", true},
    {'u', NULL, NULL, "fathom chooses by itself where traffic is made", true},
    {'v', NULL, NULL, "for more: --document before mlc, or the command that tells more", true},
    {'Y', NULL, NULL, "fathom takes the widest vectors there are", true},
    {'Z', NULL, NULL, "fathom takes the widest vectors there are", true},
    {.letter = 0},
};

void mlc_begin(struct mlc *mlc)
{
    const struct talk *talk = mlc->talk;
    if (mlc->begun)
        return;
    mlc->begun = true;
    fputs("Intel(R) Memory Latency Checker - v3.11\n", talk->out);
    if (talk->argc)
        fputs("Command line parameters: ", talk->out);
    for (int i = 0; i < talk->argc; i++)
        fprintf(talk->out, "%s ", talk->argv[i]);
    fputs(talk->argc ? "\n\n" : "", talk->out);
}

void mlc_tell_idle(const struct mlc *mlc, const char *mode, const char *letters)
{
    for (; *letters; letters++)
        if (talk_value(mlc->talk, *letters))
            talk_aside(mlc->talk, "-%c does nothing with --%s: fathom chooses by itself", *letters,
                       mode);
}

/* --- between nodes --- */

const struct probe_result *mlc_measure(struct mlc *mlc, const char *probe,
                                       const struct talk_option *options, double usual_s)
{
    return talk_measure(mlc->talk, probe, options, mlc->seconds > 0 ? mlc->seconds : usual_s);
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

/* Rows are nodes with CPUs, columns nodes with memory; "-" is a cell that could not be had. Both
 * matrices come of one measurement, so a call of all modes measures once. */
static void print_nodes(struct mlc *mlc, const char *heading, const char *shows, double unit)
{
    struct talk *talk = mlc->talk;
    FILE *out = talk->out;
    const struct probe_result *result = document_probe(talk->document, "numa");
    if (!result)
        result = mlc_measure(mlc, "numa", no_options, nodes_s);
    const struct series *series = talk_series(result, NULL, "shows", shows);
    const struct machine_facts *facts = &talk->machine->facts;
    if (!has_value(series))
        talk_missing(talk, shows);
    mlc_begin(mlc);
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
}

static void latency_matrix(struct mlc *mlc)
{
    mlc_tell_idle(mlc, "latency_matrix", "bckjdW");
    print_nodes(mlc, "Measuring idle latencies for random access (in ns)...\n",
                "latency of one CPU", 1);
}

static void bandwidth_matrix(struct mlc *mlc)
{
    mlc_tell_idle(mlc, "bandwidth_matrix", "bckjdW");
    print_nodes(mlc,
                "Measuring Memory Bandwidths between nodes within system \n"
                "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\n" MLC_ALL_THREADS
                "Using Read-only traffic type\n",
                "bandwidth of all CPUs of the node, reading", megabyte);
}

/* --- one buffer --- */

/* The tool counts clocks of the time stamp counter, whose rate is the base frequency. */
static void print_iteration(const struct talk *talk, const struct point *point)
{
    const struct conditions *conditions = &talk->document->conditions;
    const bool counted = conditions->counter && strcmp(conditions->counter, "tsc") == 0;
    const double ns = (double)point->y.median;
    fprintf(talk->out, "Each iteration took %.1f %s clocks (\t%.1f\tns)\n\n",
            counted ? ns * conditions->counter_hz * 1e-9 : (double)point->cycles.median,
            counted ? "base frequency" : "core", ns);
    if (counted)
        talk_aside(talk, "in cycles of the core, whose clock moves, it is %.1f",
                   (double)point->cycles.median);
}

static void idle_latency(struct mlc *mlc)
{
    struct talk *talk = mlc->talk;
    const uint64_t bytes = mlc->bytes ? mlc->bytes : working_sets_largest(talk->machine);
    struct talk_option options[4] = {{"size", talk_digits(talk, bytes)}};
    size_t count = 1;
    if (mlc->cpu)
        options[count++] = (struct talk_option){"cpu", mlc->cpu};
    if (talk_value(talk, 'j'))
        options[count++] = (struct talk_option){"node", talk_value(talk, 'j')};
    mlc_tell_idle(mlc, "idle_latency", "kdW");
    const struct probe_result *result = mlc_measure(mlc, "latency", options, idle_s);
    const struct series *series = talk_series(result, "latency", NULL, NULL);
    const struct point *point = series && series->point_count ? &series->points[0] : NULL;
    if (!point || !point->y.n)
        talk_missing(talk, "the latency");
    mlc_begin(mlc);
    fprintf(talk->out, "Using buffer size of %.3fMiB\n", (double)bytes / mebibyte);
    print_iteration(talk, point);
}

/* --- lines of other cores --- */

static const struct point *point_of_load(const struct probe_result *result, const char *state)
{
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        const struct factor *op = series_factor(series, "op"),
                            *found = series_factor(series, "state");
        if (op && found && strcmp(op->text, "load") == 0 && strcmp(found->text, state) == 0 &&
            series->point_count && series->points[0].y.n)
            return &series->points[0];
    }
    return NULL;
}

static void c2c_latency(struct mlc *mlc)
{
    struct talk *talk = mlc->talk;
    mlc_tell_idle(mlc, "c2c_latency", "bckjdW");
    const struct probe_result *result = mlc_measure(mlc, "coherence", no_options, lines_s);
    const struct point *hit = point_of_load(result, "exclusive"),
                       *modified = point_of_load(result, "modified");
    if (!hit || !modified)
        talk_missing(talk, "a line of another core's");
    mlc_begin(mlc);
    fprintf(talk->out,
            "Measuring cache-to-cache transfer latency (in ns)...\n"
            "Local Socket L2->L2 HIT  latency\t%.1f\nLocal Socket L2->L2 HITM latency\t%.1f\n\n",
            (double)hit->y.median, (double)modified->y.median);
}

/* --- modes --- */

static const struct {
    const char *argument;
    void (*speak)(struct mlc *);
} modes[] = {
    {"latency_matrix", latency_matrix},     {"peak_injection_bandwidth", mlc_peak_bandwidths},
    {"max_bandwidth", mlc_peak_bandwidths}, {"bandwidth_matrix", bandwidth_matrix},
    {"loaded_latency", mlc_loaded_latency}, {"idle_latency", idle_latency},
    {"c2c_latency", c2c_latency},
};
enum { MODES = sizeof modes / sizeof *modes };

/* Without a mode the tool runs all but a second look at bandwidth and the single buffer. */
static bool is_wanted(const struct talk *talk, size_t mode, bool any)
{
    const bool of_all = mode != 2 && modes[mode].speak != idle_latency;
    return any ? talk_named(talk, modes[mode].argument) != NULL : of_all;
}

static void read_cpus(struct mlc *mlc)
{
    struct cpulist cpus = {0};
    struct pool *pool = &mlc->talk->document->pool;
    mlc->cpus = talk_value(mlc->talk, 'k');
    mlc->cpu_count = mlc->talk->machine->allowed.count;
    const int code = mlc->cpus ? cpulist_parse(mlc->cpus, &cpus, pool_error(pool)) : 0;
    if (code == 0 && mlc->cpus)
        mlc->cpu_count = cpus.count;
    cpulist_free(&cpus);
    if (code == ERROR_USAGE)
        talk_refuse(mlc->talk, "-k '%s': give CPUs like 1-3,5", mlc->cpus);
    pool_check(pool, code);
}

static void speak(struct talk *talk)
{
    struct mlc mlc = {.talk = talk,
                      .cpu = talk_value(talk, 'c'),
                      .seconds = (double)talk_number(talk, 't', 1, 86400, 0)};
    bool any = false;
    read_cpus(&mlc);
    talk_number(talk, 'c', 0, CPU_MOST, 0); /* refuses what is no number */
    mlc.delay = talk_number(talk, 'd', 0, DELAY_MOST, 0);
    if (talk_value(talk, 'b'))
        mlc.bytes = talk_size(talk, "-b", talk_value(talk, 'b'), KIB);
    for (size_t i = 0; i < MODES; i++)
        any = any || talk_named(talk, modes[i].argument);
    for (size_t i = 0; i < MODES; i++)
        if (is_wanted(talk, i, any))
            modes[i].speak(&mlc);
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
        "in turns of a loop, and 0 is the most traffic: compare the curve, latency over bandwidth, "
        "and "
        "not the delays. "
        "Bandwidths by mix count lines as the memory sees them, a store's own read among the "
        "reads. The first line names the tool whose form it is, for the sake of scripts; the "
        "numbers are fathom's. Lines of other sockets are measured by 'fathom coherence --cpus'.",
    .arguments = arguments,
    .speak = speak,
};
