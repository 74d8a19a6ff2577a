/*
 * A ring: `count` elements, `stride` bytes apart, each holding the address (or the index) of the
 * next, so that a chase visits every element once and returns to the first. Built in place, in one
 * pass in address order, with no index array and no memory beyond the ring.
 *
 * The order is never stored. A keyed bijection maps places in the order to elements. Its inverse
 * gives the place of the element that is being written; the next place gives the next element. The
 * bijection is a multiply and xorshift network on the next power of two; places whose element would
 * lie beyond the count are skipped. (A keyed permutation by "cycle walking": Black and Rogaway,
 * "Ciphers with arbitrary finite domains", CT-RSA 2002.)
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum ring_order {
    RING_RANDOM,   /* one random cycle through all elements, or through each block in turn */
    RING_FORWARD,  /* ascending addresses, through the whole ring or within each block */
    RING_BACKWARD, /* descending addresses */
};

/* What an element holds: 8 bytes. */
enum ring_link { RING_POINTERS, RING_INDEXES };

struct ring {
    unsigned char *memory; /* at least (count - 1) * stride + 8 bytes, with any alignment that
                              loads of this architecture take */
    size_t count;          /* elements, at least 1 */
    size_t stride;         /* bytes from one element to the next, at least a pointer's size */
    enum ring_order order;
    size_t block; /* elements of a block; a block is visited completely before the next; 0: one
                     block of all. RING_RANDOM takes blocks in the order of addresses, RING_FORWARD
                     in random order; RING_BACKWARD ignores it */
    uint64_t seed;
    enum ring_link link;
};

/* Writes all links. The time is linear in the count. */
void ring_build(const struct ring *);
/* Writes one of `parts` equal parts of the links, in the order of addresses: several threads build
 * a ring at the same time. */
void ring_build_part(const struct ring *, unsigned part, unsigned parts);

/* Loads the first `visits` elements in the ring's order (several times around, if need be), many
 * at a time, and returns the element that comes next. It leaves the caches as a chase of that
 * length would, but some ten times as fast: addresses are computed, so the loads need not wait for
 * one another. */
void *ring_warm(const struct ring *, size_t visits);
/* The same from the beginning of one of `parts` parts of about the same number of visits: several
 * threads go through a ring at the same time, far from one another. */
void *ring_warm_part(const struct ring *, unsigned part, unsigned parts, size_t visits);

/* Finds n elements equally far apart in a random ring's order: marks[i] comes i * count / n visits
 * after the first element. Addresses are computed; nothing is loaded. */
void ring_mark(const struct ring *, size_t n, void **marks);
