/* How the document was measured: the machine, its conditions, the timed code, and how to repeat the
 * run. */
#include "show/render/page/page.h"
#include "show/report/series.h"

#include <math.h>
#include <string.h>

enum { GPUS_MAX = 64 };

static void put_fact(FILE *out, const char *name, const char *text)
{
    if (text && *text)
        html_print(out, "<tr><th scope=row>%s<td class=words>%s\n", name, text);
}

static void put_number_fact(FILE *out, const char *name, double value, const char *unit)
{
    struct line line = {0};
    if (!isfinite(value) || !(value > 0))
        return;
    line_add_value(&line, value, unit);
    put_fact(out, name, line.text);
}

static void put_conditions(FILE *out, const struct document *const *documents, size_t count,
                           size_t index)
{
    const struct document *document = documents[index];
    const struct conditions *conditions = &document->conditions;
    const struct machine_facts *machine = &document->machine;
    fputs("<div class=scroll tabindex=0 role=region aria-label=Conditions><table class=facts>"
          "<caption>Machine and conditions: ",
          out);
    html_document(out, documents, count, index);
    fputs("</caption>\n<tbody>\n", out);
    put_fact(out, "processor", machine->cpu_model);
    put_fact(out, "architecture", machine->cpu_arch);
    put_fact(out, "kernel", machine->kernel);
    put_fact(out, "hypervisor", machine->hypervisor);
    put_number_fact(out, "memory", (double)machine->memory_bytes, "B");
    for (size_t i = 0; i < machine->gpu_count && i < GPUS_MAX; i++) {
        const struct gpu_facts *gpu = &machine->gpus[i];
        const char *warning = gpu_warning(gpu);
        struct line name = {0}, line = {0};
        line_add(&name, "gpu%d", gpu->id);
        line_add_gpu(&line, gpu);
        line_add(&line, "%s%s", warning ? ". " : "", warning ? warning : "");
        put_fact(out, name.text, line.text);
    }
    put_number_fact(out, "core clock, as observed", conditions->core_hz, "Hz");
    put_number_fact(out, "counter that timed everything", conditions->counter_hz, "Hz");
    put_fact(out, "counter", conditions->counter);
    put_fact(out, "governor", conditions->governor);
    put_fact(out, "turbo", conditions->turbo);
    put_fact(out, "SMT", conditions->smt);
    put_fact(out, "transparent huge pages", conditions->thp);
    put_fact(out, "CPUs that may be used", conditions->affinity);
    put_number_fact(out, "load average at the start", conditions->load1, "");
    put_number_fact(out, "CPUs that other programs used", conditions->others_cpus, "");
    put_number_fact(out, "time taken by the hypervisor", conditions->stolen_s, "s");
    put_fact(out, "compiler", document->tool.compiler);
    put_fact(out, "commit", document->tool.commit);
    put_fact(out, "run", document->run.id);
    fputs("</table></div>\n", out);
}

/* --- the timed code --- */

enum timed { TIMED_LOOPS = 1, TIMED_CUDA = 2, TIMED_OPENCL = 4 };

/* The kinds of code that gave a document's values: a set of enum timed. */
static unsigned timed_in(const struct document *document)
{
    unsigned timed = 0;
    if (document_is_imported(document))
        return 0;
    for (size_t p = 0; p < document->probe_count; p++) {
        const struct probe_result *probe = &document->probes[p];
        if (!probe_has_values(probe))
            continue;
        if (!probe_is_of_devices(probe)) {
            timed |= TIMED_LOOPS;
            continue;
        }
        for (size_t i = 0; i < document->machine.gpu_count; i++) {
            const char *backend = document->machine.gpus[i].backend;
            timed |= backend && strcmp(backend, "cuda") == 0     ? TIMED_CUDA
                     : backend && strcmp(backend, "opencl") == 0 ? TIMED_OPENCL
                                                                 : 0u;
        }
    }
    return timed;
}

static void put_timed(FILE *out, const char *about, const char *summary, const char *loops)
{
    fprintf(out, "<p>%s</p>\n", about);
    if (*loops)
        fprintf(out, "<details class=loops><summary>%s</summary>\n%s</details>\n", summary, loops);
    else
        fputs("<p>They are not shown: when this program was built, objdump was missing or programs "
              "for the target could not run.</p>\n",
              out);
}

void html_method(FILE *out, const struct document *const *documents, size_t count)
{
    unsigned timed = 0;
    fputs("<section aria-labelledby=method-title><details class=probe id=method>\n<summary>"
          "<h2 id=method-title>How it was measured</h2> <span>machine, conditions and the timed "
          "loops</span></summary>\n",
          out);
    for (size_t i = 0; i < count; i++) {
        put_conditions(out, documents, count, i);
        timed |= timed_in(documents[i]);
    }
    fputs("<h3>The timed loops</h3>\n", out);
    if (!timed)
        fputs("<p>These numbers were not measured by loops of fathom.</p>\n", out);
    if (timed & TIMED_LOOPS)
        put_timed(out,
                  "On CPUs fathom timed only its own loops. These are the loops of the program "
                  "that wrote this page, disassembled when it was built; another version or "
                  "architecture has other loops.",
                  "Show the loops for CPUs", html_loops);
    if (timed & TIMED_CUDA)
        put_timed(out,
                  "On GPUs reached through CUDA fathom timed its own kernels, each between two "
                  "readings of the clock, and the driver's copies and launches (of "
                  "<code>empty</code>). This is the kernels' PTX, which the driver compiles; a "
                  "device of a capability below 9.0 is not asked for <code>chase_cluster</code>.",
                  "Show the kernels, as PTX", html_kernels_cuda);
    if (timed & TIMED_OPENCL)
        put_timed(out,
                  "On devices reached through OpenCL fathom timed its own kernels and the driver's "
                  "copies and launches. This is the kernels' OpenCL C, which the device's driver "
                  "compiles.",
                  "Show the kernels, in OpenCL C", html_kernels_opencl);
    fputs("</details></section>\n", out);
}

/* --- settings and command, below a probe's findings --- */

/* Whether the parameter is shown here: what was left out has its own line, and the parameter "seed"
 * of some documents repeats the run's. */
static bool is_shown(const struct factor *parameter, bool repeatable)
{
    return parameter_is_setting(parameter) && !(repeatable && strcmp(parameter->name, "seed") == 0);
}

/* Imported and joined documents have no command. */
void html_repeat(FILE *out, const struct document *document, const struct probe_result *probe)
{
    const bool repeatable = document->run.command_count > 0;
    const struct factor *missing = probe_parameter(probe, parameter_not_measured);
    const char *before = "<span class=parameters>(";
    bool has_settings = false;
    for (size_t i = 0; i < probe->parameter_count && !has_settings; i++)
        has_settings = is_shown(&probe->parameters[i], repeatable);
    if (missing && missing->text) {
        fputs("<p class=repeat>Not measured: ", out);
        html_sentence(out, missing->text);
        fputs("</p>\n", out);
    }
    if (!repeatable && !has_settings)
        return;
    fputs("<p class=repeat>", out);
    if (repeatable) {
        fputs("To repeat: <code>", out);
        const struct run_facts *run = &document->run;
        bool seeded = false;
        for (size_t i = 0; i < run->command_count; i++)
            seeded = seeded || strcmp(run->command[i], "-s") == 0 ||
                     strncmp(run->command[i], "--seed", strlen("--seed")) == 0;
        html_command(out, run);
        if (!seeded)
            fprintf(out, " --seed %llu", (unsigned long long)run->seed);
        fputs("</code> ", out);
    }
    for (size_t i = 0; i < probe->parameter_count; i++)
        if (is_shown(&probe->parameters[i], repeatable)) {
            fputs(before, out);
            html_factor(out, &probe->parameters[i]);
            before = ", ";
        }
    fputs(has_settings ? ")</span></p>\n" : "</p>\n", out);
}
