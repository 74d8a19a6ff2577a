#include "programs/mpi/mpi_run.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void clock_nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

/* A launcher whose protocol the program's MPI lacks starts every rank as a world of its own. */
static int check_world(const struct ranks *ranks, struct error *error)
{
    const char *tasks = getenv("SLURM_NTASKS");
    if (ranks->size > 1 || !tasks || atoi(tasks) < 2)
        return 0;
    return error_set(
        error, ERROR_USAGE,
        "Slurm started %s tasks, and MPI sees one: srun and this MPI do not speak with "
        "each other; start it by 'srun --mpi=pmi2' (MPICH) or 'srun --mpi=pmix' (Open "
        "MPI), or by mpirun",
        tasks);
}

static int learn_node(struct ranks *ranks, MPI_Comm node, struct error *error)
{
    const pid_t own = getpid();
    MPI_Comm_rank(node, &ranks->node_rank);
    MPI_Comm_size(node, &ranks->node_size);
    ranks->here = calloc((size_t)ranks->node_size, sizeof *ranks->here);
    if (!ranks->here)
        return error_out_of_memory(error);
    MPI_Gather(&own, sizeof own, MPI_BYTE, ranks->here, sizeof own, MPI_BYTE, 0, node);
    return 0;
}

/* A node's name comes from the node, and names its file in --keep: it must name no other place, and
 * no two nodes the same. */
static void make_file_name(char (*names)[NODE_NAME_BYTES], int leader)
{
    char *name = names[leader];
    bool taken = false;
    name[NODE_NAME_BYTES - 1] = '\0';
    for (char *byte = name; *byte; byte++)
        if (*byte == '/' || iscntrl((unsigned char)*byte))
            *byte = '_';
    if (*name == '\0' || *name == '.')
        snprintf(name, NODE_NAME_BYTES, "node%d", leader);
    for (int i = 0; i < leader; i++)
        taken = taken || strcmp(names[i], name) == 0;
    if (taken) {
        const size_t room = NODE_NAME_BYTES - 16, length = strlen(name);
        snprintf(name + (length < room ? length : room), 16, "-rank%d", leader);
    }
}

int ranks_elect(struct ranks *ranks, struct error *error)
{
    *ranks = (struct ranks){.leader = -1, .between = MPI_COMM_NULL};
    MPI_Comm node;
    sigset_t wake;
    /* Blocked from here on: a leader's signal is not lost and does not end the process. */
    sigemptyset(&wake);
    sigaddset(&wake, SIGUSR1);
    sigprocmask(SIG_BLOCK, &wake, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks->size);
    int code = check_world(ranks, error);
    if (code < 0)
        return code;
    /* The key orders the ranks of a node as in the world, so rank 0 is a leader. */
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, ranks->rank, MPI_INFO_NULL, &node);
    code = learn_node(ranks, node, error);
    MPI_Comm_split(MPI_COMM_WORLD, ranks->node_rank ? MPI_UNDEFINED : 0, ranks->rank,
                   &ranks->between);
    if (ranks->between == MPI_COMM_NULL || code < 0)
        return code;
    MPI_Comm_set_errhandler(ranks->between, MPI_ERRORS_RETURN);
    MPI_Comm_rank(ranks->between, &ranks->leader);
    MPI_Comm_size(ranks->between, &ranks->leaders);
    char own[NODE_NAME_BYTES] = "";
    gethostname(own, sizeof own - 1);
    if (ranks->leader == 0) {
        ranks->names = calloc((size_t)ranks->leaders, sizeof *ranks->names);
        if (!ranks->names)
            return error_out_of_memory(error);
    }
    MPI_Gather(own, NODE_NAME_BYTES, MPI_CHAR, ranks->names, NODE_NAME_BYTES, MPI_CHAR, 0,
               ranks->between);
    for (int i = 0; ranks->names && i < ranks->leaders; i++)
        make_file_name(ranks->names, i);
    return 0;
}

void ranks_free(struct ranks *ranks)
{
    free(ranks->here);
    free(ranks->names);
}

void ranks_sleep(const struct ranks *ranks, double most_s)
{
    sigset_t wake;
    sigemptyset(&wake);
    sigaddset(&wake, SIGUSR1);
    const double end = clock_seconds() + most_s;
    for (double left = most_s; left > 0; left = end - clock_seconds()) {
        const struct timespec wait = {.tv_sec = (time_t)left + 1};
        if (sigtimedwait(&wake, NULL, &wait) == SIGUSR1 || errno == EAGAIN)
            return;
    }
}

void ranks_wake(const struct ranks *ranks)
{
    for (int i = 1; i < ranks->node_size; i++)
        kill(ranks->here[i], SIGUSR1);
}

/* MPI_Finalize() would wait for dead ranks, so the ranks first meet with a time limit. Only rank 0
 * may abort the job: an MPI_Abort() by another rank would kill rank 0 before it has written. */
void ranks_end(const struct ranks *ranks, double wait_s, int status)
{
    MPI_Request barrier;
    int met = 0;
    const double end = clock_seconds() + (ranks->rank ? 2 * wait_s + 10 : wait_s);
    if (MPI_Ibarrier(MPI_COMM_WORLD, &barrier) == MPI_SUCCESS)
        while (!met && clock_seconds() < end) {
            if (MPI_Test(&barrier, &met, MPI_STATUS_IGNORE) != MPI_SUCCESS)
                break;
            clock_nap();
        }
    if (!met && ranks->rank == 0)
        MPI_Abort(MPI_COMM_WORLD, status);
    if (!met)
        _exit(status);
    MPI_Finalize();
}
