/* OpenCL's library and its devices: what is there, and what is said where it is not. */
#include "measure/gpu/opencl/device.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

struct listing {
    struct pool pool;
    union {
        struct gpu_library *library;
        struct opencl_library *driver; /* the same, from inside */
    };
    struct gpu_facts *facts;
    size_t count;
    struct error error;
};

static void list(struct listing *listing)
{
    *listing = (struct listing){.count = 99};
    int code = gpu_opencl.open(&listing->library, &listing->pool, &listing->facts, &listing->count,
                               &listing->error);
    assert_int_equal(code == 0, listing->library != NULL);
    assert_int_equal(code == 0, listing->count != 0);
    if (code)
        assert_int_equal(code, listing->error.code);
}

static void forget(struct listing *listing)
{
    gpu_opencl.close(listing->library);
    pool_free(&listing->pool);
}

/* The library that is built beside the tests; see there. */
static void list_fake(struct listing *listing, const char *what)
{
    const char *fake = getenv("FATHOM_FAKE_OPENCL");
    if (!fake) {
        print_message("# FATHOM_FAKE_OPENCL names no library: run by 'meson test'\n");
        skip();
    }
    setenv("FATHOM_LIBOPENCL", fake, 1);
    setenv("FAKE_OPENCL", what, 1);
    list(listing);
}

static int restore(void **state)
{
    unsetenv("FATHOM_LIBOPENCL");
    unsetenv("FAKE_OPENCL");
    return 0;
}

static void assert_fails(struct listing *listing, const char *says)
{
    assert_null(listing->library);
    assert_line(&listing->error, says);
    forget(listing);
}

static void a_library_that_is_not_there_is_named(void **state)
{
    struct listing listing;
    setenv("FATHOM_LIBOPENCL", "/nowhere/libOpenCL.so.1", 1);
    list(&listing);
    assert_line(&listing.error, "/nowhere/libOpenCL.so.1");
    assert_line(&listing.error, "FATHOM_LIBOPENCL");
    assert_fails(&listing, "no OpenCL library");
}

static void a_library_of_something_else_is_recognised_by_what_it_lacks(void **state)
{
    struct listing listing;
    setenv("FATHOM_LIBOPENCL", "libm.so.6", 1);
    list(&listing);
    if (strstr(listing.error.text, "no OpenCL library (")) {
        print_message("# this system has no libm.so.6\n");
        skip();
    }
    assert_line(&listing.error, "it has no clGetPlatformIDs");
    assert_fails(&listing, "libm.so.6 is no OpenCL library");
}

static void every_device_of_every_platform_is_listed(void **state)
{
    struct listing listing;
    list_fake(&listing, "");
    assert_int_equal(listing.count, 4);
    static const char *const names[] = {"Fake Radeon", "Fake NVIDIA", "Fake board", "Fake CPU"};
    static const char *const kinds[] = {"gpu", "gpu", "accelerator", "cpu"};
    for (size_t i = 0; i < listing.count; i++) {
        const struct gpu_facts *facts = &listing.facts[i];
        assert_int_equal(facts->id, i);
        assert_string_equal(facts->name, names[i]);
        assert_string_equal(facts->kind, kinds[i]);
        assert_string_equal(facts->backend, "opencl");
        assert_false(facts->modelled);
        assert_true(isnan(facts->memory_clock_hz));
        assert_int_equal(facts->l2_bytes, 0);
    }
    forget(&listing);
}

static void facts_are_what_the_device_declares(void **state)
{
    struct listing listing;
    list_fake(&listing, "");
    const struct gpu_facts *radeon = &listing.facts[0], *nvidia = &listing.facts[1];
    assert_string_equal(radeon->driver, "Fake One 3581.0");
    assert_null(radeon->capability);
    assert_int_equal(radeon->multiprocessors, 60);
    assert_true(fabs(radeon->clock_hz - 2.1e9) < 1);
    assert_int_equal(radeon->memory_bytes, 16ull << 30);
    assert_int_equal(radeon->scratchpad_bytes, 65536);
    assert_int_equal(radeon->constant_bytes, 4096);
    assert_string_equal(nvidia->capability, "9.0");
    assert_true(isnan(nvidia->clock_hz)); /* declared as 0 */
    assert_int_equal(nvidia->memory_bytes, 141ull << 30);
    assert_string_equal(listing.facts[2].driver, "Fake Two"); /* of a device that reports none */
    forget(&listing);
}

static void a_broken_platform_hides_no_other(void **state)
{
    struct listing listing;
    list_fake(&listing, "broken platform");
    assert_int_equal(listing.count, 2);
    assert_string_equal(listing.facts[0].name, "Fake board");
    assert_int_equal(listing.facts[0].id, 0);
    forget(&listing);
}

static void no_platform_and_no_device_are_distinguished(void **state)
{
    struct listing listing;
    list_fake(&listing, "no platform");
    assert_fails(&listing, "no platform: install the device's driver");
    list_fake(&listing, "no device");
    assert_fails(&listing, "OpenCL's platforms have no device");
}

static void a_device_that_can_do_nothing_is_refused(void **state)
{
    struct listing listing;
    struct gpu *gpu = NULL;
    list_fake(&listing, "");
    assert_int_equal(gpu_opencl.start(listing.library, 0, &gpu, &listing.error), ERROR_IMPOSSIBLE);
    assert_null(gpu);
    assert_line(&listing.error, "not available now");
    assert_int_equal(gpu_opencl.start(listing.library, 4, &gpu, &listing.error), ERROR_USAGE);
    assert_non_null(strstr(listing.error.text, "0 to 3"));
    forget(&listing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_library_that_is_not_there_is_named, restore),
        cmocka_unit_test_teardown(a_library_of_something_else_is_recognised_by_what_it_lacks,
                                  restore),
        cmocka_unit_test_teardown(every_device_of_every_platform_is_listed, restore),
        cmocka_unit_test_teardown(facts_are_what_the_device_declares, restore),
        cmocka_unit_test_teardown(a_broken_platform_hides_no_other, restore),
        cmocka_unit_test_teardown(no_platform_and_no_device_are_distinguished, restore),
        cmocka_unit_test_teardown(a_device_that_can_do_nothing_is_refused, restore),
    };
    return cmocka_run_group_tests_name("gpu/opencl", tests, NULL, NULL);
}
