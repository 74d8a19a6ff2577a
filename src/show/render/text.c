/* A document as lines of text, for a terminal or for programs that read a terminal's text. */
#include "base/clean.h"
#include "document/flag.h"
#include "show/render/output.h"
#include "show/render/parts.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { TITLE_BYTES = 64, NOTES_COLUMNS = 10 };

/* --- headings --- */

/* As many factors as fit the rest of the line, but at least those that distinguish the series from
 * others. */
static void add_factors(struct line *line, const struct heading *heading, size_t indent,
                        const struct text_style *style)
{
    for (size_t count = heading->factor_count; count > 0; count--) {
        struct line factors = {0};
        for (size_t i = 0; i < count; i++)
            line_add_factors(&factors, heading->factors[i], 1);
        const size_t columns = indent + clean_columns(line->text) + clean_columns(factors.text) + 3;
        if (count <= heading->telling || columns <= (size_t)style->width) {
            line_add(line, " (%s)", factors.text);
            return;
        }
    }
}

static void draw_warning(FILE *out, const char *warning, size_t indent,
                         const struct text_style *style)
{
    fprintf(out, "%*s%s! ", (int)indent - 2, "", ink(style, INK_WARN));
    draw_sentence(out, warning, indent, style);
    fputs(ink(style, INK_PLAIN), out);
}

static void draw_heading(FILE *out, const struct heading *heading, const struct text_style *style)
{
    char title[CLEAN_TEXT];
    const char *aside = heading->aside ? heading->aside : "";
    struct line line = {0};
    clean_text(heading->title, title, TITLE_BYTES);
    const size_t indent = clean_columns(title) + 2;
    fprintf(out, "%s%s%s%s", heading->level > 1 ? "\n" : "", ink(style, INK_BOLD), title,
            ink(style, INK_PLAIN));
    line_add_clean(&line, heading->text);
    add_factors(&line, heading, indent, style);
    /* The duration of the run is at the end of the line. */
    int gap = style->width - (int)(indent + clean_columns(line.text) + strlen(aside));
    /* Without room, its last part alone. */
    if (gap < 2 && strrchr(aside, ',')) {
        aside = strrchr(aside, ',') + 2;
        gap = style->width - (int)(indent + clean_columns(line.text) + strlen(aside));
    }
    if (*aside)
        line_add(&line, gap >= 2 ? "%*s%s" : "%.*s, %s", gap >= 2 ? gap : 0, "", aside);
    fputs(line.length || heading->level == 1 ? "  " : "\n", out);
    if (*aside && gap >= 2)
        fprintf(out, "%s\n", line.text);
    else if (line.length || heading->level == 1)
        text_print_wrapped(out, style, indent, line.text);
    if (heading->below)
        draw_sentence(out, heading->below, 0, style);
    if (heading->warning)
        draw_warning(out, heading->warning, indent, style);
}

/* --- grades: "GOOD  L1 L2 TLB      AS FOUND ~  DRAM      NOT MEASURED  numa" --- */

/* "L1(±11%) L3(others) bandwidth in-flight (too few trials)" */
static void add_grade(struct line *line, const struct document_verdict *verdict, enum grade grade)
{
    enum { LENGTH_ALONE = 120, LENGTH_BESIDE = 48 };
    const size_t length_most = verdict_count(verdict, grade) == 1 ? LENGTH_ALONE : LENGTH_BESIDE;
    for (size_t i = 0; i < verdict->family_count; i++) {
        const struct family *family = &verdict->families[i];
        if (family->grade != grade)
            continue;
        line_add_between(line, line->length ? " " : "", family->name, "");
        if (family->others)
            line_add(line, "(others)");
        else if (family->width > 0)
            line_add(line, "(±%.0f%%)", 100 * family->width);
        /* " (this machine has a single NUMA node)": a reason as far as it fits, up to a stop. */
        const char *why = verdict_reason(verdict, i);
        const char *skipped = "skipped: ";
        const char *begin =
            strncmp(why, skipped, strlen(skipped)) == 0 ? why + strlen(skipped) : why;
        size_t length = strcspn(begin, ";");
        while (length > length_most)
            for (length--; length && !strchr(":,", begin[length]);)
                length--;
        if (length)
            line_add(line, " (%.*s)", (int)length, begin);
    }
}

/* In one line if they fit, else a line for each grade. */
static void draw_verdict(FILE *out, const struct verdict_block *block,
                         const struct text_style *style)
{
    static const struct {
        const char *word;
        enum ink ink;
    } words[GRADES] = {[GRADE_GOOD] = {"GOOD  ", INK_GOOD},
                       [GRADE_AS_FOUND] = {"AS FOUND ~  ", INK_WARN},
                       [GRADE_NOT_MEASURED] = {"NOT MEASURED  ", INK_DIM}};
    enum { APART = 4 };
    struct line names[GRADES] = {{{0}}};
    size_t columns = 0;
    if (!block->grades || !block->grades->family_count) {
        fputs(ink(style, INK_BOLD), out);
        draw_sentence(out, block->sentence, 0, style);
        fputs(ink(style, INK_PLAIN), out);
        return;
    }
    for (int grade = 0; grade < GRADES; grade++) {
        add_grade(&names[grade], block->grades, (enum grade)grade);
        if (names[grade].length)
            columns += (columns ? APART : 0) + strlen(words[grade].word) +
                       clean_columns(names[grade].text);
    }
    const bool fits = columns <= (size_t)style->width;
    if (block->reserve)
        fprintf(out, "%s%s.%s\n", ink(style, INK_WARN), block->reserve, ink(style, INK_PLAIN));
    for (int grade = 0, begun = 0; grade < GRADES; grade++) {
        if (!names[grade].length)
            continue;
        const size_t length = strlen(words[grade].word);
        fprintf(out, "%*s%s%s%s", begun++ && fits ? APART : 0, "", ink(style, words[grade].ink),
                words[grade].word, ink(style, INK_PLAIN));
        if (fits)
            fputs(text_in_style(style, names[grade].text), out);
        else
            text_print_wrapped(out, style, length, names[grade].text);
    }
    fputs(fits ? "\n" : "", out);
}

/* --- facts and notes --- */

void draw_sentence(FILE *out, const char *sentence, size_t indent, const struct text_style *style)
{
    struct line line = {0};
    line_add_clean(&line, sentence);
    text_print_wrapped(out, style, indent, line.text);
}

void draw_more(FILE *out, const char *more, const struct text_style *style)
{
    if (!more)
        return;
    fputs("  ", out);
    draw_sentence(out, more, 2, style);
}

static void draw_facts(FILE *out, const struct facts *facts, bool apart,
                       const struct text_style *style)
{
    enum { LABEL_LEAST = 10 };
    int label = 0;
    fputs(facts->apart && apart ? "\n" : "", out);
    for (size_t i = 0; i < facts->count; i++)
        if (facts->list[i].label)
            label = (int)fmax(label, fmax(LABEL_LEAST, (double)strlen(facts->list[i].label) + 2));
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->list[i];
        char name[CLEAN_TEXT];
        struct line line = {0};
        line_add_clean(&line, fact->text);
        if (fact->note)
            line_add(&line, "  [%u]", fact->note);
        fprintf(out, "  %-*s", label, clean_text(fact->label, name, sizeof name));
        text_print_wrapped(out, style, 2 + (size_t)label, line.text);
    }
    draw_more(out, facts->more, style);
}

/* A numbered note as the first screen has it, or one in a list of all. */
static void draw_note(FILE *out, const struct note *note, bool listed, bool apart,
                      const struct text_style *style)
{
    struct line line = {0};
    /* A list of all shows flags by name, as documents do. */
    if (listed && note->flag >= 0)
        line_add(&line, "%s: ", flag_texts[note->flag].name);
    if (listed)
        line_add_note(&line, note);
    else {
        line_add_clean(&line, note->what);
        char *stop = strstr(line.text, ". ");
        if (stop && !note->remedy) { /* the first sentence */
            *stop = '\0';
            line.length = strlen(line.text);
        }
        line_add_between(&line, note->remedy ? "; " : "", note->remedy, "");
        if (note->kind == NOTE_DOUBT && note->flag < 0 && note->why)
            line_add_between(&line, ": ", note->why, "");
    }
    const size_t at = listed ? 2 : 2 + NOTES_COLUMNS;
    if (!listed && note->number == 1)
        fprintf(out, "%s  %-*s", apart ? "\n" : "", NOTES_COLUMNS, "notes");
    else
        fprintf(out, "%*s", (int)at, "");
    if (note->number)
        fprintf(out, "%s[%u]%s ", ink(style, INK_WARN), note->number, ink(style, INK_PLAIN));
    else
        fputs("-  ", out);
    text_print_wrapped(out, style, at + (note->number ? 4 : 3), line.text);
}

/* --- differences: "L1.latency: 5.00 cycles -> 6.00 cycles, +20 %" --- */

void line_add_percent(struct line *line, double ratio)
{
    const double percent = (ratio - 1) * 100;
    line_add(line, fabs(percent) < 9.95 ? "%+.1f" : "%+.0f", percent);
}

static void draw_value(FILE *out, const struct changed_value *value, enum answer answer,
                       const struct text_style *style)
{
    static const char marks[ANSWERS] = {
        [SAME] = '=', [CANT_TELL] = '?', [CHANGED] = '!', [CONDITION] = '-'};
    const bool changed = answer == CHANGED;
    char figure[UNIT_TEXT], after[CELL_TEXT];
    struct line line = {0};
    line_add_clean(&line, value->what);
    line_add(&line, ": %s -> %s, ", figure_valued(value->before.value, value->before.unit, figure),
             cell_text(&value->after, after));
    line_add_percent(&line, value->ratio);
    line_add(&line, " %%");
    if (isfinite(value->low) && isfinite(value->high)) {
        line_add(&line, " (");
        line_add_percent(&line, value->low);
        line_add(&line, " to ");
        line_add_percent(&line, value->high);
        line_add(&line, " %%)");
    } else {
        line_add(&line, " (no interval)");
    }
    fprintf(out, "  %s%c%s ", changed ? ink(style, INK_WARN) : "", marks[answer],
            changed ? ink(style, INK_PLAIN) : "");
    text_print_wrapped(out, style, 4, line.text);
    if (value->why) {
        fputs("    ", out);
        text_print_wrapped(out, style, 4, value->why);
    }
}

/* --- all blocks --- */

/* `listed`: it is below the heading of a list of all notes. `apart`: with blank lines above parts.
 */
static void draw_block(FILE *out, const struct block *block, bool listed, bool apart,
                       const struct text_style *style)
{
    switch (block->kind) {
    case BLOCK_VERDICT:
        draw_verdict(out, &block->verdict, style);
        break;
    case BLOCK_HEADING:
        draw_heading(out, &block->heading, style);
        break;
    case BLOCK_FACTS:
        draw_facts(out, &block->facts, apart, style);
        break;
    case BLOCK_TABLE:
        draw_table(out, &block->table, block->device >= 0, style);
        break;
    case BLOCK_CURVE:
        fputs(apart ? "\n" : "", out);
        draw_curve(out, &block->curve, style);
        break;
    case BLOCK_MATRIX:
        draw_matrix(out, &block->matrix, style);
        break;
    case BLOCK_NOTE:
        draw_note(out, &block->note, listed, apart, style);
        break;
    case BLOCK_DIFFERENCES:
        for (size_t i = 0; i < block->differences.count; i++)
            draw_value(out, &block->differences.list[i], block->differences.answer, style);
        if (block->differences.more)
            fprintf(out, "    %s\n", block->differences.more);
        break;
    }
}

static void draw_blocks(FILE *out, const struct report *report, enum spare most,
                        const struct text_style *style)
{
    bool listed = true;
    for (size_t i = 0; i < report->count; i++) {
        const enum block_kind before = i ? report->list[i - 1].kind : BLOCK_VERDICT;
        if (report->list[i].kind == BLOCK_NOTE && before != BLOCK_NOTE)
            listed = before == BLOCK_HEADING;
        struct block block = report->list[i];
        if (block.kind == BLOCK_NOTE && most < SPARE_REMEDY)
            block.note.remedy = NULL;
        if (block.kind == BLOCK_FACTS && block.facts.brief.text && most < SPARE_DECLARED) {
            block.facts.list = &block.facts.brief;
            block.facts.count = 1;
        }
        if (block.kind == BLOCK_MATRIX && block.spare > most)
            draw_more(out, block.matrix.clusters, style); /* in place of its numbers */
        if (block.spare <= most)
            draw_block(out, &block, listed, most >= SPARE_BLANKS, style);
    }
}

void draw_report(FILE *out, const struct report *report, const struct text_style *style)
{
    draw_blocks(out, report, SPARES, style);
}

/* --- a screen: at most so many lines, if need be without blocks that matter least --- */

/* Whether it has at most so many lines, without blocks above `most`. */
static bool fits(const struct report *report, enum spare most, size_t lines_most,
                 const struct text_style *style)
{
    enum { BYTES = 256 * 1024 }; /* more than a screen ever has */
    char *text = pool_alloc(report->pool, BYTES, 1);
    size_t lines = 0;
    FILE *out = fmemopen(text, BYTES, "w");
    if (!out)
        pool_leave(report->pool, ERROR_SYSTEM, "the screen can't be laid out: %s", strerror(errno));
    draw_blocks(out, report, most, style);
    const bool whole = fflush(out) == 0 && !ferror(out);
    fclose(out);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    pool_give_back(report->pool, text);
    return whole && lines <= lines_most;
}

void draw_screen(FILE *out, struct report *report, const struct output_content *content,
                 const struct text_style *style, struct pool *pool)
{
    enum { LINES_OF_ALL = 40, LINES_OF_ONE = 24 };
    const size_t lines = content->probe ? LINES_OF_ONE : LINES_OF_ALL;
    if (content->probe)
        report_build_answer(report, pool, content->documents, content->probe);
    else
        report_build(report, pool, content->documents, 1, NULL, false);
    enum spare most = SPARES;
    while (most > SPARE_NEEDED && !fits(report, most, lines, style))
        most = (enum spare)(most - 1);
    draw_blocks(out, report, most, style);
}

static void write_text(FILE *out, const struct output_content *content, struct pool *pool)
{
    const struct text_style style = text_style_sane(&content->style);
    struct report report;
    if (!content->points) {
        draw_screen(out, &report, content, &style, pool);
        return;
    }
    if (content->probe)
        report_build_probe(&report, pool, content->documents, content->probe);
    else
        report_build_all(&report, pool, content->documents);
    draw_report(out, &report, &style);
}

const struct output text_output = {
    .name = "text",
    .place = 10,
    .is_text = true,
    .write = write_text,
};

void render_sentence(FILE *out, const char *sentence, size_t indent,
                     const struct text_style *wanted)
{
    const struct text_style style = text_style_sane(wanted);
    draw_sentence(out, sentence, indent, &style);
}

void render_gpu(FILE *out, const struct gpu_facts *gpu, size_t indent,
                const struct text_style *wanted)
{
    const struct text_style style = text_style_sane(wanted);
    struct line line = {0};
    line_add_gpu(&line, gpu);
    text_print_wrapped(out, &style, indent, line.text);
    if (gpu && gpu_warning(gpu))
        draw_warning(out, gpu_warning(gpu), indent, &style);
}
