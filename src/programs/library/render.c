/* Documents as text, and the differences between two. */

#include "programs/library/library.h"

#include "compare/differences.h"
#include "show/render/differences.h"
#include "show/render/output.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80 };

/* Writes into memory what `write` writes to a stream. */
typedef int write_function(FILE *, const void *content, struct error *);

static int write_text(write_function *write, const void *content, char **text, struct error *error)
{
    size_t size = 0;
    *text = NULL;
    FILE *out = open_memstream(text, &size);
    if (!out)
        return error_out_of_memory(error);
    int code = write(out, content, error);
    const bool whole = !ferror(out);
    if (fclose(out) != 0 || (code == 0 && !whole))
        code = code < 0 ? code : error_out_of_memory(error);
    if (code < 0) {
        free(*text);
        *text = NULL;
    }
    return code;
}

/* --- one document --- */

struct rendering {
    const struct output *output;
    const struct document *document;
};

static int write_output(FILE *out, const void *of, struct error *error)
{
    const struct rendering *rendering = of;
    const struct output_content content = {.documents = &rendering->document,
                                           .count = 1,
                                           .threshold = differences_threshold,
                                           .style = {.width = WIDTH}};
    return output_render(rendering->output, out, &content, error);
}

static int render(const struct fathom_document *document, const char *format, char **text,
                  struct error *error)
{
    if (!document || !text)
        return error_set(error, ERROR_USAGE,
                         "fathom_render() needs a document, and a place for the text: one is NULL");
    const struct rendering rendering = {output_by_name(format ? format : "text"),
                                        &document->document};
    const struct output *output = rendering.output;
    char names[256] = "";
    for (size_t i = 0; !output && outputs[i]; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 outputs[i]->name);
    if (!output)
        return error_set(error, ERROR_USAGE, "no format is called '%s': choose one of %s", format,
                         names);
    const int code = output_possible(output, &document->document, error);
    return code == 0 ? write_text(write_output, &rendering, text, error) : code;
}

int fathom_render(const struct fathom_document *document, const char *format, char **text,
                  struct fathom_error *failure)
{
    const struct guest guest = guest_enter();
    struct error error = {0};
    if (text)
        *text = NULL;
    const int code = render(document, format, text, &error);
    guest_leave(&guest);
    return guest_answer(failure, code, &error);
}

/* --- two documents --- */

struct compared {
    const struct differences *differences;
    double threshold;
};

static int write_words(FILE *out, const void *of, struct error *error)
{
    const struct compared *compared = of;
    const struct text_style style = {.width = WIDTH};
    return render_differences_text(out, compared->differences, compared->threshold, &style, error);
}

static int write_csv(FILE *out, const void *of, struct error *error)
{
    (void)error;
    render_differences_csv(out, ((const struct compared *)of)->differences);
    return 0;
}

static int write_json(FILE *out, const void *of, struct error *error)
{
    const struct compared *compared = of;
    (void)error;
    render_differences_json(out, compared->differences, compared->threshold);
    return 0;
}

static write_function *writer_of(const char *format)
{
    static const struct {
        const char *name;
        write_function *write;
    } writers[] = {{"text", write_words}, {"csv", write_csv}, {"json", write_json}};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (strcmp(format ? format : "text", writers[i].name) == 0)
            return writers[i].write;
    return NULL;
}

static int compare(const struct fathom_document *before, const struct fathom_document *after,
                   double threshold, struct fathom_comparison *counts, const char *format,
                   char **text, struct error *error)
{
    write_function *write = writer_of(format);
    struct differences differences = {0};
    if (!before || !after)
        return error_set(error, ERROR_USAGE, "fathom_compare() needs two documents: one is NULL");
    if (!(threshold > 0) || !(threshold < 1e6))
        return error_set(error, ERROR_USAGE,
                         "threshold %g: give a share above 0, as 0.03 for 3 percent", threshold);
    if (!write)
        return error_set(error, ERROR_USAGE,
                         "no comparison is written as '%s': choose text, csv or json", format);
    int code =
        differences_find(&differences, &before->document, &after->document, threshold, error);
    const struct fathom_comparison all = {.values = differences.count,
                                          .changed = differences.changed,
                                          .uncertain = differences.uncertain};
    if (code == 0 && counts)
        code = guest_fill(counts, &all, sizeof all, error);
    const struct compared compared = {&differences, threshold};
    if (code == 0 && text)
        code = write_text(write, &compared, text, error);
    differences_free(&differences);
    return code;
}

int fathom_compare(const struct fathom_document *before, const struct fathom_document *after,
                   double threshold, struct fathom_comparison *comparison, const char *format,
                   char **text, struct fathom_error *failure)
{
    const struct guest guest = guest_enter();
    struct error error = {0};
    if (text)
        *text = NULL;
    const int code = compare(before, after, threshold, comparison, format, text, &error);
    guest_leave(&guest);
    return guest_answer(failure, code, &error);
}
