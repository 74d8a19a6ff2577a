#include "measure/kernels/chase_index.h"

#include "chase_loops.h"

#define INDEX_KERNEL(kernel, loop, step)                                                           \
    INDEX_LOOP(loop, step)                                                                         \
    uint64_t kernel(void *state, uint64_t repeats)                                                 \
    {                                                                                              \
        struct chase_index *chase = state;                                                         \
        chase->index = loop(chase->base, chase->count, chase->index, repeats);                     \
        return chase->index;                                                                       \
    }

INDEX_KERNEL(chase_index_8_run, loops_index_8, INDEX_STEP_8)
INDEX_KERNEL(chase_index_64_run, loops_index_64, INDEX_STEP_64)
INDEX_KERNEL(chase_index_128_run, loops_index_128, INDEX_STEP_128)
INDEX_KERNEL(chase_index_256_run, loops_index_256, INDEX_STEP_256)
INDEX_KERNEL(chase_checked_8_run, loops_checked_8, CHECK_STEP INDEX_STEP_8)
INDEX_KERNEL(chase_checked_64_run, loops_checked_64, CHECK_STEP INDEX_STEP_64)
INDEX_KERNEL(chase_checked_128_run, loops_checked_128, CHECK_STEP INDEX_STEP_128)
INDEX_KERNEL(chase_checked_256_run, loops_checked_256, CHECK_STEP INDEX_STEP_256)

kernel_function *chase_index_kernel(size_t element_bytes, bool checked)
{
    static const struct {
        size_t bytes;
        kernel_function *plain, *checked;
    } kernels[] = {
        {8, chase_index_8_run, chase_checked_8_run},
        {64, chase_index_64_run, chase_checked_64_run},
        {128, chase_index_128_run, chase_checked_128_run},
        {256, chase_index_256_run, chase_checked_256_run},
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (kernels[i].bytes == element_bytes)
            return checked ? kernels[i].checked : kernels[i].plain;
    return NULL;
}
