#include "speak/tongues/arguments.h"

#include <string.h>

struct words {
    struct talk *talk;
    const struct tongue_argument *table;
    int next;
};

static bool is_end(const struct tongue_argument *argument)
{
    return !argument->letter && !argument->name;
}

static void take(struct words *words, size_t which, const char *value)
{
    const struct tongue_argument *argument = &words->table[which];
    struct talk *talk = words->talk;
    char called[64]; /* in a message: "-b" or "--csv" */
    if (argument->letter)
        snprintf(called, sizeof called, "-%c", argument->letter);
    else
        snprintf(called, sizeof called, "--%s", argument->name);
    if (argument->value && !value && words->next < talk->argc)
        value = talk->argv[words->next++];
    if (argument->value && !value)
        talk_refuse(talk, "%s needs a value: %s", called, argument->value);
    talk->values[which] = value ? value : "";
    if (argument->idle)
        talk_aside(talk, "%s does nothing here: %s", called, argument->help);
}

_Noreturn static void refuse(const struct words *words, const char *word)
{
    talk_refuse(words->talk,
                "'%s' is no argument that fathom knows of it; 'fathom as %s --help' lists them",
                word, words->talk->tongue->name);
}

static void read_long(struct words *words, const char *word)
{
    const size_t length = strcspn(word + 2, "=");
    for (size_t i = 0; !is_end(&words->table[i]); i++) {
        const struct tongue_argument *argument = &words->table[i];
        if (!argument->name || strlen(argument->name) != length ||
            strncmp(argument->name, word + 2, length) != 0)
            continue;
        const char *value = word[2 + length] ? word + 3 + length : NULL;
        if (value && !argument->value)
            talk_refuse(words->talk, "--%s takes no value", argument->name);
        take(words, i, value);
        return;
    }
    refuse(words, word);
}

static void read_letters(struct words *words, const char *word)
{
    for (const char *letter = word + 1; *letter; letter++) {
        size_t i = 0;
        while (!is_end(&words->table[i]) && words->table[i].letter != *letter)
            i++;
        if (is_end(&words->table[i]))
            refuse(words, word);
        const bool valued = words->table[i].value;
        take(words, i, valued && letter[1] ? letter + 1 : NULL);
        if (valued)
            return;
    }
}

void arguments_read(struct talk *talk)
{
    static const struct tongue_argument none[] = {{.letter = 0}};
    const struct tongue *tongue = talk->tongue;
    struct words words = {.talk = talk, .table = tongue->arguments ? tongue->arguments : none};
    bool only_operands = false;
    talk->operands =
        pool_alloc(&talk->document->pool, (size_t)talk->argc + 1, sizeof *talk->operands);
    while (words.next < talk->argc) {
        char *word = talk->argv[words.next++];
        if (only_operands || word[0] != '-' || !word[1])
            talk->operands[talk->operand_count++] = word;
        else if (strcmp(word, "--") == 0)
            only_operands = true;
        else
            (word[1] == '-' ? read_long : read_letters)(&words, word);
    }
    if (talk->operand_count < tongue->operands_least)
        talk_refuse(talk, "too few words: it is called as %s %s; 'fathom as %s --help' tells more",
                    tongue->name, tongue->operands, tongue->name);
    if (talk->operand_count > tongue->operands_most)
        talk_refuse(talk, "'%s' is one word too many; 'fathom as %s --help' tells how it is called",
                    talk->operands[tongue->operands_most], tongue->name);
}
