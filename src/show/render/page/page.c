#include "show/render/page/page.h"
#include "show/render/output.h"

#include <string.h>

enum { PAGE_PICTURE = 760 }; /* the width of a picture */

struct page {
    FILE *out;
    const struct document *const *documents;
    size_t count;
    double tolerance;
    struct report report;
    size_t figures; /* figures written so far */
};

/* --- probes: one section for each name, with all documents that have it --- */

/* Each newline begins a paragraph. */
static void put_about(FILE *out, const struct probe_result *probe)
{
    const char *rest = probe->about;
    if (!rest || !*rest)
        return;
    fputs("<details class=about><summary>What this shows, and what changes it</summary>\n", out);
    for (size_t paragraphs = 0; *rest && paragraphs < 8; paragraphs++) {
        char paragraph[HTML_TEXT_BYTES_MAX];
        size_t bytes = strcspn(rest, "\n"), kept = bytes;
        if (kept >= sizeof paragraph)
            kept = sizeof paragraph - 1;
        memcpy(paragraph, rest, kept);
        paragraph[kept] = '\0';
        rest += bytes + (rest[bytes] == '\n');
        if (*paragraph)
            html_print(out, "<p>%s</p>\n", paragraph);
    }
    fputs("</details>\n", out);
}

/* What the charts leave out, if the block says so. */
static void put_left_out(FILE *out, const struct block *block)
{
    if (block->section == SECTION_CHARTS && block->kind == BLOCK_FACTS)
        html_print(out, "<p>%s</p>\n", block->facts.more);
}

/* The picture, or where it would say no more than its values the claim alone, then every point. A
 * large table is inside <noscript>, which a browser with script treats as text; the script makes it
 * a table when it is opened, and without script it is one. `brief`: without the table, and of a
 * large matrix only the groups. */
static void put_figure(struct page *page, size_t heading, bool brief)
{
    enum { LIGHT_POINTS = 500 }; /* with more, parsing tables delays the opening of the page */
    const struct block *blocks = &page->report.list[heading];
    struct chart chart = chart_at(&page->report, heading);
    const size_t number = page->figures++;
    const char *title = blocks->heading.title, *axes = blocks->heading.text;
    size_t points = 0;
    FILE *out = page->out;
    chart.show = brief ? MATRIX_GROUPS : MATRIX_WHOLE;
    html_print(out,
               "<figure id=picture-%zu class=picture aria-labelledby=picture-%zu-title>\n"
               "<figcaption id=picture-%zu-title>%s",
               number, number, number, title);
    if (axes)
        html_print(out, " <small>%s</small>", axes);
    fputs("</figcaption>\n", out);
    if (chart_is_worth_drawing(&chart)) {
        html_print(out,
                   "<div class=\"scroll drawing\" tabindex=0 role=group aria-label=\"Picture: %s. "
                   "Arrow keys, Home and End read out its values.\">\n",
                   title);
        picture_write(out, &chart, PAGE_PICTURE, title);
        fputs("</div>\n<div class=tools><p class=readout aria-live=polite></p></div>\n", out);
    }
    if (brief) {
        fputs("</figure>\n", out);
        return;
    }
    for (size_t i = 0; i < chart.count; i++)
        points += chart.blocks[i].kind == BLOCK_CURVE ? chart.blocks[i].curve.series->point_count
                                                      : chart.blocks[i].matrix.series->point_count;
    fputs("<details class=table><summary>Table</summary>\n", out);
    fputs(points > LIGHT_POINTS ? "<noscript>" : "", out);
    for (size_t i = 0; i < chart.count; i++)
        html_points(out, &chart.blocks[i], page->report.pool);
    if (heading + chart.count + 1 < page->report.count && chart.blocks[chart.count].probe)
        put_left_out(out, &chart.blocks[chart.count]);
    fputs(points > LIGHT_POINTS ? "</noscript></details>\n</figure>\n" : "</details>\n</figure>\n",
          out);
}

/* The findings and the command of every document that has this probe; a document with two probes of
 * the name shows the first. */
static void put_results(struct page *page, const struct chapter *chapter)
{
    FILE *out = page->out;
    for (size_t i = 0; i < chapter->count; i++) {
        const size_t d = chapter->list[i].document;
        const struct document *document = page->documents[d];
        const struct probe_result *probe = chapter->list[i].probe;
        if (i > 0 && chapter->list[i - 1].document == d)
            continue;
        if (page->count > 1) {
            fputs("<h3>", out);
            html_document(out, page->documents, page->count, d);
            fputs("</h3>\n", out);
        }
        if (probe->status != PROBE_OK)
            html_print(out, "<p class=\"trust doubtful\"><strong>%s</strong> %s</p>\n",
                       probe_status_names[probe->status], probe->reason);
        if (probe->finding_count)
            html_findings(out, &page->report, d, probe);
        html_repeat(out, document, probe);
    }
}

/* What the first screen says of the chapter's probe; NULL: nothing. */
static const char *answer_of(const struct report *report, const struct probe_result *probe)
{
    for (size_t i = 0; i < report->count && !block_is_chart_heading(&report->list[i], 2); i++) {
        const struct facts *facts = &report->list[i].facts;
        for (size_t f = 0; report->list[i].kind == BLOCK_FACTS && f < facts->count; f++) {
            const struct finding *about = facts->list[f].about;
            if (about && probe->finding_count && about >= probe->findings &&
                about < probe->findings + probe->finding_count)
                return facts->list[f].text;
        }
    }
    return NULL;
}

/* A chapter of the charts, folded; beside its title stands its answer, or its first claim. */
static void put_section(struct page *page, size_t chapter, size_t number)
{
    FILE *out = page->out;
    const struct report *report = &page->report;
    const char *reason = report->list[chapter].probe->reason;
    size_t end = chapter + 1;
    while (end < report->count && !block_is_chart_heading(&report->list[end], 2))
        end++;
    const char *title = report->list[chapter].heading.title;
    const char *claim = answer_of(report, report->list[chapter].probe);
    if (!claim && end > chapter + 1 && report->list[chapter + 1].heading.text) /* not its axes */
        claim = report->list[chapter + 1].heading.title;
    claim = page->count == 1 ? claim : NULL; /* several documents say different things */
    html_print(out,
               "<section aria-labelledby=probe-%zu-title><details class=probe id=probe-%zu>\n"
               "<summary><h2 id=probe-%zu-title>%s</h2>",
               number, number, number, claim ? claim : title);
    if (claim)
        html_print(out, " <span>%s</span>", title);
    else if (end == chapter + 1)
        html_print(out, reason ? " <span>%s: %s</span>" : " <span>%s</span>",
                   probe_status_names[report->list[chapter].probe->status], reason);
    fputs("</summary>\n", out);
    put_about(out, report->list[chapter].probe);
    for (size_t i = chapter + 1; i < end; i++)
        if (block_is_chart_heading(&report->list[i], 3))
            put_figure(page, i, false);
    put_results(page, report->list[chapter].heading.chapter);
    fputs("</details></section>\n", out);
}

/* The first chart of that kind that is worth drawing; the number of blocks if there is none. */
static size_t lead_of(const struct report *report, enum block_kind kind)
{
    size_t i = 0;
    for (; i < report->count; i++)
        if (block_is_chart_heading(&report->list[i], 3)) {
            const struct chart chart = chart_at(report, i);
            if (chart.blocks->kind == kind && chart_is_worth_drawing(&chart))
                break;
        }
    return i;
}

static void put_columns(struct page *page, const char *class,
                        void (*put)(FILE *, const struct report *, size_t count, size_t index))
{
    if (page->count > 1)
        fputs("<div class=many tabindex=0 role=region aria-label=\"The documents, a column "
              "each\">\n",
              page->out);
    else
        fprintf(page->out, "<div class=%s>\n", class);
    for (size_t i = 0; i < page->count; i++)
        put(page->out, &page->report, page->count, i);
    fputs("</div>\n", page->out);
}

/* The summary: how reliable the documents are and what differs; the curve, the machine, the
 * datasheet, the matrix, and what has to be known. */
static void put_summary(struct page *page)
{
    FILE *out = page->out;
    const struct report *report = &page->report;
    const size_t curve = lead_of(report, BLOCK_CURVE), matrix = lead_of(report, BLOCK_MATRIX);
    if (page->count > 1) {
        fprintf(out, "<h1>%zu documents side by side</h1>\n", page->count);
        html_differences(out, &page->report, page->count, page->tolerance);
    }
    put_columns(page, "one", html_opening);
    fputs(page->count > 1 ? "<div>\n" : "<div class=summary>\n<div>\n", out);
    if (curve < report->count)
        put_figure(page, curve, true);
    put_columns(page, "one", html_sheet);
    if (page->count == 1) {
        html_use(out, report, 0);
        fputs("</div>\n<div>\n", out);
        html_machine(out, report, 1, 0);
        html_notes(out, report, 0);
        fputs("</div>\n", out);
    }
    fputs("</div>\n", out);
    if (matrix < report->count)
        put_figure(page, matrix, true);
    for (size_t i = 0; i < page->count && page->count > 1; i++) {
        fputs("<details class=probe><summary><h2>", out);
        html_document(out, page->documents, page->count, i);
        fputs("</h2> <span>the machine, and what to know</span></summary>\n", out);
        html_machine(out, report, page->count, i);
        html_use(out, report, i);
        html_notes(out, report, i);
        fputs("</details>\n", out);
    }
}

static void write_page(FILE *out, const struct output_content *content, struct pool *pool)
{
    struct page page = {.out = out,
                        .documents = content->documents,
                        .count = content->count,
                        .tolerance = content->tolerance};
    const struct report *report = &page.report;
    size_t sections = 0;
    report_build(&page.report, pool, page.documents, page.count, content->probe, true);
    report_add_charts(&page.report, page.count);
    struct line title = {0};
    for (size_t i = 0; i < page.count && i < 4; i++) {
        line_add(&title, "%s", i ? ", " : "");
        line_add_document(&title, page.documents, page.count, i);
    }
    html_head(page.out, title.text);
    /* Hidden: without the script the controls would do nothing. */
    fputs("<div class=controls id=controls hidden>\n"
          "<div class=choice role=group aria-label=Colours>"
          "<button type=button data-theme=light aria-pressed=false>light</button>"
          "<button type=button data-theme=auto aria-pressed=true>auto</button>"
          "<button type=button data-theme=dark aria-pressed=false>dark</button></div>\n"
          "</div>\n</header>\n",
          out);
    fputs("<main id=main tabindex=-1>\n", out);
    put_summary(&page);
    for (size_t i = 0; i < report->count; i++)
        if (block_is_chart_heading(&report->list[i], 2))
            put_section(&page, i, sections++);
    if (report->count && !report->list[report->count - 1].probe)
        put_left_out(out, &report->list[report->count - 1]);
    html_method(out, page.documents, page.count);
    fprintf(out,
            "</main>\n<footer><p>This page is one file and needs no network.</p></footer>\n"
            "<script>%s</script>\n</body>\n</html>\n",
            html_script);
}

const struct output html_output = {
    .name = "html",
    .help = "a page with charts and tables",
    .place = 50,
    .is_file = true,
    .takes_several = true,
    .write = write_page,
};
