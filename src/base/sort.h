/* Comparisons for qsort() and bsearch(): ascending, by an element's first member or by the element
 * itself. Ids have theirs in base/cpulist.h. */
#pragma once

#include <stddef.h>

int by_text(const void *, const void *);   /* const char * */
int by_size(const void *, const void *);   /* size_t */
int by_uint64(const void *, const void *); /* uint64_t */
int by_float(const void *, const void *);
int by_number(const void *, const void *); /* double */

/* The order of two elements by the first pair of numbers, one of each, that differ: -1, 0 or 1. All
 * pairs are evaluated. A long double holds doubles, and integers to 2^53 at least. */
int order_of_pairs(const long double pairs[][2], size_t n);
#define ORDER_BY(...)                                                                              \
    order_of_pairs((const long double[][2]){__VA_ARGS__},                                          \
                   sizeof(const long double[][2]){__VA_ARGS__} / sizeof(long double[2]))
