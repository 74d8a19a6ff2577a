#include "base/clean.h"
#include "render/parts.h"

#include <string.h>

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
