#include "document/json_events.h"

#include "base/error.h"
#include "document/json_text.h"

#include <string.h>

/* What may come next. */
enum expected {
    EXPECT_VALUE,
    EXPECT_ELEMENT_OR_END, /* behind '[' */
    EXPECT_KEY_OR_END,     /* behind '{' */
    EXPECT_KEY,            /* behind a comma in an object */
    EXPECT_COLON,
    EXPECT_COMMA_OR_END,
    EXPECT_NOTHING,
};

void json_events_begin(struct json_events *events, FILE *stream, size_t room)
{
    json_input_begin(&events->input, stream, room);
    events->expected = EXPECT_VALUE;
    events->depth = 0;
}

void json_events_end(struct json_events *events)
{
    json_input_end(&events->input);
}

static int pass_decimals(struct json_input *input)
{
    int byte = json_peek(input);
    if (byte >= 0 && (byte < '0' || byte > '9'))
        return json_wrong(input, "a digit is missing");
    while (byte >= '0' && byte <= '9') {
        input->at++;
        byte = json_peek(input);
    }
    return byte == ERROR_SYSTEM ? byte : 0;
}

/* The end of the stream (ERROR_USAGE) may follow a whole number, but not a part of one. */
static int pass_number(struct json_input *input)
{
    int byte = *input->at, code = 0;
    if (byte == '-') {
        input->at++;
        byte = json_peek(input);
        if (byte < 0)
            return byte;
    }
    if (byte == '0') {
        input->at++;
        byte = json_peek(input);
        if (byte >= '0' && byte <= '9')
            return json_wrong(input, "a number that begins with 0");
    } else if ((code = pass_decimals(input)) < 0) {
        return code;
    }
    if (json_peek(input) == '.') {
        input->at++;
        if ((byte = json_peek(input)) < 0 || (code = pass_decimals(input)) < 0)
            return byte < 0 ? byte : code;
    }
    byte = json_peek(input);
    if (byte == 'e' || byte == 'E') {
        input->at++;
        byte = json_peek(input);
        if (byte == '+' || byte == '-') {
            input->at++;
            byte = json_peek(input);
        }
        if (byte < 0 || (code = pass_decimals(input)) < 0)
            return byte < 0 ? byte : code;
    }
    return json_peek(input) == ERROR_SYSTEM ? ERROR_SYSTEM : 0;
}

static int pass_name(struct json_input *input, const char *name)
{
    for (; *name; name++, input->at++) {
        int byte = json_peek(input);
        if (byte < 0)
            return byte;
        if (byte != *name)
            return json_wrong(input, "this character does not belong here");
    }
    return 0;
}

static bool in_object(const struct json_events *events)
{
    size_t inner = events->depth - 1;
    return events->objects[inner / 8] >> inner % 8 & 1;
}

static void expect_after_value(struct json_events *events)
{
    events->expected = events->depth ? EXPECT_COMMA_OR_END : EXPECT_NOTHING;
}

static int open_inner(struct json_events *events, bool object)
{
    if (events->depth == JSON_DEPTH_MAX)
        return json_wrong(&events->input, "nested too deeply");
    unsigned set = events->objects[events->depth / 8], bit = 1u << events->depth % 8;
    events->objects[events->depth / 8] = (unsigned char)(object ? set | bit : set & ~bit);
    events->depth++;
    events->input.at++;
    events->expected = object ? EXPECT_KEY_OR_END : EXPECT_ELEMENT_OR_END;
    return 0;
}

static int end_inner(struct json_events *events, struct json_value *value)
{
    events->depth--;
    events->input.at++;
    value->kind = JSON_END;
    expect_after_value(events);
    return 0;
}

/* Notes why no value can begin with the current byte. */
static int refuse_value(struct json_events *events, int byte)
{
    uint64_t continued = events->input.continued;
    int code = byte > 127 ? json_pass_character(&events->input) : 0;
    if (code < 0)
        return code;
    events->input.at = events->input.token;
    events->input.continued = continued;
    return json_wrong(&events->input, byte && strchr(",:]}", byte)
                                          ? "a value is missing"
                                          : "this character does not belong here");
}

static int next_value(struct json_events *events, struct json_value *value, int byte)
{
    int code;
    switch (byte) {
    case '{':
        value->kind = JSON_OBJECT;
        return open_inner(events, true);
    case '[':
        value->kind = JSON_ARRAY;
        return open_inner(events, false);
    case '"':
        value->kind = JSON_TEXT;
        code = json_pass_text(&events->input, &value->bytes, &value->length);
        break;
    case 't':
    case 'f':
        value->kind = JSON_TRUTH;
        value->truth = byte == 't';
        code = pass_name(&events->input, byte == 't' ? "true" : "false");
        break;
    case 'n':
        value->kind = JSON_NULL;
        code = pass_name(&events->input, "null");
        break;
    default:
        events->input.token = events->input.at;
        if (byte != '-' && (byte < '0' || byte > '9'))
            return refuse_value(events, byte);
        value->kind = JSON_NUMBER;
        code = pass_number(&events->input);
        value->bytes = (const char *)events->input.token;
        value->length = (size_t)(events->input.at - events->input.token);
    }
    if (code == 0)
        expect_after_value(events);
    return code;
}

static int next_key(struct json_events *events, struct json_value *value, int byte)
{
    if (byte != '"')
        return json_wrong(&events->input, "a key in quotes is missing");
    value->kind = JSON_KEY;
    int code = json_pass_text(&events->input, &value->bytes, &value->length);
    if (code < 0)
        return code;
    events->expected = EXPECT_COLON;
    return 0;
}

/* Moves past the comma or colon before the next value or key and returns that one's first byte. */
static int pass_separator(struct json_events *events)
{
    int byte = json_peek_past_blanks(&events->input);
    if (events->expected == EXPECT_COLON) {
        if (byte >= 0 && byte != ':')
            return json_wrong(&events->input, "a ':' is missing");
        events->expected = EXPECT_VALUE;
    } else if (events->expected == EXPECT_COMMA_OR_END && byte == ',') {
        events->expected = in_object(events) ? EXPECT_KEY : EXPECT_VALUE;
    } else {
        return byte;
    }
    if (byte < 0)
        return byte;
    events->input.at++;
    return json_peek_past_blanks(&events->input);
}

int json_events_next(struct json_events *events, struct json_value *value)
{
    *value = (struct json_value){.kind = JSON_DONE};
    events->input.token = NULL;
    int byte = pass_separator(events);
    if (byte == ERROR_USAGE && events->expected == EXPECT_NOTHING)
        return 0;
    if (byte < 0)
        return byte;
    switch (events->expected) {
    case EXPECT_KEY_OR_END:
        return byte == '}' ? end_inner(events, value) : next_key(events, value, byte);
    case EXPECT_KEY:
        return next_key(events, value, byte);
    case EXPECT_ELEMENT_OR_END:
        return byte == ']' ? end_inner(events, value) : next_value(events, value, byte);
    case EXPECT_VALUE:
        return next_value(events, value, byte);
    case EXPECT_COMMA_OR_END:
        if (byte == (in_object(events) ? '}' : ']'))
            return end_inner(events, value);
        return json_wrong(&events->input, in_object(events) ? "a ',' or '}' is missing"
                                                            : "a ',' or ']' is missing");
    default:
        return json_wrong(&events->input, "more text after the value");
    }
}
