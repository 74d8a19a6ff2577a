/*
 * JSON as RFC 8259 has it, one event after another, from a stream of any length. Strict: refuses
 * what other parsers allow (comments, a byte order mark, a comma before a bracket, NaN, leading
 * zeros, more text after the value); json_text.h says what a text may hold.
 *
 * The memory that it takes is that of the longest text or number, whatever the stream's length.
 */
#ifndef FATHOM_DOCUMENT_JSON_EVENTS_H
#define FATHOM_DOCUMENT_JSON_EVENTS_H

#include "document/json_input.h"

enum json_kind {
    JSON_NULL,
    JSON_TRUTH,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_ARRAY,  /* its beginning */
    JSON_OBJECT, /* its beginning */
    JSON_KEY,    /* of an object; its value follows */
    JSON_END,    /* of an array or object */
    JSON_DONE,   /* the one value and the stream are over */
};

struct json_value {
    enum json_kind kind;
    bool truth;
    const char *bytes; /* of a number as written, of a text or key without its escapes: no NUL among
                          or after them; until the next event */
    size_t length;
};

enum {
    JSON_DEPTH_MAX = 2048,        /* arrays and objects inside each other */
    JSON_ROOM_BYTES = 256 * 1024, /* to begin with */
};

struct json_events {
    struct json_input input; /* says what an error was about */
    int expected;
    size_t depth;
    unsigned char objects[JSON_DEPTH_MAX / 8]; /* set of the depths that are objects */
};

/* `room` is how much is read at a time; it grows for longer texts. */
void json_events_begin(struct json_events *, FILE *, size_t room);

/* The next event. 0; ERROR_SYSTEM without memory, or where the input's `failure` is set;
 * ERROR_USAGE where the text is not JSON: the input's `wrong` says why, and is NULL where the text
 * only ends too early. It must not be called again after an error or after JSON_DONE. */
int json_events_next(struct json_events *, struct json_value *);

void json_events_end(struct json_events *); /* frees; the stream is the caller's */

#endif
