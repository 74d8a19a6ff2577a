#include "programs/cli/words.h"

#include "base/guess.h"
#include "measure/probes/kit/probe.h"
#include "speak/import/import.h"
#include "speak/tongues/tongue.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const shell_words[] = {"bash", "zsh", "fish", NULL};
const char *const shell_abouts[] = {"the GNU shell", "the Z shell",
                                    "the friendly interactive shell", NULL};
const char *const topic_words[] = {"probes", "flags", "findings", NULL};
const char *const topic_abouts[] = {"what can be measured",
                                    "what a mark beside a number means, and what helps",
                                    "what each named value means, and what to do with it", NULL};

static const char *probe_word(size_t i)
{
    return probes[i] ? probes[i]->name : NULL;
}

static const char *probe_about(size_t i)
{
    return probes[i]->summary;
}

static const char *format_word(size_t i)
{
    return import_formats[i] ? import_formats[i]->name : NULL;
}

static const char *format_about(size_t i)
{
    return import_formats[i]->summary;
}

static const char *tongue_word(size_t i)
{
    return tongues[i] ? tongues[i]->name : NULL;
}

static const char *tongue_about(size_t i)
{
    return tongues[i]->summary;
}

static const char *shell_word(size_t i)
{
    return shell_words[i];
}

static const char *shell_about(size_t i)
{
    return shell_abouts[i];
}

static const char *topic_word(size_t i)
{
    return topic_words[i];
}

static const char *topic_about(size_t i)
{
    return topic_abouts[i];
}

const char *manual_page(size_t i)
{
    const struct probe *probe;
    if (i == 0)
        return "fathom";
    if (i == 1)
        return "method";
    if (i == 2)
        return "document";
    if (i == 3)
        return "tools";
    const struct command *command = command_at(i - 4, &probe);
    return command ? command_name(command, probe) : NULL;
}

static const char *page_about(size_t i)
{
    const struct probe *probe;
    if (i == 0)
        return "the program";
    if (i == 1)
        return "when a number is true, and what flags and findings mean";
    if (i == 2)
        return "what a run leaves behind, key by key";
    if (i == 3)
        return "coming from another tool: what fathom does otherwise, and why numbers differ";
    const struct command *command = command_at(i - 4, &probe);
    return command_summary(command, probe);
}

static const struct operand_words lists[] = {
    {"PROBE", "probe", "Probes", probe_word, probe_about, false},
    {"FORMAT", "table format", "Formats", format_word, format_about, true},
    {"TOOL", "tool", "Tools", tongue_word, tongue_about, true},
    {"SHELL", "shell", "Shells", shell_word, shell_about, false},
    {"WHAT", "list", "Lists", topic_word, topic_about, false},
    {"PAGE", "page of the manual", "Pages", manual_page, page_about, false},
};

const struct operand_words *words_of(const struct command *command)
{
    for (size_t i = 0; command->operands && i < sizeof lists / sizeof *lists; i++)
        if (strstr(command->operands, lists[i].operand))
            return &lists[i];
    return NULL;
}

bool words_repeat(const struct command *command)
{
    return command->operands && !command->passes_on && strstr(command->operands, "...");
}

bool words_or_files(const struct command *command)
{
    return words_of(command) && *command->operands == '[' && strstr(command->operands, "FILE");
}

bool words_then_files(const struct command *command)
{
    return command->operands && (!words_of(command) || strstr(command->operands, "FILE"));
}

static int refuse_word(const struct command *command, const struct operand_words *words,
                       const char *typed, struct error *error)
{
    struct guess guess = {.typed = typed};
    char all[sizeof error->text] = "choose from";
    for (size_t i = 0; words->word(i); i++) {
        guess_offer(&guess, words->word(i));
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s %s", i ? "," : "",
                 words->word(i));
    }
    if (!words->word(0))
        snprintf(all, sizeof all, "this fathom was built without any");
    else if (words->in_help)
        snprintf(all, sizeof all, "'fathom %s --help' lists them", command->name);
    const bool many = strlen(all) > 200;
    return guess_refuse(&guess, words->kind,
                        many ? "'fathom --help' lists commands and probes" : all, error);
}

/* Files where one is read at a time. */
static int refuse_files(const struct command *command, const char *first, struct error *error)
{
    return error_set(error, ERROR_USAGE,
                     "'%s': fathom %s reads one file at a time: write each with -o FILE, and let "
                     "'fathom merge' make one document of them",
                     first, command->name);
}

static int refuse_count(const struct invocation *invocation, int most, struct error *error)
{
    const char *name = command_name(invocation->command, invocation->probe);
    if (!most)
        return error_set(error, ERROR_USAGE,
                         "%s takes no operand like '%s': leave it out, or name an option; 'fathom "
                         "%s --help' lists them",
                         name, invocation->operands[0], name);
    if (words_or_files(invocation->command) && invocation->operand_count > most)
        return refuse_files(invocation->command, invocation->operands[most], error);
    if (invocation->operand_count < most)
        return error_set(error, ERROR_USAGE, "too few words: write fathom %s %s", name,
                         invocation->command->operands);
    return error_set(error, ERROR_USAGE, "'%s' is one operand too many: fathom %s %s",
                     invocation->operands[most], name, invocation->command->operands);
}

int words_check(const struct invocation *invocation, struct error *error)
{
    const struct command *command = invocation->command;
    const struct operand_words *words = words_of(command);
    const char *usage = command->operands ? command->operands : "";
    const int count = invocation->operand_count;
    int named = *usage != '\0'; /* operands in the usage line */
    for (const char *c = usage; *c; c++)
        named += *c == ' ';
    const bool files = words_or_files(command);
    const int least = command->passes_on ? 1 : files ? named - 1 : *usage == '[' ? 0 : named;
    const int most = words_repeat(command) || command->passes_on ? INT_MAX : named;
    if (count < least || count > most)
        return refuse_count(invocation, most, error);
    const int checked = words_repeat(command) ? count : files ? count > least : count > 0;
    for (int i = 0; words && i < checked; i++) {
        size_t w = 0;
        while (words->word(w) && strcmp(words->word(w), invocation->operands[i]) != 0)
            w++;
        if (!words->word(w) && files && access(invocation->operands[i], F_OK) == 0)
            return refuse_files(command, invocation->operands[count - 1], error);
        if (!words->word(w))
            return refuse_word(command, words, invocation->operands[i], error);
    }
    return 0;
}
