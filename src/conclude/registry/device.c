#include "conclude/registry/device.h"

#include <ctype.h>
#include <string.h>

static const char prefix[] = "gpu";

int device_of_name(const char *name, const char **rest)
{
    const char *after = name ? name : "";
    int device = -1;
    if (strncmp(after, prefix, strlen(prefix)) == 0) {
        const char *digits = after + strlen(prefix);
        int number = 0;
        size_t count = 0;
        for (; isdigit((unsigned char)digits[count]) && number < DEVICES_MOST; count++)
            number = 10 * number + (digits[count] - '0');
        /* "gpu00" would be another name of "gpu0". */
        bool plain = count > 0 && number < DEVICES_MOST && (count == 1 || *digits != '0');
        char end = digits[count];
        if (plain && (end == '.' || end == ' ' || end == '\0')) {
            device = number;
            after = digits + count + (end != '\0');
        }
    }
    if (rest)
        *rest = after;
    return device;
}

bool device_has_series(const struct series *series)
{
    return device_of_name(series->name, NULL) >= 0 ||
           (series->matrix && series->x.name && strstr(series->x.name, " to "));
}

bool device_has_condition(const struct series *series)
{
    const char *colon = series->name ? strrchr(series->name, ':') : NULL;
    return colon && series->y.name && strncmp(colon, ": ", 2) == 0 &&
           strcmp(colon + 2, series->y.name) == 0 && device_of_name(series->name, NULL) >= 0;
}

bool device_factor_is_named(const struct series *series, const struct factor *factor)
{
    return device_of_name(series->name, NULL) >= 0 &&
           (strcmp(factor->name, "gpu") == 0 || strcmp(factor->name, "what") == 0);
}

size_t device_list(const struct document *document, int *devices, size_t most)
{
    bool there[DEVICES_MOST] = {false};
    size_t count = 0;
    for (size_t i = 0; i < document->machine.gpu_count; i++)
        if (document->machine.gpus[i].id >= 0 && document->machine.gpus[i].id < DEVICES_MOST)
            there[document->machine.gpus[i].id] = true;
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++) {
            int device = device_of_name(document->probes[p].findings[f].name, NULL);
            if (device >= 0)
                there[device] = true;
        }
    for (int device = 0; device < DEVICES_MOST && count < most; device++)
        if (there[device])
            devices[count++] = device;
    return count;
}

const struct gpu_facts *device_facts(const struct machine_facts *machine, int device)
{
    for (size_t i = 0; i < machine->gpu_count; i++)
        if (machine->gpus[i].id == device)
            return &machine->gpus[i];
    return NULL;
}

void device_index_fill(struct device_index *index, const struct machine_facts *machine)
{
    *index = (struct device_index){0};
    for (size_t i = 0; i < machine->gpu_count; i++) {
        const int id = machine->gpus[i].id;
        if (id >= 0 && id < DEVICES_MOST && !index->of[id])
            index->of[id] = &machine->gpus[i];
    }
}

int device_of_another_kind(const struct machine_facts *a, const struct machine_facts *b)
{
    struct device_index in_a, in_b;
    device_index_fill(&in_a, a);
    device_index_fill(&in_b, b);
    for (int device = 0; device < DEVICES_MOST; device++) {
        const struct gpu_facts *one = in_a.of[device], *other = in_b.of[device];
        if (one && other && one->name && other->name && strcmp(one->name, other->name) != 0)
            return device;
    }
    return -1;
}
