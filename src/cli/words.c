#include "cli/words.h"

#include "import/import.h"
#include "probes/probe.h"

#include <stdio.h>
#include <string.h>

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

static const char *const *format_options(size_t i)
{
    static const char *const none[] = {NULL};
    return import_formats[i]->options ? import_formats[i]->options : none;
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
    const struct command *command = command_at(i - 3, &probe);
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
    const struct command *command = command_at(i - 3, &probe);
    return command_summary(command, probe);
}

static const struct operand_words lists[] = {
    {"PROBE", "Probes", probe_word, probe_about, NULL},
    {"FORMAT", "Formats", format_word, format_about, format_options},
    {"SHELL", "Shells", shell_word, shell_about, NULL},
    {"WHAT", "Lists", topic_word, topic_about, NULL},
    {"PAGE", "Pages", manual_page, page_about, NULL},
};

const char *words_about(const struct operand_words *words, size_t i, char *text, size_t size)
{
    const char *const *options = words->options ? words->options(i) : NULL;
    snprintf(text, size, "%s", words->about(i));
    for (size_t o = 0; options && options[o]; o++)
        snprintf(text + strlen(text), size - strlen(text), "%s--%s", o ? ", " : "; takes ",
                 options[o]);
    return text;
}

const struct operand_words *words_of(const struct command *command)
{
    for (size_t i = 0; command->operands && i < sizeof lists / sizeof *lists; i++)
        if (strstr(command->operands, lists[i].operand))
            return &lists[i];
    return NULL;
}

bool words_repeat(const struct command *command)
{
    return command->operands && strstr(command->operands, "...");
}

bool words_or_files(const struct command *command)
{
    return words_of(command) && *command->operands == '[' && strstr(command->operands, "FILE");
}

bool words_then_files(const struct command *command)
{
    return command->operands && (!words_of(command) || strstr(command->operands, "FILE"));
}
