#include "show/report/names.h"

#include "base/clean.h"
#include "base/units.h"
#include "conclude/registry/device.h"
#include "conclude/registry/registry.h"

#include <stdio.h>
#include <string.h>

void line_add_machine(struct line *line, const struct machine_facts *machine)
{
    static const char *const noise[] = {"(R)", "(r)", "(TM)", "(tm)", " CPU", " Processor"};
    char text[CLEAN_TEXT], size[UNIT_TEXT];
    const char *model = machine->cpu_model ? machine->cpu_model : machine->cpu_arch;
    if (machine->model_of)
        line_add_between(line, "a model of ", machine->model_of, ", not a measurement: ");
    /* Without trademark signs, filler words and nominal clock. */
    clean_text(model ? model : "unknown processor", text, sizeof text);
    char *clock = strstr(text, " @ ");
    if (clock)
        *clock = '\0';
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++)
        for (char *at; (at = strstr(text, noise[i])) != NULL;)
            memmove(at, at + strlen(noise[i]), strlen(at + strlen(noise[i])) + 1);
    line_add(line, "%s", text);
    if (machine->cores)
        line_add(line, ", %u core%s", machine->cores, machine->cores == 1 ? "" : "s");
    if (machine->threads != machine->cores)
        line_add(line, ", %u threads", machine->threads);
    if (machine->memory_bytes)
        line_add(line, ", %s", size_format((double)machine->memory_bytes, size));
    if (machine->os || machine->kernel)
        line_add_between(line, ", ", machine->os, "");
    clean_text(machine->kernel, text, sizeof text);
    text[strspn(text, "0123456789.")] = '\0'; /* without the distribution's suffix */
    line_add(line, "%s%s", *text && machine->os ? " " : "", text);
    if (machine->hypervisor)
        line_add_between(line, ", ", machine->hypervisor, " guest");
}

void line_add_gpu(struct line *line, const struct gpu_facts *gpu)
{
    char text[UNIT_TEXT];
    if (!gpu) {
        line_add(line, "unknown device");
        return;
    }
    line_add_clean(line, gpu->name);
    /* OpenCL's compute units need not be multiprocessors. */
    const bool cuda = gpu->backend && strcmp(gpu->backend, "cuda") == 0;
    const bool opencl = gpu->backend && strcmp(gpu->backend, "opencl") == 0;
    if (gpu->multiprocessors)
        line_add(line, ", %u %s%s", gpu->multiprocessors,
                 opencl ? "compute unit" : "multiprocessor", gpu->multiprocessors == 1 ? "" : "s");
    if (gpu->clock_hz > 0 && gpu->clock_hz < 1e12)
        line_add(line, " of up to %s", hertz_format(gpu->clock_hz, text));
    if (gpu->memory_bytes)
        line_add(line, ", %s", size_format((double)gpu->memory_bytes, text));
    if (gpu->capability)
        line_add_between(line, ", capability ", gpu->capability, "");
    if (gpu->backend)
        line_add_between(line, ", ", cuda ? "CUDA" : opencl ? "OpenCL" : gpu->backend, "");
    if (gpu->driver)
        line_add_between(line, ", driver ", gpu->driver, "");
    if (gpu->link)
        line_add_between(line, ", ", gpu->link, "");
    if (gpu->link && gpu->link_most && strcmp(gpu->link, gpu->link_most) != 0)
        line_add_between(line, " of at most ", gpu->link_most, "");
    if (gpu->ecc)
        line_add_between(line, ", ECC ", gpu->ecc, "");
    if (gpu->mig && strcmp(gpu->mig, "on") == 0)
        line_add(line, ", divided into instances (MIG)");
    if (gpu->other_processes > 0 && gpu->other_processes < 1e6)
        line_add(line, ", %.0f other process%s on it", gpu->other_processes,
                 gpu->other_processes > 1 ? "es" : "");
}

const char *gpu_warning(const struct gpu_facts *gpu)
{
    if (gpu->modelled)
        return "MODELLED: every number of this device comes from a stand-in for the driver, not "
               "from hardware";
    if (gpu->kind && strcmp(gpu->kind, "cpu") == 0)
        return "this device is a CPU: its numbers describe the host's caches and memory, measured "
               "through OpenCL";
    return NULL;
}

void line_add_joined(struct line *line, const struct run_facts *run)
{
    const char *many = run->documents == 1 ? "" : "s";
    if (run->joined && strcmp(run->joined, "repeat") == 0) {
        line_add(line, "%u run%s of this machine", run->documents, many);
        return;
    }
    if (run->joined && strcmp(run->joined, "baseline") == 0)
        line_add(line, "baseline of %u document%s", run->documents, many);
    else if (run->joined)
        line_add(line, "merged from %u document%s", run->documents, many);
}

bool probe_is_of_devices(const struct probe_result *probe)
{
    const struct finding_table *table = probe->name ? finding_table_of(probe->name) : NULL;
    bool found = table && table->of_devices;
    for (size_t s = 0; s < probe->series_count && !found; s++)
        found = device_has_series(&probe->series[s]);
    return found;
}

/* The first device of a document that is about devices alone; NULL: it is about a machine. */
static const struct gpu_facts *device_alone(const struct document *document)
{
    bool alone = document->probe_count && document->machine.gpu_count;
    for (size_t p = 0; p < document->probe_count && alone; p++)
        alone = probe_is_of_devices(&document->probes[p]);
    return alone ? document->machine.gpus : NULL;
}

void line_add_subject(struct line *line, const struct document *document)
{
    const struct gpu_facts *gpu = device_alone(document);
    if (gpu)
        line_add_between(line, "", gpu->name ? gpu->name : "unknown device", " in ");
    line_add_machine(line, &document->machine);
}

/* As much of the end of the path as distinguishes it from the other documents'; NULL: nothing
 * does. */
static const char *file_of(const struct document *const *documents, size_t count, size_t index)
{
    const char *path = documents[index]->file;
    const char *name = path ? strrchr(path, '/') : NULL;
    name = name ? name + 1 : path;
    for (size_t i = 0; i < count && name; i++) {
        const char *other = i == index ? NULL : documents[i]->file;
        const size_t length = strlen(name), others = other ? strlen(other) : 0;
        if (others < length || strcmp(other + others - length, name) != 0 ||
            (others > length && other[others - length - 1] != '/'))
            continue;
        if (name == path)
            return NULL;
        for (name--; name > path && name[-1] != '/';) /* one more folder */
            name--;
        i = (size_t)-1;
    }
    return name;
}

void line_add_document(struct line *line, const struct document *const *documents, size_t count,
                       size_t index)
{
    const struct machine_facts *machine = &documents[index]->machine;
    const char *file = file_of(documents, count, index);
    const struct gpu_facts *gpu = device_alone(documents[index]);
    const char *host = machine->hostname && *machine->hostname ? machine->hostname
                       : gpu && gpu->name                      ? gpu->name
                       : machine->cpu_model                    ? machine->cpu_model
                       : count == 1 && file                    ? file
                                                               : "unknown machine";
    char name[CLEAN_TEXT];
    if (count > 1 && !file && index < 26)
        line_add(line, "%c ", (int)('A' + index));
    else if (count > 1 && !file)
        line_add(line, "%zu ", index + 1);
    line_add(line, "%s", clean_text(count > 1 && file ? file : host, name, sizeof name));
}

const char *document_time(const char *started, char text[DOCUMENT_TIME])
{
    int end = 0;
    if (started)
        sscanf(started, "%*4d-%*2d-%*2dT%*2d:%*2d:%*2dZ%n", &end);
    if (end != 20 || started[end] != '\0')
        return clean_text(started, text, DOCUMENT_TIME);
    snprintf(text, DOCUMENT_TIME, "%.10s %.5s UTC", started, started + 11);
    return text;
}
