
#include "programs/library/library.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The codes in fathom.h equal those of base/error.h, so they need no translation. */
_Static_assert((int)FATHOM_USAGE == (int)ERROR_USAGE &&
                   (int)FATHOM_IMPOSSIBLE == (int)ERROR_IMPOSSIBLE &&
                   (int)FATHOM_CANCELLED == (int)ERROR_INTERRUPTED &&
                   (int)FATHOM_SYSTEM == (int)ERROR_SYSTEM,
               "codes of errors");

/* Only one measurement may run: it would disturb another one in the process, and the signal handler
 * of the recall belongs to the process. 0, or the id of the process that measures: a child of
 * fork() still sees its parent's id, but does not have the measuring thread. */
static atomic_int measuring;

const char *fathom_version(void)
{
    return FATHOM_VERSION " (" FATHOM_COMMIT ")";
}

void fathom_free(void *text)
{
    free(text);
}

struct guest guest_enter(struct fathom_error *failure)
{
    struct guest guest = {.reason = errno, .failure = failure};
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* a constant of the C library */
    guest.before = c ? uselocale(c) : (locale_t)0;
    return guest;
}

int guest_leave(const struct guest *guest, int code)
{
    struct fathom_error *failure = guest->failure;
    if (failure) {
        failure->code = code < 0 ? code : 0;
        snprintf(failure->text, sizeof failure->text, "%s", guest->error.text);
    }
    if (guest->before)
        freelocale(uselocale(guest->before));
    errno = guest->reason;
    return code;
}

/* The bytes that both sides know of a caller's struct. */
static int shared_bytes(const void *given, size_t known, struct error *error)
{
    size_t size = 0;
    if (given)
        memcpy(&size, given, sizeof size);
    if (size < 2 * sizeof size || size > 4096)
        return error_set(error, ERROR_USAGE,
                         "the struct's size is %zu: set its member 'size' to sizeof the struct "
                         "before the call",
                         size);
    return (int)(size < known ? size : known);
}

int guest_fill(void *to, const void *from, size_t known, struct error *error)
{
    const int bytes = shared_bytes(to, known, error);
    if (bytes < 0)
        return bytes;
    memcpy((char *)to + sizeof(size_t), (const char *)from + sizeof(size_t),
           (size_t)bytes - sizeof(size_t));
    return 0;
}

int guest_take(void *own, const void *given, size_t known, struct error *error)
{
    const int bytes = given ? shared_bytes(given, known, error) : 0;
    if (bytes > 0)
        memcpy(own, given, (size_t)bytes);
    return bytes < 0 ? bytes : 0;
}

/* --- the handle --- */

/* A program with another user's rights (setuid) ignores the environment: the caller could name a
 * cache folder and fill it with false answers. */
static char *usual_folder(void)
{
    const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    char *folder = NULL;
    int length = -1;
    if (cache && *cache == '/') /* the XDG specification says to ignore relative paths */
        length = asprintf(&folder, "%s/fathom", cache);
    else if (home && *home == '/')
        length = asprintf(&folder, "%s/.cache/fathom", home);
    return length < 0 ? NULL : folder;
}

static int read_options(struct fathom *fathom, const struct fathom_options *given,
                        struct error *error)
{
    struct fathom_options options = {.size = sizeof options};
    const int code = guest_take(&options, given, sizeof options, error);
    if (code < 0)
        return code;
    const char *folder = options.cache_folder;
    fathom->measure_anew = options.measure_anew != 0;
    fathom->cache_folder = !folder ? usual_folder() : *folder ? strdup(folder) : NULL;
    return folder && *folder && !fathom->cache_folder ? error_out_of_memory(error) : 0;
}

struct fathom *fathom_open(const struct fathom_options *options, struct fathom_error *failure)
{
    struct guest guest = guest_enter(failure);
    struct fathom *fathom = calloc(1, sizeof *fathom);
    const int code =
        fathom ? read_options(fathom, options, &guest.error) : error_out_of_memory(&guest.error);
    if (code == 0) {
        fathom->owner = getpid();
    } else {
        free(fathom);
        fathom = NULL;
    }
    guest_leave(&guest, code);
    return fathom;
}

void fathom_close(struct fathom *fathom)
{
    if (!fathom)
        return;
    free(fathom->cache_folder);
    free(fathom);
}

void fathom_cancel(struct fathom *fathom)
{
    if (fathom)
        __atomic_store_n(&fathom->stop, 1, __ATOMIC_RELAXED);
}

int handle_begin(struct fathom *fathom, struct error *error)
{
    if (!fathom)
        return error_set(error, ERROR_USAGE, "the handle is NULL: see what fathom_open() said");
    if (fathom->owner != getpid())
        return error_set(error, ERROR_USAGE,
                         "this handle was opened by process %d, before a fork(): open one in this "
                         "process",
                         (int)fathom->owner);
    __atomic_store_n(&fathom->stop, 0, __ATOMIC_RELAXED);
    return 0;
}

int measuring_begin(struct error *error)
{
    const int own = (int)getpid();
    int owner = atomic_load(&measuring);
    do {
        if (owner == own)
            return error_set(error, FATHOM_BUSY,
                             "another thread of this process measures, and two would disturb each "
                             "other: wait for it");
    } while (!atomic_compare_exchange_weak(&measuring, &owner, own));
    return 0;
}

void measuring_end(void)
{
    atomic_store(&measuring, 0);
}
