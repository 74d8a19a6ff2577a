#include "base/text.h"

#include <string.h>

bool text_same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

bool text_ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), end = strlen(ending);
    return length >= end && strcmp(text + length - end, ending) == 0;
}
