#include "document/json_events.h"

#include "base/error.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What may come next. */
enum expected {
    EXPECT_VALUE,
    EXPECT_ELEMENT_OR_END, /* after '[' */
    EXPECT_KEY_OR_END,     /* after '{' */
    EXPECT_KEY,            /* after a comma in an object */
    EXPECT_COLON,
    EXPECT_COMMA_OR_END,
    EXPECT_NOTHING,
};

enum { ENDED = -1, CONTROL_LAST = 0x1f, ASCII_LAST = 0x7f };

/* --- bytes --- */

/* Reports an error at the current byte: what is wrong, and why ("": nothing to add). */
static _Noreturn void refuse(const struct json_events *events, const char *what, const char *why)
{
    const uint64_t offset = events->passed + (uint64_t)(events->at - events->bytes),
                   column = offset - events->line_at - events->continued;
    pool_leave(events->pool, ERROR_USAGE, "%s: %s at line %llu, column %llu%s%s%s", events->name,
               what, (unsigned long long)events->line + 1, (unsigned long long)column + 1,
               *why ? ": " : "", why, events->remedy);
}

static _Noreturn void wrong(const struct json_events *events, const char *why)
{
    refuse(events, "is not JSON", why);
}

/* Moves the `kept` bytes of the current token to the buffer's beginning and makes room after
 * them. */
static void make_room(struct json_events *events, size_t kept)
{
    if (events->bytes && kept <= events->room / 2) {
        memmove(events->bytes, events->end - kept, kept);
        return;
    }
    const size_t room = events->bytes ? events->room * 2 : events->room;
    unsigned char *larger = room > events->room / 2 ? malloc(room + 1) : NULL;
    if (!larger)
        pool_leave(events->pool, ERROR_SYSTEM, "%s: out of memory", events->name);
    if (kept)
        memcpy(larger, events->end - kept, kept);
    free(events->bytes);
    events->bytes = larger;
    events->room = room;
}

/* Reads more when all bytes are used; false at the end of the stream. */
static bool read_on(struct json_events *events)
{
    if (events->ended)
        return false;
    const size_t kept = events->token ? (size_t)(events->end - events->token) : 0,
                 passed = (size_t)(events->end - events->bytes) - kept;
    make_room(events, kept);
    events->passed += passed;
    events->token = events->token ? events->bytes : NULL;
    events->at = events->bytes + kept;
    errno = 0;
    const size_t got = fread(events->at, 1, events->room - kept, events->stream);
    events->end = events->at + got;
    *events->end = '\0';
    events->ended = got < events->room - kept;
    if (events->ended && ferror(events->stream))
        pool_leave(events->pool, ERROR_USAGE, "%s: %s%s", events->name,
                   errno == EISDIR ? "is a directory" : strerror(errno ? errno : EIO),
                   events->remedy);
    return got > 0;
}

/* The current byte, or ENDED. The NUL after the last byte saves a comparison. */
static inline int peek(struct json_events *events)
{
    if (events->at && *events->at)
        return *events->at;
    if (events->at < events->end)
        return 0;
    return read_on(events) ? *events->at : ENDED;
}

/* The same where the stream must not end. */
static inline int need(struct json_events *events)
{
    const int byte = peek(events);
    if (byte == ENDED && !events->passed && events->end == events->bytes)
        pool_leave(events->pool, ERROR_USAGE, "%s: is empty%s", events->name, events->remedy);
    if (byte == ENDED)
        refuse(events, "ends in the middle,", "");
    return byte;
}

static int peek_past_blanks(struct json_events *events)
{
    for (;; events->at++) {
        const int byte = peek(events);
        if (byte == '\n') {
            events->line++;
            events->line_at = events->passed + (uint64_t)(events->at - events->bytes) + 1;
            events->continued = 0;
        } else if (byte != ' ' && byte != '\t' && byte != '\r') {
            return byte;
        }
    }
}

/* --- texts --- */

/* Moves past the current character, whose first byte is above 127. The bounds of the second byte
 * exclude overlong forms, surrogates and numbers past the last code point (RFC 3629). */
static void pass_character(struct json_events *events)
{
    static const char not_utf8[] = "a byte that is not UTF-8";
    const unsigned char first = *events->at;
    if (first < 0xc2 || first > 0xf4)
        wrong(events, not_utf8);
    int least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    int most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    events->at++;
    for (int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1; more > 0; more--) {
        const int byte = need(events);
        if (byte < least || byte > most)
            wrong(events, not_utf8);
        least = 0x80;
        most = 0xbf;
        events->at++;
        events->continued++;
    }
}

static int digit_of(int byte)
{
    const int letter = byte | 0x20;
    return byte >= '0' && byte <= '9'       ? byte - '0'
           : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
                                            : -1;
}

/* Reads the four digits after "\u" and returns their number. */
static int pass_digits(struct json_events *events)
{
    int code = 0;
    for (int i = 0; i < 4; i++, events->at++) {
        const int digit = digit_of(need(events));
        if (digit < 0)
            wrong(events, "\\u without four hexadecimal digits");
        code = code << 4 | digit;
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

/* Moves past an escape, from the byte after its backslash. */
static void pass_escape(struct json_events *events)
{
    static const char half[] = "half of a surrogate pair";
    const int byte = need(events);
    if (!byte || !strchr("\"\\/bfnrtu", byte))
        wrong(events, "an escape that JSON does not have");
    events->at++;
    if (byte != 'u')
        return;
    int code = pass_digits(events);
    bool good = code != 0 && !is_low(code);
    if (is_high(code)) {
        for (const char *next = "\\u"; *next; next++, events->at++)
            if (need(events) != *next)
                wrong(events, half);
        code = pass_digits(events);
        good = is_low(code);
    }
    if (good)
        return;
    events->at--;
    wrong(events, code ? half : "\\u0000, which no text may hold");
}

static int number_of(const char *digits)
{
    int code = 0;
    for (int i = 0; i < 4; i++)
        code = code << 4 | digit_of((unsigned char)digits[i]);
    return code;
}

/* Decodes a checked text in place: an escape is never shorter than its character. Returns the new
 * length. */
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
                code = 0x10000 + ((code & 0x3ff) << 10 | (number_of(from + 2) & 0x3ff));
                from += 6;
            }
            to += utf8_put(to, code);
        } else {
            const char *letter = strchr(letters, from[1]);
            *to++ = letter ? plain[letter - letters] : from[1];
            from += 2;
        }
    }
    return (size_t)(to - bytes);
}

/* Moves from the opening quote past the closing one. */
static void pass_text(struct json_events *events, struct json_value *value)
{
    bool escaped = false;
    events->token = events->at++;
    for (;;) {
        while (*events->at != '"' && *events->at != '\\' && *events->at > CONTROL_LAST &&
               *events->at <= ASCII_LAST)
            events->at++;
        const int byte = need(events);
        if (byte == '"')
            break;
        if (byte <= CONTROL_LAST)
            wrong(events, "a control character inside a text");
        if (byte > ASCII_LAST) {
            pass_character(events);
            continue;
        }
        events->at++;
        if (byte == '\\') {
            escaped = true;
            pass_escape(events);
        }
    }
    char *begin = (char *)events->token + 1;
    const size_t length = (size_t)((char *)events->at++ - begin);
    value->bytes = begin;
    value->length = escaped ? decode(begin, length) : length;
}

/* --- values --- */

static bool is_digit(int byte)
{
    return byte >= '0' && byte <= '9';
}

/* Moves past at least one digit; returns the byte after the last, or ENDED. */
static int pass_decimals(struct json_events *events)
{
    int byte = need(events);
    if (!is_digit(byte))
        wrong(events, "a digit is missing");
    while (is_digit(byte)) {
        events->at++;
        byte = peek(events);
    }
    return byte;
}

static void pass_number(struct json_events *events, struct json_value *value)
{
    int byte = *events->at;
    events->token = events->at;
    if (byte == '-') {
        events->at++;
        byte = need(events);
    }
    if (byte == '0') {
        events->at++;
        byte = peek(events);
        if (is_digit(byte))
            wrong(events, "a number that begins with 0");
    } else {
        byte = pass_decimals(events);
    }
    if (byte == '.') {
        events->at++;
        byte = pass_decimals(events);
    }
    if (byte == 'e' || byte == 'E') {
        events->at++;
        byte = need(events);
        events->at += byte == '+' || byte == '-';
        pass_decimals(events);
    }
    value->bytes = (const char *)events->token;
    value->length = (size_t)(events->at - events->token);
}

static void pass_name(struct json_events *events, const char *name)
{
    for (; *name; name++, events->at++)
        if (need(events) != *name)
            wrong(events, "this character does not belong here");
}

static bool in_object(const struct json_events *events)
{
    const size_t inner = events->depth - 1;
    return events->objects[inner / 8] >> inner % 8 & 1;
}

static struct json_value open_inner(struct json_events *events, bool object)
{
    if (events->depth == JSON_DEPTH_MAX)
        wrong(events, "nested too deeply");
    const unsigned set = events->objects[events->depth / 8], bit = 1u << events->depth % 8;
    events->objects[events->depth / 8] = (unsigned char)(object ? set | bit : set & ~bit);
    events->depth++;
    events->at++;
    events->expected = object ? EXPECT_KEY_OR_END : EXPECT_ELEMENT_OR_END;
    return (struct json_value){.kind = object ? JSON_OBJECT : JSON_ARRAY};
}

/* Notes what may follow the end of a value. */
static struct json_value pass(struct json_events *events, struct json_value value)
{
    events->expected = events->depth ? EXPECT_COMMA_OR_END : EXPECT_NOTHING;
    return value;
}

static struct json_value end_inner(struct json_events *events)
{
    events->depth--;
    events->at++;
    return pass(events, (struct json_value){.kind = JSON_END});
}

static struct json_value next_value(struct json_events *events, int byte)
{
    struct json_value value = {.kind = JSON_NULL};
    switch (byte) {
    case '{':
    case '[':
        return open_inner(events, byte == '{');
    case '"':
        value.kind = JSON_TEXT;
        pass_text(events, &value);
        break;
    case 't':
    case 'f':
        value.kind = JSON_TRUTH;
        value.truth = byte == 't';
        pass_name(events, byte == 't' ? "true" : "false");
        break;
    case 'n':
        pass_name(events, "null");
        break;
    default:
        if (byte != '-' && !is_digit(byte)) {
            const uint64_t continued = events->continued;
            events->token = events->at;
            if (byte > ASCII_LAST)
                pass_character(events); /* refuses what is not UTF-8 */
            events->at = events->token;
            events->continued = continued;
            wrong(events, byte && strchr(",:]}", byte) ? "a value is missing"
                                                       : "this character does not belong here");
        }
        value.kind = JSON_NUMBER;
        pass_number(events, &value);
    }
    return pass(events, value);
}

static struct json_value next_key(struct json_events *events, int byte)
{
    struct json_value value = {.kind = JSON_KEY};
    if (byte != '"')
        wrong(events, "a key in quotes is missing");
    pass_text(events, &value);
    events->expected = EXPECT_COLON;
    return value;
}

struct json_value json_events_next(struct json_events *events)
{
    events->token = NULL;
    int byte = peek_past_blanks(events);
    if (events->expected == EXPECT_NOTHING) {
        if (byte != ENDED)
            wrong(events, "more text after the value");
        return (struct json_value){.kind = JSON_DONE};
    }
    byte = need(events);
    if (events->expected == EXPECT_COLON && byte != ':')
        wrong(events, "a ':' is missing");
    const bool comma = events->expected == EXPECT_COMMA_OR_END && byte == ',';
    if (comma || events->expected == EXPECT_COLON) {
        events->expected = comma && in_object(events) ? EXPECT_KEY : EXPECT_VALUE;
        events->at++;
        peek_past_blanks(events);
        byte = need(events);
    }
    switch (events->expected) {
    case EXPECT_KEY_OR_END:
        return byte == '}' ? end_inner(events) : next_key(events, byte);
    case EXPECT_KEY:
        return next_key(events, byte);
    case EXPECT_ELEMENT_OR_END:
        return byte == ']' ? end_inner(events) : next_value(events, byte);
    case EXPECT_VALUE:
        return next_value(events, byte);
    default:
        if (byte == (in_object(events) ? '}' : ']'))
            return end_inner(events);
        wrong(events, in_object(events) ? "a ',' or '}' is missing" : "a ',' or ']' is missing");
    }
}

void json_events_end(struct json_events *events)
{
    free(events->bytes);
    events->bytes = NULL;
}
