/* UTF-16 by RFC 2781. Not by iconv(): a C library may keep its tables in files, which a statically
 * linked program may not find. */
#include "speak/import/plain_text.h"

#include "base/utf8.h"
#include "speak/import/rows.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { UTF8_PER_UNIT = 3 };

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
            used += utf8_put(out + used, (int)code);
    }
    if (high && !wrong)
        wrong = "half of a surrogate pair";
    if (wrong)
        text_refuse(source, "is UTF-16 and holds %s: give a table in plain text", wrong);
    source->text = out;
    source->length = used;
}

/* Plus-minus and micro in code page 1252, and in 437 and 850; 0: another character. */
static int code_page_sign(unsigned char byte)
{
    static const unsigned char plus_minus[] = {0xb1, 0xf1}, micro[] = {0xb5, 0xe6};
    for (size_t i = 0; i < sizeof micro; i++)
        if (byte == plus_minus[i] || byte == micro[i])
            return byte == micro[i] ? 0xb5 : 0xb1;
    return 0;
}

static void read_code_page(struct import_text *source)
{
    char *out = pool_alloc(source->pool, source->length * 2 + 1, 1);
    size_t used = 0;
    for (const char *at = source->text, *next = at; *at; at = next) {
        const int code = utf8_next(&next);
        const int sign = code_page_sign((unsigned char)*at);
        used += utf8_put(out + used, code > 0 ? code : sign ? sign : '?');
    }
    source->text = out;
    source->length = used;
}

/* The byte after a terminal's sequence for bold, colours and the like (ECMA-48), which some tools
 * print into files too. */
static const char *after_sequence(const char *at)
{
    if (at[1] != '[')
        return at + (at[1] ? 2 + (at[1] == '(' && at[2]) : 1);
    at += 2;
    at += strspn(at, "0123456789:;<=>? !\"#$%&'()*+,-./");
    return at + (*at != 0);
}

/* A copy of the text without the mark of UTF-8, without terminals' sequences, and with one line
 * feed at each line's end, also where there was a carriage return alone. */
static char *copy_clean(struct import_text *source)
{
    static const char mark[] = "\xef\xbb\xbf"; /* some editors write it */
    char *out = pool_alloc(source->pool, source->length + 1, 1), *end = out;
    const char *at = source->text;
    if (strncmp(at, mark, sizeof mark - 1) == 0)
        at += sizeof mark - 1;
    while (*at)
        if (*at == '\x1b') {
            at = after_sequence(at);
        } else {
            if (*at != '\r')
                *end++ = *at;
            else if (at[1] != '\n' && at[1] != '\r')
                *end++ = '\n';
            at++;
        }
    source->text = out;
    source->length = (size_t)(end - out);
    return out;
}

/* --- what stands around a table --- */

/* Whether the line is a shell's prompt with a command: "$ ...", "me@here:~$ ...", "[me@here x]#
 * ...", "PS C:\> ...", "C:\x> ...". Commands that name a CPU are needed. */
static bool is_prompt(const struct rows *rows)
{
    const char *text = rows->text, *end = text + rows->length;
    const char *blank = memchr(text, ' ', rows->length), *at = memchr(text, '@', rows->length);
    const bool unix_like = at && at > text && (!blank || at < blank);
    const bool windows = rows_begins(rows, "PS ") || rows_behind(rows, ":\\") == text + 3;
    char cpu[ROWS_CPU];
    if (rows_name_cpu(rows, cpu))
        return false;
    if (rows_begins(rows, "$ "))
        return true;
    for (; text < end && (unix_like || windows); text++)
        if ((windows ? *text == '>' : *text == '$' || *text == '#' || *text == '%') &&
            (windows || text + 1 == end || text[1] == ' '))
            return true;
    return false;
}

/* Whether the line is one word that is no value: "logout", "Done." */
static bool is_word(const struct rows *rows)
{
    static const char *const values[] = {"null", "true", "false", "Infinity"};
    size_t letters = 0;
    while (letters < rows->length && isalpha((unsigned char)rows->text[letters]))
        letters++;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (rows_begins(rows, values[i]))
            return false;
    return letters > 3 && (letters == rows->length ||
                           (letters + 1 == rows->length && strchr(".!", rows->text[letters])));
}

static bool is_fence(const struct rows *rows)
{
    return rows_begins(rows, "```") || rows_begins(rows, "~~~");
}

void make_plain_text(struct import_text *source)
{
    const unsigned char *bytes = (const unsigned char *)source->text;
    const bool marked = source->length >= 2, little = marked && memcmp(bytes, "\xff\xfe", 2) == 0;
    if (little || (marked && memcmp(bytes, "\xfe\xff", 2) == 0))
        read_utf16(source, little);
    if (strlen(source->text) < source->length)
        text_refuse(source, "holds a NUL byte: give a table in plain text");
    for (const char *at = source->text; *at;)
        if (utf8_next(&at) < 0) {
            read_code_page(source);
            break;
        }
    /* Blanks lines that are no table's: of Markdown with fences, all outside them; prompts and
     * single words. Lines keep their numbers. */
    char *text = copy_clean(source);
    struct rows rows;
    size_t fences = 0;
    bool inside = true;
    rows_begin(&rows, source);
    while (rows_next(&rows))
        fences += is_fence(&rows);
    inside = fences < 2;
    rows_begin(&rows, source);
    while (rows_next(&rows)) {
        const bool fence = is_fence(&rows);
        if (fence && fences > 1)
            inside = !inside;
        else if (!inside)
            rows_unread(&rows);
        if (!inside || fence || is_prompt(&rows) || is_word(&rows))
            memset(text + (rows.text - source->text), ' ', rows.length);
    }
}
