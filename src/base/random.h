/*
 * Random numbers that are the same on every machine for the same seed: splitmix64 (Steele, Lea
 * and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). Every bit of a seed
 * matters, so seeds may be derived by adding small numbers.
 */
#pragma once

#include <stdint.h>

struct random {
    uint64_t state;
};

/* The finaliser alone: a bijection that scatters neighbouring numbers. */
static inline uint64_t random_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline uint64_t random_next(struct random *random)
{
    return random_mix(random->state += 0x9e3779b97f4a7c15u);
}

/* The upper 64 bits of a product, from 32-bit halves: compilers for 32-bit machines have no 128-bit
 * type. */
static inline uint64_t random_upper(uint64_t a, uint64_t b)
{
    const uint64_t low = UINT32_MAX;
    uint64_t carried = (a >> 32) * (b & low) + ((a & low) * (b & low) >> 32);
    uint64_t crossed = (a & low) * (b >> 32) + (carried & low);
    return (a >> 32) * (b >> 32) + (carried >> 32) + (crossed >> 32);
}

/* Uniform in [0, bound); bound > 0. Lemire's multiplication without the rejection: the bias is
 * below bound / 2^64. */
static inline uint64_t random_below(struct random *random, uint64_t bound)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)random_next(random) * bound) >> 64);
#else
    return random_upper(random_next(random), bound);
#endif
}

/* Uniform in [0, 1). */
static inline double random_unit(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}
