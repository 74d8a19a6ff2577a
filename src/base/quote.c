#include "base/quote.h"

#include "base/clean.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

void csv_print(FILE *out, const char *text)
{
    const char *cursor = text ? text : "";
    const bool quoted = strpbrk(cursor, ",\"");
    char character[4];
    size_t bytes;
    fputs(quoted ? "\"" : "", out);
    if (*cursor && strchr("=+-@", *cursor))
        fputc('\'', out);
    while ((bytes = clean_next(&cursor, character)) > 0) {
        if (character[0] == '"')
            fputc('"', out);
        for (size_t i = 0; i < bytes; i++)
            putc_unlocked(character[i], out);
    }
    fputs(quoted ? "\"" : "", out);
}

void csv_put(FILE *out, const char *text)
{
    csv_print(out, text);
    fputc(',', out);
}

const char *json_escape(int code, char escape[JSON_ESCAPE])
{
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *special = code > 0 ? memchr(plain, code, sizeof plain - 1) : NULL;
    if (special)
        snprintf(escape, JSON_ESCAPE, "\\%c", letters[special - plain]);
    else if (code > 0xffff && clean_is_harmful(code))
        snprintf(escape, JSON_ESCAPE, "\\u%04x\\u%04x", 0xd7c0 + ((unsigned)code >> 10),
                 0xdc00 | ((unsigned)code & 0x3ff));
    else if ((code >= 0 && code < ' ') || (code > '~' && clean_is_harmful(code)))
        snprintf(escape, JSON_ESCAPE, "\\u%04x", (unsigned)code & 0xffff);
    else
        return NULL;
    return escape;
}

void json_print(FILE *out, const char *text)
{
    const char *cursor = text ? text : "";
    char character[4], escape[JSON_ESCAPE];
    size_t bytes;
    fputc('"', out);
    while ((bytes = clean_next(&cursor, character)) > 0) {
        const char *escaped = json_escape((unsigned char)character[0], escape);
        fwrite(escaped ? escaped : character, 1, escaped ? strlen(escaped) : bytes, out);
    }
    fputc('"', out);
}

void json_text(FILE *out, const char *separator, const char *key, const char *text)
{
    fprintf(out, "%s\"%s\":", separator, key);
    json_print(out, text);
}

void json_number(FILE *out, const char *separator, const char *key, double number)
{
    if (isfinite(number))
        fprintf(out, "%s\"%s\":%.9g", separator, key, number);
}
