/*
 * Parses JSON (RFC 8259) from a stream of any length, one event at a time. Strict: refuses what
 * other parsers allow (comments, a byte order mark, a comma before a bracket, NaN, leading zeros,
 * more text after the value), and what can't be a C string in UTF-8: bytes that are not UTF-8 (RFC
 * 3629), halves of surrogate pairs, and \u0000.
 *
 * Its memory grows with the longest text or number, not with the stream.
 */
#pragma once

#include "base/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum json_kind {
    JSON_NULL,
    JSON_TRUTH,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_ARRAY,  /* its beginning */
    JSON_OBJECT, /* its beginning */
    JSON_KEY,    /* of an object; its value follows */
    JSON_END,    /* of an array or object */
    JSON_DONE,   /* the value is complete and the stream has ended */
};

struct json_value {
    enum json_kind kind;
    bool truth;
    /* A number as written, or a text or key with its escapes decoded. No NUL in it or after it.
     * Valid until the next event. */
    const char *bytes;
    size_t length;
};

enum {
    JSON_DEPTH_MAX = 2048,        /* arrays and objects inside each other */
    JSON_ROOM_BYTES = 256 * 1024, /* initial `room` */
};

struct json_events {
    /* Filled by the caller, which keeps ownership. */
    struct pool *pool; /* errors leave its step */
    FILE *stream;
    const char *name;   /* the stream's name in messages */
    const char *remedy; /* ends messages: ": give a document that ..." */
    size_t room;        /* bytes to read at a time; grows for longer texts */

    /* Private. The bytes from `token` to `at` stay together in memory. */
    unsigned char *bytes, *at, *end; /* what was read; the current byte; a NUL after the last */
    unsigned char *token;            /* the first byte that must stay; NULL outside of a token */
    bool ended;
    uint64_t passed;    /* bytes that were read and dropped */
    uint64_t line;      /* from 0 */
    uint64_t line_at;   /* offset of its first byte */
    uint64_t continued; /* bytes of the line that continue a UTF-8 character */
    int expected;
    size_t depth;
    unsigned char objects[JSON_DEPTH_MAX / 8]; /* set of the depths that are objects */
};

/* Returns the next event. Leaves the step with ERROR_USAGE, which names the stream, the place and
 * the fault, also where the stream can't be read; with ERROR_SYSTEM without memory. Not to be
 * called again after JSON_DONE. */
struct json_value json_events_next(struct json_events *);
/* Frees the buffer; call it outside of the step. The stream stays open. */
void json_events_end(struct json_events *);
