/* rigtorp's c2clat: a square matrix of whole nanoseconds, or a gnuplot script of it. */
#include "speak/tongues/core_pairs.h"

enum { SAMPLES = 1000, ITERATIONS = 100, MOST = 1000000 };

static const struct tongue_argument arguments[] = {
    {'w', NULL, NULL, "write: compare-and-swap on one line, where else two lines are read", false},
    {'p', NULL, NULL, "as a script for gnuplot", false},
    {'n', NULL, "NAME", "stands in the plot's title", false},
    {'s', NULL, "NUMBER", "samples of 100 round trips a pair (default: 1000)", false},
    {'t', NULL, NULL,
     "interleave hardware threads with cores: the second half of the CPUs between "
     "the first",
     false},
    {'H', NULL, NULL, "fathom always brings a core up to speed before it measures", true},
    {.letter = 0},
};

static size_t place_of(const struct talk *talk, const struct core_pairs *pairs, size_t i)
{
    return talk_value(talk, 't') ? (i >> 1) + (i & 1) * pairs->count / 2 : i;
}

/* The colours are gnuplot's own names' business: from light to dark, in steps that print well. */
static void begin_plot(const struct talk *talk)
{
    const char *name = talk_value(talk, 'n');
    fprintf(talk->out,
            "set title \"%s%sInter-core one-way %s latency between CPU cores\"\n"
            "set xlabel \"CPU\"\nset ylabel \"CPU\"\nset cblabel \"Latency (ns)\"\n"
            "$data << EOD\n",
            name ? name : "", name ? " : " : "", talk_value(talk, 'w') ? "write" : "data");
}

static void end_plot(const struct talk *talk)
{
    fputs("EOD\n"
          "set palette defined (0 '#80e0e0', 1 '#3aa0ff', 2 '#a040a0', 3 '#ff0020', 4 '#ffff00')\n"
          "set tics font \",7\"\n"
          "plot '$data' matrix rowheaders columnheaders using 2:1:3 notitle with image, "
          "'$data' matrix rowheaders columnheaders using 2:1:(sprintf(\"%g\",$3)) notitle with "
          "labels\n",
          talk->out);
}

static void print_table(const struct talk *talk, const struct core_pairs *pairs)
{
    fputs(" CPU", talk->out);
    for (size_t i = 0; i < pairs->count; i++)
        fprintf(talk->out, " %4d", pairs->cpus[place_of(talk, pairs, i)]);
    fputc('\n', talk->out);
    for (size_t i = 0; i < pairs->count; i++) {
        const size_t row = place_of(talk, pairs, i);
        fprintf(talk->out, "%4d", pairs->cpus[row]);
        for (size_t j = 0; j < pairs->count; j++) {
            const struct point *point = core_pairs_cell(pairs, row, place_of(talk, pairs, j));
            /* A CPU and itself is 0 in the tool's own table; a pair without a value is not. */
            if (i == j)
                fprintf(talk->out, " %4d", 0);
            else if (point)
                fprintf(talk->out, " %4.0f", (double)point->y.median);
            else
                fprintf(talk->out, " %4s", "-");
        }
        fputc('\n', talk->out);
    }
}

static void speak(struct talk *talk)
{
    const char *name = talk_value(talk, 'n');
    const uint64_t samples = talk_number(talk, 's', 1, MOST, SAMPLES);
    struct core_pairs pairs;
    for (const char *c = name; c && *c; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ')
            talk_refuse(talk,
                        "-n: a title without quotes, backslashes and control characters, which "
                        "gnuplot would take for its own");
    core_pairs_measure(&pairs, talk,
                       &(struct core_wish){.op = talk_value(talk, 'w') ? "cas" : "readwrite",
                                           .samples = samples,
                                           .iterations = ITERATIONS});
    if (talk_value(talk, 'p'))
        begin_plot(talk);
    print_table(talk, &pairs);
    if (talk_value(talk, 'p'))
        end_plot(talk);
}

const struct tongue c2clat_tongue = {
    .name = "c2clat",
    .place = 30,
    .summary = "hand-offs between CPUs as a square matrix, or for gnuplot (rigtorp)",
    .operands = "",
    .differs =
        "c2clat prints the fastest of its samples on one pair of neighbouring lines, so a lucky "
        "line or moment decides. fathom prints the median of many lines, which is larger and "
        "repeats. Without -w both read and write two lines; that costs about two and a half times "
        "what a compare-and-swap costs, and is no read latency. The plot has the tool's commands "
        "and colours of its own.",
    .arguments = arguments,
    .speak = speak,
};
