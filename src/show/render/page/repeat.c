/* Below a probe's findings: what of it was left out, and how to repeat it. */
#include "show/render/page/page.h"

#include <string.h>

/* What was left out has a line of its own, and the seed that some documents have here too is the
 * run's. */
static bool is_shown(const struct factor *parameter, bool repeatable)
{
    return parameter_is_setting(parameter) && !(repeatable && strcmp(parameter->name, "seed") == 0);
}

static void put_settings(FILE *out, const struct probe_result *probe, bool repeatable)
{
    const char *before = "<span class=parameters>(";
    for (size_t i = 0; i < probe->parameter_count; i++)
        if (is_shown(&probe->parameters[i], repeatable)) {
            fputs(before, out);
            html_factors(out, &probe->parameters[i], 1);
            before = ", ";
        }
    fputs(")</span>", out);
}

/* Unless the command has one. */
static void put_seed(FILE *out, const struct document *document)
{
    for (size_t i = 0; i < document->run.command_count; i++)
        if (strcmp(document->run.command[i], "-s") == 0 ||
            strncmp(document->run.command[i], "--seed", strlen("--seed")) == 0)
            return;
    fprintf(out, " --seed %llu", (unsigned long long)document->run.seed);
}

/* What was imported or joined of several runs has no command. */
void html_repeat(FILE *out, const struct document *document, const struct probe_result *probe)
{
    const bool repeatable = document->run.command_count > 0;
    const struct factor *missing = probe_parameter(probe, parameter_not_measured);
    bool has_settings = false;
    for (size_t i = 0; i < probe->parameter_count && !has_settings; i++)
        has_settings = is_shown(&probe->parameters[i], repeatable);
    if (missing && missing->text) {
        fputs("<p class=repeat>Not measured: ", out);
        html_sentence(out, missing->text);
        fputs("</p>\n", out);
    }
    if (!repeatable && !has_settings)
        return;
    fputs("<p class=repeat>", out);
    if (repeatable) {
        fputs("To repeat: <code>", out);
        html_command(out, &document->run);
        put_seed(out, document);
        fputs("</code> ", out);
    }
    if (has_settings)
        put_settings(out, probe, repeatable);
    fputs("</p>\n", out);
}
