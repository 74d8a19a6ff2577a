/* Looks that are scripted: which interval has which state. */
#include "measure/engine/placement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct script {
    struct placement placement;
    const char *states; /* 'a' to 'h', one for each look; 'i': it can't tell */
    size_t next;
};

static int look(struct placement *placement, struct error *error)
{
    struct script *script = (struct script *)placement;
    struct run_facts *facts = placement->facts;
    const int state = script->states[script->next++] - 'a';
    if (state < 0)
        return error_set(error, ERROR_INTERRUPTED, "stopped");
    if ((size_t)state == facts->placement_count)
        facts->placements[facts->placement_count++] = (struct placement_facts){"state", 1, 0};
    return state;
}

static void an_interval_has_the_state_that_both_its_looks_found(void **state)
{
    struct placement_facts states[PLACEMENT_STATES] = {0};
    struct run_facts facts = {.placements = states};
    struct script script = {.placement = {.look = look, .facts = &facts}, .states = "aabba"};
    struct placement *placement = &script.placement;
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(placement_look(placement, NULL), 0);
        assert_int_equal(placement_interval(placement), i);
    }
    static const unsigned of[] = {0, PLACEMENT_MOVING, 1, PLACEMENT_MOVING, 0};
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(placement_of(placement, i), of[i]);
    assert_int_equal(facts.moves, 2);
    assert_int_equal(facts.placement_count, 2);
    assert_int_equal(states[0].looks, 3);
    assert_int_equal(states[1].looks, 2);
    placement_free(placement);
}

static void a_look_that_tells_nothing_is_no_state(void **state)
{
    struct placement_facts states[PLACEMENT_STATES] = {0};
    struct run_facts facts = {.placements = states};
    struct script script = {.placement = {.look = look, .facts = &facts}, .states = "iaiaibi"};
    struct placement *placement = &script.placement;
    static const unsigned of[] = {PLACEMENT_MOVING, 0, 0, PLACEMENT_MOVING, PLACEMENT_MOVING,
                                  PLACEMENT_MOVING, 1};
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(placement_look(placement, NULL), 0);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(placement_of(placement, i), of[i]);
    assert_int_equal(facts.moves, 1);
    assert_int_equal(states[0].looks, 2);
    assert_int_equal(states[1].looks, 1);
    placement_free(placement);
}

static void an_error_of_a_look_is_passed_on(void **state)
{
    struct placement_facts states[PLACEMENT_STATES] = {0};
    struct run_facts facts = {.placements = states};
    struct script script = {.placement = {.look = look, .facts = &facts}, .states = "a\1"};
    struct placement *placement = &script.placement;
    assert_int_equal(placement_look_if_due(placement, NULL), 0); /* the first is due at once */
    assert_int_equal(placement_look_if_due(placement, NULL), 0); /* the next one is not */
    assert_int_equal(script.next, 1);
    assert_int_equal(placement_look(placement, NULL), ERROR_INTERRUPTED);
    assert_int_equal(placement_look(NULL, NULL), 0);
    assert_int_equal(placement_of(NULL, 7), 0);
    placement_free(placement);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_has_the_state_that_both_its_looks_found),
        cmocka_unit_test(a_look_that_tells_nothing_is_no_state),
        cmocka_unit_test(an_error_of_a_look_is_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
