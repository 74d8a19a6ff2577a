/* What a view prints, and how it compares with what it printed before. */
#ifndef FATHOM_TESTS_CAPTURE_H
#define FATHOM_TESTS_CAPTURE_H

#include "document/sample.h"
#include "show/render/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct capture {
    char *text;
    size_t size;
    FILE *stream;
};

static inline FILE *capture_begin(struct capture *capture)
{
    capture->stream = open_memstream(&capture->text, &capture->size);
    assert_non_null(capture->stream);
    return capture->stream;
}

/* The caller frees. */
static inline char *capture_end(struct capture *capture)
{
    assert_int_equal(fclose(capture->stream), 0);
    assert_int_equal(strlen(capture->text), capture->size); /* no NUL bytes */
    return capture->text;
}

/* Whether the output can show the document. */
static inline int possible(const char *name, const struct document *document, struct error *error)
{
    const struct output_content content = {.documents = &document, .count = 1};
    return output_possible(output_by_name(name), &content, error);
}

/* What an output writes of a document; the caller frees. */
static inline char *capture_output(const char *name, const struct document *document)
{
    struct capture capture = {0};
    struct error error = {0};
    const struct output_content content = {.documents = &document, .count = 1};
    assert_int_equal(output_render(output_by_name(name), capture_begin(&capture), &content, &error),
                     0);
    return capture_end(&capture);
}

/* The first screen of a document, or one of its probes in full; the caller frees. */
static inline char *capture_text(const struct document *document, const struct probe_result *probe,
                                 const struct text_style *style)
{
    struct capture capture = {0};
    const struct output_content content = {.documents = &document,
                                           .count = 1,
                                           .probe = probe,
                                           .points = probe != NULL,
                                           .style = *style};
    assert_int_equal(output_render(output_by_name("text"), capture_begin(&capture), &content, NULL),
                     0);
    return capture_end(&capture);
}

/* Where reports are built; whoever built one frees it. */
static struct pool test_pool __attribute__((unused));

/* Compares with tests/unit/show/render/golden/<name> and frees `text`. With FATHOM_REFRESH set the
 * file is written instead: look at the difference before it is kept. */
static inline void assert_golden(char *text, const char *name)
{
    char path[4096];
    const char *source = getenv("FATHOM_SOURCE");
    snprintf(path, sizeof path, "%s/tests/unit/show/render/golden/%s", source ? source : ".", name);
    FILE *file = fopen(path, getenv("FATHOM_REFRESH") ? "w" : "r");
    if (!file)
        fail_msg("%s cannot be opened", path);
    if (getenv("FATHOM_REFRESH")) {
        fputs(text, file);
    } else {
        struct capture golden = {0};
        FILE *copy = capture_begin(&golden);
        for (int c; (c = fgetc(file)) != EOF;)
            fputc(c, copy);
        char *expected = capture_end(&golden);
        assert_string_equal(text, expected);
        free(expected);
    }
    fclose(file);
    free(text);
}

/* Nothing but printable text and line ends, valid UTF-8 or not. */
static inline void assert_inert(const char *text)
{
    for (const char *c = text; *c; c++)
        if (((unsigned char)*c < ' ' && *c != '\n') || *c == 127)
            fail_msg("control character %d at %td of:\n%s", *c, c - text, text);
}

/* No line has more columns than that; escape sequences have none. */
static inline void assert_fits(const char *text, size_t width)
{
    size_t columns = 0;
    for (const char *c = text, *line = text; *c; c++) {
        if (*c == '\x1b') {
            c += strcspn(c, "m");
            continue;
        }
        columns = *c == '\n' ? 0 : columns + (((unsigned char)*c & 0xc0) != 0x80);
        line = *c == '\n' ? c + 1 : line;
        if (columns > width)
            fail_msg("more than %zu columns: %.*s", width, (int)strcspn(line, "\n"), line);
    }
}

/* As hostile as texts can be: escapes, a new line, direction marks, broken UTF-8, a formula. */
#define HOSTILE "=\x1b[2J\r\n\t\x07\x7f\xc2\x9b[m\xe2\x80\xae\xff\xc3(\"',%s%n"

/* Every text and every number of the sample replaced by the worst there is. */
static inline void sample_hostile(struct document *document)
{
    sample_document(document, 4, 2);
    document->tool.version = HOSTILE;
    document->machine.cpu_model = HOSTILE;
    document->machine.os = document->machine.kernel = document->machine.hypervisor = HOSTILE;
    document->machine.caches[0].type = NULL;
    document->conditions.remarks[0] = (struct remark){HOSTILE, HOSTILE, HOSTILE};
    document->conditions.core_hz = INFINITY;
    document->run.elapsed_s = NAN;
    for (size_t p = 0; p < document->probe_count; p++) {
        struct probe_result *probe = &document->probes[p];
        probe->name = probe->title = probe->reason = HOSTILE;
        probe->status = PROBE_FAILED;
        for (size_t f = 0; f < probe->finding_count; f++) {
            struct finding *finding = &probe->findings[f];
            finding->name = f % 2 ? HOSTILE ".latency" : HOSTILE;
            finding->unit = finding->text = finding->cpus = HOSTILE;
            finding->value = f % 3 ? NAN : -1e308;
            finding->flags = ~0u;
        }
        for (size_t s = 0; s < probe->series_count; s++) {
            struct series *series = &probe->series[s];
            series->name = series->x.name = series->x.unit = HOSTILE;
            series->y = (struct axis){HOSTILE, HOSTILE};
            for (size_t f = 0; f < series->factor_count; f++)
                series->factors[f] = (struct factor){HOSTILE, f ? HOSTILE : NULL, INFINITY};
        }
    }
}

#endif
