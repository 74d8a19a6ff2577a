#include "measure/probes/parallelism/parallelism.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct {
    const char *vendor, *model;
    unsigned count; /* 0: nothing is said of it */
} processors[] = {
    {"GenuineIntel", "Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", 10},
    {"GenuineIntel", "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz", 12},
    {"GenuineIntel", "Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz", 12},
    {"GenuineIntel", "Intel(R) Core(TM) i7-6700K CPU @ 4.00GHz", 12},
    {"GenuineIntel", "Intel(R) Core(TM) i7-6820HQ CPU @ 2.70GHz", 12},
    {"GenuineIntel", "Intel(R) Core(TM) i7-7700K CPU @ 4.20GHz", 12},
    {"GenuineIntel", "Intel(R) Xeon(R) Platinum 8480+", 16},
    {"AuthenticAMD", "AMD EPYC 7551 32-Core Processor", 22},
    {"AuthenticAMD", "AMD EPYC 7742 64-Core Processor", 22},
    {"AuthenticAMD", "AMD EPYC 7B13", 24},
    {"AuthenticAMD", "AMD EPYC 7763 64-Core Processor", 24},
    {"GenuineIntel", "Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz", 0},
    {"GenuineIntel", "Intel(R) Core(TM) i7-10750H CPU @ 2.60GHz", 0},
    /* Broadwell, though its number is Skylake's. */
    {"GenuineIntel", "Intel(R) Core(TM) i7-6800K CPU @ 3.40GHz", 0},
    {"GenuineIntel", "Intel(R) Core(TM) i7-6850K CPU @ 3.60GHz", 0},
    {"GenuineIntel", "Intel(R) Core(TM) i7-6900K CPU @ 3.20GHz", 0},
    {"GenuineIntel", "Intel(R) Core(TM) i7-6950X CPU @ 3.00GHz", 0},
    {"AuthenticAMD", "AMD EPYC", 0},
    {"AuthenticAMD", "AMD EPYC 9654 96-Core Processor", 0},
    {"GenuineIntel", "AMD EPYC 7763 64-Core Processor", 0},
    {NULL, "AMD EPYC 7763 64-Core Processor", 0},
    {"AuthenticAMD", NULL, 0},
};

static void documented_buffers_are_known_by_the_processors_name(void **state)
{
    for (size_t i = 0; i < sizeof processors / sizeof *processors; i++) {
        const struct miss_buffers *found =
            miss_buffers_find(processors[i].vendor, processors[i].model);
        assert_int_equal(found ? found->count : 0, processors[i].count);
        assert_true(!found || (found->name && found->source));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documented_buffers_are_known_by_the_processors_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
