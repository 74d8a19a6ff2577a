/*
 * What was concluded is concluded again from the document alone: written, read and analysed anew it
 * has the same findings, to the digit.
 */
#ifndef FATHOM_TESTS_PROBES_AGAIN_H
#define FATHOM_TESTS_PROBES_AGAIN_H

#include "conclude/analyse.h"
#include "conclude/registry/experiment.h"
#include "document/json.h"
#include "measure/probes/kit/probe.h"
#include "measure/run/stages.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A finding as the document has it. */
static inline void again_print(const struct finding *finding, char *text, size_t size)
{
    snprintf(text, size,
             "%s [%s] %.9g (%.9g to %.9g) declared %.9g, CPUs %s, flags %x, %zu factors: %s",
             finding->name, finding->unit ? finding->unit : "", finding->value, finding->low,
             finding->high, finding->declared, finding->cpus ? finding->cpus : "none",
             finding->flags, finding->factor_count, finding->text ? finding->text : "");
}

static inline void again_compare(const struct probe_result *before,
                                 const struct probe_result *after)
{
    for (size_t i = 0; i < before->finding_count && i < after->finding_count; i++) {
        char was[2048], is[2048];
        again_print(&before->findings[i], was, sizeof was);
        again_print(&after->findings[i], is, sizeof is);
        assert_string_equal(was, is);
    }
    assert_int_equal(before->finding_count, after->finding_count);
}

static inline void again_analyse(const struct probe_task *task)
{
    char path[] = "/tmp/fathom-again-XXXXXX";
    const int file = mkstemp(path);
    const char *remarks;
    struct error error = {0};
    struct document document = {0}, read = {0};
    assert_true(file >= 0);
    close(file);
    document.run = (struct run_facts){.elapsed_s = NAN, .precision = NAN, .budget_s = NAN};
    document.conditions = (struct conditions){
        .core_hz = NAN, .counter_hz = NAN, .load1 = NAN, .others_cpus = NAN, .stolen_s = NAN};
    if (task->document)
        document.conditions = task->document->conditions;
    document.machine = task->machine->facts;
    document.machine.gpus = task->gpu_count ? task->gpus : document.machine.gpus;
    document.machine.gpu_count = task->gpu_count ? task->gpu_count : document.machine.gpu_count;
    const size_t others = task->document ? task->document->probe_count : 0;
    document.probes = calloc(others + 1, sizeof *document.probes);
    assert_non_null(document.probes);
    for (size_t i = 0; i < others; i++)
        document.probes[i] = task->document->probes[i];
    document.probes[others] = *task->result;
    document.probe_count = others + 1;
    if (document_save(&document, path, &error) < 0 || document_read(&read, path, &error) < 0 ||
        document_analyse(&read, &remarks, &error) < 0)
        fail_msg("%s", error.text);
    unlink(path);
    again_compare(task->result, &read.probes[others]);
    free(document.probes);
    document_free(&read);
}

/* stages_conclude(), and the same again from the document. */
static inline int conclude_twice(struct probe_task *task, const struct stage_outcome *outcome,
                                 struct error *error)
{
    const int code = stages_conclude(task, outcome, error);
    if (code == 0) {
        experiment_complete(task->result, &task->machine->facts, task->pool);
        again_analyse(task);
    }
    return code;
}

#endif
