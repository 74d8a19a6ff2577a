/* Tells what programs take from the figures of documents. */
#include "conclude/advise.h"

#include "base/line.h"
#include "base/quote.h"
#include "programs/cli/output.h"
#include "show/report/names.h"

#include <ctype.h>
#include <math.h>

struct told {
    struct advices advices;
    struct line machine;
};

enum { LABEL = 20, INDENT = 2 + LABEL + 1 };

/* "L2 block             ~320 KiB: 504 KiB (411 to 622) fit; seven tenths of it" */
static int write_text(const void *content, FILE *out, struct error *error)
{
    const struct told *told = content;
    const struct text_style style = output_style(out);
    render_sentence(out, told->machine.text, 0, &style);
    for (size_t i = 0; i < told->advices.count; i++) {
        const struct advice *advice = &told->advices.list[i];
        struct line line = {0};
        fprintf(out, "  %-*s ", LABEL, advice->label);
        line_add(&line, "%s%s: ", advice->told && advice->as_found ? "~" : "", advice->text);
        line_add_clean(&line, advice->reason);
        if (!advice->told && *advice->command)
            line_add(&line, ": %s", advice->command);
        if (*advice->experiment)
            line_add_between(&line, " (", advice->experiment, ")");
        render_sentence(out, line.text, INDENT, &style);
    }
    return 0;
}

static int write_json(const void *content, FILE *out, struct error *error)
{
    const struct told *told = content;
    json_text(out, "{\"schema\":\"fathom-advice/1\",\n", "machine", told->machine.text);
    fputs(",\n\"advice\":[", out);
    for (size_t i = 0; i < told->advices.count; i++) {
        const struct advice *advice = &told->advices.list[i];
        json_text(out, i ? ",\n{" : "\n{", "name", advice->name);
        json_text(out, ",", "text", advice->text);
        json_text(out, ",", "unit", advice_units[advice->kind]);
        json_number(out, ",", "value", advice->value.value);
        json_number(out, ",", "low", advice->value.low);
        json_number(out, ",", "high", advice->value.high);
        json_text(out, ",", "reason", advice->reason);
        json_text(out, ",", advice->told ? "grade" : "command",
                  !advice->told      ? advice->command
                  : advice->as_found ? "as found"
                                     : "good");
        json_text(out, ",", "source", advice->source);
        json_text(out, ",", "experiment", advice->experiment);
        fputc('}', out);
    }
    fputs("\n]}\n", out);
    return 0;
}

/* Comments end with their line, whatever the document's texts hold: a bracket or a stop is last. */
static int write_header(const void *content, FILE *out, struct error *error)
{
    const struct told *told = content;
    fprintf(out, "// What programs take from the figures of this machine: %s.\n",
            told->machine.text);
    fputs("#ifndef FATHOM_ADVICE_H\n#define FATHOM_ADVICE_H\n\n", out);
    for (size_t i = 0; i < told->advices.count; i++) {
        const struct advice *advice = &told->advices.list[i];
        struct line line = {0}, from = {0};
        line_add(&line, "// %s: %s", advice->label, advice->told ? "" : "can't tell, ");
        line_add_clean(&line, advice->reason);
        line_add_clean(&from, *advice->command && !advice->told ? advice->command : advice->source);
        fprintf(out, "%s (%s)\n", line.text, from.text);
        if (!advice->told)
            continue;
        fputs("#define FATHOM_", out);
        for (const char *at = advice->name; *at; at++)
            fputc(*at == '.' ? '_' : toupper((unsigned char)*at), out);
        if (advice->kind == ADVICE_CPUS)
            fprintf(out, " \"%s\"\n", advice->text);
        else if (isinf(advice->value.value))
            fputs(" ((size_t)-1)\n", out);
        else
            fprintf(out, " %.0f\n", advice->value.value);
    }
    fputs("\n#endif\n", out);
    return 0;
}

static const struct formats formats = {{"text", "json", "header"},
                                       {write_text, write_json, write_header}};

#include "advise.help.h"

static int advise_documents(void *with)
{
    struct invocation *invocation = with;
    const struct command_options *asked = &invocation->options;
    struct pool *pool = &invocation->settings.pool;
    const struct documents read = documents_read(invocation, 0);
    struct told told = {.advices = {.count = 0}};
    line_add_machine(&told.machine, &read.each->machine);
    pool_check(pool, advise(read.list, read.count, pool, &told.advices, pool_error(pool)));
    pool_check(pool, output_write(output_path(asked), formats.write[asked->format.choice], &told,
                                  pool_error(pool)));
    return told.advices.told ? EXIT_DONE : EXIT_DOUBTFUL;
}

static const struct option_spec *const options[] = {advise_options, NULL};

const struct command advise_command = {
    .name = "advise",
    .help = &help,
    .options = options,
    .step = advise_documents,
};
