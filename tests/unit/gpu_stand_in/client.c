#include "client.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PARAMETERS_MOST = 8 };

static void *find(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol)
        fail_msg("the stand-in lacks %s", name);
    return symbol;
}

void client_load(struct client *client, const char *model, const char *faults)
{
    const char *path = getenv("FATHOM_TEST_STAND_IN");
    *client = (struct client){.library = NULL};
    setenv("FATHOM_GPU_MODEL", model, 1);
    setenv("FATHOM_GPU_FAULT", faults, 1);
    assert_non_null(path);
    client->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!client->library)
        fail_msg("%s", dlerror());
#define FIND(name, arguments) *(void **)&client->name = find(client->library, #name);
    CLIENT_CALLS(FIND)
    FIND(fathomModel, )
    FIND(fathomModelNs, )
#undef FIND
}

int client_compile(struct client *client, const char *target, const char *text, char *log,
                   size_t log_bytes)
{
    static const char head[] = ".version 6.0\n.target %s\n.address_size 64\n%s";
    int options[] = {5, 6}; /* CU_JIT_ERROR_LOG_BUFFER and its size */
    void *values[] = {log, (void *)(uintptr_t)log_bytes};
    size_t bytes = sizeof head + strlen(target) + strlen(text);
    char *whole = malloc(bytes);
    assert_non_null(whole);
    snprintf(whole, bytes, head, target, text);
    int result = client->cuModuleLoadDataEx(&client->module, whole, log ? 2 : 0, options, values);
    free(whole);
    return result;
}

void client_open(struct client *client, const char *model, const char *faults, const char *text)
{
    client_load(client, model, faults);
    WORKS(client->cuInit(0));
    WORKS(client->cuDevicePrimaryCtxRetain(&client->context, 0));
    WORKS(client->cuCtxSetCurrent(client->context));
    if (text)
        WORKS(client_compile(client, "sm_70", text, NULL, 0));
}

void client_close(struct client *client)
{
    if (client->context)
        WORKS(client->cuDevicePrimaryCtxRelease(0));
    assert_int_equal(dlclose(client->library), 0);
}

int client_launch(struct client *client, const char *entry, unsigned blocks, unsigned threads,
                  uint32_t shared_bytes, void *stream, const uint64_t *parameters)
{
    void *function, *pointers[PARAMETERS_MOST];
    for (size_t i = 0; i < PARAMETERS_MOST; i++)
        pointers[i] = (void *)(uintptr_t)(parameters ? &parameters[i] : NULL);
    int result = client->cuModuleGetFunction(&function, client->module, entry);
    return result ? result
                  : client->cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared_bytes,
                                           stream, pointers, NULL);
}
