/* What writers and helpers do to lines; their loops are asserted by tests/kernels/loops. */
#include "measure/kernels/contention.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { REPEATS = 500, WRITERS = 3 };

struct job {
    kernel_function *run;
    uint64_t *word;
};

static void *write_on(void *argument)
{
    struct job *job = argument;
    job->run(job->word, REPEATS);
    return NULL;
}

/* The value that several writers leave in one word. */
static uint64_t write_together(const struct contention *contention)
{
    pthread_t threads[WRITERS];
    struct job jobs[WRITERS];
    uint64_t word = 0;
    for (int i = 0; i < WRITERS; i++) {
        jobs[i] = (struct job){contention->run, &word};
        assert_int_equal(pthread_create(&threads[i], NULL, write_on, &jobs[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    return word;
}

static void no_addition_is_lost(void **state)
{
    uint64_t all = (uint64_t)WRITERS * REPEATS * contention_steps;
    assert_int_equal(write_together(contention_of(CONTENTION_FETCH_ADD)), all);
    assert_int_equal(write_together(contention_of(CONTENTION_CAS)), all);
}

/* These write how many operations are left. */
static void an_exchange_and_a_store_leave_a_number_of_their_own(void **state)
{
    assert_int_equal(write_together(contention_of(CONTENTION_EXCHANGE)), 1);
    assert_int_equal(write_together(contention_of(CONTENTION_STORE)), 1);
}

enum { LINES = 5, LINE_WORDS = 24 };

struct lines {
    _Alignas(128) uint64_t stage;
    _Alignas(128) uint64_t words[LINES][LINE_WORDS];
    struct line_ring parts[3];
};

static void link_lines(struct lines *lines, size_t workers, enum line_state line_state)
{
    memset(lines, 0, sizeof *lines);
    for (size_t i = 0; i < LINES; i++)
        lines->words[i][0] = (uintptr_t)lines->words[(i + 2) % LINES];
    for (size_t i = 0; i < workers; i++)
        lines->parts[i] = (struct line_ring){.first = lines->words[0],
                                             .lines = LINES,
                                             .stage = &lines->stage,
                                             .turn = i ? i - 1 : workers - 1,
                                             .step = workers,
                                             .state = line_state,
                                             .rests = true,
                                             .flushed = line_flush_possible(),
                                             .second = i == 2};
}

static void helpers_and_the_measuring_worker_take_turns(void **state)
{
    for (size_t workers = 2; workers <= 3; workers++)
        for (enum line_state line_state = 0; line_state < LINE_STATES; line_state++)
            for (enum touch_op op = 0; op < TOUCH_OPS; op++) {
                struct lines lines;
                link_lines(&lines, workers, line_state);
                for (uint64_t leg = 1; leg <= 2; leg++) {
                    line_helper_run(&lines.parts[1], 2);
                    if (workers == 3)
                        line_helper_run(&lines.parts[2], 2);
                    touch_of(op)->run(&lines.parts[0], 1); /* waits, and finds it done */
                    assert_int_equal(lines.stage, leg * workers - 1);
                    uint64_t end = touch_of(op)->run(&lines.parts[0], 1);
                    assert_int_equal(end, (uint64_t)(uintptr_t)lines.words[0]);
                    assert_int_equal(lines.stage, leg * workers);
                }
                for (size_t i = 0; i < LINES; i++) { /* the ring is as it was */
                    assert_true(lines.words[i][0] == (uintptr_t)lines.words[(i + 2) % LINES]);
                    assert_int_equal(lines.words[i][1], 0);
                }
            }
}

static void a_set_is_gone_through_beside_its_links(void **state)
{
    for (enum line_state line_state = 0; line_state < LINE_STATES; line_state++) {
        struct lines lines = {.stage = 0};
        struct line_ring *some = &lines.parts[0], *all = &lines.parts[1];
        for (size_t i = 0; i < LINES; i += 2) /* every second line */
            lines.words[i][2] = (uintptr_t)&lines.words[(i + 2) % (LINES + 1)][2];
        *some = (struct line_ring){.first = &lines.words[0][2], .lines = (LINES + 1) / 2};
        *all = (struct line_ring){.first = lines.words,
                                  .lines = LINES,
                                  .apart = sizeof lines.words[0],
                                  .others = some,
                                  .stage = &lines.stage,
                                  .step = 2,
                                  .state = line_state};
        line_helper_run(all, 2);
        assert_int_equal(lines.stage, 1);
        for (size_t i = 0; i < LINES; i++) {
            assert_int_equal(lines.words[i][0],
                             line_state == LINE_MODIFIED ? i * sizeof lines.words[0] : 0);
            assert_int_equal(lines.words[i][2],
                             i % 2 ? 0 : (uintptr_t)&lines.words[(i + 2) % (LINES + 1)][2]);
        }
    }
}

static void states_that_need_a_flush_say_so(void **state)
{
    assert_string_equal(line_state_names[LINE_INVALID], "invalid");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_addition_is_lost),
        cmocka_unit_test(an_exchange_and_a_store_leave_a_number_of_their_own),
        cmocka_unit_test(helpers_and_the_measuring_worker_take_turns),
        cmocka_unit_test(a_set_is_gone_through_beside_its_links),
        cmocka_unit_test(states_that_need_a_flush_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
