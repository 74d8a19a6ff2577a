/* Work that may end its process is tried in a child first. */
#ifndef FATHOM_MACHINE_CHILD_H
#define FATHOM_MACHINE_CHILD_H

#include <stdbool.h>

/* Carries the work out in a child, which it may end or spoil as it likes: false when it said so or
 * ended its process. True where no child is to be had. */
bool child_try(bool (*work)(void *), void *of);

#endif
