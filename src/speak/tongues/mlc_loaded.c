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

static int read_traffic(const struct talk *talk, const struct traffic **traffic,
                        struct error *error)
{
    const char *name = talk_value(talk, 'W');
    const bool alone = talk_value(talk, 'T') != NULL;
    size_t i = 0;
    *traffic = NULL;
    if (!name)
        return 0;
    while (i < TRAFFICS && strcmp(traffics[i].name, name) != 0)
        i++;
    if (i == TRAFFICS)
        return error_set(error, ERROR_USAGE,
                         "mlc: -W '%s': fathom has 3 and 5, and with -T 2, 3 and 5 to 10; for "
                         "other mixes: fathom bandwidth --mix R:W",
                         name);
    if (!alone && !traffics[i].reads)
        return error_set(
            error, ERROR_USAGE,
            "mlc: -W%s: latency under load is measured beside reads alone (-R), -W3 or "
            "-W5; for this traffic's bandwidth: -T, or fathom bandwidth --mix %s",
            name, traffics[i].mix);
    *traffic = &traffics[i];
    return 0;
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

static int throughput(struct mlc *mlc, const struct traffic *traffic, struct error *error)
{
    struct talk *talk = mlc->talk;
    const uint64_t threads = mlc->cpu_count, each = mlc->bytes ? mlc->bytes : BUFFER;
    if (each > UINT64_MAX / 4 / threads)
        return error_set(error, ERROR_USAGE,
                         "mlc: -b '%s' for each of %llu CPUs is more than "
                         "there can be",
                         talk_value(talk, 'b'), (unsigned long long)threads);
    const struct talk_option options[] = {
        {traffic ? "mix" : "kernel", traffic ? traffic->mix : "read"},
        {"size", talk_text(talk, "%llu", (unsigned long long)(each * threads))},
        {mlc->cpus ? "cpus" : NULL, mlc->cpus},
        {.name = NULL}};
    int code = talk_measure(talk, "bandwidth", options,
                            mlc->seconds > 0 ? mlc->seconds : throughput_s, &mlc->result, error);
    if (code < 0)
        return code;
    const struct point *point = talk_point(
        talk, talk_series(mlc->result, "bandwidth by threads", NULL, NULL), (double)threads);
    if (!point)
        return talk_missing(talk, "the throughput", error);
    print_heading(mlc, traffic);
    fprintf(talk->out, " 00000\t  0.00\t%9.1f\n\n", (double)point->y.median / megabyte);
    talk_aside(talk, "-T measures no latency: the 0.00 is the tool's own");
    return 0;
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

static int measure_loaded(struct mlc *mlc, const struct traffic *traffic, struct error *error)
{
    struct talk *talk = mlc->talk;
    struct talk_option options[4] = {{.name = NULL}};
    size_t count = 0;
    const struct cpulist *allowed = &talk->machine->allowed;
    const char *cpu = mlc->cpu;
    if (mlc->cpus && !cpu)
        cpu = talk_text(talk, "%d", allowed->ids[0]);
    if (cpu)
        options[count++] = (struct talk_option){"cpu", cpu};
    if (mlc->cpus)
        options[count++] = (struct talk_option){"cpus", talk_text(talk, "%s,%s", cpu, mlc->cpus)};
    if (traffic)
        options[count++] = (struct talk_option){"mix", traffic->reads};
    return talk_measure(talk, "loaded", options, mlc->seconds > 0 ? mlc->seconds : loaded_s,
                        &mlc->result, error);
}

int mlc_loaded_latency(struct mlc *mlc, struct error *error)
{
    struct talk *talk = mlc->talk;
    const struct traffic *traffic;
    int code = read_traffic(talk, &traffic, error);
    if (code == 0 && talk_value(talk, 'T')) {
        mlc_tell_idle(mlc, "loaded_latency -T", "cj");
        return throughput(mlc, traffic, error);
    }
    if (code == 0) {
        mlc_tell_idle(mlc, "loaded_latency", "bj");
        code = measure_loaded(mlc, traffic, error);
    }
    if (code < 0)
        return code;
    const struct series *latency =
        talk_series(mlc->result, NULL, "shows", loaded_shows[LOADED_LATENCY]);
    const struct series *bandwidth =
        talk_series(mlc->result, NULL, "shows", loaded_shows[LOADED_BANDWIDTH]);
    if (!latency || !bandwidth || nearest_step(latency, bandwidth, 0) == LOADED_NONE)
        return talk_missing(talk, "latency under load", error);
    print_heading(mlc, traffic);
    print_steps(mlc, latency, bandwidth);
    const struct point *idle = series_point(latency, LOADED_NONE);
    if (idle && idle->y.n)
        talk_aside(talk,
                   "without any traffic it is %.1f ns; a delay is a pause of that many turns of "
                   "an empty loop after each line, not the tool's",
                   (double)idle->y.median);
    return 0;
}
