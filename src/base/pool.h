/*
 * A pool: many small allocations that are freed together. A document and everything it holds
 * lives in one pool, so that reading a hostile file has one owner and one free.
 *
 * Whatever owns nothing but memory of a pool may leave: pool_enter() carries out a step, and where
 * memory runs out in it, or pool_leave() is called, it returns the error. So no function below asks
 * whether it got memory, and none returns an error. A step that owns a thread, a file or memory of
 * malloc() must not call anything that leaves.
 */
#ifndef FATHOM_BASE_POOL_H
#define FATHOM_BASE_POOL_H

#include <stddef.h>

struct error;
struct pool_block;
struct pool_exit;

struct pool {
    struct pool_block *blocks; /* zero-initialise: {0} is an empty pool */
    struct pool_exit *exit;    /* where a step leaves to; NULL outside of pool_enter() */
};

/* Carries out step(with) and returns what it returns, or, where it left, the negative code of
 * base/error.h, having filled `error` (which may be NULL). Steps may nest: each leaves to its own
 * caller. */
int pool_enter(struct pool *, int (*step)(void *with), void *with, struct error *error);
/* Leaves the step with that code and text, as error_set() writes it. */
_Noreturn void pool_leave(struct pool *, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Carries out work(scratch, with) with a pool of its own, which is freed afterwards; it may take
 * memory of both. Where it leaves, it leaves this pool's step. */
void pool_scratch(struct pool *, void (*work)(struct pool *scratch, void *with), void *with);
/* Where a step calls functions that return codes: they fill pool_error(), and pool_check() leaves
 * with a negative code and returns any other. Outside of a step pool_error() is NULL, and
 * pool_check() returns the code. */
struct error *pool_error(const struct pool *);
int pool_check(struct pool *, int code);

/* Zeroed memory aligned for any type, which lives until pool_free(). Where there is none, this and
 * the functions that follow leave the step; outside of a step they return NULL. */
void *pool_alloc(struct pool *, size_t count, size_t size);
/* A copy of `text`; NULL stays NULL. */
char *pool_strdup(struct pool *, const char *text);
char *pool_printf(struct pool *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Makes room for one more element in an array of `*count` elements and returns the address of
 * that zeroed element, having counted it. Grows by doubling. */
void *pool_append(struct pool *, void **array, size_t *count, size_t size);
/* The same for `more` elements at once, of which it returns the first: one allocation, whatever
 * their number. Room that is not used yet costs no memory. */
void *pool_extend(struct pool *, void **array, size_t *count, size_t more, size_t size);
/* Frees an array before pool_free() does, if it is larger than 16 KiB; smaller ones stay. `memory`
 * must be the address of a whole allocation of this pool, or NULL. */
void pool_give_back(struct pool *, void *memory);
/* Gives all that is in `from` to `to`, and leaves `from` empty. */
void pool_take(struct pool *to, struct pool *from);
void pool_free(struct pool *);

#endif
