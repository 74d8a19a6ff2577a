/* The kernels that the model can follow: those whose state is a place in a ring. */
#ifndef FATHOM_TESTS_MODEL_KNOWN_KERNELS_H
#define FATHOM_TESTS_MODEL_KNOWN_KERNELS_H

#include "measure/kernels/kernel.h"

#include <stdbool.h>
#include <stddef.h>

/* What the model has to know of a kernel that walks a ring. */
struct known_kernel {
    kernel_function *run;
    size_t element_bytes; /* the ring is one of indexes of such elements; 0: one of pointers */
    bool spills;          /* each step goes through memory that has not reached the cache yet */
};

/* NULL: the model does not know it. */
const struct known_kernel *kernel_find(kernel_function *run);

/* The element that the kernel's state stands on, and the one that follows an element. */
const void *kernel_element(const struct known_kernel *, const void *state);
const void *kernel_next(const struct known_kernel *, const void *state, const void *element);
void kernel_stand_on(const struct known_kernel *, void *state, const void *element);

#endif
