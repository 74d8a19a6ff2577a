#include "base/settings.h"

#include "base/guess.h"
#include "base/text.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct setting *own(const struct settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->list[i].spec->name, name) == 0)
            return &settings->list[i];
    return NULL;
}

const struct setting *settings_of(const struct settings *settings, const struct option_spec *spec)
{
    const struct setting *setting = own(settings, spec->name);
    const struct setting *given =
        setting && settings->given ? settings_of(settings->given, spec) : NULL;
    return given && given->given ? given : setting;
}

static int check_range(const struct option_spec *spec, const char *text, double value,
                       struct error *error)
{
    bool size = spec->type == OPTION_SIZE || spec->type == OPTION_SIZES;
    /* A 32-bit program can't address more, and would measure another size than asked for. */
    const double addressable = sizeof(size_t) < sizeof(uint64_t) ? (double)PTRDIFF_MAX : INFINITY;
    double most = spec->most > 0 ? spec->most : size ? addressable : INFINITY;
    if (value >= spec->least && value <= most &&
        (spec->type == OPTION_REAL || value == floor(value)))
        return 0;
    const char *kind = spec->type == OPTION_REAL ? "a number" : "a whole number";
    char low[UNIT_TEXT], high[UNIT_TEXT];
    if (size)
        size_format(spec->least, low);
    else
        snprintf(low, sizeof low, "%.16g", spec->least);
    if (isinf(most))
        return error_set(error, ERROR_USAGE, "--%s '%s': give %s of at least %s", spec->name, text,
                         size ? "a size" : kind, low);
    if (size)
        size_format(most, high);
    else
        snprintf(high, sizeof high, "%.16g", most);
    return error_set(error, ERROR_USAGE, "--%s '%s': give %s from %s to %s", spec->name, text,
                     size ? "a size" : kind, low, high);
}

/* Puts the option's name before a parser's message. */
static int name_option(const struct option_spec *spec, struct error *error)
{
    if (!error)
        return ERROR_USAGE;
    char said[sizeof error->text];
    memcpy(said, error->text, sizeof said);
    return error_set(error, error->code, "--%s: %s", spec->name, said);
}

static int set_sizes(struct settings *settings, struct setting *setting, const char *text,
                     struct error *error)
{
    char *copy = pool_strdup(&settings->pool, text);
    if (!copy)
        return error_out_of_memory(error);
    setting->sizes = NULL;
    setting->size_count = 0;
    for (char *item = copy, *next; item; item = next) {
        next = strchr(item, ',');
        if (next)
            *next++ = '\0';
        uint64_t size;
        if (size_parse(item, &size, error) < 0)
            return name_option(setting->spec, error);
        if (check_range(setting->spec, item, (double)size, error) < 0)
            return ERROR_USAGE;
        uint64_t *slot = pool_append(&settings->pool, (void **)&setting->sizes,
                                     &setting->size_count, sizeof size);
        if (!slot)
            return error_out_of_memory(error);
        *slot = size;
    }
    return 0;
}

int option_choose(const char *option, const char *const *choices, const char *word, size_t length,
                  struct error *error)
{
    char typed[64], known[256] = "";
    struct guess guess = {.typed = typed};
    snprintf(typed, sizeof typed, "%.*s", (int)(length < sizeof typed ? length : sizeof typed),
             word);
    text_drop_half(typed);
    for (int i = 0; choices[i]; i++) {
        if (strlen(choices[i]) == length && memcmp(choices[i], word, length) == 0)
            return i;
        guess_offer(&guess, choices[i]);
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", choices[i]);
    }
    return error_set(error, ERROR_USAGE, "--%s '%s': choose one of %s%s%s%s", option, typed, known,
                     guess.word ? "; did you mean '" : "", guess.word ? guess.word : "",
                     guess.word ? "'?" : "");
}

static int set_value(struct settings *settings, struct setting *setting, const char *text,
                     struct error *error)
{
    int code;
    switch (setting->spec->type) {
    case OPTION_FLAG:
        return 0;
    case OPTION_INTEGER:
    case OPTION_REAL:
        if (number_parse(text, &setting->number, error) < 0)
            return name_option(setting->spec, error);
        return check_range(setting->spec, text, setting->number, error);
    case OPTION_SIZE:
        if (size_parse(text, &setting->bytes, error) < 0)
            return name_option(setting->spec, error);
        return check_range(setting->spec, text, (double)setting->bytes, error);
    case OPTION_SIZES:
        return set_sizes(settings, setting, text, error);
    case OPTION_CPUS:
        code = cpulist_read(text, &setting->cpus, &settings->pool, error);
        return code == ERROR_USAGE ? name_option(setting->spec, error) : code;
    case OPTION_CHOICE:
        code =
            option_choose(setting->spec->name, setting->spec->choices, text, strlen(text), error);
        if (code < 0)
            return code; /* the old choice stays */
        setting->choice = code;
        return 0;
    case OPTION_TEXT:
    case OPTION_TEXTS:
        if (*text)
            return 0;
        return error_set(error, ERROR_USAGE, "--%s '': give a name, not an empty text",
                         setting->spec->name);
    }
    return 0;
}

static int assign(struct settings *settings, struct setting *setting, const char *text,
                  struct error *error)
{
    int code = set_value(settings, setting, text, error);
    if (code < 0)
        return code;
    setting->text = setting->has && setting->spec->type == OPTION_TEXTS
                        ? pool_printf(&settings->pool, "%s %s", setting->text, text)
                        : pool_strdup(&settings->pool, text ? text : "yes");
    setting->has = true;
    return setting->text ? 0 : error_out_of_memory(error);
}

bool option_names_file(const struct option_spec *spec)
{
    return spec->argument && strcmp(spec->argument, "FILE") == 0;
}

int settings_add(struct settings *settings, const struct option_spec *table, struct error *error)
{
    for (; table && table->name; table++) {
        struct setting *setting = pool_append(&settings->pool, (void **)&settings->list,
                                              &settings->count, sizeof *setting);
        if (!setting)
            return error_out_of_memory(error);
        setting->spec = table;
        if (table->fallback) {
            int code = assign(settings, setting, table->fallback, error);
            if (code < 0)
                return code;
        }
    }
    return 0;
}

int settings_set(struct settings *settings, const char *name, const char *text, struct error *error)
{
    struct setting *setting = own(settings, name);
    if (!setting)
        return error_set(error, ERROR_USAGE, "unknown option '--%s'", name);
    setting->given = true;
    return assign(settings, setting, text, error);
}

void settings_free(struct settings *settings)
{
    pool_free(&settings->pool);
    *settings = (struct settings){0};
}

void settings_fill(const struct settings *settings, const struct option_spec *table, void *options)
{
    for (; table && table->name; table++) {
        const struct setting *setting = settings_of(settings, table);
        memcpy((char *)options + table->at, setting ? setting : &(struct setting){0},
               sizeof *setting);
    }
}

const struct setting *settings_at(const struct settings *settings, size_t i)
{
    return i < settings->count ? settings_of(settings, settings->list[i].spec) : NULL;
}

const char *settings_first_given(const struct setting *const *options)
{
    while (*options && !(*options)->given)
        options++;
    return *options ? (*options)->spec->name : NULL;
}
