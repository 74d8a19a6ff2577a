/*
 * Arm's System Characterization Tool (ASCT 0.5): the memory benchmarks of `asct run`, as tables, as
 * its report.json or as a benchmark's CSV file. Tables are those of pandas: columns lie as far
 * apart as their longest text asks for. Its documentation has one of each; the importer reads the
 * JSON and the CSV of pairs of cores.
 */
#include "measure/probes/loaded/loaded.h"
#include "speak/tongues/tongue.h"
#include "stats/order.h"

#include <math.h>
#include <string.h>

#include "asct.help.h"

static const double giga = 1e9, sweep_s = 20, levels_s = 8, nodes_s = 20, mixes_s = 12,
                    loaded_s = 20, pairs_s = 30;
enum { LEVELS_MOST = 8, ARRAY_BYTES = 4096 };
static const struct talk_option no_options[] = {{.name = NULL}};
static const char rule[] = "----------------------------------------------------------------";

/* A level of the sweep, and the powers of two whose latency is nearest to its own. */
struct level {
    const char *label;
    double ns;
    uint64_t least, most; /* bytes */
};

struct cell {
    const char *text;
    double number; /* in JSON; NAN: a text, or no value */
};

struct asct {
    struct talk *talk;
    bool json, csv, begun;
    const char *within; /* in JSON: the members in which the table lies; NULL: in none */
    struct level levels[LEVELS_MOST];
    size_t level_count; /* 0: the sweep has not been made */
    /* The table, row by row. A first column without a name has the rows' names. */
    const char *const *columns;
    size_t column_count, cell_count;
    struct cell *cells;
};

/* --- a table --- */

/* Begins a table; the columns end with NULL. */
static void begin(struct asct *asct, const char *const *columns)
{
    asct->columns = columns;
    asct->column_count = asct->cell_count = 0;
    asct->cells = NULL;
    while (columns[asct->column_count])
        asct->column_count++;
}

static void add(struct asct *asct, const char *text, double number)
{
    struct cell *cell = pool_append(&asct->talk->document->pool, (void **)&asct->cells,
                                    &asct->cell_count, sizeof *cell);
    *cell = (struct cell){text, number};
}

static void add_number(struct asct *asct, double number, int decimals)
{
    add(asct, pool_printf(&asct->talk->document->pool, "%.*f", decimals, number), number);
}

/* The point in units; "-", and a hole, where it has no value. */
static void add_point(struct asct *asct, const struct point *point, double unit, const char *what)
{
    if (point && point->y.n) {
        add_number(asct, (double)point->y.median / unit, 1);
        return;
    }
    talk_hole(asct->talk, point, what);
    add(asct, "-", NAN);
}

/* "128", "32.0625K", "16.5M" */
static void add_size(struct asct *asct, uint64_t bytes)
{
    const char *units = "\0KMG";
    double size = (double)bytes;
    for (; size >= 1024 && units[1]; units++)
        size /= 1024;
    add(asct, pool_printf(&asct->talk->document->pool, "%.9g%.1s", size, units), (double)bytes);
}

/* Row 0 is the heading. */
static const char *text_at(const struct asct *asct, size_t row, size_t column)
{
    return row ? asct->cells[(row - 1) * asct->column_count + column].text : asct->columns[column];
}

static void print_table(const struct asct *asct, const char *title)
{
    FILE *out = asct->talk->out;
    const size_t rows = asct->cell_count / asct->column_count;
    const char *line = strrchr(title, '\n');
    fprintf(out, "%s\n%.*s\n", title, (int)strlen(line ? line + 1 : title), rule);
    for (size_t row = 0; row <= rows; row++)
        for (size_t column = 0; column < asct->column_count; column++) {
            int width = 0;
            for (size_t i = 0; i <= rows; i++)
                width = (int)fmax(width, (double)strlen(text_at(asct, i, column)));
            fprintf(out, "%*s%c", *asct->columns[column] ? width : -width,
                    text_at(asct, row, column), column + 1 < asct->column_count ? ' ' : '\n');
        }
    fputc('\n', out);
}

/* As pandas writes it: the rows' names, or numbers that have no name, come first. */
static void write_csv(const struct asct *asct)
{
    FILE *out = asct->talk->out;
    for (size_t row = 0; row <= asct->cell_count / asct->column_count; row++)
        for (size_t column = 0; column < asct->column_count; column++) {
            if (!column && *asct->columns[0])
                fprintf(out, row ? "%zu," : ",", row - 1);
            const char *text = text_at(asct, row, column);
            fprintf(out, "%s%c", text + (*text == ' '),
                    column + 1 < asct->column_count ? ',' : '\n');
        }
}

/* Column by column, the rows by their names or numbers: {"Level": {"0": "L1"}}. */
static void write_table(const struct asct *asct, const char *benchmark)
{
    FILE *out = asct->talk->out;
    const size_t named = !*asct->columns[0];
    fprintf(out, "%s    \"%s\": {%s", asct->begun ? ",\n" : "{\n  \"memory\": {\n", benchmark,
            asct->within ? asct->within : "");
    for (size_t column = named; column < asct->column_count; column++) {
        const char *name = asct->columns[column];
        fprintf(out, "%s\n      \"%s\": {", column > named ? "," : "", name + (*name == ' '));
        for (size_t i = 0; i < asct->cell_count; i += asct->column_count) {
            const struct cell *cell = &asct->cells[i + column];
            fputs(i ? ", " : "", out);
            if (named)
                fprintf(out, "\"%s\": ", asct->cells[i].text);
            else
                fprintf(out, "\"%zu\": ", i / asct->column_count);
            if (isfinite(cell->number))
                fprintf(out, "%.9g", cell->number);
            else
                fprintf(out, *cell->text == '-' ? "null" : "\"%s\"", cell->text);
        }
        fputc('}', out);
    }
    fputs(asct->within ? "\n    }}}" : "\n    }", out);
}

/* --- levels --- */

/* Measures the curve and its levels, once: the tool takes sizes of other benchmarks from them. */
static void find_levels(struct asct *asct)
{
    static const char what[] = ".latency_ns";
    if (asct->level_count)
        return;
    const struct probe_result *result = talk_measure(asct->talk, "latency", no_options, sweep_s);
    const struct series *series = probe_series(result, "latency", NULL, NULL);
    for (size_t i = 0; i < result->finding_count && asct->level_count < LEVELS_MOST; i++) {
        const struct finding *finding = &result->findings[i];
        const size_t length = strcspn(finding->name, ".");
        if (strcmp(finding->name + length, what) != 0 || !(finding->value > 0))
            continue;
        const char *name =
            pool_printf(&asct->talk->document->pool, "%.*s", (int)length, finding->name);
        const bool last = strcmp(name, "last") == 0;
        asct->levels[asct->level_count++] = (struct level){.label = strcmp(name, "L3") == 0 ? "LLC"
                                                                    : last                  ? "DRAM"
                                                                                            : name,
                                                           .ns = finding->value};
    }
    talk_need(asct->talk, asct->level_count && series, "a level");
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        const uint64_t bytes = (uint64_t)point->x;
        if (!point->y.n || (bytes & (bytes - 1)))
            continue;
        const double ns = (double)point->y.median;
        struct level *level = asct->levels; /* the nearest */
        for (size_t k = 1; k < asct->level_count; k++)
            if (fabs(log(asct->levels[k].ns / ns)) < fabs(log(level->ns / ns)))
                level = &asct->levels[k];
        level->least = level->most ? level->least : bytes;
        level->most = bytes;
    }
}

/* The middle of the level's sizes, as the tool chooses it; whole arrays. */
static uint64_t middle_of(const struct level *level)
{
    const uint64_t middle = (level->least + level->most) / 2;
    return middle > ARRAY_BYTES ? middle / ARRAY_BYTES * ARRAY_BYTES : ARRAY_BYTES;
}

static void latency_sweep(struct asct *asct)
{
    static const char *const columns[] = {
        "", "Lower Bound", "Upper Bound", "Optimum Datasize", "Latency [ns]", NULL};
    find_levels(asct);
    begin(asct, columns);
    for (size_t i = 0; i < asct->level_count; i++) {
        const struct level *level = &asct->levels[i];
        add(asct, level->label, NAN);
        add_size(asct, level->least);
        add_size(asct, level->most);
        add_size(asct, middle_of(level));
        add_number(asct, level->ns, 1);
    }
}

static void bandwidth_sweep(struct asct *asct)
{
    static const char *const columns[] = {"Datasize Used", "Level", "Bandwidth [GB/s]", NULL};
    uint64_t sizes[LEVELS_MOST];
    find_levels(asct);
    for (size_t i = 0; i < asct->level_count; i++)
        sizes[i] = middle_of(&asct->levels[i]);
    const struct talk_option options[] = {
        {"kernel", "read"},
        {"threads", "1"},
        {"sizes", talk_list(asct->talk, sizes, asct->level_count)},
        {.name = NULL}};
    const struct probe_result *result = talk_measure(asct->talk, "bandwidth", options, levels_s);
    const struct series *series = probe_series(result, "bandwidth", "kernel", "read");
    begin(asct, columns);
    for (size_t i = 0; i < asct->level_count; i++) {
        add_size(asct, sizes[i]);
        add(asct, asct->levels[i].label, NAN);
        add_point(asct, series ? series_point(series, (double)sizes[i]) : NULL, giga,
                  asct->levels[i].label);
    }
}

/* --- nodes, mixes, load --- */

/* Rows are the CPUs' nodes, columns the memory's. */
static void add_nodes(struct asct *asct, const char *shows, double unit)
{
    struct talk *talk = asct->talk;
    struct pool *pool = &talk->document->pool;
    const struct machine_facts *facts = &talk->machine->facts;
    const struct probe_result *last = talk_latest(talk, "numa"),
                              *result =
                                  last ? last : talk_measure(talk, "numa", no_options, nodes_s);
    const struct series *series = probe_series(result, NULL, "shows", shows);
    const char **columns = pool_alloc(pool, facts->node_count + 2, sizeof *columns);
    size_t count = 1;
    columns[0] = "";
    for (size_t to = 0; to < facts->node_count; to++)
        if (talk_has_node(series, facts->nodes[to].id, false))
            columns[count++] = pool_printf(pool, "Node %d", facts->nodes[to].id);
    begin(asct, columns);
    for (size_t from = 0; from < facts->node_count; from++) {
        const int id = facts->nodes[from].id;
        if (!talk_has_node(series, id, true))
            continue;
        add(asct, pool_printf(pool, "Node %d", id), NAN);
        for (size_t to = 0; to < facts->node_count; to++)
            if (talk_has_node(series, facts->nodes[to].id, false))
                add_point(asct, talk_cell(series, id, facts->nodes[to].id), unit, "a node");
    }
}

static void idle_latency(struct asct *asct)
{
    add_nodes(asct, "latency of one CPU", 1);
}

static void cross_numa_bandwidth(struct asct *asct)
{
    add_nodes(asct, "bandwidth of all CPUs of the node, reading", giga);
}

static void peak_bandwidth(struct asct *asct)
{
    static const char *const columns[] = {"Traffic type", " Peak BW [GB/s]", NULL};
    static const struct talk_option options[] = {{"mix", "1:0,3:1,2:1,1:1,2:1nt"}, {.name = NULL}};
    static const char *const mixes[][2] = {{"All Reads", "1:0"},
                                           {"3:1 Reads-Writes", "3:1"},
                                           {"2:1 Reads-Writes", "2:1"},
                                           {"1:1 Reads-Writes", "1:1"},
                                           {"2:1 Rd-Wr (Non-Temporal)", "2:1nt"}};
    const double cpus = (double)asct->talk->machine->allowed.count;
    const struct probe_result *result = talk_measure(asct->talk, "bandwidth", options, mixes_s);
    begin(asct, columns);
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        const struct series *series = probe_series(result, NULL, "mix", mixes[i][1]);
        add(asct, mixes[i][0], NAN);
        add_point(asct, series ? series_point(series, cpus) : NULL, giga, mixes[i][0]);
    }
}

/* From the least traffic to the most; the tool has no row without any. */
static void loaded_latency(struct asct *asct)
{
    static const char *const columns[] = {" Injected NOPs", " Loaded latency [ns]",
                                          " Bandwidth [GB/s]", NULL};
    const struct probe_result *result = talk_measure(asct->talk, "loaded", no_options, loaded_s);
    const struct series *latency =
        probe_series(result, NULL, "shows", loaded_shows[LOADED_LATENCY]);
    const struct series *bandwidth =
        probe_series(result, NULL, "shows", loaded_shows[LOADED_BANDWIDTH]);
    begin(asct, columns);
    for (unsigned step = LOADED_NONE + 1; latency && bandwidth && step < LOADED_STEPS; step++) {
        const struct point *ns = series_point(latency, step), *rate = series_point(bandwidth, step);
        if (!ns || !rate || !ns->y.n || !rate->y.n)
            continue;
        add_number(asct, step == LOADED_FULL ? 0 : loaded_pauses[step], 0);
        add_point(asct, ns, 1, "latency");
        add_point(asct, rate, giga, "bandwidth");
    }
    if (!asct->cell_count)
        talk_hole(asct->talk, NULL, "latency under load");
}

/* --- pairs of cores --- */

static int node_of(const struct talk *talk, int cpu)
{
    const struct cpu_place *place = machine_cpu(talk->machine, cpu);
    return place && place->node > 0 ? place->node : 0;
}

/* Every pair; the memory is that of the first core's node, which the tool calls local. */
static void measure_pairs(struct asct *asct)
{
    static const char *const columns[] = {"CPUA",      "CPUB",         "LATENCY",
                                          "CPUA_NODE", "MEMBIND_NODE", NULL};
    const struct probe_result *result = talk_measure(asct->talk, "cores", no_options, pairs_s);
    const struct series *series = probe_series(result, NULL, "op", "cas");
    begin(asct, columns);
    for (size_t i = 0; series && i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (!point->y.n) {
            talk_hole(asct->talk, point, "a pair of cores");
            continue;
        }
        add_number(asct, point->from, 0);
        add_number(asct, point->to, 0);
        add_number(asct, (double)point->y.median, 2);
        for (int k = 0; k < 2; k++)
            add_number(asct, node_of(asct->talk, point->from), 0);
    }
    talk_need(asct->talk, asct->cell_count, "any pair of cores");
}

/* The pairs' latencies between two nodes. */
static size_t between(const struct asct *pairs, int from, int to, double *values)
{
    size_t n = 0;
    for (size_t i = 0; i < pairs->cell_count; i += pairs->column_count) {
        const struct cell *row = &pairs->cells[i];
        if ((int)row[3].number == from && node_of(pairs->talk, (int)row[1].number) == to)
            values[n++] = row[2].number;
    }
    return n;
}

/* Medians by node; as CSV the pairs themselves. */
static void c2c_latency(struct asct *asct)
{
    struct talk *talk = asct->talk;
    const struct machine_facts *facts = &talk->machine->facts;
    measure_pairs(asct);
    if (asct->csv)
        return;
    const struct asct pairs = *asct;
    double *values = pool_alloc(&talk->document->pool, pairs.cell_count, sizeof *values);
    const char **columns =
        pool_alloc(&talk->document->pool, facts->node_count + 2, sizeof *columns);
    columns[0] = "";
    for (size_t i = 0; i < facts->node_count; i++)
        columns[i + 1] = pool_printf(&talk->document->pool, "%s%d", asct->json ? "" : "Node",
                                     facts->nodes[i].id);
    begin(asct, columns);
    for (size_t from = 0; from < facts->node_count; from++) {
        add(asct, columns[from + 1], NAN);
        for (size_t to = 0; to < facts->node_count; to++) {
            const size_t n = between(&pairs, facts->nodes[from].id, facts->nodes[to].id, values);
            n ? add_number(asct, median_of(values, n), 2) : add(asct, "-", NAN);
        }
    }
    asct->within = "\"Local\": {\"node_to_node_median_latencies\": {";
}

/* --- the choice --- */

static const struct benchmark {
    const char *name, *title, *words; /* words: those that select it, each between spaces */
    void (*measure)(struct asct *);
} benchmarks[] = {
    {"latency-sweep", "Latencies at different levels of cache",
     " latency-sweep ls memory latency sweep all ", latency_sweep},
    {"idle-latency", "Latencies of random memory access at idle (in nanoseconds)",
     " idle-latency il memory latency all ", idle_latency},
    {"peak-bandwidth", "Peak memory bandwidth", " peak-bandwidth pb memory bandwidth all ",
     peak_bandwidth},
    {"cross-numa-bandwidth", "Cross-NUMA bandwidths for the system (in GB/s)",
     " cross-numa-bandwidth cnb memory bandwidth all ", cross_numa_bandwidth},
    {"bandwidth-sweep", "Bandwidth at different levels of cache",
     " bandwidth-sweep bs memory bandwidth sweep all ", bandwidth_sweep},
    {"loaded-latency", "Loaded latency with background memory activity",
     " loaded-latency ll long-runtime all ", loaded_latency},
    {"c2c-latency",
     "Core-to-Core Latency Summary (ns): Data Address @ Local Numa Node\n"
     "=================================================================\n\n"
     "Node-to-Node Median Latency Matrix (ns):",
     " c2c-latency memory latency all ", c2c_latency},
};
enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks, LONG = 1 << (BENCHMARKS - 2) };

/* The benchmarks that the words select, a bit for each. Without words all but loaded-latency, which
 * takes long, and c2c-latency only where there are two CPUs; "^WORD" leaves out what WORD selects.
 */
static unsigned choose(struct talk *talk)
{
    const unsigned all = (1u << (BENCHMARKS - (talk->machine->allowed.count < 2))) - 1;
    unsigned chosen = 0, left_out = 0;
    for (unsigned i = 1; i < talk->operand_count; i++) {
        const char *word = talk->operands[i];
        const bool out = *word == '^';
        const char *within = pool_printf(&talk->document->pool, " %s ", word + out);
        unsigned meant = 0;
        for (size_t b = 0; b < BENCHMARKS; b++)
            meant |= strstr(benchmarks[b].words, within) ? 1u << b : 0;
        if (!meant)
            talk_refuse(talk, "'%s' is no benchmark that fathom has: see 'fathom as asct --help'",
                        word);
        chosen |= out ? 0 : meant;
        left_out |= out ? meant : 0;
    }
    return (chosen ? chosen : all & ~(unsigned)LONG) & ~left_out;
}

static void speak(struct talk *talk)
{
    struct asct asct = {.talk = talk};
    const char *format = talk_value(talk, 'f');
    if (strcmp(talk->operands[0], "run") != 0)
        talk_refuse(talk, "'%s': of the tool's commands fathom has run alone", talk->operands[0]);
    asct.json = format && strcmp(format, "json") == 0;
    asct.csv = format && strcmp(format, "csv") == 0;
    if (format && !asct.json && !asct.csv && strcmp(format, "stdout") != 0)
        talk_refuse(talk, "-f '%s': give stdout, json or csv", format);
    const unsigned chosen = choose(talk);
    if (!chosen)
        talk_refuse(talk, "the words leave no benchmark");
    if (asct.csv && (chosen & (chosen - 1)))
        talk_refuse(talk, "-f csv: each benchmark has a file of its own, so name one benchmark");
    for (size_t i = 0; i < BENCHMARKS; i++) {
        if (!(chosen & 1u << i))
            continue;
        asct.within = NULL;
        benchmarks[i].measure(&asct);
        if (asct.csv)
            write_csv(&asct);
        else if (asct.json)
            write_table(&asct, benchmarks[i].name);
        else
            print_table(&asct, benchmarks[i].title);
        asct.begun = true;
    }
    fputs(asct.json ? "\n  }\n}\n" : "", talk->out);
}

const struct tongue asct_tongue = {
    .name = "asct",
    .place = 95,
    .help = &help,
    .operands_least = 1,
    .operands_most = 32,
    .speak = speak,
};
