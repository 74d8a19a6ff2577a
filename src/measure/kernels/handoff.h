/*
 * Hand-offs: two workers pass a turn to and fro through memory. A repeat is one round trip, two
 * hand-offs. Both sides must be asked for the same number of repeats in total; either may begin. A
 * call ends as its side has passed the turn on.
 */
#pragma once

#include "measure/kernels/kernel.h"

enum handoff_op {
    HANDOFF_CAS, /* the compare-and-swap that compilers choose for this processor */
    HANDOFF_CAS_LLSC,
    HANDOFF_CAS_LSE,
    HANDOFF_EXCHANGE,
    HANDOFF_FETCH_ADD,
    HANDOFF_READWRITE,
    HANDOFF_STORE_LOAD,
    HANDOFF_ONE_WAY,
    HANDOFF_PAYLOAD,
    HANDOFF_OPS
};
extern const char *const handoff_names[HANDOFF_OPS + 1]; /* "cas", ..., NULL */

/* The memory of a hand-off: a line, and what follows it. */
struct handoff_place {
    unsigned char *line;                /* aligned to HANDOFF_LINE_DISTANCE */
    unsigned payload_lines, line_bytes; /* of HANDOFF_PAYLOAD; at least one line */
};
/* The distance between lines that must not move together between caches: adjacent lines do on
 * processors that prefetch pairs of lines (Intel's spatial prefetcher; Optimization Reference
 * Manual, "L2 hardware prefetching"). A place has a first line, a second one at this distance, and
 * the payload behind that. */
enum { HANDOFF_LINE_DISTANCE = 128, HANDOFF_PAYLOAD_OFFSET = 2 * HANDOFF_LINE_DISTANCE };

struct handoff {
    const char *order;       /* the instructions and their memory order, in words */
    kernel_function *run[2]; /* for the side that begins, and for the one that answers */
    /* Prepares the place and the states of both sides (at most 64 bytes each) for the first
     * turn. */
    void (*set_up)(void *first, void *second, const struct handoff_place *);
};
/* NULL where this processor lacks something for the operation: then `*missing` says what. */
const struct handoff *handoff_find(enum handoff_op, const char **missing);

/* One line and a compare-and-swap. One side swaps 0 to 1, the other 1 to 0; *flag begins as 0. */
struct handoff_cas {
    uint32_t *flag;
    uint32_t expected, desired;
};
kernel_function handoff_cas_run;

/* Two lines, one written by each side. Both words begin as `last`. */
struct handoff_readwrite {
    uint32_t *mine;
    const uint32_t *theirs;
    uint32_t last;
};
kernel_function handoff_readwrite_first_run;
kernel_function handoff_readwrite_second_run;

/* One line that counts turns: the side that begins has the even ones. A side waits for its turn by
 * plain loads and passes it on by a store, an exchange or an addition; in between it writes to the
 * payload's lines, if any. */
struct handoff_turn {
    uint32_t *line;
    uint32_t turn;
    unsigned char *payload;
    uint64_t payload_step, payload_lines;
};
kernel_function handoff_store_load_run, handoff_exchange_run, handoff_fetch_add_run,
    handoff_payload_run;

/* One line that carries a stamp of the processor's counter. `least` is the smallest difference
 * between this side's counter when it sees a stamp and that stamp, in half ticks: the time from
 * the other side to this one, plus the lead of this side's counter. `last_ticks` is the length of
 * the last call, of use only for the side that begins. */
struct handoff_one_way {
    uint64_t *line;
    uint64_t side;
    int64_t least;
    uint64_t last_ticks;
};
kernel_function handoff_one_way_run;
