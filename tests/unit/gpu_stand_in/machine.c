#include "../../gpu/stand_in/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { RANDOM_MACHINES = 500 };

static const char *const presets[] = {"turing", "volta", "ampere", "hopper", "tiny"};

static struct machine read(const char *text)
{
    struct machine machine;
    char why[MACHINE_TEXT_BYTES];
    const char *wrong = machine_read(&machine, text, why, sizeof why);
    if (wrong)
        fail_msg("%s", wrong);
    return machine;
}

static void sizes_and_numbers_are_read(void **state)
{
    (void)state;
    struct machine machine =
        read("turing,l2=3M,tlb_reach=1.5G,throttle=0x48,dram_bandwidth=12.5,carve_out=0:16K:33000");
    assert_int_equal(machine.l2, 3 << 20);
    assert_int_equal(machine.tlb_reach, UINT64_C(3) << 29);
    assert_int_equal(machine.throttle, 0x48);
    assert_true(machine.dram_bandwidth > 12.4 && machine.dram_bandwidth < 12.6);
    assert_int_equal(machine.step_count, 3);
    assert_int_equal(machine.steps[1], 16384);
    assert_int_equal(machine.steps[2], 33000);
    assert_int_equal(machine.l1_latency, 32);
    assert_string_equal(read("").preset, "tiny");
    assert_string_equal(read(NULL).preset, "tiny");
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"kepler", "kepler"},
        {"random:", "random:"},
        {"random:7x", "random:7x"},
        {"tiny,l3=5", "l3=5"},
        {"tiny,l2", "l2"},
        {"tiny,l2=", "l2="},
        {"tiny,l2=5M5", "l2=5M5"},
        {"tiny,sms=4K", "sms=4K"},
        {"tiny,sms=0", "sms=0"},
        {"tiny,clock_mhz=nan", "clock_mhz=nan"},
        {"tiny,clock_mhz=-5", "clock_mhz=-5"},
        {"tiny,devices=9", "devices=9"},
        {"tiny,carve_out=8K:4K", "carve_out=8K:4K"},
        {"tiny,carve_out=", "carve_out="},
        {"tiny,carve_out=4K;8K", "carve_out=4K;8K"},
        {"tiny,carve_out=0:64K", "carve_out"},
        {"tiny,line=96", "line"},
        {"tiny,line=256,sector=32", "sector"},
        {"tiny,tlb_page=100000", "tlb_page"},
        {"tiny,,", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine machine;
        char why[MACHINE_TEXT_BYTES];
        const char *wrong = machine_read(&machine, cases[i][0], why, sizeof why);
        if (!wrong || !strstr(wrong, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], wrong ? wrong : "was taken");
    }
}

/* "preset=P a=1 b=2" as settings: "P,a=1,b=2". */
static void settings_of(const char *description, char *text)
{
    strcpy(text, description + strlen("preset="));
    for (char *at = text; *at; at++)
        if (*at == ' ')
            *at = ',';
}

static void a_description_is_all_of_the_machine(void **state)
{
    (void)state;
    char text[MACHINE_TEXT_BYTES], settings[MACHINE_TEXT_BYTES], again[MACHINE_TEXT_BYTES];
    for (unsigned i = 0; i < 20; i++) {
        if (i < 5)
            snprintf(settings, sizeof settings, "%s", presets[i]);
        else
            snprintf(settings, sizeof settings, "random:%u,l1=131072,wobble=1.25", i);
        struct machine machine = read(settings);
        machine_describe(&machine, text, sizeof text);
        settings_of(text, settings);
        machine = read(settings);
        machine_describe(&machine, again, sizeof again);
        assert_string_equal(text, again);
        /* Whatever preset it starts from. */
        snprintf(again, sizeof again, "tiny%s", strchr(settings, ','));
        machine = read(again);
        machine_describe(&machine, again, sizeof again);
        assert_string_equal(strchr(text, ' '), strchr(again, ' '));
    }
}

static void random_machines_are_plausible_and_small(void **state)
{
    (void)state;
    char text[64];
    uint64_t sizes[RANDOM_MACHINES];
    for (unsigned i = 0; i < RANDOM_MACHINES; i++) {
        snprintf(text, sizeof text, "random:%u", i);
        struct machine a = read(text), b = read(text);
        assert_memory_equal(&a, &b, sizeof a);
        assert_true(a.l1 >= 64 << 10 && a.l1 <= 128 << 10);
        assert_true(machine_scratchpad_most(&a) >= 48 << 10 &&
                    machine_scratchpad_most(&a) <= a.l1 * 3 / 4);
        assert_true(a.l2 >= 4 * a.l1 && a.l2 <= 2 << 20);
        assert_true(a.tlb_reach >= 8 * a.l2 && a.memory >= 16 * a.tlb_reach);
        assert_true(a.l1_latency < a.texture_latency && a.texture_latency < a.l2_latency);
        assert_true(a.l2_latency < a.dram_latency && a.l2_far_latency < a.dram_latency);
        assert_true(a.constant1_latency < a.constant2_latency);
        assert_int_equal(a.l1 % (a.line * a.l1_ways), 0);
        assert_int_equal(a.l2 % (a.line * a.l2_ways), 0);
        sizes[i] = a.l1;
    }
    unsigned same = 0;
    for (unsigned i = 1; i < RANDOM_MACHINES; i++)
        same += sizes[i] == sizes[i - 1];
    assert_true(same <= RANDOM_MACHINES / 2);
}

static void the_split_goes_in_steps(void **state)
{
    (void)state;
    static const struct {
        const char *preset;
        int per_cent;
        uint64_t needed, given_kib;
    } cases[] = {
        {"turing", -1, 0, 32},     {"turing", 0, 0, 32},
        {"turing", 50, 0, 32},     {"turing", 51, 0, 64},
        {"turing", 100, 0, 64},    {"turing", 0, 33 << 10, 64},
        {"volta", -1, 0, 0},       {"volta", 1, 0, 8},
        {"volta", 100, 0, 96},     {"hopper", -1, 0, 0},
        {"hopper", 50, 0, 132},    {"hopper", 43, 0, 100},
        {"hopper", 0, 1 << 10, 8}, {"hopper", 100, 0, 228},
        {"ampere", 100, 0, 164},   {"hopper", 10, 200 << 10, 228},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine machine = read(cases[i].preset);
        uint64_t given = machine_scratchpad(&machine, cases[i].per_cent, cases[i].needed);
        assert_int_equal(given, cases[i].given_kib << 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_numbers_are_read),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(a_description_is_all_of_the_machine),
        cmocka_unit_test(random_machines_are_plausible_and_small),
        cmocka_unit_test(the_split_goes_in_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
