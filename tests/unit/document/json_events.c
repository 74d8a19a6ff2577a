#include "document/json_events.h"

#include "base/random.h"
#include "base/utf8.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The events of a text, a word each, and how reading ended. */
struct heard {
    char *events;
    int code;
    const char *wrong;
    struct json_position position;
};

static void tell(FILE *to, const struct json_value *value)
{
    static const char *const words[] = {"null", "",     "number ", "text ", "[",
                                        "{",    "key ", "end",     "done"};
    fputs(value->kind == JSON_TRUTH ? value->truth ? "true" : "false" : words[value->kind], to);
    if (value->kind == JSON_NUMBER || value->kind == JSON_TEXT || value->kind == JSON_KEY)
        fwrite(value->bytes, 1, value->length, to);
    fputc(value->kind == JSON_DONE ? '.' : '|', to);
}

/* The caller frees `events`. */
static struct heard hear(const char *bytes, size_t size, size_t room)
{
    struct heard heard = {0};
    struct json_events events;
    struct json_value value;
    size_t written;
    FILE *stream = size ? fmemopen((char *)(uintptr_t)bytes, size, "rb") : fopen("/dev/null", "rb");
    FILE *to = open_memstream(&heard.events, &written);
    assert_non_null(stream);
    assert_non_null(to);
    json_events_begin(&events, stream, room);
    do {
        heard.code = json_events_next(&events, &value);
        if (heard.code == 0)
            tell(to, &value);
    } while (heard.code == 0 && value.kind != JSON_DONE);
    heard.wrong = events.input.wrong;
    heard.position = json_input_position(&events.input);
    json_events_end(&events);
    fclose(stream);
    fclose(to);
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
        assert_ptr_equal(heard.wrong, whole.wrong);
        assert_int_equal(heard.position.line, whole.position.line);
        assert_int_equal(heard.position.column, whole.position.column);
        free(heard.events);
    }
    return whole;
}

static void what_is_json_is_reported_event_by_event(void **state)
{
    (void)state;
    static const struct {
        const char *text, *events;
    } texts[] = {
        {"null", "null|done."},
        {" true ", "true|done."},
        {"\t\r\nfalse\n", "false|done."},
        {"0", "number 0|done."},
        {"-0", "number -0|done."},
        {"-0.0e-0", "number -0.0e-0|done."},
        {"1234567890", "number 1234567890|done."},
        {"0.5", "number 0.5|done."},
        {"10E+02", "number 10E+02|done."},
        {"1e9999", "number 1e9999|done."},
        {"1.5e3 ", "number 1.5e3|done."},
        {"\"\"", "text |done."},
        {"\"\x7f\"", "text \x7f|done."},
        {"\"a\\tb\"", "text a\tb|done."},
        {"\"\xef\xbb\xbf\"", "text \xef\xbb\xbf|done."},
        {"\"\xef\xbf\xbf\"", "text \xef\xbf\xbf|done."},
        {"[]", "[|end|done."},
        {"{}", "{|end|done."},
        {"[ ]", "[|end|done."},
        {"{ \n }", "{|end|done."},
        {"[[],{},[{}]]", "[|[|end|{|end|[|{|end|end|end|done."},
        {"[1,2 ,3]", "[|number 1|number 2|number 3|end|done."},
        {"{\"a\":1}", "{|key a|number 1|end|done."},
        {"{\"\":\"\",\"\":{}}", "{|key |text |key |{|end|end|done."},
        {" { \"a\" : [ null , true ] , \"b\\n\" : -1.0 } ",
         "{|key a|[|null|true|end|key b\n|number -1.0|end|done."},
        {"{\"a\":{\"b\":[{\"c\":0}]},\"d\":0}",
         "{|key a|{|key b|[|{|key c|number 0|end|end|end|key d|number 0|end|done."},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct heard heard = hear_in_pieces(texts[i].text, strlen(texts[i].text));
        assert_int_equal(heard.code, 0);
        assert_string_equal(heard.events, texts[i].events);
        free(heard.events);
    }
}

struct refused {
    const char *text, *wrong;
    unsigned line, column; /* as people count: from 1 */
};

static const struct refused refused[] = {
    /* bytes that begin no value */
    {"nul", NULL, 1, 4},
    {"nulL", "this character does not belong", 1, 4},
    {"nil", "this character does not belong", 1, 2},
    {"nullx", "more text after the value", 1, 5},
    {"True", "this character does not belong", 1, 1},
    {"NaN", "this character does not belong", 1, 1},
    {"-Infinity", "digit is missing", 1, 2},
    {"Infinity", "this character does not belong", 1, 1},
    {"'a'", "this character does not belong", 1, 1},
    {"a", "this character does not belong", 1, 1},
    {"*", "this character does not belong", 1, 1},
    {"/* */ 1", "this character does not belong", 1, 1},
    {"1 // one", "more text after the value", 1, 3},
    {"[1,#]", "this character does not belong", 1, 4},
    {"\x01", "this character does not belong", 1, 1},
    {"\f1", "this character does not belong", 1, 1},
    {"\v1", "this character does not belong", 1, 1},
    {"\xef\xbb\xbf{}", "this character does not belong", 1, 1},
    {"\xc2\xa0 1", "this character does not belong", 1, 1},
    {"[\xc3\xa9]", "this character does not belong", 1, 2},
    {"[\xff]", "not UTF-8", 1, 2},
    {"\xff\xfe{", "not UTF-8", 1, 1},
    {"\xfe\xff", "not UTF-8", 1, 1},
    {"[1\xe2\x80\xa8,2]", "',' or ']'", 1, 3},
    {"]", "value is missing", 1, 1},
    {"}", "value is missing", 1, 1},
    {",", "value is missing", 1, 1},
    {":", "value is missing", 1, 1},
    /* numbers */
    {"-", NULL, 1, 2},
    {"--1", "digit is missing", 1, 2},
    {"-a", "digit is missing", 1, 2},
    {"+1", "this character does not belong", 1, 1},
    {".5", "this character does not belong", 1, 1},
    {"-.5", "digit is missing", 1, 2},
    {"01", "begins with 0", 1, 2},
    {"-01", "begins with 0", 1, 3},
    {"[-00]", "begins with 0", 1, 4},
    {"1.", NULL, 1, 3},
    {"[1.]", "digit is missing", 1, 4},
    {"[1.e1]", "digit is missing", 1, 4},
    {"1e", NULL, 1, 3},
    {"1e+", NULL, 1, 4},
    {"[1e]", "digit is missing", 1, 4},
    {"[1e+]", "digit is missing", 1, 5},
    {"[1e+-1]", "digit is missing", 1, 5},
    {"1e1.5", "more text after the value", 1, 4},
    {"1.2.3", "more text after the value", 1, 4},
    {"0x10", "more text after the value", 1, 2},
    {"1_000", "more text after the value", 1, 2},
    {"1,000", "more text after the value", 1, 2},
    {"1f", "more text after the value", 1, 2},
    {"[1a]", "',' or ']'", 1, 3},
    {"\xef\xbc\x91", "this character does not belong", 1, 1},
    /* texts */
    {"\"", NULL, 1, 2},
    {"\"a", NULL, 1, 3},
    {"\"\\", NULL, 1, 3},
    {"\"\\\"", NULL, 1, 4},
    {"\"\\u12", NULL, 1, 6},
    {"\"\\ud800", NULL, 1, 8},
    {"\"\\ud800\\", NULL, 1, 9},
    {"\"\xe2\x82", NULL, 1, 3},
    {"\"a\nb\"", "a control character", 1, 3},
    {"\"\t\"", "a control character", 1, 2},
    {"\"\x1f\"", "a control character", 1, 2},
    {"\"\\x41\"", "an escape", 1, 3},
    {"\"\\'\"", "an escape", 1, 3},
    {"\"\\a\"", "an escape", 1, 3},
    {"\"\\0\"", "an escape", 1, 3},
    {"\"\\U0041\"", "an escape", 1, 3},
    {"\"\\\n\"", "an escape", 1, 3},
    {"\"\\u00g0\"", "four hexadecimal", 1, 6},
    {"\"\\u+123\"", "four hexadecimal", 1, 4},
    {"\"\\u{41}\"", "four hexadecimal", 1, 4},
    {"\"\\u0000\"", "u0000", 1, 7},
    {"\"\\ud800\"", "half of", 1, 8},
    {"\"\\ud800\\n\"", "half of", 1, 9},
    {"\"\\ud800\\u0041\"", "half of", 1, 13},
    {"\"\\udc00\"", "half of", 1, 7},
    {"\"\xc3\xa9\xff\"", "not UTF-8", 1, 3},
    {"\"\xc0\xaf\"", "not UTF-8", 1, 2},
    {"\"\xed\xa0\x80\"", "not UTF-8", 1, 3},
    /* arrays and objects */
    {"[", NULL, 1, 2},
    {"[1", NULL, 1, 3},
    {"[1,", NULL, 1, 4},
    {"[1,]", "value is missing", 1, 4},
    {"[,1]", "value is missing", 1, 2},
    {"[1,,2]", "value is missing", 1, 4},
    {"[1 2]", "',' or ']'", 1, 4},
    {"[1\n2]", "',' or ']'", 2, 1},
    {"[1:2]", "',' or ']'", 1, 3},
    {"[1}", "',' or ']'", 1, 3},
    {"[}", "value is missing", 1, 2},
    {"[]]", "more text after the value", 1, 3},
    {"[\"a\":1]", "',' or ']'", 1, 5},
    {"{", NULL, 1, 2},
    {"{\"a\"", NULL, 1, 5},
    {"{\"a\":", NULL, 1, 6},
    {"{\"a\":1", NULL, 1, 7},
    {"{\"a\":1,", NULL, 1, 8},
    {"{,}", "key in quotes", 1, 2},
    {"{a:1}", "key in quotes", 1, 2},
    {"{1:1}", "key in quotes", 1, 2},
    {"{null:1}", "key in quotes", 1, 2},
    {"{[]:1}", "key in quotes", 1, 2},
    {"{]", "key in quotes", 1, 2},
    {"{\"a\":1,}", "key in quotes", 1, 8},
    {"{\"a\"}", "':' is missing", 1, 5},
    {"{\"a\" 1}", "':' is missing", 1, 6},
    {"{\"a\",1}", "':' is missing", 1, 5},
    {"{\"a\"=1}", "':' is missing", 1, 5},
    {"{\"a\"::1}", "value is missing", 1, 6},
    {"{\"a\":}", "value is missing", 1, 6},
    {"{\"a\":1 \"b\":2}", "',' or '}'", 1, 8},
    {"{\"a\":1]", "',' or '}'", 1, 7},
    {"{\"\xff\":1}", "not UTF-8", 1, 3},
    {"{}{}", "more text after the value", 1, 3},
    {"{} x", "more text after the value", 1, 4},
    {"1\n\n 2", "more text after the value", 3, 2},
    {"\"\"\"\"", "more text after the value", 1, 3},
    {"", NULL, 1, 1},
    {" \n ", NULL, 2, 2},
    {"{\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\":x", "this character does not belong", 1, 8},
};

static void what_is_not_is_refused_where_it_stands(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct refused *it = &refused[i];
        struct heard heard = hear_in_pieces(it->text, strlen(it->text));
        assert_int_equal(heard.code, ERROR_USAGE);
        if (!heard.wrong != !it->wrong || (it->wrong && !strstr(heard.wrong, it->wrong)))
            fail_msg("%s: \"%s\" is not \"%s\"", it->text, heard.wrong, it->wrong);
        if (heard.position.line + 1 != it->line || heard.position.column + 1 != it->column)
            fail_msg("%s: %u:%u", it->text, (unsigned)heard.position.line + 1,
                     (unsigned)heard.position.column + 1);
        free(heard.events);
    }
}

static void a_nul_is_refused_wherever_it_stands(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":[1,true,\"b\"]}";
    for (size_t at = 0; at < sizeof text; at++) {
        char with[sizeof text];
        memcpy(with, text, at);
        with[at] = '\0';
        memcpy(with + at + 1, text + at, sizeof text - 1 - at);
        struct heard heard = hear_in_pieces(with, sizeof with);
        assert_int_equal(heard.code, ERROR_USAGE);
        assert_non_null(heard.wrong);
        assert_int_equal(heard.position.column, at);
        free(heard.events);
    }
}

static void depth_ends_somewhere(void **state)
{
    (void)state;
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
        assert_string_equal(heard.wrong, "nested too deeply");
        assert_int_equal(heard.position.column, JSON_DEPTH_MAX);
        free(heard.events);
    }
}

static void a_read_that_fails_is_no_end(void **state)
{
    (void)state;
    struct json_events events;
    struct json_value value;
    FILE *folder = fopen("/", "rb");
    if (!folder)
        skip();
    json_events_begin(&events, folder, JSON_ROOM_BYTES);
    assert_int_equal(json_events_next(&events, &value), ERROR_SYSTEM);
    assert_int_equal(events.input.failure, EISDIR);
    json_events_end(&events);
    fclose(folder);
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
    (void)state;
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
    enum { TEXTS = 30000, COUNT = sizeof pieces / sizeof *pieces };
    struct random random = {20261122};
    unsigned good = 0;
    for (unsigned i = 0; i < TEXTS; i++) {
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
            fail_msg("%s: %s: %s", text, json ? "is JSON" : "is not JSON",
                     heard.wrong ? heard.wrong : "-");
        good += json;
        free(heard.events);
    }
    assert_in_range(good, TEXTS / 20, TEXTS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_json_is_reported_event_by_event),
        cmocka_unit_test(what_is_not_is_refused_where_it_stands),
        cmocka_unit_test(a_nul_is_refused_wherever_it_stands),
        cmocka_unit_test(depth_ends_somewhere),
        cmocka_unit_test(a_read_that_fails_is_no_end),
        cmocka_unit_test(any_text_is_heard_as_the_grammar_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
