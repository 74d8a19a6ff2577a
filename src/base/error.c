#include "base/error.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

int error_set(struct error *error, int code, const char *format, ...)
{
    if (!error)
        return code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    text_drop_half(error->text);
    /* The text quotes what a person typed or what a file holds, so control characters are replaced:
     * it must stay one line that no terminal acts on. */
    for (unsigned char *c = (unsigned char *)error->text; *c; c++) {
        bool c1 = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0; /* U+0080 to U+009F in UTF-8 */
        if (*c < ' ' || *c == 127 || c1)
            *c = '?';
        if (c1)
            *++c = '?';
    }
    error->code = code;
    return code;
}

int error_out_of_memory(struct error *error)
{
    return error_set(error, ERROR_SYSTEM, "out of memory");
}
