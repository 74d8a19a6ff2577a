/*
 * Errors as values. A function that can fail returns 0 or one of the negative codes below and
 * fills the caller's `struct error` with one line that names the input and the remedy. Nothing
 * below cli/ prints or exits; cli/ turns the code into the exit status.
 */
#pragma once

enum error_code {
    ERROR_USAGE = -2,       /* the input is wrong: exit status 2 */
    ERROR_IMPOSSIBLE = -3,  /* this machine can't do it: exit status 3 */
    ERROR_INTERRUPTED = -4, /* a signal asked us to stop: exit status 128 + signal */
    ERROR_SYSTEM = -5,      /* the system failed (memory, a thread, a write): exit status 3 */
};

struct error {
    int code; /* 0 or an enum error_code */
    char text[512];
};

/* Fills `error` (which may be NULL) and returns `code`, so that `return error_set(...)` reads well.
 * The text is cut to the buffer and made inert (base/clean.h). */
int error_set(struct error *error, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* ERROR_SYSTEM, because an allocation failed. */
int error_out_of_memory(struct error *error);
