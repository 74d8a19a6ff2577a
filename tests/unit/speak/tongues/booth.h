/* Where a test has a tongue speak: what it would measure is made up, what it prints is kept. */
#ifndef FATHOM_TESTS_TONGUES_BOOTH_H
#define FATHOM_TESTS_TONGUES_BOOTH_H

#include "speak/import/import.h"
#include "speak/tongues/tongue.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A value that the measurement of that probe gives. */
struct made_up {
    /* factor NULL: none; series NULL: a finding, whose name is `text` */
    const char *probe, *series, *factor, *text;
    double x;     /* of a curve */
    int from, to; /* of a matrix */
    bool matrix;
    double value, low, high, cycles;
    const char *failed;
    const char *op; /* a second factor; NULL: none */
    double tsc_hz;  /* of the counter; 0: another counter */
};

struct booth {
    struct machine machine;
    struct document document;
    struct talk talk;
    struct error error;
    char *out, *aside;
    size_t out_length, aside_length;
    const struct made_up *values;
    size_t value_count;
    const char *refused, *skipped; /* why no run is possible; the probe that is skipped; or NULL */
    char asked[4096];              /* the commands that were measured, a line each */
};

static struct booth *here;

static bool same_series(const struct series *series, const struct made_up *value)
{
    const struct factor *factor = value->factor ? series_factor(series, value->factor) : NULL;
    return strcmp(series->name, value->series) == 0 &&
           (!value->factor || (factor && strcmp(factor->text, value->text) == 0));
}

static struct series *series_for(struct probe_result *result, struct pool *pool,
                                 const struct made_up *value)
{
    for (size_t i = 0; i < result->series_count; i++)
        if (same_series(&result->series[i], value))
            return &result->series[i];
    struct series *series =
        pool_append(pool, (void **)&result->series, &result->series_count, sizeof *series);
    *series = (struct series){.name = value->series, .matrix = value->matrix, .y = {"", "ns"}};
    if (value->factor) {
        series->factors = pool_alloc(pool, 2, sizeof *series->factors);
        series->factors[0] = (struct factor){value->factor, value->text, strtod(value->text, NULL)};
        series->factors[1] = (struct factor){"op", value->op, NAN};
        series->factor_count = value->op ? 2 : 1;
    }
    return series;
}

static void add_value(struct probe_result *result, struct pool *pool, const struct made_up *value)
{
    struct series *series = series_for(result, pool, value);
    struct point *point =
        pool_append(pool, (void **)&series->points, &series->point_count, sizeof *point);
    const double low = value->low > 0 ? value->low : value->value;
    const double high = value->high > 0 ? value->high : value->value;
    *point = (struct point){.x = value->x,
                            .from = value->from,
                            .to = value->to,
                            .failed = value->failed,
                            .cycles = {(float)value->cycles, NAN, NAN}};
    point->y = summary_of_nothing();
    if (!value->failed)
        point->y = (struct summary){.median = (float)value->value,
                                    .low = (float)low,
                                    .high = (float)high,
                                    .min = (float)low,
                                    .max = (float)high,
                                    .coverage = 0.95f,
                                    .n = 10};
}

static void add_finding(struct probe_result *result, struct pool *pool, const struct made_up *value)
{
    struct finding *finding =
        pool_append(pool, (void **)&result->findings, &result->finding_count, sizeof *finding);
    *finding = (struct finding){.name = value->text, .value = value->value};
}

static int make_up(struct talk *talk, const char *probe, const struct talk_option *options,
                   struct error *error)
{
    struct document *document = talk->document;
    struct pool *pool = &document->pool;
    if (here->refused)
        return error_set(error, ERROR_IMPOSSIBLE, "%s", here->refused);
    struct probe_result *result =
        pool_append(pool, (void **)&document->probes, &document->probe_count, sizeof *result);
    assert_non_null(result);
    *result = (struct probe_result){.name = probe, .status = PROBE_OK};
    if (here->skipped && strcmp(here->skipped, probe) == 0) {
        result->status = PROBE_SKIPPED;
        result->reason = "it needs two CPUs";
    }
    strcat(strcat(here->asked, talk->commands[talk->command_count - 1]), "\n");
    for (size_t i = 0; i < here->value_count; i++)
        if (strcmp(here->values[i].probe, probe) == 0 && !here->values[i].series)
            add_finding(result, pool, &here->values[i]);
        else if (strcmp(here->values[i].probe, probe) == 0)
            add_value(result, pool, &here->values[i]);
    if (here->value_count && here->values[0].tsc_hz > 0) {
        document->conditions.counter = "tsc";
        document->conditions.counter_hz = here->values[0].tsc_hz;
    }
    struct factor *array = pool_alloc(pool, 1, sizeof *array);
    *array = (struct factor){"array_bytes", NULL, 8e7}; /* STREAM's 10 million elements */
    result->parameters = array;
    result->parameter_count = 1;
    return 0;
}

static int set_up(void **state)
{
    static struct booth booth;
    booth = (struct booth){.value_count = 0};
    here = &booth;
    *state = &booth;
    static int cpus[] = {0, 1};
    static struct numa_facts node = {0, "0-1", 1 << 30};
    booth.machine = (struct machine){.facts = {.nodes = &node, .node_count = 1},
                                     .allowed = {cpus, 2},
                                     .memory_available_bytes = UINT64_C(8) << 30};
    return 0;
}

static int tear_down(void **state)
{
    struct booth *booth = *state;
    free(booth->out);
    free(booth->aside);
    talk_release(&booth->talk);
    document_free(&booth->document);
    return 0;
}

/* Has the tool of argv[0] speak with these values; words end with NULL. */
static int speak_of(struct booth *booth, const struct made_up *values, size_t count, ...)
{
    char *words[32];
    int argc = 0;
    va_list list;
    va_start(list, count);
    while (argc < 32 && (words[argc] = va_arg(list, char *)))
        argc++;
    va_end(list);
    free(booth->out);
    free(booth->aside);
    talk_release(&booth->talk);
    document_free(&booth->document);
    booth->values = values;
    booth->value_count = count;
    booth->asked[0] = '\0';
    booth->error = (struct error){0};
    booth->talk = (struct talk){.tongue = tongue_by_name(words[0]),
                                .out = open_memstream(&booth->out, &booth->out_length),
                                .aside = open_memstream(&booth->aside, &booth->aside_length),
                                .machine = &booth->machine,
                                .document = &booth->document,
                                .measure = make_up};
    assert_non_null(booth->talk.tongue);
    const int code = tongue_speak(&booth->talk, argc - 1, words + 1, &booth->error);
    fclose(booth->talk.out);
    fclose(booth->talk.aside);
    return code;
}
#define SPEAK(booth, values, ...)                                                                  \
    speak_of(booth, values, sizeof(values) / sizeof *(values), __VA_ARGS__, NULL)

/* What our own importer makes of what was printed. */
static inline void read_back(struct booth *booth, const char *format, struct document *document)
{
    struct settings settings = {0};
    struct import_text text = {.file = "table", .text = booth->out, .length = booth->out_length};
    const struct import_format *known = NULL;
    assert_int_equal(settings_add(&settings, import_options, NULL), 0);
    if (import_recognise(&known, &text, &booth->error) < 0)
        fail_msg("%s: %s", booth->error.text, booth->out);
    assert_string_equal(known->name, format);
    const char *unread;
    if (import_read(known, &text, &settings, document, &unread, &booth->error) < 0)
        fail_msg("%s: %s", booth->error.text, booth->out);
    settings_free(&settings);
}

#define BOOTH_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
