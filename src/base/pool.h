/*
 * A pool: many small allocations that are freed together. A document and everything it holds
 * lives in one pool, so that reading a hostile file has one owner and one free.
 */
#ifndef FATHOM_BASE_POOL_H
#define FATHOM_BASE_POOL_H

#include <stddef.h>

struct pool_block;

struct pool {
    struct pool_block *blocks; /* zero-initialise: {0} is an empty pool */
};

/* Zeroed memory aligned for any type, or NULL when there is none. Lives until pool_free(). */
void *pool_alloc(struct pool *, size_t count, size_t size);
/* A copy of `text`; NULL stays NULL. */
char *pool_strdup(struct pool *, const char *text);
char *pool_printf(struct pool *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Makes room for one more element in an array of `*count` elements and returns the address of
 * that zeroed element, having counted it; NULL when there is no memory. Grows by doubling. */
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
