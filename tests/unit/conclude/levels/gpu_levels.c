#include "conclude/levels/level.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { POINTS = 61 }; /* four an octave from 1 KiB to 32 MiB */

struct desk {
    struct pool pool;
    struct probe_result result;
    struct point points[POINTS];
    struct series series;
};

/* L1 of 32 KiB and L2 of 4 MiB; past L1 the first is missing. */
static double step(double bytes, bool past_l1)
{
    return bytes <= 32 << 10 && !past_l1 ? 32 : bytes <= 4 << 20 ? 190 : 440;
}

static void draw(struct desk *desk, bool past_l1)
{
    for (int i = 0; i < POINTS; i++) {
        const double bytes = 1024 * exp2(i / 4.0);
        const float cycles = (float)step(bytes, past_l1), ns = cycles / 2;
        desk->points[i] = (struct point){
            .x = bytes,
            .y = {.median = ns, .low = 0.99f * ns, .high = 1.01f * ns, .coverage = 0.97f, .n = 6},
            .cycles = {cycles, 0.99f * cycles, 1.01f * cycles}};
    }
}

static int set_up(void **state)
{
    static struct desk desk;
    desk = (struct desk){0};
    draw(&desk, false);
    desk.series = (struct series){.name = "gpu0 latency",
                                  .x = {"working set", "B"},
                                  .y = {"latency", "ns"},
                                  .points = desk.points,
                                  .point_count = POINTS};
    *state = &desk;
    return 0;
}

static int tear_down(void **state)
{
    struct desk *desk = *state;
    pool_free(&desk->pool);
    return 0;
}

static void read_levels(struct desk *desk, struct gpu_declared declared)
{
    desk->result = (struct probe_result){0};
    findings_gpu_levels(&desk->result, &desk->pool, "gpu1.", &desk->series, &declared);
    for (size_t i = 0; i < desk->result.finding_count; i++)
        assert_int_equal(strncmp(desk->result.findings[i].name, "gpu1.", 5), 0);
}

static const struct finding *find(const struct desk *desk, const char *name)
{
    for (size_t i = 0; i < desk->result.finding_count; i++)
        if (strcmp(desk->result.findings[i].name, name) == 0)
            return &desk->result.findings[i];
    return NULL;
}

static void levels_have_the_devices_name_and_what_it_declares(void **state)
{
    struct desk *desk = *state;
    read_levels(desk, (struct gpu_declared){32 << 10, 4 << 20, false});
    assert_float_equal(find(desk, "gpu1.L1.latency")->value, 32, 0.1);
    assert_float_equal(find(desk, "gpu1.L1.latency_ns")->value, 16, 0.1);
    assert_float_equal(find(desk, "gpu1.L2.latency")->value, 190, 0.1);
    assert_float_equal(find(desk, "gpu1.DRAM.latency")->value, 440, 0.1);
    assert_true(find(desk, "gpu1.L1.capacity")->declared == 32 << 10);
    assert_true(find(desk, "gpu1.L2.capacity")->declared == 4 << 20);
    assert_null(find(desk, "gpu1.levels.disagreement"));
}

/* As A100's and GH200's curves are: near to the half, and then a step before memory. */
static void draw_halves(struct desk *desk, double half, double whole)
{
    for (int i = 0; i < POINTS; i++) {
        const double bytes = desk->points[i].x;
        const float cycles = bytes <= 32 << 10 ? 32
                             : bytes <= half   ? 205
                             : bytes <= whole  ? 400
                                               : 550;
        desk->points[i].y = (struct summary){.median = cycles / 2,
                                             .low = 0.495f * cycles,
                                             .high = 0.505f * cycles,
                                             .coverage = 0.97f,
                                             .n = 6};
        desk->points[i].cycles = (struct estimate){cycles, 0.99f * cycles, 1.01f * cycles};
    }
}

static void the_outer_half_of_l2_is_no_third_level(void **state)
{
    struct desk *desk = *state;
    draw_halves(desk, 1 << 20, 2 << 20);
    read_levels(desk, (struct gpu_declared){32 << 10, 2 << 20, false});
    assert_float_equal(find(desk, "gpu1.L2.latency")->value, 205, 0.1);
    assert_float_equal(find(desk, "gpu1.L2.outer.latency")->value, 400, 0.1);
    assert_float_equal(find(desk, "gpu1.L2.outer.latency_ns")->value, 200, 0.1);
    assert_float_equal(find(desk, "gpu1.L2.outer.capacity")->value / (2 << 20), 1, 0.2);
    assert_float_equal(find(desk, "gpu1.DRAM.latency")->value, 550, 0.1);
    assert_non_null(strstr(find(desk, "gpu1.L2.capacity")->text, "the half that is near"));
    assert_null(find(desk, "gpu1.L3.latency"));
    assert_null(find(desk, "gpu1.levels.disagreement"));
}

/* Another level behind an L2 that is as large as declared, or that ends far beyond, is one. */
static void another_level_keeps_its_number(void **state)
{
    struct desk *desk = *state;
    draw_halves(desk, 1 << 20, 4 << 20);
    read_levels(desk, (struct gpu_declared){32 << 10, 1 << 20, false});
    assert_float_equal(find(desk, "gpu1.L3.latency")->value, 400, 0.1);
    assert_non_null(find(desk, "gpu1.levels.disagreement"));
    read_levels(desk, (struct gpu_declared){32 << 10, 2 << 20, false});
    assert_float_equal(find(desk, "gpu1.L3.latency")->value, 400, 0.1);
    assert_null(find(desk, "gpu1.L2.outer.latency"));
}

/* --- published curves (tests/data/gpu/published) --- */

enum { PUBLISHED_MOST = 100 };

static const struct wanted {
    const char *curve;
    uint64_t l1, l2; /* declared; 0: nothing */
    size_t levels;   /* with memory and an outer half */
    struct {
        const char *finding;
        double least, most;
    } findings[10];
} published[] = {
    {"a100",
     192 << 10,
     40 << 20,
     4,
     {{"L1.latency", 32, 34},
      {"L2.latency", 200, 212},
      {"L2.capacity", 18 << 20, 23 << 20},
      {"L2.outer.latency", 387, 413},
      {"L2.outer.capacity", 35 << 20, 45 << 20},
      {"DRAM.latency", 0.97 * 551, 1.03 * 551}}},
    {"gh200",
     256 << 10,
     60 << 20,
     4,
     {{"L1.latency", 31, 33},
      {"L2.latency", 275, 285},
      {"L2.capacity", 25 << 20, 30 << 20},
      {"L2.outer.latency", 494, 506},
      {"L2.outer.capacity", 50 << 20, 65 << 20},
      {"DRAM.latency", 0.97 * 682, 1.03 * 682}}},
    {"mi210",
     0,
     0,
     3,
     {{"L1.latency", 125, 130},
      {"L1.capacity", 14 << 10, 17 << 10},
      {"L2.latency", 240, 265},
      /* The flat before translation's first step. */
      {"DRAM.latency", 0.97 * 584, 1.03 * 595}}},
    {"mi300x",
     0,
     0,
     4,
     {{"L1.latency", 116, 121},
      {"L2.latency", 205, 220},
      {"L2.capacity", 3700 << 10, 4300 << 10},
      {"L3.latency", 445, 470},
      {"L3.capacity", 190 << 20, 280 << 20},
      {"DRAM.latency", 0.97 * 887, 1.03 * 887}}},
    {"rx6900xt",
     0,
     0,
     5,
     {{"L1.latency", 71, 75},
      {"L1.capacity", 15 << 10, 18 << 10},
      {"L2.capacity", 120 << 10, 140 << 10},
      {"L3.capacity", 3900 << 10, 4400 << 10},
      {"L4.latency", 405, 430},
      {"L4.capacity", 120 << 20, 140 << 20},
      {"DRAM.latency", 0.97 * 2002, 1.03 * 2002}}},
};

static void read_published(struct desk *desk, const struct wanted *wanted)
{
    static struct point points[PUBLISHED_MOST];
    char path[512];
    double bytes, cycles;
    snprintf(path, sizeof path, "%s/tests/data/gpu/published/%s.txt", getenv("FATHOM_SOURCE"),
             wanted->curve);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s can't be read", path);
    size_t count = 0;
    while (count < PUBLISHED_MOST && fscanf(file, "%lf %lf", &bytes, &cycles) == 2)
        points[count++] = (struct point){
            .x = bytes,
            .y = {.median = (float)cycles, .low = (float)NAN, .high = (float)NAN, .n = 1},
            .cycles = {(float)NAN, (float)NAN, (float)NAN}};
    fclose(file);
    assert_true(count > 50);
    desk->series.y = (struct axis){"latency", "cycles"};
    desk->series.points = points;
    desk->series.point_count = count;
    read_levels(desk, (struct gpu_declared){wanted->l1, wanted->l2, false});
}

static void published_curves_have_their_levels_and_halves(void **state)
{
    struct desk *desk = *state;
    if (!getenv("FATHOM_SOURCE"))
        skip(); /* not run by 'meson test' */
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        size_t latencies = 0;
        read_published(desk, &published[i]);
        for (size_t k = 0; k < 10 && published[i].findings[k].finding; k++) {
            char name[64];
            snprintf(name, sizeof name, "gpu1.%s", published[i].findings[k].finding);
            const struct finding *finding = find(desk, name);
            const double value = finding ? finding->value : NAN;
            if (!(value >= published[i].findings[k].least &&
                  value <= published[i].findings[k].most))
                fail_msg("%s: %s is %g", published[i].curve, name, value);
        }
        /* Nothing is invented. */
        for (size_t k = 0; k < desk->result.finding_count; k++) {
            const struct finding *finding = &desk->result.findings[k];
            latencies +=
                strcmp(strrchr(finding->name, '.'), ".latency") == 0 && isfinite(finding->value);
        }
        if (latencies != published[i].levels)
            fail_msg("%s has %zu levels", published[i].curve, latencies);
    }
}

static void what_is_there_already_stays(void **state)
{
    struct desk *desk = *state;
    read_levels(desk, (struct gpu_declared){32 << 10, 4 << 20, false});
    const size_t before = desk->result.finding_count;
    const struct gpu_declared declared = {32 << 10, 4 << 20, false};
    findings_gpu_levels(&desk->result, &desk->pool, "gpu2.", &desk->series, &declared);
    assert_int_equal(desk->result.finding_count, 2 * before);
    assert_non_null(find(desk, "gpu1.L1.latency"));
    assert_non_null(find(desk, "gpu2.L1.latency"));
}

static void past_l1_the_first_plateau_is_l2(void **state)
{
    struct desk *desk = *state;
    draw(desk, true);
    read_levels(desk, (struct gpu_declared){32 << 10, 4 << 20, true});
    assert_null(find(desk, "gpu1.L1.latency"));
    assert_float_equal(find(desk, "gpu1.L2.latency")->value, 190, 0.1);
    assert_true(find(desk, "gpu1.L2.capacity")->declared == 4 << 20);
    assert_float_equal(find(desk, "gpu1.DRAM.latency")->value, 440, 0.1);
}

/* L2 alone is declared: its name still belongs to the second plateau. */
static void an_l1_that_nobody_declares_is_still_the_first(void **state)
{
    struct desk *desk = *state;
    read_levels(desk, (struct gpu_declared){0, 4 << 20, false});
    assert_float_equal(find(desk, "gpu1.L1.latency")->value, 32, 0.1);
    assert_float_equal(find(desk, "gpu1.L2.latency")->value, 190, 0.1);
    assert_true(isnan(find(desk, "gpu1.L1.capacity")->declared));
    assert_null(find(desk, "gpu1.levels.disagreement"));
}

static void a_level_too_few_is_reported_with_the_devices_name(void **state)
{
    struct desk *desk = *state;
    draw(desk, true);
    read_levels(desk, (struct gpu_declared){32 << 10, 4 << 20, false});
    assert_non_null(find(desk, "gpu1.levels.disagreement"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(levels_have_the_devices_name_and_what_it_declares, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_outer_half_of_l2_is_no_third_level, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_level_keeps_its_number, set_up, tear_down),
        cmocka_unit_test_setup_teardown(published_curves_have_their_levels_and_halves, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_there_already_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(past_l1_the_first_plateau_is_l2, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_l1_that_nobody_declares_is_still_the_first, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_level_too_few_is_reported_with_the_devices_name, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
