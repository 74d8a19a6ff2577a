/*
 * The handle, and what every call of the library does when it enters and leaves: the caller's
 * locale and errno come back as they were, and numbers are read and written with a point meanwhile.
 */
#ifndef FATHOM_PROGRAMS_LIBRARY_HANDLE_H
#define FATHOM_PROGRAMS_LIBRARY_HANDLE_H

#include "base/error.h"
#include "programs/library/version.h"

#include <fathom.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct fathom {
    pid_t owner;        /* the process that opened it */
    char *cache_folder; /* NULL: nothing is cached */
    bool measure_anew;
    volatile sig_atomic_t stop;
};

struct guest {
    locale_t before;
    int reason;
};
struct guest guest_enter(void);
void guest_leave(const struct guest *);

/* Copies the error into the caller's, which may be NULL, and returns `code`. With code 0 the text
 * stays too: it is a remark. */
int guest_answer(struct fathom_error *, int code, const struct error *);

/* ERROR_USAGE where the handle is NULL, or of another process. */
int handle_check(const struct fathom *, struct error *);

/* One call of a process measures at a time. FATHOM_BUSY while another does. In a child of fork()
 * the one that measured in its parent does not count. */
int measuring_begin(struct fathom *, struct error *);
void measuring_end(void);

/* Fills `known` bytes of a caller's struct at most, and no more than it has room for; `from` begins
 * with a size_t that is the caller's. ERROR_USAGE where the caller's size is no size. */
int guest_fill(void *to, const void *from, size_t known, struct error *);

#endif
