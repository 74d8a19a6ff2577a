#include "programs/mpi/mpi_run.h"

#include "conclude/complete.h"
#include "document/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A leader that was asked to measure. */
struct waiting {
    int leader;
    enum { WAITS_FOR_HEAD, WAITS_FOR_BODY, HAS_ANSWERED, HAS_FAILED } state;
    MPI_Request request;
    int head[2];
    char *text;
};

/* --- one answer --- */

static int take(const struct gathering *gathering, int leader, const struct answer *answer,
                struct fleet *fleet, struct error *error)
{
    const char *name = gathering->ranks->names[leader];
    struct document document = {.file = NULL};
    struct error why = {0};
    char reason[512];
    if (answer->failed || !answer->text) {
        snprintf(reason, sizeof reason, "%.*s", answer->length, answer->text ? answer->text : "");
        return fleet_add_hole(fleet, name, *reason ? reason : "it sent nothing", error);
    }
    if (gathering->keep) {
        const int length = answer->length;
        char path[4096];
        FILE *file = NULL;
        if (mkdir(gathering->keep, 0777) == 0 || errno == EEXIST) {
            snprintf(path, sizeof path, "%s/%s.json", gathering->keep, name);
            file = fopen(path, "wbe");
        }
        const bool kept = file && fwrite(answer->text, 1, (size_t)length, file) == (size_t)length;
        if ((file && fclose(file) != 0) || !kept)
            gathering->run->tell("the document of %s can't be kept in %s: %s", name,
                                 gathering->keep, strerror(errno));
    }
    int code = document_read_text(&document, answer->text, (size_t)answer->length, name, &why);
    if (code == 0)
        code = experiments_complete(&document, &why);
    if (code == 0)
        code = fleet_add(fleet, &document, error);
    else if (code == ERROR_USAGE)
        code = fleet_add_hole(fleet, name, why.text, error);
    else
        *error = why;
    document_free(&document);
    return code;
}

/* --- a wave --- */

/* Tests whether the next part has arrived; true if that completes the answer. */
static bool look(struct waiting *waiting, MPI_Comm between)
{
    enum { MOST = 1 << 30 };
    int there = 0, came = 0;
    MPI_Status status;
    if (waiting->state > WAITS_FOR_BODY)
        return false;
    if (MPI_Test(&waiting->request, &there, &status) != MPI_SUCCESS) {
        waiting->state = HAS_FAILED;
        return false;
    }
    if (!there)
        return false;
    if (waiting->state == WAITS_FOR_BODY) {
        waiting->state = HAS_ANSWERED;
        if (MPI_Get_count(&status, MPI_CHAR, &came) == MPI_SUCCESS && came < waiting->head[1])
            waiting->head[1] = came; /* less than it announced */
        return true;
    }
    const int length = waiting->head[1];
    waiting->text = length < 0 || length > MOST ? NULL : malloc((size_t)length + 1);
    waiting->state = WAITS_FOR_BODY;
    if (!waiting->text || MPI_Irecv(waiting->text, length, MPI_CHAR, waiting->leader, TAG_BODY,
                                    between, &waiting->request) != MPI_SUCCESS)
        waiting->state = HAS_FAILED;
    return false;
}

/* Polls until all leaders have answered or failed, or the time is over. */
static int collect(const struct gathering *gathering, struct waiting *list, int count, double end,
                   struct fleet *fleet, struct error *error)
{
    int left = count, code = 0;
    while (left && code == 0 && clock_seconds() < end) {
        left = 0;
        for (int i = 0; i < count && code == 0; i++) {
            if (look(&list[i], gathering->ranks->between)) {
                const struct answer answer = {list[i].head[0], list[i].head[1], list[i].text};
                code = take(gathering, list[i].leader, &answer, fleet, error);
                free(list[i].text);
                list[i].text = NULL;
            }
            left += list[i].state <= WAITS_FOR_BODY;
        }
        if (left)
            clock_nap();
    }
    return code;
}

static int note_silent(const struct gathering *gathering, const struct waiting *list, int count,
                       double waited_s, struct fleet *fleet, struct error *error)
{
    int code = 0;
    for (int i = 0; i < count && code == 0; i++) {
        char reason[160];
        if (list[i].state == HAS_ANSWERED)
            continue;
        *gathering->lost = true;
        snprintf(reason, sizeof reason,
                 list[i].state == HAS_FAILED
                     ? "MPI lost it: the node or its rank is gone"
                     : "no answer in %.0f s: it hangs, is gone, or needs longer (--wait)",
                 waited_s);
        code = fleet_add_hole(fleet, gathering->ranks->names[list[i].leader], reason, error);
    }
    return code;
}

/* One wave: leaders `from` to `to` - 1 measure, this node too if it is among them. */
static int wave(const struct gathering *gathering, int from, int to, double *own_s,
                struct fleet *fleet, struct error *error)
{
    struct waiting *list = calloc((size_t)(to - from) + 1, sizeof *list);
    const double began = clock_seconds();
    int count = 0, code = 0;
    if (!list)
        return error_out_of_memory(error);
    for (int leader = from > 0 ? from : 1; leader < to; leader++) {
        struct waiting *waiting = &list[count++];
        const struct ranks *ranks = gathering->ranks;
        static MPI_Request forgotten; /* never waited for: every MPI sends four bytes at once */
        static const int measure = GO_MEASURE;
        *waiting = (struct waiting){.leader = leader};
        if (MPI_Irecv(waiting->head, 2, MPI_INT, leader, TAG_HEAD, ranks->between,
                      &waiting->request) != MPI_SUCCESS ||
            MPI_Isend(&measure, 1, MPI_INT, leader, TAG_GO, ranks->between, &forgotten) !=
                MPI_SUCCESS)
            waiting->state = HAS_FAILED;
        else
            MPI_Request_free(&forgotten);
    }
    if (from == 0) {
        struct answer own = leader_measure(gathering->run);
        code = take(gathering, 0, &own, fleet, error);
        free(own.text);
        *own_s = fmax(*own_s, clock_seconds() - began);
    }
    const double end = fmax(began + *own_s, clock_seconds()) + gathering->wait_s;
    if (code == 0)
        code = collect(gathering, list, count, end, fleet, error);
    if (code == 0)
        code = note_silent(gathering, list, count, clock_seconds() - began, fleet, error);
    /* The receive of a dead leader's answer never completes, so its buffer belongs to MPI until the
     * end. */
    bool all = true;
    for (int i = 0; i < count; i++)
        all = all && list[i].state >= HAS_ANSWERED;
    if (all)
        free(list);
    return code;
}

int gather_all(const struct gathering *gathering, int at_once, struct fleet *fleet,
               struct error *error)
{
    const int leaders = gathering->ranks->leaders;
    double own_s = 0;
    int code = 0;
    for (int from = 0; from < leaders && code == 0; from += at_once) {
        const int to = at_once < leaders - from ? from + at_once : leaders;
        code = wave(gathering, from, to, &own_s, fleet, error);
    }
    return code;
}

void gather_finish(const struct gathering *gathering)
{
    static const int home = GO_HOME;
    for (int leader = 1; leader < gathering->ranks->leaders; leader++) {
        MPI_Request request;
        if (MPI_Isend(&home, 1, MPI_INT, leader, TAG_GO, gathering->ranks->between, &request) ==
            MPI_SUCCESS)
            MPI_Request_free(&request);
    }
}
