#include "measure/probes/parallelism/parallelism.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_count(const char *vendor, const char *model, unsigned count)
{
    const struct miss_buffers *found = miss_buffers_find(vendor, model);
    assert_non_null(found);
    assert_int_equal(found->count, count);
    assert_non_null(found->name);
    assert_non_null(found->source);
}

static void known_processors_are_found(void **state)
{
    (void)state;
    const char *intel = "GenuineIntel", *amd = "AuthenticAMD";
    assert_count(intel, "Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", 10);
    assert_count(intel, "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz", 12);
    assert_count(intel, "Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz", 12);
    assert_count(intel, "Intel(R) Core(TM) i7-6700K CPU @ 4.00GHz", 12);
    assert_count(intel, "Intel(R) Core(TM) i7-6820HQ CPU @ 2.70GHz", 12);
    assert_count(intel, "Intel(R) Core(TM) i7-7700K CPU @ 4.20GHz", 12);
    assert_count(intel, "Intel(R) Xeon(R) Platinum 8480+", 16);
    assert_count(amd, "AMD EPYC 7551 32-Core Processor", 22);
    assert_count(amd, "AMD EPYC 7742 64-Core Processor", 22);
    assert_count(amd, "AMD EPYC 7B13", 24);
    assert_count(amd, "AMD EPYC 7763 64-Core Processor", 24);
}

static void of_others_nothing_is_said(void **state)
{
    (void)state;
    assert_null(miss_buffers_find("GenuineIntel", "Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz"));
    assert_null(miss_buffers_find("GenuineIntel", "Intel(R) Core(TM) i7-10750H CPU @ 2.60GHz"));
    /* Broadwell, though its number is Skylake's. */
    assert_null(miss_buffers_find("GenuineIntel", "Intel(R) Core(TM) i7-6800K CPU @ 3.40GHz"));
    assert_null(miss_buffers_find("GenuineIntel", "Intel(R) Core(TM) i7-6850K CPU @ 3.60GHz"));
    assert_null(miss_buffers_find("GenuineIntel", "Intel(R) Core(TM) i7-6900K CPU @ 3.20GHz"));
    assert_null(miss_buffers_find("GenuineIntel", "Intel(R) Core(TM) i7-6950X CPU @ 3.00GHz"));
    assert_null(miss_buffers_find("AuthenticAMD", "AMD EPYC"));
    assert_null(miss_buffers_find("AuthenticAMD", "AMD EPYC 9654 96-Core Processor"));
    assert_null(miss_buffers_find("GenuineIntel", "AMD EPYC 7763 64-Core Processor"));
    assert_null(miss_buffers_find(NULL, "AMD EPYC 7763 64-Core Processor"));
    assert_null(miss_buffers_find("AuthenticAMD", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_processors_are_found),
        cmocka_unit_test(of_others_nothing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
