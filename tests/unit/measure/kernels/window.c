/* Both chases advance, whatever is between their loads. */
#include "measure/kernels/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ELEMENTS = 97, REPEATS = 5 };

static void *ring[ELEMENTS];

static void each_chase_takes_one_step_a_repeat(void **state)
{
    static const uint64_t counts[] = {0, 1, 2, 3, 4, 5, 63, 512, 1023, WINDOW_FILLERS_MOST};
    for (size_t i = 0; i < ELEMENTS; i++)
        ring[i] = &ring[(i + 5) % ELEMENTS];
    for (int filler = 0; filler < WINDOW_FILLERS; filler++) {
        if (!window_kernels[filler])
            skip();
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            uint64_t hot = 3;
            struct window window = {{&ring[0], &ring[40]}, counts[c], &hot};
            window_kernels[filler](&window, REPEATS);
            assert_ptr_equal(window.position[0], &ring[25]);
            assert_ptr_equal(window.position[1], &ring[65]);
            assert_int_equal(window.fillers, counts[c]);
            assert_int_equal(hot, 3);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_chase_takes_one_step_a_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
