/* Channels as slots are named, and what they can carry. */
#include "conclude/channels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { SLOTS = 32 };

struct bench {
    struct declared_module modules[SLOTS];
    struct declared_facts declared;
    char names[SLOTS][2][32];
    struct channels channels;
    struct pool pool;
};

/* `slots` and `banks` are formats of a letter, for so many channels of DDR4-3200. */
static void fill(struct bench *bench, const char *slots, const char *banks, int count)
{
    *bench = (struct bench){.channels = {.count = 0}};
    for (int i = 0; i < count; i++) {
        snprintf(bench->names[i][0], sizeof bench->names[i][0], slots, 'A' + i);
        snprintf(bench->names[i][1], sizeof bench->names[i][1], banks, 'A' + i);
        bench->modules[i] = (struct declared_module){.slot = bench->names[i][0],
                                                     .bank = bench->names[i][1],
                                                     .size_bytes = UINT64_C(16) << 30,
                                                     .type = "DDR4",
                                                     .rated_mts = 3200,
                                                     .configured_mts = 3200,
                                                     .data_bits = 64};
    }
    bench->declared =
        (struct declared_facts){.modules = bench->modules, .module_count = (size_t)count};
}

static void take_out(struct bench *bench, int slot)
{
    const struct declared_module *module = &bench->modules[slot];
    bench->modules[slot] =
        (struct declared_module){.slot = module->slot, .bank = module->bank, .empty = true};
}

static const struct channels *read_channels(struct bench *bench)
{
    pool_free(&bench->pool);
    bench->pool = (struct pool){0};
    channels_read(&bench->channels, &bench->declared, &bench->pool);
    return &bench->channels;
}

static void assert_sentence(struct bench *bench, const char *sentence)
{
    const struct channels *channels = read_channels(bench);
    assert_non_null(channels->sentence);
    assert_string_equal(channels->sentence, sentence);
    pool_free(&bench->pool);
    bench->pool = (struct pool){0};
}

static void names_tell_channels(void **state)
{
    static const char *const names[][2] = {
        {"DIMM_%c1", ""},        {"DIMM%c1", "BANK 0"},
        {"CPU0_DIMM_%c1", "x"},  {"DIMM 0", "P0 CHANNEL %c"},
        {"Channel%c-DIMM0", ""}, {"Node0_channel-%c", "x"},
        {"DIMM %c", ""},
    };
    struct bench bench;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        fill(&bench, names[i][0], names[i][1], 8);
        const struct channels *channels = read_channels(&bench);
        assert_int_equal(channels->count, 8);
        assert_int_equal(channels->filled, 8);
        assert_true(fabs(channels->bytes_per_second - 204.8e9) < 1);
        assert_string_equal(channels->sentence, "8 channels of DDR4 at 3200 MT/s");
        pool_free(&bench.pool);
    }
}

static void nothing_is_guessed(void **state)
{
    static const char *const names[][2] = {
        {"DIMM 0", "BANK 0"},
        {"PROC 1 DIMM 3", ""},
        {"%c1", ""},
        {"DIMM_%cA1", ""},
        {"DIMM 0", "CHANNEL A"}, /* eight slots of one channel: the socket is missing */
        {"DIMM0 CHANNEL %c", ""},
        {"", ""},
    };
    struct bench bench;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        fill(&bench, names[i][0], names[i][1], 8);
        const struct channels *channels = read_channels(&bench);
        assert_int_equal(channels->count, 0);
        assert_true(isnan(channels->bytes_per_second));
        assert_string_equal(channels->sentence,
                            "8 of 8 slots populated with DDR4 at 3200 MT/s; their names do not "
                            "say which channel each is on");
        pool_free(&bench.pool);
    }
}

static void empty_channels_are_named(void **state)
{
    struct bench bench;
    fill(&bench, "%c", "P0 CHANNEL %c", 8);
    take_out(&bench, 7);
    assert_true(fabs(read_channels(&bench)->bytes_per_second - 204.8e9) < 1);
    assert_sentence(&bench, "7 of 8 channels populated with DDR4 at 3200 MT/s, slot H is empty");
    take_out(&bench, 2);
    assert_sentence(&bench,
                    "6 of 8 channels populated with DDR4 at 3200 MT/s, slots C and H are empty");
    take_out(&bench, 0);
    take_out(&bench, 4);
    take_out(&bench, 6);
    assert_sentence(&bench, "3 of 8 channels populated with DDR4 at 3200 MT/s, slots A, C, E, G "
                            "and 1 more are empty");
    for (int i = 0; i < 8; i++)
        take_out(&bench, i);
    assert_null(read_channels(&bench)->sentence);
    pool_free(&bench.pool);
}

/* The second slot of a channel adds no bandwidth, and its being empty takes none. */
static void a_channel_s_second_slot_carries_nothing(void **state)
{
    struct bench bench;
    fill(&bench, "DIMM_%c1", "", 16);
    for (int i = 8; i < 16; i++) {
        snprintf(bench.names[i][0], sizeof bench.names[i][0], "DIMM_%c2", 'A' + i - 8);
        take_out(&bench, i);
    }
    assert_true(fabs(read_channels(&bench)->bytes_per_second - 204.8e9) < 1);
    assert_sentence(&bench, "8 channels of DDR4 at 3200 MT/s");
}

static void the_slowest_module_s_clock_counts(void **state)
{
    struct bench bench;
    fill(&bench, "DIMM_%c1", "", 4);
    for (int i = 0; i < 4; i++)
        bench.modules[i].configured_mts = 2933;
    assert_true(fabs(read_channels(&bench)->bytes_per_second - 4 * 2933e6 * 8) < 1);
    assert_sentence(&bench, "4 channels of DDR4 at 2933 of the modules' 3200 MT/s");
    bench.modules[1].data_bits = 0; /* unknown: then so is the sum */
    assert_true(isnan(read_channels(&bench)->bytes_per_second));
    pool_free(&bench.pool);
    fill(&bench, "DIMM_%c1", "", 4);
    bench.modules[3].type = "NVDIMM"; /* no main memory */
    assert_sentence(&bench, "3 channels of DDR4 at 3200 MT/s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_tell_channels),
        cmocka_unit_test(nothing_is_guessed),
        cmocka_unit_test(empty_channels_are_named),
        cmocka_unit_test(a_channel_s_second_slot_carries_nothing),
        cmocka_unit_test(the_slowest_module_s_clock_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
