/*
 * Names that are about a device: findings "gpu0.L2.latency", series "gpu0 latency". A device is
 * known by its number, as machine.gpus[].id has it.
 */
#ifndef FATHOM_FINDINGS_DEVICE_H
#define FATHOM_FINDINGS_DEVICE_H

#include "result/document.h"

/* The device's number, and where what follows it begins ("L2.latency", "latency"); -1 and all of
 * the name where it is about none. `rest` may be NULL. */
int device_of_name(const char *name, const char **rest);
/* Whether a series is about a device or several: it tells by its own name what it is, and the x of
 * a matrix what its rows and columns are ("line to multiprocessor", "device to device"). */
bool device_has_series(const struct series *);
/* Whether it tells the device's condition beside what another series measured: "gpu0 latency:
 * clock" with clock as its y. */
bool device_has_condition(const struct series *);
/* Whether a factor of such a series says what its name has said. */
bool device_factor_is_named(const struct series *, const struct factor *);
/* The numbers of the devices that the machine's facts or any finding name, ascending, but only the
 * first `most` of them; returns how many these are. */
size_t device_list(const struct document *, int *devices, size_t most);
/* What a machine says of its devices, by their numbers: the first of each. For who asks for all. */
enum { DEVICES_MOST = 1024 }; /* more than any machine has; names of findings go no further */
struct device_index {
    const struct gpu_facts *of[DEVICES_MOST];
};
void device_index_fill(struct device_index *, const struct machine_facts *);
/* What the machine says of that device; NULL where it says nothing. */
const struct gpu_facts *device_facts(const struct machine_facts *, int device);
/* The number of the first device that the two know by different names; -1 where there is none. */
int device_of_another_kind(const struct machine_facts *, const struct machine_facts *);

#endif
