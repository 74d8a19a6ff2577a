/* Runs that are repeated: all in one document, or until a health check can tell. */
#include "compare/health.h"
#include "compare/spread.h"
#include "measure/run/measure.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { LOOKS = 5 };

/* Moves the document to the runs. Its parameters' texts are in the pools of the settings. */
static int keep(struct measurement *measurement, struct error *error)
{
    const struct run *run = &measurement->run;
    const size_t count = measurement->run_count + 1;
    for (size_t i = 0; i < run->turn_count; i++)
        pool_take(&measurement->document.pool, &run->turns[i].settings.pool);
    run_release(&measurement->run);
    struct document *runs = realloc(measurement->runs, count * sizeof *runs);
    if (!runs)
        return error_out_of_memory(error);
    runs[measurement->run_count++] = measurement->document;
    measurement->runs = runs;
    measurement->document = (struct document){0};
    return 0;
}

int measurement_again(struct measurement *measurement, double wait_s,
                      const struct probe *const *only, struct error *error)
{
    struct run *run = &measurement->run;
    const struct run_listener listener = run->listener;
    const uint64_t until_ns = os_raw_ns() + (uint64_t)(fmax(wait_s, 0) * 1e9);
    while (!run->model && os_raw_ns() < until_ns && !(run->stop && *run->stop)) {
        const uint64_t left_ns = until_ns - os_raw_ns(), most_ns = 200000000;
        nanosleep(&(struct timespec){.tv_nsec = (long)(left_ns < most_ns ? left_ns : most_ns)},
                  NULL);
    }
    int code = run->stop && *run->stop
                   ? error_set(error, ERROR_INTERRUPTED, "interrupted between two runs")
                   : 0;
    if (code < 0)
        return code;
    if (measurement->run_count)
        document_free(&measurement->document);
    else
        code = keep(measurement, error);
    if (code < 0)
        return code;
    const struct document *first = &measurement->runs[0];
    measurement->document = (struct document){
        .tool = first->tool,
        .run = {.command = first->run.command, .command_count = first->run.command_count}};
    run->only = only;
    run->nth = measurement->run_count;
    run->began_ns = 0;
    run->listener.save = NULL; /* the document has one run alone */
    code = run_plan(run, error);
    double took_s = 0; /* what these probes took in the first run */
    for (const struct probe *const *probe = only; probe && *probe; probe++)
        took_s += document_probe(first, (*probe)->name)->elapsed_s;
    if (code == 0 && only)
        run->budget_s = measurement->document.run.budget_s = took_s;
    if (code == 0)
        code = run_measure(run, error);
    run->listener = listener;
    struct error *first_error = code == 0 ? error : NULL;
    if (code == 0)
        code = keep(measurement, error);
    else {
        run_release(run);
        document_free(&measurement->document);
    }
    /* Where only some probes are measured again, a value that one run has is enough. */
    const int joined = repeats_join(&measurement->document, measurement->runs,
                                    measurement->run_count, only != NULL, first_error);
    return code == 0 ? joined : code;
}

/* The probes of the document that may tell more if they are measured again; NULL: none. */
static const struct probe **open_probes(struct measurement *measurement,
                                        const struct health_check *check, struct pool *pool)
{
    const struct document *document = &measurement->document;
    const struct probe **open = pool_alloc(pool, document->probe_count + 1, sizeof *open);
    size_t count = 0;
    for (size_t i = 0; open && i < document->probe_count; i++)
        if (health_is_open(check, document->probes[i].name) &&
            probe_by_name(document->probes[i].name))
            open[count++] = probe_by_name(document->probes[i].name);
    return count ? open : NULL;
}

int measurement_settle(struct measurement *measurement, const struct document *base,
                       double tolerance, double within_s, struct health_check *check,
                       struct error *error)
{
    struct run *run = &measurement->run;
    const uint64_t began_ns = run->began_ns;
    const double run_s = (double)(timing_now_ns(run->model) - began_ns) * 1e-9;
    const bool again = run->model || within_s >= 2 * run_s;
    struct pool pool = {0};
    int code = 0;
    for (unsigned look = 0; code == 0; look++) {
        *check = (struct health_check){.gap_count = 0};
        code =
            health_check(check, base, &measurement->document, tolerance, again ? LOOKS : 1, error);
        const struct probe **open =
            code == 0 && again && look + 1 < LOOKS ? open_probes(measurement, check, &pool) : NULL;
        const double now_s = (double)(timing_now_ns(run->model) - began_ns) * 1e-9;
        const double next_s = (within_s - run_s) * (look + 1) / (LOOKS - 1);
        if (!open || (!run->model && now_s + run_s > within_s))
            break;
        health_check_free(check);
        code = measurement_again(measurement, next_s - now_s, open, error);
    }
    pool_free(&pool);
    return code;
}
