#include "base/line.h"

#include "base/clean.h"

#include <stdarg.h>
#include <stdio.h>
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

void line_add_between(struct line *line, const char *before, const char *text, const char *after)
{
    line_add(line, "%s", before);
    line_add_clean(line, text);
    line_add(line, "%s", after);
}

void line_trim(struct line *line)
{
    while (line->length && line->text[line->length - 1] == ' ')
        line->text[--line->length] = '\0';
}
