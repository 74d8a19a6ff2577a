#include "cli/output.h"

#include "findings/differences.h"
#include "result/flag.h"
#include "result/json.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    WIDTH_DEFAULT = 80,
    LINKS_MAX = 40, /* that lead on to each other: Linux follows no more either */
};

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

int output_save(const struct document *document, const char *path, struct error *error)
{
    if (strcmp(path, "-") != 0)
        return document_save(document, path, error);
    int code = document_write(document, stdout, error);
    return ferror(stdout) ? 0 : code;
}

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

static const char *name_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool stat_folder(const char *path, struct stat *folder)
{
    char text[PATH_MAX];
    const size_t length = (size_t)(name_in(path) - path);
    if (length >= sizeof text)
        return false;
    memcpy(text, path, length);
    text[length] = '\0';
    return stat(length ? text : ".", folder) == 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Where a path leads that may be a link to a file that is not there yet. False: too far. */
static bool follow_links(const char *path, char end[PATH_MAX])
{
    char target[PATH_MAX];
    if (strlen(path) >= PATH_MAX)
        return false;
    strcpy(end, path);
    for (int i = 0; i < LINKS_MAX; i++) {
        const ssize_t length = readlink(end, target, sizeof target - 1);
        if (length < 0)
            return true; /* no link, or nothing */
        /* A relative one starts at the link's own folder. */
        const size_t kept = *target == '/' ? 0 : (size_t)(name_in(end) - end);
        if (kept + (size_t)length >= PATH_MAX)
            return false;
        memcpy(end + kept, target, (size_t)length);
        end[kept + (size_t)length] = '\0';
    }
    return false;
}

/* By the name and the folder, of what is not there yet. */
static bool is_same_place(const char *one, const char *other)
{
    char first[PATH_MAX], second[PATH_MAX];
    struct stat a, b;
    return follow_links(one, first) && follow_links(other, second) &&
           strcmp(name_in(first), name_in(second)) == 0 && stat_folder(first, &a) &&
           stat_folder(second, &b) && is_same(&a, &b);
}

/* Devices may be written to twice. */
static bool is_same_file(const char *one, const char *other)
{
    struct stat a, b;
    const bool there = stat(one, &a) == 0, also = stat(other, &b) == 0;
    if (there || also)
        return there && also && S_ISREG(a.st_mode) && is_same(&a, &b);
    return strcmp(one, other) == 0 || is_same_place(one, other);
}

int output_files_differ(const struct settings *settings, struct error *error)
{
    static const struct {
        const char *name, *typed;
    } files[] = {{"samples-out", "--samples-out"}, {"html", "--html"}, {"output", "-o"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (size_t j = 0; j < i; j++) {
            if (!settings_has(settings, files[i].name) || !settings_has(settings, files[j].name))
                continue;
            const char *path = settings_text(settings, files[j].name);
            if (is_same_file(path, settings_text(settings, files[i].name)))
                return error_set(error, ERROR_USAGE, "%s and %s both name %s: choose two files",
                                 files[j].typed, files[i].typed, path);
        }
    return 0;
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
