#include "speak/import/import.h"

#include "base/input.h"
#include "conclude/analyse.h"
#include "conclude/registry/registry.h"
#include "speak/import/plain_text.h"
#include "speak/import/reading.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES_MAX = 256 << 20 };

static const char *const latency_units[] = {"ns", "cycles", NULL};
static const char *const core_ids[] = {"auto", "yes", "no", NULL};
static const char *const size_units[] = {"B", "K", "M", "G", NULL};

static bool takes(const struct import_format *format, const char *option)
{
    for (size_t i = 0; format->options && format->options[i]; i++)
        if (strcmp(format->options[i], option) == 0)
            return true;
    return false;
}

#include "import.help.h"

/* "curve, mlc: what ...": the formats that take the option, then its help. */
bool import_option_help(const struct option_spec *spec, char *text, size_t size)
{
    const struct option_spec *own = import_options;
    while (own->name && own != spec)
        own++;
    if (!own->name)
        return false;
    text[0] = '\0';
    for (size_t i = 0; import_formats[i]; i++)
        if (takes(import_formats[i], spec->name))
            snprintf(text + strlen(text), size - strlen(text), "%s%s", *text ? ", " : "",
                     import_formats[i]->name);
    snprintf(text + strlen(text), size - strlen(text), ": %s", spec->help);
    return true;
}

const struct import_format *import_format_by_name(const char *name)
{
    for (size_t i = 0; import_formats[i]; i++)
        if (strcmp(import_formats[i]->name, name) == 0)
            return import_formats[i];
    return NULL;
}

/* Reads to the end of the stream. The caller frees the text, also after an error. */
static int read_stream(FILE *stream, const char *file, char **text, size_t *length,
                       struct error *error)
{
    size_t room = 1 << 16;
    *length = 0;
    *text = malloc(room);
    while (*text) {
        *length += fread(*text + *length, 1, room - 1 - *length, stream);
        if (ferror(stream))
            return error_set(error, ERROR_USAGE, "%s: %s: name a file that can be read", file,
                             strerror(errno));
        if (*length < room - 1) {
            (*text)[*length] = '\0';
            return 0;
        }
        if (room > TEXT_BYTES_MAX)
            return error_set(error, ERROR_USAGE, "%s: is larger than %d MiB: give a smaller table",
                             file, TEXT_BYTES_MAX >> 20);
        char *larger = realloc(*text, room *= 2);
        if (!larger)
            break;
        *text = larger;
    }
    return error_set(error, ERROR_SYSTEM, "%s: out of memory", file);
}

/* Refuses options of other formats: if they were ignored, a latency could get a wrong unit. */
static int check_options(const struct import_format *format, const struct settings *settings,
                         struct error *error)
{
    for (const struct option_spec *spec = import_options; spec->name; spec++)
        if (settings_of(settings, spec)->given && !takes(format, spec->name))
            return error_set(error, ERROR_USAGE,
                             "--%s: the format %s does not take it ('fathom import --help' says "
                             "which do): leave it out",
                             spec->name, format->name);
    return 0;
}

/* --- recognising the format --- */

static enum import_certainty certainty_of(const struct import_format *format,
                                          const struct import_text *text)
{
    if (format->recognise)
        return format->recognise(text);
    for (size_t i = 0; format->marks && format->marks[i]; i++)
        if (text_holds(text, format->marks[i]))
            return IMPORT_SURE;
    return IMPORT_NONE;
}

/* Known outputs that measure no memory, by words in them. */
static const struct {
    const char *mark, *what;
} others[] = {
#include "import.texts.h"
};

int import_recognise(const struct import_format **format, const struct import_text *text,
                     struct error *error)
{
    enum import_certainty most = IMPORT_NONE;
    char names[400] = "";
    size_t count = 0;
    *format = NULL;
    if (text_holds(text, "\"" DOCUMENT_SCHEMA "\""))
        return error_set(error, ERROR_USAGE,
                         "%s: is a document of fathom's own: 'fathom report %s' shows it",
                         text->file, text->file);
    for (size_t i = 0; import_formats[i]; i++) {
        const struct import_format *one = import_formats[i];
        const enum import_certainty sure = certainty_of(one, text);
        if (sure == IMPORT_NONE || sure < most)
            continue;
        if (sure > most) {
            *format = one;
            names[0] = '\0';
            count = 0;
        }
        most = sure;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", count++ ? ", " : "",
                 one->name);
    }
    for (size_t i = 0; most < IMPORT_SURE && i < sizeof others / sizeof *others; i++)
        if (text_holds(text, others[i].mark)) {
            *format = NULL;
            return error_set(error, ERROR_USAGE,
                             "%s: is %s, and no measurement of memory: give what one of the tools "
                             "printed that 'fathom import --help' lists",
                             text->file, others[i].what);
        }
    if (count == 1)
        return 0;
    *format = NULL;
    if (count == 0) {
        if (!text->text[strspn(text->text, " \t\r\n")])
            return error_set(error, ERROR_USAGE, "%s: holds no table: give what a tool printed",
                             text->file);
        return error_set(error, ERROR_USAGE,
                         "%s: no format knows this text: name one, 'fathom import FORMAT FILE'; "
                         "'fathom import --help' lists them",
                         text->file);
    }
    return error_set(error, ERROR_USAGE,
                     "%s: this may be a table of any of %s: say which, 'fathom import FORMAT FILE'",
                     text->file, names);
}

/* --- reading --- */

/* The reason why a curve has no level. */
static const char *no_levels(const struct series *series)
{
    if (series->point_count < 3)
        return "no levels: that takes three sizes at least, and a dozen to be of use";
    if ((double)series->points[0].y.median >
        1.2 * (double)series->points[series->point_count - 1].y.median)
        return "no levels: latency falls as the working set grows, which no memory does; is the "
               "size in the first column?";
    return "no levels: no two neighbouring sizes have the same latency, so no size shows where a "
           "cache ends; measure more sizes";
}

static void explain_curve(struct probe_result *result)
{
    for (size_t i = 0; i < result->finding_count; i++)
        if (isfinite(result->findings[i].value) && /* remarks are NAN */
            finding_meaning(&result->findings[i]).role == ROLE_LEVEL)
            return;
    for (size_t i = 0; i < result->series_count; i++)
        if (result->series[i].headline) {
            result->status = PROBE_PARTIAL;
            result->reason = no_levels(&result->series[i]);
        }
}

/* Arguments and result of read_step(). */
struct order {
    const struct import_format *format; /* NULL: to be recognised */
    struct import_text text;
    const struct settings *settings;
    struct document *document;
    const char *unread;
};

/* A sentence about what the values are. */
static const char *tell_values(const struct tables *tables)
{
    struct pool *pool = &tables->document->pool;
    const char *n = pool_printf(pool, tables->least < tables->most ? "%zu to %zu" : "%zu",
                                tables->least, tables->most);
    const bool many = tables->most > 1;
    if (tables->statistic)
        return pool_printf(pool, "%s %s (n = %s)",
                           many ? "a value is the median of its n runs, each" : "each value is",
                           tables->statistic, n);
    return pool_printf(pool, "the text does not say which statistic its values are%s (n = %s)",
                       many ? "; of repeated ones the median is taken" : "", n);
}

static void add_remark(struct document *document, const char *what)
{
    struct conditions *conditions = &document->conditions;
    struct remark *remark = pool_append(&document->pool, (void **)&conditions->remarks,
                                        &conditions->remark_count, sizeof *remark);
    *remark = (struct remark){.what = what};
}

/* A sentence about what may be missing and what was not read; NULL if all was read. */
static const char *tell_unread(const struct import_format *format, const struct import_text *text)
{
    struct pool *pool = text->pool;
    const bool one = text->unread == 1, line = text->unread_line > 0;
    const char *unread = "", *columns = "";
    if (text->unread)
        unread = pool_printf(pool, "%zu %s%s%s'%s'", text->unread, line ? "line" : "value",
                             one ? ": " : "s; the first is ",
                             line ? pool_printf(pool, "line %zu, ", text->unread_line) : "",
                             text->unread_shown);
    if (*text->columns)
        columns = pool_printf(pool, "the columns %s", text->columns);
    if (!*unread && !*columns && !*text->notes)
        return NULL;
    return pool_printf(pool, "%s was read as %s%s%s%s%s%s%s", text->file, format->name,
                       *unread || *columns ? " but for " : "", columns,
                       *columns && *unread ? ", and " : "", unread, *text->notes ? "; " : "",
                       text->notes);
}

static int read_step(void *with)
{
    struct order *order = with;
    struct import_text *text = &order->text;
    struct pool *pool = text->pool;
    struct document *document = order->document;
    const char *remarks;
    make_plain_text(text);
    if (!order->format)
        pool_check(pool, import_recognise(&order->format, text, pool_error(pool)));
    pool_check(pool, check_options(order->format, order->settings, pool_error(pool)));
    const struct import_format *format = order->format;
    struct reading reading = {.text = text,
                              .document = document,
                              .pool = pool,
                              .tables = {.document = document,
                                         .statistic = format->statistic,
                                         .takes_unit = takes(format, "unit")}};
    settings_fill(order->settings, import_options, &reading.asked);
    reading.tables.rows = &reading.rows;
    reading.state = pool_alloc(pool, 1, format->state_bytes);
    rows_begin(&reading.rows, text);
    if (format->begin)
        format->begin(&reading);
    while (format->line && rows_next(&reading.rows))
        format->line(&reading);
    if (format->end)
        format->end(&reading);
    if (text->length && isdigit((unsigned char)text->text[text->length - 1]))
        text_note(text, "its last line has no end, so its last number may be cut");
    tables_end(&reading.tables);
    if (!document->probe_count)
        text_refuse(text, "%s", format->nothing);
    add_remark(document, tell_values(&reading.tables));
    pool_check(pool, document_analyse(document, &remarks, pool_error(pool)));
    struct probe_result *latency = document_probe(document, "latency");
    if (latency)
        explain_curve(latency);
    order->unread = tell_unread(format, text);
    if (order->unread)
        add_remark(document, order->unread);
    return 0;
}

int import_read(const struct import_format *format, struct import_text *text,
                const struct settings *settings, struct document *document, const char **unread,
                struct error *error)
{
    struct order order = {format, *text, settings, document, NULL};
    document->run.elapsed_s = document->run.precision = document->run.budget_s = NAN;
    document->run.complete = true;
    document->conditions = (struct conditions){
        .core_hz = NAN, .counter_hz = NAN, .load1 = NAN, .others_cpus = NAN, .stolen_s = NAN};
    order.text.pool = &document->pool;
    const int code = pool_enter(&document->pool, read_step, &order, error);
    *text = order.text;
    *unread = order.unread;
    return code;
}

int import_file(const struct import_format *format, const char *path,
                const struct settings *settings, struct document *document, const char **unread,
                struct error *error)
{
    *unread = NULL;
    /* Checks options first, because that needs no file. */
    int code = format ? check_options(format, settings, error) : 0;
    if (code < 0)
        return code;
    struct input input = {.steps = NULL};
    code = input_open(&input, path ? path : "-", "name a file that can be read", error);
    if (code < 0)
        return code;
    char *bytes = NULL;
    struct import_text text = {.file = input.name};
    code = input_close(&input, read_stream(input.stream, text.file, &bytes, &text.length, error),
                       error);
    text.text = bytes;
    if (code == 0)
        code = import_read(format, &text, settings, document, unread, error);
    free(bytes);
    return code;
}
