/*
 * A pool: many small allocations that are freed together. A document and everything it holds lives
 * in one pool, so that reading a hostile file has one owner and one free.
 *
 * Code that owns nothing but a pool's memory reports errors by a jump, called leaving: pool_enter()
 * runs a step, and when memory runs out in the step, or it calls pool_leave(), pool_enter() returns
 * the error. So the functions of a step neither check for memory nor return errors. A step that
 * owns a thread, a file or memory of malloc() must not call anything that leaves.
 */
#pragma once

#include <stddef.h>

struct error;
struct pool_block;
struct pool_exit;

struct pool {
    struct pool_block *blocks; /* zero-initialise: {0} is an empty pool */
    struct pool_block *large;  /* each holds one allocation, which can be given back */
    struct pool_exit *exit;    /* where the current step leaves to; NULL outside of pool_enter() */
};

/* Runs step(with) and returns its result. If the step leaves, returns the negative code of
 * base/error.h and fills `error` (which may be NULL). Steps may nest: each leaves to its own
 * pool_enter(). */
int pool_enter(struct pool *, int (*step)(void *with), void *with, struct error *error);
/* Leaves the step with this code and a text formatted as in error_set(). */
_Noreturn void pool_leave(struct pool *, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Runs work(scratch, with) with a temporary pool, which is freed afterwards; the work may allocate
 * from both pools. If it leaves, this pool's step is left. */
void pool_scratch(struct pool *, void (*work)(struct pool *scratch, void *with), void *with);
/* Calls work(with, pool_error()) from a step, outside of it, and returns its code: for work that
 * owns threads or files. Nothing in it may leave: the pool's functions return NULL there when
 * memory runs out. The caller frees what the work owns, then passes the code to pool_check(). */
int pool_outside(struct pool *, int (*work)(void *with, struct error *), void *with);
/* For functions that return codes, called in a step: they fill pool_error(), and pool_check()
 * leaves on a negative code and returns any other. Outside of a step pool_error() is NULL, and
 * pool_check() returns the code. */
struct error *pool_error(const struct pool *);
int pool_check(struct pool *, int code);

/* Zeroed memory aligned for any type, which lives until pool_free(). Without memory this and the
 * functions below leave the step; outside of a step they return NULL. */
void *pool_alloc(struct pool *, size_t count, size_t size);
/* A copy of `text`; NULL stays NULL. */
char *pool_strdup(struct pool *, const char *text);
char *pool_printf(struct pool *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds one zeroed element to an array of `*count` elements, increments the count and returns the
 * element's address. The array grows by doubling. */
void *pool_append(struct pool *, void **array, size_t *count, size_t size);
/* The same for `more` elements in one allocation; returns the first of them. Unused capacity takes
 * no physical memory, because its pages are not touched. */
void *pool_extend(struct pool *, void **array, size_t *count, size_t more, size_t size);
/* Frees an array early if it is larger than 16 KiB; smaller ones stay until pool_free(). `memory`
 * must be the address of a whole allocation of this pool, or NULL. */
void pool_give_back(struct pool *, void *memory);
/* Moves all memory of `from` to `to`, and leaves `from` empty. */
void pool_take(struct pool *to, struct pool *from);
void pool_free(struct pool *);
