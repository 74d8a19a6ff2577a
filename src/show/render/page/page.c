#include "show/render/page/page.h"
#include "show/render/output.h"

#include <string.h>

struct page {
    FILE *out;
    const struct document *const *documents;
    size_t count;
    double threshold;
    struct report report;
    size_t figures; /* figures written so far */
};

static void put_head(const struct page *page)
{
    struct line title = {0};
    FILE *out = page->out;
    for (size_t i = 0; i < page->count && i < 4; i++) {
        line_add(&title, "%s", i ? ", " : "");
        line_add_document(&title, page->documents, page->count, i);
    }
    fputs("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n", out);
    fprintf(out, "<meta http-equiv=Content-Security-Policy content=\"%s\">\n", html_policy);
    html_print(out,
               "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
               "<meta name=color-scheme content=\"light dark\">\n"
               "<meta name=referrer content=no-referrer>\n<title>fathom: %s</title>\n",
               title.text);
    fprintf(out, "<style>%s</style>\n</head>\n<body>\n", html_style);
}

/* Hidden: without the script the controls would do nothing. */
static void put_controls(FILE *out)
{
    fputs("<a class=skip href=#main>Skip to the figures</a>\n<header class=bar>\n"
          "<p class=brand>fathom<span> memory depth</span></p>\n"
          "<div class=controls id=controls hidden>\n"
          "<div class=choice role=group aria-label=\"Unit of latency\">"
          "<button type=button data-unit=time aria-pressed=true>ns</button>"
          "<button type=button data-unit=cycles aria-pressed=false>cycles</button></div>\n"
          "<div class=choice role=group aria-label=Colours>"
          "<button type=button data-theme=light aria-pressed=false>light</button>"
          "<button type=button data-theme=auto aria-pressed=true>auto</button>"
          "<button type=button data-theme=dark aria-pressed=false>dark</button></div>\n"
          "</div>\n</header>\n",
          out);
}

/* --- probes: one section for each name, with all documents that have it --- */

static void put_contents(const struct page *page)
{
    size_t number = 0;
    fputs("<nav aria-label=Measurements><ul>\n", page->out);
    if (page->count > 1)
        fputs("<li><a href=#differences>Differences</a>\n", page->out);
    for (size_t i = 0; i < page->report.count; i++)
        if (block_is_chart_heading(&page->report.list[i], 2))
            html_print(page->out, "<li><a href=#probe-%zu>%s</a>\n", number++,
                       page->report.list[i].heading.title);
    fputs("<li><a href=#method>How it was measured</a>\n</ul></nav>\n", page->out);
}

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

/* With the description of the probe `about`, unless NULL. A large table is inside <noscript>, which
 * a browser with script treats as text; the script makes it a table when it is opened, and without
 * script it is one. */
static void put_figure(struct page *page, size_t heading, const struct probe_result *about)
{
    const struct block *blocks = &page->report.list[heading];
    const size_t last = chart_at(&page->report, heading).count, number = page->figures++;
    enum { LIGHT_POINTS = 500 }; /* with more, parsing tables delays the opening of the page */
    size_t points = 0;
    for (size_t i = 1; i <= last; i++)
        points += blocks[i].kind == BLOCK_CURVE ? blocks[i].curve.series->point_count
                                                : blocks[i].matrix.series->point_count;
    const bool heavy = points > LIGHT_POINTS;
    FILE *out = page->out;
    html_print(out,
               "<figure id=picture-%zu class=picture aria-labelledby=picture-%zu-title>\n"
               "<figcaption id=picture-%zu-title>%s</figcaption>\n<div class=drawing></div>\n"
               "<details class=table><summary>Table</summary>\n",
               number, number, number,
               blocks->heading.text ? blocks->heading.text : blocks->heading.title);
    fputs(heavy ? "<noscript>" : "", out);
    for (size_t i = 1; i <= last; i++)
        html_points(out, &blocks[i], page->report.pool);
    if (heading + last + 1 < page->report.count && blocks[last + 1].probe)
        put_left_out(out, &blocks[last + 1]);
    fputs(heavy ? "</noscript></details>\n" : "</details>\n", out);
    if (about)
        put_about(out, about);
    fputs("</figure>\n", out);
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

/* The first chart of the report; the number of blocks if there is none. */
static size_t lead_of(const struct page *page)
{
    size_t i = 0;
    while (i < page->report.count && !block_is_chart_heading(&page->report.list[i], 3))
        i++;
    return i;
}

/* A chapter of the charts. The report's first figure is at the top of the page, with its probe's
 * description. */
static void put_section(struct page *page, size_t chapter, size_t number)
{
    FILE *out = page->out;
    const struct probe_result *probe = page->report.list[chapter].probe;
    const struct probe_result *about = probe; /* NULL once its description is written */
    html_print(out,
               "<section class=probe id=probe-%zu aria-labelledby=probe-%zu-title>\n"
               "<h2 id=probe-%zu-title>%s</h2>\n",
               number, number, number, page->report.list[chapter].heading.title);
    for (size_t i = chapter + 1;
         i < page->report.count && !block_is_chart_heading(&page->report.list[i], 2); i++) {
        if (!block_is_chart_heading(&page->report.list[i], 3))
            continue;
        if (i != lead_of(page))
            put_figure(page, i, about);
        else
            fputs("<p><a href=#picture-0>Its first chart is at the top of the page.</a></p>\n",
                  out);
        about = NULL;
    }
    if (about)
        put_about(out, about);
    put_results(page, page->report.list[chapter].heading.chapter);
    fputs("</section>\n", out);
}

/* The first screen: how reliable the document is, the machine, the curve, the datasheet. Several
 * documents are columns. */
static void put_first_screen(struct page *page)
{
    FILE *out = page->out;
    const char *columns = page->count > 1 ? "<div class=many tabindex=0 role=region "
                                            "aria-label=\"The documents, a column each\">\n"
                                          : "<div>\n";
    if (page->count > 1)
        fprintf(out, "<h1>%zu documents side by side</h1>\n", page->count);
    fputs(columns, out);
    for (size_t i = 0; i < page->count; i++)
        html_opening(out, &page->report, page->count, i);
    fputs("</div>\n", out);
    const size_t lead = lead_of(page);
    if (lead < page->report.count) {
        fputs("<noscript><p class=\"trust doubtful\">Script is off, so no chart is drawn; the "
              "tables hold the same values.</p></noscript>\n",
              out);
        put_figure(page, lead, page->report.list[lead].probe);
    }
    fputs(columns, out);
    for (size_t i = 0; i < page->count; i++)
        html_sheet(out, &page->report, page->count, i);
    fputs("</div>\n", out);
}

static void write_page(FILE *out, const struct output_content *content, struct pool *pool)
{
    struct page page = {.out = out,
                        .documents = content->documents,
                        .count = content->count,
                        .threshold = content->threshold};
    const struct report *report = &page.report;
    size_t sections = 0;
    report_build(&page.report, pool, page.documents, page.count, content->probe);
    report_add_charts(&page.report, page.count);
    put_head(&page);
    put_controls(out);
    fputs("<main id=main tabindex=-1>\n", out);
    put_first_screen(&page);
    put_contents(&page);
    if (page.count > 1)
        html_differences(out, &page.report, page.count, page.threshold);
    for (size_t i = 0; i < report->count; i++)
        if (block_is_chart_heading(&report->list[i], 2))
            put_section(&page, i, sections++);
    if (report->count && !report->list[report->count - 1].probe)
        put_left_out(out, &report->list[report->count - 1]);
    html_method(out, page.documents, page.count);
    fputs("</main>\n<footer><p>This page is one file and needs no network.</p></footer>\n<script "
          "type=application/json id=data>",
          out);
    html_data(out, report);
    fprintf(out, "</script>\n<script>%s</script>\n</body>\n</html>\n", html_script);
}

const struct output html_output = {
    .name = "html",
    .help = "a page with charts and tables",
    .place = 50,
    .is_file = true,
    .takes_several = true,
    .write = write_page,
};
