#include "programs/cli/words.h"

#include "base/guess.h"
#include "measure/probes/kit/probe.h"
#include "speak/import/import.h"
#include "speak/tongues/tongue.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool nth_probe(size_t i, struct word *word)
{
    if (probes[i])
        *word = (struct word){probes[i]->name, probes[i]->help->summary};
    return probes[i];
}

static bool nth_format(size_t i, struct word *word)
{
    if (import_formats[i])
        *word = (struct word){import_formats[i]->name, import_formats[i]->summary};
    return import_formats[i];
}

static bool nth_tongue(size_t i, struct word *word)
{
    if (tongues[i])
        *word = (struct word){tongues[i]->name, tongues[i]->help->summary};
    return tongues[i];
}

static bool nth_shell(size_t i, struct word *word)
{
    static const struct word shells[] = {{"bash", "the GNU shell"},
                                         {"zsh", "the Z shell"},
                                         {"fish", "the friendly interactive shell"}};
    const bool there = i < sizeof shells / sizeof *shells;
    *word = shells[there ? i : 0];
    return there;
}

static bool nth_topic(size_t i, struct word *word)
{
    static const struct word topics[] = {
        {"probes", "what can be measured"},
        {"flags", "what a mark beside a number means, and what helps"},
        {"findings", "what each named value means, and what to do with it"}};
    const bool there = i < sizeof topics / sizeof *topics;
    *word = topics[there ? i : 0];
    return there;
}

static bool nth_page(size_t i, struct word *word)
{
    static const struct word pages[] = {
        {"fathom", "the program"},
        {"method", "when a number is true, and what flags and findings mean"},
        {"document", "what a run leaves behind, key by key"},
        {"tools", "coming from another tool: what fathom does otherwise, and why numbers differ"}};
    enum { PAGES = sizeof pages / sizeof *pages };
    const struct probe *probe;
    const struct command *command = i < PAGES ? NULL : command_at(i - PAGES, &probe);
    if (i < PAGES)
        *word = pages[i];
    else if (command)
        *word = (struct word){command_name(command, probe), command_summary(command, probe)};
    return i < PAGES || command;
}

static const struct operand_words lists[] = {
    {"PROBE", "probe", "Probes", nth_probe, false},
    {"FORMAT", "table format", "Formats", nth_format, true},
    {"TOOL", "tool", "Tools", nth_tongue, true},
    {"SHELL", "shell", "Shells", nth_shell, false},
    {"WHAT", "list", "Lists", nth_topic, false},
    {"PAGE", "page of the manual", "Pages", nth_page, false},
};

const struct operand_words *words_of(const struct command *command)
{
    for (size_t i = 0; command->help->operands && i < sizeof lists / sizeof *lists; i++)
        if (strstr(command->help->operands, lists[i].operand))
            return &lists[i];
    return NULL;
}

int words_place(const struct operand_words *words, const char *typed)
{
    struct word word;
    for (int i = 0; words->nth((size_t)i, &word); i++)
        if (strcmp(word.word, typed) == 0)
            return i;
    return -1;
}

bool words_repeat(const struct command *command)
{
    return command->help->operands && !command->passes_on && strstr(command->help->operands, "...");
}

bool words_or_files(const struct command *command)
{
    return words_of(command) && *command->help->operands == '[' &&
           strstr(command->help->operands, "FILE");
}

bool words_then_files(const struct command *command)
{
    return command->help->operands &&
           (!words_of(command) || strstr(command->help->operands, "FILE"));
}

/* Refuses several files for a command that reads one. */
static int refuse_files(const struct command *command, const char *first, struct error *error)
{
    return error_set(error, ERROR_USAGE,
                     "'%s': fathom %s reads one file at a time: convert each with -o FILE, then "
                     "combine them by 'fathom merge'",
                     first, command->name);
}

int words_check(const struct invocation *invocation, struct error *error)
{
    const struct command *command = invocation->command;
    const struct operand_words *words = words_of(command);
    const char *usage = command->help->operands ? command->help->operands : "";
    const int count = invocation->operand_count;
    int named = *usage != '\0'; /* number of operands in the usage line */
    for (const char *c = usage; *c; c++)
        named += *c == ' ';
    const bool files = words_or_files(command);
    const int least = command->passes_on ? 1 : files ? named - 1 : *usage == '[' ? 0 : named;
    const int most = words_repeat(command) || command->passes_on ? INT_MAX : named;
    if (count < least || count > most) {
        const char *name = command_name(invocation->command, invocation->probe);
        if (!most)
            return error_set(
                error, ERROR_USAGE,
                "%s takes no operand like '%s': leave it out, or name an option; 'fathom "
                "%s --help' lists them",
                name, invocation->operands[0], name);
        if (words_or_files(invocation->command) && invocation->operand_count > most)
            return refuse_files(invocation->command, invocation->operands[most], error);
        if (invocation->operand_count < most)
            return error_set(error, ERROR_USAGE, "too few words: write fathom %s %s", name,
                             invocation->command->help->operands);
        return error_set(error, ERROR_USAGE, "'%s' is one operand too many: fathom %s %s",
                         invocation->operands[most], name, invocation->command->help->operands);
    }
    const int checked = words_repeat(command) ? count : files ? count > least : count > 0;
    for (int i = 0; words && i < checked; i++) {
        const char *typed = invocation->operands[i];
        if (words_place(words, typed) >= 0)
            continue;
        if (files && access(typed, F_OK) == 0)
            return refuse_files(command, invocation->operands[count - 1], error);
        struct guess guess = {.typed = typed};
        char all[sizeof error->text] = "choose from";
        struct word word;
        for (size_t k = 0; words->nth(k, &word); k++) {
            guess_offer(&guess, word.word);
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s %s", k ? "," : "", word.word);
        }
        if (!words->nth(0, &word))
            strcpy(all, "this fathom was built without any: make builds one with all");
        else if (words->in_help)
            snprintf(all, sizeof all, "'fathom %s --help' lists them", command->name);
        const bool many = strlen(all) > 200;
        return guess_refuse(&guess, words->kind,
                            many ? "'fathom --help' lists commands and probes" : all, error);
    }
    return 0;
}
