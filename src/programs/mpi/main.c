#include "programs/mpi/mpi_run.h"

#include "measure/probes/kit/probe.h"
#include "programs/cli/fleet.h"
#include "programs/cli/options.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option_spec mpi_options[] = {
    {"waves", 0, OPTION_INTEGER, "N", NULL, 1, 1e6, NULL, COMMAND_OPTION(waves),
     "at most N nodes measure at a time (default: all at once)"},
    {"both", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, COMMAND_OPTION(both),
     "measure all at once, then in waves (of --waves N, or of one node), and say what differs: "
     "what "
     "the nodes share"},
    {"wait", 0, OPTION_REAL, "S", "60", 0.1, 1e6, NULL, COMMAND_OPTION(wait),
     "how many seconds longer than rank 0's own node another may take, before it is left out; also "
     "how many seconds beyond a minute MPI itself may take to start"},
    {"spool", 0, OPTION_TEXT, "DIR", NULL, 0, 0, NULL, COMMAND_OPTION(spool),
     "where each leader writes its document before it sends it, a folder of its own node (default: "
     "TMPDIR, or /tmp)"},
    {"keep", 0, OPTION_TEXT, "DIR", NULL, 0, 0, NULL, COMMAND_OPTION(keep),
     "keep the document of every node in this folder of rank 0's node"},
    {.name = NULL},
};

static const struct option_spec *const options[] = {mpi_options, probe_common_options,
                                                    fleet_options, output_options, NULL};

static const struct command mpi_command = {
    .program = "fathom-mpi",
    .name = "run",
    .operands = NULL,
    .summary = "measure every node that MPI reaches, and tell which differ from the others",
    .about =
        "Start it with one rank a node or more; one rank a node measures, as 'fathom run' does "
        "with "
        "the same options, and the others sleep: 'mpirun --map-by ppr:1:node --bind-to none "
        "fathom-mpi run --quick', 'srun --ntasks-per-node=1 --cpu-bind=none --mpi=pmix fathom-mpi "
        "run --quick'. While anything is measured on a node, no call of MPI is made there. Rank 0 "
        "gathers the documents one by one and prints what 'fathom fleet' prints of them. A node "
        "that fails, hangs or dies is named and left out, where the launcher lets the others live: "
        "Open MPI's mpirun with --mca orte_abort_on_non_zero_status 0, MPICH's mpiexec with "
        "-disable-auto-cleanup, srun with --mpi=pmi2; srun --mpi=pmix does not. Exit status as of "
        "'fathom fleet', unless rank 0 has to end a job whose nodes are gone.",
    .options = options,
};

static int measure_all(const struct gathering *gathering, const struct command_options *asked,
                       struct error *error)
{
    const int leaders = gathering->ranks->leaders;
    const bool both = asked->both.has;
    const int waves = asked->waves.has ? (int)asked->waves.number : both ? 1 : leaders;
    struct fleet first = {.nodes = NULL}, second = {.nodes = NULL};
    int code = gather_pass(gathering, 0, both ? leaders : waves, &first, error);
    if (code == 0 && both)
        code = gather_pass(gathering, 1, waves, &second, error);
    gather_finish(gathering);
    if (code == 0)
        code = fleet_report(asked, both ? &second : &first, true, error);
    if (code >= 0 && both)
        gather_compare(&first, &second, asked->threshold.number / 100);
    fleet_free(&first);
    fleet_free(&second);
    return code;
}

static int work(const struct ranks *ranks, const struct invocation *invocation, bool *lost,
                struct error *error)
{
    const struct command_options *asked = &invocation->options;
    const char *folder = getenv("TMPDIR");
    const struct node_run run = {.settings = &invocation->settings,
                                 .command = invocation->argv,
                                 .command_count = invocation->argc,
                                 .spool = asked->spool.has    ? asked->spool.text
                                          : folder && *folder ? folder
                                                              : "/tmp",
                                 .tell = command_tell};
    /* Time limit of the whole job, so that no rank outlives it. */
    const int leaders = ranks->leaders > 0 ? ranks->leaders : ranks->size;
    const double own = asked->common.budget.has     ? asked->common.budget.number
                       : asked->common.thorough.has ? 900
                       : asked->common.quick.has    ? 30
                                                    : 300;
    const double waves = asked->waves.has  ? ceil(leaders / asked->waves.number)
                         : asked->both.has ? leaders
                                           : 1;
    const double most_s = (waves + asked->both.has) * (2 * own + asked->wait.number) + 60;
    alarm((unsigned)fmin(most_s + 120, 1e9));
    if (ranks->leader < 0) {
        ranks_sleep(ranks, most_s);
        return 0;
    }
    int code = 0;
    if (ranks->leader > 0) {
        leader_serve(ranks, &run, most_s);
    } else {
        const struct gathering gathering = {.ranks = ranks,
                                            .run = &run,
                                            .keep = asked->keep.text,
                                            .wait_s = asked->wait.number,
                                            .lost = lost};
        code = measure_all(&gathering, asked, error);
    }
    ranks_wake(ranks);
    return code;
}

/* Refuses wrong usage before anything is measured; every rank gets the same result, and rank 0
 * reports it. */
static int parse(struct invocation *invocation, int argc, char **argv, struct error *error)
{
    if (argc < 2 || strcmp(argv[1], "run") != 0)
        return error_set(error, ERROR_USAGE,
                         "start it as 'fathom-mpi run [OPTION...]': 'fathom-mpi run --help' lists "
                         "the options");
    int code = options_parse(invocation, argc - 1, argv + 1, error);
    if (code == 0 && invocation->operand_count)
        return error_set(error, ERROR_USAGE,
                         "'%s': fathom-mpi measures all probes, or the quick set with --quick",
                         invocation->operands[0]);
    return code;
}

static const char no_start[] =
    "fathom-mpi: MPI did not start in time, which it does only when every node has started the "
    "program: see what the launcher said of one that lacks it, or give a slow start more time "
    "(--wait). Without MPI: 'fathom run' on each node, then 'fathom fleet' of the documents\n";

/* Nothing has been measured yet, so nothing is lost. */
static void give_up(int number)
{
    (void)number;
    const ssize_t said = write(STDERR_FILENO, no_start, sizeof no_start - 1);
    _exit(said < 0 ? EXIT_FAILURE : EXIT_IMPOSSIBLE);
}

int main(int argc, char **argv)
{
    /* In seconds. After a lost leader the end is shorter, because it never answers. */
    enum { START_S = 60, END_S = 60, END_LOST_S = 5 };
    bool lost = false;
    struct error error = {0};
    struct ranks ranks = {.leader = -1};
    struct invocation invocation = {.command = &mpi_command, .argv = argv, .argc = argc};
    const int parsed = parse(&invocation, argc, argv, &error);
    /* MPI_Init() blocks if a node is gone: until it returns, an alarm gives up. */
    const struct sigaction loud = {.sa_handler = give_up};
    struct sigaction usual;
    sigaction(SIGALRM, &loud, &usual);
    alarm((unsigned)fmin((START_S + (parsed == 0 ? invocation.options.wait.number : 0)), 1e9));
    MPI_Init(&argc, &argv);
    sigaction(SIGALRM, &usual, NULL);
    int code = ranks_elect(&ranks, parsed == 0 ? &error : &(struct error){0});
    if (parsed < 0)
        code = parsed;
    const bool help = code == 0 && invocation.options.help.has;
    if (help && ranks.rank == 0)
        help_command(stdout, &mpi_command, NULL);
    if (code == 0 && !help)
        code = work(&ranks, &invocation, &lost, &error);
    if (code < 0 && (ranks.rank == 0 || ranks.size == 1))
        fprintf(stderr, "fathom-mpi: %s\n", error.text);
    if (code < 0)
        code = code == ERROR_USAGE ? EXIT_USAGE : EXIT_IMPOSSIBLE;
    fflush(stdout);
    settings_free(&invocation.settings);
    ranks_end(&ranks, lost ? END_LOST_S : END_S, EXIT_DOUBTFUL);
    ranks_free(&ranks);
    return code;
}
