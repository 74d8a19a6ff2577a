#include "known_kernels.h"

#include "measure/kernels/chase_index.h"

static const struct known_kernel kernels[] = {
    {chase_run, 0, false},
    {chase_spilled_run, 0, true},
    {chase_modify_run, 0, false},
    {chase_index_8_run, 8, false},
    {chase_index_64_run, 64, false},
    {chase_index_128_run, 128, false},
    {chase_index_256_run, 256, false},
    {chase_checked_8_run, 8, false},
    {chase_checked_64_run, 64, false},
    {chase_checked_128_run, 128, false},
    {chase_checked_256_run, 256, false},
};

const struct known_kernel *kernel_find(kernel_function *run)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (kernels[i].run == run)
            return &kernels[i];
    return NULL;
}

static const unsigned char *element_at(const struct known_kernel *kernel, const void *state,
                                       uint64_t index)
{
    const struct chase_index *chase = state;
    return (const unsigned char *)chase->base + index * kernel->element_bytes;
}

const void *kernel_element(const struct known_kernel *kernel, const void *state)
{
    if (kernel->element_bytes)
        return element_at(kernel, state, ((const struct chase_index *)state)->index);
    return ((const struct chase *)state)->position;
}

const void *kernel_next(const struct known_kernel *kernel, const void *state, const void *element)
{
    if (kernel->element_bytes)
        return element_at(kernel, state, *(const uint64_t *)element);
    return *(void *const *)element;
}

void kernel_stand_on(const struct known_kernel *kernel, void *state, const void *element)
{
    if (kernel->element_bytes) {
        struct chase_index *chase = state;
        size_t offset =
            (size_t)((const unsigned char *)element - (const unsigned char *)chase->base);
        chase->index = offset / kernel->element_bytes;
    } else {
        ((struct chase *)state)->position = (void *)(uintptr_t)element;
    }
}
