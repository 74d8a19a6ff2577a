/* core-to-core-latency --csv prints the lower triangle of a matrix in ns. */
#include "import/core_table.h"

static const char *const options[] = {"unit", "op", "ids", NULL};

const struct import_format core_to_core_latency_format = {
    .name = "core-to-core-latency",
    .place = 60,
    .options = options,
    .summary = "what core-to-core-latency --csv prints, as core-matrix reads it",
    .read = core_matrix_read,
};
