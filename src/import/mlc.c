/*
 * What Intel's Memory Latency Checker prints (its page and the readme that comes with it describe
 * the output; the samples in tests/data/mlc are of our own making). Sections begin with a line
 * "Measuring ...":
 *
 * - "Measuring idle latencies ... (in ns)": a matrix, rows the node of the CPUs that load and
 *   columns the node of the memory, below a line "Numa node 0 1 ...";
 * - "Measuring Memory Bandwidths between nodes": the same in MB/s, of 10^6 bytes;
 * - "Measuring Peak Injection Memory Bandwidths" (Maximum, in other modes): a line a mix of reads
 *   and writes;
 * - "Measuring Loaded Latencies": injected delay, latency in ns, bandwidth in MB/s.
 *
 * Other sections are passed over, and so are remarks within one. Each value is a single trial.
 */
#include "base/units.h"
#include "findings/finding.h"
#include "import/curves.h"
#include "import/tables.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 16384, NODES_MAX = 1024, NODE_ID_MAX = 65535 };
static const double megabyte = 1e6;

enum section { NO_SECTION, LATENCIES, BANDWIDTHS, MIXES, LOADED };

static const struct heading {
    const char *begins;
    enum section section;
} headings[] = {
    {"Measuring idle latencies", LATENCIES},
    {"Measuring Memory Bandwidths between nodes", BANDWIDTHS},
    {"Measuring Peak Injection Memory Bandwidths", MIXES},
    {"Measuring Maximum Memory Bandwidths", MIXES},
    {"Measuring Loaded Latencies", LOADED},
    {"Measuring ", NO_SECTION},
};

/* What a line of a mix is called here; bandwidth.read.all is what fathom itself names so. */
static const struct {
    const char *begins, *finding;
} mixes[] = {
    {"ALL Reads", "bandwidth.read.all"},
    {"3:1 Reads-Writes", "bandwidth.reads3-writes1.all"},
    {"2:1 Reads-Writes", "bandwidth.reads2-writes1.all"},
    {"1:1 Reads-Writes", "bandwidth.reads1-writes1.all"},
    {"Stream-triad like", "bandwidth.triad.all"},
};

struct reading {
    struct document *document;
    const char *file;
    size_t line, heading; /* numbers; 0: no section yet */
    bool whole;           /* the line at hand is */
    enum section section;
    struct series *series; /* of the section; NULL before its first row */
    int columns[NODES_MAX];
    size_t column_count, rows, sections;
    char access[32], traffic[64]; /* "sequential", "Read-only"; "" unknown */
    struct error *error;
};

static bool begins(const char *line, const char *words)
{
    return strncmp(line, words, strlen(words)) == 0;
}

/* A node's number: digits alone. -1 where it is none. */
static int node_id(const char *text)
{
    int id = 0;
    for (const char *c = text; *c; c++) {
        if (!isdigit((unsigned char)*c))
            return -1;
        id = id * 10 + (*c - '0');
        if (id > NODE_ID_MAX)
            return -1;
    }
    return *text ? id : -1;
}

/* Cuts the next word off a line; NULL at its end. */
static char *next_word(char **cursor)
{
    static const char *const blanks = " \t";
    char *word = *cursor + strspn(*cursor, blanks);
    size_t length = strcspn(word, blanks);
    if (!length)
        return NULL;
    *cursor = word + length + (word[length] != '\0');
    word[length] = '\0';
    return word;
}

static int no_memory(const struct reading *reading)
{
    return table_no_memory(reading->error, reading->file);
}

/* --- sections --- */

static int end_section(struct reading *reading)
{
    if (reading->section != NO_SECTION && !reading->rows)
        return table_refuse(reading->error, reading->file, reading->heading,
                            "no values follow this heading: give all that mlc printed");
    if (reading->section == LOADED && reading->series)
        table_sort(reading->series);
    reading->series = NULL;
    reading->section = NO_SECTION;
    return 0;
}

/* "... for sequential access (in ns)..." since version 3.9. */
static void note_access(struct reading *reading, const char *line)
{
    const char *word = strstr(line, " for ");
    if (!word || sscanf(word, " for %31[a-z] access", reading->access) != 1)
        reading->access[0] = '\0';
}

/* "Using Read-only traffic type" */
static void note_traffic(struct reading *reading, const char *line)
{
    const char *end = strstr(line, " traffic type");
    size_t from = strlen("Using ");
    if (end && begins(line, "Using ") && line + from < end)
        snprintf(reading->traffic, sizeof reading->traffic, "%.*s", (int)(end - line - (long)from),
                 line + from);
}

static int begin_section(struct reading *reading, const struct heading *heading, const char *line)
{
    int code = end_section(reading);
    reading->section = heading->section;
    reading->heading = reading->line;
    reading->rows = reading->column_count = 0;
    reading->traffic[0] = '\0';
    note_access(reading, line);
    reading->sections += heading->section != NO_SECTION;
    return code;
}

/* The series that the section's rows go to. */
static struct series *section_series(struct reading *reading)
{
    static const struct series models[] = {
        [LATENCIES] = {.name = "latency",
                       .matrix = true,
                       .headline = true,
                       .x = {"node", ""},
                       .y = {"latency", "ns"}},
        [BANDWIDTHS] = {.name = "bandwidth",
                        .matrix = true,
                        .headline = true,
                        .x = {"node", ""},
                        .y = {"bandwidth", "B/s"}},
        [LOADED] = {.name = "latency",
                    .headline = true,
                    .x = {"bandwidth", "B/s"},
                    .y = {"latency", "ns"}},
    };
    if (reading->series)
        return reading->series;
    bool loaded = reading->section == LOADED;
    struct document *document = reading->document;
    struct probe_result *probe =
        loaded ? table_probe(document, "loaded", "Latency under load, imported")
               : table_probe(document, "numa", "Latency and bandwidth between nodes, imported");
    struct series *series = probe ? table_series(document, probe, &models[reading->section]) : NULL;
    const char *name = reading->section == LATENCIES ? "access" : "traffic";
    const char *text = reading->section == LATENCIES ? reading->access : reading->traffic;
    if (!series || (*text && table_factor(document, series, name, text, NAN) < 0))
        return NULL;
    return reading->series = series;
}

/* --- rows --- */

/* "Numa node 0 1": words and then nothing but node numbers. False where the line is a remark. */
static bool read_columns(struct reading *reading, char *line)
{
    size_t count = 0;
    for (char *word; (word = next_word(&line));) {
        int id = node_id(word);
        if (id >= 0 && count == NODES_MAX)
            return false;
        if (id < 0 && count)
            return false;
        if (id >= 0)
            reading->columns[count++] = id;
    }
    if (count)
        reading->column_count = count;
    return count > 0;
}

static int read_matrix_row(struct reading *reading, char *line)
{
    struct error *error = reading->error;
    int from = node_id(next_word(&line));
    if (from < 0)
        return table_refuse(error, reading->file, reading->line,
                            "a row begins with a node's number, from 0 to %d", NODE_ID_MAX);
    if (!reading->column_count)
        return table_refuse(error, reading->file, reading->line,
                            "a row before the line of node numbers that mlc prints above it");
    struct series *series = section_series(reading);
    if (!series)
        return no_memory(reading);
    size_t count = 0;
    for (char *word; (word = next_word(&line)); count++) {
        double value = curve_number(word);
        if (count >= reading->column_count) /* told below */
            continue;
        if (strcmp(word, "-") == 0) /* a node without CPUs or memory */
            continue;
        if (value == 0)
            return table_refuse(error, reading->file, reading->line,
                                "'%.40s' is no value: mlc prints a positive number or -", word);
        struct point *point = table_point(
            reading->document, series, reading->section == BANDWIDTHS ? value * megabyte : value);
        if (!point)
            return no_memory(reading);
        point->from = from;
        point->to = reading->columns[count];
    }
    if (count != reading->column_count)
        return table_refuse(error, reading->file, reading->line,
                            "the line above names %zu nodes: give as many values in each row",
                            reading->column_count);
    reading->rows++;
    return 0;
}

static int read_loaded_row(struct reading *reading, char *line)
{
    char *delay = next_word(&line), *latency = next_word(&line), *bandwidth = next_word(&line);
    double ns = latency ? curve_number(latency) : 0;
    double rate = bandwidth ? curve_number(bandwidth) : 0;
    if (node_id(delay) < 0 || ns == 0 || rate == 0 || next_word(&line))
        return table_refuse(reading->error, reading->file, reading->line,
                            "mlc prints a delay, a latency in ns and a bandwidth in MB/s here, "
                            "like 00300 101.21 111587.4");
    struct series *series = section_series(reading);
    struct point *point = series ? table_point(reading->document, series, ns) : NULL;
    if (!point)
        return no_memory(reading);
    point->x = rate * megabyte;
    reading->rows++;
    return 0;
}

static int read_mix(struct reading *reading, const char *line)
{
    const char *colon = strrchr(line, ':');
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        if (!begins(line, mixes[i].begins))
            continue;
        char text[64], *cursor = text;
        snprintf(text, sizeof text, "%s", colon ? colon + 1 : "");
        char *word = next_word(&cursor);
        double rate = word ? curve_number(word) : 0;
        if (rate == 0)
            return table_refuse(reading->error, reading->file, reading->line,
                                "mlc prints a bandwidth in MB/s behind the colon, like ALL Reads "
                                ": 158844.5");
        struct probe_result *probe =
            table_probe(reading->document, "bandwidth", "Bandwidth of all CPUs, imported");
        if (!probe || !finding_add_value(probe, &reading->document->pool, mixes[i].finding, "B/s",
                                         rate * megabyte, NAN, NAN, 0))
            return no_memory(reading);
        reading->rows++;
    }
    return 0;
}

static int read_line(struct reading *reading, char *line)
{
    line += strspn(line, " \t");
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (begins(line, headings[i].begins))
            return begin_section(reading, &headings[i], line);
    if (reading->section == NO_SECTION)
        return 0;
    if (!reading->whole)
        return curve_line_refuse(reading->error, reading->file, reading->line, LINE_BYTES);
    note_traffic(reading, line);
    if (reading->section == MIXES)
        return read_mix(reading, line);
    bool row = isdigit((unsigned char)*line) || *line == '-';
    if (row)
        return reading->section == LOADED ? read_loaded_row(reading, line)
                                          : read_matrix_row(reading, line);
    if (reading->section != LOADED && isalpha((unsigned char)*line))
        read_columns(reading, line);
    return 0;
}

static int read_mlc(const struct import_text *text, const struct settings *settings,
                    struct document *document, struct error *error)
{
    (void)settings;
    struct reading reading = {.document = document, .file = text->file, .error = error};
    const char *cursor = text->text;
    char line[LINE_BYTES];
    int code = 0;
    while (code == 0 && curve_line(&cursor, line, sizeof line, &reading.whole)) {
        reading.line++;
        code = read_line(&reading, line);
    }
    if (code == 0)
        code = end_section(&reading);
    if (code == 0 && !reading.sections)
        code = table_refuse(error, text->file, 0,
                            "holds no matrix and no loaded latencies of Intel MLC's: give all "
                            "that mlc printed, with its lines 'Measuring ...'");
    return code;
}

const struct import_format mlc_format = {
    .name = "mlc",
    .place = 50,
    .summary = "what Intel's Memory Latency Checker prints: matrices of nodes, loaded latency",
    .read = read_mlc,
};
