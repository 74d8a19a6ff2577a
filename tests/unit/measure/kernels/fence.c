/* Each loop does its operation where it says and nowhere else. */
#include "measure/kernels/fence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = 64, LINES = 8, BYTES = (LINES + 4) * LINE, TURNS = 200 };

struct outcome {
    bool word, memory; /* whether they changed */
    struct fence fence;
};

static struct outcome run(const struct fence_op *op, enum fence_loop loop, unsigned char *bytes)
{
    memset(bytes, 0xaa, BYTES);
    struct outcome outcome = {
        .fence = {
            .word = bytes, .memory = bytes + 3 * LINE, .lines = LINES, .open = 3, .random = 1}};
    const struct fence before = outcome.fence;
    op->run[loop](&outcome.fence, TURNS);
    for (size_t i = 0; i < BYTES; i++) {
        const bool changed = bytes[i] != 0xaa, word = i < 16,
                   memory = i >= 3 * LINE && i < (3 + LINES) * LINE;
        assert_true(!changed || word || memory);
        outcome.word |= changed && word;
        outcome.memory |= changed && memory;
    }
    assert_ptr_equal(outcome.fence.word, before.word);
    assert_int_equal(outcome.fence.open, before.open);
    return outcome;
}

static void operations_change_what_they_say(void **state)
{
    unsigned char *bytes = aligned_alloc(LINE, BYTES);
    assert_non_null(bytes);
    for (size_t i = 0; i < fence_op_count; i++) {
        const struct fence_op *op = &fence_ops[i];
        if (op->there && !op->there())
            continue;
        /* An exchange may put back what was there, and a compare-and-swap may find another value.
         */
        const bool adds = strcmp(op->name, "fetch-add") == 0,
                   writes = op->kind == FENCE_STORE || adds;
        const struct outcome alone = run(op, FENCE_ALONE, bytes),
                             lines = run(op, FENCE_LINES, bytes),
                             loads = run(op, FENCE_LOADS, bytes),
                             stores = run(op, FENCE_STORES, bytes);
        assert_true(alone.word == writes || op->kind == FENCE_ATOMIC);
        assert_true(lines.memory == writes || op->kind == FENCE_ATOMIC);
        assert_true(run(op, FENCE_AFTER, bytes).word || op->kind == FENCE_ATOMIC);
        assert_false(alone.memory || lines.word || loads.memory);
        assert_true(stores.memory);
        assert_true(loads.fence.random != 1 && stores.fence.random != 1);
    }
    free(bytes);
}

/* After enough turns every line was chosen. */
static void all_lines_are_chosen(void **state)
{
    unsigned char *bytes = aligned_alloc(LINE, BYTES);
    assert_non_null(bytes);
    run(&fence_ops[0], FENCE_STORES, bytes);
    for (size_t line = 0; line < LINES; line++)
        assert_true(bytes[(3 + line) * LINE] != 0xaa);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_change_what_they_say),
        cmocka_unit_test(all_lines_are_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
