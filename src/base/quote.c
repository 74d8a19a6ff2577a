#include "base/quote.h"

#include "base/clean.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

bool csv_cell_pass(struct csv_cell *cell, FILE *out)
{
    if (cell->passes > 0 && cell->quoted)
        fputc('"', out);
    cell->out = cell->passes ? out : NULL;
    return cell->passes++ < 2;
}

void csv_cell_add(struct csv_cell *cell, const char *text)
{
    const char *cursor = text ? text : "";
    char character[4];
    size_t bytes;
    while ((bytes = clean_next(&cursor, character)) > 0) {
        if (!cell->out) {
            cell->quoted = cell->quoted || character[0] == ',' || character[0] == '"';
            continue;
        }
        if (!cell->begun && strchr("=+-@", character[0]))
            fputc('\'', cell->out);
        cell->begun = true;
        if (character[0] == '"')
            fputc('"', cell->out);
        for (size_t i = 0; i < bytes; i++)
            putc_unlocked(character[i], cell->out);
    }
}

void csv_print(FILE *out, const char *text)
{
    struct csv_cell cell = {0};
    while (csv_cell_pass(&cell, out))
        csv_cell_add(&cell, text);
}

const char *json_escape(int code, bool in_markup, char escape[JSON_ESCAPE])
{
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *special = code > 0 ? memchr(plain, code, sizeof plain - 1) : NULL;
    if (special)
        snprintf(escape, JSON_ESCAPE, "\\%c", letters[special - plain]);
    else if (code > 0xffff && clean_is_harmful(code))
        snprintf(escape, JSON_ESCAPE, "\\u%04x\\u%04x", 0xd7c0 + ((unsigned)code >> 10),
                 0xdc00 | ((unsigned)code & 0x3ff));
    else if (((code >= 0 && code < ' ') || (code > '~' && clean_is_harmful(code))) ||
             (in_markup && code > 0 && memchr("<>&'", code, 4)))
        snprintf(escape, JSON_ESCAPE, "\\u%04x", (unsigned)code & 0xffff);
    else
        return NULL;
    return escape;
}

void json_print(FILE *out, const char *text, size_t most, bool in_markup)
{
    const char *cursor = text ? text : "";
    char character[4], escape[JSON_ESCAPE];
    size_t bytes, used = 0;
    fputc('"', out);
    while ((bytes = clean_next(&cursor, character)) > 0) {
        const char *escaped = json_escape((unsigned char)character[0], in_markup, escape);
        used += bytes;
        if (used > most) {
            fputs("…", out);
            break;
        }
        fwrite(escaped ? escaped : character, 1, escaped ? strlen(escaped) : bytes, out);
    }
    fputc('"', out);
}

void json_text(FILE *out, const char *separator, const char *key, const char *text)
{
    fprintf(out, "%s\"%s\":", separator, key);
    json_print(out, text, SIZE_MAX, false);
}

void json_number(FILE *out, const char *separator, const char *key, double number)
{
    if (isfinite(number))
        fprintf(out, "%s\"%s\":%.9g", separator, key, number);
}
