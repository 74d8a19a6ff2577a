#include "show/report/blocks.h"

#include "base/clean.h"
#include "base/quantity.h"
#include "conclude/registry/factors.h"
#include "show/report/figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct block *report_add(struct report *report, enum block_kind kind, enum section section,
                         size_t document, const struct probe_result *probe)
{
    struct block *block =
        pool_append(report->pool, (void **)&report->list, &report->count, sizeof *report->list);
    *block = (struct block){
        .kind = kind, .section = section, .document = document, .device = -1, .probe = probe};
    return block;
}

void report_spare(struct report *report, size_t first, enum spare spare)
{
    for (size_t i = first; i < report->count; i++)
        if (report->list[i].spare == SPARE_NEEDED)
            report->list[i].spare = spare;
}

struct heading *report_add_heading(struct report *report, enum section section, size_t document,
                                   const struct probe_result *probe, int level, const char *title)
{
    struct block *block = report_add(report, BLOCK_HEADING, section, document, probe);
    block->heading = (struct heading){.level = level, .title = title};
    return &block->heading;
}

struct note *report_add_note(struct report *report, enum section section, size_t document,
                             const struct probe_result *probe, enum note_kind kind,
                             const char *what)
{
    struct block *block = report_add(report, BLOCK_NOTE, section, document, probe);
    block->note = (struct note){.kind = kind, .flag = -1, .what = what};
    return &block->note;
}

const char *report_text(struct report *report, const char *format, ...)
{
    char text[sizeof(struct line)];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return pool_strdup(report->pool, text);
}

const char *report_line(struct report *report, const struct line *line)
{
    return line->length ? pool_strdup(report->pool, line->text) : NULL;
}

const char *report_experiment(struct report *report, const struct finding *finding)
{
    struct line words = {0};
    line_add_experiment(&words, finding);
    return report_line(report, &words);
}

struct fact *facts_add(struct report *report, struct facts *facts)
{
    return pool_append(report->pool, (void **)&facts->list, &facts->count, sizeof *facts->list);
}

void report_add_facts(struct report *report, enum section section, size_t document,
                      const char *title, const char *text, const struct facts *facts)
{
    if (!facts->count)
        return;
    if (title)
        report_add_heading(report, section, document, NULL, 2, title)->text = text;
    report_add(report, BLOCK_FACTS, section, document, NULL)->facts = *facts;
}

struct column *table_add_figures(struct report *report, struct table *table, const char *name,
                                 size_t least)
{
    struct column *column = pool_append(report->pool, (void **)&table->columns,
                                        &table->column_count, sizeof *table->columns);
    column->name = name;
    column->least = least;
    return column;
}

struct column *table_add_words(struct report *report, struct table *table, const char *name,
                               size_t least)
{
    struct column *column = table_add_figures(report, table, name, least);
    column->words = true;
    return column;
}

struct row *table_add_row(struct report *report, struct table *table)
{
    struct row *row =
        pool_append(report->pool, (void **)&table->rows, &table->row_count, sizeof *table->rows);
    row->cells = pool_alloc(report->pool, table->column_count + 1, sizeof *row->cells);
    return row;
}

struct cell cell_of_text(const char *text)
{
    return (struct cell){.form = FORM_TEXT, .text = text};
}

struct cell cell_of_value(double value, const char *unit, enum form form)
{
    return (struct cell){.form = form, .value = value, .low = NAN, .high = NAN, .unit = unit};
}

struct cell cell_of_finding(const struct finding *finding, enum form form)
{
    if (!finding)
        return cell_of_text(NULL);
    const bool good = finding_grade(finding, finding_meaning(finding).role) == GRADE_GOOD;
    /* A level holds at least what its misses begin at. */
    return (struct cell){.mark = !isfinite(finding->value)   ? '\0'
                                 : finding_is_bound(finding) ? '>'
                                 : good                      ? '\0'
                                                             : '~',
                         .form = form,
                         .value = finding->value,
                         .low = finding->low,
                         .high = finding->high,
                         .unit = finding->unit,
                         .flags = finding->flags,
                         .finding = finding};
}

static char *bare_text(const struct cell *cell, char text[CELL_TEXT])
{
    char figure[UNIT_TEXT], unit[CELL_TEXT - UNIT_TEXT - 2];
    switch (cell->form) {
    case FORM_TEXT:
        return clean_text(cell->text, text, CELL_TEXT);
    case FORM_VALUE:
        /* A whole count is shown without decimals. */
        if (quantity_is(cell->unit, DIMENSION_NUMBER) && fabs(cell->value) < 1e9 &&
            !(fabs(cell->value - floor(cell->value)) > 0))
            snprintf(figure, sizeof figure, "%.0f", cell->value);
        else
            figure_valued(cell->value, cell->unit, figure);
        clean_text(figure_has_unit(cell->unit) ? NULL : cell->unit, unit, sizeof unit);
        break;
    case FORM_MEASURED:
        figure_plain(cell->value, figure);
        clean_text(cell->unit, unit, sizeof unit);
        break;
    case FORM_NUMBER:
        return figure_plain(cell->value / figure_scale(cell->unit).divisor, text);
    case FORM_WHOLE:
        snprintf(text, CELL_TEXT, isfinite(cell->value) ? "%.0f" : "-", cell->value);
        return text;
    case FORM_PLACE:
        return figure_place(cell->value, cell->unit, text);
    case FORM_PERCENT:
        return figure_percent(cell->value, cell->low, cell->high, text);
    case FORM_SHARE:
        snprintf(text, CELL_TEXT, "%.0f %%", 100 * cell->value);
        return text;
    }
    snprintf(text, CELL_TEXT, "%s%s%s", figure, *unit && isfinite(cell->value) ? " " : "",
             isfinite(cell->value) ? unit : "");
    return text;
}

char *cell_text(const struct cell *cell, char text[CELL_TEXT])
{
    bare_text(cell, text);
    if (cell->mark && strlen(text) + 1 < CELL_TEXT) {
        memmove(text + 1, text, strlen(text) + 1);
        *text = cell->mark;
    }
    return text;
}

double cell_half(const struct cell *cell)
{
    const double half = fabs((cell->high - cell->low) / 2 / cell->value);
    return (cell->form == FORM_VALUE || cell->form == FORM_MEASURED) && isfinite(half) ? half : NAN;
}

bool cell_is_empty(const struct cell *cell)
{
    return cell->form == FORM_TEXT && !cell->text;
}

char *change_text(double ratio, char text[CELL_TEXT])
{
    const double change = ratio - 1;
    if (!isfinite(change))
        *text = '\0';
    else if (fabs(change) >= 9.995)
        snprintf(text, CELL_TEXT, "× %.3g", ratio);
    else
        snprintf(text, CELL_TEXT, "%s%.1f %%", change < 0 ? "−" : "+", fabs(change) * 100);
    return text;
}

void line_add_note(struct line *line, const struct note *note)
{
    line_add_clean(line, note->what);
    if (note->whom)
        line_add_between(line, " (", note->whom, ")");
    if (note->why)
        line_add_between(line, ": ", note->why, "");
    if (note->remedy)
        line_add_between(line, note->why ? "; " : ": ", note->remedy, "");
}
