#include "cli/measure.h"
#include "cli/options.h"
#include "findings/experiment.h"
#include "findings/health.h"
#include "probes/probe.h"
#include "views/differences.h"

#include <stdio.h>
#include <string.h>

static const struct option_spec check_options[] = {
    {"against", 0, OPTION_TEXT, "BASE", NULL, 0, 0, NULL,
     "the document to hold this machine against: a run of it when it was well, or what 'fathom "
     "baseline' made of many machines"},
    {"tolerance", 0, OPTION_REAL, "PCT", "5", 0, 1000, NULL,
     "how much worse than the baseline's interval a value may be, in percent of it"},
    {.name = NULL},
};

struct judging {
    const struct document *base;
    double tolerance;
};

static int judge(const struct document *document, void *argument, struct error *error)
{
    const struct judging *judging = argument;
    struct health_check check;
    int code = health_check(&check, judging->base, document, judging->tolerance, error);
    if (code == 0) {
        view_health(stdout, &check);
        code = check.worse ? EXIT_CHECK_FAILED : check.count ? EXIT_DOUBTFUL : EXIT_DONE;
    }
    health_check_free(&check);
    return code;
}

static int check_file(const char *path, struct judging *judging, struct error *error)
{
    struct document document = {0};
    int code = experiment_read(&document, path, error);
    if (code == 0)
        code = judge(&document, judging, error);
    document_free(&document);
    return code;
}

static int check(struct invocation *invocation, struct error *error)
{
    struct settings *settings = &invocation->settings;
    if (!settings_has(settings, "against"))
        return error_set(error, ERROR_USAGE,
                         "check needs --against BASE: a document of 'fathom run' or 'fathom "
                         "baseline'");
    if (invocation->operand_count > 1)
        return error_set(error, ERROR_USAGE,
                         "check takes one document at most, and %d were given: fathom check "
                         "--against BASE [FILE]",
                         invocation->operand_count);
    struct document base = {0};
    struct judging judging = {&base, settings_number(settings, "tolerance") / 100};
    int code = experiment_read(&base, settings_text(settings, "against"), error);
    /* A health check that nobody waits for: the quick set, unless more was asked for. */
    if (code == 0 && !settings_has(settings, "thorough"))
        code = settings_set(settings, "quick", NULL, error);
    if (code == 0)
        code = invocation->operand_count ? check_file(invocation->operands[0], &judging, error)
                                         : measure_and_use(invocation, judge, &judging, error);
    document_free(&base);
    return code;
}

static const struct option_spec *const options[] = {check_options, probe_common_options, NULL};

const struct command check_command = {
    .name = "check",
    .operands = "[FILE]",
    .summary = "hold this machine against a baseline: one line, exit status 1 when it is worse",
    .about = "Measures the quick set in under five seconds (or takes FILE, a document), and "
             "compares every latency, bandwidth and clock with the baseline's. Prints one line, OK "
             "or FAIL and what is worse than it may be. Exit status 0 where all is well, 1 where "
             "something is worse, 4 where it can't be told because of noise or because a value is "
             "missing.",
    .options = options,
    .run = check,
};
