/* The cores probe on machines that do not exist: the whole road from the plan to the findings, with
 * a model in place of the hand-offs. */
#include "document/flag.h"
#include "measure/kernels/handoff.h"
#include "measure/probes/kit/probe.h"
#include "measure/run/stages.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

extern const struct probe cores_probe;

enum { SIBLINGS_PS = 9000, PACKAGE_PS = 60000, FAR_PS = 150000 };

struct bench {
    struct machine machine;
    struct clock clock;
    struct engine engine;
    struct timing_model model;
    struct settings settings;
    struct probe_result result;
    struct probe_task task;
    struct stage_outcome outcome;
    struct pool pool;
    struct error error;
    volatile sig_atomic_t stop;
    double stop_s; /* of modelled time, when it is interrupted; 0: never */
    double beside; /* how much longer a hand-off takes side by side with others */
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
    struct bench *bench = self;
    const struct cpu_place *from = machine_cpu(&bench->machine, trial->point->from);
    const struct cpu_place *to = machine_cpu(&bench->machine, trial->point->to);
    uint64_t ps = from->core == to->core         ? SIBLINGS_PS
                  : from->package == to->package ? PACKAGE_PS
                                                 : FAR_PS;
    ps += ps / 10 * (trial->number % (trial->plan->trials_max / 2) % 3);
    if (trial->plan->groups)
        ps += (uint64_t)((double)ps * bench->beside);
    const struct handoff_cas *side = trial->workers[0].state; /* the line comes first in all */
    *note_at(side->flag) = ps;
}

static uint64_t work(void *self, int cpu, kernel_function *run, void *state, uint64_t repeats)
{
    struct bench *bench = self;
    const struct handoff_cas *side = state;
    (void)cpu;
    (void)run;
    double ps = 2 * (double)repeats * (double)*note_at(side->flag) *
                (1 + bench->drift_per_s * bench->modelled_s);
    bench->modelled_s += ps * 1e-12;
    if (bench->stop_s > 0 && bench->modelled_s > bench->stop_s)
        bench->stop = SIGINT;
    return (uint64_t)ps;
}

static uint64_t additions(void *self, int cpu, uint64_t count)
{
    struct bench *bench = self;
    (void)cpu;
    bench->modelled_s += (double)count * 0.5e-9;
    return count * 500;
}

static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){0};
    bench.model = (struct timing_model){&bench, prepared, work, additions, NULL};
    clock_calibrate(&bench.clock);
    bench.engine = (struct engine){
        .machine = &bench.machine, .clock = &bench.clock, .seed = 5, .model = &bench.model};
    *state = &bench;
    return team_create(&bench.engine.team, &bench.stop, NULL);
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    stages_close(&bench->task);
    probe_release(&bench->task);
    settings_free(&bench->settings);
    machine_free(&bench->machine);
    pool_free(&bench->pool);
    team_free(bench->engine.team);
    return 0;
}

/* Options as name, value, ..., NULL. */
static void measure(struct bench *bench, const char *synthetic, ...)
{
    struct machine_source source = {.synthetic = synthetic};
    assert_int_equal(machine_read(&bench->machine, &source, &bench->error), 0);
    bench->machine.memory_available_bytes = UINT64_C(8) << 30;
    assert_int_equal(settings_add(&bench->settings, probe_common_options, NULL), 0);
    assert_int_equal(settings_add(&bench->settings, cores_probe.options, NULL), 0);
    bench->task.seed = 1;
    va_list options;
    va_start(options, synthetic);
    const char *name;
    while ((name = va_arg(options, const char *))) {
        const char *value = va_arg(options, const char *);
        assert_int_equal(settings_set(&bench->settings, name, value, &bench->error), 0);
    }
    va_end(options);
    int code = probe_prepare(&bench->task, &cores_probe, &bench->settings, &bench->machine,
                             &bench->pool, &bench->result, &bench->error);
    if (code == 0)
        code = stages_measure(&bench->task, &bench->engine, 1000, NULL, &bench->outcome,
                              &bench->error);
    if (code < 0)
        fail_msg("%s", bench->error.text);
    assert_int_equal(bench->result.status, PROBE_OK);
}

static const struct finding *find(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->result.finding_count; i++)
        if (strcmp(bench->result.findings[i].name, name) == 0)
            return &bench->result.findings[i];
    return NULL;
}

static void assert_value(const struct bench *bench, const char *name, double wanted)
{
    const struct finding *finding = find(bench, name);
    if (!finding || !(fabs(finding->value - wanted) <= 0.01 * fabs(wanted) + 0.01))
        fail_msg("%s is %g and not %g", name, finding ? finding->value : NAN, wanted);
}

static const char *parameter(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->result.parameter_count; i++)
        if (strcmp(bench->result.parameters[i].name, name) == 0)
            return bench->result.parameters[i].text;
    return "";
}

/* Every ordered pair once, row by row. */
static void assert_whole(const struct series *series, int cpus)
{
    assert_int_equal(series->point_count, cpus * (cpus - 1));
    for (size_t i = 1; i < series->point_count; i++) {
        const struct point *before = &series->points[i - 1], *point = &series->points[i];
        assert_true(before->from < point->from ||
                    (before->from == point->from && before->to < point->to));
    }
    for (size_t i = 0; i < series->point_count; i++) {
        assert_int_equal(series->points[i].y.n, 64);
        assert_true(series->points[i].flags & FLAG_BIT(FLAG_MODELLED));
    }
}

static void one_pair_at_a_time(void **state)
{
    struct bench *bench = *state;
    measure(bench, "pack:2 core:2 pu:2", NULL);
    assert_whole(&bench->result.series[0], 8);
    assert_string_equal(parameter(bench, "pairs_measured"), "one at a time");
    /* The median line is the one that adds 10 %. */
    assert_value(bench, "cores.cas.min", 9.9);
    assert_value(bench, "cores.cas.max", 165);
    assert_value(bench, "cores.readwrite.min", 9.9);
    assert_value(bench, "cores.readwrite.max", 165);
    assert_null(find(bench, "cores.parallel.bias"));
    assert_null(find(bench, "cores.readwrite.mean"));
    assert_non_null(find(bench, "cluster"));
    const struct scatter *scatter = &bench->result.series[0].points[0].scatter;
    assert_true(scatter->line > 0.06f && scatter->line < 0.09f);
    assert_true(scatter->drift < 0.001f && scatter->residual < 0.001f);
}

static void side_by_side_without_bias(void **state)
{
    struct bench *bench = *state;
    measure(bench, "pack:2 core:8 pu:2", "parallel", NULL, NULL);
    assert_whole(&bench->result.series[0], 32);
    assert_string_equal(parameter(bench, "pairs_measured"), "side by side");
    assert_value(bench, "cores.parallel.bias", 0);
    assert_value(bench, "cores.cas.min", 9.9);
    assert_value(bench, "cores.cas.max", 165);
    assert_value(bench, "cores.readwrite.max", 165);
    assert_int_equal(bench->result.series[1].point_count, 32 * 31 / 20);
}

static void pairs_that_disturb_each_other_are_measured_again_alone(void **state)
{
    struct bench *bench = *state;
    bench->beside = 0.08;
    measure(bench, "pack:2 core:8 pu:2", "parallel", NULL, NULL);
    assert_whole(&bench->result.series[0], 32);
    assert_value(bench, "cores.parallel.bias", 8);
    assert_non_null(strstr(find(bench, "cores.parallel.bias")->text, "again alone"));
    assert_value(bench, "cores.cas.max", 165); /* not 178.2 */
    assert_string_equal(parameter(bench, "pairs_measured"), "one at a time");
}

static void a_bias_within_the_bound_is_reported_and_left(void **state)
{
    struct bench *bench = *state;
    bench->beside = 0.08;
    measure(bench, "pack:2 core:4 pu:1", "parallel", NULL, "bias", "10", NULL);
    assert_value(bench, "cores.parallel.bias", 8);
    assert_value(bench, "cores.cas.max", 178.2);
    assert_string_equal(parameter(bench, "pairs_measured"), "side by side");
}

static void two_pairs_are_needed_to_be_side_by_side(void **state)
{
    struct bench *bench = *state;
    measure(bench, "core:3 pu:1", "parallel", NULL, NULL);
    assert_string_equal(parameter(bench, "pairs_measured"), "one at a time");
    assert_null(find(bench, "cores.parallel.bias"));
}

static void above_32_cpus_it_is_side_by_side_unless_asked_not_to(void **state)
{
    struct bench *bench = *state;
    measure(bench, "pack:2 core:17 pu:1", "lines", "6", "samples", "2", NULL);
    assert_string_equal(parameter(bench, "pairs_measured"), "side by side");
    tear_down(state);
    set_up(state);
    measure(bench, "pack:2 core:17 pu:1", "lines", "6", "samples", "2", "sequential", NULL, NULL);
    assert_string_equal(parameter(bench, "pairs_measured"), "one at a time");
}

static void the_reference_shows_the_drift_and_can_take_it_out(void **state)
{
    struct bench *bench = *state;
    bench->drift_per_s = 0.02;
    measure(bench, "pack:2 core:8 pu:1", "op", "cas", NULL);
    const struct finding *drift = find(bench, "cores.drift");
    assert_non_null(drift);
    assert_true(drift->value > 1);
    const struct series *last = &bench->result.series[bench->result.series_count - 1];
    assert_string_equal(last->name, "reference");
    assert_true(last->point_count >= 3);
    for (size_t i = 1; i < last->point_count; i++)
        assert_true(last->points[i].x > last->points[i - 1].x &&
                    last->points[i].y.median > last->points[i - 1].y.median);
    double crooked = find(bench, "cores.cas.max")->value;
    tear_down(state);
    set_up(state);
    bench->drift_per_s = 0.02;
    measure(bench, "pack:2 core:8 pu:1", "op", "cas", "correct-drift", NULL, NULL);
    assert_true(find(bench, "cores.cas.max")->value < crooked);
    assert_non_null(strstr(find(bench, "cores.drift")->text, "corrected"));
}

/* The second home's reference has other lines and another pair, and is looked at by itself. */
static void every_home_has_its_reference_and_its_check(void **state)
{
    struct bench *bench = *state;
    bench->drift_per_s = 0.02;
    measure(bench, "pack:2 numa:1 core:12 pu:1", "op", "cas", "home", "second", "parallel", NULL,
            NULL);
    assert_whole(&bench->result.series[0], 24);
    assert_int_equal(bench->result.series_count, 4);
    const struct series *alone = &bench->result.series[1];
    size_t checked[2] = {0};
    for (size_t i = 0; i < alone->point_count; i++)
        checked[alone->points[i].to / 12]++;
    assert_string_equal(alone->name, "hand-off alone");
    assert_true(checked[0] == 24 * 23 / 2 / 20 && checked[1] == checked[0]);
    for (size_t home = 0; home < 2; home++) {
        const struct series *reference = &bench->result.series[2 + home];
        assert_string_equal(reference->name, "reference");
        assert_true(reference->point_count >= 2);
        const char *pair = reference->factors[0].text;
        assert_int_equal(atoi(strchr(pair, ',') + 1) / 12, home);
    }
    assert_true(bench->result.series[3].points[0].x > bench->result.series[2].points[1].x);
    assert_non_null(strstr(find(bench, "cores.drift")->text, "of one a home"));
}

static void every_batch_can_be_had_as_csv(void **state)
{
    struct bench *bench = *state;
    char path[] = "/tmp/fathom-samples-XXXXXX", line[256];
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    measure(bench, "core:2 pu:1", "op", "cas", "lines", "8", "samples", "4", "samples-out", path,
            NULL);
    FILE *samples = fopen(path, "r");
    assert_non_null(samples);
    size_t rows = 0;
    bool seen[2][8][2][2] = {0}; /* from, line, pass, batch */
    double before_s = 0;
    assert_non_null(fgets(line, sizeof line, samples));
    assert_string_equal(line, "series,op,from,to,line,pass,address,at_s,batch,ns\n");
    while (fgets(line, sizeof line, samples)) {
        int from, to;
        unsigned number, pass, batch;
        void *address;
        double at_s, ns;
        assert_int_equal(sscanf(line, "matrix,cas,%d,%d,%u,%u,%p,%lf,%u,%lf", &from, &to, &number,
                                &pass, &address, &at_s, &batch, &ns),
                         8);
        assert_true(from + to == 1 && number < 8 && pass < 2 && batch < 2);
        assert_false(seen[from][number][pass][batch]);
        assert_true(at_s >= before_s);
        assert_true(fabs(ns - 60 * (1 + 0.1 * (number % 3))) < 0.1);
        seen[from][number][pass][batch] = true;
        before_s = at_s;
        rows++;
    }
    fclose(samples);
    unlink(path);
    assert_int_equal(rows, 2 * 8 * 4);
}

static void the_time_of_samples_goes_on_from_stage_to_stage(void **state)
{
    struct bench *bench = *state;
    char path[] = "/tmp/fathom-samples-XXXXXX", line[256], last[16] = "";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    measure(bench, "core:4 pu:1", "parallel", NULL, "lines", "4", "samples", "2", "samples-out",
            path, NULL);
    FILE *samples = fopen(path, "r");
    assert_non_null(samples);
    double before_s = 0;
    size_t stages = 0;
    assert_non_null(fgets(line, sizeof line, samples));
    while (fgets(line, sizeof line, samples)) {
        char stage[16];
        double at_s;
        assert_int_equal(
            sscanf(line, "%15[a-z],%*[a-z],%*d,%*d,%*u,%*u,%*[0-9a-fx],%lf", stage, &at_s), 2);
        assert_true(at_s >= before_s);
        before_s = at_s;
        stages += strcmp(stage, last) != 0 && strcmp(stage, "reference") != 0;
        memcpy(last, stage, sizeof last);
    }
    fclose(samples);
    unlink(path);
    assert_true(stages >= 3); /* matrix, check, ends */
}

static void prepare_samples(struct bench *bench, const char *synthetic, const char *path)
{
    struct machine_source source = {.synthetic = synthetic};
    assert_int_equal(machine_read(&bench->machine, &source, NULL), 0);
    bench->machine.memory_available_bytes = UINT64_C(8) << 30;
    assert_int_equal(settings_add(&bench->settings, probe_common_options, NULL), 0);
    assert_int_equal(settings_add(&bench->settings, cores_probe.options, NULL), 0);
    assert_int_equal(settings_set(&bench->settings, "samples-out", path, NULL), 0);
    assert_int_equal(probe_prepare(&bench->task, &cores_probe, &bench->settings, &bench->machine,
                                   &bench->pool, &bench->result, &bench->error),
                     0);
}

static void assert_begins(const char *path, const char *expected)
{
    char line[256] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_string_equal(line, expected);
}

static void an_interruption_leaves_older_samples(void **state)
{
    struct bench *bench = *state;
    char path[] = "/tmp/fathom-samples-XXXXXX", part[sizeof path + 16];
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "older\n", 6), 6);
    close(file);
    prepare_samples(bench, "core:32 pu:1", path); /* planned, and nothing is touched */
    assert_begins(path, "older\n");
    assert_null(bench->task.unfinished);
    bench->stop_s = 3; /* of about five */
    assert_int_equal(
        stages_measure(&bench->task, &bench->engine, 1000, NULL, &bench->outcome, &bench->error),
        ERROR_INTERRUPTED);
    snprintf(part, sizeof part, "%s.partial", path);
    assert_string_equal(bench->task.unfinished, part);
    assert_begins(path, "older\n");
    assert_begins(part, "series,op,from,to,line,pass,address,at_s,batch,ns\n");
    unlink(part);
    unlink(path);
}

static void a_full_disk_is_reported(void **state)
{
    struct bench *bench = *state;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    fclose(full);
    prepare_samples(bench, "core:2 pu:1", "/dev/full");
    assert_int_equal(
        stages_measure(&bench->task, &bench->engine, 100, NULL, &bench->outcome, &bench->error),
        ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "/dev/full"));
    assert_non_null(find(bench, "cores.cas.min")); /* the figures are there all the same */
}

#define MODEL_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MODEL_TEST(one_pair_at_a_time),
        MODEL_TEST(side_by_side_without_bias),
        MODEL_TEST(pairs_that_disturb_each_other_are_measured_again_alone),
        MODEL_TEST(a_bias_within_the_bound_is_reported_and_left),
        MODEL_TEST(two_pairs_are_needed_to_be_side_by_side),
        MODEL_TEST(above_32_cpus_it_is_side_by_side_unless_asked_not_to),
        MODEL_TEST(the_reference_shows_the_drift_and_can_take_it_out),
        MODEL_TEST(every_home_has_its_reference_and_its_check),
        MODEL_TEST(every_batch_can_be_had_as_csv),
        MODEL_TEST(the_time_of_samples_goes_on_from_stage_to_stage),
        MODEL_TEST(an_interruption_leaves_older_samples),
        MODEL_TEST(a_full_disk_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
