#include "measure/probes/cores/cores.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { PAIRS = 100 };
static const double limit = 3;

static struct pool pool;

/* A hundred pairs of 100 ns, of which `slow` take a third longer side by side; and what they
 * scatter by, in percent. */
static void matrix(struct cores_beside *pairs, size_t slow, double scatter)
{
    struct random random = {7};
    for (size_t i = 0; i < PAIRS; i++) {
        pairs[i].alone_ns = 100 * (1 + scatter / 100 * (2 * random_unit(&random) - 1));
        pairs[i].beside_ns =
            (i < slow ? 133 : 100) * (1 + scatter / 100 * (2 * random_unit(&random) - 1));
    }
}

static void a_part_that_queues_moves_its_class(void **state)
{
    struct cores_beside pairs[PAIRS];
    for (size_t slow = 19; slow < PAIRS; slow += 10) { /* 49 among them: their median is 0 */
        matrix(pairs, slow, 0);
        const struct cores_worst worst = cores_beside_judge(pairs, PAIRS, limit, &pool);
        assert_true(worst.moved_classes == 1 && worst.classes == 1);
        assert_true(fabs(worst.change) > 16 && worst.from_ns == 100 && worst.to_ns == 100);
        assert_true(cores_beside_moved(pairs, PAIRS, 100) && cores_beside_moved(pairs, PAIRS, 140));
    }
    pool_free(&pool);
}

static void scatter_moves_nothing(void **state)
{
    struct cores_beside pairs[PAIRS];
    matrix(pairs, 0, 4);
    assert_int_equal(cores_beside_judge(pairs, PAIRS, limit, &pool).moved_classes, 0);
    assert_false(cores_beside_moved(pairs, PAIRS, 104));
    assert_false(cores_beside_moved(pairs, PAIRS, 1e6));
    assert_int_equal(cores_beside_judge(pairs, 0, limit, &pool).classes, 0);
    assert_false(cores_beside_moved(pairs, 0, 100));
    pool_free(&pool);
}

/* A sixth of the pairs crosses sockets, and all of these queue. */
static void other_distances_stay(void **state)
{
    struct cores_beside pairs[PAIRS];
    matrix(pairs, 0, 1);
    for (size_t i = 0; i < PAIRS; i += 6) {
        pairs[i].alone_ns *= 3;
        pairs[i].beside_ns *= 4;
    }
    const struct cores_worst worst = cores_beside_judge(pairs, PAIRS, limit, &pool);
    assert_true(worst.classes == 2 && worst.moved_classes == 1);
    assert_true(worst.from_ns > 290 && worst.to_ns < 310 && worst.change > 30);
    assert_false(cores_beside_moved(pairs, PAIRS, 100));
    assert_true(cores_beside_moved(pairs, PAIRS, 400));
    assert_true(cores_beside_moved(pairs, PAIRS, 200)); /* it may be of either */
    pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_that_queues_moves_its_class),
        cmocka_unit_test(scatter_moves_nothing),
        cmocka_unit_test(other_distances_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
