/* UTF-16 by RFC 2781. Not by iconv(): a C library may keep its tables in files, which a statically
 * linked program may not find. */
#include "speak/import/plain_text.h"

#include "speak/import/rows.h"

#include <stdint.h>
#include <string.h>

enum { UTF8_PER_UNIT = 3 };

static size_t put_utf8(char *out, uint32_t code)
{
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    const size_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    out[0] = (char)(lead[more] | code >> (6 * more));
    for (size_t i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (code >> (6 * (more - i)) & 0x3f));
    return more + 1;
}

static void read_utf16(struct import_text *source, bool little)
{
    const unsigned char *bytes = (const unsigned char *)source->text;
    char *out = pool_alloc(source->pool, source->length / 2 * UTF8_PER_UNIT + 1, 1);
    uint32_t high = 0; /* first half of a surrogate pair; 0: none */
    size_t used = 0;
    const char *wrong = source->length % 2 ? "half a character" : NULL;
    for (size_t at = 2; at + 1 < source->length && !wrong; at += 2) {
        uint32_t code = (uint32_t)bytes[at + little] << 8 | bytes[at + !little];
        const bool first = code >= 0xd800 && code < 0xdc00,
                   second = code >= 0xdc00 && code < 0xe000;
        if (second != (high != 0))
            wrong = "half of a surrogate pair";
        else if (code == 0)
            wrong = "a NUL character";
        if (second)
            code = 0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00);
        high = first ? code : 0;
        if (!first && !wrong)
            used += put_utf8(out + used, code);
    }
    if (high && !wrong)
        wrong = "half of a surrogate pair";
    if (wrong)
        text_refuse(source, "is UTF-16 and holds %s: give a table in plain text", wrong);
    source->text = out;
    source->length = used;
}

/* The bytes of the character in UTF-8; 0 if they are no character. */
static size_t utf8_length(const unsigned char *text)
{
    const size_t more = *text < 0x80   ? 0
                        : *text < 0xc2 ? 9
                        : *text < 0xe0 ? 1
                        : *text < 0xf0 ? 2
                        : *text < 0xf5 ? 3
                                       : 9;
    for (size_t i = 1; i <= more; i++)
        if ((text[i] & 0xc0) != 0x80) /* also stops at the text's final NUL */
            return 0;
    return more + 1;
}

static void read_code_page(struct import_text *source)
{
    const unsigned char *text = (const unsigned char *)source->text;
    char *out = pool_alloc(source->pool, source->length * 2 + 1, 1);
    size_t used = 0;
    for (size_t length; *text; text += length) {
        length = utf8_length(text);
        if (length) {
            memcpy(out + used, text, length);
            used += length;
            continue;
        }
        const bool plus_minus = *text == 0xb1 || *text == 0xf1; /* code page 1252; 437 and 850 */
        used += put_utf8(out + used, plus_minus ? 0xb1 : '?');
        length = 1;
    }
    source->text = out;
    source->length = used;
}

/* Removes terminal sequences for bold and colours, which some tools print into files too. */
static void drop_colours(struct import_text *source)
{
    char *out = pool_alloc(source->pool, source->length + 1, 1), *end = out;
    for (const char *at = source->text; *at; at++)
        if (at[0] == '\x1b' && at[1] == '[') {
            at += 2;
            at += strspn(at, "0123456789;");
            if (!*at)
                break;
        } else {
            *end++ = *at;
        }
    source->text = out;
    source->length = (size_t)(end - out);
}

void make_plain_text(struct import_text *source)
{
    const unsigned char *bytes = (const unsigned char *)source->text;
    const bool marked = source->length >= 2, little = marked && memcmp(bytes, "\xff\xfe", 2) == 0;
    if (little || (marked && memcmp(bytes, "\xfe\xff", 2) == 0))
        read_utf16(source, little);
    if (strlen(source->text) < source->length)
        text_refuse(source, "holds a NUL byte: give a table in plain text");
    if (text_holds(source, "\x1b["))
        drop_colours(source);
    for (const unsigned char *at = (const unsigned char *)source->text; *at;) {
        const size_t length = utf8_length(at);
        if (!length) {
            read_code_page(source);
            return;
        }
        at += length;
    }
}
