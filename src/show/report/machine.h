/* What a document is of, in a line: the machine, a device, the documents that it was made of. */
#ifndef FATHOM_SHOW_REPORT_MACHINE_H
#define FATHOM_SHOW_REPORT_MACHINE_H

#include "base/line.h"
#include "document/document.h"

/* "Intel Xeon (SapphireRapids), 2 cores, 24 GiB, Linux 6.18.5, kvm guest" */
void line_add_machine(struct line *, const struct machine_facts *);
/* "baseline of 3 documents", "merged from 2 documents"; nothing for the document of one run. */
void line_add_joined(struct line *, const struct run_facts *);
/* "NVIDIA H200, 132 multiprocessors, 1.98 GHz, 139 GiB, CUDA driver 570.124" */
void line_add_gpu(struct line *, const struct gpu_facts *);
/* Why a device's numbers are not those of a GPU: a model, or a CPU; NULL: they are. */
const char *gpu_warning(const struct gpu_facts *);

/* Whether a probe is about devices. */
bool probe_is_of_devices(const struct probe_result *);

#endif
