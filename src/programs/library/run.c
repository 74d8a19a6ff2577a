/* A run of probes for another program. */
#include "programs/library/library.h"

#include "measure/run/run.h"

#include "conclude/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what is asked for --- */

static int choose_probes(struct fathom_measurement *measurement, const char *const *names,
                         struct error *error)
{
    size_t count = 0;
    if (!names)
        return 0;
    while (names[count])
        count++;
    const struct probe **chosen =
        pool_alloc(&measurement->document->pool, count + 1, sizeof *chosen);
    if (!chosen)
        return error_out_of_memory(error);
    for (size_t i = 0; i < count; i++) {
        chosen[i] = probe_by_name(names[i]);
        if (probe_absent(names[i]))
            return error_set(error, ERROR_USAGE, "%s: %s", names[i], probe_absent(names[i]));
        if (!chosen[i])
            return error_set(error, ERROR_USAGE,
                             "no probe is called '%s': 'fathom list' names them all", names[i]);
    }
    measurement->probes = chosen;
    return 0;
}

/* "cpus=0-3", or "quick" for a flag. */
static int set_one(struct settings *settings, const char *said, struct error *error)
{
    char name[64];
    const size_t length = strcspn(said, "=");
    if (length >= sizeof name)
        return error_set(error, ERROR_USAGE, "setting '%s': no option has so long a name", said);
    memcpy(name, said, length);
    name[length] = '\0';
    for (size_t i = 0; i < settings->count; i++) {
        const struct option_spec *spec = settings->list[i].spec;
        if (strcmp(spec->name, name) == 0 && (spec->type == OPTION_FLAG) == (said[length] == '='))
            return error_set(error, ERROR_USAGE, "setting '%s': write it as %s%s", said, name,
                             spec->type == OPTION_FLAG ? ", without a value" : "=VALUE");
    }
    return settings_set(settings, name, said[length] ? said + length + 1 : NULL, error);
}

/* Records in the document which call made it. */
static int note_command(struct fathom_measurement *measurement, struct error *error)
{
    struct document *document = measurement->document;
    size_t count = 2;
    for (size_t i = 0; measurement->probes && measurement->probes[i]; i++)
        count++;
    const char **command = pool_alloc(&document->pool, count, sizeof *command);
    if (!command)
        return error_out_of_memory(error);
    command[0] = "libfathom";
    command[1] = measurement->note ? pool_strdup(&document->pool, measurement->note) : "run";
    if (!command[1])
        return error_out_of_memory(error);
    for (size_t i = 2; i < count; i++)
        command[i] = measurement->probes[i - 2]->name;
    document->run.command = command;
    document->run.command_count = count;
    document->tool = (struct tool_facts){
        .version = FATHOM_VERSION, .commit = FATHOM_COMMIT, .compiler = __VERSION__};
    return 0;
}

/* --- measuring --- */

struct listening {
    struct fathom *fathom;
    const struct fathom_plan *plan;
};

static void show_progress(void *argument, const char *probe, double done, double left_s,
                          const char *so_far)
{
    const struct listening *listening = argument;
    if (listening->plan->progress(listening->plan->argument, probe, done, left_s))
        fathom_cancel(listening->fathom);
}

static int measure(struct fathom *fathom, const struct fathom_plan *plan,
                   struct fathom_measurement *measurement, struct error *error)
{
    struct listening listening = {fathom, plan};
    struct machine machine = {0};
    struct run run = {.machine = &machine,
                      .settings = &measurement->settings,
                      .probes = measurement->probes,
                      .no_devices = true,
                      .document = measurement->document,
                      .stop = &fathom->stop,
                      .began_ns = measurement->began_ns,
                      .listener = {plan->progress ? show_progress : NULL, NULL, &listening}};
    int code = machine_read(&machine, &(struct machine_source){.guest = true}, error);
    if (code == 0)
        code = run_plan(&run, error);
    if (code == 0)
        code = note_command(measurement, error);
    if (code == 0)
        code = run_measure(&run, error);
    if (code == 0 || code == ERROR_INTERRUPTED) {
        const int noted = verdict_note(measurement->document, code == 0 ? error : NULL);
        code = code == 0 ? noted : code;
    }
    /* The document's facts are in the machine's pool, and its parameters' texts in that of the
     * settings: the document takes both pools. */
    struct pool *pool = &measurement->document->pool;
    pool_take(pool, &machine.pool);
    pool_take(pool, &measurement->settings.pool);
    for (size_t i = 0; i < run.turn_count; i++)
        pool_take(pool, &run.turns[i].settings.pool);
    run_release(&run);
    machine_free(&machine);
    return code;
}

int measure_plan(struct fathom *fathom, const struct fathom_plan *given,
                 struct fathom_measurement *measurement, struct error *error)
{
    struct fathom_plan plan = {.size = sizeof plan};
    char budget[32];
    if (!measurement->began_ns)
        measurement->began_ns = os_raw_ns();
    int code = guest_take(&plan, given, sizeof plan, error);
    if (code == 0)
        code = choose_probes(measurement, plan.probes, error);
    struct settings *settings = &measurement->settings;
    const struct probe *const *chosen = measurement->probes;
    if (code == 0)
        code = settings_add(settings, probe_common_options, error);
    /* If only one probe is named it has its options, as on the command line. */
    if (code == 0 && chosen && chosen[0] && !chosen[1])
        code = settings_add(settings, chosen[0]->help->options, error);
    for (const char *const *said = plan.settings; code == 0 && said && *said; said++)
        code = set_one(settings, *said, error);
    if (code == 0 && plan.budget_ms) {
        snprintf(budget, sizeof budget, "%.3f", plan.budget_ms * 1e-3);
        code = settings_set(&measurement->settings, "budget", budget, error);
    }
    if (code == 0)
        code = measuring_begin(error);
    if (code == 0) {
        code = measure(fathom, &plan, measurement, error);
        measuring_end();
    }
    settings_free(&measurement->settings);
    return code;
}

int fathom_run(struct fathom *fathom, const struct fathom_plan *plan,
               struct fathom_document **result, struct fathom_error *failure)
{
    struct guest guest = guest_enter(failure);
    struct error *error = &guest.error;
    struct fathom_document *document = NULL;
    int code = result ? handle_begin(fathom, error)
                      : error_set(error, ERROR_USAGE, "the place for the document is NULL");
    if (code == 0 && !(document = calloc(1, sizeof *document)))
        code = error_out_of_memory(error);
    if (code == 0) {
        struct fathom_measurement measurement = {.document = &document->document};
        code = measure_plan(fathom, plan, &measurement, error);
        if (code == 0) /* the document records failed attempts */
            *error = (struct error){0};
    }
    if (code < 0 && code != ERROR_INTERRUPTED) {
        fathom_document_free(document);
        document = NULL;
    }
    if (result)
        *result = document;
    return guest_leave(&guest, code);
}
