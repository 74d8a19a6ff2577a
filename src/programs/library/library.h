/*
 * What the files of the library share: the handle, documents, measuring, the cache and the road to
 * an answer.
 */
#ifndef FATHOM_PROGRAMS_LIBRARY_LIBRARY_H
#define FATHOM_PROGRAMS_LIBRARY_LIBRARY_H

#include "base/error.h"
#include "base/settings.h"
#include "document/document.h"
#include "measure/probes/kit/probe.h"
#include "programs/library/version.h"

#include <fathom.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* --- handle.c: the handle, and what every call does when it enters and leaves: the caller's locale
 * and errno come back as they were, and numbers are read and written with a point meanwhile --- */

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

/* Only one call of a process measures at a time. FATHOM_BUSY while another one does. In a child of
 * fork() a call that measures in its parent does not count. */
int measuring_begin(struct fathom *, struct error *);
void measuring_end(void);

/* Fills `known` bytes of a caller's struct at most, and no more than it has room for; `from` begins
 * with a size_t that is the caller's. ERROR_USAGE where the caller's size is no size. */
int guest_fill(void *to, const void *from, size_t known, struct error *);

/* --- documents as they are handed out --- */

struct fathom_document {
    struct document document;
};

/* --- run.c: a plan as fathom.h has it becomes a run --- */

struct fathom_measurement {
    struct document *document; /* empty; the caller frees it, also after an error */
    const char *note;          /* a word that run.command keeps; NULL: "run" */
    uint64_t began_ns;         /* when its budget began; 0: now */
    /* Its own: */
    const struct probe *const *probes;
    struct settings settings;
};

/* Measures what the plan, which may be NULL, asks for. Errors as fathom_run(). */
int measure_plan(struct fathom *, const struct fathom_plan *, struct fathom_measurement *,
                 struct error *);

/* --- cache.c ---
 *
 * Answers that were measured earlier: a document for each question, in a folder of the user's,
 * under a name that is made of the question and of a key. The key names this machine, its processor
 * and microcode, the kernel, the CPUs that the control group allows and fathom's version; a
 * document of another key is as good as none.
 *
 * Safe for many processes at once: a document is replaced whole, and who is about to measure holds
 * a lock, so that the others wait for it instead of disturbing it.
 */

enum { CACHE_KEY_BYTES = 33 };

/* 32 hexadecimal digits. Reads a few small system files, in about a millisecond. */
void cache_key(char key[CACHE_KEY_BYTES]);

struct cache_slot {
    char path[PATH_MAX], lock_path[PATH_MAX]; /* "": there is no cache */
    char key[CACHE_KEY_BYTES];
    int lock; /* -1: not held */
};

/* Names the place of the answers to `question`, a word; creates nothing. */
void cache_find(struct cache_slot *, const struct fathom *, const char *question);
/* Reads what is there into the document, which is empty. False where there is nothing of this key:
 * the document is then empty again. *age_s: how long ago it was written. */
bool cache_read(const struct cache_slot *, struct document *, double *age_s);
/* Takes the lock, which another process may hold, until `until_ns` (os_raw_ns()). False: it could
 * not be had. Where there is no cache there is nothing to wait for, and so where its folder can't
 * be written to. */
bool cache_lock(struct cache_slot *, uint64_t until_ns, bool *waited);
void cache_unlock(struct cache_slot *);
/* Keeps the document, whose run.command[1] is the key. Errors as document_save(). */
int cache_write(const struct cache_slot *, const struct document *, struct error *);

/* --- question.c: the one road to an answer: from the cache, else measured, else declared --- */

/* Less gives no trial to rely on; the least that --budget takes, too. */
enum { QUESTION_LEAST_MS = 100 };

struct question {
    const char *name;            /* of its documents in the cache: "levels" */
    const char *probe;           /* that answers it */
    const char *const *settings; /* of the probe, as in struct fathom_plan */
    /* Whether the document answers it. */
    bool (*answered)(const struct document *, const void *asked);
    const void *asked;
};

/* Fills the document, which is empty and the caller frees by document_free(), also after an error,
 * and returns where it is from: an enum fathom_source. With FATHOM_DECLARED it has only the facts
 * of the machine. The error's text may then say, with a code of 0, why nothing was measured.
 * Negative: FATHOM_CANCELLED, FATHOM_USAGE (of the handle), FATHOM_SYSTEM without memory,
 * FATHOM_IMPOSSIBLE where the machine can't be read. */
int question_answer(struct fathom *, const struct question *, unsigned budget_ms, struct document *,
                    struct error *);

#endif
