/*
 * JSON as RFC 8259 has it, one event after another, from a stream of any length. Strict: refuses
 * what other parsers allow (comments, a byte order mark, a comma before a bracket, NaN, leading
 * zeros, more text after the value), and what can't be a C string in UTF-8: bytes that are not
 * UTF-8 (RFC 3629), halves of surrogate pairs, and \u0000.
 *
 * The memory that it takes is that of the longest text or number, whatever the stream's length.
 */
#ifndef FATHOM_DOCUMENT_JSON_EVENTS_H
#define FATHOM_DOCUMENT_JSON_EVENTS_H

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
    /* Filled by the caller, who keeps them. */
    struct pool *pool; /* of the step that errors leave */
    FILE *stream;
    const char *name;   /* of the stream in messages */
    const char *remedy; /* ends them: ": give a document that ..." */
    size_t room;        /* how much is read at a time; it grows for longer texts */

    /* Its own. The bytes between `token` and `at` stay together in memory. */
    unsigned char *bytes, *at, *end; /* what was read; the current byte; a NUL behind the last */
    unsigned char *token;            /* the first byte that has to stay; NULL outside of a token */
    bool ended;
    uint64_t passed;    /* bytes that were read and have been dropped */
    uint64_t line;      /* from 0 */
    uint64_t line_at;   /* the byte that it begins with */
    uint64_t continued; /* bytes of the line that begin no character */
    int expected;
    size_t depth;
    unsigned char objects[JSON_DEPTH_MAX / 8]; /* set of the depths that are objects */
};

/* The next event. Leaves the step with ERROR_USAGE, which names the stream, the place and what is
 * wrong there, or where the stream can't be read; without memory with ERROR_SYSTEM. Not to be
 * called again after JSON_DONE. */
struct json_value json_events_next(struct json_events *);
/* Frees, outside of the step; the stream is the caller's. */
void json_events_end(struct json_events *);

#endif
