#include "../../gpu/stand_in/faults.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct faults parsed(const char *text)
{
    struct faults faults;
    const char *wrong = faults_read(&faults, text);
    if (wrong)
        fail_msg("at %s", wrong);
    return faults;
}

static void the_nth_call_fails_and_no_other(void **state)
{
    (void)state;
    struct faults faults = parsed("cuLaunchKernel:3=719,cuMemAlloc:1=2");
    for (int i = 1; i <= 5; i++) {
        assert_int_equal(faults_take(&faults, "cuLaunchKernel"), i == 3 ? 719 : FAULT_NONE);
        assert_int_equal(faults_take(&faults, "cuLaunchKernelEx"), FAULT_NONE);
        assert_int_equal(faults_take(&faults, "cuMemAlloc_v2"), i == 1 ? 2 : FAULT_NONE);
    }
}

static void without_a_number_every_call_fails(void **state)
{
    (void)state;
    struct faults faults = parsed("cuInit=100,cuLaunchKernel=hang,cuCtxSynchronize:2=hang");
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(faults_take(&faults, "cuInit"), 100);
        assert_int_equal(faults_take(&faults, "cuLaunchKernel"), FAULT_HANG);
        assert_int_equal(faults_take(&faults, "cuCtxSynchronize"), i == 2 ? FAULT_HANG : 0);
        assert_int_equal(faults_take(&faults, "cuDriverGetVersion"), FAULT_NONE);
    }
}

static void one_call_may_fail_twice(void **state)
{
    (void)state;
    struct faults faults = parsed("cuMemAlloc_v2:2=2,cuMemAlloc_v2:4=700");
    static const int expected[] = {0, 2, 0, 700, 0};
    for (int i = 0; i < 5; i++)
        assert_int_equal(faults_take(&faults, "cuMemAlloc_v2"), expected[i]);
}

static void no_text_is_no_fault(void **state)
{
    (void)state;
    assert_int_equal(parsed("").count, 0);
    assert_int_equal(parsed(NULL).count, 0);
}

static void what_is_no_fault_is_pointed_at(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"cuInit", "cuInit"},
        {"=5", "=5"},
        {"cuInit=", "cuInit="},
        {"cuInit=x", "cuInit=x"},
        {"cuInit=0", "cuInit=0"},
        {"cuInit=-1", "cuInit=-1"},
        {"cuInit:0=5", "cuInit:0=5"},
        {"cuInit:=5", "cuInit:=5"},
        {"cuInit=5,cuMemAlloc", "cuMemAlloc"},
        {"cuInit=5x", "cuInit=5x"},
        {"cuInit=hangs", "cuInit=hangs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct faults faults;
        const char *wrong = faults_read(&faults, cases[i][0]);
        if (!wrong || strcmp(wrong, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], wrong ? wrong : "was taken");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nth_call_fails_and_no_other),
        cmocka_unit_test(without_a_number_every_call_fails),
        cmocka_unit_test(one_call_may_fail_twice),
        cmocka_unit_test(no_text_is_no_fault),
        cmocka_unit_test(what_is_no_fault_is_pointed_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
