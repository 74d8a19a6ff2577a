#include "render/page/page.h"
#include "base/clean.h"
#include "findings/device.h"
#include "quantity/quantity.h"
#include "render/output.h"
#include "report/figure.h"
#include "report/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A probe of a document. */
struct placed {
    const struct probe_result *probe;
    size_t document;
};

/* Those of one name, in the order of the documents. */
struct chapter {
    const struct placed *list;
    size_t count;
};

struct page {
    FILE *out;
    const struct document *const *documents;
    size_t count;
    double threshold;
    struct pictures pictures;
    size_t lead; /* the picture that stands at the top; the count of them where there is none */
    struct report report;
    struct chapter *sections;
    size_t section_count;
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
    fputs("<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=color-scheme content=\"light dark\">\n"
          "<meta name=referrer content=no-referrer>\n<title>fathom: ",
          out);
    html_text(out, title.text);
    fprintf(out, "</title>\n<style>%s</style>\n</head>\n<body>\n", html_style);
}

/* Each control has a meaning without script too: it is not there. */
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

/* --- probes: one section for each name, however many documents have it --- */

static int by_name(const void *a, const void *b)
{
    const struct placed *left = a, *right = b;
    int order = strcmp(left->probe->name, right->probe->name);
    if (!order && left->document != right->document)
        return left->document > right->document ? 1 : -1;
    return order ? order : (left->probe > right->probe) - (left->probe < right->probe);
}

static int as_they_stand(const void *a, const void *b)
{
    const struct placed *left = ((const struct chapter *)a)->list;
    const struct placed *right = ((const struct chapter *)b)->list;
    if (left->document != right->document)
        return left->document > right->document ? 1 : -1;
    return (left->probe > right->probe) - (left->probe < right->probe);
}

/* In the order of the first document that has each. False without memory. */
static bool collect_sections(struct page *page, struct pool *pool)
{
    size_t all = 0, count = 0;
    for (size_t d = 0; d < page->count; d++)
        all += page->documents[d]->probe_count;
    struct placed *list = pool_alloc(pool, all + 1, sizeof *list);
    page->sections = pool_alloc(pool, all + 1, sizeof *page->sections);
    if (!list || !page->sections)
        return false;
    for (size_t d = 0; d < page->count; d++)
        for (size_t p = 0; p < page->documents[d]->probe_count; p++)
            list[count++] = (struct placed){&page->documents[d]->probes[p], d};
    qsort(list, count, sizeof *list, by_name);
    for (size_t i = 0; i < count; i++) {
        const bool more = i > 0 && strcmp(list[i - 1].probe->name, list[i].probe->name) == 0;
        if (!more)
            page->sections[page->section_count++] = (struct chapter){.list = &list[i]};
        page->sections[page->section_count - 1].count++;
    }
    qsort(page->sections, page->section_count, sizeof *page->sections, as_they_stand);
    return true;
}

static const char *title_of(const struct probe_result *probe)
{
    return probe->title && *probe->title ? probe->title : probe->name;
}

static void put_link(const struct page *page, const struct probe_result *probe, size_t number)
{
    fprintf(page->out, "<li><a href=#probe-%zu>", number);
    html_text(page->out, title_of(probe));
    fputs("</a>\n", page->out);
}

static void put_contents(const struct page *page)
{
    fputs("<nav aria-label=Measurements><ul>\n", page->out);
    if (page->count > 1)
        fputs("<li><a href=#differences>Differences</a>\n", page->out);
    for (size_t i = 0; i < page->section_count; i++)
        put_link(page, page->sections[i].list->probe, i);
    fputs("<li><a href=#method>How it was measured</a>\n</ul></nav>\n", page->out);
}

/* A newline begins a paragraph. */
static void put_about(FILE *out, const struct probe_result *probe)
{
    const char *rest = probe->about;
    if (!rest || !*rest)
        return;
    fputs("<details class=about><summary>What this shows, and what moves it</summary>\n", out);
    for (size_t paragraphs = 0; *rest && paragraphs < 8; paragraphs++) {
        char paragraph[HTML_TEXT_BYTES_MAX];
        size_t bytes = strcspn(rest, "\n"), kept = bytes;
        if (kept >= sizeof paragraph)
            kept = sizeof paragraph - 1;
        memcpy(paragraph, rest, kept);
        paragraph[kept] = '\0';
        rest += bytes + (rest[bytes] == '\n');
        if (!*paragraph)
            continue;
        fputs("<p>", out);
        html_text(out, paragraph);
        fputs("</p>\n", out);
    }
    fputs("</details>\n", out);
}

static void put_picture_title(const struct page *page, const struct picture *picture)
{
    const struct series *series = picture->members[0].series;
    struct line line = {0};
    line_add_subject(&line, picture);
    line_add_clean(&line, series->y.name ? series->y.name : "value");
    if (series->matrix) {
        line_add(&line, " from ");
        line_add_clean(&line, device_has_series(series) && series->x.name ? series->x.name
                                                                          : "row to column");
        line_add(&line, ": ");
        line_add_clean(&line, series->name);
        for (size_t i = 0; i < series->factor_count; i++)
            if (!device_factor_is_named(series, &series->factors[i]))
                line_add_factors(&line, &series->factors[i], 1);
    } else {
        line_add(&line, " by ");
        line_add_clean(&line, series->x.name ? series->x.name : "x");
    }
    html_text(page->out, line.text);
}

/* Whether parsing the tables would hold up the opening of the page. */
static bool is_heavy(const struct picture *picture)
{
    enum { LIGHT_POINTS = 500 };
    size_t points = 0;
    for (size_t i = 0; i < picture->member_count; i++)
        points += picture->members[i].series->point_count;
    return points > LIGHT_POINTS;
}

/* With what the probe `about` says of itself, unless it is NULL. A heavy table stands in
 * <noscript>, which a browser with script takes as text; the script makes it a table when it is
 * opened, and without script it is one. */
static void put_picture(struct page *page, size_t index, const struct probe_result *about)
{
    const struct picture *picture = &page->pictures.list[index];
    const bool heavy = is_heavy(picture);
    FILE *out = page->out;
    fprintf(out, "<figure id=picture-%zu class=picture aria-labelledby=picture-%zu-title>\n", index,
            index);
    fprintf(out, "<figcaption id=picture-%zu-title>", index);
    put_picture_title(page, picture);
    fputs("</figcaption>\n<div class=drawing></div>\n<details class=table><summary>Table</summary>"
          "\n",
          out);
    fputs(heavy ? "<noscript>" : "", out);
    if (!html_tables(out, picture, page->documents, page->count))
        page->report.no_memory = true;
    fputs(heavy ? "</noscript></details>\n" : "</details>\n", out);
    if (about)
        put_about(out, about);
    fputs("</figure>\n", out);
}

/* Findings and the way to repeat it, of every document that has this probe. */
static void put_results(struct page *page, const struct chapter *section)
{
    FILE *out = page->out;
    for (size_t i = 0; i < section->count; i++) {
        const size_t d = section->list[i].document;
        const struct document *document = page->documents[d];
        const struct probe_result *probe = section->list[i].probe;
        if (i > 0 && section->list[i - 1].document == d)
            continue; /* of one name the first one of a document */
        if (page->count > 1) {
            fputs("<h3>", out);
            html_document(out, page->documents, page->count, d);
            fputs("</h3>\n", out);
        }
        if (probe->status != PROBE_OK) {
            fprintf(out, "<p class=\"trust doubtful\"><strong>%s</strong> ",
                    probe_status_names[probe->status]);
            html_text(out, probe->reason);
            fputs("</p>\n", out);
        }
        if (probe->finding_count)
            html_findings(out, &page->report, d, probe);
        html_repeat(out, document, probe);
    }
}

/* Whether a picture of the probe stands at the top. */
static bool leads(const struct page *page, const struct probe_result *probe)
{
    return page->lead < page->pictures.count &&
           strcmp(page->pictures.list[page->lead].probe, probe->name) == 0;
}

static void put_probe(struct page *page, const struct chapter *section, size_t number)
{
    FILE *out = page->out;
    const struct probe_result *probe = section->list->probe;
    fprintf(out,
            "<section class=probe id=probe-%zu aria-labelledby=probe-%zu-title>\n"
            "<h2 id=probe-%zu-title>",
            number, number, number);
    html_text(out, title_of(probe));
    fputs("</h2>\n", out);
    const struct probe_result *about = probe; /* until it has been said */
    if (leads(page, probe)) {
        fprintf(out, "<p><a href=#picture-%zu>The first chart of it stands above.</a></p>\n",
                page->lead);
        about = NULL;
    }
    for (size_t i = 0; i < page->pictures.count; i++)
        if (i != page->lead && strcmp(page->pictures.list[i].probe, probe->name) == 0) {
            put_picture(page, i, about);
            about = NULL;
        }
    if (about)
        put_about(out, about);
    put_results(page, section);
    fputs("</section>\n", out);
}

/* The curve that the levels were read off; without one the first picture. */
static size_t lead_of(const struct page *page)
{
    for (size_t i = 0; i < page->pictures.count; i++) {
        const struct member *member = &page->pictures.list[i].members[0];
        const struct catalogue_entry *list =
            catalogue_of(&page->report.catalogue, member->document, member->probe);
        if (member->series->matrix || !quantity_is(member->series->x.unit, DIMENSION_SIZE))
            continue;
        for (size_t f = 0; f < member->probe->finding_count; f++)
            if (list[f].meaning.role == ROLE_LEVEL)
                return i;
    }
    return 0;
}

static void put_lead(struct page *page)
{
    if (page->lead == page->pictures.count)
        return;
    fputs("<noscript><p class=\"trust doubtful\">Script is off, so no chart is drawn; the tables "
          "say the same.</p></noscript>\n",
          page->out);
    put_picture(page, page->lead, page->pictures.list[page->lead].members[0].probe);
}

/* What there is to see before anything is explained: how far to trust it, the machine, the curve,
 * the datasheet. Of several documents each is a column. */
static bool put_first_screen(struct page *page)
{
    bool done = true;
    FILE *out = page->out;
    const char *columns = page->count > 1 ? "<div class=many tabindex=0 role=region "
                                            "aria-label=\"The documents, a column each\">\n"
                                          : "<div>\n";
    if (page->count > 1)
        fprintf(out, "<h1>%zu documents side by side</h1>\n", page->count);
    fputs(columns, out);
    for (size_t i = 0; i < page->count; i++)
        done = html_opening(out, &page->report, page->count, i) && done;
    fputs("</div>\n", out);
    put_lead(page);
    fputs(columns, out);
    for (size_t i = 0; i < page->count; i++)
        html_sheet(out, &page->report, page->count, i);
    fputs("</div>\n", out);
    return done;
}

static bool put_body(struct page *page)
{
    FILE *out = page->out;
    put_controls(out);
    fputs("<main id=main tabindex=-1>\n", out);
    bool done = put_first_screen(page);
    put_contents(page);
    if (page->count > 1)
        done = html_differences(out, &page->report, page->count, page->threshold) && done;
    for (size_t i = 0; i < page->section_count; i++)
        put_probe(page, &page->sections[i], i);
    if (page->pictures.left_out)
        fprintf(out, "<p>%zu more series are in the document.</p>\n", page->pictures.left_out);
    html_method(out, page->documents, page->count);
    fputs("</main>\n<footer><p>One file, no network: everything shown here stands in it.</p>"
          "</footer>\n<script type=application/json id=data>",
          out);
    html_data(out, &page->pictures, &page->report.catalogue, page->count);
    fprintf(out, "</script>\n<script>%s</script>\n</body>\n</html>\n", html_script);
    return done;
}

int render_page(FILE *out, const struct document *const *documents, size_t count, double threshold,
                struct error *error)
{
    struct page page = {.out = out, .documents = documents, .count = count, .threshold = threshold};
    struct pool pool = {0};
    bool done = report_build(&page.report, documents, count, error) == 0 &&
                pictures_collect(&page.pictures, documents, count, &pool) &&
                collect_sections(&page, &pool);
    if (done) {
        page.lead = lead_of(&page);
        put_head(&page);
        done = put_body(&page) && !page.report.no_memory;
    }
    report_free(&page.report);
    pool_free(&pool);
    return done ? 0 : error_out_of_memory(error);
}

int render_page_possible(struct error *error)
{
    (void)error;
    return 0;
}

static int write_html(FILE *out, const struct output_content *content, struct error *error)
{
    return render_page(out, content->documents, content->count, content->threshold, error);
}

const struct output html_output = {
    .name = "html",
    .help = "a page with charts and tables",
    .place = 50,
    .takes_several = true,
    .write = write_html,
};
