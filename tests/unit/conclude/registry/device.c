#include "conclude/registry/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void names_tell_their_device(void **state)
{
    static const struct {
        const char *name;
        int device;
        const char *rest;
    } cases[] = {
        {"gpu0.L2.latency", 0, "L2.latency"},
        {"gpu12.clock", 12, "clock"},
        {"gpu3 L2 lines", 3, "L2 lines"},
        {"gpu7", 7, ""},
        {"gpu1023.x", 1023, "x"},
        {"gpu1024.x", -1, "gpu1024.x"},
        {"gpu99999999999999999999.x", -1, "gpu99999999999999999999.x"},
        {"gpu00.x", -1, "gpu00.x"},
        {"gpu.latency", -1, "gpu.latency"},
        {"gpu-1.x", -1, "gpu-1.x"},
        {"gpu0x.latency", -1, "gpu0x.latency"},
        {"L1.latency", -1, "L1.latency"},
        {"xgpu0.L1", -1, "xgpu0.L1"},
        {"", -1, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *rest;
        assert_int_equal(device_of_name(cases[i].name, &rest), cases[i].device);
        assert_string_equal(rest, cases[i].rest);
        assert_int_equal(device_of_name(cases[i].name, NULL), cases[i].device);
    }
    assert_int_equal(device_of_name(NULL, NULL), -1);
}

static void facts_and_findings_name_devices(void **state)
{
    struct gpu_facts gpus[] = {{.id = 5}, {.id = 1}, {.id = 1 << 30}, {.id = -1}};
    struct finding findings[] = {{.name = "gpu2.clock"},
                                 {.name = "L1.latency"},
                                 {.name = "gpu1.clock"},
                                 {.name = "gpu2.L1.latency"}};
    struct probe_result probes[] = {{.name = "gpu", .findings = findings, .finding_count = 4}};
    struct document document = {.probes = probes, .probe_count = 1};
    document.machine.gpus = gpus;
    document.machine.gpu_count = 4;
    int devices[8];
    assert_int_equal(device_list(&document, devices, 8), 3);
    assert_memory_equal(devices, ((const int[]){1, 2, 5}), 3 * sizeof *devices);
    assert_int_equal(device_list(&document, devices, 2), 2);
    assert_ptr_equal(device_facts(&document.machine, 1), &gpus[1]);
    assert_null(device_facts(&document.machine, 2));
    document = (struct document){0};
    assert_int_equal(device_list(&document, devices, 8), 0);
}

static void series_tell_whether_they_are_about_devices(void **state)
{
    assert_true(device_has_series(&(struct series){.name = "gpu0 latency"}));
    assert_true(device_has_series(
        &(struct series){.name = "peers", .matrix = true, .x = {"device to device", ""}}));
    assert_false(
        device_has_series(&(struct series){.name = "handoff", .matrix = true, .x = {"CPU", ""}}));
    assert_false(device_has_series(&(struct series){.name = "handoff", .matrix = true}));
    assert_false(device_has_series(&(struct series){.name = "a", .x = {"first to last", "B"}}));
    assert_false(device_has_series(&(struct series){0}));
}

static void conditions_are_distinguished_from_results(void **state)
{
    const struct axis clock = {"clock", "Hz"};
    assert_true(device_has_condition(&(struct series){.name = "gpu0 latency: clock", .y = clock}));
    assert_false(device_has_condition(&(struct series){.name = "gpu0 latency: power", .y = clock}));
    assert_false(device_has_condition(&(struct series){.name = "gpu0 clock", .y = clock}));
    assert_false(device_has_condition(&(struct series){.name = "latency: clock", .y = clock}));
    assert_false(device_has_condition(&(struct series){.name = "gpu0 latency: clock"}));
    assert_false(device_has_condition(&(struct series){.y = clock}));
}

static void factors_that_the_name_says_are_known(void **state)
{
    const struct series series = {.name = "gpu0 latency"}, other = {.name = "latency"};
    assert_true(device_factor_is_named(&series, &(struct factor){.name = "gpu", .number = 0}));
    assert_true(
        device_factor_is_named(&series, &(struct factor){.name = "what", .text = "latency"}));
    assert_false(device_factor_is_named(&series, &(struct factor){.name = "path", .text = "L1"}));
    assert_false(device_factor_is_named(&other, &(struct factor){.name = "what", .text = "a"}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_tell_their_device),
        cmocka_unit_test(facts_and_findings_name_devices),
        cmocka_unit_test(series_tell_whether_they_are_about_devices),
        cmocka_unit_test(conditions_are_distinguished_from_results),
        cmocka_unit_test(factors_that_the_name_says_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
