/*
 * Shared by the library's files: the handle, documents, measuring, the cache, and how a question is
 * answered.
 */
#pragma once

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

/* --- handle.c: the handle, and what every call does on entry and return: it restores the caller's
 * locale and errno, and reads and writes numbers with a decimal point meanwhile --- */

struct fathom {
    pid_t owner;        /* the process that opened it */
    char *cache_folder; /* NULL: nothing is cached */
    bool measure_anew;
    volatile sig_atomic_t stop;
};

struct guest {
    locale_t before;
    int reason;
    struct error error; /* for the call to fill */
    struct fathom_error *failure;
};
/* `failure`: the caller's place for an error; may be NULL. */
struct guest guest_enter(struct fathom_error *failure);
/* Copies the error to the caller's place and returns `code`. If the code is 0, the text is copied
 * as a remark. */
int guest_leave(const struct guest *, int code);

/* At the beginning of each call that may measure, which fathom_cancel() can end from now on.
 * ERROR_USAGE if the handle is NULL or was opened by another process. */
int handle_begin(struct fathom *, struct error *);

/* Only one call of a process measures at a time: FATHOM_BUSY while another one does. In a child of
 * fork(), a measurement of the parent does not count. */
int measuring_begin(struct error *);
void measuring_end(void);

/* Fills a caller's struct with at most `known` bytes and at most the size in its first member, a
 * size_t that is left alone. ERROR_USAGE if that size is invalid. */
int guest_fill(void *to, const void *from, size_t known, struct error *);
/* The reverse: copies a caller's struct (may be NULL), which may be shorter, over `own`. */
int guest_take(void *own, const void *given, size_t known, struct error *);

/* --- documents that callers get --- */

struct fathom_document {
    struct document document;
};

/* --- run.c: carries out a plan of fathom.h --- */

struct fathom_measurement {
    struct document *document; /* empty; the caller frees it, also after an error */
    const char *note;          /* becomes run.command[1]; NULL: "run" */
    uint64_t began_ns;         /* start of its budget; 0: now */
    /* Set by measure_plan(): */
    const struct probe *const *probes;
    struct settings settings;
};

/* Measures what the plan (may be NULL) asks for. Errors as of fathom_run(). */
int measure_plan(struct fathom *, const struct fathom_plan *, struct fathom_measurement *,
                 struct error *);

/* --- cache.c ---
 *
 * Answers that were measured earlier: one document for each question, in a folder of the user,
 * named by the question and a key. The key is made from the machine, its processor and microcode,
 * the kernel, the CPUs that the control group allows, and fathom's version. Documents with another
 * key are ignored.
 *
 * Many processes may use it at once: documents are replaced atomically, and a process that measures
 * holds a lock, so that others wait and do not disturb the measurement. */

enum { CACHE_KEY_BYTES = 33 };

struct cache_slot {
    char path[PATH_MAX], lock_path[PATH_MAX]; /* "": no cache */
    char key[CACHE_KEY_BYTES];
    int lock; /* -1: not held */
};

/* Finds the path of the answers to `question`, a word; creates nothing. */
void cache_find(struct cache_slot *, const struct fathom *, const char *question);
/* Reads the cached answer into the document, which is empty. False if there is none with this key
 * that belongs to this user or to root; the document is then empty again. *age_s: seconds since it
 * was written. */
bool cache_read(const struct cache_slot *, struct document *, double *age_s);
/* Takes the lock, waiting for another process until `until_ns` (os_raw_ns()). False: the time is
 * over, or *stop is not 0. True without a lock if there is no cache or its folder can't be written
 * to. *waited: another process held it. */
bool cache_lock(struct cache_slot *, uint64_t until_ns, const volatile sig_atomic_t *stop,
                bool *waited);
void cache_unlock(struct cache_slot *);
/* Writes the document, whose run.command[1] is the key. Errors as of document_save(). */
int cache_write(const struct cache_slot *, const struct document *, struct error *);

/* --- question.c: answers a question from the cache, else by measuring, else as declared --- */

/* The least time for an answer, as for --budget: in less no trial is reliable. */
enum { QUESTION_LEAST_MS = 100 };

/* Whether a document has the answer. A part of an answer is used as a doubtful answer is. */
enum answered { ANSWERED_NOT, ANSWERED_IN_PART, ANSWERED };

struct question {
    const char *name;            /* of its documents in the cache: "levels" */
    const char *probe;           /* that measures the answer */
    const char *const *settings; /* of the probe, as in struct fathom_plan */
    enum answered (*answered)(const struct document *, const void *asked);
    /* Whether a cached answer still holds, where there is time to measure. NULL: it does. */
    bool (*holds)(struct fathom *, const struct document *, const void *asked);
    const void *asked;
};

/* Fills the document, which is empty, and returns its enum fathom_source. The caller frees it by
 * document_free(), also after an error. With FATHOM_DECLARED it has only the facts of the machine;
 * the error may then have code 0 and a text that says why nothing was measured. Negative:
 * FATHOM_CANCELLED, FATHOM_USAGE (of the handle), FATHOM_SYSTEM for lack of memory,
 * FATHOM_IMPOSSIBLE if the machine can't be read. */
int question_answer(struct fathom *, const struct question *, unsigned budget_ms, struct document *,
                    struct error *);
