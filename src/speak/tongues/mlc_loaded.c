/* mlc under load: latency by traffic, or with -T the traffic alone. */
#include "speak/tongues/mlc.h"

#include <string.h>

static const double megabyte = 1e6, loaded_s = 20, throughput_s = 3;
enum { BUFFER = 100 << 20 }; /* the tool's own, of each thread */

/* What -W asks for. A latency is measured beside the traffic that has a share of reads; the other
 * mixes are measured alone. */
static const struct traffic {
    const char *name, *mix, *reads; /* "3", "3:1", "75"; NULL: not beside a latency */
} traffics[] = {
    {"2", "2:1", NULL},   {"3", "3:1", "75"},   {"5", "1:1", "50"},   {"6", "0:1nt", NULL},
    {"7", "2:1nt", NULL}, {"8", "1:1nt", NULL}, {"9", "3:1nt", NULL}, {"10", "2:1nt", NULL},
};
enum { TRAFFICS = sizeof traffics / sizeof *traffics };

/* NULL: -W was not given. */
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
                    "-W%s: latency under load is measured beside reads alone (-R), -W3 or -W5; for "
                    "this traffic's bandwidth: -T, or fathom bandwidth --mix %s",
                    name, traffics[i].mix);
    return &traffics[i];
}

static void print_heading(struct mlc *mlc, const struct traffic *traffic)
{
    mlc_begin(mlc);
    fprintf(mlc->talk->out,
            "Measuring Loaded Latencies for the system\n" MLC_ALL_THREADS
            "%sInject\tLatency\tBandwidth\nDelay\t(ns)\tMB/sec\n==========================\n",
            traffic ? "" : "Using Read-only traffic type\n");
}

/* --- throughput alone --- */

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
    const struct probe_result *result = mlc_measure(mlc, "bandwidth", options, throughput_s);
    const struct point *point =
        talk_point(talk, talk_series(result, "bandwidth by threads", NULL, NULL), (double)threads);
    if (!point)
        talk_missing(talk, "the throughput");
    print_heading(mlc, traffic);
    fprintf(talk->out, " 00000\t  0.00\t%9.1f\n\n", (double)point->y.median / megabyte);
    talk_aside(talk, "-T measures no latency: the 0.00 is the tool's own");
}

/* --- latency beside it --- */

static bool step_is_measured(const struct series *latency, const struct series *bandwidth,
                             unsigned step)
{
    const struct point *ns = series_point(latency, step), *rate = series_point(bandwidth, step);
    return ns && rate && ns->y.n && rate->y.n && rate->y.median > 0;
}

/* What the tool calls a delay is the pause after each line, in turns of an empty loop; its scripts
 * look for the most traffic at 0. */
static unsigned delay_of(unsigned step)
{
    return step == LOADED_FULL ? 0 : loaded_pauses[step];
}

static uint64_t between(uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

/* The measured step whose delay is nearest; LOADED_NONE where there is none. */
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

/* From the most traffic to the least, as the tool's delays grow. Without traffic there is no
 * delay. */
static void print_steps(const struct mlc *mlc, const struct series *latency,
                        const struct series *bandwidth)
{
    const bool one = talk_value(mlc->talk, 'd') != NULL;
    const unsigned nearest = nearest_step(latency, bandwidth, mlc->delay);
    for (unsigned step = LOADED_FULL; step > LOADED_NONE; step--)
        if (step_is_measured(latency, bandwidth, step) && (!one || step == nearest))
            fprintf(mlc->talk->out, " %05u\t%6.2f\t%9.1f\n", delay_of(step),
                    (double)series_point(latency, step)->y.median,
                    (double)series_point(bandwidth, step)->y.median / megabyte);
    fputc('\n', mlc->talk->out);
}

static const struct probe_result *measure_loaded(struct mlc *mlc, const struct traffic *traffic)
{
    struct talk *talk = mlc->talk;
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
    return mlc_measure(mlc, "loaded", options, loaded_s);
}

void mlc_loaded_latency(struct mlc *mlc)
{
    struct talk *talk = mlc->talk;
    const struct traffic *traffic = read_traffic(talk);
    if (talk_value(talk, 'T')) {
        mlc_tell_idle(mlc, "loaded_latency -T", "cj");
        throughput(mlc, traffic);
        return;
    }
    mlc_tell_idle(mlc, "loaded_latency", "bj");
    const struct probe_result *result = measure_loaded(mlc, traffic);
    const struct series *latency = talk_series(result, NULL, "shows", loaded_shows[LOADED_LATENCY]);
    const struct series *bandwidth =
        talk_series(result, NULL, "shows", loaded_shows[LOADED_BANDWIDTH]);
    if (!latency || !bandwidth || nearest_step(latency, bandwidth, 0) == LOADED_NONE)
        talk_missing(talk, "latency under load");
    print_heading(mlc, traffic);
    print_steps(mlc, latency, bandwidth);
    const struct point *idle = series_point(latency, LOADED_NONE);
    if (idle && idle->y.n)
        talk_aside(talk,
                   "without any traffic it is %.1f ns; a delay is a pause of that many turns of "
                   "an empty loop after each line, not the tool's",
                   (double)idle->y.median);
}
