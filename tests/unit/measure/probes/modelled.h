/* A probe on a machine that does not exist, from the plan to the findings, with a model in place of
 * its kernels. */
#ifndef FATHOM_TESTS_PROBES_MODELLED_H
#define FATHOM_TESTS_PROBES_MODELLED_H

#include "measure/probes/kit/probe.h"
#include "measure/run/stages.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct modelled {
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
};

static inline int modelled_begin(struct modelled *bench, struct timing_model model)
{
    bench->model = model;
    clock_calibrate_below(&bench->clock, NULL);
    bench->engine = (struct engine){
        .machine = &bench->machine, .clock = &bench->clock, .seed = 5, .model = &bench->model};
    return team_create(&bench->engine.team, &bench->stop, NULL);
}

/* So that another machine may be read. */
static inline void modelled_forget(struct modelled *bench)
{
    stages_close(&bench->task);
    probe_release(&bench->task);
    settings_free(&bench->settings);
    machine_free(&bench->machine);
    bench->result.finding_count = 0;
}

static inline void modelled_end(struct modelled *bench)
{
    modelled_forget(bench);
    pool_free(&bench->pool);
    team_free(bench->engine.team);
}

/* Options as name, value, ..., NULL. May be called again. */
static inline int modelled_plan(struct modelled *bench, const struct probe *probe, va_list options)
{
    const char *name;
    stages_close(&bench->task);
    probe_release(&bench->task);
    settings_free(&bench->settings);
    bench->task = (struct probe_task){.seed = 1};
    assert_int_equal(settings_add(&bench->settings, probe_common_options, NULL), 0);
    assert_int_equal(settings_add(&bench->settings, probe->help->options, NULL), 0);
    while ((name = va_arg(options, const char *))) {
        const char *value = va_arg(options, const char *);
        assert_int_equal(settings_set(&bench->settings, name, value, &bench->error), 0);
    }
    return probe_prepare(&bench->task, probe, &bench->settings, &bench->machine, &bench->pool,
                         &bench->result, &bench->error);
}

static inline void modelled_measure(struct modelled *bench, const struct probe *probe, ...)
{
    va_list options;
    va_start(options, probe);
    int code = modelled_plan(bench, probe, options);
    va_end(options);
    if (code == 0)
        code = stages_measure(&bench->task, &bench->engine, 1000, &bench->outcome, &bench->error);
    if (code < 0)
        fail_msg("%s", bench->error.text);
}

static inline const struct finding *modelled_find(const struct modelled *bench, const char *name)
{
    for (size_t i = 0; i < bench->result.finding_count; i++)
        if (strcmp(bench->result.findings[i].name, name) == 0)
            return &bench->result.findings[i];
    return NULL;
}

static inline void modelled_value(const struct modelled *bench, const char *name, double wanted)
{
    const struct finding *finding = modelled_find(bench, name);
    if (!finding || !(fabs(finding->value - wanted) <= 0.001 * fabs(wanted) + 0.001))
        fail_msg("%s is %g and not %g", name, finding ? finding->value : NAN, wanted);
}

static inline const char *modelled_parameter(const struct modelled *bench, const char *name)
{
    const struct factor *parameter = probe_parameter(&bench->result, name);
    return parameter && parameter->text ? parameter->text : "";
}

#endif
