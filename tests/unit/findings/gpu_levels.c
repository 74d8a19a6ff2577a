#include "findings/gpu_levels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
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
    assert_int_equal(findings_gpu_levels(&desk->result, &desk->pool, "gpu1.", &desk->series,
                                         &declared, NULL, 0, NULL),
                     0);
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

static void what_is_there_already_stays(void **state)
{
    struct desk *desk = *state;
    read_levels(desk, (struct gpu_declared){32 << 10, 4 << 20, false});
    const size_t before = desk->result.finding_count;
    const struct gpu_declared declared = {32 << 10, 4 << 20, false};
    assert_int_equal(findings_gpu_levels(&desk->result, &desk->pool, "gpu2.", &desk->series,
                                         &declared, NULL, 0, NULL),
                     0);
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

static void a_level_too_few_is_told_with_the_devices_name(void **state)
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
        cmocka_unit_test_setup_teardown(what_is_there_already_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(past_l1_the_first_plateau_is_l2, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_l1_that_nobody_declares_is_still_the_first, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_level_too_few_is_told_with_the_devices_name, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
