#include "compare/fleet/document.h"
#include "compare/health.h"
#include "conclude/complete.h"
#include "measure/probes/kit/probe.h"
#include "programs/cli/measure.h"
#include "programs/cli/options.h"
#include "programs/cli/output.h"
#include "show/render/health.h"

#include <math.h>
#include <stdio.h>

/* What the exit statuses mean to Nagios and to monitors that run the same plugins. */
enum { PLUGIN_OK, PLUGIN_WARNING, PLUGIN_CRITICAL, PLUGIN_UNKNOWN };
static const int own_statuses[HEALTHS] = {
    [HEALTHY] = EXIT_DONE, [DOUBTFUL] = EXIT_DOUBTFUL, [WORSE] = EXIT_CHECK_FAILED};
static const int plugin_statuses[HEALTHS] = {
    [HEALTHY] = PLUGIN_OK, [DOUBTFUL] = PLUGIN_WARNING, [WORSE] = PLUGIN_CRITICAL};

static const struct formats formats = {
    {"text", "json", "nagios"}, {render_health_text, render_health_json, render_health_nagios}};
/* Exit statuses by format, then by health. */
static const int *const statuses[] = {own_statuses, own_statuses, plugin_statuses};

#include "check.help.h"

struct judging {
    const struct document *base;
    const struct fleet_reference *fleet; /* compared with instead of a base; NULL: none */
    int format;
    save_function *write;
    const char *path; /* output file */
    double tolerance, within_s;
    const struct document *given; /* is judged as it is, and nothing measured; NULL: none */
};

static int judge(struct measurement *measurement, void *argument, struct error *error)
{
    const struct judging *judging = argument;
    struct health_check check = {.gap_count = 0};
    const struct document *base = judging->base, *given = judging->given;
    int code = judging->fleet
                   ? fleet_reference_for(judging->fleet, given ? given : &measurement->document,
                                         &base, error)
                   : 0;
    if (code == 0)
        code = given ? health_check(&check, base, given, judging->tolerance, 1, error)
                     : measurement_settle(measurement, base, judging->tolerance, judging->within_s,
                                          &check, error);
    if (code == 0)
        code = output_write(judging->path, judging->write, &check, error);
    if (code == 0)
        code = statuses[judging->format][check.health];
    health_check_free(&check);
    return code;
}

/* A monitor reads only a plugin's standard output and takes status 2 for CRITICAL, so wrong usage
 * is UNKNOWN too. */
static int refuse(const struct invocation *invocation, const struct error *error)
{
    if (statuses[invocation->options.format.choice] != plugin_statuses)
        return error->code;
    fputs("FATHOM UNKNOWN - ", stdout);
    for (const char *c = error->text; *c; c++)
        fputc(*c == '|' ? '/' : *c, stdout);
    fputc('\n', stdout);
    return PLUGIN_UNKNOWN;
}

static int check(struct invocation *invocation, struct error *error)
{
    const struct command_options *asked = &invocation->options;
    const char *against = asked->against.text;
    enum { FATHOM_CHECK_FIT = 3 }; /* words */
    if (asked->fit.has && invocation->argc > FATHOM_CHECK_FIT)
        return error_set(error, ERROR_USAGE,
                         "--fit looks at this machine as it is now, and compares nothing: leave "
                         "out all other options and FILE");
    if (asked->fit.has)
        return doctor_fit(error);
    if (!against)
        return error_set(error, ERROR_USAGE,
                         "check needs --against BASE: a document of 'fathom run', 'fathom "
                         "baseline' or 'fathom fleet'; or --fit");
    struct document base = {0}, given = {0};
    struct fleet_reference fleet = {.groups = NULL};
    const bool is_fleet = fleet_is_document(against);
    struct judging judging = {.base = &base,
                              .fleet = is_fleet ? &fleet : NULL,
                              .format = asked->format.choice,
                              .write = asked->points.has && asked->format.choice == 0
                                           ? render_health_whole
                                           : formats.write[asked->format.choice],
                              .path = output_path(asked),
                              .within_s = asked->within.number,
                              .given = invocation->operand_count ? &given : NULL,
                              .tolerance =
                                  asked->tolerance.has ? asked->tolerance.number / 100 : NAN};
    int code = invocation->operand_count ? measure_refuse_how(invocation, error) : 0;
    if (code == 0 && !output_is_standard(judging.path))
        code = save_possible(judging.path, error);
    if (code == 0)
        code = is_fleet ? fleet_reference_read(&fleet, against, error)
                        : experiment_read(&base, against, error);
    /* A health check should be short: it measures the quick set unless --thorough was given. */
    if (code == 0 && !asked->common.thorough.has)
        code = settings_set(&invocation->settings, "quick", NULL, error);
    if (code == 0 && invocation->operand_count)
        code = experiment_read(&given, invocation->operands[0], error);
    if (code == 0)
        code = invocation->operand_count ? judge(NULL, &judging, error)
                                         : measure_and_use(invocation, judge, &judging, error);
    document_free(&given);
    document_free(&base);
    fleet_reference_free(&fleet);
    return code;
}

static const struct option_spec *const options[] = {check_options, output_options,
                                                    probe_common_options, twin_options, NULL};

const struct command check_command = {
    .name = "check",
    .help = &help,
    .options = options,
    .run = check,
    .refuse = refuse,
};
