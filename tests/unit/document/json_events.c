/* The reader of JSON: a text in, its events or the place where it is wrong out. */
#include "document/json_events.h"

#include "base/error.h"
#include "base/utf8.h"
#include "stats/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The events of a text, a word each, and how reading ended. */
struct heard {
    struct json_events reader;
    FILE *to;
    char *events;
    int code;
    struct error error;
};

static int listen(void *with)
{
    static const char *const words[] = {"null", "",     "number ", "text ", "[",
                                        "{",    "key ", "end",     "done"};
    struct heard *heard = with;
    struct json_value value;
    do {
        value = json_events_next(&heard->reader);
        fputs(value.kind == JSON_TRUTH ? value.truth ? "true" : "false" : words[value.kind],
              heard->to);
        if (value.length)
            fwrite(value.bytes, 1, value.length, heard->to);
        fputc(value.kind == JSON_DONE ? '.' : '|', heard->to);
    } while (value.kind != JSON_DONE);
    return 0;
}

/* The caller frees `events`. */
static struct heard hear(const char *bytes, size_t size, size_t room)
{
    struct heard heard = {.code = 0};
    struct pool pool = {0};
    size_t written;
    FILE *stream = size ? fmemopen((char *)(uintptr_t)bytes, size, "rb") : fopen("/dev/null", "rb");
    assert_non_null(stream);
    heard.to = open_memstream(&heard.events, &written);
    heard.reader = (struct json_events){
        .pool = &pool, .stream = stream, .name = "it", .remedy = ": mend it", .room = room};
    heard.code = pool_enter(&pool, listen, &heard, &heard.error);
    json_events_end(&heard.reader);
    fclose(stream);
    fclose(heard.to);
    return heard;
}

/* The events are the same, however much is read at a time. */
static struct heard hear_in_pieces(const char *bytes, size_t size)
{
    struct heard whole = hear(bytes, size, 4096);
    for (size_t room = 1; room <= 8; room = room * 3 / 2 + 1) {
        struct heard heard = hear(bytes, size, room);
        assert_int_equal(heard.code, whole.code);
        assert_string_equal(heard.events, whole.events);
        assert_string_equal(heard.error.text, whole.error.text);
        free(heard.events);
    }
    return whole;
}

static void what_is_json_is_reported_event_by_event(void **state)
{
    static const struct {
        const char *text, *events;
    } texts[] = {
        {" true ", "true|done."},
        {"\t\r\nfalse\n", "false|done."},
        {"-0.0e-0", "number -0.0e-0|done."},
        {"10E+02", "number 10E+02|done."},
        {"\"\x7f\"", "text \x7f|done."},
        {"{ \n }", "{|end|done."},
        {"[[],{},[{}]]", "[|[|end|{|end|[|{|end|end|end|done."},
        {"{\"\":\"\",\"\":{}}", "{|key |text |key |{|end|end|done."},
        {" { \"a\" : [ null , true ] , \"b\\n\" : -1.0 } ",
         "{|key a|[|null|true|end|key b\n|number -1.0|end|done."},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041z\"", "text \"\\/\b\f\n\r\tAz|done."},
        {"\"\\u007f\\u0080\\u07FF\\u0800\\uffff\"",
         "text \x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf|done."},
        {"\"\\ud800\\udc00\\uDBFF\\uDFFF\xe2\x82\xac\"",
         "text \xf0\x90\x80\x80\xf4\x8f\xbf\xbf\xe2\x82\xac|done."},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct heard heard = hear_in_pieces(texts[i].text, strlen(texts[i].text));
        assert_int_equal(heard.code, 0);
        assert_string_equal(heard.events, texts[i].events);
        free(heard.events);
    }
}

static const struct {
    const char *text, *wrong; /* NULL: it ends in the middle */
    unsigned line, column;    /* as people count: from 1 */
} refused[] = {
    {"nul", NULL, 1, 4},
    {"nulL", "this character does not belong", 1, 4},
    {"nullx", "more text after the value", 1, 5},
    {"NaN", "this character does not belong", 1, 1},
    {"-Infinity", "digit is missing", 1, 2},
    {"/* */ 1", "this character does not belong", 1, 1},
    {"\xef\xbb\xbf{}", "this character does not belong", 1, 1},
    {"[\xc3\xa9]", "this character does not belong", 1, 2},
    {"[\xff]", "not UTF-8", 1, 2},
    {"]", "value is missing", 1, 1},
    {"01", "begins with 0", 1, 2},
    {"[-00]", "begins with 0", 1, 4},
    {"1.", NULL, 1, 3},
    {"[1.]", "digit is missing", 1, 4},
    {"1e+", NULL, 1, 4},
    {"[1e+]", "digit is missing", 1, 5},
    {"0x10", "more text after the value", 1, 2},
    {"\"a", NULL, 1, 3},
    {"\"\\u12", NULL, 1, 6},
    {"\"\\ud800\\", NULL, 1, 9},
    {"\"\xe2\x82", NULL, 1, 3},
    {"\"a\nb\"", "a control character", 1, 3},
    {"\"\\x41\"", "an escape", 1, 3},
    {"\"\\u00g0\"", "four hexadecimal", 1, 6},
    {"\"\\u0000\"", "u0000", 1, 7},
    {"\"\\ud800\"", "half of", 1, 8},
    {"\"\\ud800\\n\"", "half of", 1, 9},
    {"\"\\ud800\\u0041\"", "half of", 1, 13},
    {"\"\\udc00\"", "half of", 1, 7},
    {"\"\xc3\xa9\xff\"", "not UTF-8", 1, 3},
    {"\"\xed\xa0\x80\"", "not UTF-8", 1, 3},
    {"[1,", NULL, 1, 4},
    {"[1,]", "value is missing", 1, 4},
    {"[1\n2]", "',' or ']'", 2, 1},
    {"[1}", "',' or ']'", 1, 3},
    {"[]]", "more text after the value", 1, 3},
    {"{a:1}", "key in quotes", 1, 2},
    {"{\"a\":1,}", "key in quotes", 1, 8},
    {"{\"a\"}", "':' is missing", 1, 5},
};

static void what_is_not_is_refused_where_it_stands(void **state)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char says[100];
        struct heard heard = hear_in_pieces(refused[i].text, strlen(refused[i].text));
        snprintf(says, sizeof says, "it: %s at line %u, column %u",
                 refused[i].wrong ? "is not JSON" : "ends in the middle,", refused[i].line,
                 refused[i].column);
        assert_int_equal(heard.code, ERROR_USAGE);
        if (!strstr(heard.error.text, says) ||
            (refused[i].wrong && !strstr(heard.error.text, refused[i].wrong)))
            fail_msg("%s: %s, not %s: %s", refused[i].text, heard.error.text, says,
                     refused[i].wrong ? refused[i].wrong : "");
        assert_string_equal(strstr(heard.error.text, ": mend it"), ": mend it");
        free(heard.events);
    }
}

static void a_nul_is_refused_wherever_it_stands(void **state)
{
    static const char text[] = "{\"a\":[1,true,\"b\"]}";
    for (size_t at = 0; at < sizeof text; at++) {
        char with[sizeof text], says[40];
        memcpy(with, text, at);
        with[at] = '\0';
        memcpy(with + at + 1, text + at, sizeof text - 1 - at);
        struct heard heard = hear_in_pieces(with, sizeof with);
        assert_int_equal(heard.code, ERROR_USAGE);
        snprintf(says, sizeof says, "line 1, column %zu:", at + 1);
        assert_non_null(strstr(heard.error.text, says));
        free(heard.events);
    }
}

static void depth_ends_somewhere(void **state)
{
    static char text[2 * JSON_DEPTH_MAX + 2];
    for (int object = 0; object < 2; object++) {
        memset(text, '[', JSON_DEPTH_MAX);
        memset(text + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
        if (object) {
            text[JSON_DEPTH_MAX - 1] = '{';
            text[JSON_DEPTH_MAX] = '}';
        }
        struct heard heard = hear(text, 2 * JSON_DEPTH_MAX, 4096);
        assert_int_equal(heard.code, 0);
        free(heard.events);
        memset(text, '[', JSON_DEPTH_MAX + 1);
        text[JSON_DEPTH_MAX] = object ? '{' : '[';
        heard = hear(text, JSON_DEPTH_MAX + 1, 4096);
        assert_int_equal(heard.code, ERROR_USAGE);
        assert_non_null(strstr(heard.error.text, "column 2049: nested too deeply"));
        free(heard.events);
    }
}

/* The grammar a second time, written after RFC 8259: it says which events have to come. NULL where
 * the text does not match. */
static const char *value_end(const char *at, int depth);

static const char *blanks_end(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *digits_end(const char *at)
{
    size_t digits = strspn(at, "0123456789");
    return digits ? at + digits : NULL;
}

static const char *number_end(const char *at)
{
    at += *at == '-';
    if (!(at = *at == '0' ? at + 1 : digits_end(at)))
        return NULL;
    if (*at == '.' && !(at = digits_end(at + 1)))
        return NULL;
    if (*at != 'e' && *at != 'E')
        return at;
    at++;
    return digits_end(at + (*at == '+' || *at == '-'));
}

static unsigned unit_at(const char *at)
{
    char digits[5] = "", *end;
    for (int i = 0; i < 4 && at[i]; i++)
        digits[i] = at[i];
    unsigned unit = (unsigned)strtoul(digits, &end, 16);
    return strspn(digits, "0123456789abcdefABCDEF") == 4 ? unit : 0;
}

static const char *escape_end(const char *at)
{
    if (at[1] != 'u')
        return at[1] && strchr("\"\\/bfnrt", at[1]) ? at + 2 : NULL;
    unsigned unit = unit_at(at + 2);
    if (unit == 0 || unit >> 10 == 0xdc00 >> 10)
        return NULL;
    if (unit >> 10 != 0xd800 >> 10)
        return at + 6;
    return at[6] == '\\' && at[7] == 'u' && unit_at(at + 8) >> 10 == 0xdc00 >> 10 ? at + 12 : NULL;
}

static const char *text_end(const char *at)
{
    if (*at++ != '"')
        return NULL;
    while (at && *at != '"') {
        if (*at == '\\')
            at = escape_end(at);
        else if (utf8_next(&at) < ' ')
            return NULL;
    }
    return at ? at + 1 : NULL;
}

static const char *inner_end(const char *at, char close, int depth)
{
    if (*(at = blanks_end(at + 1)) == close)
        return depth < JSON_DEPTH_MAX ? at + 1 : NULL;
    for (;; at++) {
        if (close == '}') {
            if (!(at = text_end(blanks_end(at))) || *(at = blanks_end(at)) != ':')
                return NULL;
            at++;
        }
        if (depth == JSON_DEPTH_MAX || !(at = value_end(blanks_end(at), depth + 1)))
            return NULL;
        at = blanks_end(at);
        if (*at == close)
            return at + 1;
        if (*at != ',')
            return NULL;
    }
}

static const char *value_end(const char *at, int depth)
{
    static const char *const names[] = {"null", "true", "false"};
    for (size_t i = 0; i < 3; i++)
        if (strncmp(at, names[i], strlen(names[i])) == 0)
            return at + strlen(names[i]);
    return *at == '"'   ? text_end(at)
           : *at == '[' ? inner_end(at, ']', depth)
           : *at == '{' ? inner_end(at, '}', depth)
                        : number_end(at);
}

static bool is_json(const char *text, size_t size)
{
    const char *end = value_end(blanks_end(text), 0);
    return end && blanks_end(end) == text + size;
}

/* Random texts made of JSON's tokens, and JSON texts in which something was changed. */
static void any_text_is_heard_as_the_grammar_has_it(void **state)
{
    static const char *const pieces[] = {
        "{",        "}",         "[",          "]",
        ",",        ":",         "\"",         "\"a\"",
        "0",        "1",         "-",          ".",
        "e",        "E+",        " ",          "\n",
        "true",     "null",      "false",      "\\",
        "\\n",      "\\u0041",   "\\ud83d",    "\\ude00",
        "\"\"",     "1.5",       "-2e-3",      "\xc3\xa9",
        "\xc3",     "\x80",      "\xf0\x9f",   "\xe2\x82\xac",
        "\x01",     "\x7f",      "{\"b\":",    "[0,",
        ",\"c\":",  "\"\\u0000", "[]",         "{}",
        "\\u12",    "t",         "u",          "/",
        "\xed\xa0", "00",        "{\"d\":{}}", "[[1],2]",
    };
    static const char sample[] =
        "{\"a\":[1,-2.5e-3,\"x\\u00e9\\ud83d\\ude00\\n\",null,true,false,{}],\n "
        "\"\xe2\x82\xac\":{\"b\":[[],[0]],\"c\":\"\"}}";
    enum { COUNT = sizeof pieces / sizeof *pieces };
    const unsigned texts = sample_seeds(30000);
    struct random random = {20261122};
    unsigned good = 0;
    for (unsigned i = 0; i < texts; i++) {
        char text[256] = "";
        if (i % 2)
            strcpy(text, sample);
        for (uint64_t k = random_below(&random, i % 2 ? 3 : 12); k > 0; k--) {
            const char *piece = pieces[random_below(&random, COUNT)];
            size_t at = i % 2 ? (size_t)random_below(&random, strlen(text)) : strlen(text);
            size_t drop = i % 2 ? (size_t)random_below(&random, 3) : 0;
            char rest[256];
            strcpy(rest, text + (at + drop < strlen(text) ? at + drop : strlen(text)));
            snprintf(text + at, sizeof text - at, "%s%s", piece, rest);
        }
        size_t size = strlen(text);
        struct heard heard = hear_in_pieces(text, size);
        bool json = is_json(text, size);
        if ((heard.code == 0) != json)
            fail_msg("%s: %s: %s", text, json ? "is JSON" : "is not JSON", heard.error.text);
        good += json;
        free(heard.events);
    }
    assert_in_range(good, texts / 20, texts / 2);
}

/* All pairs of bytes alone and before one or two more, against the reader of code points. */
static void no_bytes_pass_that_make_no_characters(void **state)
{
    for (unsigned first = 0x80; first < 0x100; first++)
        for (unsigned second = 0x80; second < 0x100; second++)
            for (size_t more = 0; more <= 2; more++) {
                char text[8] = {'"', (char)first, (char)second};
                const char *cursor = text + 1;
                int code;
                memset(text + 3, 0x80, more);
                while ((code = utf8_next(&cursor)) > 0)
                    ;
                text[3 + more] = '"';
                struct heard heard = hear(text, 4 + more, 64);
                assert_int_equal(heard.code == 0, code == 0);
                free(heard.events);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_json_is_reported_event_by_event),
        cmocka_unit_test(what_is_not_is_refused_where_it_stands),
        cmocka_unit_test(a_nul_is_refused_wherever_it_stands),
        cmocka_unit_test(depth_ends_somewhere),
        cmocka_unit_test(no_bytes_pass_that_make_no_characters),
        cmocka_unit_test(any_text_is_heard_as_the_grammar_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
