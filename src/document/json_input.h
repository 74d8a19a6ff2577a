/*
 * The bytes that json_events.h reads from a stream, one after another, and why they are refused.
 * The bytes between `token` and `at` stay together in memory; earlier ones are dropped.
 */
#ifndef FATHOM_DOCUMENT_JSON_INPUT_H
#define FATHOM_DOCUMENT_JSON_INPUT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_input {
    FILE *stream;
    const char *wrong; /* why the text is not JSON; NULL while it is */
    int failure;       /* errno of a read that failed */
    unsigned char *bytes, *at,
        *end;             /* what was read; the current byte; a NUL behind the last one */
    unsigned char *token; /* the first byte that has to stay; NULL outside of a token */
    size_t room;
    bool ended;
    uint64_t passed;    /* bytes that were read and have been dropped */
    uint64_t line;      /* from 0 */
    uint64_t line_at;   /* the byte that it begins with */
    uint64_t continued; /* bytes of the line that begin no character */
};

/* A place in the stream. */
struct json_position {
    uint64_t line, column; /* both from 0; a column is a character */
};

/* `room` is how much is read at a time; it grows for longer tokens. */
void json_input_begin(struct json_input *, FILE *, size_t room);
void json_input_end(struct json_input *); /* frees; the stream is the caller's */

bool json_input_is_empty(const struct json_input *); /* it ended before its first byte */
struct json_position json_input_position(const struct json_input *);

/* Reads on when all bytes that were read are used: the next byte of the stream becomes the current
 * one. The addresses of those that stay change. ERROR_USAGE at the end; ERROR_SYSTEM without
 * memory, and with `failure` set. */
int json_read_on(struct json_input *);

/* The current byte, or json_read_on()'s code. The NUL behind the last byte saves a comparison. */
static inline int json_peek(struct json_input *input)
{
    if (input->at && *input->at)
        return *input->at;
    if (input->at < input->end)
        return 0;
    int code = json_read_on(input);
    return code < 0 ? code : *input->at;
}

int json_peek_past_blanks(struct json_input *);

/* Notes why the current byte is wrong (a constant text) and returns ERROR_USAGE. */
static inline int json_wrong(struct json_input *input, const char *why)
{
    input->wrong = why;
    return ERROR_USAGE;
}

#endif
