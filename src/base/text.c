#include "base/text.h"

#include <string.h>

const char *text_or_unknown(const char *text)
{
    return text ? text : "unknown";
}

bool text_same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

bool text_ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), end = strlen(ending);
    return length >= end && strcmp(text + length - end, ending) == 0;
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void text_drop_half(char *text)
{
    size_t length = strlen(text), last = length;
    while (last > 0 && ((unsigned char)text[last - 1] & 0xc0) == 0x80)
        last--;
    if (last == 0)
        return;
    unsigned char first = (unsigned char)text[--last];
    size_t whole = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    if (length - last < whole)
        text[last] = '\0';
}
