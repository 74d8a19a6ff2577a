/* The names of machines, devices and documents. */
#pragma once

#include "base/line.h"
#include "document/document.h"

/* "Intel Xeon (SapphireRapids), 2 cores, 24 GiB, Linux 6.18.5, kvm guest"; of a model
 * "a model of x.json, not a measurement: Intel ..." */
void line_add_machine(struct line *, const struct machine_facts *);
/* "baseline of 3 documents", "merged from 2 documents"; nothing for a document of one run. */
void line_add_joined(struct line *, const struct run_facts *);
/* "NVIDIA H200, 132 multiprocessors of up to 1.98 GHz, 139 GiB, capability 9.0, CUDA, driver
 * 570.124" */
void line_add_gpu(struct line *, const struct gpu_facts *);
/* What the document is about: its device, if it is about devices alone, and the machine. */
void line_add_subject(struct line *, const struct document *);
/* Why a device's numbers are not a GPU's (it is a model, or a CPU); NULL: they are a GPU's. */
const char *gpu_warning(const struct gpu_facts *);

/* Whether a probe measures devices. */
bool probe_is_of_devices(const struct probe_result *);

/* The name of a document. A single one: its host or processor, or its file if both are unknown. One
 * of several: its file, with as much of the path as distinguishes it from the others; if none does,
 * or it has no file, a letter and its host: "A vm". */
void line_add_document(struct line *, const struct document *const *, size_t count, size_t index);

enum { DOCUMENT_TIME = 64 };
/* "2026-11-21T04:18:25Z" as "2026-11-21 04:18 UTC"; any other text inert and cut to fit; NULL as
 * "". */
const char *document_time(const char *started, char text[DOCUMENT_TIME]);
