/* Whatever document it is, every view shows it, and it can be analysed, compared with itself and
 * with another, checked, merged and made a baseline of. */
#include "compare/differences.h"
#include "compare/health.h"
#include "compare/merge.h"
#include "compare/spread.h"
#include "conclude/analyse.h"
#include "fuzz.h"
#include "show/render/differences.h"
#include "show/render/health.h"
#include "show/render/output.h"

#include <math.h>

static FILE *nowhere;

static void show(const struct document *const *documents, size_t count)
{
    for (size_t i = 0; outputs[i]; i++)
        for (int style = 0; style < 2 && (outputs[i]->is_text || !style); style++) {
            struct error error = {0};
            const struct output *output = outputs[i];
            const struct output_content content = {
                .documents = documents,
                .count = output->takes_several ? count : 1,
                .tolerance = NAN,
                .probe = style && documents[0]->probe_count ? documents[0]->probes : NULL,
                .style = {.colour = style, .blocks = style, .width = style ? 200 : 40}};
            int code = output_possible(output, &content, &error);
            if (code == 0)
                code = output_render(output, nowhere, &content, &error);
            if (code < 0)
                fuzz_check_error(code, &error);
        }
}

static void compare_two(const struct document *a, const struct document *b)
{
    struct differences differences = {0};
    struct error error = {0};
    const int code = differences_find(&differences, a, b, NAN, &error);
    if (code < 0) {
        fuzz_check_error(code, &error);
    } else {
        const struct compared compared = {&differences, {.width = 80}};
        render_differences_text(&compared, nowhere, &error);
        render_differences_csv(&compared, nowhere, &error);
        render_differences_json(&compared, nowhere, &error);
        fuzz_require(a != b || differences.counts[CHANGED] == 0, "nothing differs from itself");
    }
    differences_free(&differences);
}

static void check(const struct document *base, const struct document *now)
{
    struct health_check health = {0};
    struct error error = {0};
    const int code = health_check(&health, base, now, NAN, 1, &error);
    if (code < 0) {
        fuzz_check_error(code, &error);
    } else {
        render_health_text(&health, nowhere, &error);
        render_health_json(&health, nowhere, &error);
        render_health_nagios(&health, nowhere, &error);
    }
    health_check_free(&health);
}

typedef int join_function(struct document *, const struct document *, size_t, const char **,
                          struct error *);

static void join(join_function *how, const struct document *documents, size_t count)
{
    struct document joined = {0};
    struct error error = {0};
    const char *left_out = NULL;
    const int code = how(&joined, documents, count, &left_out, &error);
    if (code < 0)
        fuzz_check_error(code, &error);
    else
        fuzz_require(document_write(&joined, nowhere, NULL) == 0, "what was joined can be written");
    document_free(&joined);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct document read[2];
    struct error error = {0};
    const char *remarks;
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    fuzz_require(nowhere, "/dev/null can be opened");
    int code = fuzz_read(&read[0], bytes, size, &error);
    if (code < 0) {
        document_free(&read[0]);
        return 0;
    }
    if (code == 0)
        code = experiments_complete(&read[0], &error);
    fuzz_require(code == 0, "a document that was read can be completed");
    const struct document *const both[] = {&read[0], &read[1]};
    show(both, 1);
    compare_two(&read[0], &read[0]);
    check(&read[0], &read[0]);
    /* The other is the same, analysed anew. */
    code = fuzz_read(&read[1], bytes, size, &error);
    if (code == 0)
        code = document_analyse(&read[1], &remarks, &error);
    if (code == 0) {
        show(both, 2);
        compare_two(&read[0], &read[1]);
        check(&read[0], &read[1]);
        join(documents_merge, read, 2);
        join(baseline_build, read, 2);
    } else {
        fuzz_check_error(code, &error);
    }
    document_free(&read[0]);
    document_free(&read[1]);
    return 0;
}
