/* Opening a file to read it. */
#pragma once

#include "base/error.h"

#include <stdio.h>

/* The caller closes the stream. NULL with ERROR_USAGE, "PATH: WHY: REMEDY", where the path can't be
 * opened, or is a named pipe that no program opens for writing within ten seconds: reading it would
 * wait for ever. A regular file is never waited for. */
FILE *input_open(const char *path, const char *remedy, struct error *);
