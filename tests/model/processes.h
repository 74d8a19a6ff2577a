/* Machines are examined by several processes at a time. */
#ifndef FATHOM_TESTS_MODEL_PROCESSES_H
#define FATHOM_TESTS_MODEL_PROCESSES_H

#include <stddef.h>

/* Examines machines 0 to `machines` - 1, in any order, each in one of as many processes as CPUs are
 * online. Returns what they wrote, [machines] outcomes of `bytes` each that begin as zeroes; NULL
 * without memory. */
void *examine_all(unsigned machines, size_t outcome_bytes,
                  void (*examine)(void *outcome, unsigned machine, const void *what),
                  const void *what);

#endif
