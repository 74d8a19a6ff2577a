#include "conclude/levels/level.h"

#include "stats/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SAMPLES_MOST = 600 };

/* The share of misses of a simulated memory beyond a capacity: derived from each policy,
 * independently of the fit's tables. */
enum planted_policy { SHARP, RANDOM_REPLACEMENT, SOFT, POLICIES };

struct planted {
    size_t levels; /* memory included */
    double latency[5], capacity[4];
    enum planted_policy policy[4];
    double noise; /* relative deviation of the slowest level's points; the first has a tenth */
};

struct curve {
    struct level_sample samples[SAMPLES_MOST];
    size_t n;
};

static double planted_share(enum planted_policy policy, double ratio)
{
    double share = 1;
    switch (policy) {
    case SHARP: /* LRU, eight ways, contiguous: a set is one line too full at 9/8 */
        return fmin(1, fmax(0, 8 * (ratio - 1) * (9.0 / 8) / ratio));
    case RANDOM_REPLACEMENT: /* a line survives its lap with exp(-ratio * share) */
        if (ratio <= 1)
            return 0;
        for (int i = 0; i < 200; i++)
            share = 1 - exp(-ratio * share);
        return share;
    default: /* some tenths to either side, as neighbours and scattered pages make it */
        return 1 / (1 + pow(ratio, -7));
    }
}

static double planted_latency(const struct planted *planted, double bytes)
{
    double latency = planted->latency[0];
    for (size_t k = 0; k + 1 < planted->levels; k++)
        latency += (planted->latency[k + 1] - planted->latency[k]) *
                   planted_share(planted->policy[k], bytes / planted->capacity[k]);
    return latency;
}

static void add(struct curve *curve, const struct planted *planted, double bytes,
                struct random *random)
{
    double pure = planted_latency(planted, bytes), top = planted->latency[planted->levels - 1];
    double noise = planted->noise * fmax(0.1, pure / top);
    /* A median of six trials has two fifths of one trial's deviation. */
    double seen = pure * (1 + 0.5 * noise * sample_normal(random));
    assert_true(curve->n < SAMPLES_MOST);
    curve->samples[curve->n++] = (struct level_sample){
        .bytes = bytes, .latency = seen, .low = seen - noise * pure, .high = seen + noise * pure};
}

static void sweep(struct curve *curve, const struct planted *planted, double from, double to,
                  double per_octave, struct random *random)
{
    for (double octave = 0; from * exp2(octave) <= to * 1.001; octave += 1 / per_octave)
        add(curve, planted, floor(from * exp2(octave) / 64) * 64, random);
}

static void find(struct curve *curve, struct levels *levels)
{
    levels_find(&(struct pool){0}, LEVEL_PAGES_KNOWN, curve->samples, curve->n, NULL, 0, levels);
}

static size_t count_on(struct curve *curve, enum level_pages pages)
{
    struct levels levels;
    levels_find(&(struct pool){0}, pages, curve->samples, curve->n, NULL, 0, &levels);
    return levels.count;
}

static void assert_near(double value, double wanted, double relative)
{
    if (!(fabs(value / wanted - 1) <= relative))
        fail_msg("%g is not within %g %% of %g", value, 100 * relative, wanted);
}

static const struct planted usual = {
    .levels = 4,
    .latency = {4, 14, 50, 300},
    .capacity = {32 << 10, 512 << 10, 8 << 20},
    .policy = {SHARP, SHARP, RANDOM_REPLACEMENT},
    .noise = 0.02,
};

static void four_levels_are_found_with_their_capacities(void **state)
{
    struct curve curve = {0};
    struct levels levels;
    sweep(&curve, &usual, 1024, 64 << 20, 8, &(struct random){1});
    find(&curve, &levels);
    assert_int_equal(levels.count, 4);
    assert_true(!levels.rising);
    for (size_t k = 0; k < 4; k++) {
        assert_near(levels.list[k].latency.value, usual.latency[k], 0.02);
        assert_true(levels.list[k].latency.low <= levels.list[k].latency.value);
        assert_true(levels.list[k].latency.high >= levels.list[k].latency.value);
    }
    for (size_t k = 0; k < 3; k++) {
        assert_near(levels.list[k].capacity.value, usual.capacity[k], 0.1);
        assert_true(levels.list[k].capacity.low <= levels.list[k].capacity.value);
        assert_true(levels.list[k].capacity.high >= levels.list[k].capacity.value);
    }
    assert_true(isnan(levels.list[3].capacity.value));
    assert_int_equal(curve.samples[0].level, 0);
    assert_int_equal(curve.samples[curve.n - 1].level, 3);
}

static struct planted planted_at_random(struct random *random)
{
    static const double steps[] = {2.5, 2.2, 2.5};
    struct planted planted = {.levels = 1 + (size_t)random_below(random, 4),
                              .latency = {3 + floor(3 * random_unit(random))},
                              .capacity = {16384 * (1 + floor(4 * random_unit(random)))},
                              .policy = {SHARP},
                              .noise = 0.05 * random_unit(random)};
    for (size_t k = 0; k + 1 < planted.levels; k++) {
        planted.latency[k + 1] = planted.latency[k] * (steps[k] + 3 * random_unit(random));
        if (k > 0) {
            planted.capacity[k] = planted.capacity[k - 1] * (4 + 12 * random_unit(random));
            planted.policy[k] = (enum planted_policy)random_below(random, POLICIES);
        }
    }
    return planted;
}

/* The targets are the whole program's on simulated machines (tests/model); here the estimator alone
 * has to reach them. */
/* Few independent trials give an interval that reaches far below all of them. */
static void a_low_end_that_no_trial_came_near_hides_no_level(void **state)
{
    struct curve curve = {0};
    struct random random = {9};
    sweep(&curve, &usual, 1024, 64 << 20, 4, &random);
    for (size_t i = 0; i < curve.n; i++) {
        struct level_sample *sample = &curve.samples[i];
        sample->least = sample->low;
        if (sample->bytes > 4 << 20 && sample->bytes < 20 << 20)
            sample->low = 0.3 + 0.01 * (double)i;
    }
    assert_int_equal(count_on(&curve, LEVEL_PAGES_KNOWN), 4);
}

static const struct planted walks = {
    .levels = 5,
    .latency = {4, 14, 50, 640, 960},
    .capacity = {32 << 10, 1 << 20, 12 << 20, 540 << 20},
    .policy = {SHARP, SHARP, RANDOM_REPLACEMENT, SOFT},
    .noise = 0.02,
};

/* A guest's tables of 540 MiB fill 1 to 2 MiB and leave its L2. */
static void tables_of_pages_that_leave_a_cache_are_no_level(void **state)
{
    struct curve curve = {0};
    struct random random = {10};
    sweep(&curve, &walks, 1024, 3e9, 4, &random);
    assert_int_equal(count_on(&curve, LEVEL_PAGES_KNOWN), 5);
    assert_int_equal(count_on(&curve, LEVEL_PAGES_WALKED), 4);
    assert_int_equal(count_on(&curve, LEVEL_PAGES_HOSTED), 4);
    curve.n = 0;
    struct planted cache = walks;
    cache.capacity[3] = 100 << 20; /* their tables fit */
    sweep(&curve, &cache, 1024, 3e9, 4, &random);
    assert_int_equal(count_on(&curve, LEVEL_PAGES_HOSTED), 5);
}

static void planted_numbers_latencies_and_capacities_are_found(void **state)
{
    const unsigned curves = sample_seeds(100);
    unsigned right = 0, more = 0, latencies = 0, latencies_near = 0, capacities = 0, near = 0;
    for (uint64_t seed = 0; seed < curves; seed++) {
        struct random random = {seed};
        struct planted planted = planted_at_random(&random);
        struct curve curve = {0};
        struct levels levels;
        double last = planted.levels > 1 ? planted.capacity[planted.levels - 2] : 1 << 20;
        sweep(&curve, &planted, 1024, 8 * last, 4, &random);
        for (size_t k = 0; k + 1 < planted.levels; k++)
            sweep(&curve, &planted, 0.8 * planted.capacity[k], 1.3 * planted.capacity[k], 10,
                  &random);
        find(&curve, &levels);
        right += levels.count == planted.levels;
        more += levels.count > planted.levels;
        for (size_t k = 0; levels.count == planted.levels && k < levels.count; k++) {
            latencies++;
            latencies_near += fabs(levels.list[k].latency.value / planted.latency[k] - 1) <= 0.02;
            if (k + 1 == levels.count)
                continue;
            capacities++;
            near += fabs(levels.list[k].capacity.value / planted.capacity[k] - 1) <= 0.1;
        }
    }
    print_message("levels right %u of %u (%u too many), latency within 2 %% %u of %u, capacity "
                  "within 10 %% %u of %u\n",
                  right, curves, more, latencies_near, latencies, near, capacities);
    assert_true(right * 100 >= curves * 97);
    assert_int_equal(more, 0);
    assert_true(latencies_near * 100 >= latencies * 95);
    assert_true(near * 100 >= capacities * 95);
}

static void spikes_are_no_levels(void **state)
{
    struct curve curve = {0};
    struct levels levels;
    struct random random = {7};
    sweep(&curve, &usual, 1024, 64 << 20, 8, &random);
    for (size_t i = 5; i < curve.n; i += 17)
        curve.samples[i].latency *= 2;
    find(&curve, &levels);
    assert_int_equal(levels.count, 4);
    assert_near(levels.list[0].latency.value, 4, 0.02);
    assert_near(levels.list[3].latency.value, 300, 0.03);
}

static void one_plateau_is_one_level_without_a_capacity(void **state)
{
    struct planted flat = {.levels = 1, .latency = {4}, .noise = 0.01};
    struct curve curve = {0};
    struct levels levels;
    sweep(&curve, &flat, 1024, 1 << 20, 4, &(struct random){3});
    find(&curve, &levels);
    assert_int_equal(levels.count, 1);
    assert_near(levels.list[0].latency.value, 4, 0.01);
    assert_true(isnan(levels.list[0].capacity.value));
    assert_true(!levels.rising);
}

static void a_rise_that_has_no_end_is_not_memory(void **state)
{
    struct curve curve = {0};
    struct levels levels;
    sweep(&curve, &usual, 1024, 11 << 20, 8, &(struct random){4});
    find(&curve, &levels);
    assert_int_equal(levels.count, 3);
    assert_true(levels.rising);
    assert_near(levels.list[2].latency.value, 50, 0.05);
    assert_near(levels.list[2].capacity.value, 8 << 20, 0.3);
}

static void translation_is_no_level(void **state)
{
    const struct translation_knee knees[] = {{128 << 10, 9}, {6 << 20, 25}};
    struct planted slow = {.levels = 3,
                           .latency = {4, 14, 200},
                           .capacity = {32 << 10, 2 << 20},
                           .policy = {SHARP, SHARP},
                           .noise = 0.01};
    struct curve curve = {0};
    struct levels levels;
    sweep(&curve, &slow, 1024, 32 << 20, 8, &(struct random){5});
    for (size_t i = 0; i < curve.n; i++)
        for (size_t t = 0; t < 2; t++) {
            /* Of pages visited at random, the TLB knows as many as it holds. */
            double added = knees[t].cycles * fmax(0, 1 - knees[t].bytes / curve.samples[i].bytes);
            curve.samples[i].latency += added;
            curve.samples[i].low += added;
            curve.samples[i].high += added;
        }
    find(&curve, &levels);
    assert_false(levels.count == 3 && fabs(levels.list[1].latency.value / 14 - 1) < 0.05);
    levels_find(&(struct pool){0}, LEVEL_PAGES_KNOWN, curve.samples, curve.n, knees, 2, &levels);
    assert_int_equal(levels.count, 3);
    assert_near(levels.list[1].latency.value, 14, 0.05);
    assert_near(levels.list[1].capacity.value, 2 << 20, 0.1);
    assert_near(levels.list[2].latency.value, 200, 0.03);
}

/* A chase that visits each line only once beyond the caches' size does not show what random
 * replacement keeps: from twice the cache on its curve is flat at once. */
static void a_plateau_that_is_flat_is_believed(void **state)
{
    struct planted random = {.levels = 2,
                             .latency = {10, 150},
                             .capacity = {256 << 10},
                             .policy = {RANDOM_REPLACEMENT},
                             .noise = 0.002};
    struct curve curve = {0};
    struct levels levels;
    sweep(&curve, &random, 4096, 1024 << 10, 8, &(struct random){5});
    for (size_t i = 0; i < curve.n; i++)
        if (curve.samples[i].bytes > 600 << 10) {
            curve.samples[i].latency = 150;
            curve.samples[i].low = 149.7;
            curve.samples[i].high = 150.3;
        }
    find(&curve, &levels);
    assert_int_equal(levels.count, 2);
    assert_false(levels.rising);
    assert_near(levels.list[1].latency.value, 150, 0.01);
    assert_near(levels.list[0].capacity.value, 256 << 10, 0.1);
}

/* Trials form two groups; the median belongs to the larger one, and its interval reaches into the
 * other. */
static void a_mood_of_a_neighbour_does_not_blur_a_capacity(void **state)
{
    struct planted random = {.levels = 2,
                             .latency = {10, 150},
                             .capacity = {256 << 10},
                             .policy = {RANDOM_REPLACEMENT},
                             .noise = 0.002};
    struct curve curve = {0};
    struct levels levels;
    sweep(&curve, &random, 4096, 1024 << 10, 8, &(struct random){5});
    for (size_t i = 0; i < curve.n; i++)
        if (curve.samples[i].bytes > 128 << 10 && curve.samples[i].bytes < 512 << 10)
            curve.samples[i].high = fmax(curve.samples[i].high, 100);
    find(&curve, &levels);
    assert_int_equal(levels.count, 2);
    assert_near(levels.list[0].capacity.value, 256 << 10, 0.1);
    assert_true(levels.list[0].capacity.low <= 256 << 10);
    assert_true(levels.list[0].capacity.high >= 256 << 10);
}

static void order_and_repeats_do_not_matter(void **state)
{
    struct curve curve = {0}, shuffled;
    struct levels sorted, other;
    struct random random = {6};
    sweep(&curve, &usual, 1024, 64 << 20, 8, &random);
    size_t once = curve.n;
    for (size_t i = 0; i < once; i += 3)
        curve.samples[curve.n++] = curve.samples[i];
    shuffled = curve;
    for (size_t i = shuffled.n; i > 1; i--) {
        size_t j = (size_t)random_below(&random, i);
        struct level_sample swap = shuffled.samples[i - 1];
        shuffled.samples[i - 1] = shuffled.samples[j];
        shuffled.samples[j] = swap;
    }
    find(&curve, &sorted);
    find(&shuffled, &other);
    assert_int_equal(sorted.count, 4);
    assert_int_equal(other.count, 4);
    for (size_t k = 0; k < 4; k++)
        assert_true(sorted.list[k].latency.value == other.list[k].latency.value);
}

static void what_is_no_number_is_left_out(void **state)
{
    struct curve curve = {0};
    struct levels levels;
    sweep(&curve, &usual, 1024, 64 << 20, 8, &(struct random){8});
    static const double odd[] = {NAN, INFINITY, -1, 0};
    for (size_t i = 0; i < 4; i++) {
        curve.samples[curve.n++] =
            (struct level_sample){.bytes = 4096, .latency = odd[i], .low = NAN, .high = NAN};
        curve.samples[curve.n++] =
            (struct level_sample){.bytes = odd[i], .latency = 4, .low = NAN, .high = NAN};
    }
    find(&curve, &levels);
    assert_int_equal(levels.count, 4);
    assert_near(levels.list[0].latency.value, 4, 0.02);
    assert_int_equal(curve.samples[curve.n - 1].level, -1);
}

static void curves_that_say_nothing_have_no_levels(void **state)
{
    struct levels levels;
    struct level_sample none = {NAN, NAN, NAN, NAN, 0, 0, 0};
    struct level_sample two[] = {{1024, 4, NAN, NAN, 0, 0, 0}, {2048, 4, NAN, NAN, 0, 0, 0}};
    struct level_sample same[50], falling[50];
    for (int i = 0; i < 50; i++) {
        same[i] =
            (struct level_sample){.bytes = 4096, .latency = 4 + i % 3, .low = NAN, .high = NAN};
        falling[i] =
            (struct level_sample){1024 * exp2(i / 4.0), 900 * exp2(-i / 4.0), NAN, NAN, 0, 0, 0};
    }
    levels_find(&(struct pool){0}, LEVEL_PAGES_KNOWN, &none, 0, NULL, 0, &levels);
    assert_int_equal(levels.count, 0);
    levels_find(&(struct pool){0}, LEVEL_PAGES_KNOWN, &none, 1, NULL, 0, &levels);
    assert_int_equal(levels.count, 0);
    levels_find(&(struct pool){0}, LEVEL_PAGES_KNOWN, two, 2, NULL, 0, &levels);
    assert_int_equal(levels.count, 0);
    levels_find(&(struct pool){0}, LEVEL_PAGES_KNOWN, same, 50, NULL, 0, &levels);
    assert_int_equal(levels.count, 0);
    levels_find(&(struct pool){0}, LEVEL_PAGES_KNOWN, falling, 50, NULL, 0, &levels);
    assert_int_equal(levels.count, 0);
}

/* Two of eight knees lie so near to each other that only the fit can separate them: nine levels,
 * one of them without two sizes that agree, which is refused. */
static void a_level_that_only_the_fit_sees_is_refused(void **state)
{
    static const struct {
        double octave, height;
        int ways; /* all but one way stay; 0: none does */
    } knees[] = {{10.9668, 0.8190, 0},  {14.1162, 1.5680, 4},  {15.7192, 3.9032, 0},
                 {18.2143, 8.0036, 0},  {21.2949, 17.6742, 0}, {24.7152, 21.5789, 4},
                 {27.1841, 19.1976, 0}, {29.7793, 29.2451, 4}};
    enum { KNEES = sizeof knees / sizeof *knees, PER_OCTAVE = 8 };
    struct curve curve = {.n = 0};
    struct levels levels;
    for (int i = 0; i < 40 * PER_OCTAVE; i++) {
        double bytes = floor(exp2(8 + (double)i / (double)PER_OCTAVE)), latency = 1;
        for (int k = 0; k < KNEES; k++) {
            double ratio = exp2(8 + (double)i / (double)PER_OCTAVE - knees[k].octave);
            int ways = knees[k].ways;
            latency += ratio <= 1 ? 0
                       : ways     ? knees[k].height * (1 - (ways - 1) / (ways * ratio))
                                  : knees[k].height;
        }
        curve.samples[curve.n++] =
            (struct level_sample){.bytes = bytes, .latency = latency, .low = NAN, .high = NAN};
    }
    find(&curve, &levels);
    assert_int_equal(levels.count, CURVE_LEVELS_MAX - 1);
    assert_int_equal(levels.gap_count, 1);
    assert_near(levels.list[0].latency.value, 1, 0.02);
    assert_near(levels.list[CURVE_LEVELS_MAX - 2].latency.value, 102.9896, 0.02);
}

/* Of lines that are drawn at random each time, a cache of any policy hits its share. */
static void accesses_that_draw_their_lines_have_levels_too(void **state)
{
    static const double octaves[] = {15.5, 21, 25}, heights[] = {3.6, 35.3, 80};
    struct curve curve = {.n = 0};
    struct levels levels;
    for (int i = 0; i <= 5 * 20; i++) {
        double octave = 10 + (double)i / 5, latency = 1.7;
        for (int k = 0; k < 3; k++)
            latency += octave > octaves[k] ? heights[k] * (1 - exp2(octaves[k] - octave)) : 0;
        curve.samples[curve.n++] = (struct level_sample){
            .bytes = exp2(octave), .latency = latency, .low = NAN, .high = NAN};
    }
    find(&curve, &levels);
    assert_int_equal(levels.count, 4);
    assert_near(levels.list[1].latency.value, 1.7 + 3.6, 0.03);
    /* Memory is as slow as its points, although at the largest size the cache still serves a
     * thirtieth. */
    assert_near(levels.list[3].latency.value, 1.7 + 3.6 + 35.3 + 80, 0.04);
    for (int k = 0; k < 3; k++)
        assert_near(levels.list[k].capacity.value, exp2(octaves[k]), 0.05);
}

static void find_recorded(const double recorded[][4], size_t n, struct levels *levels)
{
    struct curve curve = {.n = 0};
    for (size_t i = 0; i < n; i++)
        curve.samples[curve.n++] = (struct level_sample){.bytes = recorded[i][0],
                                                         .latency = recorded[i][1],
                                                         .low = recorded[i][2],
                                                         .high = recorded[i][3]};
    find(&curve, levels);
}

/* Recorded on a virtual machine: from 1 MiB on others hold more and more of the shared caches, so
 * that only a shape fits that begins to miss far below its capacity. Its misses there must not be
 * subtracted from visible plateaus: a share of 0.7 percent of DRAM is half an L1. */
static void a_cache_that_fades_takes_nothing_from_those_before_it(void **state)
{
    static const double recorded[][4] = {
        {1024, 4.997, 4.996, 5.129},       {1408, 4.996, 4.994, 4.997},
        {2048, 4.998, 4.995, 4.998},       {2880, 4.995, 4.995, 4.998},
        {4096, 4.996, 4.994, 5.165},       {5760, 4.994, 4.993, 4.998},
        {8192, 4.996, 4.995, 4.997},       {11584, 4.997, 4.995, 4.998},
        {16384, 4.996, 4.994, 4.999},      {23168, 4.996, 4.993, 4.997},
        {32768, 4.998, 4.996, 5.002},      {41472, 10.13, 5.002, 13.09},
        {45248, 13.51, 5.024, 14.99},      {46336, 5.024, 5.024, 5.026},
        {48384, 14.71, 5.045, 17.1},       {52736, 15.61, 14.74, 17.08},
        {65536, 15.89, 15.84, 15.93},      {92672, 15.97, 15.96, 15.99},
        {131072, 15.98, 15.97, 15.99},     {185344, 15.99, 15.98, 22.04},
        {262144, 15.99, 15.98, 16},        {370688, 16, 16, 16.01},
        {524288, 17.91, 17.5, 18.01},      {741440, 19.43, 19.3, 19.47},
        {1048576, 20.46, 19.99, 20.65},    {1482880, 26.45, 23.02, 29.14},
        {2097152, 87.03, 86.32, 91.49},    {2965760, 104.4, 97.78, 122.5},
        {4194304, 148, 114.4, 169.6},      {5931584, 179.2, 124.5, 206.5},
        {6754752, 159.2, 113.7, 273.7},    {7053824, 136.6, 110, 210.4},
        {7208320, 117.9, 102.5, 128.6},    {7446400, 137.4, 105.8, 160},
        {8388608, 210.9, 168, 227.5},      {11863232, 309.3, 259.8, 377.3},
        {16777216, 364.6, 356.2, 381.1},   {23726528, 390.4, 379, 419.5},
        {33554432, 412.2, 390.8, 422.3},   {47453120, 425.2, 419.4, 439.4},
        {67108864, 421.6, 412, 432.2},     {134217728, 427, 418.7, 440.4},
        {268435456, 447.9, 434.1, 450.2},  {536870912, 454.1, 448.6, 469.5},
        {1073741824, 486.7, 477.7, 492.7},
    };
    struct levels levels;
    find_recorded(recorded, sizeof recorded / sizeof *recorded, &levels);
    assert_true(levels.count >= 3);
    assert_near(levels.list[0].latency.value, 5, 0.005);
    assert_near(levels.list[1].latency.value, 16, 0.02);
    assert_true(levels.list[0].latency.low <= 5 && levels.list[0].latency.high >= 5 - 0.005);
}

/* Recorded likewise: half an octave in which memory and cache serve constant shares is no plateau
 * beside the six octaves of memory that follow. */
static void a_short_plateau_on_the_way_is_not_memory(void **state)
{
    static const double recorded[][4] = {
        {1024, 4.996, 4.991, 4.996},      {1408, 4.996, 4.996, 4.997},
        {2048, 4.997, 4.993, 5.066},      {2880, 4.997, 4.996, 4.998},
        {4096, 4.997, 4.996, 4.998},      {5760, 4.999, 4.998, 5.31},
        {8192, 4.996, 4.995, 4.998},      {11584, 4.997, 4.994, 5},
        {16384, 4.997, 4.996, 5.573},     {23168, 5.032, 4.996, 5.108},
        {32768, 5.002, 4.996, 6.157},     {41472, 7.904, 7.626, 8.043},
        {44992, 7.392, 5.025, 10.01},     {46336, 5.02, 5.02, 5.021},
        {47296, 11.69, 11.54, 11.81},     {50496, 13.39, 9.442, 14.71},
        {55104, 16.3, 15.96, 16.45},      {77888, 15.96, 15.73, 16.97},
        {110208, 15.98, 15.96, 18.45},    {155840, 15.99, 15.98, 18.45},
        {220416, 16.38, 15.98, 17.13},    {311744, 16, 15.99, 16},
        {440832, 16.87, 16.82, 16.92},    {623424, 18.73, 18.48, 18.88},
        {881728, 19.92, 19.67, 20.01},    {1246912, 21.62, 20.84, 75.82},
        {1482880, 30.05, 24.25, 32.07},   {1763456, 75.22, 35.51, 133.6},
        {2097152, 74.87, 49.02, 101.5},   {2965760, 117.8, 99.76, 138.3},
        {4194304, 151.1, 131.9, 180.3},   {5931584, 144.7, 136.1, 167.4},
        {7692288, 127.8, 118.2, 148.4},   {8208704, 124, 108.5, 149.4},
        {8388608, 182.7, 179.3, 207.6},   {9147776, 149.6, 133.4, 222.5},
        {9975744, 285.7, 248.6, 397},     {11863232, 304.3, 280.1, 323.3},
        {16777216, 314.9, 310.6, 356},    {23726528, 380.3, 373.1, 390.1},
        {33554432, 395.8, 381.8, 403.6},  {47453120, 407.5, 394.8, 426.6},
        {67108864, 405.5, 403.6, 418.3},  {134217728, 417, 403.8, 420.9},
        {268435456, 430.4, 419.1, 491.6}, {536870912, 455.8, 443.3, 534.8},
        {1073741824, 498.2, 479, 575.3},
    };
    struct levels levels;
    find_recorded(recorded, sizeof recorded / sizeof *recorded, &levels);
    assert_true(levels.count >= 3 && !levels.rising);
    assert_near(levels.list[levels.count - 1].latency.value, 430, 0.08);
    assert_true(levels.list[levels.count - 1].to >= 128 << 20);
}

static void a_curve_that_falls_has_no_levels(void **state)
{
    struct levels levels;
    for (int steps = 0; steps < 2; steps++) {
        struct curve curve = {.n = 0};
        for (int i = 0; i < 80; i++) {
            double latency = exp2(6 - (steps ? i / 20 : i / 20.0));
            curve.samples[curve.n++] = (struct level_sample){
                .bytes = exp2(10 + i / 4.0), .latency = latency, .low = NAN, .high = NAN};
        }
        find(&curve, &levels);
        assert_int_equal(levels.count, 0);
    }
}

static void sizes_over_the_whole_range_of_doubles_end_well(void **state)
{
    struct level_sample wide[200];
    struct levels levels;
    for (int i = 0; i < 200; i++)
        wide[i] = (struct level_sample){
            exp2(-1000 + 10 * i), i < 100 ? 1e-300 : 1e300, NAN, NAN, 0, 0, 0};
    levels_find(&(struct pool){0}, LEVEL_PAGES_KNOWN, wide, 200, NULL, 0, &levels);
    assert_true(levels.count <= CURVE_LEVELS_MAX);
}

static void a_million_points_are_as_good_as_a_hundred(void **state)
{
    const size_t many = sample_seeds(1000000);
    struct level_sample *samples = malloc(many * sizeof *samples);
    struct levels levels;
    struct random random = {9};
    assert_non_null(samples);
    for (size_t i = 0; i < many; i++) {
        double bytes = 1024 * exp2(16 * random_unit(&random));
        double latency = planted_latency(&usual, bytes) * (1 + 0.02 * sample_normal(&random));
        samples[i] = (struct level_sample){bytes, latency, NAN, NAN, 0, 0, 0};
    }
    levels_find(&(struct pool){0}, LEVEL_PAGES_KNOWN, samples, many, NULL, 0, &levels);
    free(samples);
    assert_int_equal(levels.count, 4);
    for (size_t k = 0; k < 3; k++) {
        assert_near(levels.list[k].latency.value, usual.latency[k], 0.02);
        assert_near(levels.list[k].capacity.value, usual.capacity[k], 0.1);
    }
}

static void a_plateau_is_its_points_median(void **state)
{
    double values[] = {5, 1, 4, 2, 3, 6, 7, 8}, halves[] = {0, 0, 0, 0, 0, 0, 0, NAN};
    struct interval estimate = level_pool(values, halves, 8);
    assert_true(estimate.value == 4.5);
    assert_true(estimate.low == 1 && estimate.high == 8); /* ranks 1 and 8 of 8 make 99 % */
    double one[] = {5}, wide[] = {0.5};
    estimate = level_pool(one, wide, 1);
    assert_true(estimate.value == 5);
    assert_true(estimate.low == 4.5 && estimate.high == 5.5);
    double many[] = {5, 5, 5, 5, 5, 5, 5}, doubts[] = {1, 2, 1, 2, 1, 2, 2};
    estimate = level_pool(many, doubts, 7);
    assert_true(estimate.low == 3 &&
                estimate.high == 7); /* together they are known no better than one of them */
    double vague[] = {10};
    estimate = level_pool(one, vague, 1);
    assert_true(estimate.low == 0.625 && estimate.high == 15); /* and nothing is below zero */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_levels_are_found_with_their_capacities),
        cmocka_unit_test(a_low_end_that_no_trial_came_near_hides_no_level),
        cmocka_unit_test(tables_of_pages_that_leave_a_cache_are_no_level),
        cmocka_unit_test(planted_numbers_latencies_and_capacities_are_found),
        cmocka_unit_test(spikes_are_no_levels),
        cmocka_unit_test(one_plateau_is_one_level_without_a_capacity),
        cmocka_unit_test(a_rise_that_has_no_end_is_not_memory),
        cmocka_unit_test(translation_is_no_level),
        cmocka_unit_test(a_plateau_that_is_flat_is_believed),
        cmocka_unit_test(a_mood_of_a_neighbour_does_not_blur_a_capacity),
        cmocka_unit_test(order_and_repeats_do_not_matter),
        cmocka_unit_test(what_is_no_number_is_left_out),
        cmocka_unit_test(curves_that_say_nothing_have_no_levels),
        cmocka_unit_test(a_level_that_only_the_fit_sees_is_refused),
        cmocka_unit_test(accesses_that_draw_their_lines_have_levels_too),
        cmocka_unit_test(a_cache_that_fades_takes_nothing_from_those_before_it),
        cmocka_unit_test(a_short_plateau_on_the_way_is_not_memory),
        cmocka_unit_test(a_curve_that_falls_has_no_levels),
        cmocka_unit_test(sizes_over_the_whole_range_of_doubles_end_well),
        cmocka_unit_test(a_million_points_are_as_good_as_a_hundred),
        cmocka_unit_test(a_plateau_is_its_points_median),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
