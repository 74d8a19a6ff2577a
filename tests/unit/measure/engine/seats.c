/* Batches that several threads do together: the same work for each, or windows. */
#include "measure/engine/seats.h"

#include "background.h"
#include "measure/engine/engine.h"
#include "measure/kernels/pages.h"
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { FAST_PS = 4000, SLOW_PS = 12000, BATCHES = 4, REPEATS = 100, TRIALS = 6 };

struct bench {
    struct machine machine;
    struct clock clock;
    struct engine engine;
    struct timing_model model;
    struct seat seats[3];
    struct plan_point point;
    struct series series;
    struct plan plan;
    struct pool pool;
    struct stage_outcome outcome;
    unsigned bursts, odd_bursts, seen; /* one of this many bursts is of another clock; 0: none */
    void (*observe)(void *, const struct observation *);
    double repeats;
    unsigned redone;
};

static uint64_t spin(void *state, uint64_t repeats)
{
    for (uint64_t i = 0; i < repeats * 1000; i++)
        *(volatile uint64_t *)state += 1;
    return repeats;
}

static void prepare(struct trial *trial)
{
    trial->operations = 0;
    for (unsigned i = 0; i < trial->point->seat_count; i++) {
        struct worker *worker = &trial->workers[i];
        trial->operations += plan_seat(trial->point, i).role == MEASURED;
        worker->run = spin;
        worker->state = worker->room;
        *(uint64_t *)worker->state = 0;
    }
}

static void observe(void *observer, const struct observation *seen)
{
    struct bench *bench = observer;
    assert_int_equal(seen->batch_count, BATCHES);
    bench->seen++;
    /* A worker's own time is a part of the batch's, which begins with the first of them. */
    for (unsigned i = 0; i < seen->batch_count && !seen->shares; i++)
        assert_true(seen->batches[i].worked_ns <= seen->batches[i].ns || getenv("FATHOM_EMULATED"));
    /* An emulator counts time, but not in order with what it runs. */
    for (unsigned i = 0; seen->shares && i < seen->batch_count * seen->trial->point->seat_count;
         i++)
        assert_true(seen->shares[i].repeats > 0 &&
                    (seen->shares[i].ns > 0 || getenv("FATHOM_EMULATED")));
}

static uint64_t model_work(void *self, int cpu, kernel_function *run, void *state, uint64_t repeats)
{
    return repeats * (cpu ? SLOW_PS : FAST_PS);
}

static uint64_t model_additions(void *self, int cpu, uint64_t additions)
{
    struct bench *bench = self;
    bool odd = bench->odd_bursts && ++bench->bursts % bench->odd_bursts == 0;
    return additions * (odd ? 400 : 500);
}

static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){.plan = {.series = &bench.series,
                                    .series_count = 1,
                                    .points = &bench.point,
                                    .point_count = 1,
                                    .node = -1,
                                    .trials_min = TRIALS,
                                    .trials_max = TRIALS,
                                    .trials_per_visit = 3,
                                    .batches = BATCHES,
                                    .repeats = REPEATS,
                                    .precision = 0.01,
                                    .unstable_above = INFINITY,
                                    .budget_s = 60},
                           .observe = observe};
    clock_calibrate_below(&bench.clock, NULL);
    bench.model = (struct timing_model){&bench, NULL, model_work, model_additions, NULL};
    bench.engine = (struct engine){.machine = &bench.machine, .clock = &bench.clock, .seed = 3};
    for (int i = 0; i < 3; i++)
        bench.seats[i] = (struct seat){i, MEASURED};
    bench.point = (struct plan_point){.seats = bench.seats, .seat_count = 3};
    *state = &bench;
    return team_create(&bench.engine.team, NULL, NULL);
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    team_free(bench->engine.team);
    pool_free(&bench->pool);
    return 0;
}

static void run(struct bench *bench, void (*prepare_trial)(struct trial *))
{
    const struct trial_work work = {
        .prepare = prepare_trial, .observe = bench->observe, .observer = bench};
    assert_int_equal(
        stage_run(&bench->engine, &bench->plan, &work, &bench->pool, &bench->outcome, NULL), 0);
}

static void sample(struct bench *bench)
{
    run(bench, prepare);
    assert_int_equal(bench->seen, TRIALS);
    bench->redone = bench->series.points[0].redone;
}

static void begin_windows(struct bench *bench)
{
    bench->plan.windows = true;
    bench->plan.repeats = 0;
    bench->plan.batch_ns = 200e3;
    bench->plan.yields = OPERATIONS_PER_SECOND;
}

/* A repeat of 256 bytes in 4 or 12 ns. If both did the same work, the fast CPU would count for no
 * more than the slow one: 42.7 GB/s, less than it moves alone. */
static void a_fast_and_a_slow_cpu_have_the_sum_of_their_rates(void **state)
{
    struct bench *bench = *state;
    bench->engine.model = &bench->model;
    begin_windows(bench);
    static const double rates[] = {64.0e9, 85.3e9, 106.7e9};
    for (unsigned seats = 1; seats <= 3; seats++) {
        bench->series = (struct series){0};
        bench->point.seat_count = seats;
        bench->seen = 0;
        sample(bench);
        const double rate = 256 * (double)bench->series.points[0].y.median;
        assert_true(fabs(rate / rates[seats - 1] - 1) < 0.001);
    }
}

/* A background worker's work is counted, and is none of the value. */
static void what_works_in_the_background_is_not_in_the_rate(void **state)
{
    struct bench *bench = *state;
    bench->engine.model = &bench->model;
    begin_windows(bench);
    bench->seats[1].role = BACKGROUND;
    bench->point.seat_count = 2;
    sample(bench);
    assert_true(fabs((double)bench->series.points[0].y.median / (1e12 / FAST_PS) - 1) < 0.001);
}

static void windows_in_which_the_clock_moved_are_measured_again(void **state)
{
    struct bench *bench = *state;
    bench->engine.model = &bench->model;
    begin_windows(bench);
    bench->odd_bursts = 5;
    sample(bench);
    assert_true(bench->redone > 0 && bench->redone % BATCHES == 0);
}

static uint64_t sleep_a_little(void *state, uint64_t repeats)
{
    usleep(50);
    return repeats;
}

static void prepare_to_sleep(struct trial *trial)
{
    trial->workers[0].run = sleep_a_little;
    trial->workers[0].state = trial->workers[0].room;
}

/* What sleeps is switched out; only where that is meant is it no interruption. */
static void switches_that_are_meant_spoil_nothing(void **state)
{
    struct bench *bench = *state;
    if (allowed_cpu(0) < 0)
        skip();
    bench->seats[0].cpu = allowed_cpu(0);
    bench->point.seat_count = 1;
    bench->plan.clock_spread = 10; /* a core's clock may move while it sleeps */
    bench->plan.meant = MEANT_SWITCHES;
    run(bench, prepare_to_sleep);
    const unsigned flags = bench->series.points[0].flags;
    assert_int_equal(bench->seen, TRIALS);
    assert_false(flags & FLAG_BIT(FLAG_PREEMPTED));
    bench->plan.meant = 0;
    bench->series = (struct series){0};
    run(bench, prepare_to_sleep);
    assert_true(bench->series.points[0].flags & FLAG_BIT(FLAG_PREEMPTED));
    assert_true(bench->series.points[0].redone > 0);
}

static void run_on_two_cpus(struct bench *bench, void (*prepare_trial)(struct trial *))
{
    if (allowed_cpu(1) < 0)
        skip();
    for (size_t i = 0; i < 2; i++)
        bench->seats[i].cpu = allowed_cpu(i);
    bench->point.seat_count = 2;
    for (int try = 0; try < TRIES; try++) {
        bench->series = (struct series){0};
        bench->seen = 0;
        run(bench, prepare_trial);
        if (!lacked_time(&bench->plan, &bench->series, NAN))
            break;
    }
    assert_int_equal(bench->seen, TRIALS);
}

/* The measured worker gets on only while the one in the background works. */
static void on_hardware_the_background_works_beside_the_measured(void **state)
{
    struct bench *bench = *state;
    bench->seats[1].role = BACKGROUND;
    run_on_two_cpus(bench, prepare_with_background);
}

/* Each counts its steps; the second one's take three times as long. */
static atomic_uint_least64_t steps_done[2];

static uint64_t step(void *state, uint64_t repeats)
{
    const size_t which = *(size_t *)state;
    for (uint64_t i = 0; i < repeats * 100 * (1 + 2 * which); i++)
        __asm__ volatile("");
    atomic_fetch_add(&steps_done[which], repeats);
    return repeats;
}

static void prepare_steps(struct trial *trial)
{
    for (size_t i = 0; i < 2; i++) {
        atomic_store(&steps_done[i], 0);
        trial->workers[i].run = step;
        trial->workers[i].state = trial->workers[i].room;
        *(size_t *)trial->workers[i].state = i;
    }
}

static void observe_windows(void *observer, const struct observation *seen)
{
    observe(observer, seen);
    for (size_t seat = 0; seat < 2; seat++) {
        uint64_t sum = 0;
        for (unsigned i = 0; i < seen->batch_count; i++)
            sum += seen->shares[2 * i + seat].repeats;
        assert_true(sum <= atomic_load(&steps_done[seat]));
    }
}

static void on_hardware_a_window_counts_what_each_worker_did(void **state)
{
    struct bench *bench = *state;
    begin_windows(bench);
    bench->observe = observe_windows;
    bench->plan.trials_per_visit = 1; /* or the counts would be those of the visit's last trial */
    run_on_two_cpus(bench, prepare_steps);
}

/* Longer than one waits for the other. */
static uint64_t linger(void *state, uint64_t repeats)
{
    nanosleep(&(struct timespec){.tv_nsec = 400 * 1000 * 1000}, NULL);
    return repeats;
}

static void prepare_to_linger(struct trial *trial)
{
    prepare(trial);
    trial->workers[1].run = linger;
}

/* What was not begun together has no time; a stamp of some other batch would be taken for one. */
static void a_run_of_batches_that_not_all_go_through_is_no_value(void **state)
{
    struct bench *bench = *state;
    if (allowed_cpu(1) < 0)
        skip();
    for (size_t i = 0; i < 2; i++)
        bench->seats[i] = (struct seat){allowed_cpu(i), MEASURED};
    bench->point.seat_count = 2;
    run(bench, prepare_to_linger);
    assert_int_equal(bench->seen, 0);
    assert_int_equal(bench->series.points[0].y.n, 0);
    assert_non_null(strstr(bench->series.points[0].failed, "no time to run together"));
}

static void run_alone(struct bench *bench, void (*prepare_trial)(struct trial *),
                      void (*seen)(void *, const struct observation *))
{
    const struct trial_work work = {.prepare = prepare_trial, .observe = seen, .observer = bench};
    if (allowed_cpu(0) < 0)
        skip();
    bench->seats[0] = (struct seat){allowed_cpu(0), MEASURED};
    bench->point.seat_count = 1;
    assert_int_equal(
        stage_run(&bench->engine, &bench->plan, &work, &bench->pool, &bench->outcome, NULL), 0);
    assert_true(bench->seen > 0);
}

/* Pages that a batch touches, and that its restore maps anew. */
enum { FRESH_PAGES = 8 };
static struct pages fresh;
static uint64_t meant;

static void prepare_to_touch(struct trial *trial)
{
    const size_t page = pages_bytes(PAGES_OF_4K);
    pages_release(&fresh);
    fresh = (struct pages){.bytes = FRESH_PAGES * page, .step = page, .kind = PAGES_OF_4K};
    trial->workers[0].run = pages_kernels[PAGES_TOUCH];
    trial->workers[0].state = &fresh;
    trial->restore = pages_restores[PAGES_FRESH];
    trial->faults = meant;
}

static void observe_faults(void *observer, const struct observation *seen)
{
    struct bench *bench = observer;
    bench->seen++;
    for (unsigned i = 0; i < seen->batch_count; i++)
        bench->repeats += (double)seen->batches[i].faults;
}

static void touch_pages(struct bench *bench, uint64_t faults)
{
    bench->plan.repeats = 1;
    bench->seen = 0;
    bench->repeats = 0;
    bench->series = (struct series){0};
    meant = faults;
    run_alone(bench, prepare_to_touch, observe_faults);
    pages_release(&fresh);
    bench->redone = bench->series.points[0].redone;
}

static void page_faults_that_are_meant_are_no_interruption(void **state)
{
    struct bench *bench = *state;
    if (getenv("FATHOM_EMULATED") || !pages_counted())
        skip();
    bool exact = false;
    for (int try = 0; try < TRIES && !exact; try++) { /* others may move pages, or take the CPU */
        touch_pages(bench, FRESH_PAGES);
        exact = bench->repeats == (double)(bench->seen * BATCHES * FRESH_PAGES) &&
                !(bench->series.points[0].flags & FLAG_BIT(FLAG_PREEMPTED));
    }
    assert_true(exact);
}

static void other_page_faults_than_are_meant_are_an_interruption(void **state)
{
    struct bench *bench = *state;
    if (getenv("FATHOM_EMULATED") || !pages_counted())
        skip();
    touch_pages(bench, FRESH_PAGES + 1);
    assert_true(bench->redone >= bench->seen * BATCHES); /* each of them, and then kept */
    assert_true(bench->series.points[0].flags & FLAG_BIT(FLAG_PREEMPTED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_fast_and_a_slow_cpu_have_the_sum_of_their_rates, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_works_in_the_background_is_not_in_the_rate, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(windows_in_which_the_clock_moved_are_measured_again, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(switches_that_are_meant_spoil_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(on_hardware_the_background_works_beside_the_measured,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(on_hardware_a_window_counts_what_each_worker_did, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_run_of_batches_that_not_all_go_through_is_no_value,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(page_faults_that_are_meant_are_no_interruption, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(other_page_faults_than_are_meant_are_an_interruption,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
