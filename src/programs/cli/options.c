#include "programs/cli/options.h"

#include "base/guess.h"
#include "measure/probes/kit/probe.h"

#include <getopt.h>
#include <string.h>

#include "options.help.h"

/* getopt's tables, made from ours. Long options return 256 + index, short ones their letter. */
struct getopt_tables {
    struct option *longs;
    char *shorts;
};

static int make_tables(struct settings *settings, bool passes_on, struct getopt_tables *tables)
{
    tables->longs = pool_alloc(&settings->pool, settings->count + 1, sizeof *tables->longs);
    tables->shorts = pool_alloc(&settings->pool, 2 * settings->count + 3, 1);
    if (!tables->longs || !tables->shorts)
        return ERROR_SYSTEM;
    char *letter = tables->shorts;
    if (passes_on)
        *letter++ = '+'; /* the first operand ends the options */
    *letter++ = ':';     /* getopt returns ':' for a missing argument */
    for (size_t i = 0; i < settings->count; i++) {
        const struct option_spec *spec = settings->list[i].spec;
        int argument = spec->type == OPTION_FLAG ? no_argument : required_argument;
        tables->longs[i] = (struct option){spec->name, argument, NULL, 256 + (int)i};
        if (spec->letter) {
            *letter++ = spec->letter;
            if (argument)
                *letter++ = ':';
        }
    }
    return 0;
}

static const struct option_spec *spec_of(const struct settings *settings, int option)
{
    if (option >= 256)
        return settings->list[option - 256].spec;
    for (size_t i = 0; i < settings->count; i++)
        if (settings->list[i].spec->letter == option)
            return settings->list[i].spec;
    return NULL;
}

/* Letters of the tools that fathom replaces, and the fathom options for them. */
static const struct {
    const char *command;
    char letter;
    const char *here;
} foreign[] = {
    {"cores", 'b', "--op, like --op cas or --op readwrite"},
    {"latency", 'b', "--size, with a unit, like --size 32K"},
    {"latency", 'm', "--size, with a unit, like --size 256M"},
    {"latency", 't', "--order random, which is the default; several CPUs are --threads"},
    {"latency", 'P', "--threads"},
    {"latency", 'c', "--variants, or --address and --access"},
    {"bandwidth", 'P', "--threads"},
    {"bandwidth", 'W', "--mix, like --mix 2:1"},
    {"loaded", 'W', "--mix, the share of reads in per cent"},
};

static const char *foreign_letter(const char *command, int letter)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (foreign[i].letter == letter && strcmp(foreign[i].command, command) == 0)
            return foreign[i].here;
    return NULL;
}

static int refuse(const struct invocation *invocation, int answer, const char *word,
                  struct error *error)
{
    const char *name = invocation->probe ? invocation->probe->name : invocation->command->name;
    const struct option_spec *spec = spec_of(&invocation->settings, optopt);
    const char letter[] = {'-', (char)optopt, '\0'};
    /* Some systems call a value too many one that is missing. */
    if (answer == ':' && !strchr(word, '='))
        return error_set(error, ERROR_USAGE, "%s needs a value: %s %s",
                         optopt < 256 ? letter : word, optopt < 256 ? letter : word,
                         spec && spec->argument ? spec->argument : "VALUE");
    if (spec && optopt >= 256)
        return error_set(error, ERROR_USAGE, "--%s takes no value", spec->name);
    const char *meant = word[1] != '-' ? foreign_letter(name, optopt) : NULL;
    if (meant)
        return error_set(error, ERROR_USAGE,
                         "%s has no option '-%c', which is another tool's; here it is %s; 'fathom "
                         "as --help' lists the tools whose own arguments are understood",
                         name, optopt, meant);
    if (word[0] != '-' || word[1] != '-')
        return error_set(error, ERROR_USAGE,
                         "%s has no option '-%c'; 'fathom %s --help' lists them", name, optopt,
                         name);
    char typed[sizeof error->text];
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word, "="), word);
    /* Refuses an unknown option and suggests the closest one, or the probe that has it. */
    struct guess guess = {.typed = typed + 2};
    for (size_t i = 0; i < invocation->settings.count; i++)
        guess_offer(&guess, invocation->settings.list[i].spec->name);
    if (guess.word)
        return error_set(error, ERROR_USAGE, "%s has no option '%s'; did you mean '--%s'?", name,
                         typed, guess.word);
    for (size_t i = 0; probes[i]; i++)
        for (const struct option_spec *its = probes[i]->help->options; its && its->name; its++)
            if (strcmp(its->name, typed + 2) == 0)
                return error_set(error, ERROR_USAGE,
                                 "%s has no option '%s'; it is one of 'fathom %s'", name, typed,
                                 probes[i]->name);
    return error_set(error, ERROR_USAGE, "%s has no option '%s'; 'fathom %s --help' lists them",
                     name, typed, name);
}

int options_parse(struct invocation *invocation, int argc, char **argv, struct error *error)
{
    struct getopt_tables tables = {0};
    int code = settings_add(&invocation->settings, help_options, error);
    const struct probe *probe = invocation->probe;
    const struct option_spec *const *table = invocation->command->options;
    if (code == 0)
        code = settings_add(&invocation->settings,
                            probe ? probe->help->options : invocation->command->foreign, error);
    for (; table && *table && code == 0; table++)
        code = settings_add(&invocation->settings, *table, error);
    if (code == 0 &&
        make_tables(&invocation->settings, invocation->command->passes_on, &tables) < 0)
        code = error_out_of_memory(error);
    opterr = 0;
    optind = 0; /* glibc and musl: begin anew, and let options follow operands */
    while (tables.longs && tables.shorts) {
        int answer = getopt_long(argc, argv, tables.shorts, tables.longs, NULL);
        if (answer == -1)
            break;
        struct error *first = code == 0 ? error : NULL;
        const int taken =
            answer == '?' || answer == ':'
                ? refuse(invocation, answer, argv[optind > 1 ? optind - 1 : 1], first)
                : settings_set(&invocation->settings, spec_of(&invocation->settings, answer)->name,
                               optarg, first);
        if (first && taken < 0 && answer < 256 && answer != '?' && answer != ':') {
            /* A hint for a letter that fathom has too, given with a value that only the other tool
             * takes. */
            const char *meant =
                foreign_letter(command_name(invocation->command, invocation->probe), answer);
            const size_t length = strlen(error->text);
            if (meant)
                snprintf(error->text + length, sizeof error->text - length,
                         "; another tool's -%c is %s here", answer, meant);
        }
        code = code == 0 ? taken : code;
    }
    settings_fill(&invocation->settings, help_options, &invocation->options);
    for (table = invocation->command->options; table && *table; table++)
        settings_fill(&invocation->settings, *table, &invocation->options);
    invocation->operands = argv + optind;
    invocation->operand_count = argc - optind;
    return code;
}
