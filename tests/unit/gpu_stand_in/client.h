/* The stand-in as its users see it: a library that is opened, and whose calls are found by name. */
#ifndef FATHOM_TESTS_GPU_CLIENT_H
#define FATHOM_TESTS_GPU_CLIENT_H

#include <stddef.h>
#include <stdint.h>

/* X(name, arguments). All return a CUresult. */
#define CLIENT_CALLS(X)                                                                            \
    X(cuInit, (unsigned))                                                                          \
    X(cuDriverGetVersion, (int *))                                                                 \
    X(cuGetErrorName, (int, const char **))                                                        \
    X(cuGetErrorString, (int, const char **))                                                      \
    X(cuDeviceGetCount, (int *))                                                                   \
    X(cuDeviceGet, (int *, int))                                                                   \
    X(cuDeviceGetName, (char *, int, int))                                                         \
    X(cuDeviceGetAttribute, (int *, int, int))                                                     \
    X(cuDeviceTotalMem_v2, (size_t *, int))                                                        \
    X(cuDeviceGetUuid, (unsigned char *, int))                                                     \
    X(cuDeviceGetUuid_v2, (unsigned char *, int))                                                  \
    X(cuDeviceGetPCIBusId, (char *, int, int))                                                     \
    X(cuDeviceCanAccessPeer, (int *, int, int))                                                    \
    X(cuDevicePrimaryCtxRetain, (void **, int))                                                    \
    X(cuDevicePrimaryCtxRelease, (int))                                                            \
    X(cuDevicePrimaryCtxRelease_v2, (int))                                                         \
    X(cuCtxSetCurrent, (void *))                                                                   \
    X(cuCtxGetCurrent, (void **))                                                                  \
    X(cuCtxGetDevice, (int *))                                                                     \
    X(cuCtxSynchronize, (void))                                                                    \
    X(cuCtxEnablePeerAccess, (void *, unsigned))                                                   \
    X(cuModuleLoadDataEx, (void **, const void *, unsigned, int *, void **))                       \
    X(cuModuleUnload, (void *))                                                                    \
    X(cuModuleGetFunction, (void **, void *, const char *))                                        \
    X(cuModuleGetGlobal_v2, (uint64_t *, size_t *, void *, const char *))                          \
    X(cuFuncSetAttribute, (void *, int, int))                                                      \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *, void *, int, size_t))                   \
    X(cuMemGetInfo_v2, (size_t *, size_t *))                                                       \
    X(cuMemAlloc_v2, (uint64_t *, size_t))                                                         \
    X(cuMemFree_v2, (uint64_t))                                                                    \
    X(cuMemHostAlloc, (void **, size_t, unsigned))                                                 \
    X(cuMemFreeHost, (void *))                                                                     \
    X(cuMemHostGetDevicePointer_v2, (uint64_t *, void *, unsigned))                                \
    X(cuMemcpyHtoD_v2, (uint64_t, const void *, size_t))                                           \
    X(cuMemcpyDtoH_v2, (void *, uint64_t, size_t))                                                 \
    X(cuMemcpyHtoDAsync_v2, (uint64_t, const void *, size_t, void *))                              \
    X(cuMemcpyDtoHAsync_v2, (void *, uint64_t, size_t, void *))                                    \
    X(cuMemcpyDtoDAsync_v2, (uint64_t, uint64_t, size_t, void *))                                  \
    X(cuMemcpyPeerAsync, (uint64_t, void *, uint64_t, void *, size_t, void *))                     \
    X(cuMemsetD8_v2, (uint64_t, unsigned char, size_t))                                            \
    X(cuMemsetD32_v2, (uint64_t, unsigned, size_t))                                                \
    X(cuMemsetD8Async, (uint64_t, unsigned char, size_t, void *))                                  \
    X(cuMemsetD32Async, (uint64_t, unsigned, size_t, void *))                                      \
    X(cuStreamCreate, (void **, unsigned))                                                         \
    X(cuStreamDestroy_v2, (void *))                                                                \
    X(cuStreamQuery, (void *))                                                                     \
    X(cuStreamSynchronize, (void *))                                                               \
    X(cuStreamWaitEvent, (void *, void *, unsigned))                                               \
    X(cuEventCreate, (void **, unsigned))                                                          \
    X(cuEventDestroy_v2, (void *))                                                                 \
    X(cuEventRecord, (void *, void *))                                                             \
    X(cuEventQuery, (void *))                                                                      \
    X(cuEventSynchronize, (void *))                                                                \
    X(cuEventElapsedTime, (float *, void *, void *))                                               \
    X(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,         \
                       unsigned, void *, void **, void **))                                        \
    X(cuLaunchKernelEx, (const void *, void *, void **, void **))                                  \
    X(cuTexObjectCreate, (uint64_t *, const void *, const void *, const void *))                   \
    X(cuTexObjectDestroy, (uint64_t))                                                              \
    X(nvmlInit_v2, (void))                                                                         \
    X(nvmlShutdown, (void))                                                                        \
    X(nvmlSystemGetDriverVersion, (char *, unsigned))                                              \
    X(nvmlDeviceGetHandleByPciBusId_v2, (const char *, void **))                                   \
    X(nvmlDeviceGetClockInfo, (void *, int, unsigned *))                                           \
    X(nvmlDeviceGetPowerUsage, (void *, unsigned *))                                               \
    X(nvmlDeviceGetTemperature, (void *, int, unsigned *))                                         \
    X(nvmlDeviceGetCurrentClocksThrottleReasons, (void *, unsigned long long *))

struct client {
    void *library, *context, *module;
#define CLIENT_MEMBER(name, arguments) int(*name) arguments;
    CLIENT_CALLS(CLIENT_MEMBER)
#undef CLIENT_MEMBER
    const char *(*fathomModel)(void);
    unsigned long long (*fathomModelNs)(void);
};

/* Opens FATHOM_TEST_STAND_IN with these settings; every call of it is there. */
void client_load(struct client *, const char *model, const char *faults);
/* The same, and starts device 0 with a module (the head is added) where `text` is not NULL. */
void client_open(struct client *, const char *model, const char *faults, const char *text);
void client_close(struct client *);
/* Loads text for that target; its result, and the log where `log` is not NULL. */
int client_compile(struct client *, const char *target, const char *text, char *log,
                   size_t log_bytes);
/* Launches in a stream with 64-bit parameters; the launch's own result. */
int client_launch(struct client *, const char *entry, unsigned blocks, unsigned threads,
                  uint32_t shared_bytes, void *stream, const uint64_t *parameters);

#define WORKS(call) assert_int_equal((call), 0)

#endif
