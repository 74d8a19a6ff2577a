/*
 * NVML, the library behind nvidia-smi: the state of a device while it works. Opened at run time
 * where it is there (libnvidia-ml.so.1, or what FATHOM_LIBNVML names); without it everything is
 * unknown and nothing else is missing, and of one that lacks a call what that call reports.
 *
 * Reference: NVIDIA, "NVML API Reference Guide".
 */
#ifndef FATHOM_MEASURE_GPU_CUDA_NVML_H
#define FATHOM_MEASURE_GPU_CUDA_NVML_H

#include "measure/gpu/gpu.h"

#include <stdbool.h>
#include <stddef.h>

struct nvml;
struct nvml_device;

/* NULL where NVML can't be opened. With `only_named` only FATHOM_LIBNVML is tried: a stand-in for
 * the driver must not report the real devices' state. */
struct nvml *nvml_open(bool only_named);
void nvml_close(struct nvml *); /* NULL is fine */
/* The driver's version as it names itself, "550.54.15"; false where it does not say. */
bool nvml_driver_version(const struct nvml *, char *text, size_t size);
/* The device at that address of the PCI bus; NULL where it is unknown. No need to give it back.
 */
struct nvml_device *nvml_find(const struct nvml *, const char *bus);
/* Fills in what NVML knows in addition to the driver: UUID, link, ECC, MIG and other processes that
 * have the device open; `at_work`: this process has it open, too. Leaves alone what it can't
 * report. */
void nvml_read_facts(const struct nvml *, struct nvml_device *, bool at_work, struct pool *,
                     struct gpu_facts *);
/* All absent (NAN, 0) where `device` is NULL; else each where NVML doesn't report it. */
void nvml_read_sensors(const struct nvml *, struct nvml_device *, struct gpu_sensors *);

#endif
