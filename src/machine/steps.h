/*
 * By which instructions the C library moves memory, looked at one step after another: the processor
 * stops after each instruction (the trap flag), in a copy of this process that ends as soon as it
 * is known. No time is measured, so the answer is exact on a busy machine too.
 */
#ifndef FATHOM_MACHINE_STEPS_H
#define FATHOM_MACHINE_STEPS_H

#include <stddef.h>
#include <stdint.h>

enum steps_function { STEPS_MEMCPY, STEPS_MEMSET };
enum steps_kind {
    STEPS_UNKNOWN,
    STEPS_PLAIN,  /* loads and stores */
    STEPS_STRING, /* rep movs, rep stos */
    STEPS_PAST,   /* stores past the caches */
};
extern const char *const steps_kind_names[]; /* "unknown", "plain", "string", "past", NULL */

struct steps_switch {
    uint64_t bytes; /* the smallest call that does it this way, up to the next switch */
    enum steps_kind kind;
};

/* Fills what calls of 1 to `most` bytes switch between, ascending, the first one from 1 byte on;
 * both buffers are aligned to pages. Between sizes half an octave apart a switch and back may be
 * overlooked. Returns how many; 0 where the system can't step through a program, or where there are
 * more than 16 or than `room`. */
size_t steps_switches(enum steps_function, uint64_t most, struct steps_switch *, size_t room);

#endif
