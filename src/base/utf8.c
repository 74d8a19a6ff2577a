#include "base/utf8.h"

int utf8_next(const char **cursor)
{
    static const int smallest[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)*cursor;
    if (byte[0] == 0)
        return 0;
    ++*cursor;
    if (byte[0] < 0x80)
        return byte[0];
    int more = byte[0] >= 0xf0 ? 3 : byte[0] >= 0xe0 ? 2 : 1;
    if (byte[0] < 0xc2 || byte[0] > 0xf4)
        return -1;
    int code = byte[0] & (0x3f >> more);
    for (int i = 1; i <= more; i++) {
        if ((byte[i] & 0xc0) != 0x80)
            return -1;
        code = code << 6 | (byte[i] & 0x3f);
    }
    if (code < smallest[more] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return -1;
    *cursor += more;
    return code;
}

size_t utf8_put(char *to, int code)
{
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    to[0] = (char)(lead[more] | code >> 6 * more);
    for (int i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3f));
    return (size_t)more + 1;
}

size_t utf8_count(const char *text, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}
