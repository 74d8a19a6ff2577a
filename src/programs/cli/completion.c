
#include "programs/cli/options.h"
#include "programs/cli/words.h"

#include <stdio.h>
#include <string.h>

/* The scripts pass the command line to fathom and show its answer, so only complete_line() knows
 * what can be typed; each script knows only how to show that in its shell. */

static const char files_too[] = ":files"; /* the answer if file names are to be offered */

struct line {
    const struct command *command;
    const struct probe *probe;
    char *const *words; /* the command's name, then what follows it up to the cursor */
    size_t count;
    const char *current; /* the word at the cursor, up to the cursor */
    const char *before;  /* the part of that word before the part to complete: "--format=" */
    size_t before_length;
};

static void offer(const struct line *line, const char *word, const char *about)
{
    if (strncmp(word, line->current, strlen(line->current)) != 0)
        return;
    printf("%.*s%s%s", (int)line->before_length, line->before, word, *about ? "\t" : "");
    for (; *about; about++)
        putchar(*about == '\n' ? ' ' : *about);
    putchar('\n');
}

static bool was_typed(const struct line *line, const char *word)
{
    for (size_t i = 1; i < line->count; i++)
        if (strcmp(line->words[i], word) == 0)
            return true;
    return false;
}

static void offer_operands(const struct line *line)
{
    const struct operand_words *words = words_of(line->command);
    struct word word;
    bool any = false;
    for (size_t i = 0; words && words->nth(i, &word); i++)
        any = any || was_typed(line, word.word);
    for (size_t i = 0; words && words->nth(i, &word); i++)
        if (words_repeat(line->command) ? !was_typed(line, word.word) : !any)
            offer(line, word.word, word.about);
    if (words_then_files(line->command) && (!words || any || words_or_files(line->command)))
        puts(files_too);
}

/* The option with this name or letter ("--format", "-f") if it takes a value; NULL otherwise. */
static const struct option_spec *option_called(const struct line *line, const char *word,
                                               size_t length)
{
    const struct option_spec *option;
    for (size_t i = 0; (option = command_option(line->command, line->probe, i)); i++) {
        const bool name = length > 2 && strncmp(word, "--", 2) == 0 &&
                          strlen(option->name) == length - 2 &&
                          strncmp(word + 2, option->name, length - 2) == 0;
        const bool letter = length == 2 && word[0] == '-' && word[1] == option->letter;
        if (option->type != OPTION_FLAG && (name || letter))
            return option;
    }
    return NULL;
}

/* The option whose value is at the cursor; NULL if none is. The value is a word after the option,
 * in one word with it ("--format=text"), or after a separate "=", as bash splits the line. */
static const struct option_spec *option_at_cursor(struct line *line)
{
    const char *equals = strchr(line->current, '=');
    size_t last = line->count;
    if (equals == line->current) {
        line->current++;
    } else if (equals && line->current[0] == '-') {
        line->before = line->current;
        line->before_length = (size_t)(equals - line->current) + 1;
        line->current = equals + 1;
        return option_called(line, line->before, line->before_length - 1);
    } else if (last > 1 && strcmp(line->words[last - 1], "=") == 0) {
        last--;
    }
    return last > 1 ? option_called(line, line->words[last - 1], strlen(line->words[last - 1]))
                    : NULL;
}

void complete_line(char *const *words, size_t count)
{
    struct line line = {.words = words, .before = ""};
    if (!count)
        return;
    line.count = count - 1;
    line.current = words[line.count];
    if (!line.count) {
        const struct probe *probe;
        const struct command *command;
        for (size_t i = 0; (command = command_at(i, &probe)); i++)
            offer(&line, command_name(command, probe), command_summary(command, probe));
        if (line.current[0] != '-')
            return;
        offer(&line, "--help", "print help");
        offer(&line, "--version", "print the version");
        return;
    }
    line.command = command_by_name(words[0], &line.probe);
    if (!line.command)
        return;
    const struct option_spec *option = option_at_cursor(&line);
    if (option) {
        for (size_t i = 0; option->choices && option->choices[i]; i++)
            offer(&line, option->choices[i], "");
        if (option_names_file(option) || strcmp(option->argument, "BASE") == 0)
            puts(files_too);
    } else if (line.current[0] != '-') {
        offer_operands(&line);
    } else {
        for (size_t i = 0; (option = command_option(line.command, line.probe, i)); i++) {
            char dashed[64], help[HELP_TEXT];
            snprintf(dashed, sizeof dashed, "--%s", option->name);
            offer(&line, dashed, help_of_option(option, help, sizeof help));
        }
    }
}

/* In the order of the shells in words.c. The scripts run fathom by the name that was typed, because
 * it may not be on the path. */
#include "completion.help.h"

static const char *const scripts[] = {bash, zsh, fish};

static int completion(struct invocation *invocation, struct error *error)
{
    fputs(scripts[words_place(words_of(invocation->command), invocation->operands[0])], stdout);
    return EXIT_DONE;
}

const struct command completion_command = {
    .name = "completion",
    .help = &help,
    .run = completion,
};
