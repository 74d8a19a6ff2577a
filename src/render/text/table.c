#include "base/clean.h"
#include "render/parts.h"
#include "report/figure.h"
#include "result/flag.h"

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

/* What a table has beside x and the median with its interval. */
struct extras {
    bool cycles, count, range, names;
};

static void print_point(FILE *out, const struct series *series, const struct point *point,
                        const struct view_style *style, const struct extras *extras)
{
    char x[UNIT_TEXT], y[UNIT_TEXT], percent[UNIT_TEXT];
    const struct summary *summary = &point->y;
    double divisor = figure_scale(series->y.unit).divisor;
    double half = summary->n > 1 ? 1 : NAN; /* one trial has no interval */
    fprintf(out, "%14s %10s %7s", figure_place(point->x, series->x.unit, x),
            figure_plain(summary->median / divisor, y),
            figure_percent(summary->median * half, summary->low, summary->high, percent));
    if (extras->cycles && isfinite(point->cycles.median))
        fprintf(out, " %10s %7s", figure_plain(point->cycles.median, y),
                figure_percent(point->cycles.median * half, point->cycles.low, point->cycles.high,
                               percent));
    else if (extras->cycles)
        fprintf(out, " %10s %7s", "-", "-");
    if (extras->count)
        fprintf(out, " %6u", summary->n);
    if (extras->range) {
        fprintf(out, " %8s", figure_plain((double)summary->min / divisor, y));
        fprintf(out, " %8s", figure_plain((double)summary->max / divisor, y));
    }
    print_flags(out, style, point->flags, !extras->names);
}

/* 1 KiB, 16 KiB, 256 KiB, ...: few enough for one screen. */
static bool is_round(double x)
{
    int exponent;
    return frexp(x, &exponent) == 0.5 && exponent % 4 == 3;
}

void table_print(FILE *out, const struct series *series, const struct view_style *style, bool brief)
{
    enum { BRIEF_ROWS = 8, RANGE_ROWS = 16, NAMES_WIDTH = 110 };
    char name[CLEAN_TEXT], unit[CLEAN_TEXT];
    struct scale scale = figure_scale(series->y.unit);
    struct extras extras = {.count = !brief, .names = !brief};
    size_t rounds = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        extras.cycles = extras.cycles || isfinite(series->points[i].cycles.median);
        rounds += is_round(series->points[i].x);
    }
    /* Of a few points the range is worth more than the flags' names, which the notes repeat. */
    extras.range = !brief && series->point_count <= RANGE_ROWS;
    extras.names = !brief && (!extras.range || style->width >= NAMES_WIDTH);
    if (series->point_count == 0) {
        fputs("  nothing was measured\n", out);
        return;
    }
    fprintf(out, "%s%14s %10s %7s", ink(style, INK_DIM),
            clean_text(series->x.name ? series->x.name : "x", name, 15),
            *scale.unit ? scale.unit : clean_text(series->y.unit, unit, 11), "+-%");
    if (extras.cycles)
        fprintf(out, " %10s %7s", "cycles", "+-%");
    if (extras.count)
        fputs("      n", out);
    if (extras.range)
        fprintf(out, " %8s %8s", "min", "max");
    fprintf(out, "%s\n", ink(style, INK_PLAIN));
    bool by_round = rounds >= 4 && rounds <= BRIEF_ROWS;
    size_t step = by_round ? 1 : (series->point_count + BRIEF_ROWS - 1) / BRIEF_ROWS;
    for (size_t i = 0; i < series->point_count; i++) {
        bool wanted = by_round ? is_round(series->points[i].x) : i % step == 0;
        if (wanted || !brief)
            print_point(out, series, &series->points[i], style, &extras);
    }
}
