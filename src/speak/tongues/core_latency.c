/* jcurl's core_latency: a matrix of hand-offs in whole nanoseconds, both directions. */
#include "speak/tongues/core_pairs.h"

#include <string.h>

enum { SAMPLES = 500, ITERATIONS = 4000, COLUMN = 6 };

static const struct {
    const char *name, *op, *heading;
} benchmarks[] = {
    {"cas", "cas", "Running CAS Core Benchmark"},
    {"readwrite", "readwrite", "Running Read/Write Core Benchmark"},
};
enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

static const struct tongue_argument arguments[] = {
    {'b', NULL, "cas|readwrite",
     "how the turn is passed on: by compare-and-swap on one line "
     "(default), or by stores and loads on two",
     false},
    {.letter = 0},
};

/* Cells are six wide and their numbers to the left; nothing stands behind the last one. */
static void print_row(FILE *out, const struct core_pairs *pairs, size_t row)
{
    int blank = COLUMN - fprintf(out, "%d", pairs->cpus[row]);
    for (size_t column = 0; column < pairs->count; column++) {
        const struct point *point = core_pairs_cell(pairs, row, column);
        if (point) {
            fprintf(out, "%*s", blank, "");
            blank = COLUMN - fprintf(out, "%.0f", (double)point->y.median);
        } else {
            blank += COLUMN;
        }
    }
    fputc('\n', out);
}

static void print_table(FILE *out, const char *heading, const struct core_pairs *pairs)
{
    fprintf(out, "%s\n Samples: %d\n Iterations: %d\n\n%*s", heading, SAMPLES, ITERATIONS, COLUMN,
            "");
    for (size_t i = 0; i < pairs->count; i++)
        fprintf(out, "%-*d", i + 1 < pairs->count ? COLUMN : 0, pairs->cpus[i]);
    fputc('\n', out);
    for (size_t i = 0; i < pairs->count; i++)
        print_row(out, pairs, i);
}

static void speak(struct talk *talk)
{
    const char *name = talk_value(talk, 'b');
    struct core_pairs pairs;
    size_t which = 0;
    while (name && which < BENCHMARKS && strcmp(benchmarks[which].name, name) != 0)
        which++;
    if (which == BENCHMARKS)
        talk_refuse(talk, "-b '%s': choose cas or readwrite; 'fathom cores --op' has others", name);
    core_pairs_measure(&pairs, talk,
                       &(struct core_wish){.op = benchmarks[which].op,
                                           .samples = SAMPLES,
                                           .iterations = ITERATIONS});
    print_table(talk->out, benchmarks[which].heading, &pairs);
}

const struct tongue core_latency_tongue = {
    .name = "core_latency",
    .place = 10,
    .summary = "hand-offs between CPUs as a matrix, by CAS or by read and write (jcurl)",
    .operands = "",
    .differs =
        "core_latency measures each pair on a single cache line, which shares its surroundings "
        "with "
        "its counters, and prints one run's median. How long a hand-off takes depends on the line: "
        "twelve lines of one pair can differ by two thirds. fathom measures 50 lines a pair, 10 "
        "batches of 4000 round trips on each, and prints the median line; so its matrix is the "
        "same from run to run. It keeps to the CPUs that it may use, where core_latency ends.",
    .arguments = arguments,
    .speak = speak,
};
