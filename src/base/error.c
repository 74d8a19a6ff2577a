#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

int error_set(struct error *error, int code, const char *format, ...)
{
    if (!error)
        return code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    /* The text quotes what a person typed or what a file holds; it must stay one inert line. */
    for (char *c = error->text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    error->code = code;
    return code;
}
