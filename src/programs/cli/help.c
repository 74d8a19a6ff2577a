#include "programs/cli/options.h"

#include "measure/probes/kit/probe.h"
#include "programs/cli/output.h"
#include "programs/cli/words.h"
#include "speak/import/import.h"

#include <string.h>

enum { LEFT = 28, WIDTH = 80 };

const struct exit_text exit_texts[] = {
    {"0", "done"},
    {"1", "a check or a comparison found something worse or changed"},
    {"2", "wrong usage"},
    {"3", "not possible on this machine"},
    {"4", "done, but a probe failed or is partial, or a headline value is doubtful (the output "
          "says why and what helps)"},
    {"130, 143", "interrupted; the results so far are saved"},
    {.status = NULL},
};

void help_wrapped(FILE *out, int left, int column, const char *text)
{
    if (column < left || !column)
        fprintf(out, "%*s", left - column, "");
    else
        fprintf(out, "\n%*s", left, "");
    column = left;
    while (*text) {
        int length = (int)strcspn(text, " \n");
        if (column + 1 + length > WIDTH && column > left)
            column = fprintf(out, "\n%*s", left, "") - 1;
        column += fprintf(out, "%s%.*s", column > left ? " " : "", length, text);
        text += length;
        if (*text == '\n') /* a paragraph */
            column = fprintf(out, "\n\n%*s", left, "") - 2;
        text += strspn(text, " \n");
    }
    fputc('\n', out);
}

const char *help_of_option(const struct option_spec *spec, char *text, size_t size)
{
    /* Outputs and formats have their own texts, from which the help of these options is made. */
    if (!output_option_help(spec, text, size) && !import_option_help(spec, text, size))
        snprintf(text, size, "%s", spec->help);
    bool lists = false;
    for (size_t i = 0; spec->choices && spec->choices[i]; i++)
        lists = lists || !strstr(text, spec->choices[i]);
    for (size_t i = 0; lists && spec->choices[i]; i++)
        snprintf(text + strlen(text), size - strlen(text), "%s %s", i ? "," : "; one of",
                 spec->choices[i]);
    if (spec->fallback && !strstr(text, "default"))
        snprintf(text + strlen(text), size - strlen(text), " (default: %s)", spec->fallback);
    return text;
}

static void print_options(FILE *out, const char *title, const struct option_spec *table)
{
    fprintf(out, "%s", title);
    for (; table && table->name; table++) {
        int column =
            table->letter ? fprintf(out, "  -%c, ", table->letter) : fprintf(out, "      ");
        column += fprintf(out, "--%s", table->name);
        if (table->argument)
            column += fprintf(out, " %s", table->argument);
        if (column > LEFT - 2) {
            fputc('\n', out);
            column = 0;
        }
        char help[HELP_TEXT];
        help_wrapped(out, LEFT, column, help_of_option(table, help, sizeof help));
    }
}

void help_finding_name(FILE *out, const struct finding_line *line)
{
    char names[512];
    const bool unit = line->unit && *line->unit;
    snprintf(names, sizeof names, "%s%s%s%s", line->patterns, unit ? " (" : "",
             unit ? line->unit : "", unit ? ")" : "");
    help_wrapped(out, 2, 0, names);
}

void help_command(FILE *out, const struct command *command, const struct probe *probe)
{
    const char *name = command_name(command, probe);
    const char *operands = command->help->operands ? command->help->operands : "";
    const char *program = command->program ? command->program : "fathom";
    fprintf(out, "%s %s: %s\n\nusage: %s %s [OPTION...]%s%s\n\n", program, name,
            command_summary(command, probe), program, name, *operands ? " " : "", operands);
    help_wrapped(out, 0, 0, probe ? probe->help->about : command->help->about);
    if (probe)
        print_options(out, "\nOptions of this probe\n", probe->help->options);
    fprintf(out, "\nOptions\n");
    print_options(out, "", command->foreign);
    for (const struct option_spec *const *table = command->options; table && *table; table++)
        print_options(out, "", *table);
    print_options(out, "", help_options);
    const struct operand_words *words = words_of(command);
    struct word word;
    if (words && words->in_help)
        fprintf(out, "\n%s\n", words->title);
    for (size_t i = 0; words && words->in_help && words->nth(i, &word); i++)
        help_wrapped(out, LEFT, fprintf(out, "  %s", word.word), word.about);
    if (probe) {
        const struct finding_line *line = probe->findings.lines;
        if (!line)
            return;
        fprintf(out, "\nFindings of this probe\n");
        for (; line->patterns; line++) {
            char first[512];
            const char *end = strstr(line->meaning, ". ");
            snprintf(first, sizeof first, "%.*s", end ? (int)(end + 1 - line->meaning) : -1,
                     line->meaning);
            help_finding_name(out, line);
            help_wrapped(out, 6, 0, first);
        }
        fputc('\n', out);
        help_wrapped(out, 0, 0,
                     "'fathom list findings' tells more of each: what changes it, and what to do "
                     "with it. <n> stands for a number, * for a part of a name.");
    }
}

void help_program(FILE *out)
{
    fputs("fathom measures how far away a machine's memory is, and how sure each figure is.\n"
          "\n"
          "usage: fathom COMMAND [OPTION...]\n"
          "\n"
          "Commands\n",
          out);
    for (size_t i = 0; commands[i]; i++)
        help_wrapped(out, 15, fprintf(out, "  %s", commands[i]->name), commands[i]->help->summary);
    fputs("\nProbes: each measures one thing and prints its table\n", out);
    for (size_t i = 0; probes[i]; i++)
        help_wrapped(out, 15, fprintf(out, "  %s", probes[i]->name), probes[i]->help->summary);
    fputc('\n', out);
    help_wrapped(out, 0, 0,
                 "'fathom help COMMAND' explains a command and its options; 'fathom version' "
                 "prints the version, and with --licences also the licences.");
    char text[512] = "Exit status:";
    for (const struct exit_text *exit = exit_texts; exit->status; exit++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %s %s%s", exit->status,
                 exit->meaning, exit[1].status ? ";" : ".");
    fputc('\n', out);
    help_wrapped(out, 0, 0, text);
}
