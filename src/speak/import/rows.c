#include "speak/import/rows.h"

#include "base/cpulist.h"
#include "base/units.h"
#include "base/utf8.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 64 }; /* longer than any number that a tool prints */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* --- lines --- */

void rows_begin(struct rows *rows, struct import_text *source)
{
    rows->source = source;
    rows->next = source->text;
    rows->begin = rows->text = rows->next;
    rows->number = rows->length = rows->count = 0;
}

bool rows_next(struct rows *rows)
{
    if (!*rows->next)
        return false;
    const char *end = rows->next + strcspn(rows->next, "\n");
    rows->begin = rows->text = rows->next;
    rows->next = *end ? end + 1 : end;
    rows->number++;
    while (rows->text < end && is_blank(*rows->text))
        rows->text++;
    while (end > rows->text && is_blank(end[-1]))
        end--;
    rows->length = (size_t)(end - rows->text);
    return true;
}

bool rows_next_said(struct rows *rows)
{
    while (rows_next(rows))
        if (rows->length && *rows->text != '#')
            return true;
    return false;
}

struct rows_place rows_place(const struct rows *rows)
{
    return (struct rows_place){rows->next, rows->begin, rows->text, rows->number, rows->length};
}

void rows_return(struct rows *rows, struct rows_place place)
{
    rows->next = place.next;
    rows->begin = place.begin;
    rows->text = place.text;
    rows->number = place.number;
    rows->length = place.length;
}

/* --- the current line --- */

bool rows_begins(const struct rows *rows, const char *words)
{
    const size_t length = strlen(words);
    return length <= rows->length && memcmp(rows->text, words, length) == 0;
}

const char *rows_behind(const struct rows *rows, const char *words)
{
    const size_t length = strlen(words);
    const char *end = rows->text + rows->length;
    for (const char *at = rows->text; (size_t)(end - at) >= length; at++) {
        at = memchr(at, *words, (size_t)(end - at) - length + 1);
        if (!at)
            return NULL;
        if (memcmp(at, words, length) == 0)
            return at + length;
    }
    return NULL;
}

/* The number at a text's beginning; NAN if there is none or a comma and a digit follow it. */
static double leading_number(const char *text, const char *end)
{
    char copy[NUMBER_BYTES], *rest;
    size_t length = 0;
    while (text + length < end && length < sizeof copy - 1 &&
           strchr("0123456789.eE+-", text[length]))
        length++;
    memcpy(copy, text, length);
    copy[length] = '\0';
    double value = strtod(copy, &rest);
    text += rest - copy;
    const bool cut = text + 1 < end && *text == ',' && isdigit((unsigned char)text[1]);
    return rest == copy || !isfinite(value) || cut ? NAN : value;
}

double rows_number_behind(const struct rows *rows, const char *words)
{
    const char *text = rows_behind(rows, words), *end = rows->text + rows->length;
    while (text && text < end && strchr(" \t:=", *text))
        text++;
    return text ? leading_number(text, end) : NAN;
}

void rows_between(const struct rows *rows, const char *first, const char *last, char *text,
                  size_t size)
{
    const char *begin = rows_behind(rows, first), *end = rows->text + rows->length;
    size_t length = 0;
    text[0] = '\0';
    if (!begin)
        return;
    while (begin + length < end && strncmp(begin + length, last, strlen(last)) != 0)
        length++;
    if (begin + length < end)
        snprintf(text, size, "%.*s", (int)length, begin);
}

bool rows_speak_of_bandwidth(const struct rows *rows)
{
    static const char *const units[] = {"GB/s",   "MB/s",    "GiB/s",   "MiB/s",   "Gbit/s",
                                        "Mbit/s", "MByte/s", "GByte/s", "andwidth"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (rows_behind(rows, units[i]))
            return true;
    return false;
}

bool rows_name_cpu(const struct rows *rows, char cpu[ROWS_CPU])
{
    static const char *const words[] = {"taskset -c", "--cpu-list", "--physcpubind=", "numactl -C",
                                        "CPU",        "cpu",        "Core",           "core"};
    enum { COMMANDS = 4 };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *text = rows_behind(rows, words[i]), *end = rows->text + rows->length;
        if (!text || (i >= COMMANDS && text != rows->text + strlen(words[i])))
            continue;
        while (text < end && strchr(" \t:#=", *text))
            text++;
        size_t length = 0;
        while (text + length < end && isdigit((unsigned char)text[length]))
            length++;
        if (length && length < 8 && (text + length == end || strchr(" :,\t", text[length]))) {
            snprintf(cpu, ROWS_CPU, "cpu%.*s", (int)length, text);
            return true;
        }
    }
    return false;
}

char rows_separator(const struct rows *rows)
{
    static const char separators[] = {';', '\t', ','};
    for (size_t i = 0; i < sizeof separators; i++)
        if (memchr(rows->text, separators[i], rows->length))
            return separators[i];
    return 0;
}

/* Adds the field from `begin` to `end`, which begins in that column, without blanks and quotes. */
static void add_field(struct rows *rows, const char *begin, const char *end, size_t column)
{
    const char *from = begin;
    while (from < end && (is_blank(*from) || *from == '"'))
        from++;
    while (end > from && (is_blank(end[-1]) || end[-1] == '"'))
        end--;
    rows->fields[rows->count++] = (struct field){from, (size_t)(end - from), column,
                                                 column + utf8_count(from, (size_t)(end - from))};
}

size_t rows_cut(struct rows *rows, char separator)
{
    /* A tab at either end of a line delimits an empty field, like any other separator. */
    const char *end =
        separator ? rows->begin + strcspn(rows->begin, "\n") : rows->text + rows->length;
    size_t column = 0;
    rows->count = 0;
    for (const char *at = rows->begin; at <= end && rows->count < ROWS_FIELDS;) {
        const char *begin = at;
        while (!separator && begin < end && is_blank(*begin))
            begin++;
        if (!separator && begin == end)
            break;
        const char *stop = begin;
        while (stop < end && (separator ? *stop != separator : !is_blank(*stop)))
            stop++;
        column += utf8_count(at, (size_t)(begin - at));
        add_field(rows, begin, stop, column);
        column += utf8_count(begin, (size_t)(stop - begin)) + 1;
        at = stop + 1;
    }
    return rows->count;
}

size_t rows_split(struct rows *rows)
{
    return rows_cut(rows, rows_separator(rows));
}

/* --- fields --- */

bool field_is(const struct field *field, const char *text)
{
    return strlen(text) == field->length && memcmp(text, field->text, field->length) == 0;
}

bool field_begins_number(const struct field *field)
{
    return field->length && strchr("0123456789.+-", *field->text);
}

char *field_copy(const struct field *field, char *text, size_t size)
{
    const size_t length = field->length < size - 1 ? field->length : size - 1;
    text[length] = '\0';
    return length ? memcpy(text, field->text, length) : text; /* a field may have no text */
}

double field_number(const struct field *field)
{
    char text[NUMBER_BYTES];
    double value;
    return field->length < sizeof text &&
                   number_parse(field_copy(field, text, sizeof text), &value, NULL) == 0 &&
                   fabs(value) <= (double)FLT_MAX /* points hold floats */
               ? value
               : NAN;
}

bool field_has_unit(const struct field *field)
{
    return field->length && isalpha((unsigned char)field->text[field->length - 1]);
}

double field_size(const struct field *field, double unit)
{
    char text[NUMBER_BYTES];
    uint64_t bytes = 0;
    if (!field_has_unit(field)) {
        const double size = field_number(field) * unit;
        return size >= 1 && size <= 0x1p62 ? size : 0;
    }
    const bool known = field->length < sizeof text &&
                       size_parse(field_copy(field, text, sizeof text), &bytes, NULL) == 0;
    return known ? (double)bytes : 0;
}

int field_id(const struct field *field)
{
    int id = 0;
    for (size_t i = 0; i < field->length; i++) {
        if (!isdigit((unsigned char)field->text[i]))
            return -1;
        id = id * 10 + (field->text[i] - '0');
        if (id > CPU_ID_MAX)
            return -1;
    }
    return field->length ? id : -1;
}

bool field_is_large_id(const struct field *field)
{
    for (size_t i = 0; i < field->length; i++)
        if (!isdigit((unsigned char)field->text[i]))
            return false;
    return field->length && field_id(field) < 0;
}

/* --- messages --- */

void rows_refuse(const struct rows *rows, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!rows->number) /* the text is not read line by line */
        text_refuse(rows->source, "%s", text);
    text_refuse(rows->source, "line %zu: %s", rows->number, text);
}

void text_refuse(const struct import_text *source, const char *format, ...)
{
    char text[420];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pool_leave(source->pool, ERROR_USAGE, "%s: %s", source->file, text);
}

static bool holds_decimal_comma(const struct field *field)
{
    for (size_t i = 1; i + 1 < field->length; i++)
        if (field->text[i] == ',' && isdigit((unsigned char)field->text[i - 1]) &&
            isdigit((unsigned char)field->text[i + 1]))
            return true;
    return false;
}

void rows_refuse_large_ids(const struct rows *rows)
{
    char text[32];
    for (size_t i = 0; i < rows->count; i++)
        if (field_is_large_id(&rows->fields[i]))
            rows_refuse(rows, "%s is no id: CPUs and nodes are numbered from 0 to %d here",
                        field_copy(&rows->fields[i], text, sizeof text), CPU_ID_MAX);
}

double rows_positive(const struct rows *rows, const struct field *field, const char *what)
{
    const double value = field_number(field);
    if (value > 0)
        return value;
    rows_refuse(rows,
                holds_decimal_comma(field)
                    ? "%s '%.*s' has a decimal comma: write a point, as the tool does with LC_ALL=C"
                    : "%s '%.*s' is not a positive number: write one, or leave the line out",
                what, (int)(field->length < ROWS_SHOWN ? field->length : ROWS_SHOWN), field->text);
}

void rows_unread_line(const struct rows *rows)
{
    struct import_text *source = rows->source;
    const bool whole = rows->length < sizeof source->unread_shown;
    if (source->unread++)
        return;
    source->unread_line = rows->number;
    snprintf(source->unread_shown, sizeof source->unread_shown, "%.*s%s",
             (int)(whole ? rows->length : sizeof source->unread_shown - 4), rows->text,
             whole ? "" : "...");
    for (char *at = source->unread_shown; *at; at++)
        *at = *at == '\t' ? ' ' : *at;
}

void rows_unread(const struct rows *rows)
{
    for (size_t i = 0; i < rows->length; i++)
        if (isdigit((unsigned char)rows->text[i])) {
            rows_unread_line(rows);
            return;
        }
}

void rows_unread_but(const struct rows *rows, const char *known)
{
    for (size_t length; *known; known += length + (known[length] == '|')) {
        length = strcspn(known, "|");
        if (length <= rows->length && memcmp(rows->text, known, length) == 0)
            return;
    }
    rows_unread(rows);
}

void text_note(struct import_text *source, const char *format, ...)
{
    char more[sizeof source->notes];
    const size_t used = strlen(source->notes);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(more, sizeof more, format, arguments);
    snprintf(source->notes + used, sizeof source->notes - used, "%s%s", used ? "; " : "", more);
    va_end(arguments);
}

void rows_refuse_bandwidth(struct import_text *text)
{
    struct rows rows;
    struct rows_place remark = {0};
    bool bandwidth = false;
    rows_begin(&rows, text);
    while (rows_next(&rows) && (!rows.length || *rows.text == '#'))
        if (rows.length) {
            bandwidth = rows_speak_of_bandwidth(&rows);
            remark = rows_place(&rows);
        }
    rows_return(&rows, remark);
    if (bandwidth)
        rows_refuse(&rows, "speaks of bandwidths: give a table of latencies");
}

/* --- recognising --- */

bool text_holds(const struct import_text *source, const char *words)
{
    return strstr(source->text, words);
}

bool text_has_line(const struct import_text *source, const char *words)
{
    for (const char *at = source->text; (at = strstr(at, words)); at++) {
        const char *before = at;
        while (before > source->text && is_blank(before[-1]))
            before--;
        if (before == source->text || before[-1] == '\n')
            return true;
    }
    return false;
}
