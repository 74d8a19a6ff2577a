/*
 * fathom's own declarations of the calls, types and numbers of NVIDIA's driver library, so that no
 * header of the toolkit is needed to build. Handles are plain pointers, results and devices plain
 * ints. If a call has a newer version (`_v2`), its symbol and arguments are those of that version.
 *
 * Reference: NVIDIA, "CUDA Driver API", versions 11.8 to 13.0.
 */
#pragma once

#include "cuda.calls.h"

#include <stddef.h>
#include <stdint.h>

struct cuda_resource;
struct cuda_texture;
struct cuda_launch;

struct cuda_calls {
#define CUDA_DECLARE(result, name, symbol, older, arguments) result(*name) arguments;
    CUDA_CALLS(CUDA_DECLARE)
    CUDA_OPTIONAL_CALLS(CUDA_DECLARE)
#undef CUDA_DECLARE
};

/* Symbols that only a stand-in for the driver has: the first one identifies it, the second is its
 * clock, uint64_t (*)(void). */
#define CUDA_STAND_IN       "fathomModel"
#define CUDA_STAND_IN_CLOCK "fathomModelNs"
/* Its host's NUMA nodes: the members of struct cuda_model_host. */
#define CUDA_STAND_IN_MAP   "fathomModelMap"
#define CUDA_STAND_IN_UNMAP "fathomModelUnmap"
#define CUDA_STAND_IN_NODE  "fathomModelNode"

/* CUresult: the results that fathom acts on. error.c explains more of them. */
enum {
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_NO_DEVICE = 100,
    CUDA_NOT_READY = 600,
    CUDA_PEER_ACCESS_ALREADY_ENABLED = 704,
    CUDA_INVALID_CLUSTER_SIZE = 912,
};

/* CUdevice_attribute. */
enum {
    CUDA_SHARED_BYTES_PER_BLOCK = 8,
    CUDA_CONSTANT_BYTES = 9,
    CUDA_CLOCK_KHZ = 13,
    CUDA_MULTIPROCESSORS = 16,
    CUDA_COMPUTE_MODE = 20,
    CUDA_MEMORY_CLOCK_KHZ = 36,
    CUDA_MEMORY_BUS_BITS = 37,
    CUDA_L2_BYTES = 38,
    CUDA_TEXTURE_LINEAR_TEXELS = 69,
    CUDA_CAPABILITY_MAJOR = 75,
    CUDA_CAPABILITY_MINOR = 76,
    CUDA_SHARED_BYTES_PER_MULTIPROCESSOR = 81,
    CUDA_MANAGED_MEMORY = 83,
    CUDA_PAGEABLE_MEMORY_ACCESS = 88,
    CUDA_CONCURRENT_MANAGED_ACCESS = 89,
    CUDA_SHARED_BYTES_PER_BLOCK_OPTIN = 97,
    CUDA_HOST_NUMA_NODE = 134, /* from CUDA 12.2 on; -1: none */
};

enum { CUDA_MODE_PROHIBITED = 2, CUDA_MODE_EXCLUSIVE_PROCESS = 3 }; /* CUcomputemode */

/* CUjit_option. */
enum { CUDA_JIT_ERROR_LOG = 5, CUDA_JIT_ERROR_LOG_BYTES = 6, CUDA_JIT_CACHE_MODE = 14 };
enum { CUDA_JIT_CACHE_ALL = 2 }; /* CUjit_cacheMode */

/* CUfunction_attribute. */
enum {
    CUDA_FUNCTION_MAX_DYNAMIC_SHARED_BYTES = 8,
    CUDA_FUNCTION_SHARED_CARVE_OUT = 9, /* per cent; -1 leaves it to the driver */
    CUDA_FUNCTION_LARGE_CLUSTERS = 14,  /* more than 8 blocks, which not every device has */
};

enum { CUDA_STREAM_NON_BLOCKING = 1 };
enum { CUDA_HOST_PORTABLE = 1, CUDA_HOST_MAPPED = 2 }; /* also for cuMemHostRegister */

/* Managed memory: CUmemAttach_flags, CUmem_advise, and CUDA_HOST, which means the host instead of a
 * device. */
enum { CUDA_ATTACH_GLOBAL = 1, CUDA_PREFER_LOCATION = 3, CUDA_ACCESSED_BY = 5, CUDA_HOST = -1 };

/* CUDA_RESOURCE_DESC, of type CU_RESOURCE_TYPE_LINEAR. */
struct cuda_resource {
    int type;
    union {
        struct {
            uint64_t address;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        int reserved[32];
    };
    unsigned flags;
};
enum { CUDA_RESOURCE_LINEAR = 2, CUDA_FORMAT_UNSIGNED_32 = 3 };

/* CUDA_TEXTURE_DESC. */
struct cuda_texture {
    int address_modes[3];
    int filter;
    unsigned flags;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmap[3];
    float border[4];
    int reserved[12];
};
enum { CUDA_TEXTURE_READ_AS_INTEGER = 1 };

/* CUlaunchAttribute, CUlaunchConfig. */
struct cuda_launch_attribute {
    int id;
    union {
        unsigned cluster[3];
        uint64_t reserved[8];
    };
};
enum { CUDA_LAUNCH_CLUSTER = 4 };

struct cuda_launch {
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    void *stream;
    struct cuda_launch_attribute *attributes;
    unsigned attribute_count;
};
