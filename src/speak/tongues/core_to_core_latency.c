/* nviennot's core-to-core-latency: a triangle with margins, the least, greatest and mean, and CSV.
 */
#include "speak/tongues/core_pairs.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 1000, SAMPLES = 300, MOST = 1000000 };

static const struct {
    const char *op, *heading;
    bool both; /* directions */
} benchmarks[] = {
    {"cas", "1) CAS latency on a single shared cache line", false},
    {"readwrite", "2) Single-writer single-reader latency on two shared cache lines", false},
    {"one-way", "3) Message passing. One writer and one reader on many cache line", true},
};
enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

static const struct tongue_argument arguments[] = {
    {'b', "bench", "LIST",
     "1: CAS on one line (default); 2: read and write on two; 3: one way, by "
     "a stamp of the counter; several with commas",
     false},
    {'c', "cores", "LIST", "these CPUs and no others", false},
    {0, "csv", NULL, "the matrix as CSV; the table then goes to standard error, as the tool has it",
     false},
    {.letter = 0},
};

static bool is_shown(size_t which, size_t row, size_t column)
{
    return benchmarks[which].both ? row != column : column < row;
}

/* In a triangle, the pair's other direction stands for one that has no value. */
static const struct point *shown_point(size_t which, const struct core_pairs *pairs, size_t row,
                                       size_t column)
{
    const struct point *point = NULL;
    if (is_shown(which, row, column))
        point = core_pairs_cell(pairs, row, column);
    if (!point && !benchmarks[which].both && is_shown(which, row, column))
        point = core_pairs_cell(pairs, column, row);
    return point;
}

static void print_triangle(FILE *out, size_t which, const struct core_pairs *pairs)
{
    fprintf(out, "\n%s\n\n       ", benchmarks[which].heading);
    for (size_t j = 0; j < pairs->count; j++)
        fprintf(out, " %4d   ", pairs->cpus[j]);
    fputc('\n', out);
    for (size_t i = 0; i < pairs->count; i++) {
        fprintf(out, "    %3d", pairs->cpus[i]);
        for (size_t j = 0; j < pairs->count; j++) {
            const struct point *point = shown_point(which, pairs, i, j);
            if (point)
                fprintf(out, " %4.0f\u00b1%-2.0f", (double)point->y.median,
                        fmin(core_pairs_margin(point), 99));
            else if (benchmarks[which].both || j < i)
                fprintf(out, "%8s", "");
        }
        fputc('\n', out);
    }
    fputc('\n', out);
}

static void print_extreme(FILE *out, const char *label, size_t which,
                          const struct core_pairs *pairs, const size_t at[2])
{
    const struct point *point = shown_point(which, pairs, at[0], at[1]);
    fprintf(out, "    %s  latency: %.1fns \u00b1%.1f cores: (%d,%d)\n", label,
            (double)point->y.median, core_pairs_margin(point), pairs->cpus[at[0]],
            pairs->cpus[at[1]]);
}

static void print_totals(FILE *out, struct talk *talk, size_t which, const struct core_pairs *pairs)
{
    double sum = 0, least = INFINITY, greatest = 0;
    size_t count = 0, min[2] = {0}, max[2] = {0};
    for (size_t i = 0; i < pairs->count; i++)
        for (size_t j = 0; j < pairs->count; j++) {
            const struct point *point = shown_point(which, pairs, i, j);
            const double value = point ? (double)point->y.median : NAN;
            if (!point)
                continue;
            if (value < least) {
                least = value;
                min[0] = i, min[1] = j;
            }
            if (value > greatest) {
                greatest = value;
                max[0] = i, max[1] = j;
            }
            sum += value;
            count++;
        }
    if (!count)
        talk_missing(talk, "any pair of CPUs");
    print_extreme(out, "Min", which, pairs, min);
    print_extreme(out, "Max", which, pairs, max);
    fprintf(out, "    Mean latency: %.1fns\n", sum / (double)count);
}

static void print_csv(FILE *out, size_t which, const struct core_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        for (size_t j = 0; j < pairs->count; j++) {
            const struct point *point = shown_point(which, pairs, i, j);
            if (j)
                fputc(',', out);
            if (point)
                fprintf(out, "%.9g", (double)point->y.median);
        }
        fputc('\n', out);
    }
}

static void speak_one(struct talk *talk, size_t which, struct core_wish wish, bool first)
{
    const bool csv = talk_named(talk, "csv");
    FILE *out = csv ? talk->aside : talk->out;
    const char *model = talk->machine->facts.cpu_model;
    struct core_pairs pairs;
    wish.op = benchmarks[which].op;
    core_pairs_measure(&pairs, talk, &wish);
    if (first && model)
        fprintf(out, "CPU: %s\n", model);
    if (first)
        fprintf(out, "Num cores: %zu\nNum iterations per samples: %llu\nNum samples: %llu\n",
                pairs.count, (unsigned long long)wish.iterations, (unsigned long long)wish.samples);
    print_triangle(out, which, &pairs);
    print_totals(out, talk, which, &pairs);
    if (csv)
        print_csv(talk->out, which, &pairs);
}

static void speak(struct talk *talk)
{
    const char *list = talk_value(talk, 'b') ? talk_value(talk, 'b') : "1";
    struct core_wish wish = {
        .cpus = talk_value(talk, 'c'), .samples = SAMPLES, .iterations = ITERATIONS};
    if (talk->operand_count > 0)
        wish.iterations = talk_whole(talk, "iterations", talk->operands[0], 1, MOST);
    if (talk->operand_count > 1)
        wish.samples = talk_whole(talk, "samples", talk->operands[1], 1, MOST);
    for (const char *at = list;; at++) {
        if (!(*at >= '1' && *at <= '3' && (!at[1] || at[1] == ',')))
            talk_refuse(talk, "--bench '%s': give 1, 2 or 3, or several with commas", list);
        speak_one(talk, (size_t)(*at - '1'), wish, at == list);
        if (!*++at)
            break;
    }
}

const struct tongue core_to_core_latency_tongue = {
    .name = "core-to-core-latency",
    .place = 20,
    .summary = "hand-offs between CPUs as a triangle, with CSV (nviennot)",
    .operands = "[ITERATIONS [SAMPLES]]",
    .differs =
        "core-to-core-latency measures all pairs on one cache line and prints the mean and its "
        "standard error, which knows nothing of other lines and other runs. fathom spreads the "
        "samples over lines (10 on each), measures both directions, and prints the median line; "
        "behind the \u00b1 stands half of its 95 % interval. The table goes to standard output; "
        "with --csv it goes to standard error, where the tool always writes it. The tool's "
        "benchmark 3 counts writes in flight as well; fathom's is the time of one stamp. The "
        "tool's bold and dim "
        "letters are left out.",
    .arguments = arguments,
    .operands_most = 2,
    .speak = speak,
};
