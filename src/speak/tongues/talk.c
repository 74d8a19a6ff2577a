/* Shared by all tongues: values of arguments, measuring, and asides. */
#include "base/units.h"
#include "document/flag.h"
#include "speak/tongues/tongue.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const struct tongue *tongue_by_name(const char *name)
{
    for (size_t i = 0; tongues[i]; i++)
        if (strcmp(tongues[i]->name, name) == 0)
            return tongues[i];
    return NULL;
}

/* --- texts --- */

const char *talk_digits(struct talk *talk, uint64_t number)
{
    return pool_printf(&talk->document->pool, "%llu", (unsigned long long)number);
}

const char *talk_list(struct talk *talk, const uint64_t *numbers, size_t count)
{
    const char *list = "";
    for (size_t i = 0; i < count; i++)
        list = pool_printf(&talk->document->pool, "%s%s%llu", list, i ? "," : "",
                           (unsigned long long)numbers[i]);
    return list;
}

void talk_refuse(const struct talk *talk, const char *format, ...)
{
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pool_leave(&talk->document->pool, ERROR_USAGE, "%s: %s", talk->tongue->name, text);
}

void talk_aside(const struct talk *talk, const char *format, ...)
{
    va_list arguments;
    fprintf(talk->aside, "fathom: %s: ", talk->tongue->name);
    va_start(arguments, format);
    vfprintf(talk->aside, format, arguments);
    va_end(arguments);
    fputc('\n', talk->aside);
}

void talk_as_form(const struct talk *talk)
{
    const char *version = talk->document->tool.version;
    talk_aside(talk, "measured by fathom %s: the name in the first line is that of the form",
               version ? version : "");
}

/* --- values --- */

const char *talk_value(const struct talk *talk, char letter)
{
    const struct tongue_argument *table = talk->tongue->help->arguments;
    for (size_t i = 0; table[i].letter || table[i].name; i++)
        if (table[i].letter == letter)
            return talk->values[i];
    return NULL;
}

const char *talk_named(const struct talk *talk, const char *name)
{
    const struct tongue_argument *table = talk->tongue->help->arguments;
    for (size_t i = 0; table[i].letter || table[i].name; i++)
        if (table[i].name && strcmp(table[i].name, name) == 0)
            return talk->values[i];
    return NULL;
}

uint64_t talk_whole(const struct talk *talk, const char *what, const char *text, uint64_t least,
                    uint64_t most)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || number < least || number > most)
        talk_refuse(talk, "%s '%s': give a whole number from %llu to %llu", what, text,
                    (unsigned long long)least, (unsigned long long)most);
    return number;
}

uint64_t talk_number(const struct talk *talk, char letter, uint64_t least, uint64_t most,
                     uint64_t fallback)
{
    const char *text = talk_value(talk, letter);
    const char what[] = {'-', letter, '\0'};
    return text ? talk_whole(talk, what, text, least, most) : fallback;
}

uint64_t talk_size(const struct talk *talk, const char *what, const char *text, uint64_t unit)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    static const struct {
        char letter;
        uint64_t bytes;
    } units[] = {{'k', 1 << 10}, {'m', 1 << 20}, {'g', 1 << 30}};
    bool known = isdigit((unsigned char)*text) && !errno && number;
    if (known && *end) {
        known = false;
        for (size_t i = 0; i < sizeof units / sizeof *units && !end[1]; i++)
            if (tolower((unsigned char)*end) == units[i].letter) {
                unit = units[i].bytes;
                known = true;
            }
    }
    if (!known || number > (UINT64_MAX >> 2) / unit)
        talk_refuse(talk, "%s '%s': give a size, like 512, 64k, 256m or 1g", what, text);
    return number * unit;
}

/* --- arguments --- */

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

/* Fills the talk's values and operands; writes aside which arguments do nothing. Letters may be
 * combined ("-vt4"). A value may be in one word with its letter or name, or be the next word
 * ("-b20", "-b 20", "--cores=1", "--cores 1"). Options may follow operands; "--" ends them. Leaves
 * with ERROR_USAGE, which names the argument. */
static void read_arguments(struct talk *talk)
{
    const struct tongue *tongue = talk->tongue;
    struct words words = {.talk = talk, .table = tongue->help->arguments};
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
                    tongue->name, tongue->help->operands, tongue->name);
    if (talk->operand_count > tongue->operands_most)
        talk_refuse(talk, "'%s' is one word too many; 'fathom as %s --help' tells how it is called",
                    talk->operands[tongue->operands_most], tongue->name);
}

/* --- measuring --- */

/* A run and its settings, which live as long as the talk: the document refers to their texts. */
struct talk_run {
    struct run run;
    struct settings settings;
    struct talk_run *before;
};

void talk_release(struct talk *talk)
{
    for (; talk->last; talk->last = talk->last->before) {
        run_release(&talk->last->run);
        settings_free(&talk->last->settings);
    }
}

struct talk_task {
    struct talk *talk;
    struct talk_run *kept;
    const struct talk_option *options;
    double budget_s;
};

/* Runs the probe. The run owns threads, so this is called outside of the step. */
static int carry_out(void *with, struct error *error)
{
    const struct talk_task *task = with;
    struct run *run = &task->kept->run;
    const struct probe *probe = run->probes[0];
    const struct talk_option *options = task->options;
    char budget[UNIT_TEXT];
    snprintf(budget, sizeof budget, "%.6g", task->budget_s);
    int code = settings_add(&task->kept->settings, probe->help->options, error);
    if (code == 0)
        code = settings_add(&task->kept->settings, probe_common_options, error);
    if (code == 0)
        code = settings_set(&task->kept->settings, "budget", budget, error);
    for (; code == 0 && options->name; options++)
        code = settings_set(&task->kept->settings, options->name, options->value, error);
    if (code == 0 && task->talk->measure)
        return task->talk->measure(task->talk, probe->name, task->options, error);
    if (code == 0)
        code = run_plan(run, error);
    return code == 0 ? run_measure(run, error) : code;
}

const struct probe_result *talk_measure(struct talk *talk, const char *name,
                                        const struct talk_option *options, double budget_s)
{
    struct pool *pool = &talk->document->pool;
    const struct probe **chosen = pool_alloc(pool, 2, sizeof *chosen);
    struct talk_run *kept = pool_alloc(pool, 1, sizeof *kept);
    chosen[0] = probe_by_name(name);
    if (!chosen[0])
        pool_leave(pool, ERROR_IMPOSSIBLE, "%s", probe_absent(name));
    kept->before = talk->last;
    talk->last = kept;
    if (talk->budget_most_s > 0)
        budget_s = fmin(budget_s, talk->budget_most_s);
    /* The command that repeats the measurement and shows all its results: "fathom latency --size
     * 32M
     * --order random". */
    const char *text = talk->more ? talk->more : pool_printf(pool, "fathom %s", name);
    for (const struct talk_option *option = options; !talk->more && option->name; option++)
        text = option->value ? pool_printf(pool, "%s --%s %s", text, option->name, option->value)
                             : pool_printf(pool, "%s --%s", text, option->name);
    const char **command =
        pool_append(pool, (void **)&talk->commands, &talk->command_count, sizeof *command);
    *command = text;
    talk->more = NULL;
    kept->run = (struct run){.machine = talk->machine,
                             .settings = &kept->settings,
                             .probes = chosen,
                             .document = talk->document,
                             .model = talk->model,
                             .stop = talk->stop,
                             .listener = talk->listener};
    const int code =
        pool_outside(pool, carry_out, &(struct talk_task){talk, kept, options, budget_s});
    /* A probe's error names its own option, not the one that was typed, so the message has the
     * fathom command too. */
    if (code == ERROR_USAGE) {
        const struct error own = *pool_error(pool);
        pool_leave(pool, code, "%s, as '%s': %s", talk->tongue->name,
                   talk->commands[talk->command_count - 1], own.text);
    }
    pool_check(pool, code);
    const struct probe_result *result = &talk->document->probes[talk->document->probe_count - 1];
    struct run_facts *facts = &talk->document->run;
    /* Doubts, and the flag that no hardware was measured, of all points and findings, because any
     * of them may be in the table. */
    unsigned flags = 0;
    for (size_t i = 0; i < result->finding_count; i++)
        flags |= result->findings[i].flags;
    for (size_t i = 0; i < result->series_count; i++)
        for (size_t n = 0; n < result->series[i].point_count; n++)
            flags |= result->series[i].points[n].flags;
    talk->doubts |= flag_doubts(flags) | (flags & FLAG_BIT(FLAG_MODELLED));
    talk->elapsed_s += facts->elapsed_s;
    talk->budget_s += kept->run.budget_s;
    facts->elapsed_s = talk->elapsed_s;
    facts->budget_s = talk->budget_s;
    if (result->status != PROBE_OK && result->status != PROBE_PARTIAL)
        pool_leave(&talk->document->pool, ERROR_IMPOSSIBLE, "%s: %s", talk->tongue->name,
                   result->reason ? result->reason : "nothing could be measured");
    return result;
}

/* --- results --- */

const struct point *talk_cell(const struct series *series, int from, int to)
{
    for (size_t i = 0; series && i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (point->from == from && point->to == to)
            return point;
    }
    return NULL;
}

const struct probe_result *talk_latest(const struct talk *talk, const char *probe)
{
    const struct document *document = talk->document;
    size_t i = document->probe_count;
    while (i && strcmp(document->probes[i - 1].name, probe) != 0)
        i--;
    return i ? &document->probes[i - 1] : NULL;
}

bool talk_has_node(const struct series *series, int node, bool from)
{
    for (size_t i = 0; series && i < series->point_count; i++)
        if ((from ? series->points[i].from : series->points[i].to) == node)
            return true;
    return !series;
}

void talk_hole(struct talk *talk, const struct point *point, const char *what)
{
    const struct document *document = talk->document;
    const char *why = point && point->failed  ? point->failed
                      : document->probe_count ? document->probes[document->probe_count - 1].reason
                                              : NULL;
    talk->holes++;
    talk_aside(talk, "%s has no value: %s", what, why ? why : "there was no time for it");
}

const struct point *talk_point(struct talk *talk, const struct series *series, double x,
                               const char *what)
{
    const struct point *point = series ? series_point(series, x) : NULL;
    if (point && point->y.n)
        return point;
    talk_hole(talk, point, what ? what : pool_printf(&talk->document->pool, "%.0f", x));
    return NULL;
}

void talk_need(const struct talk *talk, bool is_there, const char *what)
{
    if (!is_there)
        pool_leave(
            &talk->document->pool, ERROR_IMPOSSIBLE,
            "%s: %s was not measured: there was no time for it, or no memory; the command that "
            "standard error names, with a larger --budget, tells more",
            talk->tongue->name, what);
}

/* --- speaking --- */

static int speak(void *with)
{
    struct talk *talk = with;
    read_arguments(talk);
    talk->tongue->speak(talk);
    return 0;
}

int tongue_speak(struct talk *talk, int argc, char **argv, struct error *error)
{
    talk->argc = argc;
    talk->argv = argv;
    const int code = pool_enter(&talk->document->pool, speak, talk, error);
    if (code == 0 || (talk->command_count && code != ERROR_USAGE)) {
        for (unsigned flag = 0; flag < FLAG_COUNT; flag++) {
            const struct flag_text *text = &flag_texts[flag];
            if (talk->doubts & FLAG_BIT(flag))
                talk_aside(talk, "in doubt: %s%s%s; %s", text->meaning, text->why ? ": " : "",
                           text->why ? text->why : "", text->remedy);
        }
        for (size_t i = 0; i < talk->command_count; i++)
            talk_aside(talk, "intervals and more: %s", talk->commands[i]);
    }
    return code;
}
