#include "cli/output.h"

#include "findings/differences.h"
#include "result/flag.h"
#include "result/json.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_DEFAULT = 80 };

static int terminal_width(int file)
{
    struct winsize size;
    return ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : WIDTH_DEFAULT;
}

/* NO_COLOR (no-color.org) counts when it is set and not empty. */
struct view_style output_style(FILE *out)
{
    const char *no_colour = getenv("NO_COLOR"), *kind = getenv("TERM");
    struct view_style style = {.width = WIDTH_DEFAULT};
    if (!isatty(fileno(out)) || (no_colour && *no_colour) || !kind || strcmp(kind, "dumb") == 0)
        return style;
    setlocale(LC_CTYPE, "");
    style.colour = true;
    style.blocks = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    style.width = terminal_width(fileno(out));
    return style;
}

static void write_json(FILE *out, const struct document *document)
{
    document_write(document, out, NULL); /* the stream tells the caller of a failure */
}

/* Formats that a document alone makes. Text and the page know more: a style, other documents. */
static const struct {
    const char *name;
    void (*write)(FILE *, const struct document *);
} plain_formats[] = {
    {"csv", view_csv},         {"csv-matrix", view_csv_matrix},
    {"json", write_json},      {"openmetrics", view_openmetrics},
    {"gnuplot", view_gnuplot}, {"source", view_source},
};

struct page {
    const struct document *document;
    const struct probe_result *probe;
    const char *format;
};

static int write_page(const void *content, FILE *out, struct error *error)
{
    (void)error;
    const struct page *page = content;
    struct view_style style = output_style(out);
    for (size_t i = 0; i < sizeof plain_formats / sizeof *plain_formats; i++)
        if (strcmp(page->format, plain_formats[i].name) == 0) {
            plain_formats[i].write(out, page->document);
            return 0;
        }
    if (page->probe)
        view_text_probe(out, page->document, page->probe, &style);
    else
        view_text_summary(out, page->document, &style);
    return 0;
}

struct documents {
    const struct document *const *list;
    size_t count;
    double threshold;
};

static int write_html(const void *content, FILE *out, struct error *error)
{
    const struct documents *documents = content;
    return view_html(out, documents->list, documents->count, documents->threshold, error);
}

int output_html(const char *path, const struct document *const *list, size_t count,
                double threshold, struct error *error)
{
    struct documents documents = {list, count, threshold};
    int code = view_html_possible(error);
    if (code < 0)
        return code;
    return strcmp(path, "-") == 0 ? write_html(&documents, stdout, error)
                                  : save_file(path, write_html, &documents, error);
}

int output_document(const struct settings *settings, const struct document *document,
                    const struct probe_result *probe, struct error *error)
{
    struct page page = {document, probe, settings_text(settings, "format")};
    const char *path = settings_has(settings, "output") ? settings_text(settings, "output") : "-";
    if (strcmp(settings_text(settings, "format"), "html") == 0)
        return output_html(path, &document, 1, differences_threshold, error);
    int code = strcmp(page.format, "source") == 0 ? view_source_possible(document, error) : 0;
    if (code < 0)
        return code;
    if (strcmp(path, "-") == 0)
        return write_page(&page, stdout, error);
    return save_file(path, write_page, &page, error);
}

int output_status(const struct document *document)
{
    size_t measured = 0, partial = 0;
    for (size_t i = 0; i < document->probe_count; i++) {
        measured += document->probes[i].status == PROBE_OK;
        partial += document->probes[i].status == PROBE_PARTIAL;
    }
    if (!measured && !partial)
        return EXIT_IMPOSSIBLE;
    return partial || flag_doubts(document_headline_flags(document)) ? EXIT_DOUBTFUL : EXIT_DONE;
}
