#include "show/render/markup.h"

#include "base/clean.h"

#include <stdarg.h>
#include <string.h>

void html_text(FILE *out, const char *text)
{
    static const char special[] = "<>&\"'";
    static const char *const escapes[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    const char *cursor = text ? text : "";
    char character[4];
    size_t bytes, used = 0;
    while ((bytes = clean_next(&cursor, character)) > 0) {
        const char *at = memchr(special, character[0], sizeof special - 1);
        used += bytes;
        if (used > HTML_TEXT_BYTES_MAX) {
            fputs("…", out);
            return;
        }
        if (at)
            fputs(escapes[at - special], out);
        else
            fwrite(character, 1, bytes, out);
    }
}

void html_print(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (; *format; format++) {
        if (*format != '%' || *++format == '%') {
            fputc(*format, out);
            continue;
        }
        const int precision = *format == '.' ? format[1] - '0' : -1;
        format += precision < 0 ? *format == 'z' : 2;
        if (*format == 's')
            html_text(out, va_arg(arguments, const char *));
        else if (*format == 'd')
            fprintf(out, "%d", va_arg(arguments, int));
        else if (*format == 'u')
            fprintf(out, "%zu", va_arg(arguments, size_t));
        else
            fprintf(out, *format == 'f' ? "%.*f" : "%.*g", precision, va_arg(arguments, double));
    }
    va_end(arguments);
}
