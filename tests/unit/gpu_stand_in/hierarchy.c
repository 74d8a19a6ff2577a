#include "../../gpu/stand_in/hierarchy.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { LINE = 128, SMS = 4, LOADS = 20000 };

struct scene {
    struct machine machine;
    struct hierarchy hierarchy;
    uint64_t now;
};

/* As tiny, but smaller, and with one partition unless asked for. */
static void set_up(struct scene *scene, const char *settings)
{
    char text[256], why[256];
    snprintf(text, sizeof text, "tiny,l1=32K,carve_out=0:16K,l2=256K,l2_far_latency=0%s", settings);
    const char *wrong = machine_read(&scene->machine, text, why, sizeof why);
    if (wrong)
        fail_msg("%s", wrong);
    assert_true(hierarchy_create(&scene->hierarchy, &scene->machine));
    hierarchy_begin(&scene->hierarchy, scene->machine.l1, scene->machine.clock_mhz);
    scene->now = 0;
}

/* One load of 8 bytes after the other has come; its latency. */
static uint64_t load(struct scene *scene, unsigned sm, enum road road, enum where where,
                     uint64_t place)
{
    uint64_t line = place / LINE * LINE;
    struct access access = {sm, road, where, line,
                            (uint8_t)(1u << (place - line) / scene->machine.sector)};
    uint64_t there = hierarchy_access(&scene->hierarchy, &access, scene->now);
    uint64_t latency = there - scene->now;
    scene->now = there;
    return latency;
}

/* The mean of the last round of three over a block, a load every `stride` bytes. */
static double mean(struct scene *scene, enum road road, uint64_t bytes, uint64_t stride)
{
    uint64_t sum = 0;
    for (int round = 0; round < 3; round++) {
        sum = 0;
        for (uint64_t at = 0; at < bytes; at += stride)
            sum += load(scene, 0, road, WHERE_DEVICE, at);
    }
    return (double)sum * (double)stride / (double)bytes;
}

static void assert_near(double value, double expected)
{
    if (value < expected * 0.995 || value > expected * 1.005)
        fail_msg("%g for %g", value, expected);
}

static void each_level_has_its_latency(void **state)
{
    (void)state;
    static const struct {
        enum road road;
        uint64_t bytes;
        double cycles;
    } cases[] = {
        {ROAD_L1, 16 << 10, 30},      {ROAD_L1, 128 << 10, 180},      {ROAD_L1, 1 << 20, 500},
        {ROAD_L2, 16 << 10, 180},     {ROAD_L2, 1 << 20, 500},        {ROAD_UNCACHED, 4096, 500},
        {ROAD_ATOMIC, 16 << 10, 230}, {ROAD_ATOMIC, 1 << 20, 550},    {ROAD_TEXTURE, 8192, 43},
        {ROAD_TEXTURE, 1 << 20, 513}, {ROAD_TEXTURE, 128 << 10, 193},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        set_up(&scene, "");
        assert_near(mean(&scene, cases[i].road, cases[i].bytes, LINE), cases[i].cycles);
        hierarchy_free(&scene.hierarchy);
    }
}

/* The largest block that is still as fast, and the smallest that is as slow, within a few per cent
 * of what is declared. */
static void capacities_have_sharp_edges(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        double inside, outside;
    } levels[] = {{32 << 10, 30, 180}, {256 << 10, 180, 500}};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        set_up(&scene, "");
        uint64_t bytes = levels[i].bytes;
        assert_near(mean(&scene, ROAD_L1, bytes, LINE), levels[i].inside);
        assert_near(mean(&scene, ROAD_L1, bytes * 107 / 100 / LINE * LINE, LINE),
                    levels[i].outside);
        hierarchy_free(&scene.hierarchy);
    }
}

static void the_split_makes_the_first_level_smaller(void **state)
{
    (void)state;
    struct scene scene;
    set_up(&scene, "");
    assert_near(mean(&scene, ROAD_L1, 24 << 10, LINE), 30);
    hierarchy_begin(&scene.hierarchy, 16 << 10, scene.machine.clock_mhz);
    assert_near(mean(&scene, ROAD_L1, 16 << 10, LINE), 30);
    assert_near(mean(&scene, ROAD_L1, 24 << 10, LINE), 180);
    hierarchy_free(&scene.hierarchy);
}

static void a_kernel_begins_with_an_empty_first_level(void **state)
{
    (void)state;
    struct scene scene;
    set_up(&scene, "");
    load(&scene, 0, ROAD_L1, WHERE_DEVICE, 0);
    assert_int_equal(load(&scene, 0, ROAD_L1, WHERE_DEVICE, 0), 30);
    assert_int_equal(load(&scene, 1, ROAD_L1, WHERE_DEVICE, 0), 180);
    hierarchy_begin(&scene.hierarchy, 32 << 10, scene.machine.clock_mhz);
    assert_int_equal(load(&scene, 0, ROAD_L1, WHERE_DEVICE, 0), 180);
    hierarchy_free(&scene.hierarchy);
}

/* A line comes in sectors: its neighbours have to be fetched on their own. */
static void lines_come_in_sectors(void **state)
{
    (void)state;
    struct scene scene;
    set_up(&scene, ",tlb_latency=0");
    assert_int_equal(load(&scene, 0, ROAD_L1, WHERE_DEVICE, 0), 500);
    assert_int_equal(load(&scene, 0, ROAD_L1, WHERE_DEVICE, 24), 30);
    assert_int_equal(load(&scene, 0, ROAD_L1, WHERE_DEVICE, 32), 500);
    assert_int_equal(load(&scene, 0, ROAD_L1, WHERE_DEVICE, 40), 30);
    hierarchy_free(&scene.hierarchy);
}

static void translation_adds_its_latency(void **state)
{
    (void)state;
    struct scene scene;
    set_up(&scene, ",tlb_reach=2M,tlb_page=64K,tlb_latency=77");
    /* 32 pages; few lines, all of them in the second level. */
    assert_near(mean(&scene, ROAD_L2, 2 << 20, 64 << 10), 180);
    assert_near(mean(&scene, ROAD_L2, 4 << 20, 64 << 10), 257);
    /* What hits in the first level needs no translation. */
    assert_near(mean(&scene, ROAD_L1, 4 << 20, 64 << 10), 30);
    hierarchy_free(&scene.hierarchy);
}

/* Half of all lines are near to each multiprocessor, in whatever order they are visited. */
static void partitions_are_near_and_far(void **state)
{
    (void)state;
    struct scene scene;
    set_up(&scene, ",l2_far_latency=260");
    for (uint64_t stride = LINE; stride <= 4096; stride *= 2) {
        uint64_t cycles = 0, far[SMS] = {0};
        for (uint64_t i = 0; i < 64; i++) {
            load(&scene, 0, ROAD_L2, WHERE_DEVICE, i * stride);
            uint64_t seen[SMS];
            for (unsigned sm = 0; sm < SMS; sm++) {
                seen[sm] = load(&scene, sm, ROAD_L2, WHERE_DEVICE, i * stride);
                far[sm] += seen[sm] == 260;
                assert_true(seen[sm] == 180 || seen[sm] == 260);
                /* What misses has gone as far. */
                assert_int_equal(load(&scene, sm, ROAD_UNCACHED, WHERE_DEVICE, i * stride),
                                 seen[sm] - 220 + 500);
            }
            assert_int_equal(seen[0], seen[1]);
            assert_int_equal(seen[2], seen[3]);
            assert_int_equal(seen[0] + seen[2], 440);
            cycles += seen[0];
        }
        assert_int_equal(far[0], 32);
        assert_int_equal(cycles, 64 * 220);
    }
    assert_near(mean(&scene, ROAD_L2, 1 << 20, LINE), 500);
    hierarchy_free(&scene.hierarchy);
}

/* Half of the second level is a cache of the multiprocessor's own side. Beyond it a far line is a
 * hit in the other half until all is full, while what is evicted of the own half comes from memory.
 */
static void copies_lie_near(void **state)
{
    (void)state;
    struct scene scene;
    set_up(&scene, ",l2_far_latency=260,l2_copies=1");
    assert_near(mean(&scene, ROAD_L2, 64 << 10, LINE), 180);
    assert_near(mean(&scene, ROAD_L2, 192 << 10, LINE), (260 + 460) / 2.0);
    assert_near(mean(&scene, ROAD_L2, 1 << 20, LINE), 500);
    uint64_t near = 0;
    for (uint64_t line = 0; line < 64; line++) /* done where the line is at home */
        near += load(&scene, 0, ROAD_ATOMIC, WHERE_DEVICE, line * LINE) > 1 &&
                load(&scene, 0, ROAD_ATOMIC, WHERE_DEVICE, line * LINE) == 230;
    assert_int_equal(near, 32);
    hierarchy_free(&scene.hierarchy);
}

static void other_memories_are_far_and_kept_in_the_first_level_alone(void **state)
{
    (void)state;
    const uint64_t place = UINT64_C(1) << 37;
    struct scene scene;
    set_up(&scene, ",tlb_latency=0");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(load(&scene, 0, ROAD_L2, WHERE_HOST, place), 1200);
        assert_int_equal(load(&scene, 0, ROAD_L2, WHERE_PEER, place + 4096), 900);
    }
    assert_int_equal(load(&scene, 0, ROAD_L1, WHERE_HOST, place), 1200);
    assert_int_equal(load(&scene, 0, ROAD_L1, WHERE_HOST, place), 30);
    hierarchy_free(&scene.hierarchy);
}

static void constants_have_two_levels_of_their_own(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        double cycles;
    } cases[] = {{1024, 20}, {2048, 20}, {4096, 80}, {16384, 80}, {32768, 180}};
    struct scene scene;
    set_up(&scene, "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t sum = 0, stride = cases[i].bytes > 16384 ? 256 : 64;
        for (int round = 0; round < 3; round++) {
            sum = 0;
            for (uint64_t at = 0; at < cases[i].bytes; at += stride) {
                uint64_t there = hierarchy_constant(&scene.hierarchy, 0, at, scene.now);
                sum += there - scene.now;
                scene.now = there;
            }
        }
        assert_near((double)sum * (double)stride / (double)cases[i].bytes, cases[i].cycles);
    }
    hierarchy_free(&scene.hierarchy);
}

/* Whole lines as fast as they are taken, from all multiprocessors: bytes a cycle. */
static double rate(struct scene *scene, enum road road, uint64_t bytes)
{
    uint64_t last = 0, count = LOADS;
    for (int round = 0; round < 2; round++) {
        hierarchy_begin(&scene->hierarchy, 32 << 10, scene->machine.clock_mhz);
        last = 0;
        for (uint64_t i = 0; i < count; i++) {
            struct access access = {(unsigned)(i % SMS), road, WHERE_DEVICE,
                                    i * LINE % bytes,    15,   0};
            uint64_t there = hierarchy_access(&scene->hierarchy, &access, i / SMS);
            last = there > last ? there : last;
        }
    }
    uint64_t drained = hierarchy_drained(&scene->hierarchy);
    return (double)(count * LINE) / (double)(drained > last ? drained : last);
}

static void roads_pass_what_they_are_declared_to(void **state)
{
    (void)state;
    /* 10^9 bytes a second at 1000 MHz: bytes a cycle are the same number. */
    static const struct {
        enum road road;
        uint64_t bytes;
        double rate;
    } cases[] = {{ROAD_L2, 64 << 10, 150},  {ROAD_L2, 1 << 20, 60},
                 {ROAD_UNCACHED, 4096, 60}, {ROAD_STORE, 64 << 10, 150},
                 {ROAD_STORE, 1 << 20, 60}, {ROAD_L1, 8 << 10, 4 * 64}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        set_up(&scene, "");
        double found = rate(&scene, cases[i].road, cases[i].bytes);
        if (found < cases[i].rate * 0.92 || found > cases[i].rate * 1.01)
            fail_msg("case %zu: %g for %g", i, found, cases[i].rate);
        hierarchy_free(&scene.hierarchy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_level_has_its_latency),
        cmocka_unit_test(capacities_have_sharp_edges),
        cmocka_unit_test(the_split_makes_the_first_level_smaller),
        cmocka_unit_test(a_kernel_begins_with_an_empty_first_level),
        cmocka_unit_test(lines_come_in_sectors),
        cmocka_unit_test(translation_adds_its_latency),
        cmocka_unit_test(partitions_are_near_and_far),
        cmocka_unit_test(copies_lie_near),
        cmocka_unit_test(other_memories_are_far_and_kept_in_the_first_level_alone),
        cmocka_unit_test(constants_have_two_levels_of_their_own),
        cmocka_unit_test(roads_pass_what_they_are_declared_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
