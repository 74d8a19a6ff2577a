#include "render/output.h"

extern const struct output text_output, csv_output, csv_matrix_output, json_output, html_output,
    openmetrics_output, gnuplot_output, gpu_columns_output;

const struct output *const outputs[] = {
    &text_output,        &csv_output,     &csv_matrix_output,  &json_output, &html_output,
    &openmetrics_output, &gnuplot_output, &gpu_columns_output, NULL,
};
const char *const output_names[] = {"text",        "csv",     "csv-matrix", "json", "html",
                                    "openmetrics", "gnuplot", "source",     NULL};
