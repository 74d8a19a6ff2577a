/*
 * The datasheet: what the findings say of each level, of address translation and of the cores, one
 * line each. What a finding means follows from its name (findings/registry.h), so a document of any
 * run, or of any other tool's table, fills as much of it as it can.
 */
#include "base/clean.h"
#include "render/parts.h"
#include "report/figure.h"
#include "report/levels.h"
#include "result/flag.h"

#include <math.h>
#include <string.h>

static double half_width(const struct finding *finding)
{
    double half = finding ? fabs((finding->high - finding->low) / 2 / finding->value) : NAN;
    return isfinite(half) ? half : -1;
}

/* A figure and its unit, each in its column, or as much blank. */
static void add_latency(struct line *line, const struct finding *finding)
{
    char figure[UNIT_TEXT] = "", unit[CLEAN_TEXT] = "";
    if (finding && isfinite(finding->value)) {
        figure_plain(finding->value, figure);
        clean_text(finding->unit, unit, 7);
    }
    line_add(line, " %7s %-6s", figure, unit);
}

static void add_value(struct line *line, int width, const struct finding *finding)
{
    char text[UNIT_TEXT] = "";
    if (finding)
        figure_valued(finding->value, finding->unit, text);
    line_add(line, " %*s", width, text);
}

static void add_percent(struct line *line, double half)
{
    char text[UNIT_TEXT], percent[UNIT_TEXT + 4] = "";
    if (half >= 0)
        snprintf(percent, sizeof percent, "+-%s %%", figure_percent(1, 1 - half, 1 + half, text));
    line_add(line, " %-8s", percent);
}

/* Which of the columns on the right any level fills. */
struct columns {
    bool facts[FACTS], declared;
};

/* "  order forward", and the line's end: behind the row where there is room, or else below it. */
static void print_experiment(FILE *out, const struct depth_table *table, const struct level *level,
                             size_t columns, const struct view_style *style)
{
    const size_t indent = (size_t)table->name_columns + 2;
    struct line words = {0};
    line_add_experiment(&words, level_example(level));
    if (words.length && columns + 2 + clean_columns(words.text) <= (size_t)style->width)
        fprintf(out, "  %s", words.text);
    fputc('\n', out);
    if (!words.length || columns + 2 + clean_columns(words.text) <= (size_t)style->width)
        return;
    fprintf(out, "%*s", (int)indent, "");
    line_print_wrapped(out, style, indent, &words);
}

static void print_level(FILE *out, const struct depth_table *table, const struct level *level,
                        const struct columns *columns, const struct view_style *style)
{
    struct line line = {0};
    char text[UNIT_TEXT], name[CLEAN_TEXT], geometry[CLEAN_TEXT];
    unsigned flags = 0;
    for (int i = 0; i < FACTS; i++)
        flags |= level->facts[i] ? level->facts[i]->flags : 0;
    line_add(&line, "  %-*s", table->name_columns, clean_text(level->name, name, sizeof name));
    add_latency(&line, level->facts[LATENCY]);
    add_latency(&line, level->facts[LATENCY_NS]);
    add_percent(&line,
                fmax(half_width(level->facts[LATENCY]), half_width(level->facts[LATENCY_NS])));
    if (columns->facts[CAPACITY])
        add_value(&line, 10, level->facts[CAPACITY]);
    double declared = level_declared_bytes(table->document, table->device, level);
    if (columns->declared)
        line_add(&line, " %9s", isfinite(declared) ? figure_valued(declared, "B", text) : "");
    for (enum fact fact = LINE; fact <= WAYS; fact++) {
        const struct finding *finding = level->facts[fact];
        geometry[0] = '\0';
        if (finding && isfinite(finding->value))
            snprintf(geometry, sizeof geometry, "%.0f", finding->value);
        if (columns->facts[fact])
            line_add(&line, " %5s", geometry);
    }
    line_trim(&line);
    fputs(line.text, out);
    if (flag_doubts(flags))
        fprintf(out, " %s!%s", ink(style, INK_WARN), ink(style, INK_PLAIN));
    print_experiment(out, table, level, clean_columns(line.text) + (flag_doubts(flags) ? 2 : 0),
                     style);
}

static void print_head(FILE *out, const struct depth_table *table, const struct columns *columns,
                       const struct view_style *style)
{
    /* Columns of a row beside the name: to the end of the first figure, of the interval. */
    enum { TO_FIGURE = 10, TO_INTERVAL = 41 };
    struct line line = {0};
    char clock[UNIT_TEXT];
    const int name = table->name_columns - (int)strlen(table->title);
    line_add(&line, "%*s", name + TO_FIGURE, "latency");
    if (table->clock_hz > 0 && table->clock_hz < 1e12)
        line_add(&line, " (%s %s)", table->clock, hertz_format(table->clock_hz, clock));
    line_add(&line, "%*s", name + TO_INTERVAL - (int)line.length, "");
    if (columns->facts[CAPACITY])
        line_add(&line, " %10s", "capacity");
    if (columns->declared)
        line_add(&line, " %9s", "declared");
    if (columns->facts[LINE])
        line_add(&line, " %5s", "line");
    if (columns->facts[WAYS])
        line_add(&line, " %5s", "ways");
    line_trim(&line);
    fprintf(out, "%s%s%s%s\n", ink(style, INK_BOLD), table->title, ink(style, INK_PLAIN),
            line.text);
}

void depth_table_print(FILE *out, const struct depth_table *table, const struct view_style *style)
{
    struct columns columns = {0};
    for (size_t i = 0; i < table->levels->count; i++) {
        const struct level *level = &table->levels->list[i];
        for (int fact = 0; fact < FACTS; fact++)
            columns.facts[fact] = columns.facts[fact] || level->facts[fact];
        columns.declared = columns.declared ||
                           isfinite(level_declared_bytes(table->document, table->device, level));
    }
    print_head(out, table, &columns, style);
    for (size_t i = 0; i < table->levels->count; i++)
        print_level(out, table, &table->levels->list[i], &columns, style);
    if (table->levels->left_out)
        fprintf(out, "  and %zu more values of other experiments, all in the document\n",
                table->levels->left_out);
}

void depth_print(FILE *out, const struct catalogue *catalogue, const struct view_style *style)
{
    const struct document *document = catalogue->documents[0];
    struct levels levels;
    struct depth_table table = {.document = document,
                                .device = -1,
                                .levels = &levels,
                                .title = "depth",
                                .clock = "core clock",
                                .clock_hz = document->conditions.core_hz,
                                .name_columns = 6};
    levels_collect(&levels, catalogue, 0, -1);
    if (levels.count == 0)
        return;
    fputc('\n', out);
    depth_table_print(out, &table, style);
    translation_print(out, catalogue, style);
}
