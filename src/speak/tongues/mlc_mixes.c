#include "speak/tongues/mlc.h"

#include <string.h>

static const double megabyte = 1e6, mixes_s = 12;

/* As the memory sees them: of a store that goes through the caches one read is its own. */
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
    fprintf(talk->out, "%s\t%.*f\t\n", label, most ? 2 : 1, (double)point->y.median / megabyte);
}

void mlc_peak_bandwidths(struct mlc *mlc)
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
    mlc_tell_idle(mlc, most ? "max_bandwidth" : "peak_injection_bandwidth", "cjdW");
    const struct probe_result *result = mlc_measure(mlc, "bandwidth", mixed, mixes_s);
    for (size_t i = 0; i < MIXES; i++) {
        points[i] = talk_last_point(talk, talk_series(result, NULL, "mix", mixes[i].mix));
        if (!points[i])
            talk_missing(talk, mixes[i].mix);
    }
    const struct point *triad = talk_last_point(talk, talk_series(result, NULL, "kernel", "triad"));
    if (!triad)
        talk_missing(talk, "triad");
    mlc_begin(mlc);
    fprintf(talk->out,
            "Measuring %s Memory Bandwidths for the system\n%s"
            "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\n"
            "Using all the threads from each core if Hyper-threading is enabled\n"
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
