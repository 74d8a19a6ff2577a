/*
 * Names that are about a device: findings "gpu0.L2.latency", series "gpu0 latency". A device is
 * known by its number, as machine.gpus[].id has it.
 */
#pragma once

#include "document/document.h"

/* The device's number, and in *rest what follows it ("L2.latency", "latency"); -1 and the whole
 * name if the name is about no device. `rest` may be NULL. */
int device_of_name(const char *name, const char **rest);
/* Whether a series is about one device or several. Its name then says which, and the x of a matrix
 * says what its rows and columns are ("line to multiprocessor", "device to device"). */
bool device_has_series(const struct series *);
/* Whether the series records a device's condition during another series: "gpu0 latency: clock",
 * with the clock as y. */
bool device_has_condition(const struct series *);
/* Whether the factor repeats what the series' name says. */
bool device_factor_is_named(const struct series *, const struct factor *);
/* Writes the numbers of the devices that the machine's facts or any finding name, ascending, at
 * most `most` of them; returns how many it wrote. */
size_t device_list(const struct document *, int *devices, size_t most);
/* A machine's devices by number (the first of each number), for callers that look up many. */
enum {
    DEVICES_MOST = 1024
}; /* more than any machine has; names of findings have smaller numbers */
struct device_index {
    const struct gpu_facts *of[DEVICES_MOST];
};
void device_index_fill(struct device_index *, const struct machine_facts *);
/* The machine's facts about that device; NULL: none. */
const struct gpu_facts *device_facts(const struct machine_facts *, int device);
/* The number of the first device that has different names on the two machines; -1: none. */
int device_of_another_kind(const struct machine_facts *, const struct machine_facts *);
