/* McCalpin's STREAM 5.10: its heading and four lines of rates and times. */
#include "speak/tongues/tongue.h"

#include "stream.help.h"

static const double word = 8, mebibyte = 1 << 20, gibibyte = 1 << 30, usual_s = 40;
static const char line[] = "-------------------------------------------------------------\n";

static const struct {
    const char *label, *kernel;
    unsigned arrays;
} kernels[] = {
    {"Copy:      ", "copy", 2},
    {"Scale:     ", "scale", 2},
    {"Add:       ", "add", 3},
    {"Triad:     ", "triad", 3},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static void print_heading(FILE *out, double elements, unsigned threads, unsigned trials)
{
    const double bytes = elements * word;
    fprintf(out, "%sSTREAM version $Revision: 5.10 $\n%s", line, line);
    fprintf(out, "This system uses %.0f bytes per array element.\n%s", word, line);
    fprintf(out, "Array size = %.0f (elements), Offset = 0 (elements)\n", elements);
    fprintf(out, "Memory per array = %.1f MiB (= %.1f GiB).\n", bytes / mebibyte, bytes / gibibyte);
    fprintf(out, "Total memory required = %.1f MiB (= %.1f GiB).\n", 3 * bytes / mebibyte,
            3 * bytes / gibibyte);
    fprintf(out,
            "Each kernel will be executed %u times.\n"
            " The *best* time for each kernel (excluding the first iteration)\n"
            " will be used to compute the reported bandwidth.\n%s",
            trials, line);
    fprintf(out, "Number of Threads requested = %u\nNumber of Threads counted = %u\n%s", threads,
            threads, line);
    fputs("Function    Best Rate MB/s  Avg time     Min time     Max time\n", out);
}

static void speak(struct talk *talk)
{
    /* All CPUs, which STREAM uses with OpenMP. */
    const unsigned threads = (unsigned)talk->machine->allowed.count;
    const struct talk_option options[] = {
        {"stream", NULL}, {"threads", talk_digits(talk, threads)}, {.name = NULL}};
    const struct probe_result *result = talk_measure(talk, "bandwidth", options, usual_s);
    const struct point *points[KERNELS];
    unsigned passes = 0;
    for (size_t i = 0; i < KERNELS; i++) {
        points[i] = talk_point(talk, probe_series(result, "stream", "kernel", kernels[i].kernel),
                               threads, kernels[i].kernel);
        talk_need(talk, points[i], kernels[i].kernel);
        passes = i && passes < points[i]->y.n ? passes : points[i]->y.n;
    }
    const struct factor *size = probe_parameter(result, "array_bytes");
    talk_need(talk, size, "the size of an array");
    const double elements = size->number / word;
    print_heading(talk->out, elements, threads, passes);
    /* Times are computed for one pass at the measured rate: the minimum time has the best rate. */
    for (size_t i = 0; i < KERNELS; i++) {
        const double bytes = elements * word * kernels[i].arrays;
        fprintf(talk->out, "%s%12.1f  %11.6f  %11.6f  %11.6f\n", kernels[i].label,
                1e-6 * (double)points[i]->y.max, bytes / (double)points[i]->y.median,
                bytes / (double)points[i]->y.max, bytes / (double)points[i]->y.min);
    }
    fputs(line, talk->out);
    talk_aside(talk, "the average time is the median pass's; fathom checks its loops by their "
                     "disassembly, so STREAM's line on validation is left out");
}

const struct tongue stream_tongue = {
    .name = "stream",
    .place = 80,
    .help = &help,
    .speak = speak,
};
