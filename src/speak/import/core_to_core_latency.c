/*
 * What the tool core-to-core-latency prints: tables below a line each that names the operation, or
 * with --csv the lower triangle in ns. Both are matrices as core_matrix.c reads them.
 */
#include "speak/import/core_table.h"

static const char *const marks[] = {"CAS latency on a single shared cache line",
                                    "Single-writer single-reader latency on two shared cache",
                                    "Message passing. One writer and one reader", NULL};
static const char *const options[] = {"unit", "op", "ids", NULL};

const struct import_format core_to_core_latency_format = {
    .name = "core-to-core-latency",
    .place = 60,
    .options = options,
    .summary = "what core-to-core-latency prints, with --csv or without: all its tables",
    .marks = marks,
    .begin = core_matrix_read,
    .nothing = "",
};
