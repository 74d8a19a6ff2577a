/* The instruction side of processors that do not exist, from the plan to the findings: what they
 * were made of comes back, and what they lack is not found. */
#include "measure/probes/modelled.h"

#include "measure/kernels/front.h"

#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern const struct probe front_probe;

/* How much fits each, and 0 for one without an end. */
struct processor {
    double branches, l1_bytes, l2_bytes;
    double block; /* the buffer's sets are chosen by blocks of so many bytes */
    bool shared;  /* in two trials of three the core's other thread takes half of everything */
};

struct bench {
    struct modelled on;
    struct processor side;
};

static bool beyond(double what, double fits)
{
    return fits > 0 && what > fits;
}

/* Cycles of a jump or an instruction: least recently used caches, of which a cycle that is too long
 * misses every time. */
static double cycles(const struct processor *side, const struct front_code *code)
{
    const bool jumps = code->kind != FRONT_PLAIN;
    const double count = (double)code->count, each = (double)code->each, bytes = count * each,
                 line = 64, lines = jumps && each >= line ? 1 : each / line,
                 sets = side->block > 0 ? fmax(1, each / side->block) : 1;
    double sum = jumps ? 1 : 0.25;
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
    return 2 * cycles(&side, code);
}

static uint64_t work(void *self, int cpu, kernel_function *run, void *state, uint64_t repeats)
{
    const struct bench *bench = self;
    const struct front *front = state;
    (void)cpu;
    assert_ptr_equal(run, front_run);
    assert_non_null(front->entry);
    const bool beside = bench->side.shared && front->code.seed % 3;
    const double each =
        beside ? cycles_beside(bench->side, &front->code) : cycles(&bench->side, &front->code);
    return (uint64_t)(500 * each * (double)front->code.count * (double)repeats);
}

static uint64_t additions(void *self, int cpu, uint64_t count)
{
    (void)self, (void)cpu;
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

static void about(const struct bench *bench, const char *name, double wanted)
{
    const struct finding *finding = modelled_find(&bench->on, name);
    if (!finding || !(fabs(log2(finding->value / wanted)) <= 0.25))
        fail_msg("%s is %g and not %g", name, finding ? finding->value : NAN, wanted);
}

/* Nothing was found but what begins so. */
static void only(const struct bench *bench, const char *const *beginnings)
{
    for (size_t i = 0; i < bench->on.result.finding_count; i++) {
        const char *name = bench->on.result.findings[i].name;
        bool wanted = false;
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
        TEST(a_policy_that_refuses_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
