/*
 * What reading a document costs, alone: without analysing it and without writing anything.
 *
 * usage: read_document CPUS FILE   writes FILE, a document with a matrix of CPUS CPUs, two
 *                                  hand-offs a pair
 *        read_document FILE        prints its bytes, its points, seconds to read it, and peak
 * memory in bytes
 */
#include "base/random.h"
#include "document/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

static double cpu_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A number with as many digits as a measurement has, because short numbers are read faster. */
static float near(struct random *random, double value)
{
    return (float)(value * (1 + 1e-6 * (double)random_below(random, 100000)));
}

static struct point hand_off(struct random *random, int from, int to)
{
    double ns = from / 2 == to / 2 ? 8 : from / 32 == to / 32 ? 45 : 110;
    struct point point = {.x = NAN, .from = from, .to = to};
    point.y = (struct summary){.median = near(random, ns),
                               .low = near(random, ns * 0.9),
                               .high = near(random, ns * 1.1),
                               .coverage = 0.96875f,
                               .min = near(random, ns * 0.8),
                               .p10 = near(random, ns * 0.85),
                               .p25 = near(random, ns * 0.95),
                               .p75 = near(random, ns * 1.05),
                               .p90 = near(random, ns * 1.15),
                               .max = near(random, ns * 1.3),
                               .n = 32};
    point.cycles =
        (struct estimate){near(random, ns * 2.5), near(random, ns * 2.3), near(random, ns * 2.7)};
    point.scatter = (struct scatter){near(random, 0.1), near(random, 0.01), near(random, 0.02)};
    point.flags = random_below(random, 8) == 0 ? 1 : 0;
    return point;
}

static int make(int cpus, const char *path, struct error *error)
{
    struct document document = {0};
    struct random random = {20261121};
    struct axis axes[] = {{"CPU", ""}, {"hand-off", "ns"}};
    struct series series = {.name = "handoff", .matrix = true, .x = axes[0], .y = axes[1]};
    struct probe_result probe = {.name = "cores", .series = &series, .series_count = 1};
    document.tool.version = "0.1.0";
    document.run.complete = true;
    document.run.elapsed_s = document.run.precision = document.run.budget_s = NAN;
    document.conditions.core_hz = document.conditions.counter_hz = NAN;
    document.conditions.load1 = document.conditions.others_cpus = document.conditions.stolen_s =
        NAN;
    document.probes = &probe;
    document.probe_count = 1;
    series.points = pool_alloc(&document.pool, (size_t)cpus * (size_t)cpus, sizeof *series.points);
    if (!series.points)
        return error_out_of_memory(error);
    for (int from = 0; from < cpus; from++)
        for (int to = 0; to < cpus; to++)
            if (from != to)
                series.points[series.point_count++] = hand_off(&random, from, to);
    int code = document_save(&document, path, error);
    document_free(&document);
    return code;
}

static int read_and_tell(const char *path, struct error *error)
{
    struct document document;
    struct stat status;
    struct rusage usage;
    size_t points = 0;
    double began_s = cpu_s();
    int code = document_read(&document, path, error);
    double took_s = cpu_s() - began_s;
    if (code < 0 || stat(path, &status) < 0)
        return code;
    for (size_t i = 0; i < document.probe_count; i++)
        for (size_t k = 0; k < document.probes[i].series_count; k++)
            points += document.probes[i].series[k].point_count;
    document_free(&document);
    getrusage(RUSAGE_SELF, &usage);
    printf("%lld %zu %.4f %lld\n", (long long)status.st_size, points, took_s,
           (long long)usage.ru_maxrss * 1024);
    return 0;
}

int main(int argc, char **argv)
{
    struct error error = {0};
    if (argc != 2 && argc != 3) {
        fputs("usage: read_document [CPUS] FILE\n", stderr);
        return 2;
    }
    int code = argc == 3 ? make(atoi(argv[1]), argv[2], &error) : read_and_tell(argv[1], &error);
    if (code < 0)
        fprintf(stderr, "read_document: %s\n", error.text);
    return code < 0;
}
