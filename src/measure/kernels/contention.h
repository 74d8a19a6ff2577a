/*
 * Lines that several cores write at once, and lines in a known coherence state in another core's
 * cache.
 */
#pragma once

#include "measure/kernels/kernel.h"

#include <stdbool.h>

/* --- one word that many cores write to --- */

enum contention_op {
    CONTENTION_FETCH_ADD,
    CONTENTION_CAS,
    CONTENTION_EXCHANGE,
    CONTENTION_STORE,
    CONTENTION_OPS
};
struct contention {
    const char *name, *order;
    kernel_function *run;
};
/* By the instructions that compilers choose for this processor. State: the uint64_t. */
const struct contention *contention_of(enum contention_op);
extern const unsigned contention_steps; /* operations per repeat */

/* --- a ring of lines --- */

enum line_state { LINE_MODIFIED, LINE_EXCLUSIVE, LINE_SHARED, LINE_INVALID, LINE_STATES };
extern const char *const line_state_names[LINE_STATES + 1];
bool line_flush_possible(void); /* whether a program can flush lines on this processor */
void line_flush(void *line);    /* does not wait until the line is out */
/* Whether lines can be brought into that state: one that another core has read becomes exclusive
 * only after it has left all caches. */
bool line_state_possible(enum line_state);

enum touch_op { TOUCH_LOAD, TOUCH_STORE, TOUCH_CAS, TOUCH_FETCH_ADD, TOUCH_OPS };
struct touch {
    const char *name, *order;
    kernel_function *run;
};
const struct touch *touch_of(enum touch_op); /* as contention_of() */

/* Lines linked into a ring: the first word of each is the address of the next, the second is 0.
 * All workers of a trial share `stage`, a word on a line of its own. It begins as 0 and counts
 * finished preparations and measurements. */
struct line_ring {
    void *first;
    uint64_t lines;
    uint64_t *stage;
    uint64_t turn; /* the stage that this worker waits for next */
    uint64_t step; /* stages from one turn of this worker to its next */
    enum line_state state;
    bool rests;     /* of the measuring worker: its next call only waits; begins as true */
    bool flushed;   /* of a helper: lines are flushed before they are shared */
    bool second;    /* of a helper: it reads the lines after another helper did */
    bool own_copy;  /* of the measuring worker: it first reads every line, to share it with the
                       helper */
    uint64_t apart; /* of a helper whose lines lie so many bytes apart: it goes through them twice
                      in the order of addresses. 0: it goes once round the ring */
    const struct line_ring *others; /* those of these lines that the measuring worker touches */
};
/* The helper, for `repeats` / 2 measurements: brings every line into its own cache, in `state`,
 * then lets the measuring worker go on. State: struct line_ring. */
kernel_function line_helper_run;
/* touch_of()->run is the measuring worker: odd calls wait until the lines are prepared, even calls
 * go once round the ring and do the operation on each line. State: struct line_ring. */
