/* A matrix as it is drawn: cells of numbers or of colours. Not for use outside of render. */
#ifndef FATHOM_SHOW_RENDER_TEXT_MATRIX_H
#define FATHOM_SHOW_RENDER_TEXT_MATRIX_H

#include "show/render/render.h"
#include "show/report/blocks.h"
#include "show/report/figure.h"

/* The least and the greatest value of a matrix, and how values are shown. */
struct values {
    double least, most;
    struct scale scale;
    char unit[24]; /* inert */
    const char *absent;
};
struct values values_of(const struct matrix *);

/* As numbers, where they fit the width; of groups with their ranges, if these fit too, and with
 * what a number of them is. False, with nothing written, where they don't fit. */
bool square_print(FILE *, const struct square *, const struct values *, const struct text_style *);
/* As colours or shades, several pairs in a cell where it takes that to fit the width, and what they
 * mean. */
void square_print_heat(FILE *, const struct square *, const struct values *,
                       const struct text_style *);

#endif
