#include "measure/kernels/additions.h"

#include "loops.h"

const unsigned addition_steps = ADDITION_STEPS;

uint64_t additions_run(void *state, uint64_t repeats)
{
    return loops_additions(0, repeats);
}

#define KEEP(value) __asm__ volatile("" : "+r"(value))
#define STEP(sum)                                                                                  \
    sum += one;                                                                                    \
    KEEP(sum);
#define FOUR_STEPS    STEP(a) STEP(b) STEP(c) STEP(d)
#define SIXTEEN_STEPS FOUR_STEPS FOUR_STEPS FOUR_STEPS FOUR_STEPS

/* Register to register, as loops_additions(). Which registers they are makes no difference. */
uint64_t additions_wide_run(void *state, uint64_t repeats)
{
    uint64_t one = 1, a = 0, b = 0, c = 0, d = 0;
    _Static_assert(ADDITION_STEPS == 64, "as many as the narrow loop has");
    KEEP(one);
    for (; repeats; repeats--) {
        SIXTEEN_STEPS SIXTEEN_STEPS SIXTEEN_STEPS SIXTEEN_STEPS
    }
    return a;
}
