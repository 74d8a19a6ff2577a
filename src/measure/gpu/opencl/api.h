/*
 * fathom's own declarations of the OpenCL calls that it uses, so that no OpenCL header or library
 * is needed to build. All functions are in OpenCL 1.2, so every loader of the last ten years has
 * them.
 *
 * Reference: Khronos, "The OpenCL Specification"; the numbers are those of the registry's cl.xml.
 */
#pragma once

#include "opencl.calls.h"

#include <stddef.h>
#include <stdint.h>

struct opencl_platform;
struct opencl_device;
struct opencl_context;
struct opencl_queue;
struct opencl_program;
struct opencl_kernel;
struct opencl_memory;
struct opencl_event;

struct opencl_image_format {
    uint32_t order, type;
};

struct opencl_image_shape {
    uint32_t type;
    size_t width, height, depth, array_size, row_pitch, slice_pitch;
    uint32_t mip_levels, samples;
    struct opencl_memory *buffer;
};

struct opencl_api {
#define OPENCL_MEMBER(result, name, symbol, older, arguments) result(*name) arguments;
    OPENCL_FUNCTIONS(OPENCL_MEMBER)
#undef OPENCL_MEMBER
};

enum opencl_status {
    OPENCL_SUCCESS = 0,
    OPENCL_DEVICE_NOT_FOUND = -1,
    OPENCL_NO_OBJECT_MEMORY = -4,
    OPENCL_NO_RESOURCES = -5,
    OPENCL_NO_HOST_MEMORY = -6,
    OPENCL_BUILD_FAILED = -11,
    OPENCL_INVALID_BUFFER_SIZE = -61,
    OPENCL_NO_PLATFORM = -1001, /* of the loader: cl_khr_icd */
};

enum opencl_platform_info { OPENCL_PLATFORM_NAME = 0x0902 };

enum opencl_device_info {
    OPENCL_DEVICE_TYPE = 0x1000,
    OPENCL_DEVICE_UNITS = 0x1002,
    OPENCL_DEVICE_GROUP_ITEMS = 0x1004,
    OPENCL_DEVICE_CLOCK_MHZ = 0x100c,
    OPENCL_DEVICE_BUFFER_BYTES = 0x1010,
    OPENCL_DEVICE_IMAGES = 0x1016,
    OPENCL_DEVICE_MEMORY_BYTES = 0x101f,
    OPENCL_DEVICE_CONSTANT_BYTES = 0x1020,
    OPENCL_DEVICE_LOCAL_BYTES = 0x1023,
    OPENCL_DEVICE_TICK_NS = 0x1025, /* profiling timer resolution */
    OPENCL_DEVICE_AVAILABLE = 0x1027,
    OPENCL_DEVICE_COMPILER = 0x1028,
    OPENCL_DEVICE_NAME = 0x102b,
    OPENCL_DEVICE_DRIVER = 0x102d,
    OPENCL_DEVICE_IMAGE_PIXELS = 0x1040,  /* in an image made from a buffer */
    OPENCL_DEVICE_KERNEL_CLOCKS = 0x1076, /* cl_khr_kernel_clock; fails where there is none */
    OPENCL_DEVICE_NVIDIA_MAJOR = 0x4000,  /* cl_nv_device_attribute_query */
    OPENCL_DEVICE_NVIDIA_MINOR = 0x4001,
    OPENCL_DEVICE_AMD_BOARD =
        0x4038, /* cl_amd_device_attribute_query: "Radeon ...", not "gfx1030" */
    OPENCL_DEVICE_AMD_FREE_KIB = 0x4039, /* all free memory, and the largest free block */
};

enum opencl_device_type { OPENCL_CPU = 2, OPENCL_GPU = 4 };

enum opencl_flag {
    OPENCL_QUEUE_PROFILING = 2,
    OPENCL_MEMORY_READ_WRITE = 1,
    OPENCL_MEMORY_READ_ONLY = 4,
    OPENCL_MEMORY_ON_HOST = 16, /* CL_MEM_ALLOC_HOST_PTR */
    OPENCL_MAP_READ = 1,
    OPENCL_MAP_WRITE = 2,
    OPENCL_NO_WAIT = 0, /* not blocking */
};

enum opencl_image {
    OPENCL_IMAGE_BUFFER = 0x10f6, /* image1d_buffer_t */
    OPENCL_ONE_CHANNEL = 0x10b0,  /* CL_R */
    OPENCL_UINT32 = 0x10dc,
};

enum opencl_program_info { OPENCL_BUILD_LOG = 0x1183 };

enum opencl_event_info {
    OPENCL_EVENT_STATUS = 0x11d3,
    OPENCL_EVENT_BEGAN = 0x1282,
    OPENCL_EVENT_ENDED = 0x1283,
};

enum { OPENCL_COMPLETE = 0 }; /* an event's status; larger: not complete; negative: an error */
