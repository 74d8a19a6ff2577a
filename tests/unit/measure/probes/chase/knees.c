#include "measure/probes/chase/knees.h"

#include "support.h"

#include <math.h>

extern const struct probe latency_probe;

static double step(double bytes)
{
    return bytes <= 32 << 10 ? 4 : bytes <= 1 << 20 ? 14 : 200;
}

/* Points of the bench's latency plan and then some, as a series. */
static struct series curve(struct bench *bench, const uint64_t *more, size_t count)
{
    const struct plan *plan = &bench->task.plan;
    struct series series = {.name = "latency", .x = {"working set", "B"}, .y = {"latency", "ns"}};
    for (size_t i = 0; i < plan->point_count + count; i++) {
        double x = i < plan->point_count ? plan->points[i].x : (double)more[i - plan->point_count];
        float y = (float)step(x);
        struct point *point =
            pool_append(&bench->pool, (void **)&series.points, &series.point_count, sizeof *point);
        assert_non_null(point);
        *point = (struct point){
            .x = x, .y = {.median = y, .low = y, .high = y, .n = 6}, .cycles = {NAN, NAN, NAN}};
    }
    return series;
}

static void new_sizes_lie_between_on_and_off_the_plateau(void **state)
{
    struct bench *bench = *state;
    uint64_t sizes[KNEES_SIZES_MOST], more[2 * KNEES_SIZES_MOST];
    size_t known = 0;
    assert_int_equal(bench_plan(bench, &latency_probe, NULL), 0);
    for (int stage = 0; stage < KNEES_STAGES; stage++) {
        struct series series = curve(bench, more, known);
        const size_t count =
            knees_choose(bench->task.pool, LEVEL_PAGES_KNOWN, &series, NULL, 0, 64, sizes);
        assert_true(stage > 0 || count > 0);
        assert_true(count <= KNEES_SIZES_MOST);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(sizes[i] % 64, 0);
            assert_true(i == 0 || sizes[i] > sizes[i - 1]);
            assert_true((sizes[i] > 22 << 10 && sizes[i] < 46 << 10) ||
                        (sizes[i] > 720 << 10 && sizes[i] < 1470 << 10));
            for (size_t j = 0; j < series.point_count; j++)
                assert_true(series.points[j].x != (double)sizes[i]);
            if (known < 2 * KNEES_SIZES_MOST)
                more[known++] = sizes[i];
        }
    }
    /* What was measured tells the edge to a few percent. */
    double below = 0, above = INFINITY;
    for (size_t i = 0; i < known; i++) {
        below = more[i] <= 1 << 20 ? fmax(below, (double)more[i]) : below;
        above = more[i] > 1 << 20 ? fmin(above, (double)more[i]) : above;
    }
    assert_true(fmin(above, 1.1892 * (1 << 20)) / fmax(below, 1 << 20) < 1.06);
}

static void a_flat_curve_needs_no_more_sizes(void **state)
{
    struct bench *bench = *state;
    uint64_t sizes[KNEES_SIZES_MOST];
    assert_int_equal(bench_plan(bench, &latency_probe, "to", "16K", NULL), 0);
    struct series series = curve(bench, NULL, 0);
    assert_int_equal(knees_choose(bench->task.pool, LEVEL_PAGES_KNOWN, &series, NULL, 0, 64, sizes),
                     0);
}

static void translation_is_read_from_the_findings(void **state)
{
    struct finding findings[] = {{.name = "dtlb1.4K.entries", .value = 64},
                                 {.name = "dtlb2.4K.hit", .value = 7},
                                 {.name = "dtlb2.4K.entries", .value = 1536},
                                 {.name = "dtlb2.4K.walk", .value = 30},
                                 {.name = "dtlb1.2M.entries", .value = NAN}};
    struct probe_result result = {.name = "tlb", .findings = findings, .finding_count = 5};
    struct document document = {.probes = &result, .probe_count = 1};
    struct translation_knee knees[KNEES_TRANSLATION_MOST];
    assert_int_equal(knees_of_translation(&document, 4096, knees), 2);
    assert_true(knees[0].bytes == 64 * 4096 && knees[0].cycles == 7);
    assert_true(knees[1].bytes == 1536 * 4096 && knees[1].cycles == 23); /* beyond the first's */
    assert_int_equal(knees_of_translation(&document, 2 << 20, knees), 0);
    assert_int_equal(knees_of_translation(&document, 3 << 20, knees), 0);
    assert_int_equal(knees_of_translation(NULL, 4096, knees), 0);
}

static void huge_pages_in_pieces_have_the_knees_of_small_ones(void **state)
{
    struct finding findings[] = {{.name = "dtlb1.4K.entries", .value = 64},
                                 {.name = "dtlb2.4K.hit", .value = 8},
                                 {.name = "dtlb1.2M.entries", .value = 32},
                                 {.name = "dtlb2.2M.hit", .value = 9},
                                 {.name = "dtlb.2M.as.4K", .value = 0.75, .declared = 0}};
    struct probe_result result = {.name = "tlb", .findings = findings, .finding_count = 5};
    struct document document = {.probes = &result, .probe_count = 1};
    struct translation_knee knees[KNEES_TRANSLATION_MOST];
    assert_int_equal(knees_of_translation(&document, 2 << 20, knees), 1);
    assert_true(knees[0].bytes == 64 * 4096 && knees[0].cycles == 6);
    findings[0] = (struct finding){.name = "dtlb1.4K.entries", .value = NAN};
    assert_int_equal(knees_of_translation(&document, 2 << 20, knees), 0);
    findings[3] = (struct finding){.name = "dtlb1.4K.onset", .value = 60};
    assert_int_equal(knees_of_translation(&document, 2 << 20, knees), 1);
    assert_true(knees[0].bytes == 60 * 4096);
    findings[0].value = 64;
    findings[3] = (struct finding){.name = "dtlb2.2M.hit", .value = 9};
    findings[4].value = 1.02; /* measured; there is no more than all */
    assert_int_equal(knees_of_translation(&document, 2 << 20, knees), 1);
    assert_true(knees[0].cycles == 8);
    findings[4].declared = NAN; /* noise */
    assert_int_equal(knees_of_translation(&document, 2 << 20, knees), 1);
    assert_true(knees[0].bytes == 32 << 20 << 1 && knees[0].cycles == 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(new_sizes_lie_between_on_and_off_the_plateau),
        BENCH_TEST(a_flat_curve_needs_no_more_sizes),
        BENCH_TEST(translation_is_read_from_the_findings),
        BENCH_TEST(huge_pages_in_pieces_have_the_knees_of_small_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
