/* PTX text becomes a module, and what is found in it. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CUjit_option, CUfunction_attribute. */
enum { JIT_ERROR_LOG = 5, JIT_ERROR_LOG_BYTES = 6, JIT_CACHE_MODE = 14, JIT_CACHE_ALL = 2 };
enum { FUNCTION_DYNAMIC_SHARED = 8, FUNCTION_CARVE_OUT = 9, FUNCTION_LARGE_CLUSTERS = 14 };
/* What a block may have without asking for more. */
enum { DYNAMIC_UNASKED = 48 * 1024 };

static void free_module(struct module *module)
{
    while (module->functions) {
        struct function *gone = module->functions;
        module->functions = gone->next;
        free(gone);
    }
    if (module->constants)
        memory_drop(&driver.memory, module->constants, HOME_DEVICE);
    for (size_t i = 0; i < module->code.variable_count; i++)
        if (module->code.variables[i].space == SPACE_GLOBAL && module->code.variables[i].at)
            memory_drop(&driver.memory, module->code.variables[i].at, HOME_DEVICE);
    ptx_free(&module->code);
    free(module);
}

void modules_free(struct device *device)
{
    while (device->modules) {
        struct module *gone = device->modules;
        device->modules = gone->next;
        free_module(gone);
    }
}

/* The newest language that a driver of a version compiles: 12.4 has 8.4. */
static unsigned newest_language(uint64_t version)
{
    static const struct {
        uint64_t from;
        unsigned language;
    } known[] = {{13000, 90}, {12000, 80}, {11000, 70}, {10000, 63},
                 {9000, 60},  {8000, 50},  {7000, 42},  {0, 40}};
    size_t i = 0;
    while (known[i].from > version)
        i++;
    return known[i].language + (unsigned)(version - known[i].from) % 1000 / 10;
}

static int compile(struct module *module, const char *text, char *log)
{
    int result = DONE;
    switch (ptx_read(&module->code, text, (unsigned)driver.machine.capability, log)) {
    case PTX_FINE:
        if (module->code.version > newest_language(driver.machine.driver)) {
            snprintf(log, PTX_ERROR_BYTES,
                     "ptxas application ptx input, line 1; fatal   : Unsupported .version %u.%u",
                     module->code.version / 10, module->code.version % 10);
            result = UNSUPPORTED_PTX_VERSION;
        }
        break;
    case PTX_INVALID:
        result = INVALID_PTX;
        break;
    case PTX_TOO_NEW_FOR_DEVICE:
        result = NO_BINARY_FOR_GPU;
        break;
    case PTX_NO_MEMORY:
        result = OUT_OF_MEMORY;
        break;
    }
    return result;
}

/* Memory for constants and global variables. */
static int place_variables(struct module *module)
{
    const unsigned device = module->device->index;
    if (module->code.constant_bytes) {
        module->constants = memory_take(&driver.memory, device, module->code.constant_bytes);
        if (!module->constants)
            return OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < module->code.variable_count; i++) {
        struct ptx_variable *variable = &module->code.variables[i];
        if (variable->space != SPACE_GLOBAL)
            continue;
        variable->at = memory_take(&driver.memory, device, variable->bytes);
        if (!variable->at)
            return OUT_OF_MEMORY;
    }
    return DONE;
}

static void leave_log(const char *log, unsigned count, const int *options, void **values)
{
    char *buffer = NULL;
    size_t bytes = 0;
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == JIT_ERROR_LOG)
            buffer = values[i];
        else if (options[i] == JIT_ERROR_LOG_BYTES)
            bytes = (size_t)(uintptr_t)values[i];
    }
    if (buffer && bytes)
        snprintf(buffer, bytes, "%s", log);
}

/* Before 7.0 plain loads are cached in the second level alone, unless the compiler is asked. */
static void choose_caches(struct module *module, unsigned count, const int *options, void **values)
{
    bool asked = driver.machine.capability >= 70;
    for (unsigned i = 0; i < count; i++)
        asked |= options[i] == JIT_CACHE_MODE && (uintptr_t)values[i] == JIT_CACHE_ALL;
    for (size_t f = 0; f < module->code.function_count && !asked; f++)
        for (size_t i = 0; i < module->code.functions[f].count; i++) {
            struct ptx_instruction *at = &module->code.functions[f].code[i];
            if (at->cache == CACHE_DEFAULT)
                at->cache = CACHE_GLOBAL;
        }
}

API int cuModuleLoadDataEx(void **handle, const void *text, unsigned count, int *options,
                           void **values)
{
    char log[PTX_ERROR_BYTES] = "";
    struct module *module;
    int result;
    ENTER("cuModuleLoadDataEx", NEEDS_LIVE_CONTEXT);
    module = calloc(1, sizeof *module);
    if (!module)
        return OUT_OF_MEMORY;
    module->device = driver.current;
    result = compile(module, text, log);
    if (!result)
        result = place_variables(module);
    choose_caches(module, count, options, values);
    leave_log(log, count, options, values);
    if (result) {
        free_module(module);
        return result;
    }
    module->next = driver.current->modules;
    driver.current->modules = module;
    *handle = module;
    return DONE;
}

static struct module **module_at(const void *handle)
{
    struct module **at = &driver.current->modules;
    while (*at && *at != handle)
        at = &(*at)->next;
    return at;
}

API int cuModuleUnload(void *handle)
{
    struct module **at, *gone;
    int result;
    ENTER("cuModuleUnload", NEEDS_CONTEXT);
    at = module_at(handle);
    gone = *at;
    if (!gone)
        return INVALID_HANDLE;
    result = host_waits_for_all(driver.current);
    *at = gone->next;
    free_module(gone);
    return result;
}

API int cuModuleGetFunction(void **handle, void *module_handle, const char *name)
{
    struct module *module;
    struct function *function;
    const struct ptx_function *code;
    ENTER("cuModuleGetFunction", NEEDS_LIVE_CONTEXT);
    module = *module_at(module_handle);
    if (!module)
        return INVALID_HANDLE;
    code = ptx_find(&module->code, name);
    if (!code)
        return NOT_FOUND;
    for (function = module->functions; function; function = function->next)
        if (function->code == code)
            break;
    if (!function) {
        function = calloc(1, sizeof *function);
        if (!function)
            return OUT_OF_MEMORY;
        *function = (struct function){module->functions, module, code, -1, DYNAMIC_UNASKED, false};
        module->functions = function;
    }
    *handle = function;
    return DONE;
}

API int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *handle, const char *name)
{
    struct module *module;
    ENTER("cuModuleGetGlobal_v2", NEEDS_LIVE_CONTEXT);
    module = *module_at(handle);
    if (!module)
        return INVALID_HANDLE;
    for (size_t i = 0; i < module->code.variable_count; i++) {
        const struct ptx_variable *variable = &module->code.variables[i];
        if (strcmp(variable->name, name) || variable->space == SPACE_SHARED)
            continue;
        if (address)
            *address = variable->at + (variable->space == SPACE_CONSTANT ? module->constants : 0);
        if (bytes)
            *bytes = reported_size(variable->bytes);
        return DONE;
    }
    return NOT_FOUND;
}

struct function *function_find(void *handle)
{
    for (struct module *module = driver.current->modules; module; module = module->next)
        for (struct function *each = module->functions; each; each = each->next)
            if (each == handle)
                return each;
    return NULL;
}

API int cuFuncSetAttribute(void *handle, int attribute, int value)
{
    struct function *function;
    const struct machine *machine = &driver.machine;
    ENTER("cuFuncSetAttribute", NEEDS_LIVE_CONTEXT);
    function = function_find(handle);
    if (!function)
        return INVALID_HANDLE;
    if (attribute == FUNCTION_DYNAMIC_SHARED) {
        uint64_t most = machine_scratchpad_most(machine) - machine->shared_reserved;
        if (value < 0 || (uint64_t)value + function->code->shared_bytes > most)
            return INVALID_VALUE;
        function->dynamic_most = (uint32_t)value;
        return DONE;
    }
    if (attribute == FUNCTION_CARVE_OUT) {
        if (value < -1 || value > 100)
            return INVALID_VALUE;
        function->carve_out = value;
        return DONE;
    }
    if (attribute == FUNCTION_LARGE_CLUSTERS && machine->cluster_most > 1) {
        function->large_clusters = value != 0;
        return DONE;
    }
    return INVALID_VALUE;
}

API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *handle, int threads,
                                                    size_t shared_bytes)
{
    struct function *function;
    uint64_t scratchpad;
    ENTER("cuOccupancyMaxActiveBlocksPerMultiprocessor", NEEDS_LIVE_CONTEXT);
    function = function_find(handle);
    if (!function)
        return INVALID_HANDLE;
    if (threads <= 0 || shared_bytes > machine_scratchpad_most(&driver.machine))
        return INVALID_VALUE;
    *blocks = (int)run_occupancy(&driver.machine, function->code, (unsigned)threads,
                                 (uint32_t)shared_bytes, function->carve_out, &scratchpad);
    return DONE;
}
