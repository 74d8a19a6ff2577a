/* A matrix as lines of text: every pair where they fit, or else groups of CPUs or colours; on the
 * first screen how many pairs there are of each value. */
#include "show/render/text/matrix.h"

#include "base/clean.h"
#include "show/render/parts.h"
#include "show/render/text/draw.h"

#include <math.h>
#include <string.h>

struct values values_of(const struct matrix *matrix)
{
    struct values values = {.least = matrix->least,
                            .most = matrix->most,
                            .scale = figure_scale(matrix->series->y.unit),
                            .absent = matrix->absent};
    clean_text(figure_unit(matrix->series->y.unit), values.unit, 16);
    return values;
}

/* Pairs by value, so that groups (siblings, a shared cache, another socket) stand out. */
static void print_distribution(FILE *out, const struct series *series, const struct values *values,
                               const struct text_style *style)
{
    enum { BINS = 48, BINS_MIN = 8 };
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char words[] = "pairs by value";
    size_t counts[BINS] = {0}, most = 0;
    const double low = values->least, high = values->most, divisor = values->scale.divisor;
    if (!style->blocks || !(low > 0) || !(high > low))
        return;
    char least[UNIT_TEXT], greatest[UNIT_TEXT];
    const int decimals = square_decimals(high / divisor);
    snprintf(least, sizeof least, "%.*f", decimals, low / divisor);
    snprintf(greatest, sizeof greatest, "%.*f", decimals, high / divisor);
    const size_t used = 2 + strlen(least) + 1 + 1 + strlen(greatest) + 2 + strlen(words);
    const size_t room = (size_t)style->width > used ? (size_t)style->width - used : 0;
    const size_t bins = room < BINS_MIN ? BINS_MIN : room < BINS ? room : BINS;
    for (size_t i = 0; i < series->point_count; i++) {
        double share = log(series->points[i].y.median / low) / log(high / low);
        if (!(share >= 0))
            continue;
        size_t bin = share >= 1 ? bins - 1 : (size_t)(share * (double)bins);
        if (++counts[bin] > most)
            most = counts[bin];
    }
    fprintf(out, "  %s ", least);
    for (size_t bin = 0; bin < bins; bin++) {
        /* A single pair among thousands still shows. */
        double height = ceil(sqrt((double)counts[bin] / (double)most) * 8);
        ink_ramp(out, style, (double)bin / (double)(bins - 1));
        fputs(blocks[(size_t)height], out);
    }
    fprintf(out, "%s %s  %s\n", ink(style, INK_PLAIN), greatest, words);
}

/* Every pair: as numbers where these fit; by as many groups of CPUs as fit, or in colours. */
static void print_whole(FILE *out, const struct matrix *matrix, const struct values *values,
                        const struct text_style *style)
{
    if (square_print(out, matrix->square, values, style))
        return;
    bool grouped = false;
    for (size_t i = 0; i < matrix->grouping_count && !grouped; i++)
        grouped = square_print(out, matrix->groupings[i], values, style);
    if (!grouped)
        square_print_heat(out, matrix->square, values, style);
    fputs("  ", out);
    draw_sentence(out, "Every number: fathom report -f csv-matrix FILE", 2, style);
}

static void print_sentence(FILE *out, const char *sentence, const struct text_style *style)
{
    if (!sentence)
        return;
    fputs("  ", out);
    draw_sentence(out, sentence, 2, style);
}

/* The closing line, and behind it or below what was measured of a few pairs. */
static void print_end(FILE *out, const struct matrix *matrix, const struct text_style *style)
{
    struct line line = {0};
    line_add_clean(&line, matrix->closing);
    for (size_t i = 0; i < matrix->other_count; i++) {
        struct line other = {0};
        line_add(&other, "  ");
        line_add_clean(&other, matrix->others[i]);
        if (clean_columns(line.text) + clean_columns(other.text) <= (size_t)style->width) {
            line_add(&line, "%s", other.text);
            continue;
        }
        line_print(out, style, &line);
        line = other;
    }
    line_print(out, style, &line);
}

void draw_matrix(FILE *out, const struct matrix *matrix, const struct text_style *style)
{
    enum { BRIEF_ROWS = 16 };
    const struct values values = values_of(matrix);
    const bool is_small = matrix->square && matrix->square->row_count <= BRIEF_ROWS;
    if (matrix->whole && matrix->square)
        print_whole(out, matrix, &values, style);
    else if (matrix->whole)
        draw_table(out, &matrix->pairs, false, style);
    else if (!is_small || !square_print(out, matrix->square, &values, style))
        print_distribution(out, matrix->series, &values, style);
    print_sentence(out, matrix->missing, style);
    print_sentence(out, matrix->spread, style);
    print_sentence(out, matrix->scatter, style);
    print_end(out, matrix, style);
    print_sentence(out, matrix->clusters, style);
}
