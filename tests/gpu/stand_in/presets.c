/*
 * Machines that are like existing ones, a tiny one, and random ones. Sizes, latencies and rates of
 * the first are near published ones (gpu-benches; Jia et al., arXiv 1804.06826 and 1903.07486; RTX
 * 2080 Ti and H800 as in the project's notes); where nothing is published they are made up. They
 * are what fathom has to find, not what those devices do.
 */
#include "base/random.h"
#include "machine.h"

#include <math.h>
#include <string.h>

#define KIB(n) (UINT64_C(1024) * (n))
#define MIB(n) (UINT64_C(1048576) * (n))
#define GIB(n) (UINT64_C(1073741824) * (n))

/* What all have in common. */
#define COMMON                                                                                     \
    .devices = 1, .line = 128, .sector = 32, .l1_ways = 16, .l1_count = 1, .l2_ways = 16,          \
    .constant1 = KIB(2), .peers = 1, .driver = 12040, .power_w = 120, .temperature_c = 45,         \
    .copy_us = 2, .watchdog = 40, .hang_s = 30, .link_generation = 4, .link_lanes = 16,            \
    .nodes = 1, .managed = 1

static const struct machine presets[] = {
    {COMMON,
     .preset = "turing",
     .capability = 75,
     .sms = 68,
     .memory = GIB(11),
     .clock_mhz = 1545,
     .threads_per_sm = 1024,
     .blocks_per_sm = 16,
     .l1 = KIB(96),
     .l1_latency = 32,
     .steps = {KIB(32), KIB(64)},
     .step_count = 2,
     .shared_latency = 23,
     .shared_banks = 32,
     .bank_turn = 2,
     .shared_atomic_latency = 40,
     .cluster_most = 1,
     .cluster_latency = 1,
     .texture_latency = 52,
     .atomic_latency = 230,
     .constant1_latency = 26,
     .constant2 = KIB(32),
     .constant2_latency = 90,
     .l2 = KIB(5632),
     .l2_latency = 188,
     .dram_latency = 436,
     .tlb_reach = MIB(256),
     .tlb_page = MIB(2),
     .tlb_latency = 130,
     .host_latency = 1500,
     .peer_latency = 1400,
     .dram_bandwidth = 616,
     .l2_bandwidth = 1800,
     .shared_bandwidth = 64,
     .pcie_bandwidth = 12,
     .peer_bandwidth = 45,
     .pinned_bandwidth = 12.5,
     .pageable_bandwidth = 6,
     .launch_us = 5,
     .timer_ns = 1024,
     .memory_mhz = 7000},
    {COMMON,
     .preset = "volta",
     .capability = 70,
     .sms = 80,
     .memory = GIB(16),
     .clock_mhz = 1530,
     .threads_per_sm = 2048,
     .blocks_per_sm = 32,
     .l1 = KIB(128),
     .l1_latency = 28,
     .steps = {0, KIB(8), KIB(16), KIB(32), KIB(64), KIB(96)},
     .step_count = 6,
     .shared_latency = 19,
     .shared_banks = 32,
     .bank_turn = 2,
     .shared_atomic_latency = 36,
     .cluster_most = 1,
     .cluster_latency = 1,
     .texture_latency = 48,
     .atomic_latency = 225,
     .constant1_latency = 27,
     .constant2 = KIB(38),
     .constant2_latency = 89,
     .l2 = KIB(6144),
     .l2_latency = 193,
     .dram_latency = 400,
     .tlb_reach = MIB(512),
     .tlb_page = MIB(2),
     .tlb_latency = 180,
     .host_latency = 1500,
     .peer_latency = 1300,
     .dram_bandwidth = 900,
     .l2_bandwidth = 2155,
     .shared_bandwidth = 128,
     .pcie_bandwidth = 12,
     .peer_bandwidth = 48,
     .pinned_bandwidth = 12.5,
     .pageable_bandwidth = 6,
     .launch_us = 5,
     .timer_ns = 1024,
     .memory_mhz = 877},
    {COMMON,
     .preset = "ampere",
     .capability = 80,
     .sms = 108,
     .memory = GIB(40),
     .clock_mhz = 1410,
     .threads_per_sm = 2048,
     .blocks_per_sm = 32,
     .l1 = KIB(192),
     .l1_latency = 33,
     .steps = {0, KIB(8), KIB(16), KIB(32), KIB(64), KIB(100), KIB(132), KIB(164)},
     .step_count = 8,
     .shared_reserved = KIB(1),
     .shared_latency = 23,
     .shared_banks = 32,
     .bank_turn = 2,
     .shared_atomic_latency = 38,
     .cluster_most = 1,
     .cluster_latency = 1,
     .texture_latency = 45,
     .atomic_latency = 260,
     .constant1_latency = 26,
     .constant2 = KIB(64),
     .constant2_latency = 94,
     .l2 = MIB(40),
     .l2_latency = 200,
     .l2_far_latency = 310,
     .dram_latency = 560,
     .tlb_reach = GIB(4),
     .tlb_page = MIB(2),
     .tlb_latency = 220,
     .host_latency = 1400,
     .peer_latency = 1200,
     .dram_bandwidth = 1555,
     .l2_bandwidth = 4500,
     .shared_bandwidth = 128,
     .pcie_bandwidth = 25,
     .peer_bandwidth = 230,
     .pinned_bandwidth = 25,
     .pageable_bandwidth = 10,
     .launch_us = 4,
     .timer_ns = 1024,
     .memory_mhz = 1215},
    {COMMON,
     .preset = "hopper",
     .capability = 90,
     .sms = 132,
     .memory = GIB(80),
     .clock_mhz = 1755,
     .threads_per_sm = 2048,
     .blocks_per_sm = 32,
     .l1 = KIB(256),
     .l1_latency = 33,
     .steps = {0, KIB(8), KIB(16), KIB(32), KIB(64), KIB(100), KIB(132), KIB(164), KIB(196),
               KIB(228)},
     .step_count = 10,
     .shared_reserved = KIB(1),
     .shared_latency = 29,
     .shared_banks = 32,
     .bank_turn = 2,
     .shared_atomic_latency = 44,
     .cluster_most = 8,
     .cluster_latency = 180,
     .texture_latency = 39,
     .atomic_latency = 290,
     .constant1_latency = 21,
     .constant2 = KIB(64),
     .constant2_latency = 105,
     .l2 = MIB(50),
     .l2_latency = 220,
     .l2_far_latency = 320,
     .dram_latency = 660,
     .tlb_reach = GIB(8),
     .tlb_page = MIB(2),
     .tlb_latency = 250,
     .host_latency = 1300,
     .peer_latency = 1200,
     .dram_bandwidth = 2000,
     .l2_bandwidth = 5700,
     .shared_bandwidth = 128,
     .pcie_bandwidth = 52,
     .peer_bandwidth = 370,
     .pinned_bandwidth = 54,
     .pageable_bandwidth = 14,
     .launch_us = 3.5,
     .timer_ns = 32,
     .memory_mhz = 1593},
    {COMMON,
     .preset = "tiny",
     .capability = 90,
     .sms = 4,
     .memory = MIB(128),
     .clock_mhz = 1000,
     .threads_per_sm = 512,
     .blocks_per_sm = 8,
     .l1 = KIB(64),
     .l1_latency = 30,
     .steps = {0, KIB(8), KIB(16), KIB(32), KIB(48)},
     .step_count = 5,
     .shared_latency = 24,
     .shared_banks = 32,
     .bank_turn = 2,
     .shared_atomic_latency = 41,
     .cluster_most = 4,
     .cluster_latency = 150,
     .texture_latency = 43,
     .atomic_latency = 230,
     .constant1_latency = 20,
     .constant2 = KIB(16),
     .constant2_latency = 80,
     .l2 = KIB(512),
     .l2_latency = 180,
     .l2_far_latency = 260,
     .dram_latency = 500,
     .tlb_reach = MIB(8),
     .tlb_page = KIB(128),
     .tlb_latency = 200,
     .host_latency = 1200,
     .peer_latency = 900,
     .dram_bandwidth = 60,
     .l2_bandwidth = 150,
     .shared_bandwidth = 64,
     .pcie_bandwidth = 8,
     .peer_bandwidth = 20,
     .pinned_bandwidth = 10,
     .pageable_bandwidth = 5,
     .launch_us = 4,
     .timer_ns = 32,
     .memory_mhz = 1000},
};

int machine_preset(struct machine *machine, const char *name)
{
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (!strcmp(presets[i].preset, name)) {
            *machine = presets[i];
            return 0;
        }
    return -1;
}

static uint64_t between(struct random *random, uint64_t low, uint64_t high)
{
    return low + random_below(random, high - low + 1);
}

/* Uniform on a logarithmic scale, a multiple of `step`. */
static uint64_t scaled(struct random *random, double low, double high, uint64_t step)
{
    double value = low * pow(high / low, random_unit(random));
    return (uint64_t)(value / (double)step + 0.5) * step;
}

static void choose_first_level(struct random *random, struct machine *machine)
{
    const uint64_t set = machine->line * machine->l1_ways;
    const uint64_t steps = between(random, 1, 3);
    /* Every device gives a block 48 KiB. Nothing, then three quarters, or half of them before, and
     * so on. */
    machine->l1 = scaled(random, 65536, 131072, 16 * set);
    machine->l1_latency = between(random, 25, 45);
    machine->step_count = steps + 1;
    machine->steps[0] = 0;
    for (uint64_t i = 1; i <= steps; i++)
        machine->steps[i] = (machine->l1 / set * 3 / 4 >> (steps - i)) * set;
    machine->shared_latency = between(random, 18, 34);
    machine->shared_atomic_latency = machine->shared_latency + between(random, 8, 25);
    machine->texture_latency = machine->l1_latency + between(random, 5, 30);
    machine->constant1_latency = between(random, 16, 30);
    machine->constant2 = scaled(random, 8192, 32768, 4096);
    machine->constant2_latency = between(random, 70, 120);
}

static void choose_second_level(struct random *random, struct machine *machine)
{
    const uint64_t set = machine->line * machine->l2_ways;
    /* Nearer than four times, and they are not two plateaus. */
    machine->l2 = scaled(random, 5.0 * (double)machine->l1, 14.0 * (double)machine->l1, 4 * set);
    machine->l2_latency = between(random, 160, 300);
    if (between(random, 0, 1))
        machine->l2_far_latency = machine->l2_latency + between(random, 60, 160);
    uint64_t slowest = machine->l2_far_latency ? machine->l2_far_latency : machine->l2_latency;
    machine->dram_latency = slowest + between(random, 150, 400);
    machine->atomic_latency = machine->l2_latency + between(random, 5, 60);
    machine->cluster_latency = between(random, 120, 220);
    machine->tlb_page = UINT64_C(65536) << between(random, 0, 2);
    machine->tlb_reach = machine->tlb_page * between(random, 1, 4) * 16;
    while (machine->tlb_reach < 8 * machine->l2)
        machine->tlb_reach *= 2;
    machine->tlb_latency = between(random, 100, 400);
    machine->memory = 16 * machine->tlb_reach;
    machine->host_latency = between(random, 900, 2000);
    machine->peer_latency = between(random, 700, 1500);
}

static void choose_roads(struct random *random, struct machine *machine)
{
    machine->dram_bandwidth = (double)between(random, 20, 80);
    machine->l2_bandwidth = machine->dram_bandwidth * (2 + random_unit(random));
    machine->shared_bandwidth = (double)(32 << between(random, 0, 2));
    machine->pcie_bandwidth = (double)between(random, 4, 12);
    machine->peer_bandwidth = (double)between(random, 8, 20);
    machine->pinned_bandwidth = (double)between(random, 6, 25);
    machine->pageable_bandwidth = machine->pinned_bandwidth * (0.3 + 0.4 * random_unit(random));
    machine->launch_us = 2 + 6 * random_unit(random);
}

void machine_random(struct machine *machine, uint64_t seed)
{
    static const uint64_t capabilities[] = {70, 75, 80, 86, 89, 90};
    struct random random = {random_mix(seed)};
    machine_preset(machine, "tiny");
    machine->capability = capabilities[random_below(&random, 6)];
    machine->sms = 2 * between(&random, 2, 6);
    machine->clock_mhz = (double)between(&random, 900, 2200);
    machine->l2_far_latency = 0;
    machine->cluster_most = machine->capability >= 90 ? 4 : 1;
    machine->timer_ns = between(&random, 0, 1) ? 32 : 1024;
    choose_first_level(&random, machine);
    choose_second_level(&random, machine);
    choose_roads(&random, machine);
    machine->shared_banks = UINT64_C(16) << between(&random, 0, 1);
    machine->bank_turn = between(&random, 1, 4);
}
