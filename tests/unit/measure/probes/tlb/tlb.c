#include "measure/probes/drive.h"

#include "base/random.h"
#include "document/flag.h"
#include "measure/kernels/chase.h"
#include "measure/probes/tlb/state.h"

extern const struct probe tlb_probe;

/* A TLB of `sets` sets that are replaced by age, walked over and over. */
struct found_level {
    unsigned entries, sets;
};

/* The machine that the tests are on. */
static struct {
    struct found_level first[2], second; /* first: of small and of huge pages */
    unsigned shared;                     /* neighbouring pages an entry serves */
    double noise, spoiled;               /* scatter; share of those that vote, on a busy core */
    double busy;                         /* share of all trials that a neighbour spoils */
    double blind;                        /* share of those that vote that see no end */
    double in_pieces;                    /* share of huge pages that a hypervisor has split */
} tlb;

static double misses(struct found_level level, double pages)
{
    unsigned n = (unsigned)pages, missing = 0;
    for (unsigned set = 0; set < level.sets; set++) {
        unsigned held = n / level.sets + (set < n % level.sets);
        missing += held > level.entries / level.sets ? held : 0;
    }
    return missing / pages;
}

static double cycles(const struct probe_task *task, const struct plan_point *point, unsigned trial)
{
    bool huge = task->plan.pages != PAGES_SMALL;
    bool spread = point->index != TLB_PACKED;
    struct found_level first = tlb.first[huge];
    struct random random = {random_mix(point->series * 1000003u + (uint64_t)point->x) + trial};
    double value = point->x <= 512 ? 4 : 12;
    const unsigned votes = task->values->trials;
    const unsigned voter = trial % votes;
    if (voter < tlb.spoiled * votes)
        first.entries -= 5 + voter;
    if (task->plan.sweep && random_unit(&random) < tlb.busy)
        first.entries /= 2;
    if (voter < tlb.blind * votes)
        return value;
    if (point->index == TLB_SPREAD && !huge)
        first.entries *= tlb.shared;
    if (point->index == TLB_PIECES)
        value += tlb.in_pieces * 7 * misses(tlb.first[0], point->x);
    else if (spread)
        value += 7 * misses(first, point->x) + (huge ? 0 : 30 * misses(tlb.second, point->x));
    return value * (1 + tlb.noise * (random_unit(&random) - 0.5));
}

static void set_up(unsigned small, unsigned sets, unsigned huge, unsigned second)
{
    tlb.first[0] = (struct found_level){small, sets};
    tlb.first[1] = (struct found_level){huge, 1};
    tlb.second = (struct found_level){second, 128};
    tlb.shared = 1;
    tlb.noise = tlb.spoiled = tlb.busy = tlb.blind = tlb.in_pieces = 0;
}

static double value(const struct bench *bench, const char *name)
{
    return bench_finding(bench, name)->value;
}

static void entries_are_exact(void **state)
{
    static const unsigned shapes[][4] = {
        {64, 1, 64, 2048}, {96, 16, 32, 2048}, {64, 16, 32, 1536}, {48, 1, 48, 1280},
        {32, 4, 16, 512},  {16, 1, 32, 1024},  {72, 1, 72, 3072},  {128, 32, 60, 1024},
    };
    struct bench *bench = *state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int noisy = 0; noisy < 2; noisy++) {
            const unsigned *shape = shapes[i];
            set_up(shape[0], shape[1], shape[2], shape[3]);
            tlb.noise = noisy * 0.01;
            drive(bench, &tlb_probe, 0, cycles);
            assert_true(value(bench, "dtlb1.4K.entries") == shape[0]);
            assert_true(value(bench, "dtlb1.2M.entries") == shape[2]);
            assert_true(value(bench, "dtlb2.4K.entries") == shape[3]);
            assert_true(fabs(value(bench, "dtlb2.4K.hit") - 7) < 0.5);
            assert_true(fabs(value(bench, "dtlb2.4K.walk") - 37) < 1);
            const struct finding *first = bench_finding(bench, "dtlb1.4K.entries");
            assert_true(first->low <= shape[0] && first->high >= shape[0]);
        }
}

static void pages_that_share_an_entry_do_not_count_for_more(void **state)
{
    struct bench *bench = *state;
    set_up(64, 1, 64, 2048);
    tlb.shared = 4;
    drive(bench, &tlb_probe, 0, cycles);
    assert_true(value(bench, "dtlb1.4K.entries") == 64);
    assert_non_null(strstr(bench_finding(bench, "dtlb1.4K.entries")->text, "4 neighbouring"));
}

static void a_busy_core_makes_no_wrong_number(void **state)
{
    struct bench *bench = *state;
    set_up(64, 1, 64, 2048);
    tlb.spoiled = 0.3;
    drive(bench, &tlb_probe, 0, cycles);
    assert_true(value(bench, "dtlb1.4K.entries") == 64);
    assert_true(bench_finding(bench, "dtlb1.4K.entries")->low < 64);
    tlb.spoiled = 0.6;
    bench->result.finding_count = 0;
    drive(bench, &tlb_probe, 0, cycles);
    assert_true(isnan(value(bench, "dtlb1.4K.entries")));
    assert_non_null(strstr(bench_finding(bench, "dtlb1.4K.entries")->text, "disagree"));
}

/* Of hundreds of short trials a neighbour leaves some alone. */
static void a_neighbour_that_leaves_gaps_takes_no_entries(void **state)
{
    struct bench *bench = *state;
    set_up(96, 1, 64, 2048);
    tlb.busy = 0.7;
    tlb.noise = 0.01;
    drive(bench, &tlb_probe, 0, cycles);
    assert_true(value(bench, "dtlb1.4K.entries") == 96);
    assert_true(value(bench, "dtlb1.2M.entries") == 64);
}

/* The ladder's medians show an end, and most of the trials that look closer do not. */
static double blind_where_it_ends(const struct probe_task *task, const struct plan_point *point,
                                  unsigned trial)
{
    const struct tlb_state *state = task->state;
    tlb.blind = state->look == TLB_FIRST ? 0.5 : 0;
    return cycles(task, point, trial);
}

static void half_of_all_trials_have_to_see_the_end(void **state)
{
    struct bench *bench = *state;
    set_up(64, 1, 64, 2048);
    drive(bench, &tlb_probe, 0, blind_where_it_ends);
    const struct finding *first = bench_finding(bench, "dtlb1.4K.entries");
    assert_true(isnan(first->value));
    assert_non_null(strstr(first->text, "only 5 of 11"));
    assert_non_null(strstr(bench_finding(bench, "dtlb2.4K.entries")->text, "not found"));
    for (size_t i = 0; i < bench->result.series_count; i++)
        assert_null(
            strstr(series_factor(&bench->result.series[i], "look")->text, "second level's end"));
}

static void what_is_not_there_is_not_found(void **state)
{
    struct bench *bench = *state;
    set_up(100000, 1, 100000, 100000);
    tlb.noise = 0.02;
    drive(bench, &tlb_probe, 0, cycles);
    assert_true(isnan(value(bench, "dtlb1.4K.entries")));
    assert_non_null(strstr(bench_finding(bench, "dtlb1.4K.entries")->text, "8192 pages"));
    assert_true(isnan(value(bench, "dtlb1.2M.entries")));
    for (size_t i = 0; i < bench->result.finding_count; i++)
        assert_true(isnan(bench->result.findings[i].value));
}

static void a_slow_rise_has_no_number_but_a_walk_has_its_cost(void **state)
{
    struct bench *bench = *state;
    set_up(64, 1, 64, 1024);
    tlb.second.sets = 1024;
    drive(bench, &tlb_probe, 0, cycles);
    assert_true(isnan(value(bench, "dtlb2.4K.entries")));
    assert_non_null(strstr(bench_finding(bench, "dtlb2.4K.entries")->text, "slowly"));
    assert_true(fabs(value(bench, "dtlb2.4K.walk") - 37) < 1);
}

static void huge_pages_are_whole_or_in_pieces(void **state)
{
    struct bench *bench = *state;
    set_up(64, 1, 32, 2048);
    tlb.noise = 0.005;
    for (int quarters = 0; quarters <= 4; quarters++) {
        tlb.in_pieces = quarters / 4.0;
        drive(bench, &tlb_probe, 0, cycles);
        assert_true(fabs(value(bench, "dtlb.2M.as.4K") - tlb.in_pieces) < 0.02);
        const struct finding *split = bench_finding(bench, "dtlb.2M.as.4K");
        assert_true(quarters ? split->low > split->declared : isnan(split->declared));
        assert_true(value(bench, "dtlb1.2M.entries") == 32);
    }
    set_up(100000, 1, 32, 100000); /* small pages cost nothing to hold it against */
    drive(bench, &tlb_probe, 0, cycles);
    for (size_t i = 0; i < bench->result.finding_count; i++)
        assert_string_not_equal(bench->result.findings[i].name, "dtlb.2M.as.4K");
}

static void huge_pages_that_were_not_had_are_not_reported(void **state)
{
    struct bench *bench = *state;
    set_up(64, 1, 64, 2048);
    drive(bench, &tlb_probe, FLAG_BIT(FLAG_SMALL_PAGES), cycles);
    assert_true(isnan(value(bench, "dtlb1.2M.entries")));
    assert_non_null(strstr(bench_finding(bench, "dtlb1.2M.entries")->text, "can't be had"));
}

static double no_time(const struct probe_task *task, const struct plan_point *point, unsigned trial)
{
    return point->x > 20 && point->index == TLB_SPREAD ? NAN : cycles(task, point, trial);
}

static void without_time_nothing_is_claimed(void **state)
{
    struct bench *bench = *state;
    set_up(64, 1, 64, 2048);
    drive(bench, &tlb_probe, 0, no_time);
    assert_true(isnan(value(bench, "dtlb1.4K.entries")));
    assert_non_null(strstr(bench_finding(bench, "dtlb1.4K.entries")->text, "budget"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(entries_are_exact),
        BENCH_TEST(pages_that_share_an_entry_do_not_count_for_more),
        BENCH_TEST(a_busy_core_makes_no_wrong_number),
        BENCH_TEST(a_neighbour_that_leaves_gaps_takes_no_entries),
        BENCH_TEST(half_of_all_trials_have_to_see_the_end),
        BENCH_TEST(what_is_not_there_is_not_found),
        BENCH_TEST(a_slow_rise_has_no_number_but_a_walk_has_its_cost),
        BENCH_TEST(huge_pages_are_whole_or_in_pieces),
        BENCH_TEST(huge_pages_that_were_not_had_are_not_reported),
        BENCH_TEST(without_time_nothing_is_claimed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
