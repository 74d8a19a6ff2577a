#include "programs/cli/words.h"

#include "base/units.h"
#include "conclude/registry/registry.h"
#include "document/flag.h"
#include "measure/probes/kit/probe.h"
#include "programs/cli/options.h"
#include "programs/library/version.h"
#include "speak/tongues/tongue.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/*
 * The manual in scdoc's language (scdoc(5)), made from the program's own tables, so the two agree.
 * The build replaces the line "; prose" by docs/man/PAGE.md, which has what no table contains. The
 * page about the document is made from the schema.
 */

/* Prints plain text, escaped for scdoc. A newline begins a paragraph, which gets `indent`. */
static void print_words(const char *text, const char *indent)
{
    for (const char *c = text; *c; c++) {
        bool begins = c == text || c[-1] == '\n';
        if (*c == '\n')
            printf("\n\n%s", indent);
        else if (strchr("\\*_`~^+|[]#<>", *c) || (begins && strchr("-.;:0123456789", *c)))
            printf("\\%c", *c);
        else
            putchar(*c);
    }
}

static void print_paragraph(const char *text)
{
    print_words(text, "");
    puts("\n");
}

static void print_heading(const char *text)
{
    printf("# ");
    for (; *text; text++)
        putchar(toupper((unsigned char)*text));
    puts("\n");
}

static void begin_page(const char *suffix, int section, const char *summary)
{
    printf("fathom%s%s(%d) \"fathom " FATHOM_VERSION
           "\" \"fathom manual\"\n\n# NAME\n\nfathom%s%s - ",
           *suffix ? "-" : "", suffix, section, *suffix ? "-" : "", suffix);
    print_paragraph(summary);
}

/* Prints a term and its meaning, indented below it; then, unless NULL, what moves the value and
 * what to do. */
static void print_item(const char *term, const char *mark, const char *meaning, const char *second,
                       const char *third)
{
    const char *const more[] = {second, third};
    putchar('*');
    print_words(term, "");
    printf("*%s\n\t", mark);
    print_words(meaning, "\t");
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        if (!more[i])
            continue;
        printf("\n\n\t");
        print_words(more[i], "\t");
    }
    puts("\n");
}

/* --- options --- */

static void print_number(const struct option_spec *spec, double value)
{
    char text[UNIT_TEXT];
    if (spec->type == OPTION_SIZE || spec->type == OPTION_SIZES)
        print_words(size_format(value, text), "");
    else
        printf("%.16g", value);
}

static void print_option(const struct option_spec *spec)
{
    char help[HELP_TEXT];
    if (spec->letter)
        printf("*-%c*, ", spec->letter);
    printf("*--%s*", spec->name);
    if (spec->argument) {
        printf(" _");
        print_words(spec->argument, "");
        putchar('_');
    }
    printf("\n\t");
    print_words(help_of_option(spec, help, sizeof help), "\t");
    if (spec->most > 0) {
        printf("\n\n\tFrom ");
        print_number(spec, spec->least);
        printf(" to ");
        print_number(spec, spec->most);
        putchar('.');
    }
    puts("\n");
}

/* --- pages --- */

static void print_exits(void)
{
    print_heading("Exit status");
    for (const struct exit_text *exit = exit_texts; exit->status; exit++)
        print_item(exit->status, "", exit->meaning, NULL, NULL);
}

static void print_findings(const struct finding_table *table)
{
    for (const struct finding_line *line = table->lines; line && line->patterns; line++) {
        char unit[32] = "";
        if (line->unit && *line->unit)
            snprintf(unit, sizeof unit, " (%s)", line->unit);
        print_item(line->patterns, unit, line->meaning, line->moves, line->advice);
    }
}

static void print_command(const struct command *command, const struct probe *probe)
{
    const char *name = command_name(command, probe);
    begin_page(name, 1, command_summary(command, probe));
    printf("# SYNOPSIS\n\n*fathom %s* [_OPTION_...]", name);
    if (command->help->operands) {
        putchar(' ');
        print_words(command->help->operands, "");
    }
    puts("\n\n# DESCRIPTION\n");
    if (probe) {
        printf("*");
        print_words(probe->help->title, "");
        puts("*\n");
    }
    print_paragraph(probe ? probe->help->about : command->help->about);
    if (probe && probe->needs & NEEDS_TWO_CPUS)
        print_paragraph("It needs two CPUs.");
    if (probe && !(probe->weight > 0))
        print_paragraph(probe->thorough ? "'fathom run' measures it with --thorough, or named."
                                        : "'fathom run' measures it only when it is named.");
    const struct operand_words *words = words_of(command);
    struct word word;
    if (words)
        print_heading(words->title);
    for (size_t i = 0; words && words->nth(i, &word); i++)
        print_item(word.word, "", word.about, NULL, NULL);
    print_heading("Options");
    const struct option_spec *option;
    for (size_t i = 0; (option = command_option(command, probe, i)); i++)
        print_option(option);
    const struct finding_table *table = finding_table_of(command_name(command, probe));
    if (table && table->lines) {
        print_heading("Findings");
        print_findings(table);
    }
    puts("; prose\n");
    print_exits();
    puts("# SEE ALSO\n\n*fathom*(1), *fathom-method*(7), *fathom-document*(5)\n");
}

static void print_program(void)
{
    const struct probe *probe;
    const struct command *command;
    begin_page("", 1, "measures how far away a machine's memory is");
    puts("# SYNOPSIS\n\n*fathom* _COMMAND_ [_OPTION_...]\n\n*fathom* *--help*\n\n"
         "*fathom* *--version* [*--licences*]\n\n; prose\n\n# COMMANDS\n");
    for (size_t i = 0; (command = command_at(i, &probe)); i++) {
        if (i && command == &probe_command && probe == probes[0]) {
            puts("# PROBES\n");
            print_paragraph("Each measures one thing and prints its table.");
        }
        char term[64];
        snprintf(term, sizeof term, "fathom-%s", command_name(command, probe));
        print_item(term, "(1)", command_summary(command, probe), NULL, NULL);
    }
    print_exits();
    puts("# SEE ALSO\n\n*fathom-run*(1), *fathom-method*(7), *fathom-document*(5)\n");
}

static void print_method(void)
{
    begin_page("method", 7, "when a number is true, and what flags and findings mean");
    puts("; prose\n");
    print_heading("Flags");
    print_paragraph(
        "A flag says what may spoil a number. One with ! on a finding, or on every point of "
        "a curve or matrix of the first screen, makes the exit status 4, as a probe "
        "that failed does; the others explain.");
    for (int i = 0; i < FLAG_COUNT; i++)
        print_item(flag_texts[i].name, flag_texts[i].doubt ? " !" : "", flag_texts[i].meaning,
                   flag_texts[i].why, flag_texts[i].remedy);
    const struct finding_table *table;
    const char *probe;
    print_heading("Findings");
    for (size_t i = 0; (table = finding_table_at(i, &probe)); i++)
        print_findings(table);
    puts("# SEE ALSO\n\n*fathom*(1), *fathom-list*(1), *fathom-document*(5)\n");
}

static void print_tools(void)
{
    begin_page("tools", 7, "coming from another tool");
    puts("# DESCRIPTION\n");
    print_paragraph(
        "'fathom as TOOL' takes another tool's own arguments and prints its own table, measured as "
        "fathom measures: pinned, repeated until the interval is narrow enough, on fresh memory "
        "and with the core's clock watched. Scripts that read the tool's table go on working. The "
        "value is the median of independent trials, unless the table itself names another. Doubts, "
        "and the fathom command that tells more, are printed on standard error.");
    print_paragraph("Numbers differ from the tool's for the reasons given here.");
    puts("; prose\n");
    for (size_t i = 0; tongues[i]; i++) {
        const struct tongue *tongue = tongues[i];
        print_heading(tongue->name);
        printf("*fathom as %s* [_ARGUMENT_...] ", tongue->name);
        print_words(tongue->help->operands, "");
        puts("\n");
        print_paragraph(tongue->help->summary);
        print_paragraph(tongue->help->differs);
        const struct tongue_argument *argument = tongue->help->arguments;
        for (; argument->letter || argument->name; argument++) {
            char term[64];
            snprintf(term, sizeof term, "%s%.1s%s%s%s", argument->letter ? "-" : "",
                     &argument->letter, argument->letter && argument->name ? ", " : "",
                     argument->name ? "--" : "", argument->name ? argument->name : "");
            char value[64];
            snprintf(value, sizeof value, " %s", argument->value ? argument->value : "");
            print_item(term, argument->value ? value : "",
                       argument->idle ? "It does nothing here." : argument->help, NULL,
                       argument->idle ? argument->help : NULL);
        }
    }
    puts("# SEE ALSO\n\n*fathom-as*(1), *fathom-import*(1), *fathom-method*(7)\n");
}

static int manual(struct invocation *invocation, struct error *error)
{
    const struct operand_words *pages = words_of(invocation->command);
    struct word page;
    for (size_t i = 0; pages->nth(i, &page); i++)
        if (!invocation->operand_count || strcmp(invocation->operands[0], page.word) == 0) {
            const char *name = page.word;
            const struct probe *probe;
            const struct command *command = command_by_name(name, &probe);
            if (command)
                print_command(command, probe);
            else if (strcmp(name, "fathom") == 0)
                print_program();
            else if (strcmp(name, "method") == 0)
                print_method();
            else if (strcmp(name, "tools") == 0)
                print_tools();
            else {
                begin_page("document", 5, "what a run of fathom leaves behind");
                for (size_t k = 0; manual_document[k]; k++)
                    fputs(manual_document[k], stdout);
                puts("# SEE ALSO\n\n*fathom*(1), *fathom-report*(1), *fathom-method*(7)\n");
            }
        }
    return EXIT_DONE;
}

#include "manual.help.h"

const struct command manual_command = {
    .name = "manual",
    .help = &help,
    .run = manual,
};
