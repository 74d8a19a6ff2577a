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

/* Bytes of the first `columns` columns of a word, or up to the last comma among them. */
static size_t bytes_that_fit(const char *word, size_t bytes, size_t columns)
{
    size_t at = 0, comma = 0, used = 0;
    while (at < bytes) {
        size_t next = at + 1;
        while (next < bytes && ((unsigned char)word[next] & 0xc0) == 0x80)
            next++;
        if (used++ == columns)
            return comma ? comma : at;
        comma = word[at] == ',' ? next : comma;
        at = next;
    }
    return bytes;
}

static size_t columns_of(const char *text, size_t bytes)
{
    size_t columns = 0;
    for (size_t i = 0; i < bytes; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

void text_print_wrapped(FILE *out, const struct view_style *style, size_t indent, const char *text)
{
    const size_t width = (size_t)style->width;
    size_t column = indent, begin = indent < width ? indent : 0;
    const char *word = text;
    while (*word) {
        size_t bytes = strcspn(word, " ");
        const bool fits = column + (column > begin) + columns_of(word, bytes) <= width;
        if (!fits && column > begin) {
            fprintf(out, "\n%*s", (int)begin, "");
            column = begin;
        }
        bytes = bytes_that_fit(word, bytes, width - begin);
        if (column > begin)
            fputc(' ', out);
        column += (column > begin) + columns_of(word, bytes);
        fwrite(word, 1, bytes, out);
        word += bytes + strspn(word + bytes, " ");
    }
    fputc('\n', out);
}

void line_print_wrapped(FILE *out, const struct view_style *style, size_t indent,
                        const struct line *line)
{
    text_print_wrapped(out, style, indent, line->text);
}

void line_print(FILE *out, const struct view_style *style, const struct line *line)
{
    if (clean_columns(line->text) <= (size_t)style->width)
        fprintf(out, "%s\n", line->text);
    else
        line_print_wrapped(out, style, 0, line);
}

struct view_style view_style_sane(const struct view_style *style)
{
    struct view_style sane = *style;
    if (sane.width < 40 || sane.width > 10000)
        sane.width = 80;
    return sane;
}
