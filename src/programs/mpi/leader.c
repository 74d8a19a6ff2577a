#include "programs/mpi/mpi_run.h"

#include "document/json.h"
#include "programs/library/version.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* If the launcher bound this rank to a few CPUs, the other CPUs are not measured. */
static void tell_binding(const struct node_run *run)
{
    const struct machine_source source = measure_source(NULL);
    struct machine machine = {.live = false};
    struct error error = {0};
    if (machine_read(&machine, &source, &error) == 0 &&
        machine.allowed.count < machine.facts.threads)
        run->tell("%s: this rank may use %zu of %u CPUs; unless the job was given no more, start "
                  "it without binding: mpirun --bind-to none (Open MPI), mpiexec -bind-to none "
                  "(MPICH), srun --cpu-bind=none",
                  machine.facts.hostname ? machine.facts.hostname : "here", machine.allowed.count,
                  machine.facts.threads);
    machine_free(&machine);
}

static struct answer failure(const char *why)
{
    char *text = strdup(why);
    return (struct answer){.failed = 1, .length = text ? (int)strlen(text) : 0, .text = text};
}

static struct answer read_answer(const char *path)
{
    enum { MOST = 1 << 30 }; /* a message's length is an int */
    FILE *file = fopen(path, "rbe");
    struct answer answer = {0};
    char why[300];
    long length = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        length = ftell(file);
    if (length > 0 && length <= MOST && (answer.text = malloc((size_t)length)) != NULL) {
        rewind(file);
        answer.length = (int)fread(answer.text, 1, (size_t)length, file);
    }
    const bool whole = answer.length == length;
    if (file)
        fclose(file);
    if (whole)
        return answer;
    free(answer.text);
    snprintf(why, sizeof why, "its document %.200s can't be read again: %.60s", path,
             strerror(errno));
    return failure(why);
}

struct answer leader_measure(const struct node_run *run)
{
    char host[NODE_NAME_BYTES] = "", path[4096];
    struct error error = {0};
    gethostname(host, sizeof host - 1);
    for (char *c = host; *c; c++)
        *c = *c == '/' ? '_' : *c;
    tell_binding(run);
    if (snprintf(path, sizeof path, "%s/%s.json", run->spool, host) >= (int)sizeof path)
        return failure("the spool folder's name is too long");
    if (mkdir(run->spool, 0777) < 0 && errno != EEXIST) {
        snprintf(path, sizeof path, "the spool folder %.200s can't be made: %.60s", run->spool,
                 strerror(errno));
        return failure(path);
    }
    struct measurement measurement = {
        .source = measure_source(NULL),
        .run = {.settings = run->settings},
        .document = {
            .tool = {.version = FATHOM_VERSION, .commit = FATHOM_COMMIT, .compiler = __VERSION__},
            .run = {.command = (const char **)run->command,
                    .command_count = (size_t)run->command_count}}};
    int code = measurement_plan(&measurement, &error);
    if (code == 0)
        code = run_measure(&measurement.run, &error);
    if (code == 0)
        code = document_save(&measurement.document, path, &error);
    measurement_free(&measurement);
    return code == ERROR_INTERRUPTED ? failure("the run was interrupted")
           : code < 0                ? failure(error.text)
                                     : read_answer(path);
}

static void send_answer(const struct ranks *ranks, const struct answer *answer, double end)
{
    const int head[2] = {answer->failed, answer->length};
    MPI_Request sent[2];
    MPI_Status status[2];
    int done = 0;
    if (MPI_Isend(head, 2, MPI_INT, 0, TAG_HEAD, ranks->between, &sent[0]) != MPI_SUCCESS ||
        MPI_Isend(answer->text, answer->length, MPI_CHAR, 0, TAG_BODY, ranks->between, &sent[1]) !=
            MPI_SUCCESS)
        return;
    while (!done && clock_seconds() < end) {
        if (MPI_Testall(2, sent, &done, status) != MPI_SUCCESS)
            return;
        clock_nap();
    }
}

void leader_serve(const struct ranks *ranks, const struct node_run *run, double most_s)
{
    const double end = clock_seconds() + most_s;
    for (;;) {
        MPI_Request request;
        int go = GO_HOME, there = 0;
        if (MPI_Irecv(&go, 1, MPI_INT, 0, TAG_GO, ranks->between, &request) != MPI_SUCCESS)
            return;
        while (!there && clock_seconds() < end) {
            if (MPI_Test(&request, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS)
                return;
            clock_nap();
        }
        if (!there || go == GO_HOME)
            return;
        struct answer answer = leader_measure(run);
        send_answer(ranks, &answer, end);
        free(answer.text);
    }
}
