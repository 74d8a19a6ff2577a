/*
 * The chase by index: each element holds the index of the next, and its address is the base plus
 * the index times an element's size. The size is part of the loop, as it is in compiled code.
 */
#pragma once

#include "measure/kernels/chase.h"

#include <stddef.h>

struct chase_index {
    const void *base;
    uint64_t count; /* number of elements: this index and larger ones are out of bounds */
    uint64_t index; /* the element that the next run loads first */
};

/* State: struct chase_index. A checked chase compares each index with the count before its use, as
 * safe languages do, and ends at an index that is out of bounds. */
kernel_function chase_index_8_run, chase_index_64_run, chase_index_128_run, chase_index_256_run;
kernel_function chase_checked_8_run, chase_checked_64_run, chase_checked_128_run,
    chase_checked_256_run;

/* The kernel for elements of that size; NULL where there is none. */
kernel_function *chase_index_kernel(size_t element_bytes, bool checked);
