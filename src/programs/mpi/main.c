#include "programs/mpi/mpi_run.h"

#include "measure/probes/kit/probe.h"
#include "programs/cli/fleet.h"
#include "programs/cli/options.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "main.help.h"

static const struct option_spec *const options[] = {mpi_options, probe_common_options,
                                                    fleet_options, output_options, NULL};

static const struct command mpi_command = {
    .program = "fathom-mpi",
    .name = "run",
    .help = &help,
    .options = options,
};

static int measure_all(const struct gathering *gathering, const struct command_options *asked,
                       struct error *error)
{
    const int leaders = gathering->ranks->leaders;
    struct fleet fleet = {.nodes = NULL};
    int code =
        gather_all(gathering, asked->waves.has ? (int)asked->waves.number : leaders, &fleet, error);
    gather_finish(gathering);
    if (code == 0)
        code = fleet_report(asked, &fleet, true, error);
    fleet_free(&fleet);
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
    const double waves = asked->waves.has ? ceil(leaders / asked->waves.number) : 1;
    const double most_s = waves * (2 * own + asked->wait.number) + 60;
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
    const bool asked = code == 0 && invocation.options.help.has;
    if (asked && ranks.rank == 0)
        help_command(stdout, &mpi_command, NULL);
    if (code == 0 && !asked)
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
