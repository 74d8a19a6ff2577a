/*
 * What multichase and multiload print (README of github.com/google/multichase and what its programs
 * write; the samples in tests/data/multichase are of our own making).
 *
 * - `multichase -v`, once for each size, one after another: "total_memory = 4096 (...)", "stride =
 *   64", "chase = simple", samples, and the result in ns on a line of its own. Each kind of chase
 *   becomes a latency curve; a size that was run again is another trial of its point. The samples
 * of one run are of one memory and one ring, and no trials: only the result counts.
 * - multiload: a line of names ("Samples , Byte/thd , ChaseThds , ...") and one of values. With
 *   chase and load threads these are points of latency under load, bandwidth counted in MiB/s;
 *   with load threads alone, bandwidth by threads; with chase threads alone, a point of a curve.
 */
#include "import/curves.h"
#include "import/tables.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 4096, NAME_BYTES = 64, COLUMNS = 12 };
static const double mebibyte = 1048576;

enum column {
    BYTES = 1,
    CHASE_THREADS,
    CHASE_NS,
    LOAD_THREADS = 6,
    LOAD_MIBPS = 8,
    CHASE = 10,
    LOAD
};

/* What a curve is of: its factors. */
struct kind {
    char chase[NAME_BYTES];
    double stride, threads; /* 0: not told */
};

struct curve {
    struct kind kind;
    struct curve_rows rows;
};

struct reading {
    struct document *document;
    const char *file;
    size_t line;
    struct kind kind;   /* of the run at hand */
    double bytes;       /* 0: not told */
    bool values_follow; /* the last line was multiload's names */
    bool whole;         /* the line at hand is */
    size_t results;
    struct curve *curves;
    size_t curve_count;
    struct error *error;
};

static int no_memory(const struct reading *reading)
{
    return table_no_memory(reading->error, reading->file);
}

/* --- curves --- */

static struct curve *curve_of(struct reading *reading)
{
    for (size_t i = 0; i < reading->curve_count; i++) {
        struct kind *kind = &reading->curves[i].kind;
        if (strcmp(kind->chase, reading->kind.chase) == 0 && kind->stride == reading->kind.stride &&
            kind->threads == reading->kind.threads)
            return &reading->curves[i];
    }
    struct curve *curve = pool_append(&reading->document->pool, (void **)&reading->curves,
                                      &reading->curve_count, sizeof *curve);
    if (curve)
        *curve = (struct curve){.kind = reading->kind, .rows = {.pool = &reading->document->pool}};
    return curve;
}

static int add_latency(struct reading *reading, double bytes, double ns)
{
    struct curve *curve = curve_of(reading);
    struct curve_row row = {bytes, ns, NAN};
    reading->results++;
    return curve ? curve_rows_add(&curve->rows, row, reading->error) : no_memory(reading);
}

/* Levels are looked for in the curve of most points, and of these in the largest stride's, which
 * prefetchers follow least. */
static int conclude_curves(struct reading *reading)
{
    struct document *document = reading->document;
    struct series *list = pool_alloc(&document->pool, reading->curve_count, sizeof *list);
    size_t best = 0;
    if (!list)
        return no_memory(reading);
    for (size_t i = 0; i < reading->curve_count; i++) {
        struct curve *curve = &reading->curves[i];
        struct kind *kind = &curve->kind;
        int code = 0;
        if (*kind->chase)
            code = table_factor(document, &list[i], "chase", kind->chase, NAN);
        if (code == 0 && kind->stride > 0)
            code = table_factor(document, &list[i], "stride", NULL, kind->stride);
        if (code == 0 && kind->threads > 1)
            code = table_factor(document, &list[i], "threads", NULL, kind->threads);
        if (code < 0 || curve_series(&list[i], &curve->rows, reading->error) < 0)
            return no_memory(reading);
        size_t points = list[i].point_count, most = list[best].point_count;
        if (points > most || (points == most && kind->stride > reading->curves[best].kind.stride))
            best = i;
    }
    return curve_probe(document, "multichase: latency by working-set size", list,
                       reading->curve_count, best, reading->error);
}

/* --- multiload's table --- */

/* The series of that probe with the same chase and load, which is added where there is none. */
static struct series *series_for(struct reading *reading, struct probe_result *probe,
                                 const struct series *model, const char *chase, const char *load)
{
    for (size_t i = 0; i < probe->series_count; i++) {
        const struct factor *a = series_factor(&probe->series[i], "chase");
        const struct factor *b = series_factor(&probe->series[i], "load");
        if (strcmp(a ? a->text : "", chase) == 0 && strcmp(b ? b->text : "", load) == 0)
            return &probe->series[i];
    }
    struct series *series = table_series(reading->document, probe, model);
    if (series && *chase && table_factor(reading->document, series, "chase", chase, NAN) < 0)
        return NULL;
    if (series && table_factor(reading->document, series, "load", load, NAN) < 0)
        return NULL;
    return series;
}

static int add_load(struct reading *reading, const char *chase, const char *load, double x,
                    double value)
{
    static const struct series loaded = {.name = "latency",
                                         .headline = true,
                                         .x = {"bandwidth", "B/s"},
                                         .y = {"latency", "ns"}},
                               alone = {.name = "bandwidth",
                                        .headline = true,
                                        .x = {"threads", ""},
                                        .y = {"bandwidth", "B/s"}};
    struct document *document = reading->document;
    struct probe_result *probe =
        *chase ? table_probe(document, "loaded", "multiload: latency under load")
               : table_probe(document, "bandwidth", "multiload: bandwidth by threads");
    struct series *series =
        probe ? series_for(reading, probe, *chase ? &loaded : &alone, chase, load) : NULL;
    struct point *point = series ? table_point(document, series, value) : NULL;
    if (!point)
        return no_memory(reading);
    point->x = x;
    reading->results++;
    return 0;
}

/* Cuts at commas and takes blanks off; how many fields there are. */
static size_t split(char *line, char *fields[COLUMNS + 1])
{
    size_t count = 0;
    for (char *cursor = line; cursor && count <= COLUMNS;) {
        char *next = strchr(cursor, ',');
        if (next)
            *next++ = '\0';
        cursor += strspn(cursor, " \t");
        size_t length = strlen(cursor);
        while (length && strchr(" \t", cursor[length - 1]))
            cursor[--length] = '\0';
        fields[count++] = cursor;
        cursor = next;
    }
    return count;
}

static int read_values(struct reading *reading, char *line)
{
    char *fields[COLUMNS + 1];
    if (split(line, fields) != COLUMNS)
        return table_refuse(reading->error, reading->file, reading->line,
                            "multiload prints %d values below its names: give both lines whole",
                            COLUMNS);
    double bytes = curve_number(fields[BYTES]), ns = curve_number(fields[CHASE_NS]);
    double chasing = curve_number(fields[CHASE_THREADS]);
    double loading = curve_number(fields[LOAD_THREADS]);
    double rate = curve_number(fields[LOAD_MIBPS]) * mebibyte;
    bool whole = (chasing > 0 || loading > 0) && (chasing == 0 || (ns > 0 && bytes > 0)) &&
                 (loading == 0 || rate > 0) && strlen(fields[CHASE]) < NAME_BYTES;
    if (!whole)
        return table_refuse(reading->error, reading->file, reading->line,
                            "no threads, or no positive value of theirs: give what multiload "
                            "printed");
    if (loading > 0 && chasing > 0)
        return add_load(reading, fields[CHASE], fields[LOAD], rate, ns);
    if (loading > 0)
        return add_load(reading, "", fields[LOAD], loading, rate);
    snprintf(reading->kind.chase, NAME_BYTES, "%s", fields[CHASE]);
    reading->kind.threads = chasing;
    return add_latency(reading, bytes, ns);
}

/* --- lines --- */

/* "stride = 64"; false where the line is no such setting. A new run begins with the first ones, and
 * tells all that matter. */
static bool read_setting(struct reading *reading, const char *line)
{
    char name[NAME_BYTES], value[NAME_BYTES];
    if (sscanf(line, "%63[a-zA-Z_ ] = %63s", name, value) != 2 || !isalpha((unsigned char)*name))
        return false;
    name[strcspn(name, " ")] = '\0';
    if (strcmp(name, "total_memory") == 0)
        reading->bytes = curve_number(value);
    else if (strcmp(name, "stride") == 0)
        reading->kind.stride = curve_number(value);
    else if (strcmp(name, "nr_threads") == 0)
        reading->kind.threads = curve_number(value);
    else if (strcmp(name, "chase") == 0)
        snprintf(reading->kind.chase, NAME_BYTES, "%s", value);
    return true;
}

/* A result stands alone, or behind a time stamp (-y). */
static int read_result(struct reading *reading, const char *line)
{
    char first[NAME_BYTES], second[NAME_BYTES], more[2];
    int words = sscanf(line, "%63s %63s %1s", first, second, more);
    double ns = words == 1 || words == 2 ? curve_number(words == 1 ? first : second) : 0;
    if (ns == 0)
        return table_refuse(
            reading->error, reading->file, reading->line,
            "this is no line of multichase's or multiload's: give what 'multichase -v' "
            "or 'multiload' printed");
    if (reading->bytes == 0)
        return table_refuse(reading->error, reading->file, reading->line,
                            "a latency of an unknown size: run 'multichase -v', which prints "
                            "total_memory, or write size and latency for 'fathom import curve'");
    int code = add_latency(reading, reading->bytes, ns);
    reading->bytes = 0;
    return code;
}

static bool is_passed_over(const char *line)
{
    static const char *const words[] = {"samples (", "timed out:", "malloc allocation"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(line, words[i], strlen(words[i])) == 0)
            return true;
    return !*line || strstr(line, "avg=") || strstr(line, "main: ") ||
           strncmp(line, "page_size", 9) == 0;
}

static int read_line(struct reading *reading, char *line)
{
    line += strspn(line, " \t");
    /* The line of a run's samples may be as long as it likes. */
    if (!reading->whole && (reading->values_follow || !is_passed_over(line)))
        return curve_line_refuse(reading->error, reading->file, reading->line, LINE_BYTES);
    if (reading->values_follow && *line) {
        reading->values_follow = false;
        return read_values(reading, line);
    }
    if (strncmp(line, "Samples", strlen("Samples")) == 0 && strstr(line, "ChaseNS")) {
        reading->values_follow = true;
        return 0;
    }
    if (is_passed_over(line) || strchr(line, '='))
        return read_setting(reading, line), 0;
    return read_result(reading, line);
}

static int read_multichase(const struct import_text *text, const struct settings *settings,
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
    if (code == 0 && !reading.results)
        code = table_refuse(error, text->file, 0,
                            "holds no result of multichase's or multiload's: give what "
                            "'multichase -v' or 'multiload' printed");
    const struct probe_result *loaded = document_probe(document, "loaded");
    for (size_t i = 0; loaded && i < loaded->series_count; i++)
        table_sort(&loaded->series[i]);
    if (code == 0 && reading.curve_count)
        code = conclude_curves(&reading);
    return code;
}

const struct import_format multichase_format = {
    .name = "multichase",
    .place = 40,
    .summary = "what 'multichase -v' prints size by size, and multiload: latency, also under load",
    .read = read_multichase,
};
