/*
 * What multichase and multiload print (README of github.com/google/multichase and what its programs
 * write; the samples in tests/data/multichase are of our own making).
 *
 * - `multichase -v`, once for each size, one after another: "total_memory = 4096 (...)", "stride =
 *   64", "chase = simple", samples, and the result in ns on a line of its own. Each kind of chase
 *   becomes a latency curve; a size that was run again is another trial of its point. The samples
 *   of one run are of one memory and one ring, and no trials: only the result counts.
 * - multiload: a line of names ("Samples , Byte/thd , ChaseThds , ...") and one of values. With
 *   chase and load threads these are points of latency under load, bandwidth counted in MiB/s;
 *   with load threads alone, bandwidth by threads; with chase threads alone, a point of a curve.
 */
#include "speak/import/rows.h"
#include "speak/import/tables.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { NAME_BYTES = 64, COLUMNS = 12 };
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

struct reading {
    struct rows rows;
    struct tables tables;
    char chase[NAME_BYTES];        /* of the run at hand; "": unknown */
    double stride, threads, bytes; /* 0: unknown */
    bool began;                    /* settings or names were seen */
    bool values_follow;            /* the last line was multiload's names */
    struct error *error;
};

/* --- curves --- */

static int add_latency(struct reading *reading, double bytes, double ns)
{
    struct table_kind kind = {.title = "multichase: latency by working-set size"};
    size_t count = 0;
    if (*reading->chase)
        kind.factors[count++] = (struct factor){"chase", reading->chase, NAN};
    if (reading->stride > 0)
        kind.factors[count++] = (struct factor){"stride", NULL, reading->stride};
    if (reading->threads > 1)
        kind.factors[count++] = (struct factor){"threads", NULL, reading->threads};
    return tables_add_latency(&reading->tables, kind, bytes, ns, NAN);
}

/* --- multiload's table --- */

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
    const struct table_kind under_load = {.probe = "loaded",
                                          .title = "multiload: latency under load",
                                          .series = &loaded,
                                          .factors = {{"chase", chase, NAN}, {"load", load, NAN}}},
                            by_threads = {.probe = "bandwidth",
                                          .title = "multiload: bandwidth by threads",
                                          .series = &alone,
                                          .factors = {{"load", load, NAN}}};
    return tables_add(&reading->tables, *chase ? &under_load : &by_threads,
                      (struct table_number){.x = x, .value = value, .cycles = NAN});
}

/* A positive number, or 0. */
static double value_of(const struct field *field)
{
    const double value = field_number(field);
    return value > 0 ? value : 0;
}

static int read_values(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    const struct field *fields = rows->fields;
    char load[NAME_BYTES];
    if (rows_cut(rows, ',') != COLUMNS)
        return rows_refuse(rows, reading->error,
                           "multiload prints %d values below its names: give both lines whole",
                           COLUMNS);
    double bytes = value_of(&fields[BYTES]), ns = value_of(&fields[CHASE_NS]);
    double chasing = value_of(&fields[CHASE_THREADS]), loading = value_of(&fields[LOAD_THREADS]);
    double rate = value_of(&fields[LOAD_MIBPS]) * mebibyte;
    bool whole = (chasing > 0 || loading > 0) && (chasing == 0 || (ns > 0 && bytes > 0)) &&
                 (loading == 0 || rate > 0) && fields[CHASE].length < NAME_BYTES;
    if (!whole)
        return rows_refuse(rows, reading->error,
                           "no threads, or no positive value of theirs: give what multiload "
                           "printed");
    field_copy(&fields[CHASE], reading->chase, NAME_BYTES);
    field_copy(&fields[LOAD], load, sizeof load);
    if (loading > 0 && chasing > 0)
        return add_load(reading, reading->chase, load, rate, ns);
    if (loading > 0)
        return add_load(reading, "", load, loading, rate);
    reading->threads = chasing;
    return add_latency(reading, bytes, ns);
}

/* --- lines --- */

/* "stride = 64"; a new run begins with the first ones, and names all that matter. */
static void read_setting(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    if (rows_begins(rows, "total_memory"))
        reading->bytes = fmax(0, rows_number_behind(rows, "total_memory"));
    else if (rows_begins(rows, "stride"))
        reading->stride = rows_number_behind(rows, "stride");
    else if (rows_begins(rows, "nr_threads"))
        reading->threads = rows_number_behind(rows, "nr_threads");
    else if (rows_begins(rows, "chase") && rows_cut(rows, 0) >= 3)
        field_copy(&rows->fields[2], reading->chase, NAME_BYTES);
    reading->began = true;
}

/* A result stands alone, or behind a time stamp (-y). */
static int read_result(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    const size_t count = rows_cut(rows, 0);
    const double ns = count == 1 || count == 2 ? field_number(&rows->fields[count - 1]) : 0;
    if (!(ns > 0))
        return rows_refuse(rows, reading->error,
                           "this is no line of multichase's or multiload's: give what 'multichase "
                           "-v' or 'multiload' printed");
    if (!(reading->bytes > 0))
        return rows_refuse(rows, reading->error,
                           "a latency of an unknown size: run 'multichase -v', which prints "
                           "total_memory, or write size and latency for 'fathom import curve'");
    const double bytes = reading->bytes;
    reading->bytes = 0;
    return add_latency(reading, bytes, ns);
}

static bool is_passed_over(const struct rows *rows)
{
    static const char *const words[] = {"samples (", "timed out:", "malloc allocation",
                                        "page_size"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (rows_begins(rows, words[i]))
            return true;
    return !rows->length || rows_behind(rows, "avg=") || rows_behind(rows, "main: ");
}

static int read_line(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    if (reading->values_follow && rows->length) {
        reading->values_follow = false;
        return read_values(reading);
    }
    if (rows_begins(rows, "Samples") && rows_behind(rows, "ChaseNS")) {
        reading->values_follow = reading->began = true;
        return 0;
    }
    if (is_passed_over(rows))
        return 0;
    if (rows_behind(rows, "="))
        return read_setting(reading), 0;
    if (reading->began || isdigit((unsigned char)*rows->text))
        return read_result(reading);
    rows_unread(rows); /* what a script wrote before */
    return 0;
}

static int read_multichase(struct import_text *text, const struct settings *settings,
                           struct document *document, struct error *error)
{
    (void)settings;
    struct reading reading = {.error = error};
    rows_begin(&reading.rows, text);
    tables_begin(&reading.tables, document, error);
    int code = 0;
    while (code == 0 && rows_next(&reading.rows))
        code = read_line(&reading);
    if (code == 0 && !reading.tables.count)
        code = table_refuse(error, text,
                            "holds no result of multichase's or multiload's: give what "
                            "'multichase -v' or 'multiload' printed");
    return code == 0 ? tables_end(&reading.tables) : code;
}

static enum import_certainty recognise(const struct import_text *text)
{
    const bool multichase = text_has_line(text, "total_memory =") && text_has_line(text, "chase =");
    const bool multiload = text_holds(text, "ChaseNS") && text_holds(text, "LdAvgMibs");
    return multichase || multiload ? IMPORT_SURE : IMPORT_NONE;
}

const struct import_format multichase_format = {
    .name = "multichase",
    .place = 40,
    .summary = "what 'multichase -v' prints size by size, and multiload: latency, also under load",
    .recognise = recognise,
    .read = read_multichase,
};
