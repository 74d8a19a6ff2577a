/* Colours and texts of pictures, and the output that makes a file of one. */
#include "base/clean.h"
#include "show/render/output.h"
#include "show/render/picture/picture.h"
#include "show/report/names.h"

#include <math.h>
#include <string.h>

/* --- colours --- */

/* For light and for dark; web/assemble gives them to the page's style, too. */
static const struct {
    const char *light, *dark;
} inks[SVG_INKS] = {
    [SVG_PAPER] = {"#fcfcfa", "#14171a"},    [SVG_INK] = {"#1a1d21", "#e4e6e8"},
    [SVG_SOFT] = {"#5a626b", "#9aa3ad"},     [SVG_RULE] = {"#e3e4e0", "#2b3137"},
    [SVG_ACCENT] = {"#0a5fa8", "#6cb2f0"},   [SVG_LINE] = {"#0a5fa8", "#6cb2f0"},
    [SVG_LINE + 1] = {"#c44e00", "#f28e4b"}, [SVG_LINE + 2] = {"#0b7d5d", "#4cc9a0"},
    [SVG_LINE + 3] = {"#a33d84", "#e28cc6"}, [SVG_LINE + 4] = {"#8a6d00", "#d9bd45"},
    [SVG_LINE + 5] = {"#4b4fb8", "#a5a8ff"}, [SVG_LINE + 6] = {"#5f6770", "#b3bac2"},
    [SVG_LINE + 7] = {"#b0283a", "#ff8591"},
};

void svg_paint(FILE *out, enum svg_ink fill, enum svg_ink stroke)
{
    if (fill && stroke)
        fprintf(out, " class=\"f%d s%d\"", fill, stroke);
    else if (fill || stroke)
        fprintf(out, " class=\"%s%d\"", fill ? "f" : "s", fill ? (int)fill : (int)stroke);
    fprintf(out, " fill=\"%s\"", fill ? inks[fill].light : "none");
    if (stroke)
        fprintf(out, " stroke=\"%s\"", inks[stroke].light);
}

/* --- texts --- */

double svg_text_width(const char *text, double size)
{
    return (double)clean_columns(text ? text : "") * size * 0.56;
}

void svg_text(FILE *out, double x, double y, enum svg_ink ink, double size, enum svg_anchor anchor,
              const char *text)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%g\"%s", x, y, size, anchors[anchor]);
    svg_paint(out, ink, SVG_NONE);
    html_print(out, ">%s</text>\n", text);
}

/* --- charts --- */

bool block_is_chart_heading(const struct block *block, int level)
{
    return block->section == SECTION_CHARTS && block->kind == BLOCK_HEADING &&
           block->heading.level == level;
}

static bool is_drawing(const struct block *block)
{
    return block->section == SECTION_CHARTS &&
           (block->kind == BLOCK_CURVE || block->kind == BLOCK_MATRIX);
}

struct chart chart_at(const struct report *report, size_t heading)
{
    struct chart chart = {.report = report, .blocks = &report->list[heading + 1]};
    while (heading + chart.count + 1 < report->count && is_drawing(&chart.blocks[chart.count]))
        chart.count++;
    return chart;
}

bool chart_is_worth_drawing(const struct chart *chart)
{
    enum { FEW_POINTS = 4, FEW_ROWS = 3 };
    for (size_t i = 0; i < chart->count; i++) {
        const struct block *block = &chart->blocks[i];
        if (block->kind == BLOCK_MATRIX
                ? block->matrix.square && block->matrix.square->row_count >= FEW_ROWS
                : block->curve.series->point_count >= FEW_POINTS)
            return true;
    }
    return false;
}

/* The height that the chart takes at the canvas' width; *width: a matrix takes what it needs. */
static double size_of(const struct chart *chart, double *width)
{
    return chart->blocks->kind == BLOCK_MATRIX ? matrices_size(chart, width)
                                               : curves_height(chart, *width);
}

/* Draws at that place. */
static void put_picture(const struct canvas *canvas, const struct chart *chart, double left,
                        double top)
{
    (chart->blocks->kind == BLOCK_MATRIX ? matrices_put : curves_put)(canvas, chart, left, top);
}

static void begin(FILE *out, double width, double height)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" viewBox=\"0 0 %.0f %.0f\" "
            "width=\"%.0f\" height=\"%.0f\" font-family=\"system-ui, 'Segoe UI', Roboto, "
            "'Noto Sans', 'Liberation Sans', sans-serif\" role=\"img\"",
            width, height, width, height);
}

void picture_write(FILE *out, const struct chart *chart, double width, const char *label)
{
    const double height = size_of(chart, &width);
    begin(out, width, height);
    html_print(out, " aria-label=\"%s\">\n", label);
    put_picture(&(struct canvas){out, width, true}, chart, 0, 0);
    fputs("</svg>\n", out);
}

/* --- a file of its own --- */

enum { MARGIN = 18, TITLE = 16, SUBTITLE = 12 };

/* The line's first words that have room; returns the rest. */
static const char *put_words(FILE *out, const char *text, double y, double width)
{
    size_t end = strlen(text);
    char words[HTML_TEXT_BYTES_MAX];
    snprintf(words, sizeof words, "%s", text);
    end = strlen(words);
    while (svg_text_width(words, TITLE) > width && strrchr(words, ' ')) {
        end = (size_t)(strrchr(words, ' ') - words);
        words[end] = '\0';
    }
    fputs("<g font-weight=\"650\">", out);
    svg_text(out, MARGIN, y, SVG_INK, TITLE, SVG_START, words);
    fputs("</g>\n", out);
    return text + end + strspn(text + end, " ");
}

/* "AMD EPYC, 2 cores, KVM guest · 2026-11-21 04:18 UTC · fathom 0.2.0"; without a machine the name
 * of the document. */
static void add_origin(struct line *line, const struct document *const *documents, size_t count)
{
    char time[DOCUMENT_TIME];
    const struct machine_facts *machine = &documents[0]->machine;
    if (count == 1 && (machine->cpu_model || machine->cpu_arch || machine->cores))
        line_add_machine(line, machine);
    else if (count == 1)
        line_add_document(line, documents, count, 0);
    if (count == 1 && documents[0]->run.started)
        line_add(line, " · %s", document_time(documents[0]->run.started, time));
    if (documents[0]->tool.version)
        line_add_between(line, line->length ? " · fathom " : "fathom ", documents[0]->tool.version,
                         "");
}

static void put_file(FILE *out, const struct chart *chart, const struct heading *heading,
                     size_t documents)
{
    enum { WIDTH = 760 };
    double width = WIDTH;
    double y = MARGIN + TITLE;
    struct line origin = {0};
    const double inside = size_of(chart, &width);
    const double whole = fmax(width, WIDTH) + 2 * MARGIN;
    const bool two_lines = svg_text_width(heading->title, TITLE) > whole - 2 * MARGIN;
    const double above = MARGIN + TITLE * (two_lines ? 2.4 : 1) + SUBTITLE * 2.9;
    add_origin(&origin, chart->report->catalogue.documents, documents);
    begin(out, whole, above + inside + MARGIN);
    html_print(out, ">\n<title>%s</title>\n", heading->title);
    fputs("<style>@media (prefers-color-scheme:dark){", out);
    for (int ink = SVG_PAPER; ink < SVG_INKS; ink++)
        fprintf(out, ".f%d{fill:%s}.s%d{stroke:%s}", ink, inks[ink].dark, ink, inks[ink].dark);
    fputs("}</style>\n", out);
    fputs("<rect width=\"100%\" height=\"100%\" rx=\"8\"", out);
    svg_paint(out, SVG_PAPER, SVG_NONE);
    fputs("/>\n", out);
    const char *rest = put_words(out, heading->title, y, whole - 2 * MARGIN);
    if (*rest)
        put_words(out, rest, y += TITLE * 1.4, whole - 2 * MARGIN);
    svg_text(out, MARGIN, y + SUBTITLE * 1.7, SVG_SOFT, SUBTITLE, SVG_START, origin.text);
    put_picture(&(struct canvas){out, width, false}, chart, MARGIN, above);
    fputs("</svg>\n", out);
}

/* Whether `wanted` ("latency", "bandwidth.2") names the `number`th picture of the probe. */
static bool is_named(const char *wanted, const char *probe, size_t number)
{
    struct line line = {0};
    line_add_clean(&line, probe);
    if (number == 1 && strcmp(line.text, wanted) == 0)
        return true;
    line_add(&line, ".%zu", number);
    return strcmp(line.text, wanted) == 0;
}

/* The heading of the chart that is wanted; leaves if there is none. */
static size_t find_chart(struct report *report, const struct output_content *content,
                         struct pool *pool)
{
    struct line names = {0};
    size_t number = 0, listed = 0;
    report_begin(report, pool, content->documents, content->count);
    report_add_charts(report, content->count);
    for (size_t i = 0; i < report->count; i++) {
        number = block_is_chart_heading(&report->list[i], 2) ? 0 : number;
        if (!block_is_chart_heading(&report->list[i], 3))
            continue;
        struct chart chart = chart_at(report, i);
        const char *probe = report->list[i].probe->name;
        if (!chart_is_worth_drawing(&chart))
            continue;
        number++;
        if (!content->chart || is_named(content->chart, probe, number))
            return i;
        line_add(&names, "%s", listed++ ? ", " : "");
        line_add_clean(&names, probe);
        if (number > 1)
            line_add(&names, ".%zu", number);
    }
    if (listed)
        pool_leave(pool, ERROR_USAGE,
                   "there is no picture \"%s\" of this document: choose one of %s", content->chart,
                   names.text);
    pool_leave(pool, ERROR_USAGE,
               "--format svg draws curves and matrices, and this document has too few values for "
               "one: --format text has them");
}

static void has_chart(const struct output_content *content, struct pool *pool)
{
    struct report report;
    find_chart(&report, content, pool);
}

static void write_svg(FILE *out, const struct output_content *content, struct pool *pool)
{
    struct report report;
    const size_t heading = find_chart(&report, content, pool);
    struct chart chart = chart_at(&report, heading);
    chart.show = MATRIX_ONE;
    put_file(out, &chart, &report.list[heading].heading, content->count);
}

const struct output svg_output = {
    .name = "svg",
    .help = "a picture: the curve of latencies, or what --chart names",
    .place = 55,
    .is_file = true,
    .takes_several = true,
    .write = write_svg,
    .possible = has_chart,
};
