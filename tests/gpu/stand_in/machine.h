/*
 * The machine that the stand-in driver models, as a test sets it: FATHOM_GPU_MODEL holds
 * PRESET[,KEY=VALUE...], and machine_describe() says every value that came of it.
 *
 * Latencies are in cycles of the multiprocessor's clock, from one load to the next that depends on
 * it, and are those of a whole way: an access that misses the first level and hits the second takes
 * l2_latency. Sizes are bytes; bandwidths 10^9 bytes a second, but of one multiprocessor's first
 * level and scratchpad bytes a cycle.
 */
#ifndef FATHOM_TESTS_GPU_MACHINE_H
#define FATHOM_TESTS_GPU_MACHINE_H

#include <stddef.h>
#include <stdint.h>

enum {
    MACHINE_NAME_BYTES = 64,
    MACHINE_STEPS_MOST = 12,
    MACHINE_DEVICES_MOST = 8,
    MACHINE_L1_MOST = 8,
    MACHINE_TEXT_BYTES = 4096,
    WARP_LANES = 32,
};

struct machine {
    char preset[MACHINE_NAME_BYTES];
    uint64_t devices, capability, sms, memory;
    double clock_mhz;
    uint64_t threads_per_sm, blocks_per_sm;

    uint64_t line, sector;            /* a tag's bytes, and what of them is fetched at once */
    uint64_t l1, l1_ways, l1_latency; /* first level and scratchpad together */
    uint64_t
        l1_count; /* first levels of a multiprocessor, of that size each, by turns of its warps */
    uint64_t steps[MACHINE_STEPS_MOST]; /* what the scratchpad may take of it, ascending */
    uint64_t step_count;
    uint64_t shared_reserved;         /* of each block, taken by the system */
    uint64_t shared_banks, bank_turn; /* of 4 bytes each; cycles that each further word takes */
    uint64_t shared_latency, shared_atomic_latency, cluster_latency, cluster_most;
    uint64_t texture_latency, atomic_latency;
    uint64_t texture_own; /* 1: textures and the read-only path have a cache of their own */
    uint64_t constant1, constant1_latency, constant2, constant2_latency;

    /* The second level; with l2_far_latency it has two partitions, and lines that lie in the other
     * one than the multiprocessor take that long. dram_latency is the mean of both. With l2_copies
     * a partition also keeps copies of the other's lines that its own multiprocessors read. */
    uint64_t l2, l2_ways, l2_latency, l2_far_latency, l2_copies, dram_latency;
    uint64_t tlb_reach, tlb_page, tlb_latency;
    uint64_t host_latency, peer_latency;
    /* Nodes of the host; what those cost besides to which the device is not near; the one that is
     * the device's own memory (0: none), from which pinning moves pages away. */
    uint64_t nodes, node_latency, own_node;
    uint64_t pageable, managed; /* 1: it reaches what is not pinned; it has managed memory */

    double dram_bandwidth, l2_bandwidth, shared_bandwidth, pcie_bandwidth, peer_bandwidth;
    double host_bandwidth; /* of all devices' copies in one direction together; 0: any */
    double pinned_bandwidth, pageable_bandwidth, copy_us, launch_us;
    uint64_t peers; /* 1: every device reaches every other one's memory */

    uint64_t timer_ns; /* %globaltimer's step */
    double wobble;     /* the clock of each launch is up to this many per cent lower */
    uint64_t throttle; /* NVML's reasons */
    double power_w, temperature_c, memory_mhz;
    uint64_t compute_mode, driver;
    double watchdog; /* 10^9 instructions after which a launch has taken too long */
    uint64_t node;   /* of the host, to which it is near */
    uint64_t link_generation, link_lanes, ecc, mig, others; /* what NVML says beside the sensors */
    double hang_s; /* real seconds after which waiting for what hangs ends, lest a test hangs too */
};

/* Reads PRESET[,KEY=VALUE...]; NULL or "" is "tiny". Returns NULL, or a line in `why` that names
 * what is wrong. */
const char *machine_read(struct machine *, const char *text, char *why, size_t why_bytes);
/* "preset=tiny devices=1 ...": every key, sizes in bytes, in one line. Lists are joined by ':'. */
void machine_describe(const struct machine *, char *text, size_t bytes);

/* Fills a machine that exists; false where there is none of that name. */
int machine_preset(struct machine *, const char *name);
/* A plausible one that is small enough for fast tests; all of it follows from the seed. */
void machine_random(struct machine *, uint64_t seed);

/* How much the scratchpad takes when a kernel wants that many per cent of its most (-1: has no
 * wish) and its blocks need `needed` bytes: the next step that holds both. What is left of `l1` is
 * the first level. */
uint64_t machine_scratchpad(const struct machine *, int per_cent, uint64_t needed);
uint64_t machine_scratchpad_most(const struct machine *);

#endif
