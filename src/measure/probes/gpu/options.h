/*
 * The options of the `gpu` probe, as far as they can be checked without a device: their table, and
 * parsers for lists of names and devices.
 */
#pragma once

#include "measure/gpu/gpu.h"
#include "measure/probes/chase/working_sets.h"
#include "measure/probes/gpu/gpu.h"

struct gpu_options {
    struct setting device, backend, what, order, path, stride, l1, mix;
    struct working_set_options sets;
};
extern const struct option_spec gpu_options[];

enum { GPU_NAMES_MOST = 32 };

/* For --path, in the order of its bits; and for --order, by enum gpu_order. */
extern const char *const gpu_path_names[], *const gpu_order_names[];
enum { GPU_BOTH_ORDERS = GPU_STRIDED + 1 };

/* All functions that follow leave with ERROR_USAGE, naming the option, the word and the valid
 * values. This one refuses texts that are wrong for every device, and options that contradict each
 * other, also on a machine without a device. */
void gpu_options_check(struct probe_task *);
/* The names that the option's text lists, as bits in the order of `names` (which ends with NULL and
 * has at most GPU_NAMES_MOST). */
uint32_t gpu_options_names(const struct probe_task *, const struct setting *,
                           const char *const *names);
/* The experiments that --what lists, as bits in the order of gpu_experiments; without --what every
 * one if `all`, else those by default. */
uint32_t gpu_options_what(const struct probe_task *, bool all);
/* The backend that --backend names; NULL: the first that has a device. */
const char *gpu_options_backend(const struct gpu_options *);
/* Writes the indices of the devices that --device lists into chosen[count]; "all" means the
 * `usable` ones. Returns their number. */
size_t gpu_options_devices(const struct probe_task *, const struct gpu_facts *, size_t count,
                           const bool *usable, unsigned *chosen);

/* Whether --from or --sizes asks for a working set smaller than a stride. */
bool gpu_options_below_stride(const struct gpu_options *);

/* --- --l1 --- */

/* How a multiprocessor's first-level memory is split into L1 and scratchpad. A kernel may ask for a
 * scratchpad size (the carve-out), and gets the next larger one that its architecture offers. */
enum { GPU_SPLITS_MOST = 16 };

struct gpu_split {
    uint64_t l1_bytes; /* size of L1; 0: unknown */
    int carve_out;     /* for struct gpu_work; -1: the driver's choice */
};

/* The driver's choice for a kernel that needs no scratchpad: the largest L1. */
struct gpu_split gpu_split_default(const struct gpu_facts *);

/* The splits that the text of --l1 asks for: a size of L1 ("64K"), per cent of all first-level
 * memory ("50", "50%"), or "sweep" for every split. Returns their number, at most GPU_SPLITS_MOST;
 * leaves with ERROR_USAGE naming --l1, the device and its possible sizes. */
size_t gpu_splits_parse(const char *text, const struct gpu_facts *, struct gpu_split *,
                        struct pool *);
