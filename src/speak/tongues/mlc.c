/*
 * Intel's Memory Latency Checker: its modes and their tables. A script that parses them looks for
 * tabs: "       0\t  84.0\t 140.0" between nodes, " 00000\t300.00\t 200000.0" under load.
 */
#include "measure/probes/chase/working_sets.h"
#include "measure/probes/loaded/loaded.h"
#include "speak/tongues/tongue.h"

#include <string.h>

#include "mlc.help.h"

#define ALL_THREADS "Using all the threads from each core if Hyper-threading is enabled\n"

static const double megabyte = 1e6, mebibyte = 1048576;
static const struct talk_option no_options[] = {{.name = NULL}};
static const double nodes_s = 20, idle_s = 6, lines_s = 8, loaded_s = 20, throughput_s = 3,
                    mixes_s = 12;
enum { KIB = 1024, CPU_MOST = 65535, DELAY_MOST = 1000000 };
enum { BUFFER = 100 << 20 }; /* the tool's default, per thread */

struct mlc {
    struct talk *talk;
    bool begun;       /* the tool's first lines have been printed */
    const char *cpu;  /* -c; NULL: not given */
    const char *cpus; /* -k; NULL: not given */
    size_t cpu_count; /* CPUs that make traffic in modes where all do the same */
    uint64_t delay;   /* -d; 0: not given */
    uint64_t bytes;   /* -b; 0: not given */
    double seconds;   /* -t; 0: not given */
    double times;     /* how many times its usual time a mode may take */
    bool with_gaps;   /* nothing is measured any more: the table is printed with what there is */
};

/* Prints the tool's first lines, once, before its first table: if nothing could be measured,
 * standard output stays empty. */
static void begin(struct mlc *mlc)
{
    const struct talk *talk = mlc->talk;
    if (mlc->begun)
        return;
    mlc->begun = true;
    talk_as_form(talk);
    fputs("Intel(R) Memory Latency Checker - v3.11\n", talk->out);
    if (talk->argc)
        fputs("Command line parameters: ", talk->out);
    for (int i = 0; i < talk->argc; i++)
        fprintf(talk->out, "%s ", talk->argv[i]);
    fputs(talk->argc ? "\n\n" : "", talk->out);
}

/* Writes aside which of these arguments were given without effect in this mode. */
static void tell_idle(const struct mlc *mlc, const char *mode, const char *letters)
{
    for (; *letters; letters++)
        if (talk_value(mlc->talk, *letters))
            talk_aside(mlc->talk, "-%c does nothing with --%s: fathom chooses by itself", *letters,
                       mode);
}

/* Measures for `usual_s`, or for the time of -t. */
static const struct probe_result *measure(struct mlc *mlc, const char *probe,
                                          const struct talk_option *options, double usual_s)
{
    return mlc->with_gaps ? talk_latest(mlc->talk, probe)
                          : talk_measure(mlc->talk, probe, options,
                                         mlc->times * (mlc->seconds > 0 ? mlc->seconds : usual_s));
}

/* The table needs `what`, which was not measured. */
static void lacks(const struct mlc *mlc, const char *what)
{
    talk_need(mlc->talk, mlc->with_gaps, what);
    talk_hole(mlc->talk, NULL, what);
}

/* The point's value in units, or "-". */
static void print_value(const struct talk *talk, const char *format, const struct point *point,
                        double unit)
{
    if (point && point->y.n)
        fprintf(talk->out, format, (double)point->y.median / unit);
    else
        fputs("     -", talk->out);
}

/* --- between nodes --- */

static bool has_value(const struct series *series)
{
    for (size_t i = 0; series && i < series->point_count; i++)
        if (series->points[i].y.n)
            return true;
    return false;
}

/* Rows are nodes with CPUs, columns nodes with memory; "-" is a cell without a value. Both matrices
 * result from one measurement, so a call of all modes measures once. */
static void print_nodes(struct mlc *mlc, const char *heading, const char *shows, double unit)
{
    struct talk *talk = mlc->talk;
    FILE *out = talk->out;
    const struct probe_result *result = talk_latest(talk, "numa");
    if (!result || !has_value(probe_series(result, NULL, "shows", shows)))
        result = measure(mlc, "numa", no_options, nodes_s);
    const struct series *series = probe_series(result, NULL, "shows", shows);
    const struct machine_facts *facts = &talk->machine->facts;
    if (!has_value(series))
        lacks(mlc, shows);
    begin(mlc);
    fputs(heading, out);
    fputs("\t\tNuma node\nNuma node\t", out);
    for (size_t to = 0; to < facts->node_count; to++)
        if (talk_has_node(series, facts->nodes[to].id, false))
            fprintf(out, "%6d\t", facts->nodes[to].id);
    for (size_t from = 0; from < facts->node_count; from++) {
        const int id = facts->nodes[from].id;
        if (!talk_has_node(series, id, true))
            continue;
        fprintf(out, "\n%8d\t", id);
        for (size_t to = 0; to < facts->node_count; to++) {
            const struct point *point = talk_cell(series, id, facts->nodes[to].id);
            if (!talk_has_node(series, facts->nodes[to].id, false))
                continue;
            print_value(talk, unit > 1 ? "%.1f" : "%6.1f", point, unit);
            fputc('\t', out);
            if (!point || !point->y.n)
                talk_hole(
                    talk, point,
                    pool_printf(&talk->document->pool, "node %d to %d", id, facts->nodes[to].id));
        }
    }
    fputs("\n\n", out);
}

static void latency_matrix(struct mlc *mlc)
{
    tell_idle(mlc, "latency_matrix", "bckjdW");
    print_nodes(mlc, "Measuring idle latencies for random access (in ns)...\n",
                "latency of one CPU", 1);
}

static void bandwidth_matrix(struct mlc *mlc)
{
    tell_idle(mlc, "bandwidth_matrix", "bckjdW");
    print_nodes(mlc,
                "Measuring Memory Bandwidths between nodes within system \n"
                "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\n" ALL_THREADS
                "Using Read-only traffic type\n",
                "bandwidth of all CPUs of the node, reading", megabyte);
}

/* --- one buffer --- */

static void idle_latency(struct mlc *mlc)
{
    struct talk *talk = mlc->talk;
    const uint64_t bytes = mlc->bytes ? mlc->bytes : working_sets_largest(talk->machine);
    struct talk_option options[5] = {{"size", talk_digits(talk, bytes)}, {"state", "chased"}};
    size_t count = 2;
    if (mlc->cpu)
        options[count++] = (struct talk_option){"cpu", mlc->cpu};
    if (talk_value(talk, 'j'))
        options[count++] = (struct talk_option){"node", talk_value(talk, 'j')};
    tell_idle(mlc, "idle_latency", "kdW");
    const struct probe_result *result = measure(mlc, "latency", options, idle_s);
    const struct series *series = probe_series(result, "latency", NULL, NULL);
    const struct point *point = series && series->point_count ? &series->points[0] : NULL;
    talk_need(talk, point && point->y.n, "the latency");
    begin(mlc);
    fprintf(talk->out, "Using buffer size of %.3fMiB\n", (double)bytes / mebibyte);
    /* The tool counts clocks of the time stamp counter, whose rate is the base frequency. */
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
    tell_idle(mlc, "c2c_latency", "bckjdW");
    static const struct talk_option by_state[] = {{"by", "state"}, {.name = NULL}};
    const struct probe_result *result = measure(mlc, "coherence", by_state, lines_s);
    const struct point *hit = point_of_load(result, "exclusive"),
                       *modified = point_of_load(result, "modified");
    if (!hit || !modified)
        lacks(mlc, "a line of another core's");
    begin(mlc);
    fputs(
        "Measuring cache-to-cache transfer latency (in ns)...\nLocal Socket L2->L2 HIT  latency\t",
        talk->out);
    print_value(talk, "%.1f", hit, 1);
    fputs("\nLocal Socket L2->L2 HITM latency\t", talk->out);
    print_value(talk, "%.1f", modified, 1);
    fputs("\n\n", talk->out);
}

/* --- mixes of reads and writes --- */

/* As the memory sees them: a store through the caches reads its line first, so one of its reads is
 * the store's own. */
static const struct {
    const char *label, *mix;
} mixes[] = {
    {"ALL Reads        :", "1:0"},
    {"3:1 Reads-Writes :", "3:1"},
    {"2:1 Reads-Writes :", "2:1"},
    {"1:1 Reads-Writes :", "1:1"},
};
enum { MIXES = sizeof mixes / sizeof *mixes };
static const char triad_label[] = "Stream-triad like:", all_mixes[] = "1:0,3:1,2:1,1:1";

static void print_mix(struct talk *talk, const char *label, const struct point *point, bool most)
{
    fprintf(talk->out, "%s\t", label);
    print_value(talk, most ? "%.2f" : "%.1f", point, megabyte);
    fputs("\t\n", talk->out);
}

static void peak_bandwidths(struct mlc *mlc)
{
    struct talk *talk = mlc->talk;
    const bool most = talk_named(talk, "max_bandwidth");
    const struct point *points[MIXES];
    struct talk_option mixed[5] = {{"mix", all_mixes}, {"kernel", "triad"}};
    size_t count = 2;
    if (mlc->cpus)
        mixed[count++] = (struct talk_option){"cpus", mlc->cpus};
    if (mlc->bytes > UINT64_MAX / 4 / mlc->cpu_count)
        talk_refuse(talk, "-b '%s' for each CPU is more than a machine can have: give less",
                    talk_value(talk, 'b'));
    if (mlc->bytes)
        mixed[count++] =
            (struct talk_option){"size", talk_digits(talk, mlc->bytes * mlc->cpu_count)};
    tell_idle(mlc, most ? "max_bandwidth" : "peak_injection_bandwidth", "cjdW");
    const struct probe_result *result = measure(mlc, "bandwidth", mixed, mixes_s);
    for (size_t i = 0; i < MIXES; i++) {
        points[i] = talk_point(talk, probe_series(result, NULL, "mix", mixes[i].mix),
                               (double)mlc->cpu_count, mixes[i].mix);
        talk_need(talk, points[i] || mlc->with_gaps, mixes[i].mix);
    }
    const struct point *triad = talk_point(talk, probe_series(result, NULL, "kernel", "triad"),
                                           (double)mlc->cpu_count, "triad");
    talk_need(talk, triad || mlc->with_gaps, "triad");
    begin(mlc);
    fprintf(talk->out,
            "Measuring %s Memory Bandwidths for the system\n%s"
            "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\n" ALL_THREADS
            "Using traffic with the following read-write ratios\n",
            most ? "Maximum" : "Peak Injection",
            most
                ? "Will take several minutes to complete as multiple injection rates will be tried "
                  "to get the best bandwidth\n"
                : "");
    for (size_t i = 0; i < MIXES; i++)
        print_mix(talk, mixes[i].label, points[i], most);
    print_mix(talk, triad_label, triad, most);
    fputc('\n', talk->out);
}

/* --- latency by traffic, or with -T the traffic alone --- */

/* Traffic of -W. Latency is measured only with traffic that has `reads`, the share of reads in %;
 * other mixes are measured alone. */
static const struct traffic {
    const char *name, *mix, *reads; /* "3", "3:1", "75"; NULL: no latency */
} traffics[] = {
    {"2", "2:1", NULL},   {"3", "3:1", "75"},   {"5", "1:1", "50"},   {"6", "0:1nt", NULL},
    {"7", "2:1nt", NULL}, {"8", "1:1nt", NULL}, {"9", "3:1nt", NULL}, {"10", "2:1nt", NULL},
};
enum { TRAFFICS = sizeof traffics / sizeof *traffics };

/* The traffic of -W; NULL: not given. */
static const struct traffic *read_traffic(const struct talk *talk)
{
    const char *name = talk_value(talk, 'W');
    size_t i = 0;
    if (!name)
        return NULL;
    while (i < TRAFFICS && strcmp(traffics[i].name, name) != 0)
        i++;
    if (i == TRAFFICS)
        talk_refuse(talk,
                    "-W '%s': fathom has 3 and 5, and with -T 2, 3 and 5 to 10; for other mixes: "
                    "fathom bandwidth --mix R:W",
                    name);
    if (!talk_value(talk, 'T') && !traffics[i].reads)
        talk_refuse(talk,
                    "-W%s: latency under load is measured with reads alone (-R), -W3 or -W5; for "
                    "this traffic's bandwidth: -T, or fathom bandwidth --mix %s",
                    name, traffics[i].mix);
    return &traffics[i];
}

static void print_heading(struct mlc *mlc, const struct traffic *traffic)
{
    begin(mlc);
    fprintf(mlc->talk->out,
            "Measuring Loaded Latencies for the system\n" ALL_THREADS
            "%sInject\tLatency\tBandwidth\nDelay\t(ns)\tMB/sec\n==========================\n",
            traffic ? "" : "Using Read-only traffic type\n");
}

static void throughput(struct mlc *mlc, const struct traffic *traffic)
{
    struct talk *talk = mlc->talk;
    const uint64_t threads = mlc->cpu_count, each = mlc->bytes ? mlc->bytes : BUFFER;
    if (each > UINT64_MAX / 4 / threads)
        talk_refuse(talk, "-b '%s' for each of %llu CPUs is more than there can be",
                    talk_value(talk, 'b'), (unsigned long long)threads);
    const struct talk_option options[] = {
        {traffic ? "mix" : "kernel", traffic ? traffic->mix : "read"},
        {"size", talk_digits(talk, each * threads)},
        {mlc->cpus ? "cpus" : NULL, mlc->cpus},
        {.name = NULL}};
    const struct probe_result *result = measure(mlc, "bandwidth", options, throughput_s);
    const struct point *point =
        talk_point(talk, probe_series(result, "bandwidth by threads", NULL, NULL), (double)threads,
                   "the throughput");
    talk_need(talk, point, "the throughput");
    print_heading(mlc, traffic);
    fprintf(talk->out, " 00000\t  0.00\t%9.1f\n\n", (double)point->y.median / megabyte);
    talk_aside(talk, "-T measures no latency: the 0.00 is the tool's own");
}

static bool step_is_measured(const struct series *latency, const struct series *bandwidth,
                             unsigned step)
{
    const struct point *ns = series_point(latency, step), *rate = series_point(bandwidth, step);
    return ns && rate && ns->y.n && rate->y.n && rate->y.median > 0;
}

/* The tool's delay is the pause after each line, in turns of an empty loop; its scripts look for
 * the most traffic at 0. */
static unsigned delay_of(unsigned step)
{
    return step == LOADED_FULL ? 0 : loaded_pauses[step];
}

static uint64_t between(uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

/* The measured step with the nearest delay; LOADED_NONE if there is none. */
static unsigned nearest_step(const struct series *latency, const struct series *bandwidth,
                             uint64_t delay)
{
    unsigned nearest = LOADED_NONE;
    for (unsigned step = LOADED_FULL; step > LOADED_NONE; step--)
        if (step_is_measured(latency, bandwidth, step) &&
            (nearest == LOADED_NONE ||
             between(delay_of(step), delay) < between(delay_of(nearest), delay)))
            nearest = step;
    return nearest;
}

static void loaded_latency(struct mlc *mlc)
{
    struct talk *talk = mlc->talk;
    const struct traffic *traffic = read_traffic(talk);
    if (talk_value(talk, 'T')) {
        tell_idle(mlc, "loaded_latency -T", "cj");
        throughput(mlc, traffic);
        return;
    }
    tell_idle(mlc, "loaded_latency", "bj");
    struct pool *pool = &talk->document->pool;
    struct talk_option options[4] = {{.name = NULL}};
    size_t count = 0;
    const char *cpu = mlc->cpu;
    if (mlc->cpus && !cpu)
        cpu = pool_printf(pool, "%d", talk->machine->allowed.ids[0]);
    if (cpu)
        options[count++] = (struct talk_option){"cpu", cpu};
    if (mlc->cpus)
        options[count++] = (struct talk_option){"cpus", pool_printf(pool, "%s,%s", cpu, mlc->cpus)};
    if (traffic)
        options[count++] = (struct talk_option){"mix", traffic->reads};
    const struct probe_result *result = measure(mlc, "loaded", options, loaded_s);
    const struct series *latency =
        probe_series(result, NULL, "shows", loaded_shows[LOADED_LATENCY]);
    const struct series *bandwidth =
        probe_series(result, NULL, "shows", loaded_shows[LOADED_BANDWIDTH]);
    const bool any = latency && bandwidth && nearest_step(latency, bandwidth, 0) != LOADED_NONE;
    if (!any)
        lacks(mlc, "latency under load");
    print_heading(mlc, traffic);
    if (!any) {
        fputs(" 00000\t     -\t        -\n\n", talk->out);
        return;
    }
    /* Prints from the most traffic to the least, which is the order of the tool's delays. The step
     * without traffic has no delay and is left out. */
    const bool one = talk_value(mlc->talk, 'd') != NULL;
    const unsigned nearest = nearest_step(latency, bandwidth, mlc->delay);
    for (unsigned step = LOADED_FULL; step > LOADED_NONE; step--)
        if (step_is_measured(latency, bandwidth, step) && (!one || step == nearest))
            fprintf(mlc->talk->out, " %05u\t%6.2f\t%9.1f\n", delay_of(step),
                    (double)series_point(latency, step)->y.median,
                    (double)series_point(bandwidth, step)->y.median / megabyte);
    fputc('\n', mlc->talk->out);
    const struct point *idle = series_point(latency, LOADED_NONE);
    if (idle && idle->y.n)
        talk_aside(talk,
                   "without any traffic it is %.1f ns; a delay is a pause of that many turns of "
                   "an empty loop after each line, not the tool's",
                   (double)idle->y.median);
}

/* --- modes --- */

static const struct {
    const char *argument;
    void (*speak)(struct mlc *);
} modes[] = {
    {"latency_matrix", latency_matrix}, {"peak_injection_bandwidth", peak_bandwidths},
    {"max_bandwidth", peak_bandwidths}, {"bandwidth_matrix", bandwidth_matrix},
    {"loaded_latency", loaded_latency}, {"idle_latency", idle_latency},
    {"c2c_latency", c2c_latency},
};
enum { MODES = sizeof modes / sizeof *modes };

struct mode_step {
    struct mlc *mlc;
    void (*speak)(struct mlc *);
};

static int speak_mode(void *with)
{
    const struct mode_step *step = with;
    step->speak(step->mlc);
    return 0;
}

/* One mode of a call of all modes: scripts look for every table. So a mode in which other programs
 * left no time for a value is measured again with four times the time, and is then printed with
 * gaps. What prevents a run altogether prevents the others, too. */
static void speak_in_any_case(struct mlc *mlc, void (*speak)(struct mlc *))
{
    struct pool *pool = &mlc->talk->document->pool;
    struct mode_step step = {mlc, speak};
    const size_t holes = mlc->talk->holes, before = mlc->talk->document->probe_count;
    int code = ERROR_IMPOSSIBLE;
    for (int trial = 0; trial < 3 && code == ERROR_IMPOSSIBLE; trial++) {
        mlc->talk->holes = holes;
        mlc->times = trial ? 4 : 1;
        mlc->with_gaps = trial == 2;
        code = pool_enter(pool, speak_mode, &step, pool_error(pool));
        if (mlc->talk->document->probe_count == before)
            break;
    }
    mlc->times = 1;
    mlc->with_gaps = false;
    pool_check(pool, code);
}

static void speak(struct talk *talk)
{
    struct mlc mlc = {.talk = talk,
                      .times = 1,
                      .cpu = talk_value(talk, 'c'),
                      .seconds = (double)talk_number(talk, 't', 1, 86400, 0)};
    bool any = false;
    struct cpulist cpus = {0};
    struct pool *pool = &mlc.talk->document->pool;
    mlc.cpus = talk_value(mlc.talk, 'k');
    mlc.cpu_count = mlc.talk->machine->allowed.count;
    const int code = mlc.cpus ? cpulist_read(mlc.cpus, &cpus, pool, pool_error(pool)) : 0;
    if (code == 0 && mlc.cpus)
        mlc.cpu_count = cpus.count;
    if (code == ERROR_USAGE)
        talk_refuse(mlc.talk, "-k '%s': give CPUs like 1-3,5", mlc.cpus);
    pool_check(pool, code);
    talk_number(talk, 'c', 0, CPU_MOST, 0); /* refuses a value that is no number */
    mlc.delay = talk_number(talk, 'd', 0, DELAY_MOST, 0);
    if (talk_value(talk, 'b'))
        mlc.bytes = talk_size(talk, "-b", talk_value(talk, 'b'), KIB);
    for (size_t i = 0; i < MODES; i++)
        any = any || talk_named(talk, modes[i].argument);
    /* Without a mode the tool runs all modes except --max_bandwidth and --idle_latency. */
    for (size_t i = 0; i < MODES; i++)
        if (any && talk_named(talk, modes[i].argument))
            modes[i].speak(&mlc);
        else if (!any && i != 2 && modes[i].speak != idle_latency)
            speak_in_any_case(&mlc, modes[i].speak);
}

const struct tongue mlc_tongue = {
    .name = "mlc",
    .place = 90,
    .help = &help,
    .speak = speak,
};
