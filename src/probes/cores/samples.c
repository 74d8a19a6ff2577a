/*
 * Every batch as a line of CSV, written while measuring: a matrix may have more of them than there
 * is memory. The coordinator writes between visits, so nothing of it is ever timed.
 */
#include "probes/cores/cores.h"

#include "base/save.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct cores_samples {
    FILE *file;
    const char *path;
    int failed; /* errno of the first line that could not be written */
};

static int refuse(const struct cores_samples *samples, int reason, struct error *error)
{
    return error_set(error, ERROR_USAGE,
                     "--samples-out %s: %s: choose another file or folder to write to",
                     samples->path, strerror(reason));
}

int cores_samples_open(struct cores_samples **opened, const char *path, struct pool *pool,
                       struct error *error)
{
    struct cores_samples *samples = pool_alloc(pool, 1, sizeof *samples);
    *opened = NULL;
    if (!samples)
        return error_out_of_memory(error);
    if (strcmp(path, "-") == 0)
        return error_set(error, ERROR_USAGE,
                         "--samples-out - would mix the samples with the report: name a file");
    int code = save_possible(path, error);
    if (code < 0)
        return code;
    samples->path = pool_strdup(pool, path);
    samples->file = fopen(path, "we");
    if (!samples->path || !samples->file)
        return refuse(samples, errno, error);
    if (fputs("series,op,from,to,line,pass,address,at_s,batch,ns\n", samples->file) == EOF)
        samples->failed = errno;
    *opened = samples;
    return 0;
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
    for (unsigned i = 0; i < seen->batch_count && !samples->failed; i++)
        if (fprintf(samples->file, "%s,%s,%d,%d,%u,%u,0x%" PRIxPTR ",%.6f,%u,%.3f\n", series,
                    handoff_names[trial->point->detail & DETAIL_OP], trial->point->from,
                    trial->point->to, trial->number % state->lines, trial->number / state->lines,
                    (uintptr_t)cores_line(trial, state), state->began_s + seen->at_s, i,
                    seen->batches[i].ns / operations) < 0)
            samples->failed = errno;
}

int cores_samples_close(struct cores_samples *samples, struct error *error)
{
    if (!samples || !samples->file)
        return 0;
    if (fclose(samples->file) == EOF && !samples->failed)
        samples->failed = errno;
    samples->file = NULL;
    return samples->failed ? refuse(samples, samples->failed, error) : 0;
}
