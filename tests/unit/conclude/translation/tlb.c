#include "conclude/translation/tlb.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { POINTS = 12, TRIALS = 9 };

/* Points at 4, 8, 16, ... pages; cycles are absent where `ns_alone`. */
static void fill(struct series *series, struct point *points, const double *values, size_t n,
                 bool ns_alone)
{
    *series = (struct series){.points = points, .point_count = n};
    for (size_t i = 0; i < n; i++) {
        float value = (float)values[i];
        points[i] = (struct point){
            .x = 4 << i,
            .y = {.median = value, .low = value, .high = value, .coverage = 0.96F, .n = 9},
            .cycles = {value, value, value}};
        if (ns_alone)
            points[i].cycles = (struct estimate){NAN, NAN, NAN};
    }
}

static void costs_are_what_the_spread_chain_takes_longer(void **state)
{
    const double spread_values[] = {4, 4, 4, 11, 19}, packed_values[] = {4, 4, 4, 4, 12};
    struct point points[2][POINTS];
    struct series spread, packed;
    for (int ns_alone = 0; ns_alone < 2; ns_alone++) {
        fill(&spread, points[0], spread_values, 5, ns_alone);
        fill(&packed, points[1], packed_values, 5, ns_alone);
        assert_true(tlb_cost(&spread, &packed, 2) < 0.001);
        assert_true(fabs(tlb_cost(&spread, &packed, 3) - 7) < 0.001);
        assert_true(fabs(tlb_cost(&spread, &packed, 4) - 7) < 0.001);
        assert_true(isnan(tlb_cost(&spread, &packed, 5)));
    }
    /* The packed ladder may have other rungs. */
    assert_true(fabs(tlb_packed(&packed, 48) - 8) < 0.001);
    assert_true(fabs(tlb_packed(&packed, 2) - 4) < 0.001);
    assert_true(isnan(tlb_packed(&packed, 100)));
    packed.point_count = 0;
    assert_true(isnan(tlb_packed(&packed, 4)));
}

static void a_departure_lasts(void **state)
{
    const double packed_values[POINTS] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    const double steps[POINTS] = {4, 4, 4, 9, 4, 11, 11, 11, 11, 30, 40, 41};
    struct point points[2][POINTS];
    struct series spread, packed;
    fill(&packed, points[1], packed_values, POINTS, false);
    fill(&spread, points[0], steps, POINTS, false);
    assert_int_equal(tlb_departure(&spread, &packed, 0, 0.75), 5); /* 9 was a spike */
    assert_int_equal(tlb_departure(&spread, &packed, 5, 0.75), 9);
    assert_int_equal(tlb_departure(&packed, &packed, 0, 0.75), POINTS);
    assert_int_equal(tlb_departure(&spread, &packed, 9, 0.75), POINTS); /* too few to tell */
    spread.point_count = packed.point_count = 0;
    assert_int_equal(tlb_departure(&spread, &packed, 0, 0.75), 0);
}

static const struct finding *find(const struct probe_result *result, const char *name)
{
    for (size_t i = 0; i < result->finding_count; i++)
        if (strcmp(result->findings[i].name, name) == 0)
            return &result->findings[i];
    return NULL;
}

static void votes_make_a_number_or_none(void **state)
{
    const double packed_values[] = {4, 4, 4, 4, 4, 4, 4}, spread_values[] = {4, 4, 4, 4, 4, 11, 11};
    struct point points[2][POINTS], said[TRIALS];
    struct series spread, packed, votes = {.points = said, .point_count = TRIALS};
    struct tlb_evidence evidence = {.page = "64K",
                                    .spread = &spread,
                                    .packed = &packed,
                                    .first = &votes,
                                    .first_trials = TRIALS,
                                    .shared = 1};
    fill(&spread, points[0], spread_values, 7, false);
    fill(&packed, points[1], packed_values, 7, false);
    for (int agree = 0; agree < 2; agree++) {
        struct pool pool = {0};
        struct probe_result result = {0};
        for (int i = 0; i < TRIALS; i++)
            said[i] = (struct point){.x = i, .y = {.median = (float)(agree ? 64 : 60 + i), .n = 1}};
        findings_tlb(&result, &pool, &evidence);
        const struct finding *entries = find(&result, "dtlb1.64K.entries");
        assert_non_null(entries);
        assert_true(agree ? entries->value == 64 && entries->low == 64 : isnan(entries->value));
        assert_non_null(entries->text);
        const struct finding *hit = find(&result, "dtlb2.64K.hit");
        assert_true(hit && fabs(hit->value - 7) < 0.001);
        const struct finding *onset = find(&result, "dtlb1.64K.onset");
        assert_true(agree ? !onset : onset && onset->low == 64 && onset->high == 128);
        assert_true(agree || (onset->value > 90 && onset->value < 91));
        assert_null(find(&result, "dtlb2.64K.entries")); /* not looked for */
        pool_free(&pool);
    }
}

/* The first level by five trials that agree, of `trials`. */
static const struct finding *five_of(size_t trials, bool second_level, struct pool *pool,
                                     struct probe_result *result)
{
    const double packed_values[] = {4, 4, 4, 4, 4, 4, 4}, spread_values[] = {4, 4, 4, 4, 4, 11, 11};
    struct point points[2][POINTS], said[5];
    struct series spread, packed, votes = {.points = said, .point_count = 5};
    struct tlb_evidence evidence = {.page = "4K",
                                    .second_level = second_level,
                                    .spread = &spread,
                                    .packed = &packed,
                                    .first = &votes,
                                    .first_trials = trials,
                                    .shared = 1};
    fill(&spread, points[0], spread_values, 7, false);
    fill(&packed, points[1], packed_values, 7, false);
    for (int i = 0; i < 5; i++)
        said[i] = (struct point){.x = i, .y = {.median = 64, .n = 1}};
    findings_tlb(result, pool, &evidence);
    const struct finding *entries = find(result, "dtlb1.4K.entries");
    assert_non_null(entries);
    return entries;
}

static void trials_that_tell_nothing_count_as_trials(void **state)
{
    struct pool pool = {0};
    struct probe_result few = {0}, enough = {0};
    const struct finding *entries = five_of(11, false, &pool, &few);
    assert_true(isnan(entries->value));
    assert_non_null(strstr(entries->text, "only 5 of 11 find 64"));
    entries = five_of(10, false, &pool, &enough);
    assert_true(entries->value == 64);
    assert_non_null(strstr(entries->text, "5 of 10 trials agree"));
    pool_free(&pool);
}

static void huge_pages_tell_how_much_of_them_is_in_pieces(void **state)
{
    const double flat[] = {5, 5, 5, 5, 5, 5, 5, 5}, small[] = {5, 5, 5, 5, 6, 11, 12, 12},
                 half[] = {5, 5, 5, 5, 5.5, 8, 8.5, 8.5}, near[] = {5, 5, 5, 5, 5, 5.1, 5.1, 5.1};
    struct point points[4][POINTS];
    struct series packed, pieces, piece_spread, piece_packed;
    const struct tlb_evidence evidence = {.page = "2M",
                                          .piece = "4K",
                                          .spread = &packed,
                                          .packed = &packed,
                                          .pieces = &pieces,
                                          .piece_spread = &piece_spread,
                                          .piece_packed = &piece_packed,
                                          .shared = 1};
    fill(&packed, points[0], flat, 8, false);
    fill(&piece_packed, points[1], flat, 8, false);
    fill(&piece_spread, points[2], small, 8, false);
    const struct {
        const double *pieces;
        double share;
        bool split;
    } cases[] = {{small, 1, true}, {half, 0.5, true}, {near, 0.015, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pool pool = {0};
        struct probe_result result = {0};
        fill(&pieces, points[3], cases[i].pieces, 8, false);
        findings_tlb(&result, &pool, &evidence);
        const struct finding *as = find(&result, "dtlb.2M.as.4K");
        assert_non_null(as);
        assert_true(fabs(as->value - cases[i].share) < 0.01);
        assert_true(as->low <= as->value && as->value <= as->high);
        assert_true(cases[i].split ? as->declared == 0 : isnan(as->declared));
        assert_non_null(strstr(as->text, cases[i].split ? "with pages of 4K" : "whole"));
        pool_free(&pool);
    }
    for (size_t i = 0; i < 8; i++)
        points[3][i].y.coverage = 0;
    struct pool tried_once = {0};
    struct probe_result alone = {0};
    findings_tlb(&alone, &tried_once, &evidence);
    assert_non_null(find(&alone, "dtlb.2M.as.4K"));
    assert_true(isnan(find(&alone, "dtlb.2M.as.4K")->low));
    pool_free(&tried_once);
    /* Two sizes at which small pages cost something are too few. */
    struct pool pool = {0};
    struct probe_result result = {0};
    pieces.point_count = 7;
    findings_tlb(&result, &pool, &evidence);
    assert_null(find(&result, "dtlb.2M.as.4K"));
    pool_free(&pool);
}

static void the_second_level_says_why_it_was_not_looked_for(void **state)
{
    struct pool pool = {0};
    struct probe_result result = {0};
    five_of(11, true, &pool, &result);
    const struct finding *second = find(&result, "dtlb2.4K.entries");
    assert_non_null(second);
    assert_true(isnan(second->value));
    assert_string_equal(second->text, "not found: the first level's end was not found");
    pool_free(&pool);
}

static void what_was_not_measured_says_why(void **state)
{
    struct pool pool = {0};
    struct probe_result result = {0};
    struct tlb_evidence evidence = {.page = "2M", .unavailable = "pages can't be had"};
    findings_tlb(&result, &pool, &evidence);
    assert_int_equal(result.finding_count, 1);
    assert_true(isnan(result.findings[0].value));
    assert_string_equal(result.findings[0].text, "not found: pages can't be had");
    pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_are_what_the_spread_chain_takes_longer),
        cmocka_unit_test(a_departure_lasts),
        cmocka_unit_test(votes_make_a_number_or_none),
        cmocka_unit_test(trials_that_tell_nothing_count_as_trials),
        cmocka_unit_test(huge_pages_tell_how_much_of_them_is_in_pieces),
        cmocka_unit_test(the_second_level_says_why_it_was_not_looked_for),
        cmocka_unit_test(what_was_not_measured_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
