/*
 * Flags: what can spoil a number. Each has a name, which documents use, one line of remedy, and a
 * weight: a doubt about a headline value makes the exit status 4, a remark only explains.
 */
#pragma once

#include <stdbool.h>

enum flag {
    FLAG_UNCONVERGED,
    FLAG_PREEMPTED,
    FLAG_STOLEN,
    FLAG_CLOCK_DRIFT,
    FLAG_DRIFT,
    FLAG_UNSTABLE,
    FLAG_BIMODAL,
    FLAG_SMALL_PAGES,
    FLAG_MISPLACED,
    FLAG_NARROW_AFFINITY,
    FLAG_VIRTUAL_MACHINE,
    FLAG_MODELLED,
    FLAG_THROTTLED,
    FLAG_OCCUPIED,
    FLAG_TOO_FEW,
    FLAG_MISCOUNTED,
    FLAG_EMULATED,
    FLAG_COUNT
};

/* A set of flags is an unsigned with bit (1u << flag) set. */
#define FLAG_BIT(flag) (1u << (flag))

struct flag_text {
    const char *name;    /* "unconverged" */
    const char *meaning; /* what it says about the number, a short clause */
    const char *why;     /* why that matters, where the meaning does not say it; NULL */
    const char *remedy;  /* what a person can do */
    bool doubt;
};

extern const struct flag_text flag_texts[FLAG_COUNT];

/* The index of the flag with that name, or -1. */
int flag_by_name(const char *name);
/* The subset of `flags` that are doubts. */
unsigned flag_doubts(unsigned flags);
/* The flags for which a comparison of runs takes a wider interval: doubts and FLAG_UNCONVERGED. */
unsigned flag_widening(unsigned flags);
