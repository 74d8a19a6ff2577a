#include "base/error.h"

#include "base/clean.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

int error_set(struct error *error, int code, const char *format, ...)
{
    if (!error)
        return code;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof error->text)
        text_drop_half(error->text);
    /* The text quotes what a person typed or what a file holds, so it is made inert: it must stay
     * one line that no terminal acts on. Inert text is never longer, so it is written over the
     * original. */
    clean_text(error->text, error->text, sizeof error->text);
    error->code = code;
    return code;
}

int error_out_of_memory(struct error *error)
{
    return error_set(error, ERROR_SYSTEM, "out of memory");
}
