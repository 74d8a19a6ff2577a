#include "result/json_text.h"

static const char half[] = "half of a surrogate pair";

void json_position_advance(struct json_position *position, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        position->column += (bytes[i] & 0xc0) != 0x80;
        if (bytes[i] == '\n') {
            position->line++;
            position->column = 0;
        }
    }
}

static const char *end_escape(struct json_check *check)
{
    bool low = (check->code & 0xfc00) == 0xdc00;
    check->step = 0;
    if (check->high != low)
        return half;
    check->high = (check->code & 0xfc00) == 0xd800;
    return check->code == 0 ? "\\u0000, which no text may hold" : NULL;
}

static const char *check_escape(struct json_check *check, unsigned char byte)
{
    if (check->step == 0) {
        check->step = byte == '\\';
        return check->high && !check->step ? half : NULL;
    }
    if (check->step == 1) {
        check->step = byte == 'u' ? 2 : 0;
        check->code = 0;
        return check->high && !check->step ? half : NULL;
    }
    unsigned char letter = byte | 0x20;
    bool digit = byte >= '0' && byte <= '9';
    if (!digit && !(letter >= 'a' && letter <= 'f')) {
        *check = (struct json_check){0};
        return NULL; /* the parser's to refuse */
    }
    check->code = check->code << 4 | (unsigned)(digit ? byte - '0' : letter - 'a' + 10);
    return check->step++ == 5 ? end_escape(check) : NULL;
}

/* The parser knows how many bytes follow a first one, but not which are overlong, surrogates or
 * beyond the last code point: the byte after the first decides that. */
static const char *check_byte(struct json_check *check, unsigned char byte)
{
    static const char wrong[] = "a byte that is not UTF-8";
    if (check->most && (byte < check->least || byte > check->most))
        return wrong;
    check->most = 0;
    if (byte < 0xc0)
        return NULL;
    if (byte < 0xc2 || byte > 0xf4)
        return wrong;
    check->least = byte == 0xe0 ? 0xa0 : byte == 0xf0 ? 0x90 : 0x80;
    check->most = byte == 0xed ? 0x9f : byte == 0xf4 ? 0x8f : 0xbf;
    return NULL;
}

const char *json_check(struct json_check *check, const unsigned char *bytes, size_t size,
                       size_t *good)
{
    for (size_t i = 0; i < size; i++) {
        bool idle = !check->step && !check->high && !check->most;
        if (idle && bytes[i] != '\\' && bytes[i] < 0x80)
            continue;
        const char *wrong = check_byte(check, bytes[i]);
        if (!wrong)
            wrong = check_escape(check, bytes[i]);
        if (wrong) {
            *good = i;
            return wrong;
        }
    }
    *good = size;
    return NULL;
}
