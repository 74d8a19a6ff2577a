#include "measure/kernels/mix.h"

uint64_t mix_run(void *state, uint64_t repeats)
{
    struct mix *mix = state;
    uint64_t at = 0;
    for (; repeats; repeats--) {
        if (mix->load_steps)
            at += mix->load(&mix->from, mix->load_steps);
        if (mix->store_steps)
            at += mix->store(&mix->to, mix->store_steps);
    }
    return at;
}
