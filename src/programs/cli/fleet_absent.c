/* Replaces fleet.c in a build without fleets (-Dfleet=disabled): the command says so. */
#include "programs/cli/command.h"

static int fleet(struct invocation *invocation, struct error *error)
{
    return error_set(error, ERROR_IMPOSSIBLE,
                     "fleet: this build of fathom has no fleets (-Dfleet=disabled): take one that "
                     "has them");
}

#include "fleet_absent.help.h"

const struct command fleet_command = {
    .name = "fleet",
    .help = &help,
    .run = fleet,
};
