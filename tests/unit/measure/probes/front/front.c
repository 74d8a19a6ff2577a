/* The instruction side of processors that do not exist, from the plan to the findings: what they
 * were made of comes back, and what they lack is not found. */
#include "measure/probes/modelled.h"

#include "base/random.h"
#include "measure/kernels/front.h"
#include "stats/sample.h"

#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern const struct probe front_probe;

/* How much fits each, and 0 for one without an end. */
struct processor {
    double branches, l1_bytes, l2_bytes;
    size_t block;   /* the buffer's sets are chosen by blocks of so many bytes */
    bool shared;    /* in two trials of three the core's other thread takes half of everything */
    double decoded; /* instructions; others are decoded at 16 bytes a cycle */
    double pages;   /* of 4 KiB */
    double pages2;  /* of the second TLB */
    double large;   /* of 2 MiB; 0: the hypervisor backs them with small ones */
    double nearer;  /* branches that a first buffer holds, which predicts without a pause */
    bool outlasts;  /* what is decoded need not be fetched, though it would not fit L1 */
    double scatter; /* of a time, a share */
};

struct bench {
    struct modelled on;
    struct processor side;
    struct random random;
};

static bool beyond(double what, double fits)
{
    return fits > 0 && what > fits;
}

/* Cycles of a jump or an instruction: least recently used caches, of which a cycle that is too long
 * misses every time. */
static double cycles(const struct processor *side, const struct front_code *code)
{
    const bool jumps = code->kind != FRONT_PLAIN, whole = code->kept && side->large > 0;
    const double count = (double)code->count, each = (double)code->each, line = 64,
                 lines = jumps && each >= line ? 1 : each / line, bytes = count * lines * line,
                 pages = fmin(1, whole ? each * (1 + code->sparse) / 0x1p21 : each / 4096);
    const size_t blocks = side->block ? code->each / side->block : 1;
    const double sets = blocks ? (double)(blocks & -blocks) : 1; /* of a power of two many */
    double sum = jumps ? 1 : 0.25;
    sum += jumps && beyond(count, side->nearer) ? 1 : 0;
    sum = !jumps && beyond(count, side->decoded) ? fmax(sum, each / 16) : sum;
    sum += each > 1024 && beyond(count * pages, whole ? side->large : side->pages) ? 14 * pages : 0;
    sum += each > 1024 && !whole && beyond(count * pages, side->pages2) ? 40 * pages : 0;
    if (!jumps && side->outlasts && !beyond(count, side->decoded))
        return sum;
    sum += jumps && beyond(count * sets, side->branches) ? 8 : 0;
    sum += beyond(bytes, side->l1_bytes) ? 12 * lines : 0;
    sum += beyond(bytes, side->l2_bytes) ? 60 * lines : 0;
    return sum;
}

/* The same beside a busy thread of the core. */
static double cycles_beside(struct processor side, const struct front_code *code)
{
    side.branches /= 2;
    side.l1_bytes /= 2;
    side.l2_bytes /= 2;
    side.decoded /= 2;
    side.pages /= 2;
    side.large /= 2;
    return 2 * cycles(&side, code);
}

static uint64_t work(void *self, int cpu, kernel_function *run, void *state, uint64_t repeats)
{
    struct bench *bench = self;
    const struct front *front = state;
    assert_ptr_equal(run, front_run);
    assert_non_null(front->entry);
    const bool beside = bench->side.shared && front->code.seed % 3;
    const double each =
        beside ? cycles_beside(bench->side, &front->code) : cycles(&bench->side, &front->code);
    return (uint64_t)(500 * each * (double)front->code.count * (double)repeats *
                      (1 + bench->side.scatter * random_unit(&bench->random)));
}

static uint64_t additions(void *self, int cpu, uint64_t count)
{
    return count * 500;
}

static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){.side = {0}};
    *state = &bench;
    return modelled_begin(&bench.on, (struct timing_model){&bench, NULL, work, additions, NULL});
}

static int tear_down(void **state)
{
    modelled_end(&((struct bench *)*state)->on);
    return 0;
}

static void be(struct bench *bench)
{
    struct modelled *on = &bench->on;
    const struct machine_source source = {
        .synthetic = "pack:1 [numa(memory=1073741824)] l2:1(size=262144) l1:1(size=32768) core:1 "
                     "pu:1"};
    if (!front_has(0))
        skip(); /* no code is generated for this architecture */
    modelled_forget(on);
    if (machine_read(&on->machine, &source, &on->error) < 0)
        fail_msg("%s", on->error.text);
}

static void measure(struct bench *bench, struct processor side)
{
    bench->side = side;
    be(bench);
    modelled_measure(&bench->on, &front_probe, "to", "768K", NULL);
}

/* A finding's interval goes from the last size that fits to the first that does not, of which the
 * value is the one. */
static bool holds(const struct finding *finding, double wanted)
{
    return finding && finding->low <= 1.01 * wanted && wanted <= 1.01 * finding->high &&
           fabs(log2(finding->value / wanted)) <= 1;
}

static void about(const struct bench *bench, const char *name, double wanted)
{
    const struct finding *finding = modelled_find(&bench->on, name);
    if (!holds(finding, wanted))
        fail_msg("%s is %g and not %g", name, finding ? finding->value : NAN, wanted);
}

/* Nothing was found but what begins so. */
static void only(const struct bench *bench, const char *const *beginnings)
{
    for (size_t i = 0; i < bench->on.result.finding_count; i++) {
        const char *name = bench->on.result.findings[i].name;
        bool wanted = isnan(bench->on.result.findings[i].value);
        for (size_t j = 0; beginnings[j]; j++)
            wanted = wanted || strncmp(name, beginnings[j], strlen(beginnings[j])) == 0;
        if (!wanted)
            fail_msg("%s was found", name);
    }
}

static void caches_and_buffers_come_back(void **state)
{
    struct bench *bench = *state;
    measure(bench, (struct processor){4000, 32 << 10, 256 << 10, 0, false});
    about(bench, "front.L1.capacity", 32 << 10);
    about(bench, "front.L2.capacity", 256 << 10);
    about(bench, "front.btb.entries", 4000);
    assert_true(modelled_find(&bench->on, "front.L2.capacity")->declared == 256 << 10);
    modelled_value(&bench->on, "front.L1.cycles", 0.25);
    modelled_value(&bench->on, "front.L2.cycles", 1);
    only(bench, (const char *const[]){"front.L1.", "front.L2.", "front.last.", "front.btb.", NULL});
}

static void caches_are_no_buffers(void **state)
{
    struct bench *bench = *state;
    measure(bench, (struct processor){0, 24 << 10, 192 << 10, 0, false});
    about(bench, "front.L1.capacity", 24 << 10);
    about(bench, "front.L2.capacity", 192 << 10);
    only(bench, (const char *const[]){"front.L1.", "front.L2.", "front.last.", NULL});
}

/* Whose sets the wide distances do not use: they end at the same bytes, as with a cache. */
static void buffers_are_no_caches(void **state)
{
    struct bench *bench = *state;
    measure(bench, (struct processor){4096, 0, 0, 32, false});
    about(bench, "front.btb.entries", 4096);
    only(bench, (const char *const[]){"front.btb.", NULL});
}

/* What is shared for a part of the time is found as if it never were. */
static void a_busy_thread_of_the_core_changes_nothing(void **state)
{
    struct bench *bench = *state;
    measure(bench, (struct processor){4000, 32 << 10, 256 << 10, 0, true});
    about(bench, "front.L1.capacity", 32 << 10);
    about(bench, "front.L2.capacity", 256 << 10);
    about(bench, "front.btb.entries", 4000);
    modelled_value(&bench->on, "front.L1.cycles", 0.25);
    modelled_value(&bench->on, "front.L2.cycles", 1);
}

static void nothing_is_found_where_nothing_ends(void **state)
{
    struct bench *bench = *state;
    measure(bench, (struct processor){0});
    only(bench, (const char *const[]){NULL});
}

static int plan(struct modelled *on, ...)
{
    va_list options;
    va_start(options, on);
    const int code = modelled_plan(on, &front_probe, options);
    va_end(options);
    return code;
}

static void decoded_instructions_and_pages_are_counted(void **state)
{
    struct bench *bench = *state;
    measure(bench, (struct processor){
                       .branches = 4000, .l1_bytes = 32 << 10, .decoded = 1500, .pages = 64});
    about(bench, "front.itlb.4K.entries", 64);
    if (front_has(8))
        about(bench, "front.decoded.entries", 1500);
    /* A cache of so many bytes is none of instructions, and lines and branches are no pages. */
    measure(bench, (struct processor){.branches = 200, .l1_bytes = 12 << 10});
    only(bench, (const char *const[]){"front.L1.", "front.last.", "front.btb.", NULL});
}

/* A first buffer of 1024 branches is in no finding. An L1 that two jumps a page fill not far before
 * the second TLB would hide it. */
static void two_levels_of_buffers_and_tlbs_come_back(void **state)
{
    struct bench *bench = *state;
    measure(bench, (struct processor){.branches = 6656,
                                      .nearer = 1024,
                                      .l1_bytes = 64 << 10,
                                      .pages = 64,
                                      .pages2 = 400,
                                      .scatter = 0.01});
    about(bench, "front.btb.entries", 6656);
    about(bench, "front.itlb.4K.entries", 64);
    about(bench, "front.itlb2.4K.entries", 400);
}

/* "": it was found; NULL: there is no such finding. */
static const char *why_not(const struct bench *bench, const char *name)
{
    const struct finding *finding = modelled_find(&bench->on, name);
    return !finding ? NULL : isfinite(finding->value) ? "" : finding->text;
}

/* Not all systems give large pages. */
static bool has_large_pages(const struct bench *bench)
{
    const char *why = why_not(bench, "front.itlb.2M.entries");
    return why && !modelled_parameter(&bench->on, "no_large_pages")[0];
}

/* Where a hypervisor backs them with small ones, nothing is known of the TLB of large ones, and
 * where the TLB of small ones has no end, it can't be told. */
static void large_pages_are_counted_where_they_are_whole(void **state)
{
    struct bench *bench = *state;
    struct processor side = {.branches = 6000, .l1_bytes = 32 << 10, .pages = 64, .pages2 = 500};
    measure(bench, side);
    if (!has_large_pages(bench))
        skip();
    about(bench, "front.itlb.4K.entries", 64);
    assert_non_null(strstr(why_not(bench, "front.itlb.2M.entries"), "hypervisor"));
    for (side.large = 8; side.large < 100; side.large *= 4) {
        measure(bench, side);
        about(bench, "front.itlb.4K.entries", 64);
        about(bench, "front.itlb.2M.entries", side.large);
        assert_null(modelled_find(&bench->on, "front.itlb2.2M.entries"));
    }
    side.pages = side.pages2 = 0;
    measure(bench, side);
    assert_non_null(strstr(why_not(bench, "front.itlb.4K.entries"), "do not agree"));
    assert_non_null(strstr(why_not(bench, "front.itlb.2M.entries"), "is needed"));
}

/* As where decoded instructions fill more bytes than L1, which straight-line code then shows at one
 * length alone. */
static void decoded_instructions_may_outlast_a_cache(void **state)
{
    struct bench *bench = *state;
    measure(bench, (struct processor){.branches = 4000,
                                      .l1_bytes = 32 << 10,
                                      .l2_bytes = 256 << 10,
                                      .decoded = 6000,
                                      .outlasts = true,
                                      .pages = 64,
                                      .pages2 = 180,
                                      .scatter = 0.01});
    about(bench, "front.L1.capacity", 32 << 10);
    about(bench, "front.L2.capacity", 256 << 10);
    about(bench, "front.btb.entries", 4000);
    about(bench, "front.itlb.4K.entries", 64);
    about(bench, "front.itlb2.4K.entries", 180);
    if (front_has(8))
        about(bench, "front.decoded.entries", 6000);
}

/* What was found of processors that chance has made, and whether it is true. */
struct score {
    const char *name;
    int right, wrong, missed;
};

static void count(const struct bench *bench, struct score *score, double wanted)
{
    const struct finding *finding = modelled_find(&bench->on, score->name);
    const bool found = finding && isfinite(finding->value);
    if (found && wanted > 0 && holds(finding, wanted))
        score->right++;
    else if (found) {
        score->wrong++;
        print_message("%s is %g (%g to %g) and not %g\n", score->name, finding->value, finding->low,
                      finding->high, wanted);
    } else if (wanted > 0)
        score->missed++;
}

static double drawn(struct random *random, double from, double to)
{
    return from * pow(to / from, random_unit(random));
}

/* Beside a thread that is busy for two trials of three, or beside none. */
static void what_is_found_of_many_processors_is_true(void **state)
{
    const int processors = (int)sample_seeds(12);
    struct bench *bench = *state;
    struct random random = {3};
    struct score scores[] = {
        {"front.L1.capacity", 0, 0, 0},     {"front.L2.capacity", 0, 0, 0},
        {"front.btb.entries", 0, 0, 0},     {"front.decoded.entries", 0, 0, 0},
        {"front.itlb.4K.entries", 0, 0, 0}, {"front.itlb2.4K.entries", 0, 0, 0},
        {"front.itlb.2M.entries", 0, 0, 0}};
    for (int i = 0; i < processors; i++) {
        struct processor side = {
            .branches = drawn(&random, 1500, 8000),
            .l1_bytes = drawn(&random, 24 << 10, 44 << 10),
            .l2_bytes = i % 2 ? drawn(&random, 192 << 10, 400 << 10) : 0,
            .block = i % 4 ? 32 : 0,
            .shared = i % 3 == 0,
            .decoded = i % 5 ? drawn(&random, 600, 1400) : 0,
            .pages = i % 7 ? drawn(&random, 32, 120) : 0,
            .nearer = i % 3 ? drawn(&random, 300, 1200) : 0,
            .scatter = 0.03,
        };
        side.pages2 = side.pages > 0 && i % 2 ? drawn(&random, 200, 500) : 0;
        side.large = i % 5 ? drawn(&random, 8, 64) : 0;
        measure(bench, side);
        const double wanted[] = {side.l1_bytes,
                                 side.l2_bytes,
                                 side.branches,
                                 front_has(8) ? side.decoded : 0,
                                 side.pages,
                                 side.pages2,
                                 has_large_pages(bench) ? side.large : 0};
        for (size_t k = 0; k < sizeof scores / sizeof *scores; k++)
            count(bench, &scores[k], wanted[k]);
    }
    int right = 0, wrong = 0;
    for (size_t k = 0; k < sizeof scores / sizeof *scores; k++) {
        print_message("%s: %d right, %d wrong, %d missed\n", scores[k].name, scores[k].right,
                      scores[k].wrong, scores[k].missed);
        right += scores[k].right;
        wrong += scores[k].wrong;
    }
    assert_int_equal(wrong, 0);
    assert_true(right >= 3 * processors);
}

static void a_policy_that_refuses_is_told(void **state)
{
    enum { REFUSE_GAIN = 65 /* PR_SET_MDWE */, NO_POLICY = 77 };
    struct bench *bench = *state;
    struct modelled *on = &bench->on;
    be(bench);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (prctl(REFUSE_GAIN, 1, 0, 0, 0) < 0)
            _exit(NO_POLICY);
        on->task.named = true;
        const int code = plan(on, NULL);
        const char *why = code < 0 ? on->error.text : on->result.reason;
        _exit(why && strstr(why, "refuses to execute") ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_POLICY)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(caches_and_buffers_come_back),
        TEST(caches_are_no_buffers),
        TEST(buffers_are_no_caches),
        TEST(a_busy_thread_of_the_core_changes_nothing),
        TEST(nothing_is_found_where_nothing_ends),
        TEST(decoded_instructions_and_pages_are_counted),
        TEST(two_levels_of_buffers_and_tlbs_come_back),
        TEST(large_pages_are_counted_where_they_are_whole),
        TEST(decoded_instructions_may_outlast_a_cache),
        TEST(what_is_found_of_many_processors_is_true),
        TEST(a_policy_that_refuses_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
