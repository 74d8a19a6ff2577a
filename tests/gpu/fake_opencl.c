/*
 * A libOpenCL.so.1 with devices that no machine has together, to list and to name. FAKE_OPENCL says
 * what goes wrong: "no platform", "no device", or "broken platform" (the first of two); otherwise
 * nothing does. It can do no work: those calls are here only to be found.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct device {
    uint64_t type;
    const char *name, *board, *driver;
    uint32_t units, clock_mhz, major, minor;
    uint64_t memory_bytes, local_bytes, constant_bytes;
};

struct platform {
    const char *name;
    uint32_t count;
    struct device devices[2];
};

static struct platform platforms[] = {
    {
        "Fake One",
        2,
        {
            {4, "gfx0000", "  Fake Radeon ", "3581.0", 60, 2100, 0, 0, 16ull << 30, 65536, 4096},
            {4, "Fake NVIDIA", NULL, "535.1", 132, 0, 9, 0, 141ull << 30, 49152, 65536},
        },
    },
    {
        "Fake Two",
        2,
        {
            {8, "Fake board", NULL, NULL, 1, 300, 0, 0, 1ull << 30, 0, 0},
            {2, "Fake CPU", NULL, "1", 8, 3000, 0, 0, 1ull << 30, 0, 0},
        },
    },
};

static bool goes_wrong(const char *what)
{
    const char *chosen = getenv("FAKE_OPENCL");
    return chosen && strcmp(chosen, what) == 0;
}

int32_t clGetPlatformIDs(uint32_t room, struct platform **list, uint32_t *count)
{
    if (goes_wrong("no platform"))
        return -1001;
    for (uint32_t i = 0; list && i < room && i < 2; i++)
        list[i] = &platforms[i];
    if (count)
        *count = 2;
    return 0;
}

static int32_t give(const void *value, size_t bytes, size_t room, void *to, size_t *size)
{
    if (to && room < bytes)
        return -30;
    if (to)
        memcpy(to, value, bytes);
    if (size)
        *size = bytes;
    return 0;
}

static int32_t give_text(const char *text, size_t room, void *to, size_t *size)
{
    return text ? give(text, strlen(text) + 1, room, to, size) : -30;
}

int32_t clGetPlatformInfo(struct platform *platform, uint32_t info, size_t room, void *to,
                          size_t *size)
{
    return info == 0x0902 ? give_text(platform->name, room, to, size) : -30;
}

int32_t clGetDeviceIDs(struct platform *platform, uint64_t type, uint32_t room,
                       struct device **list, uint32_t *count)
{
    if (type != 0xffffffff)
        return -31;
    if (goes_wrong("no device"))
        return -1;
    if (goes_wrong("broken platform") && platform == platforms)
        return -6;
    for (uint32_t i = 0; list && i < room && i < platform->count; i++)
        list[i] = &platform->devices[i];
    if (count)
        *count = platform->count;
    return 0;
}

int32_t clGetDeviceInfo(struct device *device, uint32_t info, size_t room, void *to, size_t *size)
{
    switch (info) {
    case 0x1000:
        return give(&device->type, sizeof device->type, room, to, size);
    case 0x1002:
        return give(&device->units, sizeof device->units, room, to, size);
    case 0x100c:
        return give(&device->clock_mhz, sizeof device->clock_mhz, room, to, size);
    case 0x101f:
        return give(&device->memory_bytes, sizeof device->memory_bytes, room, to, size);
    case 0x1020:
        return give(&device->constant_bytes, sizeof device->constant_bytes, room, to, size);
    case 0x1023:
        return give(&device->local_bytes, sizeof device->local_bytes, room, to, size);
    case 0x102b:
        return give_text(device->name, room, to, size);
    case 0x102d:
        return give_text(device->driver, room, to, size);
    case 0x4000:
        return device->major ? give(&device->major, sizeof device->major, room, to, size) : -30;
    case 0x4001:
        return device->major ? give(&device->minor, sizeof device->minor, room, to, size) : -30;
    case 0x4038:
        return give_text(device->board, room, to, size);
    default:
        return -30;
    }
}

#define NO_WORK(name)                                                                              \
    int32_t name(void)                                                                             \
    {                                                                                              \
        return -59;                                                                                \
    }

NO_WORK(clReleaseContext)
NO_WORK(clReleaseCommandQueue)
NO_WORK(clBuildProgram)
NO_WORK(clGetProgramBuildInfo)
NO_WORK(clReleaseProgram)
NO_WORK(clSetKernelArg)
NO_WORK(clReleaseKernel)
NO_WORK(clReleaseMemObject)
NO_WORK(clEnqueueWriteBuffer)
NO_WORK(clEnqueueReadBuffer)
NO_WORK(clEnqueueUnmapMemObject)
NO_WORK(clEnqueueNDRangeKernel)
NO_WORK(clFlush)
NO_WORK(clFinish)
NO_WORK(clGetEventInfo)
NO_WORK(clGetEventProfilingInfo)
NO_WORK(clReleaseEvent)

#define NOTHING(name)                                                                              \
    void *name(void)                                                                               \
    {                                                                                              \
        return NULL;                                                                               \
    }

NOTHING(clCreateContext)
NOTHING(clCreateCommandQueue)
NOTHING(clCreateProgramWithSource)
NOTHING(clCreateKernel)
NOTHING(clCreateBuffer)
NOTHING(clCreateImage)
NOTHING(clEnqueueMapBuffer)
