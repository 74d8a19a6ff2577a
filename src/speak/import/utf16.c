/* UTF-16 as RFC 2781 has it. */
#include "speak/import/utf16.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char little_mark[] = "\xff\xfe", big_mark[] = "\xfe\xff";
enum { MARK_BYTES = 2, UTF8_PER_UNIT = 3 };

bool utf16_marked(const char *bytes, size_t length)
{
    return length >= MARK_BYTES && (memcmp(bytes, little_mark, MARK_BYTES) == 0 ||
                                    memcmp(bytes, big_mark, MARK_BYTES) == 0);
}

static uint32_t unit_at(const char *bytes, size_t at, bool little)
{
    uint32_t first = (unsigned char)bytes[at], second = (unsigned char)bytes[at + 1];
    return little ? second << 8 | first : first << 8 | second;
}

static bool is_high_surrogate(uint32_t unit)
{
    return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_low_surrogate(uint32_t unit)
{
    return unit >= 0xdc00 && unit < 0xe000;
}

static size_t put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    out[0] = (char)(lead[more] | code >> (6 * more));
    for (size_t i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (code >> (6 * (more - i)) & 0x3f));
    return more + 1;
}

int utf16_decode(const char *bytes, size_t length, const char *file, char **text, size_t *decoded,
                 struct error *error)
{
    bool little = memcmp(bytes, little_mark, MARK_BYTES) == 0;
    char *out = malloc(length / 2 * UTF8_PER_UNIT + 1);
    const char *wrong = length % 2 ? "half a character" : NULL;
    size_t used = 0;
    if (!out)
        return error_set(error, ERROR_SYSTEM, "%s: out of memory", file);
    for (size_t at = MARK_BYTES; at < length && !wrong; at += 2) {
        uint32_t code = unit_at(bytes, at, little);
        uint32_t next = at + 2 < length ? unit_at(bytes, at + 2, little) : 0;
        if (is_high_surrogate(code) && is_low_surrogate(next)) {
            code = 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00);
            at += 2;
        } else if (is_high_surrogate(code) || is_low_surrogate(code)) {
            wrong = "half of a surrogate pair";
        } else if (code == 0) {
            wrong = "a NUL character";
        }
        if (!wrong)
            used += put_utf8(out + used, code);
    }
    if (wrong) {
        free(out);
        return error_set(error, ERROR_USAGE,
                         "%s: is UTF-16 and holds %s: give a table in plain text", file, wrong);
    }
    out[used] = '\0';
    *text = out;
    *decoded = used;
    return 0;
}
