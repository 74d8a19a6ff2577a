#include "result/flag.h"
#include "views/clean.h"
#include "views/figure.h"
#include "views/parts.h"

#include <math.h>
#include <string.h>

/* Names of the flags, and the mark of a doubt before them. */
static void print_flags(FILE *out, const struct view_style *style, unsigned flags, bool brief)
{
    const char *separator = "";
    if (flag_doubts(flags))
        fprintf(out, "  %s!%s", ink(style, INK_WARN), ink(style, INK_PLAIN));
    else if (flags && !brief)
        fputs("   ", out);
    for (int i = 0; i < FLAG_COUNT && !brief; i++)
        if (flags & FLAG_BIT(i)) {
            fprintf(out, "%s%s", *separator ? separator : " ", flag_texts[i].name);
            separator = ", ";
        }
    fputc('\n', out);
}

static void print_point(FILE *out, const struct series *series, const struct point *point,
                        const struct view_style *style, bool cycles, bool brief)
{
    char x[UNIT_TEXT], y[UNIT_TEXT], percent[UNIT_TEXT];
    const struct summary *summary = &point->y;
    double divisor = figure_scale(series->y.unit).divisor;
    double half = summary->n > 1 ? 1 : NAN; /* one trial has no interval */
    fprintf(out, "%14s %10s %7s", figure_valued(point->x, series->x.unit, x),
            figure_plain(summary->median / divisor, y),
            figure_percent(summary->median * half, summary->low, summary->high, percent));
    summary = &point->cycles;
    if (cycles && summary->n > 0)
        fprintf(out, " %10s %7s", figure_plain(summary->median, y),
                figure_percent(summary->median * half, summary->low, summary->high, percent));
    else if (cycles)
        fprintf(out, " %10s %7s", "-", "-");
    if (!brief)
        fprintf(out, " %6zu", point->y.n);
    print_flags(out, style, point->flags, brief);
}

static bool is_power_of_four(double x)
{
    int exponent;
    return frexp(x, &exponent) == 0.5 && exponent % 2 == 1;
}

void table_print(FILE *out, const struct series *series, const struct view_style *style, bool brief)
{
    enum { BRIEF_ROWS = 12 };
    char name[CLEAN_TEXT], unit[CLEAN_TEXT];
    struct scale scale = figure_scale(series->y.unit);
    bool cycles = false;
    size_t powers = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        cycles = cycles || series->points[i].cycles.n > 0;
        powers += is_power_of_four(series->points[i].x);
    }
    if (series->point_count == 0) {
        fputs("  nothing was measured\n", out);
        return;
    }
    fprintf(out, "%s%14s %10s %7s", ink(style, INK_DIM),
            clean_text(series->x.name ? series->x.name : "x", name, 15),
            *scale.unit ? scale.unit : clean_text(series->y.unit, unit, 11), "+-%");
    if (cycles)
        fprintf(out, " %10s %7s", "cycles", "+-%");
    fprintf(out, "%s%s\n", brief ? "" : "      n", ink(style, INK_PLAIN));
    bool by_power = powers >= 4 && powers <= BRIEF_ROWS;
    size_t step = by_power ? 1 : (series->point_count + BRIEF_ROWS - 1) / BRIEF_ROWS;
    for (size_t i = 0; i < series->point_count; i++) {
        bool wanted = by_power ? is_power_of_four(series->points[i].x) : i % step == 0;
        if (wanted || !brief)
            print_point(out, series, &series->points[i], style, cycles, brief);
    }
}
