/* The cores probe on machines that do not exist: the whole road from the plan to the findings, with
 * a model in place of the hand-offs. */
#include "../modelled.h"

#include "document/flag.h"
#include "measure/kernels/handoff.h"

#include <stdlib.h>

extern const struct probe cores_probe;

enum { SIBLINGS_PS = 9000, PACKAGE_PS = 60000, FAR_PS = 150000 };

struct bench {
    struct modelled on;
    double beside;  /* how much longer a hand-off takes side by side with others */
    bool near_only; /* and that only between cores of a package */
    double drift_per_s, modelled_s;
};

/* Between the flag and the second line there is room for the model's own note. */
static uint64_t *note_at(const uint32_t *flag)
{
    return (uint64_t *)flag + 8;
}

/* How far apart the two are, and what the line adds: 0, 10 or 20 %. */
static void prepared(void *self, const struct trial *trial)
{
    const struct bench *bench = self;
    const struct cpu_place *from = machine_cpu(&bench->on.machine, trial->point->from);
    const struct cpu_place *to = machine_cpu(&bench->on.machine, trial->point->to);
    uint64_t ps = from->core == to->core         ? SIBLINGS_PS
                  : from->package == to->package ? PACKAGE_PS
                                                 : FAR_PS;
    ps += ps / 10 * (trial->number % (trial->plan->trials_max / 2) % 3);
    if (trial->plan->groups &&
        (!bench->near_only || (from->package == to->package && from->core != to->core)))
        ps += (uint64_t)((double)ps * bench->beside);
    const struct handoff_cas *side = trial->workers[0].state; /* the line comes first in all */
    *note_at(side->flag) = ps;
}

static uint64_t work(void *self, int cpu, kernel_function *run, void *state, uint64_t repeats)
{
    struct bench *bench = self;
    const struct handoff_cas *side = state;
    const double ps = 2 * (double)repeats * (double)*note_at(side->flag) *
                      (1 + bench->drift_per_s * bench->modelled_s);
    bench->modelled_s += ps * 1e-12;
    return (uint64_t)ps;
}

static uint64_t additions(void *self, int cpu, uint64_t count)
{
    struct bench *bench = self;
    bench->modelled_s += (double)count * 0.5e-9;
    return count * 500;
}

static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){0};
    *state = &bench;
    return modelled_begin(&bench.on,
                          (struct timing_model){&bench, prepared, work, additions, NULL});
}

static int tear_down(void **state)
{
    modelled_end(&((struct bench *)*state)->on);
    return 0;
}

static struct modelled *be(struct bench *bench, const char *synthetic)
{
    const struct machine_source source = {.synthetic = synthetic};
    modelled_forget(&bench->on);
    assert_int_equal(machine_read(&bench->on.machine, &source, &bench->on.error), 0);
    bench->on.machine.memory_available_bytes = UINT64_C(8) << 30;
    return &bench->on;
}

/* Every ordered pair once, row by row. */
static void assert_whole(const struct modelled *on, int cpus)
{
    const struct series *series = &on->result.series[0];
    assert_int_equal(on->result.status, PROBE_OK);
    assert_int_equal(series->point_count, cpus * (cpus - 1));
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i], *before = i ? point - 1 : NULL;
        assert_true(!before || before->from < point->from ||
                    (before->from == point->from && before->to < point->to));
        assert_int_equal(point->y.n, 64);
        assert_true(point->flags & FLAG_BIT(FLAG_MODELLED));
    }
}

static void one_pair_at_a_time(void **state)
{
    struct modelled *on = be(*state, "pack:2 core:2 pu:2");
    modelled_measure(on, &cores_probe, NULL);
    assert_whole(on, 8);
    assert_string_equal(modelled_parameter(on, "pairs_measured"), "one at a time");
    /* The median line is the one that adds 10 %. */
    modelled_value(on, "cores.cas.min", 9.9);
    modelled_value(on, "cores.cas.max", 165);
    modelled_value(on, "cores.readwrite.min", 9.9);
    modelled_value(on, "cores.readwrite.max", 165);
    assert_null(modelled_find(on, "cores.parallel.bias"));
    assert_null(modelled_find(on, "cores.readwrite.mean"));
    assert_non_null(modelled_find(on, "cluster"));
    const struct scatter *scatter = &on->result.series[0].points[0].scatter;
    assert_true(scatter->line > 0.06f && scatter->line < 0.09f);
    assert_true(scatter->drift < 0.001f && scatter->residual < 0.001f);
}

/* Pairs that disturb each other are measured again alone, unless a larger --bias was given. */
static void side_by_side_they_are_checked(void **state)
{
    struct bench *bench = *state;
    static const struct {
        const char *synthetic, *bias;
        int cpus;
        double beside, found, farthest;
        const char *measured;
    } cases[] = {
        {"pack:2 core:8 pu:2", "3", 32, 0, 0, 165, "side by side"},
        {"pack:2 core:8 pu:2", "3", 32, 0.08, 8, 165, "one at a time"},
        {"pack:2 core:4 pu:1", "10", 8, 0.08, 8, 178.2, "side by side"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct modelled *on = be(bench, cases[i].synthetic);
        bench->beside = cases[i].beside;
        modelled_measure(on, &cores_probe, "parallel", NULL, "bias", cases[i].bias, NULL);
        assert_whole(on, cases[i].cpus);
        modelled_value(on, "cores.parallel.bias", cases[i].found);
        modelled_value(on, "cores.cas.max", cases[i].farthest);
        assert_string_equal(modelled_parameter(on, "pairs_measured"), cases[i].measured);
        if (i == 0)
            assert_int_equal(on->result.series[1].point_count, 32 * 31 / 20);
    }
}

/* Within a package they queue, which is less than half of the pairs, and across packages not. */
static void only_what_side_by_side_changed_is_measured_again(void **state)
{
    struct bench *bench = *state;
    struct modelled *on = be(bench, "pack:2 core:8 pu:2");
    bench->beside = 0.33;
    bench->near_only = true;
    modelled_measure(on, &cores_probe, "parallel", NULL, NULL);
    assert_whole(on, 32);
    modelled_value(on, "cores.parallel.bias", 0);
    assert_string_equal(modelled_parameter(on, "pairs_measured"),
                        "side by side, and alone where that changed them");
    const char *text = modelled_find(on, "cores.parallel.bias")->text;
    assert_non_null(strstr(text, "most that of 66 to 66 ns, by 33.0 %"));
    assert_non_null(strstr(text, "their 448 pairs were measured again alone"));
    for (size_t i = 0; i < on->result.series[0].point_count; i++) {
        const struct point *point = &on->result.series[0].points[i];
        const double ns = (double)point->y.median;
        assert_true(fabs(ns - 9.9) < 0.1 || fabs(ns - 66) < 0.1 || fabs(ns - 165) < 0.2);
    }
}

static void pairs_are_side_by_side_above_32_cpus_or_where_asked(void **state)
{
    struct bench *bench = *state;
    static const struct {
        const char *synthetic, *option, *measured;
    } cases[] = {
        {"pack:2 core:17 pu:1", NULL, "side by side"},
        {"pack:2 core:17 pu:1", "sequential", "one at a time"},
        {"core:3 pu:1", "parallel", "one at a time"}, /* two pairs are needed */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct modelled *on = be(bench, cases[i].synthetic);
        modelled_measure(on, &cores_probe, "lines", "6", "samples", "2", cases[i].option, NULL,
                         NULL);
        assert_string_equal(modelled_parameter(on, "pairs_measured"), cases[i].measured);
        assert_int_equal(i == 0, modelled_find(on, "cores.parallel.bias") != NULL);
    }
}

static void the_reference_shows_the_drift_and_can_take_it_out(void **state)
{
    struct bench *bench = *state;
    struct modelled *on = be(bench, "pack:2 core:8 pu:1");
    bench->drift_per_s = 0.02;
    modelled_measure(on, &cores_probe, "op", "cas", NULL);
    assert_true(modelled_find(on, "cores.drift")->value > 1);
    const struct series *last = &on->result.series[on->result.series_count - 1];
    assert_string_equal(last->name, "reference");
    assert_true(last->point_count >= 3);
    for (size_t i = 1; i < last->point_count; i++)
        assert_true(last->points[i].x > last->points[i - 1].x &&
                    last->points[i].y.median > last->points[i - 1].y.median);
    const double crooked = modelled_find(on, "cores.cas.max")->value;
    be(bench, "pack:2 core:8 pu:1");
    bench->modelled_s = 0;
    modelled_measure(on, &cores_probe, "op", "cas", "correct-drift", NULL, NULL);
    assert_true(modelled_find(on, "cores.cas.max")->value < crooked);
    assert_non_null(strstr(modelled_find(on, "cores.drift")->text, "corrected"));
}

/* The second home's reference has other lines and another pair, and is looked at by itself. */
static void every_home_has_its_reference_and_its_check(void **state)
{
    struct bench *bench = *state;
    struct modelled *on = be(bench, "pack:2 numa:1 core:12 pu:1");
    bench->drift_per_s = 0.02;
    modelled_measure(on, &cores_probe, "op", "cas", "home", "second", "parallel", NULL, NULL);
    assert_whole(on, 24);
    assert_int_equal(on->result.series_count, 4);
    const struct series *alone = &on->result.series[1];
    size_t checked[2] = {0};
    for (size_t i = 0; i < alone->point_count; i++)
        checked[alone->points[i].to / 12]++;
    assert_string_equal(alone->name, "hand-off alone");
    assert_true(checked[0] == 24 * 23 / 2 / 20 && checked[1] == checked[0]);
    for (size_t home = 0; home < 2; home++) {
        const struct series *reference = &on->result.series[2 + home];
        assert_string_equal(reference->name, "reference");
        assert_true(reference->point_count >= 2);
        const char *pair = reference->factors[0].text;
        assert_int_equal(atoi(strchr(pair, ',') + 1) / 12, home);
    }
    assert_true(on->result.series[3].points[0].x > on->result.series[2].points[1].x);
    assert_non_null(strstr(modelled_find(on, "cores.drift")->text, "there is one for each home"));
}

#define MODEL_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MODEL_TEST(one_pair_at_a_time),
        MODEL_TEST(side_by_side_they_are_checked),
        MODEL_TEST(only_what_side_by_side_changed_is_measured_again),
        MODEL_TEST(pairs_are_side_by_side_above_32_cpus_or_where_asked),
        MODEL_TEST(the_reference_shows_the_drift_and_can_take_it_out),
        MODEL_TEST(every_home_has_its_reference_and_its_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
