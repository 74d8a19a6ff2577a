/* Documents: reading, writing, computing findings anew; their findings, series and points; as text,
 * and the differences between two. */
#include "programs/library/library.h"

#include "base/line.h"
#include "base/text.h"
#include "compare/differences.h"
#include "conclude/analyse.h"
#include "conclude/complete.h"
#include "conclude/registry/factors.h"
#include "conclude/verdict.h"
#include "document/flag.h"
#include "document/json.h"
#include "show/render/differences.h"
#include "show/render/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fathom_document_free(struct fathom_document *document)
{
    if (!document)
        return;
    document_free(&document->document);
    free(document);
}

int fathom_read(const char *path, struct fathom_document **result, struct fathom_error *failure)
{
    struct guest guest = guest_enter(failure);
    struct error *error = &guest.error;
    struct fathom_document *document = path && result ? calloc(1, sizeof *document) : NULL;
    int code = document ? experiment_read(&document->document, path, error)
               : path && result
                   ? error_out_of_memory(error)
                   : error_set(error, ERROR_USAGE,
                               "fathom_read() needs a path, and a place for the document: one is "
                               "NULL");
    if (code < 0) {
        fathom_document_free(document);
        document = NULL;
    }
    if (result)
        *result = document;
    return guest_leave(&guest, code);
}

int fathom_write(const struct fathom_document *document, const char *path,
                 struct fathom_error *failure)
{
    struct guest guest = guest_enter(failure);
    const int code = document && path
                         ? document_save(&document->document, path, &guest.error)
                         : error_set(&guest.error, ERROR_USAGE,
                                     "fathom_write() needs a document and a path: one is NULL");
    return guest_leave(&guest, code);
}

int fathom_analyse(struct fathom_document *document, struct fathom_error *failure)
{
    struct guest guest = guest_enter(failure);
    struct error *error = &guest.error;
    const char *remarks = NULL;
    int code = document ? document_analyse(&document->document, &remarks, error)
                        : error_set(error, ERROR_USAGE, "the document is NULL");
    if (code == 0)
        code = verdict_note(&document->document, error);
    if (document)
        document->document.tool.analysed = FATHOM_VERSION " (" FATHOM_COMMIT ")";
    if (code == 0 && remarks)
        error_set(error, 0, "kept as they were: %s", remarks);
    return guest_leave(&guest, code);
}

/* --- findings, series and points --- */

static int fill_finding(const struct finding *finding, struct fathom_value *value)
{
    if (!finding)
        return FATHOM_USAGE;
    const struct fathom_value all = {
        .name = finding->name,
        .unit = finding->unit ? finding->unit : "",
        .value = finding->value,
        .low = finding->low,
        .high = finding->high,
        .quiet = finding->value,
        .quiet_low = finding->low,
        .quiet_high = finding->high,
        .declared = finding->declared,
        .doubtful = flag_doubts(finding->flags) != 0,
        .sentence = finding->text,
        .kind = finding->kind,
        .disturbance = (double)finding->disturbance.longer,
    };
    return guest_fill(value, &all, sizeof all, NULL);
}

int fathom_finding(const struct fathom_document *document, const char *name,
                   struct fathom_value *value)
{
    return document && name ? fill_finding(document_finding(&document->document, name), value)
                            : FATHOM_USAGE;
}

int fathom_finding_at(const struct fathom_document *document, size_t i, struct fathom_value *value)
{
    for (size_t probe = 0; document && probe < document->document.probe_count; probe++) {
        const struct probe_result *result = &document->document.probes[probe];
        if (i < result->finding_count)
            return fill_finding(&result->findings[i], value);
        i -= result->finding_count;
    }
    return FATHOM_USAGE;
}

/* The i-th series of the document; NULL past the last. */
static const struct series *series_at(const struct fathom_document *document, size_t i,
                                      const struct probe_result **of)
{
    for (size_t probe = 0; document && probe < document->document.probe_count; probe++) {
        const struct probe_result *result = &document->document.probes[probe];
        *of = result;
        if (i < result->series_count)
            return &result->series[i];
        i -= result->series_count;
    }
    return NULL;
}

static const char *text_or_none(const char *text)
{
    return text ? text : "";
}

int fathom_series_at(const struct fathom_document *document, size_t i, struct fathom_series *filled)
{
    const struct probe_result *result;
    const struct series *series = series_at(document, i, &result);
    if (!series)
        return FATHOM_USAGE;
    struct line factors = {0};
    line_add_factors(&factors, series->factors, series->factor_count);
    struct fathom_series all = {
        .probe = result->name,
        .name = text_or_none(series->name),
        .x_name = text_or_none(series->x.name),
        .x_unit = text_or_none(series->x.unit),
        .y_name = text_or_none(series->y.name),
        .y_unit = text_or_none(series->y.unit),
        .matrix = series->matrix,
        .points = series->point_count,
    };
    const char *first = factors.text + strspn(factors.text, ", ");
    snprintf(all.factors, sizeof all.factors, "%s", first);
    text_drop_half(all.factors);
    return guest_fill(filled, &all, sizeof all, NULL);
}

int fathom_points(const struct fathom_document *document, size_t i, struct fathom_point *points,
                  size_t room)
{
    const struct probe_result *result;
    const struct series *series = series_at(document, i, &result);
    if (!series || (room && !points))
        return FATHOM_USAGE;
    const size_t size = room ? points[0].size : 0;
    for (size_t place = 0; place < room && place < series->point_count; place++) {
        const struct point *point = &series->points[place];
        const bool there = point->y.n > 0;
        const struct fathom_point all = {
            .x = point->x,
            .from = point->from,
            .to = point->to,
            .median = there ? point->y.median : NAN,
            .low = there ? point->y.low : NAN,
            .high = there ? point->y.high : NAN,
            .quiet = there ? point->y.median : NAN,
            .cycles = (double)point->cycles.median,
            .trials = (unsigned)point->y.n,
            .disturbance = (double)point->disturbance.longer,
        };
        struct fathom_point *at = (struct fathom_point *)((char *)points + place * size);
        memcpy(at, &size, sizeof size);
        const int code = guest_fill(at, &all, sizeof all, NULL);
        if (code < 0)
            return code;
    }
    return (int)series->point_count;
}

/* --- texts --- */

enum { WIDTH = 80 };

/* Writes into memory what `write` writes to a stream. */
static int write_text(save_function *write, const void *content, char **text, struct error *error)
{
    size_t size = 0;
    *text = NULL;
    FILE *out = open_memstream(text, &size);
    if (!out)
        return error_out_of_memory(error);
    int code = write(content, out, error);
    const bool whole = !ferror(out);
    if (fclose(out) != 0 || (code == 0 && !whole))
        code = code < 0 ? code : error_out_of_memory(error);
    if (code < 0) {
        free(*text);
        *text = NULL;
    }
    return code;
}

/* --- a document as text --- */

struct rendering {
    const struct output *output;
    struct output_content content;
};

static int write_output(const void *of, FILE *out, struct error *error)
{
    const struct rendering *rendering = of;
    return output_render(rendering->output, out, &rendering->content, error);
}

static int render(const struct fathom_document *document, const char *format, char **text,
                  struct error *error)
{
    if (!document || !text)
        return error_set(error, ERROR_USAGE,
                         "fathom_render() needs a document, and a place for the text: one is NULL");
    const struct document *const shown = &document->document;
    const struct rendering rendering = {
        output_by_name(format ? format : "text"),
        {.documents = &shown, .count = 1, .tolerance = NAN, .style = {.width = WIDTH}}};
    const struct output *output = rendering.output;
    char names[256] = "";
    for (size_t i = 0; !output && outputs[i]; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 outputs[i]->name);
    if (!output)
        return error_set(error, ERROR_USAGE, "no format is called '%s': choose one of %s", format,
                         names);
    const int code = output_possible(output, &rendering.content, error);
    return code == 0 ? write_text(write_output, &rendering, text, error) : code;
}

int fathom_render(const struct fathom_document *document, const char *format, char **text,
                  struct fathom_error *failure)
{
    struct guest guest = guest_enter(failure);
    if (text)
        *text = NULL;
    return guest_leave(&guest, render(document, format, text, &guest.error));
}

/* --- the differences of two documents --- */

static int compare_documents(const struct fathom_document *before,
                             const struct fathom_document *after, double tolerance,
                             struct fathom_comparison *counts, const char *format, char **text,
                             struct error *error)
{
    static const struct {
        const char *name;
        save_function *write;
    } formats[] = {{"text", render_differences_text},
                   {"csv", render_differences_csv},
                   {"json", render_differences_json}};
    save_function *write = NULL;
    struct differences differences = {0};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        write = strcmp(format ? format : "text", formats[i].name) == 0 ? formats[i].write : write;
    if (!before || !after)
        return error_set(error, ERROR_USAGE, "fathom_compare() needs two documents: one is NULL");
    if (!(tolerance >= 0) || !(tolerance < 1e6))
        return error_set(error, ERROR_USAGE,
                         "tolerance %g: give a share, as 0.03 for 3 percent, or 0 for each value's "
                         "own",
                         tolerance);
    if (!write)
        return error_set(error, ERROR_USAGE,
                         "no comparison is written as '%s': choose text, csv or json", format);
    int code = differences_find(&differences, &before->document, &after->document,
                                tolerance > 0 ? tolerance : NAN, error);
    const struct fathom_comparison all = {.values = differences.figures,
                                          .changed = differences.counts[CHANGED],
                                          .uncertain = differences.counts[CANT_TELL]};
    if (code == 0 && counts)
        code = guest_fill(counts, &all, sizeof all, error);
    const struct compared compared = {&differences, {.width = WIDTH}};
    if (code == 0 && text)
        code = write_text(write, &compared, text, error);
    differences_free(&differences);
    return code;
}

int fathom_compare(const struct fathom_document *before, const struct fathom_document *after,
                   double tolerance, struct fathom_comparison *comparison, const char *format,
                   char **text, struct fathom_error *failure)
{
    struct guest guest = guest_enter(failure);
    if (text)
        *text = NULL;
    const int code =
        compare_documents(before, after, tolerance, comparison, format, text, &guest.error);
    return guest_leave(&guest, code);
}
