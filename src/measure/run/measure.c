#include "measure/run/measure.h"

#include <stdlib.h>
#include <time.h>

/* A signal handler can report only in a global variable. */
volatile sig_atomic_t measure_signal;

static void note_signal(int number)
{
    measure_signal = number;
}

void measure_catch_signals(void)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* A lost terminal ends the run too, unless nohup made the process ignore SIGHUP. */
    struct sigaction hangup;
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

struct machine_source measure_source(const char *smbios)
{
    const char *root = getenv("FATHOM_ROOT");
    return (struct machine_source){.root = root && *root ? root : NULL, .smbios = smbios};
}

int measurement_plan(struct measurement *measurement, struct error *error)
{
    struct run *run = &measurement->run;
    measure_catch_signals(); /* before the first file: a signal could leave a temporary one */
    run->machine = &measurement->machine;
    run->document = &measurement->document;
    run->stop = &measure_signal;
    if (!measurement->twin_of)
        run->began_ns = os_raw_ns();
    int code = 0;
    if (measurement->changes && !measurement->twin_of)
        return error_set(error, ERROR_USAGE,
                         "--change changes the machine of a document: name it with --machine FILE");
    if (measurement->source.smbios && measurement->twin_of)
        return error_set(error, ERROR_USAGE,
                         "--smbios is of this machine, and --machine models another: leave one "
                         "out");
    if (measurement->twin_of)
        code = twin_open(&measurement->twin, measurement->twin_of, measurement->changes, error);
    else
        code = machine_read(&measurement->machine, &measurement->source, error);
    if (code == 0 && measurement->twin_of)
        run_on_twin(run, &measurement->twin);
    return code == 0 ? run_plan(run, error) : code;
}

char *measurement_name(struct measurement *measurement)
{
    const char *host = measurement->document.machine.hostname;
    char when[20];
    time_t now = time(NULL);
    strftime(when, sizeof when, "%Y%m%dT%H%M%S", gmtime(&now));
    char *name = pool_printf(&measurement->document.pool, "fathom-%s-%s.json",
                             host ? host : "machine", when);
    for (char *c = name; c && *c; c++)
        if (*c == '/')
            *c = '_';
    return name;
}

void measurement_free(struct measurement *measurement)
{
    run_release(&measurement->run);
    document_free(&measurement->document);
    for (unsigned i = 0; i < measurement->run_count; i++)
        document_free(&measurement->runs[i]);
    free(measurement->runs);
    machine_free(&measurement->machine);
    twin_close(&measurement->twin);
}
