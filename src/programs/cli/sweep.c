#include "programs/cli/sweep.h"

#include "base/save.h"
#include "compare/merge.h"
#include "conclude/complete.h"
#include "programs/cli/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep.help.h"

bool sweep_asked(const struct invocation *invocation)
{
    return invocation->options.sweep.has || invocation->options.add.has;
}

/* --- combinations --- */

/* Far more than anybody waits for. */
enum { STEPS_MOST = 4096 };

/* Whether the axis is of one of these options, or of the option of one of these axes. */
static bool axis_is_of(const char *axis, const char *const *names, size_t count)
{
    const size_t length = strcspn(axis, "=");
    for (; count > 0; names++, count--)
        if (strcspn(*names, "=") == length && strncmp(*names, axis, length) == 0)
            return true;
    return false;
}

static int split_axes(struct sweep *sweep, const char *text, struct error *error)
{
    static const char *const ours[] = {"sweep", "add", "output", "format", "html", "document"};
    char *copy = pool_strdup(&sweep->pool, text ? text : "");
    size_t steps = 1;
    for (char *word = copy ? strtok(copy, " ") : NULL; word; word = strtok(NULL, " ")) {
        char **axis =
            pool_append(&sweep->pool, (void **)&sweep->axes, &sweep->axis_count, sizeof *axis);
        if (!axis)
            return error_out_of_memory(error);
        *axis = word;
        const char *values = strchr(word, '=');
        if (!values || values == word || !values[1])
            return error_set(error, ERROR_USAGE,
                             "--sweep '%s': give an option and its values, like threads=1,2,4",
                             word);
        if (axis_is_of(word, ours, sizeof ours / sizeof *ours))
            return error_set(error, ERROR_USAGE, "--sweep %s: it is no option of what is measured",
                             word);
        if (axis_is_of(word, (const char *const *)sweep->axes, sweep->axis_count - 1))
            return error_set(error, ERROR_USAGE,
                             "--sweep %s: give all values of an option in one --sweep", word);
        size_t count = 1;
        while ((values = strchr(values, ',')))
            values++, count++;
        if ((steps *= count) > STEPS_MOST)
            return error_set(error, ERROR_USAGE, "--sweep asks for more than %d runs", STEPS_MOST);
    }
    sweep->step_count = steps;
    return copy ? 0 : error_out_of_memory(error);
}

/* "--threads=2": what combination `step` has of an axis. *step becomes what is left for the axes
 * before it. */
static char *word_of(struct sweep *sweep, const char *axis, size_t *step)
{
    const char *value = strchr(axis, '=') + 1;
    size_t count = 1;
    for (const char *c = value; *c; c++)
        count += *c == ',';
    for (size_t skip = *step % count; skip > 0; skip--)
        value = strchr(value, ',') + 1;
    *step /= count;
    return pool_printf(&sweep->pool, "--%.*s=%.*s", (int)strcspn(axis, "="), axis,
                       (int)strcspn(value, ","), value);
}

/* NULL where the axis does not begin with an option's whole name. */
static const struct setting *setting_of(const struct invocation *step, const char *axis)
{
    const struct setting *setting;
    for (size_t i = 0; (setting = settings_at(&step->settings, i)); i++)
        if (axis_is_of(axis, &setting->spec->name, 1))
            break;
    return setting;
}

static int parse_step(struct sweep *sweep, const struct invocation *asked, size_t number,
                      struct error *error)
{
    struct invocation *step = &sweep->steps[number];
    const int typed = asked->argc;
    char **words = pool_alloc(&sweep->pool, (size_t)typed + sweep->axis_count + 1, sizeof *words);
    if (!words)
        return error_out_of_memory(error);
    /* Options may be given again, and the last one counts; "--" ends them. */
    words[0] = asked->argv[0], words[1] = asked->argv[1];
    for (size_t i = sweep->axis_count; i-- > 0;)
        if (!(words[typed + (int)i] = word_of(sweep, sweep->axes[i], &number)))
            return error_out_of_memory(error);
    for (int i = 2; i < typed; i++)
        if (!(words[i] = pool_strdup(&sweep->pool, asked->argv[i])))
            return error_out_of_memory(error);
    *step = (struct invocation){
        .command = asked->command, .probe = asked->probe, .argv = asked->argv, .argc = asked->argc};
    int code = options_parse(step, typed - 1 + (int)sweep->axis_count, words + 1, error);
    for (size_t a = 0; a < sweep->axis_count && code == 0; a++)
        if (!setting_of(step, sweep->axes[a]))
            code = error_set(error, ERROR_USAGE,
                             "--sweep %s: write the whole name of the option that is swept",
                             sweep->axes[a]);
    return code;
}

int sweep_open(struct sweep *sweep, const struct invocation *asked, const char *add_to,
               struct error *error)
{
    *sweep = (struct sweep){.axes = NULL};
    int code = split_axes(sweep, asked->options.sweep.text, error);
    sweep->steps = calloc(sweep->step_count, sizeof *sweep->steps);
    sweep->documents = calloc(sweep->step_count + 1, sizeof *sweep->documents);
    if (code == 0 && (!sweep->steps || !sweep->documents))
        code = error_out_of_memory(error);
    for (size_t i = 0; i < sweep->step_count && code == 0; i++)
        code = parse_step(sweep, asked, i, error);
    if (code == 0 && add_to)
        code = save_alone(&add_to, 1, error);
    if (code == 0 && add_to && access(add_to, F_OK) == 0) {
        code = experiment_read(&sweep->documents[0], add_to, error);
        sweep->document_count = 1;
    }
    return code;
}

void sweep_close(struct sweep *sweep)
{
    document_free(&sweep->joined);
    for (size_t i = 0; i < sweep->document_count; i++)
        document_free(&sweep->documents[i]);
    for (size_t i = 0; sweep->steps && i < sweep->step_count; i++)
        settings_free(&sweep->steps[i].settings);
    free(sweep->documents);
    free(sweep->steps);
    pool_free(&sweep->pool);
}

/* --- what was measured --- */

/* Adds the swept option as a factor. It has the option's name, or "pages asked" where a factor of
 * that name already says what was obtained, with another value. */
static void add_factor(struct pool *pool, struct factor **factors, size_t *count,
                       const struct factor *swept)
{
    const char *name = swept->name;
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*factors)[i].name, name) == 0) {
            if (factor_same_value(&(*factors)[i], swept))
                return;
            name = pool_printf(pool, "%s asked", swept->name);
        }
    const struct factor *before = *factors;
    const size_t had = *count;
    *factors = NULL, *count = 0; /* the array may be another series' too */
    struct factor *all = pool_extend(pool, (void **)factors, count, had + 1, sizeof *all);
    if (had)
        memcpy(all, before, had * sizeof *all);
    all[had] = *swept;
    all[had].name = name;
}

struct marking {
    const struct sweep *sweep;
    const struct invocation *step;
    struct document *document;
};

static int mark(void *with)
{
    const struct marking *marking = with;
    struct document *document = marking->document;
    struct pool *pool = &document->pool;
    for (size_t a = 0; a < marking->sweep->axis_count; a++) {
        const char *axis = marking->sweep->axes[a];
        const struct setting *setting = setting_of(marking->step, axis);
        const enum option_type type = setting->spec->type;
        const bool counts = type == OPTION_INTEGER || type == OPTION_REAL;
        const struct factor swept = {
            .name = setting->spec->name,
            .text = counts || type == OPTION_SIZE ? NULL : pool_strdup(pool, setting->text),
            .number = counts                ? setting->number
                      : type == OPTION_SIZE ? (double)setting->bytes
                                            : NAN};
        for (size_t p = 0; p < document->probe_count; p++) {
            struct probe_result *probe = &document->probes[p];
            for (size_t i = 0; i < probe->series_count; i++)
                add_factor(pool, &probe->series[i].factors, &probe->series[i].factor_count, &swept);
            for (size_t i = 0; i < probe->finding_count; i++)
                add_factor(pool, &probe->findings[i].factors, &probe->findings[i].factor_count,
                           &swept);
        }
    }
    return 0;
}

int sweep_fits(struct sweep *sweep, const struct document *newest, struct error *error)
{
    document_free(&sweep->joined);
    sweep->documents[sweep->document_count] = *newest;
    return documents_add(&sweep->joined, sweep->documents, sweep->document_count + 1,
                         &sweep->left_out, error);
}

int sweep_keep(struct sweep *sweep, size_t step, struct document *document, struct error *error)
{
    struct marking marking = {sweep, &sweep->steps[step], document};
    int code = pool_enter(&document->pool, mark, &marking, error);
    if (code == 0)
        code = experiments_complete(document, error);
    if (code == 0)
        code = sweep_fits(sweep, document, error);
    if (code == 0) {
        sweep->document_count++;
        *document = (struct document){.tool = document->tool};
    }
    return code;
}
