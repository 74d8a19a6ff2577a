#include "document/json_text.h"

#include <string.h>

enum { CONTROL_LAST = 0x1f, ASCII_LAST = 0x7f, PAIR_FIRST = 0x10000 };

/* RFC 3629: the bounds of a second byte exclude overlong forms, surrogates and numbers past the
 * last code point. */
int json_pass_character(struct json_input *input)
{
    static const char not_utf8[] = "a byte that is not UTF-8";
    unsigned char first = *input->at;
    if (first < 0xc2 || first > 0xf4)
        return json_wrong(input, not_utf8);
    int least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    int most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    input->at++;
    for (int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1; more > 0; more--) {
        int byte = json_peek(input);
        if (byte < 0)
            return byte;
        if (byte < least || byte > most)
            return json_wrong(input, not_utf8);
        least = 0x80;
        most = 0xbf;
        input->at++;
        input->continued++;
    }
    return 0;
}

static int digit_of(int byte)
{
    int letter = byte | 0x20;
    return byte >= '0' && byte <= '9'       ? byte - '0'
           : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
                                            : -1;
}

/* Reads the four digits behind "\u" and returns their number. */
static int pass_digits(struct json_input *input)
{
    int code = 0;
    for (int i = 0; i < 4; i++, input->at++) {
        int byte = json_peek(input);
        if (byte < 0)
            return byte;
        if (digit_of(byte) < 0)
            return json_wrong(input, "\\u without four hexadecimal digits");
        code = code << 4 | digit_of(byte);
    }
    return code;
}

static bool is_high(int code)
{
    return (code & 0xfc00) == 0xd800;
}

static bool is_low(int code)
{
    return (code & 0xfc00) == 0xdc00;
}

static int pass_second_half(struct json_input *input)
{
    static const char half[] = "half of a surrogate pair";
    for (const char *next = "\\u"; *next; next++, input->at++) {
        int byte = json_peek(input);
        if (byte < 0)
            return byte;
        if (byte != *next)
            return json_wrong(input, half);
    }
    int code = pass_digits(input);
    if (code < 0)
        return code;
    if (is_low(code))
        return 0;
    input->at--;
    return json_wrong(input, half);
}

/* Begins behind the backslash. */
static int pass_escape(struct json_input *input)
{
    int byte = json_peek(input);
    if (byte < 0)
        return byte;
    if (!byte || !strchr("\"\\/bfnrtu", byte))
        return json_wrong(input, "an escape that JSON does not have");
    input->at++;
    if (byte != 'u')
        return 0;
    int code = pass_digits(input);
    if (code < 0)
        return code;
    if (is_high(code))
        return pass_second_half(input);
    if (code != 0 && !is_low(code))
        return 0;
    input->at--;
    return json_wrong(input, code ? "half of a surrogate pair" : "\\u0000, which no text may hold");
}

static char *put_utf8(char *to, int code)
{
    int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < PAIR_FIRST ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(lead[more] | code >> 6 * more);
    while (more-- > 0)
        *to++ = (char)(0x80 | (code >> 6 * more & 0x3f));
    return to;
}

static int number_of(const char *digits)
{
    int code = 0;
    for (int i = 0; i < 4; i++)
        code = code << 4 | digit_of((unsigned char)digits[i]);
    return code;
}

/* Decodes a text in place, since an escape is never shorter than what it stands for. The text has
 * been checked before. Returns the new length. */
static size_t decode(char *bytes, size_t length)
{
    static const char letters[] = "bfnrt", plain[] = "\b\f\n\r\t";
    const char *end = bytes + length;
    char *to = bytes;
    for (const char *from = bytes; from < end;) {
        if (*from != '\\') {
            *to++ = *from++;
        } else if (from[1] == 'u') {
            int code = number_of(from + 2);
            from += 6;
            if (is_high(code)) {
                code = PAIR_FIRST + ((code & 0x3ff) << 10 | (number_of(from + 2) & 0x3ff));
                from += 6;
            }
            to = put_utf8(to, code);
        } else {
            const char *letter = strchr(letters, from[1]);
            *to++ = letter ? plain[letter - letters] : from[1];
            from += 2;
        }
    }
    return (size_t)(to - bytes);
}

int json_pass_text(struct json_input *input, const char **bytes, size_t *text_length)
{
    bool escaped = false;
    input->token = input->at++;
    for (;;) {
        while (*input->at != '"' && *input->at != '\\' && *input->at > CONTROL_LAST &&
               *input->at <= ASCII_LAST)
            input->at++;
        int byte = json_peek(input), code = 0;
        if (byte < 0)
            return byte;
        if (byte == '"')
            break;
        if (byte <= CONTROL_LAST)
            return json_wrong(input, "a control character inside a text");
        if (byte > ASCII_LAST)
            code = json_pass_character(input);
        else {
            input->at++;
            if (byte == '\\') {
                escaped = true;
                code = pass_escape(input);
            }
        }
        if (code < 0)
            return code;
    }
    char *begin = (char *)input->token + 1;
    size_t length = (size_t)((char *)input->at++ - begin);
    *bytes = begin;
    *text_length = escaped ? decode(begin, length) : length;
    return 0;
}
