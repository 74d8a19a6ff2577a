#include "render/clean.h"
#include "render/figure.h"
#include "render/parts.h"

#include <stdarg.h>
#include <string.h>

void line_add(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = sizeof line->text - line->length;
    int wrote = vsnprintf(line->text + line->length, room, format, arguments);
    va_end(arguments);
    if (wrote > 0)
        line->length += (size_t)wrote < room ? (size_t)wrote : room - 1;
}

void line_add_clean(struct line *line, const char *text)
{
    clean_text(text, line->text + line->length, sizeof line->text - line->length);
    line->length += strlen(line->text + line->length);
}

void line_add_factors(struct line *line, const struct factor *factors, size_t count)
{
    char number[UNIT_TEXT];
    /* Another person's document may have a million of them, and a line has its end. */
    for (size_t i = 0; i < count && line->length + 1 < sizeof line->text; i++) {
        line_add(line, "%s", line->length ? ", " : "");
        line_add_clean(line, factors[i].name);
        line_add(line, " ");
        if (factors[i].text)
            line_add_clean(line, factors[i].text);
        else
            line_add(line, "%s", figure_factor(factors[i].number, number));
    }
}

void line_trim(struct line *line)
{
    while (line->length && line->text[line->length - 1] == ' ')
        line->text[--line->length] = '\0';
}

void line_print_wrapped(FILE *out, const struct view_style *style, size_t indent,
                        const struct line *line)
{
    size_t column = indent;
    const char *word = line->text;
    while (*word) {
        size_t bytes = strcspn(word, " ");
        char copy[sizeof line->text];
        memcpy(copy, word, bytes);
        copy[bytes] = '\0';
        size_t columns = clean_columns(copy);
        if (column > indent && column + 1 + columns > (size_t)style->width) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        }
        if (column > indent)
            fputc(' ', out);
        column += (column > indent) + columns;
        fputs(copy, out);
        word += bytes + strspn(word + bytes, " ");
    }
    fputc('\n', out);
}

struct view_style view_style_sane(const struct view_style *style)
{
    struct view_style sane = *style;
    if (sane.width < 40 || sane.width > 10000)
        sane.width = 80;
    return sane;
}
