#include "measure/probes/gpu/options.h"

#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { KIB = 1024 };

static struct gpu_facts device(const char *capability, unsigned all_kib, unsigned scratchpad_kib)
{
    return (struct gpu_facts){.capability = capability,
                              .first_level_bytes = (uint64_t)all_kib * KIB,
                              .scratchpad_bytes = (uint64_t)scratchpad_kib * KIB};
}

struct asked {
    const char *text;
    const struct gpu_facts *facts;
    struct gpu_split *splits;
    struct pool pool;
};

static int step(void *with)
{
    struct asked *asked = with;
    return (int)gpu_splits_parse(asked->text, asked->facts, asked->splits, &asked->pool);
}

static int parse(const char *text, const struct gpu_facts *facts, struct gpu_split *splits,
                 struct error *error)
{
    struct asked asked = {text, facts, splits, {0}};
    const int code = pool_enter(&asked.pool, step, &asked, error);
    pool_free(&asked.pool);
    return code;
}

/* The same numbers as in NVIDIA's guide: sizes of L1 that a sweep has to visit. */
static void a_sweep_has_the_splits_of_its_architecture(void **state)
{
    static const struct {
        const char *capability;
        unsigned all, scratchpad, l1[GPU_SPLITS_MOST];
        int count;
    } cases[] = {
        {"7.5", 96, 64, {64, 32}, 2},
        {"7.0", 128, 96, {128, 120, 112, 96, 64, 32}, 6},
        {"8.0", 192, 164, {192, 184, 176, 160, 128, 92, 60, 28}, 8},
        {"8.6", 128, 100, {128, 120, 112, 96, 64, 28}, 6},
        {"9.0", 256, 228, {256, 248, 240, 224, 192, 156, 124, 92, 60, 28}, 10},
        {"12.1", 128, 100, {128, 120, 112, 96, 64, 28}, 6},
        {"13.0", 256, 200, {256, 206, 156, 106, 56}, 5}, /* not known: in quarters */
        {NULL, 256, 200, {256, 206, 156, 106, 56}, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct gpu_facts facts =
            device(cases[i].capability, cases[i].all, cases[i].scratchpad);
        struct gpu_split splits[GPU_SPLITS_MOST];
        assert_int_equal(parse("sweep", &facts, splits, NULL), cases[i].count);
        for (int k = 0; k < cases[i].count; k++) {
            assert_int_equal(splits[k].l1_bytes, cases[i].l1[k] * KIB);
            assert_int_equal(splits[k].carve_out,
                             100 * (cases[i].all - cases[i].l1[k]) / cases[i].scratchpad);
        }
        assert_int_equal(gpu_split_default(&facts).l1_bytes, cases[i].l1[0] * KIB);
        assert_int_equal(gpu_split_default(&facts).carve_out, -1);
    }
}

/* A driver takes the smallest scratchpad that is at least the share asked for: so the share must be
 * more than the next smaller one, and no more than the one that is meant. */
static void every_share_leads_to_the_split_that_was_meant(void **state)
{
    const struct gpu_facts facts = device("9.0", 256, 228);
    static const unsigned sizes[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    struct gpu_split splits[GPU_SPLITS_MOST];
    const int count = parse("sweep", &facts, splits, NULL);
    for (int i = 0; i < count; i++) {
        size_t taken = 0;
        while (sizes[taken] * 100 < (unsigned)splits[i].carve_out * 228)
            taken++;
        assert_int_equal((256 - sizes[taken]) * KIB, splits[i].l1_bytes);
    }
}

static void assert_split(const char *text, unsigned l1_kib, int carve_out)
{
    const struct gpu_facts facts = device("8.0", 192, 164);
    struct gpu_split split;
    assert_int_equal(parse(text, &facts, &split, NULL), 1);
    assert_int_equal(split.l1_bytes, l1_kib * KIB);
    assert_int_equal(split.carve_out, carve_out);
}

static void a_size_or_a_share_takes_the_next_smaller_l1(void **state)
{
    assert_split("192K", 192, 0);
    assert_split("128K", 128, 39);
    assert_split("100K", 92, 60);
    assert_split("100", 192, 0);
    assert_split("50", 92, 60); /* 96 KiB */
    assert_split("50%", 92, 60);
    assert_split("28K", 28, 100);
}

static void what_it_can_not_have_is_refused(void **state)
{
    static const char *const refused[] = {"27K", "0", "10%", "193K", "101", "-5", "L1", "", "nan"};
    const struct gpu_facts facts = device("8.0", 192, 164);
    struct gpu_split split;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct error error = {0};
        assert_int_equal(parse(refused[i], &facts, &split, &error), ERROR_USAGE);
        assert_non_null(strstr(error.text, "--l1"));
        assert_null(strchr(error.text, '\n'));
    }
}

static void without_a_shared_first_level_there_is_nothing_to_split(void **state)
{
    struct gpu_facts facts = device("6.1", 0, 96);
    struct gpu_split split;
    assert_int_equal(parse("sweep", &facts, &split, NULL), ERROR_USAGE);
    assert_int_equal(gpu_split_default(&facts).l1_bytes, 0);
    facts = device("7.5", 96, 0);
    assert_int_equal(parse("32K", &facts, &split, NULL), ERROR_USAGE);
    assert_int_equal(gpu_split_default(&facts).l1_bytes, 96 * KIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sweep_has_the_splits_of_its_architecture),
        cmocka_unit_test(every_share_leads_to_the_split_that_was_meant),
        cmocka_unit_test(a_size_or_a_share_takes_the_next_smaller_l1),
        cmocka_unit_test(what_it_can_not_have_is_refused),
        cmocka_unit_test(without_a_shared_first_level_there_is_nothing_to_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
