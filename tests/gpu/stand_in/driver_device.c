/* What the driver says of its devices, and of its results. */
#include "driver.h"

#include <stdio.h>
#include <string.h>

API int cuDeviceGetCount(int *count)
{
    ENTER("cuDeviceGetCount", NEEDS_START);
    *count = (int)driver.machine.devices;
    return DONE;
}

API int cuDeviceGet(int *device, int index)
{
    ENTER("cuDeviceGet", NEEDS_START);
    if (!device_at(index))
        return INVALID_DEVICE;
    *device = index;
    return DONE;
}

API int cuDeviceGetName(char *name, int bytes, int index)
{
    ENTER("cuDeviceGetName", NEEDS_START);
    if (!device_at(index))
        return INVALID_DEVICE;
    snprintf(name, (size_t)bytes, "modelled GPU (%s)", driver.machine.preset);
    return DONE;
}

API int cuDeviceTotalMem_v2(size_t *bytes, int index)
{
    ENTER("cuDeviceTotalMem_v2", NEEDS_START);
    if (!device_at(index))
        return INVALID_DEVICE;
    *bytes = reported_size(driver.machine.memory);
    return DONE;
}

/* 16 bytes. */
static int give_uuid(unsigned char *uuid, int index)
{
    enum { UUID_BYTES = 16 };
    if (!device_at(index))
        return INVALID_DEVICE;
    for (int i = 0; i < UUID_BYTES; i++)
        uuid[i] = (unsigned char)(0xfa + 16 * index + i);
    return DONE;
}

API int cuDeviceGetUuid(unsigned char *uuid, int index)
{
    ENTER("cuDeviceGetUuid", NEEDS_START);
    return give_uuid(uuid, index);
}

API int cuDeviceGetUuid_v2(unsigned char *uuid, int index)
{
    ENTER("cuDeviceGetUuid_v2", NEEDS_START);
    return give_uuid(uuid, index);
}

/* NVML finds the device by this (nvml.c). */
API int cuDeviceGetPCIBusId(char *text, int bytes, int index)
{
    ENTER("cuDeviceGetPCIBusId", NEEDS_START);
    if (!device_at(index))
        return INVALID_DEVICE;
    snprintf(text, (size_t)bytes, "0000:%02x:00.0", 0x10 + index);
    return DONE;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* CUdevice_attribute. -1: there is none of that number. */
static int attribute_of(const struct machine *machine, int attribute, int index)
{
    const uint64_t scratchpad = machine_scratchpad_most(machine);
    /* The width at which two transfers a clock give the bandwidth. */
    const double bus_bits = machine->dram_bandwidth * 8e3 / (2 * machine->memory_mhz);
    const struct {
        int attribute;
        double value;
    } known[] = {
        {1, 1024}, /* threads of a block */
        {2, 1024}, /* along x, y, z */
        {3, 1024},
        {4, 64},
        {5, INT32_MAX}, /* blocks along x, y, z */
        {6, 65535},
        {7, 65535},
        {8, (double)least(scratchpad, 48 << 10)}, /* scratchpad of a block, without asking */
        {9, 64 << 10},                            /* constants */
        {10, WARP_LANES},
        {13, machine->clock_mhz * 1e3},
        {14, 512}, /* alignment of textures */
        {16, (double)machine->sms},
        {18, 0}, /* integrated */
        {19, 1}, /* maps host memory */
        {20, (double)machine->compute_mode},
        {31, 1}, /* kernels side by side */
        {33, 0x10 + index},
        {34, 0},
        {36, machine->memory_mhz * 1e3},
        {37, bus_bits},
        {38, (double)machine->l2},
        {39, (double)machine->threads_per_sm},
        {40, 2}, /* copy engines */
        {41, 1}, /* one address space */
        {50, 0},
        {69, 1 << 28}, /* texels of linear memory */
        {75, (double)(machine->capability / 10)},
        {76, (double)(machine->capability % 10)},
        {81, (double)scratchpad},
        {82, 65536}, /* registers */
        {83, (double)machine->managed},
        {88, (double)machine->pageable},
        {89, (double)machine->managed},
        {97, (double)(scratchpad - machine->shared_reserved)},
        {106, (double)machine->blocks_per_sm},
        {111, (double)machine->shared_reserved},
        {120, machine->cluster_most > 1},
        {134, (double)machine->node},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].attribute == attribute)
            return (int)known[i].value;
    return -1;
}

API int cuDeviceGetAttribute(int *value, int attribute, int index)
{
    int found;
    ENTER("cuDeviceGetAttribute", NEEDS_START);
    if (!device_at(index))
        return INVALID_DEVICE;
    found = attribute_of(&driver.machine, attribute, index);
    if (found < 0)
        return INVALID_VALUE;
    *value = found;
    return DONE;
}

static const struct {
    int result;
    const char *name, *text;
} results[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
     "peer access is not supported between these two devices"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {304, "CUDA_ERROR_OPERATING_SYSTEM", "OS call failed or operation not supported on this OS"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {710, "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {718, "CUDA_ERROR_INVALID_PC", "invalid program counter"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"},
    {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
     "forward compatibility was attempted on non supported HW"},
    {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "cluster misconfiguration"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static int explain(int result, bool name, const char **text)
{
    *text = NULL;
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (results[i].result == result)
            *text = name ? results[i].name : results[i].text;
    return *text ? DONE : INVALID_VALUE;
}

API int cuGetErrorName(int result, const char **name)
{
    ENTER("cuGetErrorName", NEEDS_NOTHING);
    return explain(result, true, name);
}

API int cuGetErrorString(int result, const char **text)
{
    ENTER("cuGetErrorString", NEEDS_NOTHING);
    return explain(result, false, text);
}
