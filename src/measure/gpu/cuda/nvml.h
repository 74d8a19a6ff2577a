/*
 * NVML, the library behind nvidia-smi: the state of a device while it works. Opened at run time if
 * it exists (libnvidia-ml.so.1, or the file that FATHOM_LIBNVML names). Without NVML only its
 * values are unknown; if it lacks a call, only that call's values are.
 *
 * Reference: NVIDIA, "NVML API Reference Guide".
 */
#pragma once

#include "measure/gpu/gpu.h"

#include <stdbool.h>
#include <stddef.h>

struct nvml;
struct nvml_device;

/* NULL: NVML can't be opened. With `only_named` only FATHOM_LIBNVML is tried: a stand-in for the
 * driver must not report the real devices' state. */
struct nvml *nvml_open(bool only_named);
void nvml_close(struct nvml *); /* NULL is fine */
/* The driver's version, "550.54.15"; false if NVML does not report it. */
bool nvml_driver_version(const struct nvml *, char *text, size_t size);
/* The device at that PCI address; NULL if NVML does not know it. It need not be freed. */
struct nvml_device *nvml_find(const struct nvml *, const char *bus);
/* Fills in what only NVML reports: UUID, link, ECC, MIG and the number of other processes that have
 * the device open. `at_work`: this process has it open, too. Leaves unreported facts unchanged. */
void nvml_read_facts(const struct nvml *, struct nvml_device *, bool at_work, struct pool *,
                     struct gpu_facts *);
/* Values that NVML does not report, or all if `device` is NULL, are NAN or 0. */
void nvml_read_sensors(const struct nvml *, struct nvml_device *, struct gpu_sensors *);
