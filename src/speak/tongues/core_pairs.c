/*
 * Hand-offs between all pairs of CPUs, as three tools print them: jcurl's core_latency as a matrix
 * in whole nanoseconds, nviennot's core-to-core-latency as a triangle with margins, minimum,
 * maximum and mean, or as CSV, and rigtorp's c2clat as a square matrix or a gnuplot script; and
 * lmbench's lat_mem_pingpong, one number for a round of CPUs.
 */
#include "speak/tongues/tongue.h"

#include <math.h>
#include <string.h>

#include "core_pairs.help.h"

struct core_pairs {
    const struct series *series;
    int *cpus; /* ascending, as in the matrix */
    size_t count;
    const struct point **points; /* of each pair, row by row; NULL: not measured */
};

struct core_wish {
    const char *op;               /* --op of `fathom cores` */
    const char *cpus;             /* a list; NULL: all */
    uint64_t samples, iterations; /* the tool's batches per pair, and round trips in each */
    bool half;                    /* the table shows one direction of each pair, whichever has a
                                     value */
};

/* A usual hand-off, from which the tool's duration is estimated (docs/cookbook.md has tables with
 * 10 to 200 ns), and how many times as long fathom may take on busy CPUs. */
static const double usual_ns = 100, times = 3;
static const double least_s = 3, most_s = 600;
/* The tool's round trips are fathom's effort: core_latency's two million a pair are 64 lines, the
 * default of `fathom cores`. Fewer than 32 lines have a wide median. */
enum { A_LINE = 31250, LINES_LEAST = 32, LINES_MOST = 4096, MOST = 1000000 };

/* Lists the CPUs of the series, ascending, and the point of each pair. */
static void list_cpus(struct core_pairs *pairs, struct talk *talk)
{
    const struct series *series = pairs->series;
    struct pool *pool = &talk->document->pool;
    int greatest = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        const int cpu = point->from > point->to ? point->from : point->to;
        greatest = cpu > greatest ? cpu : greatest;
    }
    const size_t ids = (size_t)greatest + 1;
    size_t *place = pool_alloc(pool, ids, sizeof *place); /* 1 + index in the list; 0: not in it */
    pairs->cpus = pool_alloc(pool, ids, sizeof *pairs->cpus);
    for (size_t i = 0; i < series->point_count; i++)
        place[series->points[i].from] = place[series->points[i].to] = 1;
    for (size_t id = 0; id < ids; id++)
        if (place[id]) {
            pairs->cpus[pairs->count++] = (int)id;
            place[id] = pairs->count;
        }
    pairs->points = pool_alloc(pool, pairs->count * pairs->count + 1, sizeof(struct point *));
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        pairs->points[(place[point->from] - 1) * pairs->count + place[point->to] - 1] = point;
    }
}

/* The point from the i-th to the j-th CPU; NULL if it has no value. */
static const struct point *cell_of(const struct core_pairs *pairs, size_t i, size_t j)
{
    const struct point *point = pairs->points[i * pairs->count + j];
    return point && point->y.n ? point : NULL;
}

/* Half the width of the interval, in ns. */
static double margin_of(const struct point *point)
{
    return ((double)point->y.high - (double)point->y.low) / 2;
}

/* Tells each cell without a value; leaves if none has one. */
static void tell_gaps(const struct core_pairs *pairs, struct talk *talk, bool half)
{
    size_t cells = 0;
    for (size_t i = 0; i < pairs->count; i++)
        for (size_t j = 0; j < pairs->count; j++) {
            const struct point *point = pairs->points[i * pairs->count + j];
            cells += cell_of(pairs, i, j) != NULL;
            if (i == j || cell_of(pairs, i, j))
                continue;
            const char *what =
                pool_printf(&talk->document->pool, "CPU %d to %d", pairs->cpus[i], pairs->cpus[j]);
            if (half && cell_of(pairs, j, i))
                talk_aside(talk, "%s has no value: the table has that of the other direction",
                           what);
            else if (!half || j < i)
                talk_hole(talk, point, what);
        }
    talk_need(talk, cells, "any pair of CPUs");
}

/* Measures every pair as `fathom cores` does, in short batches on many lines: a batch as long as
 * the tools' passes undisturbed only where the CPUs have nothing else to do. Leaves with
 * ERROR_IMPOSSIBLE if no pair has a value. */
static void measure_pairs(struct core_pairs *pairs, struct talk *talk, const struct core_wish *wish)
{
    const uint64_t lines = wish->samples * wish->iterations / A_LINE;
    const struct talk_option options[] = {
        {"op", wish->op},
        {"lines", talk_digits(talk, lines < LINES_LEAST  ? LINES_LEAST
                                    : lines < LINES_MOST ? lines
                                                         : LINES_MOST)},
        {wish->cpus ? "cpus" : NULL, wish->cpus},
        {.name = NULL}};
    const double n = (double)talk->machine->allowed.count;
    const double each_s =
        (double)wish->samples * (double)wish->iterations * 2 * usual_ns * 1e-9 * times;
    const double budget_s = fmin(fmax(fmax(n * (n - 1), 1) * each_s, least_s), most_s);
    const struct probe_result *result = talk_measure(talk, "cores", options, budget_s);
    *pairs = (struct core_pairs){.series = probe_series(result, NULL, "op", wish->op)};
    talk_need(talk, pairs->series, "any pair of CPUs");
    list_cpus(pairs, talk);
    tell_gaps(pairs, talk, wish->half);
}

/* --- core_latency --- */

enum { SAMPLES = 500, ITERATIONS = 4000, COLUMN = 6 };

static const struct {
    const char *name, *op, *heading;
} turns[] = {
    {"cas", "cas", "Running CAS Core Benchmark"},
    {"readwrite", "readwrite", "Running Read/Write Core Benchmark"},
};
enum { TURNS = sizeof turns / sizeof *turns };

static void speak_core_latency(struct talk *talk)
{
    const char *name = talk_value(talk, 'b');
    struct core_pairs pairs;
    size_t which = 0;
    while (name && which < TURNS && strcmp(turns[which].name, name) != 0)
        which++;
    if (which == TURNS)
        talk_refuse(talk, "-b '%s': choose cas or readwrite; 'fathom cores --op' has others", name);
    measure_pairs(
        &pairs, talk,
        &(struct core_wish){.op = turns[which].op, .samples = SAMPLES, .iterations = ITERATIONS});
    fprintf(talk->out, "%s\n Samples: %d\n Iterations: %d\n\n%*s", turns[which].heading, SAMPLES,
            ITERATIONS, COLUMN, "");
    for (size_t i = 0; i < pairs.count; i++)
        fprintf(talk->out, "%-*d", i + 1 < pairs.count ? COLUMN : 0, pairs.cpus[i]);
    fputc('\n', talk->out);
    /* Cells are six columns wide with numbers aligned to the left; nothing follows the last number.
     */
    for (size_t row = 0; row < pairs.count; row++) {
        int blank = COLUMN - fprintf(talk->out, "%d", pairs.cpus[row]);
        for (size_t column = 0; column < pairs.count; column++) {
            const struct point *point = cell_of(&pairs, row, column);
            if (point) {
                fprintf(talk->out, "%*s", blank, "");
                blank = COLUMN - fprintf(talk->out, "%.0f", (double)point->y.median);
            } else {
                blank += COLUMN;
            }
        }
        fputc('\n', talk->out);
    }
}

const struct tongue core_latency_tongue = {
    .name = "core_latency",
    .place = 10,
    .help = &core_latency_help,
    .speak = speak_core_latency,
};

/* --- core-to-core-latency --- */

static const struct {
    const char *op, *heading;
    bool both; /* both directions are measured and shown */
} benchmarks[] = {
    {"cas", "1) CAS latency on a single shared cache line", false},
    {"readwrite", "2) Single-writer single-reader latency on two shared cache lines", false},
    {"one-way", "3) Message passing. One writer and one reader on many cache line", true},
};

/* In a triangle, a pair without a value shows its other direction. */
static const struct point *shown_point(size_t which, const struct core_pairs *pairs, size_t row,
                                       size_t column)
{
    if (benchmarks[which].both ? row == column : column >= row)
        return NULL;
    const struct point *point = cell_of(pairs, row, column);
    return point || benchmarks[which].both ? point : cell_of(pairs, column, row);
}

static void print_extreme(FILE *out, const char *label, size_t which,
                          const struct core_pairs *pairs, const size_t at[2])
{
    const struct point *point = shown_point(which, pairs, at[0], at[1]);
    fprintf(out, "    %s  latency: %.1fns \u00b1%.1f cores: (%d,%d)\n", label,
            (double)point->y.median, margin_of(point), pairs->cpus[at[0]], pairs->cpus[at[1]]);
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
    talk_need(talk, count, "any pair of CPUs");
    print_extreme(out, "Min", which, pairs, min);
    print_extreme(out, "Max", which, pairs, max);
    fprintf(out, "    Mean latency: %.1fns\n", sum / (double)count);
}

static void speak_one(struct talk *talk, size_t which, struct core_wish wish, bool first)
{
    const bool csv = talk_named(talk, "csv");
    FILE *out = csv ? talk->aside : talk->out;
    const char *model = talk->machine->facts.cpu_model;
    struct core_pairs pairs;
    wish.op = benchmarks[which].op;
    wish.half = !benchmarks[which].both;
    measure_pairs(&pairs, talk, &wish);
    if (first && model)
        fprintf(out, "CPU: %s\n", model);
    if (first)
        fprintf(out, "Num cores: %zu\nNum iterations per samples: %llu\nNum samples: %llu\n",
                pairs.count, (unsigned long long)wish.iterations, (unsigned long long)wish.samples);
    fprintf(out, "\n%s\n\n       ", benchmarks[which].heading);
    for (size_t j = 0; j < pairs.count; j++)
        fprintf(out, " %4d   ", pairs.cpus[j]);
    fputc('\n', out);
    for (size_t i = 0; i < pairs.count; i++) {
        fprintf(out, "    %3d", pairs.cpus[i]);
        for (size_t j = 0; j < pairs.count; j++) {
            const struct point *point = shown_point(which, &pairs, i, j);
            if (point)
                fprintf(out, " %4.0f\u00b1%-2.0f", (double)point->y.median,
                        fmin(margin_of(point), 99));
            else if (benchmarks[which].both || j < i)
                fprintf(out, "%8s", "");
        }
        fputc('\n', out);
    }
    fputc('\n', out);
    print_totals(out, talk, which, &pairs);
    if (csv) {
        for (size_t i = 0; i < pairs.count; i++) {
            for (size_t j = 0; j < pairs.count; j++) {
                const struct point *point = shown_point(which, &pairs, i, j);
                if (j)
                    fputc(',', talk->out);
                if (point)
                    fprintf(talk->out, "%.9g", (double)point->y.median);
            }
            fputc('\n', talk->out);
        }
    }
}

static void speak_core_to_core_latency(struct talk *talk)
{
    const char *list = talk_value(talk, 'b') ? talk_value(talk, 'b') : "1";
    struct core_wish wish = {.cpus = talk_value(talk, 'c'), .samples = 300, .iterations = 1000};
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
    .help = &core_to_core_latency_help,
    .operands_most = 2,
    .speak = speak_core_to_core_latency,
};

/* --- c2clat --- */

static size_t place_of(const struct talk *talk, const struct core_pairs *pairs, size_t i)
{
    return talk_value(talk, 't') ? (i >> 1) + (i & 1) * pairs->count / 2 : i;
}

static void speak_c2clat(struct talk *talk)
{
    const char *name = talk_value(talk, 'n');
    const uint64_t samples = talk_number(talk, 's', 1, MOST, 1000);
    struct core_pairs pairs;
    for (const char *c = name; c && *c; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ')
            talk_refuse(talk,
                        "-n: a title without quotes, backslashes and control characters, which "
                        "gnuplot would take for its own");
    measure_pairs(&pairs, talk,
                  &(struct core_wish){.op = talk_value(talk, 'w') ? "cas" : "readwrite",
                                      .samples = samples,
                                      .iterations = 100});
    if (talk_value(talk, 'p'))
        fprintf(talk->out,
                "set title \"%s%sInter-core one-way %s latency between CPU cores\"\n"
                "set xlabel \"CPU\"\nset ylabel \"CPU\"\nset cblabel \"Latency (ns)\"\n"
                "$data << EOD\n",
                name ? name : "", name ? " : " : "", talk_value(talk, 'w') ? "write" : "data");
    fputs(" CPU", talk->out);
    for (size_t i = 0; i < pairs.count; i++)
        fprintf(talk->out, " %4d", pairs.cpus[place_of(talk, &pairs, i)]);
    fputc('\n', talk->out);
    for (size_t i = 0; i < pairs.count; i++) {
        const size_t row = place_of(talk, &pairs, i);
        fprintf(talk->out, "%4d", pairs.cpus[row]);
        for (size_t j = 0; j < pairs.count; j++) {
            const struct point *point = cell_of(&pairs, row, place_of(talk, &pairs, j));
            /* the tool prints 0 for a CPU with itself, but not for a pair without a value */
            if (i == j)
                fprintf(talk->out, " %4d", 0);
            else if (point)
                fprintf(talk->out, " %4.0f", (double)point->y.median);
            else
                fprintf(talk->out, " %4s", "-");
        }
        fputc('\n', talk->out);
    }
    /* From light to dark, so that the plot prints well. */
    if (talk_value(talk, 'p'))
        fputs("EOD\n"
              "set palette defined (0 '#80e0e0', 1 '#3aa0ff', 2 '#a040a0', 3 '#ff0020', 4 "
              "'#ffff00')\n"
              "set tics font \",7\"\n"
              "plot '$data' matrix rowheaders columnheaders using 2:1:3 notitle with image, "
              "'$data' matrix rowheaders columnheaders using 2:1:(sprintf(\"%g\",$3)) notitle with "
              "labels\n",
              talk->out);
}

const struct tongue c2clat_tongue = {
    .name = "c2clat",
    .place = 30,
    .help = &c2clat_help,
    .speak = speak_c2clat,
};

/* --- lat_mem_pingpong --- */

/* The mean hand-off from each CPU to the next, and from the last to the first. */
static double round_of(struct talk *talk, const char *op, size_t count)
{
    const int *ids = talk->machine->allowed.ids;
    const char *cpus = "";
    struct core_pairs pairs;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        cpus = pool_printf(&talk->document->pool, "%s%s%d", cpus, i ? "," : "", ids[i]);
    measure_pairs(&pairs, talk,
                  &(struct core_wish){.op = op, .cpus = cpus, .samples = 20, .iterations = 100000});
    for (size_t i = 0; i < count; i++) {
        const struct point *point = talk_cell(pairs.series, ids[i], ids[(i + 1) % count]);
        talk_need(talk, point && point->y.n, "a hand-off");
        sum += (double)point->y.median;
    }
    return sum / (double)count;
}

static void speak_pingpong(struct talk *talk)
{
    static const struct talk_option alone[] = {{"writers", "1"}, {.name = NULL}};
    const char *op = talk->operands[0];
    const bool cas = strcmp(op, "cas") == 0;
    const uint64_t count = talk_number(talk, 'P', 1, talk->machine->allowed.count, 1);
    if (!cas && strcmp(op, "rw") != 0)
        talk_refuse(talk, "'%s': choose cas or rw", op);
    if (!cas && count < 2)
        talk_refuse(talk, "rw of one process passes nothing on: give -P 2 or more");
    if (count > 1) {
        fprintf(talk->out, "%.3f\n", round_of(talk, cas ? "cas" : "store-load", count));
        return;
    }
    const struct probe_result *result = talk_measure(talk, "contention", alone, least_s);
    const struct point *point =
        talk_point(talk, probe_series(result, "contention", "op", "cas"), 1, NULL);
    talk_need(talk, point, "a compare-and-swap");
    fprintf(talk->out, "%.3f\n", (double)point->y.median);
}

const struct tongue lat_mem_pingpong_tongue = {
    .name = "lat_mem_pingpong",
    .place = 55,
    .help = &lat_mem_pingpong_help,
    .operands_least = 1,
    .operands_most = 1,
    .speak = speak_pingpong,
};
