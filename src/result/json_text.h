/*
 * What the parser lets pass and a text may not hold, and where in it one stands. Beside the bounds
 * of RFC 3629 these are \u0000, because texts end with a NUL here, and halves of surrogate pairs,
 * which stand for no character: yajl makes '?' or something else of them.
 */
#ifndef FATHOM_RESULT_JSON_TEXT_H
#define FATHOM_RESULT_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero is the beginning of a text. */
struct json_position {
    uint64_t line, column; /* both from 0; a column is a character */
};

void json_position_advance(struct json_position *, const unsigned char *bytes, size_t size);

/* Zero is the beginning of a text. */
struct json_check {
    unsigned char least, most; /* of the next byte; 0 and 0: anything */
    unsigned char step;        /* in an escape: 1 past '\', 2 to 5 in its digits */
    bool high;                 /* the second half of a surrogate pair has to follow */
    unsigned code;
};

/* Goes through the next bytes of a text. NULL, or what is wrong with bytes[*good]; those before it
 * are right. All that it does not know of, the parser refuses. */
const char *json_check(struct json_check *, const unsigned char *bytes, size_t size, size_t *good);

#endif
