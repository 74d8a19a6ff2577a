/*
 * Every batch as a line of CSV, written while measuring: a matrix may have more of them than there
 * is memory. The coordinator writes between visits, so nothing of it is ever timed. An older file
 * stays until all lines are written (base/save.h).
 */
#include "measure/probes/cores/cores.h"

#include "base/save.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct cores_samples {
    struct saving saving;
    FILE *stream;       /* NULL: nothing was written yet, or all is */
    int failed;         /* errno of the first line that could not be written */
    struct error error; /* why it could not be opened; code 0: it could */
};

static void open_stream(struct cores_samples *samples)
{
    if (saving_open(&samples->saving, &samples->stream, &samples->error) == 0 &&
        fputs("series,op,from,to,line,pass,address,at_s,batch,ns\n", samples->stream) == EOF)
        samples->failed = errno;
}

int cores_samples_begin(struct cores_samples **begun, const char *path, struct pool *pool,
                        struct error *error)
{
    struct cores_samples *samples = pool_alloc(pool, 1, sizeof *samples);
    *begun = samples;
    if (strcmp(path, "-") == 0)
        return error_set(error, ERROR_USAGE,
                         "--samples-out - would mix the samples with the report: name a file");
    const int code = saving_begin(&samples->saving, path, error);
    if (code < 0 || samples->saving.path)
        return code;
    open_stream(samples); /* a pipe's reader is not waited for between two visits */
    return samples->error.code ? error_set(error, samples->error.code, "%s", samples->error.text)
                               : 0;
}

void cores_samples_add(struct cores_samples *samples, const struct cores_state *state,
                       const struct observation *seen)
{
    static const char *const stages[] = {[CORES_MATRIX] = "matrix",
                                         [CORES_CHECK] = "check",
                                         [CORES_AGAIN] = "again",
                                         [CORES_ENDS] = "ends"};
    const struct trial *trial = seen->trial;
    const char *series = seen->reference ? "reference" : stages[state->stage];
    double operations = trial->operations * (double)seen->repeats;
    if (!samples->stream && !samples->error.code)
        open_stream(samples);
    for (unsigned i = 0; i < seen->batch_count && samples->stream && !samples->failed; i++)
        if (fprintf(samples->stream, "%s,%s,%d,%d,%u,%u,0x%" PRIxPTR ",%.6f,%u,%.3f\n", series,
                    handoff_names[trial->point->what], trial->point->from, trial->point->to,
                    trial->number % state->lines, trial->number / state->lines,
                    (uintptr_t)cores_line(trial, state), state->began_s + seen->at_s, i,
                    seen->batches[i].ns / operations) < 0)
            samples->failed = errno;
}

int cores_samples_close(struct cores_samples *samples, bool whole, struct error *error)
{
    if (samples && samples->error.code)
        return error_set(error, samples->error.code, "%s", samples->error.text);
    if (!samples || !samples->stream)
        return 0;
    FILE *stream = samples->stream;
    samples->stream = NULL;
    errno = samples->failed;
    return saving_close(&samples->saving, stream, whole && !samples->failed, error);
}

const char *cores_samples_unfinished(const struct cores_samples *samples)
{
    return samples ? saving_beside(&samples->saving) : NULL;
}

void cores_samples_free(struct cores_samples *samples)
{
    cores_samples_close(samples, false, NULL);
    if (samples)
        saving_free(&samples->saving);
}
