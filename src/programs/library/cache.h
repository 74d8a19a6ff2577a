/*
 * Answers that were measured earlier: a document for each question, in a folder of the user's,
 * under a name that is made of the question and of a key. The key names this machine, its processor
 * and microcode, the kernel, the CPUs that the control group allows and fathom's version; a
 * document of another key is as good as none.
 *
 * Safe for many processes at once: a document is replaced whole, and who is about to measure holds
 * a lock, so that the others wait for it instead of disturbing it.
 */
#ifndef FATHOM_PROGRAMS_LIBRARY_CACHE_H
#define FATHOM_PROGRAMS_LIBRARY_CACHE_H

#include "document/document.h"
#include "programs/library/handle.h"

#include <limits.h>

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

#endif
