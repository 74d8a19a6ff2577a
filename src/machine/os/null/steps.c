/* For a system that fathom has no port for: programs can't be stepped through. */
#include "machine/steps.h"

const char *const steps_kind_names[] = {"unknown", "plain", "string", "past", NULL};

size_t steps_switches(enum steps_function function, uint64_t most, struct steps_switch *switches,
                      size_t room)
{
    (void)function, (void)most, (void)switches, (void)room;
    return 0;
}
