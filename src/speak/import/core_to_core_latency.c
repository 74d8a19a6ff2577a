/*
 * What the tool core-to-core-latency prints: tables below a line each that names the operation, or
 * with --csv the lower triangle in ns. Both are matrices as core_matrix.c reads them.
 */
#include "speak/import/core_table.h"

static enum import_certainty recognise(const struct import_text *text)
{
    static const char *const marks[] = {"CAS latency on a single shared cache line",
                                        "Single-writer single-reader latency on two shared cache",
                                        "Message passing. One writer and one reader"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (text_holds(text, marks[i]))
            return IMPORT_SURE;
    return IMPORT_NONE;
}

static const char *const options[] = {"unit", "op", "ids", NULL};

const struct import_format core_to_core_latency_format = {
    .name = "core-to-core-latency",
    .place = 60,
    .options = options,
    .summary = "what core-to-core-latency prints, with --csv or without: all its tables",
    .recognise = recognise,
    .read = core_matrix_read,
};
