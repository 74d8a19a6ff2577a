/*
 * NVIDIA's nvbandwidth: a matrix for each test, as text or with -j as JSON. A script that parses it
 * looks for "SUM host_to_device_memcpy_ce 101.00", or for a test's name and its matrix.
 */
#include "base/clean.h"
#include "speak/tongues/tongue.h"

#include <math.h>
#include <string.h>

#include "nvbandwidth.help.h"

enum { DEVICES_MOST = 64 };
static const char version[] = "nvbandwidth Version: v0.8\n\n";
static const double gigabyte = 1e9, usual_s = 20;

/* `index`: in nvbandwidth's own list. `figure`: what it is called behind "gpu0.", or between two
 * devices behind "gpu0.peer1.". A matrix of devices has a row for the one that `figure`'s second
 * device is, unless `backward`. */
static const struct test {
    unsigned index;
    const char *name, *says, *heading, *figure;
    bool peers, backward, time;
} tests[] = {
#include "nvbandwidth.texts.h"
};
enum { TESTS = sizeof tests / sizeof *tests };

struct matrix {
    double cells[DEVICES_MOST][DEVICES_MOST]; /* NAN: N/A */
    size_t rows, columns, values;
    double sum;
};

static double figure_of(const struct talk *talk, const char *name)
{
    const struct finding *finding = document_finding(talk->document, name);
    return finding ? finding->value : NAN;
}

static void fill(struct talk *talk, const struct test *test, size_t devices, struct matrix *matrix)
{
    *matrix = (struct matrix){.rows = test->peers ? devices : 1, .columns = devices};
    for (size_t row = 0; row < matrix->rows; row++)
        for (size_t column = 0; column < devices; column++) {
            const size_t own = test->peers && test->backward ? row : column,
                         peer = row + column - own;
            char name[96];
            if (test->peers)
                snprintf(name, sizeof name, "gpu%zu.peer%zu.%s", own, peer, test->figure);
            else
                snprintf(name, sizeof name, "gpu%zu.%s", column, test->figure);
            const double value = test->peers && row == column
                                     ? NAN
                                     : figure_of(talk, name) / (test->time ? 1 : gigabyte);
            matrix->cells[row][column] = value;
            if (!(value > 0))
                continue;
            matrix->sum += value;
            matrix->values++;
        }
}

static void print_text(FILE *out, const struct test *test, const struct matrix *matrix)
{
    fprintf(out, "Running %s.\n%s\n  ", test->name, test->heading);
    for (size_t column = 0; column < matrix->columns; column++)
        fprintf(out, "%10zu", column);
    for (size_t row = 0; row < matrix->rows; row++) {
        fprintf(out, "\n%2zu", row);
        for (size_t column = 0; column < matrix->columns; column++)
            if (matrix->cells[row][column] > 0)
                fprintf(out, "%10.2f", matrix->cells[row][column]);
            else
                fputs("       N/A", out);
    }
    fprintf(out, "\n\nSUM %s %.2f\n\n", test->name, matrix->sum);
}

static void print_json(FILE *out, const struct test *test, const struct matrix *matrix, bool first)
{
    fprintf(out,
            "%s\n{\"name\": \"%s\", \"status\": \"Passed\", \"bandwidth_description\": \"%s\", "
            "\"sum\": %.6g, \"average\": %.6g, \"bandwidth_matrix\": [",
            first ? "" : ",", test->name, test->heading, matrix->sum,
            matrix->sum / (double)matrix->values);
    for (size_t row = 0; row < matrix->rows; row++)
        for (size_t column = 0; column < matrix->columns; column++) {
            fputs(column ? ", " : row ? "], [" : "[", out);
            if (matrix->cells[row][column] > 0)
                fprintf(out, "\"%.2f\"", matrix->cells[row][column]);
            else
                fputs("\"N/A\"", out);
        }
    fputs("]]}", out);
}

static void list(FILE *out)
{
    fprintf(out, "%sIndex, Name:\n\tDescription\n=======================\n", version);
    for (size_t i = 0; i < TESTS; i++)
        fprintf(out, "%u, %s:\n\t%s\n\n", tests[i].index, tests[i].name, tests[i].says);
}

/* By its name or its index in the list. */
static bool is_called(struct talk *talk, const struct test *test, const char *word)
{
    return strcmp(test->name, word) == 0 || strcmp(talk_digits(talk, test->index), word) == 0;
}

static bool is_asked(struct talk *talk, const struct test *test)
{
    const char *one = talk_value(talk, 't'), *prefix = talk_value(talk, 'p');
    bool asked = one ? is_called(talk, test, one) : !prefix;
    for (unsigned i = 0; i < talk->operand_count; i++)
        asked = asked || is_called(talk, test, talk->operands[i]);
    return asked || (prefix && strncmp(test->name, prefix, strlen(prefix)) == 0);
}

static void refuse_unknown(struct talk *talk, const char *word)
{
    for (size_t i = 0; i < TESTS; i++)
        if (is_called(talk, &tests[i], word))
            return;
    talk_refuse(talk, "'%s': 'fathom as nvbandwidth -l' lists the tests that fathom has", word);
}

static void speak(struct talk *talk)
{
    static const struct talk_option options[] = {{"what", "host,peers"}, {.name = NULL}};
    const bool json = talk_value(talk, 'j');
    FILE *out = talk->out;
    struct matrix *matrix = pool_alloc(&talk->document->pool, 1, sizeof *matrix);
    bool first = true;
    if (talk_value(talk, 'l')) {
        list(out);
        talk_as_form(talk);
        return;
    }
    if (talk_value(talk, 't'))
        refuse_unknown(talk, talk_value(talk, 't'));
    for (unsigned i = 0; i < talk->operand_count; i++)
        refuse_unknown(talk, talk->operands[i]);
    const struct probe_result *result = talk_measure(talk, "gpu", options, usual_s);
    /* Devices are those of the figures' names. */
    size_t devices = 0;
    for (size_t i = 0; i < result->finding_count; i++) {
        unsigned device = 0;
        if (sscanf(result->findings[i].name, "gpu%u.", &device) == 1 && device < DEVICES_MOST &&
            device >= devices)
            devices = device + 1;
    }
    talk_need(talk, devices, "a copy");
    fputs(json ? "{\"nvbandwidth\": {\"GPU Device list\": [" : version, out);
    const struct machine_facts *machine = &talk->document->machine;
    for (size_t i = 0; i < devices; i++) {
        char name[96] = "GPU";
        if (i < machine->gpu_count && machine->gpus[i].name)
            clean_text(machine->gpus[i].name, name, sizeof name);
        if (json)
            fprintf(talk->out, "%s\"%zu: %s\"", i ? ", " : "", i, name);
        else
            fprintf(talk->out, "Device %zu: %s\n", i, name);
    }
    fputs(json ? "],\n\"testcases\": [" : "\n", out);
    for (size_t i = 0; i < TESTS; i++) {
        if (!is_asked(talk, &tests[i]) || (tests[i].peers && devices < 2))
            continue;
        fill(talk, &tests[i], devices, matrix);
        if (!matrix->values) {
            talk_hole(talk, NULL, tests[i].name);
            continue;
        }
        if (json)
            print_json(out, &tests[i], matrix, first);
        else
            print_text(out, &tests[i], matrix);
        first = false;
    }
    fputs(json ? "\n]}}\n" : "", out);
    talk_as_form(talk);
}

const struct tongue nvbandwidth_tongue = {
    .name = "nvbandwidth",
    .place = 95,
    .help = &help,
    .operands_most = TESTS,
    .speak = speak,
};
