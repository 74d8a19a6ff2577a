/*
 * The output of multichase and multiload (README and programs of github.com/google/multichase; the
 * samples in tests/data/multichase are made up).
 *
 * - `multichase -v`, once for each size, one after another: "total_memory = 4096 (...)", "stride =
 *   64", "chase = simple", samples, and the result in ns on a line of its own. Each kind of chase
 *   becomes a latency curve; a repeated size is another trial of its point. The samples of one run
 *   share one memory and one ring, so they are no trials: only the result is read.
 * - multiload: a line of names ("Samples , Byte/thd , ChaseThds , ...") and one of values. With
 *   chase and load threads they are points of latency under load, with bandwidth in MiB/s; with
 *   only load threads, bandwidth by threads; with only chase threads, a point of a curve.
 */
#include "speak/import/reading.h"

#include <ctype.h>
#include <math.h>

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

struct multichase {
    char chase[NAME_BYTES];        /* of the current run; "": unknown */
    double stride, threads, bytes; /* 0: unknown */
    bool began;                    /* settings or names were seen */
    bool values_follow;            /* the last line was multiload's names */
};

static void add_latency(struct reading *reading, double bytes, double ns)
{
    const struct multichase *run = reading->state;
    struct table_kind kind = {.title = "multichase: latency by working-set size"};
    kind_add_text(&kind, "chase", run->chase);
    kind_add_number(&kind, "stride", run->stride);
    kind_add_number(&kind, "threads", run->threads > 1 ? run->threads : 0);
    tables_add_latency(&reading->tables, kind, bytes, ns, NAN);
}

/* --- multiload's table --- */

static void add_load(struct reading *reading, const char *chase, const char *load, double x,
                     double value)
{
    static const struct series alone = {
        .name = "bandwidth", .headline = true, .x = {"threads", ""}, .y = {"bandwidth", "B/s"}};
    struct table_kind kind = {
        .probe = "bandwidth", .title = "multiload: bandwidth by threads", .series = &alone};
    if (*chase)
        kind = (struct table_kind){.probe = "loaded",
                                   .title = "multiload: latency under load",
                                   .series = &table_loaded,
                                   .factors = {{"chase", chase, NAN}}};
    kind_add_text(&kind, "load", load);
    tables_add_point(&reading->tables, &kind, x, value);
}

/* A positive number, or 0. */
static double value_of(const struct field *field)
{
    const double value = field_number(field);
    return value > 0 ? value : 0;
}

static void read_values(struct reading *reading)
{
    struct multichase *run = reading->state;
    struct rows *rows = &reading->rows;
    const struct field *fields = rows->fields;
    char load[NAME_BYTES];
    if (rows_cut(rows, ',') != COLUMNS)
        rows_refuse(rows, "multiload prints %d values below its names: give both lines whole",
                    COLUMNS);
    const double bytes = value_of(&fields[BYTES]), ns = value_of(&fields[CHASE_NS]);
    const double chasing = value_of(&fields[CHASE_THREADS]),
                 loading = value_of(&fields[LOAD_THREADS]);
    const double rate = value_of(&fields[LOAD_MIBPS]) * mebibyte;
    if (!((chasing > 0 || loading > 0) && (chasing == 0 || (ns > 0 && bytes > 0)) &&
          (loading == 0 || rate > 0) && fields[CHASE].length < NAME_BYTES))
        rows_refuse(rows,
                    "no threads, or no positive value of theirs: give what multiload printed");
    field_copy(&fields[CHASE], run->chase, NAME_BYTES);
    field_copy(&fields[LOAD], load, sizeof load);
    if (loading > 0 && chasing > 0) {
        add_load(reading, run->chase, load, rate, ns);
    } else if (loading > 0) {
        add_load(reading, "", load, loading, rate);
    } else {
        run->threads = chasing;
        add_latency(reading, bytes, ns);
    }
}

/* --- lines --- */

static bool is_passed_over(const struct rows *rows)
{
    static const char *const words[] = {"samples (", "timed out:", "malloc allocation",
                                        "page_size"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (rows_begins(rows, words[i]))
            return true;
    return !rows->length || rows_behind(rows, "avg=") || rows_behind(rows, "main: ");
}

static void read_line(struct reading *reading)
{
    struct multichase *run = reading->state;
    struct rows *rows = &reading->rows;
    if (run->values_follow && rows->length) {
        run->values_follow = false;
        read_values(reading);
    } else if (rows_begins(rows, "Samples") && rows_behind(rows, "ChaseNS")) {
        run->values_follow = run->began = true;
    } else if (is_passed_over(rows)) {
        return;
    } else if (rows_behind(rows, "=")) {
        /* "stride = 64". A new run begins with its first setting and repeats all settings that
         * matter. */
        if (rows_begins(rows, "total_memory"))
            run->bytes = fmax(0, rows_number_behind(rows, "total_memory"));
        else if (rows_begins(rows, "stride"))
            run->stride = rows_number_behind(rows, "stride");
        else if (rows_begins(rows, "nr_threads"))
            run->threads = rows_number_behind(rows, "nr_threads");
        else if (rows_begins(rows, "chase") && rows_cut(rows, 0) >= 3)
            field_copy(&rows->fields[2], run->chase, NAME_BYTES);
        run->began = true;
    } else if (run->began || isdigit((unsigned char)*rows->text)) {
        /* A result is alone on its line, or after a time stamp (-y). */
        const size_t count = rows_cut(rows, 0);
        const double ns = count == 1 || count == 2 ? field_number(&rows->fields[count - 1]) : 0;
        if (!(ns > 0))
            rows_refuse(rows, "this is no line of multichase's or multiload's: give what "
                              "'multichase -v' or 'multiload' printed");
        if (!(run->bytes > 0))
            rows_refuse(rows, "a latency of an unknown size: run 'multichase -v', which prints "
                              "total_memory, or write size and latency for 'fathom import curve'");
        add_latency(reading, run->bytes, ns);
        run->bytes = 0;
    } else {
        rows_unread(rows); /* lines that a script wrote before */
    }
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
    .state_bytes = sizeof(struct multichase),
    .recognise = recognise,
    .line = read_line,
    .statistic = "the best of its samples",
    .nothing = "holds no result of multichase's or multiload's: give what 'multichase -v' or "
               "'multiload' printed",
};
