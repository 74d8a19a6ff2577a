#include "findings/device.h"

#include <ctype.h>
#include <string.h>

/* More than any machine has; a document of another person's can't make a list of them long. */
enum { DEVICES = 1024 };

static const char prefix[] = "gpu";

int device_of_name(const char *name, const char **rest)
{
    const char *after = name ? name : "";
    int device = -1;
    if (strncmp(after, prefix, strlen(prefix)) == 0) {
        const char *digits = after + strlen(prefix);
        int number = 0;
        size_t count = 0;
        for (; isdigit((unsigned char)digits[count]) && number < DEVICES; count++)
            number = 10 * number + (digits[count] - '0');
        /* "gpu00" would be another name of "gpu0". */
        bool plain = count > 0 && number < DEVICES && (count == 1 || *digits != '0');
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
    bool there[DEVICES] = {false};
    size_t count = 0;
    for (size_t i = 0; i < document->machine.gpu_count; i++)
        if (document->machine.gpus[i].id >= 0 && document->machine.gpus[i].id < DEVICES)
            there[document->machine.gpus[i].id] = true;
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++) {
            int device = device_of_name(document->probes[p].findings[f].name, NULL);
            if (device >= 0)
                there[device] = true;
        }
    for (int device = 0; device < DEVICES && count < most; device++)
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

int device_of_another_kind(const struct machine_facts *a, const struct machine_facts *b)
{
    for (size_t i = 0; i < a->gpu_count; i++) {
        const struct gpu_facts *other = device_facts(b, a->gpus[i].id);
        if (other && a->gpus[i].name && other->name && strcmp(a->gpus[i].name, other->name) != 0)
            return a->gpus[i].id;
    }
    return -1;
}
