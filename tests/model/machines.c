#include "machines.h"

#include "base/random.h"

#include <math.h>

static const uint32_t KIB = 1024, MIB = 1024 * 1024;

static double between(struct random *random, double low, double high)
{
    return low + (high - low) * random_unit(random);
}

/* Uniform on a logarithmic scale. */
static double scaled(struct random *random, double low, double high)
{
    return low * pow(high / low, random_unit(random));
}

/* The same, but small ones come more often: real machines would be as good, and take longer. */
static double scaled_small(struct random *random, double low, double high)
{
    double unit = random_unit(random);
    return low * pow(high / low, unit * unit * unit);
}

static bool chance(struct random *random, double share)
{
    return random_unit(random) < share;
}

static uint32_t one_of(struct random *random, const uint32_t *list, size_t count)
{
    return list[random_below(random, count)];
}

/* A cache of about that many bytes: some ways, and a power of two of sets. */
static void choose_shape(struct random *random, struct model_cache *cache, double bytes,
                         unsigned line_bytes)
{
    static const uint32_t ways[] = {4, 8, 8, 8, 10, 12, 16, 16};
    static const uint32_t tree_ways[] = {4, 8, 8, 16};
    double kind = random_unit(random);
    cache->replacement = kind < 0.5 ? MODEL_LRU : kind < 0.85 ? MODEL_TREE_PLRU : MODEL_RANDOM;
    cache->ways = cache->replacement == MODEL_TREE_PLRU
                      ? one_of(random, tree_ways, sizeof tree_ways / sizeof *tree_ways)
                      : one_of(random, ways, sizeof ways / sizeof *ways);
    double sets = exp2(round(log2(bytes / line_bytes / cache->ways)));
    cache->bytes = (uint32_t)(sets * line_bytes * cache->ways);
}

/* A level holds at least four times as much as the one before, eight times where that one keeps
 * some of a cycle that is too long for it: nearer, and they are not two plateaus. */
static double least_after(const struct model_cache *before)
{
    return (before->replacement == MODEL_RANDOM ? 11.3 : 5.7) * before->bytes;
}

static void choose_caches(struct random *random, struct model_machine *machine)
{
    struct model_cache *caches = machine->caches;
    choose_shape(random, &caches[0], scaled_small(random, 4 * KIB, 32 * KIB), machine->line_bytes);
    caches[0].cycles = floor(between(random, 3, 6));
    double least = fmax(32 * KIB, least_after(&caches[0]));
    choose_shape(random, &caches[1], scaled_small(random, least, fmax(MIB / 4, 1.2 * least)),
                 machine->line_bytes);
    caches[1].cycles = floor(between(random, 10, 20));
    caches[1].physical = true;
    caches[1].filling = chance(random, 0.2)   ? MODEL_INCLUSIVE
                        : chance(random, 0.1) ? MODEL_EXCLUSIVE
                                              : MODEL_INDEPENDENT;
    machine->level_count = 2;
    least = fmax(MIB / 4, least_after(&caches[1]));
    if (chance(random, 0.45) || least > 2 * MIB)
        return;
    machine->level_count = 3;
    choose_shape(random, &caches[2],
                 fmin(scaled_small(random, least, fmax(MIB, 1.2 * least)), 8 * MIB),
                 machine->line_bytes);
    caches[2].physical = true;
    caches[2].hashed = chance(random, 0.6);
    caches[2].cycles = caches[1].cycles + between(random, 5, 15);
    caches[2].ns = between(random, 5, 15);
    caches[2].filling = chance(random, 0.3)   ? MODEL_INCLUSIVE
                        : chance(random, 0.3) ? MODEL_EXCLUSIVE
                                              : MODEL_INDEPENDENT;
}

static void choose_tlbs(struct random *random, struct model_machine *machine)
{
    static const uint32_t first[] = {16, 24, 32, 48, 64, 64, 72, 96};
    static const uint32_t second[] = {256, 512, 1024, 1024, 1536, 2048};
    for (unsigned pages = 0; pages < 2; pages++) {
        struct model_tlb *tlbs = machine->tlbs[pages];
        /* First levels of real machines hold eight lines and more for each page that they know. */
        uint32_t lines = machine->caches[0].bytes / machine->line_bytes;
        uint32_t entries = one_of(random, first, sizeof first / sizeof *first);
        while (entries > 16 && entries > lines / 4)
            entries /= 2;
        tlbs[0].entries = entries < 16 ? 16 : entries;
        bool four_ways = chance(random, 0.4) && (tlbs[0].entries & (tlbs[0].entries - 1)) == 0;
        tlbs[0].ways = four_ways ? 4 : 0;
        tlbs[1].entries = one_of(random, second, sizeof second / sizeof *second);
        tlbs[1].ways = tlbs[1].entries == 1536 ? 12 : 8;
        tlbs[1].cycles = floor(between(random, 5, 10));
        machine->walk_cycles[pages] = tlbs[1].cycles + floor(between(random, 12, 40));
    }
    machine->huge_pages = chance(random, 0.8);
}

static void choose_noise(struct random *random, struct model_noise *noise)
{
    *noise = (struct model_noise){
        .trial_sigma = scaled(random, 0.0005, 0.004),
        .batch_sigma = scaled(random, 0.0005, 0.004),
        .dwell_s = scaled(random, 0.03, 0.2),
        .drift = chance(random, 0.3) ? scaled(random, 0.001, 0.005) : 0,
        .drift_period_s = scaled(random, 1, 4),
        .spikes_per_s = scaled(random, 1, 300),
        .spike_ns = scaled(random, 2e3, 2e5),
    };
    if (chance(random, 0.4)) {
        noise->slow_share = between(random, 0.05, 0.4);
        noise->slow_ratio = between(random, 0.7, 0.95);
    }
    if (chance(random, 0.3))
        noise->neighbour_share = between(random, 0.05, 0.3);
    if (chance(random, 0.2)) {
        noise->far_share = between(random, 0.05, 0.3);
        noise->far_ratio = between(random, 1.05, 1.3);
    }
}

void machine_random(struct model_machine *machine, uint64_t seed)
{
    struct random random = {seed};
    *machine = (struct model_machine){
        .line_bytes = 64,
        .core_hz = between(&random, 1.5e9, 5e9),
        .row_bytes = 512, /* scaled like the caches */
        .banks = 16,
        .dram_cycles = between(&random, 20, 50),
        .row_hit_ns = between(&random, 45, 60),
        .forward_cycles = 4,
    };
    machine->row_miss_ns = machine->row_hit_ns + between(&random, 15, 45);
    choose_caches(&random, machine);
    choose_tlbs(&random, machine);
    if (chance(&random, 0.8)) {
        machine->prefetch_depth = 1 + (unsigned)random_below(&random, 8);
        machine->prefetch_lines = 1u << random_below(&random, 5);
        machine->prefetch_backward = chance(&random, 0.7);
        machine->prefetch_across_pages = chance(&random, 0.2);
    }
    choose_noise(&random, &machine->noise);
}

uint64_t machine_capacity(const struct model_machine *machine, unsigned level)
{
    return machine->caches[level].bytes;
}

/* All that the levels up to this one hold. */
static double bytes_held(const struct model_machine *machine, unsigned level)
{
    double bytes = machine->caches[level].bytes;
    while (level > 0 && machine->caches[level].filling == MODEL_EXCLUSIVE)
        bytes += machine->caches[--level].bytes;
    return bytes;
}

double machine_latency_ns(const struct model_machine *machine, unsigned level)
{
    if (level < machine->level_count)
        return machine->caches[level].cycles * 1e9 / machine->core_hz + machine->caches[level].ns;
    /* A random load finds its row open where the last one to its bank went there too. */
    double bytes = 4 * bytes_held(machine, machine->level_count - 1);
    double open = fmin(1, (double)machine->banks * machine->row_bytes / bytes);
    return machine->dram_cycles * 1e9 / machine->core_hz + open * machine->row_hit_ns +
           (1 - open) * machine->row_miss_ns;
}

double machine_latency_cycles(const struct model_machine *machine, unsigned level)
{
    return machine_latency_ns(machine, level) * machine->core_hz * 1e-9;
}

bool machine_capacity_defined(const struct model_machine *machine, unsigned level)
{
    const struct model_cache *cache = &machine->caches[level];
    return machine->huge_pages || !cache->physical || cache->bytes / cache->ways <= 4096;
}
