#include "speak/import/import.h"

#include "conclude/analyse.h"
#include "speak/import/curves.h"
#include "speak/import/utf16.h"

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

const struct option_spec import_options[] = {
    {"unit", 0, OPTION_CHOICE, "UNIT", "ns", 0, 0, latency_units,
     "what latencies are in (of a curve: those of the second column, where its first line does not "
     "name it)"},
    {"size-unit", 0, OPTION_CHOICE, "UNIT", NULL, 0, 0, size_units,
     "what a size without a suffix is in, each 1024 of the one before (default: what the table's "
     "first line names; where it names none, such sizes are refused)"},
    {"op", 0, OPTION_TEXT, "OP", NULL, 0, 0, NULL,
     "the operation that was measured, like cas (default: not named)"},
    {"ids", 0, OPTION_CHOICE, "WHICH", "auto", 0, 0, core_ids,
     "whether the first row and column of a CSV are the cores' ids; auto: judged by what stands "
     "there, and counted from 0 where there are none"},
    {.name = NULL},
};

/* "curve, mlc: what ...": the formats that take the option stand before what it is. */
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

/* Reads to the end. The text is the caller's, also on an error. */
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

/* Leaves text in UTF-8 with no NUL in it; what it was read as is freed. */
static int make_plain(char **bytes, size_t *length, const char *file, struct error *error)
{
    if (utf16_marked(*bytes, *length)) {
        char *text;
        int code = utf16_decode(*bytes, *length, file, &text, length, error);
        if (code < 0)
            return code;
        free(*bytes);
        *bytes = text;
    }
    if (strlen(*bytes) < *length)
        return error_set(error, ERROR_USAGE, "%s: holds a NUL byte: give a table in plain text",
                         file);
    return 0;
}

/* An option of another format would be passed over in silence, and a latency be given in a unit
 * that it was not measured in. */
static int check_options(const struct import_format *format, const struct settings *settings,
                         struct error *error)
{
    for (const struct option_spec *spec = import_options; spec->name; spec++)
        if (settings_given(settings, spec->name) && !takes(format, spec->name))
            return error_set(error, ERROR_USAGE,
                             "--%s: the format %s does not take it ('fathom import --help' says "
                             "which do): leave it out",
                             spec->name, format->name);
    return 0;
}

/* --- which format it is --- */

int import_recognise(const struct import_format **format, const struct import_text *text,
                     struct error *error)
{
    enum import_certainty most = IMPORT_NONE;
    char names[400] = "";
    size_t count = 0;
    *format = NULL;
    for (size_t i = 0; import_formats[i]; i++) {
        const struct import_format *one = import_formats[i];
        const enum import_certainty sure = one->recognise(text);
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
    if (count == 1)
        return 0;
    *format = NULL;
    if (count == 0 && !text->text[strspn(text->text, " \t\r\n")])
        return error_set(error, ERROR_USAGE, "%s: is empty: give what a tool printed", text->file);
    if (count == 0 && strstr(text->text, "\"" DOCUMENT_SCHEMA "\""))
        return error_set(error, ERROR_USAGE,
                         "%s: is a document of fathom's own: 'fathom report %s' shows it",
                         text->file, text->file);
    if (count == 0)
        return error_set(error, ERROR_USAGE,
                         "%s: no format knows this text: name one, 'fathom import FORMAT FILE'; "
                         "'fathom import --help' lists them",
                         text->file);
    return error_set(error, ERROR_USAGE,
                     "%s: this may be a table of any of %s: say which, 'fathom import FORMAT FILE'",
                     text->file, names);
}

/* --- reading --- */

int import_read(const struct import_format *format, struct import_text *text,
                const struct settings *settings, struct document *document, struct error *error)
{
    const char *remarks;
    int code = format->read(text, settings, document, error);
    if (code == 0)
        code = document_analyse(document, &remarks, error);
    struct probe_result *latency = document_probe(document, "latency");
    if (code == 0 && latency)
        curve_explain(latency);
    return code;
}

/* One sentence for all lines that nothing was read of. */
static int tell_lines(const struct import_format *format, const struct import_text *text,
                      struct document *document, const char **unread, struct error *error)
{
    if (!text->unread && *text->columns)
        *unread = pool_printf(&document->pool, "%s: of the columns %s nothing was read", text->file,
                              text->columns);
    if (!text->unread)
        return *unread || !*text->columns ? 0 : error_out_of_memory(error);
    const bool one = text->unread == 1, line = text->unread_line > 0;
    const char *number = line ? pool_printf(&document->pool, "line %zu, ", text->unread_line) : "";
    *unread = pool_printf(&document->pool, "%s: of %zu %s%s nothing was read as %s%s %s'%s'",
                          text->file, text->unread, line ? "line" : "value", one ? "" : "s",
                          format->name, one ? ":" : "; the first is", number, text->unread_shown);
    return *unread ? 0 : error_out_of_memory(error);
}

/* And before it one about what may be missing. */
static int tell_unread(const struct import_format *format, const struct import_text *text,
                       struct document *document, const char **unread, struct error *error)
{
    int code = tell_lines(format, text, document, unread, error);
    if (code < 0 || !*text->cut)
        return code;
    *unread = pool_printf(&document->pool, "%s: the printout may have been cut: %s%s%s", text->file,
                          text->cut, *unread ? "; " : "", *unread ? *unread : "");
    return *unread ? 0 : error_out_of_memory(error);
}

static int read_text(const struct import_format *format, struct import_text *text,
                     const struct settings *settings, struct document *document,
                     const char **unread, struct error *error)
{
    int code = format ? 0 : import_recognise(&format, text, error);
    if (code == 0)
        code = check_options(format, settings, error);
    document->run.elapsed_s = document->run.precision = document->run.budget_s = NAN;
    document->run.complete = true;
    document->conditions = (struct conditions){
        .core_hz = NAN, .counter_hz = NAN, .load1 = NAN, .others_cpus = NAN, .stolen_s = NAN};
    if (code == 0)
        code = import_read(format, text, settings, document, error);
    return code == 0 ? tell_unread(format, text, document, unread, error) : code;
}

int import_file(const struct import_format *format, const char *path,
                const struct settings *settings, struct document *document, const char **unread,
                struct error *error)
{
    *unread = NULL;
    /* Options are looked at first: what is wrong with them needs no file. */
    int code = format ? check_options(format, settings, error) : 0;
    if (code < 0)
        return code;
    bool standard = !path || strcmp(path, "-") == 0;
    struct import_text text = {.file = standard ? "standard input" : path};
    FILE *stream = standard ? stdin : fopen(path, "r");
    if (!stream)
        return error_set(error, ERROR_USAGE, "%s: %s: name a file that can be read", path,
                         strerror(errno));
    char *bytes = NULL;
    code = read_stream(stream, text.file, &bytes, &text.length, error);
    if (!standard)
        fclose(stream);
    if (code == 0)
        code = make_plain(&bytes, &text.length, text.file, error);
    text.text = bytes;
    if (code == 0)
        code = read_text(format, &text, settings, document, unread, error);
    free(bytes);
    return code;
}
