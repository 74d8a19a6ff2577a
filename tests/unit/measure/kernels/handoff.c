/* What the hand-offs compute. That their loops are exactly what they should be is asserted from
 * their disassembly by tests/kernels/loops. */
#include "measure/kernels/handoff.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Short turns, so that the test also passes on one CPU, where each turn waits for the scheduler. */
enum { ROUND_TRIPS = 20, PAYLOAD = 3, LINE = 64 };

struct side {
    kernel_function *run;
    _Alignas(16) unsigned char state[64];
};

struct pair {
    _Alignas(HANDOFF_LINE_DISTANCE) unsigned char memory[HANDOFF_PAYLOAD_OFFSET + PAYLOAD * LINE];
    struct side sides[2];
};

static void *run_side(void *argument)
{
    struct side *side = argument;
    side->run(side->state, ROUND_TRIPS);
    return NULL;
}

static void run_both(struct pair *pair)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_side, &pair->sides[1]), 0);
    run_side(&pair->sides[0]);
    pthread_join(thread, NULL);
}

/* Sets both sides up on memory that held something else. False where the processor can't do the
 * operation. */
static bool set_up(struct pair *pair, enum handoff_op op)
{
    const char *missing;
    const struct handoff *handoff = handoff_find(op, &missing);
    if (!handoff) {
        assert_non_null(missing);
        return false;
    }
    assert_null(missing);
    assert_true(strlen(handoff->order) > 0);
    memset(pair, 0, sizeof *pair);
    memset(pair->memory, 0x5a, HANDOFF_PAYLOAD_OFFSET);
    const struct handoff_place place = {pair->memory, op == HANDOFF_PAYLOAD ? PAYLOAD : 0, LINE};
    handoff->set_up(pair->sides[0].state, pair->sides[1].state, &place);
    for (int i = 0; i < 2; i++)
        pair->sides[i].run = handoff->run[i];
    return true;
}

static uint32_t word(const struct pair *pair, size_t offset)
{
    uint32_t value;
    memcpy(&value, pair->memory + offset, sizeof value);
    return value;
}

static void every_operation_takes_turns_and_goes_on(void **state)
{
    struct pair pair;
    int possible = 0;
    for (enum handoff_op op = 0; op < HANDOFF_OPS; op++)
        if (set_up(&pair, op)) { /* if a turn were lost, the second run would hang */
            run_both(&pair);
            run_both(&pair);
            possible++;
        }
    assert_true(possible >= 5);
}

static void a_cas_ends_as_it_began(void **state)
{
    static const enum handoff_op ops[] = {HANDOFF_CAS, HANDOFF_CAS_LLSC, HANDOFF_CAS_LSE};
    struct pair pair;
    for (size_t i = 0; i < 3; i++)
        if (set_up(&pair, ops[i])) {
            run_both(&pair);
            assert_int_equal(word(&pair, 0), 0);
        } else {
            assert_true(ops[i] != HANDOFF_CAS);
        }
}

static void two_lines_count_together(void **state)
{
    struct pair pair;
    assert_true(set_up(&pair, HANDOFF_READWRITE));
    run_both(&pair);
    run_both(&pair);
    assert_int_equal(word(&pair, 0), 2 * ROUND_TRIPS);
    assert_int_equal(word(&pair, HANDOFF_LINE_DISTANCE), 2 * ROUND_TRIPS);
}

static void one_line_counts_the_turns(void **state)
{
    static const enum handoff_op ops[] = {HANDOFF_EXCHANGE, HANDOFF_FETCH_ADD, HANDOFF_STORE_LOAD,
                                          HANDOFF_PAYLOAD};
    struct pair pair;
    for (size_t i = 0; i < 4; i++) {
        assert_true(set_up(&pair, ops[i]));
        run_both(&pair);
        assert_int_equal(word(&pair, 0), 2 * ROUND_TRIPS);
    }
}

static void both_sides_write_to_each_line_of_the_payload(void **state)
{
    struct pair pair;
    assert_true(set_up(&pair, HANDOFF_PAYLOAD));
    run_both(&pair);
    for (size_t i = 0; i < PAYLOAD; i++)
        assert_int_equal(word(&pair, HANDOFF_PAYLOAD_OFFSET + i * LINE), 2 * ROUND_TRIPS);
    assert_int_equal(word(&pair, HANDOFF_LINE_DISTANCE), 0x5a5a5a5a);
}

/* On one CPU, or where counters differ, one direction may come out negative; both together take
 * time. But an emulator's counter may be read before the load that precedes it. */
static void stamps_tell_the_way_there_and_back(void **state)
{
    struct pair pair;
    if (!set_up(&pair, HANDOFF_ONE_WAY))
        skip();
    run_both(&pair);
    const struct handoff_one_way *first = (const struct handoff_one_way *)pair.sides[0].state;
    const struct handoff_one_way *second = (const struct handoff_one_way *)pair.sides[1].state;
    assert_true(first->least < INT64_MAX && second->least < INT64_MAX);
    assert_int_equal(word(&pair, 0) & 1, 1); /* the answering side wrote last */
    if (getenv("FATHOM_EMULATED")) {
        print_message("# an emulator's counter is not in order with the loads before it\n");
        skip();
    }
    const int64_t both = first->least + second->least;
    assert_true(both >= 0);
    assert_true((uint64_t)both / 2 <= first->last_ticks + 1);
}

static void kinds_of_cas_that_are_missing_say_so(void **state)
{
    const char *missing;
    const struct handoff *best = handoff_find(HANDOFF_CAS, &missing);
    const struct handoff *lse = handoff_find(HANDOFF_CAS_LSE, &missing);
    assert_non_null(best);
    if (lse)
        assert_ptr_equal(lse, best);
    else
        assert_non_null(strstr(missing, "ARMv8.1") ? missing : strstr(missing, "AArch64"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_takes_turns_and_goes_on),
        cmocka_unit_test(a_cas_ends_as_it_began),
        cmocka_unit_test(two_lines_count_together),
        cmocka_unit_test(one_line_counts_the_turns),
        cmocka_unit_test(both_sides_write_to_each_line_of_the_payload),
        cmocka_unit_test(stamps_tell_the_way_there_and_back),
        cmocka_unit_test(kinds_of_cas_that_are_missing_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
