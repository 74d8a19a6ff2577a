/* Where a test reads a table: options, the document that it becomes, and what was said of it. */
#ifndef FATHOM_TESTS_IMPORT_DESK_H
#define FATHOM_TESTS_IMPORT_DESK_H

#include "speak/import/import.h"

#include "stats/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The table of all is made by the build; tests name them. */
extern const struct import_format core_matrix_format, core_to_core_latency_format, curve_format,
    gpu_latency_format, lat_mem_rd_format, likwid_bench_format, macos_memory_benchmark_format,
    mem_lat_format, mlc_format, mt4g_format, multichase_format, nvbandwidth_format, osu_format,
    sbc_bench_format, stream_format, sysbench_format;

struct desk {
    struct settings settings;
    struct document document;
    struct error error;
    struct import_text text; /* what was read last, with what of it was not */
    const char *unread;
};

static int set_up(void **state)
{
    static struct desk desk;
    desk = (struct desk){0};
    *state = &desk;
    return settings_add(&desk.settings, import_options, NULL);
}

static int tear_down(void **state)
{
    struct desk *desk = *state;
    settings_free(&desk->settings);
    document_free(&desk->document);
    return 0;
}

#define DESK_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static inline int read_text(struct desk *desk, const struct import_format *format, const char *text)
{
    document_free(&desk->document);
    desk->text = (struct import_text){.file = "table", .text = text, .length = strlen(text)};
    return import_read(format, &desk->text, &desk->settings, &desk->document, &desk->unread,
                       &desk->error);
}

/* What a file below tests/data holds; the caller frees it. */
static inline char *sample_text(const char *name)
{
    char path[4096], *text = calloc(1 << 20, 1);
    const char *source = getenv("FATHOM_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/%s", source ? source : ".", name);
    FILE *file = fopen(path, "r");
    assert_true(file && text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* Reads it in that format. */
static inline void read_sample(struct desk *desk, const struct import_format *format,
                               const char *name)
{
    char *text = sample_text(name);
    if (read_text(desk, format, text) != 0)
        fail_msg("%s", desk->error.text);
    free(text);
}

/* The name of the format that a text is recognised as; "" where it is recognised as none or
 * several. */
static inline const char *recognised(struct desk *desk, const char *text)
{
    const struct import_text whole = {.file = "table", .text = text, .length = strlen(text)};
    const struct import_format *format;
    return import_recognise(&format, &whole, &desk->error) == 0 ? format->name : "";
}

/* The value of the finding of that name, whatever its factors; NAN where there is none. */
static inline double value_of(const struct desk *desk, const char *name)
{
    for (size_t p = 0; p < desk->document.probe_count; p++)
        for (size_t f = 0; f < desk->document.probes[p].finding_count; f++)
            if (strcmp(desk->document.probes[p].findings[f].name, name) == 0)
                return desk->document.probes[p].findings[f].value;
    return NAN;
}

/* A factor of the first finding of that name, as text. */
static inline const char *factor_of(const struct desk *desk, const char *name, const char *factor)
{
    static char text[64];
    for (size_t p = 0; p < desk->document.probe_count; p++)
        for (size_t f = 0; f < desk->document.probes[p].finding_count; f++) {
            const struct finding *finding = &desk->document.probes[p].findings[f];
            for (size_t i = 0; i < finding->factor_count && strcmp(finding->name, name) == 0; i++)
                if (strcmp(finding->factors[i].name, factor) == 0) {
                    const struct factor *found = &finding->factors[i];
                    snprintf(text, sizeof text, "%.9g", found->number);
                    return found->text ? found->text : text;
                }
        }
    return "";
}

/* A text of that many lines, each as printf() makes it of its number; the caller frees it. */
static inline char *long_text(const char *head, const char *line, size_t lines)
{
    char *text = malloc(strlen(head) + lines * (strlen(line) + 24) + 1), *end = text;
    assert_non_null(text);
    end += sprintf(end, "%s", head);
    for (size_t i = 0; i < lines; i++)
        end += sprintf(end, line, i % 1000 + 1);
    return text;
}

static inline void assert_refused(struct desk *desk, const struct import_format *format,
                                  const char *text, const char *said)
{
    assert_int_equal(read_text(desk, format, text), ERROR_USAGE);
    if (!strstr(desk->error.text, said))
        fail_msg("\"%s\" does not hold \"%s\"", desk->error.text, said);
}

#endif
