#include "speak/tongues/arguments.h"

#include <string.h>

struct reading {
    struct talk *talk;
    const struct tongue_argument *table;
    int argc, next;
    char **argv;
    struct error *error;
};

static bool is_end(const struct tongue_argument *argument)
{
    return !argument->letter && !argument->name;
}

/* What it is called in a message: "-b" or "--csv". */
static const char *called(const struct tongue_argument *argument, char text[64])
{
    if (argument->letter)
        snprintf(text, 64, "-%c", argument->letter);
    else
        snprintf(text, 64, "--%s", argument->name);
    return text;
}

static int take(struct reading *reading, size_t which, const char *value)
{
    const struct tongue_argument *argument = &reading->table[which];
    char text[64];
    if (argument->value && !value && reading->next < reading->argc)
        value = reading->argv[reading->next++];
    if (argument->value && !value)
        return error_set(reading->error, ERROR_USAGE, "%s: %s needs a value: %s",
                         reading->talk->tongue->name, called(argument, text), argument->value);
    reading->talk->values[which] = value ? value : "";
    if (argument->idle)
        talk_aside(reading->talk, "%s does nothing here: %s", called(argument, text),
                   argument->help);
    return 0;
}

static int refuse(const struct reading *reading, const char *word)
{
    const char *name = reading->talk->tongue->name;
    return error_set(reading->error, ERROR_USAGE,
                     "%s: '%s' is no argument that fathom knows of it; 'fathom as %s --help' lists "
                     "them",
                     name, word, name);
}

static int read_long(struct reading *reading, const char *word)
{
    const size_t length = strcspn(word + 2, "=");
    for (size_t i = 0; !is_end(&reading->table[i]); i++) {
        const struct tongue_argument *argument = &reading->table[i];
        if (!argument->name || strlen(argument->name) != length ||
            strncmp(argument->name, word + 2, length) != 0)
            continue;
        const char *value = word[2 + length] ? word + 3 + length : NULL;
        if (value && !argument->value)
            return error_set(reading->error, ERROR_USAGE, "%s: --%s takes no value",
                             reading->talk->tongue->name, argument->name);
        return take(reading, i, value);
    }
    return refuse(reading, word);
}

static int read_letters(struct reading *reading, const char *word)
{
    for (const char *letter = word + 1; *letter; letter++) {
        size_t i = 0;
        while (!is_end(&reading->table[i]) && reading->table[i].letter != *letter)
            i++;
        if (is_end(&reading->table[i]))
            return refuse(reading, word);
        if (reading->table[i].value)
            return take(reading, i, letter[1] ? letter + 1 : NULL);
        int code = take(reading, i, NULL);
        if (code < 0)
            return code;
    }
    return 0;
}

static int check_operands(const struct reading *reading)
{
    const struct talk *talk = reading->talk;
    const struct tongue *tongue = talk->tongue;
    if (talk->operand_count < tongue->operands_least)
        return error_set(reading->error, ERROR_USAGE,
                         "%s: too few words: it is called as %s %s; 'fathom as %s --help' tells "
                         "more",
                         tongue->name, tongue->name, tongue->operands, tongue->name);
    if (talk->operand_count > tongue->operands_most)
        return error_set(reading->error, ERROR_USAGE,
                         "%s: '%s' is one word too many; 'fathom as %s --help' tells how it is "
                         "called",
                         tongue->name, talk->operands[tongue->operands_most], tongue->name);
    return 0;
}

int arguments_read(struct talk *talk, int argc, char **argv, struct error *error)
{
    static const struct tongue_argument none[] = {{.letter = 0}};
    const struct tongue *tongue = talk->tongue;
    struct reading reading = {.talk = talk,
                              .table = tongue->arguments ? tongue->arguments : none,
                              .argc = argc,
                              .argv = argv,
                              .error = error};
    talk->operands = pool_alloc(&talk->document->pool, (size_t)argc + 1, sizeof *talk->operands);
    if (!talk->operands)
        return error_out_of_memory(error);
    int code = 0;
    bool only_operands = false;
    while (code == 0 && reading.next < argc) {
        char *word = argv[reading.next++];
        if (only_operands || word[0] != '-' || !word[1])
            talk->operands[talk->operand_count++] = word;
        else if (strcmp(word, "--") == 0)
            only_operands = true;
        else
            code = word[1] == '-' ? read_long(&reading, word) : read_letters(&reading, word);
    }
    return code == 0 ? check_operands(&reading) : code;
}
