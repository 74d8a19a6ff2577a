#include "kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void kit_open(struct kit *kit, const char *settings)
{
    char why[MACHINE_TEXT_BYTES];
    *kit = (struct kit){.reaches = {false}};
    const char *wrong = machine_read(&kit->machine, settings, why, sizeof why);
    if (wrong)
        fail_msg("%s", wrong);
    memory_create(&kit->memory, &kit->machine);
    assert_true(hierarchy_create(&kit->hierarchy, &kit->machine));
    kit->device = (struct run_device){.machine = &kit->machine,
                                      .hierarchy = &kit->hierarchy,
                                      .memory = &kit->memory,
                                      .reaches = kit->reaches,
                                      .clock_mhz = kit->machine.clock_mhz,
                                      .ns = 1e9};
}

void kit_load(struct kit *kit, const char *text)
{
    static const char head[] = ".version 7.8\n.target sm_%u\n.address_size 64\n%s";
    char error[PTX_ERROR_BYTES];
    size_t bytes = sizeof head + strlen(text) + 10;
    char *whole = malloc(bytes);
    assert_non_null(whole);
    snprintf(whole, bytes, head, (unsigned)kit->machine.capability, text);
    ptx_free(&kit->module);
    if (ptx_read(&kit->module, whole, (unsigned)kit->machine.capability, error) != PTX_FINE)
        fail_msg("%s", error);
    free(whole);
}

void kit_close(struct kit *kit)
{
    ptx_free(&kit->module);
    hierarchy_free(&kit->hierarchy);
    memory_free(&kit->memory);
}

uint64_t kit_take(struct kit *kit, uint64_t bytes)
{
    uint64_t address = memory_take(&kit->memory, 0, bytes);
    assert_true(address != 0);
    return address;
}

void *kit_data(const struct kit *kit, uint64_t address)
{
    const struct allocation *found = memory_find(&kit->memory, address, 1);
    assert_non_null(found);
    return found->data + (address - found->address);
}

int kit_run_as(struct kit *kit, const char *entry, struct run_grid grid, const uint64_t *parameters)
{
    grid.module = &kit->module;
    grid.function = ptx_find(&kit->module, entry);
    assert_non_null(grid.function);
    grid.parameters = (const unsigned char *)parameters;
    run_kernel(&kit->device, &grid, &kit->outcome);
    return kit->outcome.result;
}

int kit_run(struct kit *kit, const char *entry, unsigned blocks, unsigned threads,
            uint32_t shared_bytes, const uint64_t *parameters)
{
    struct run_grid grid = {.blocks = {blocks, 1, 1},
                            .threads = {threads, 1, 1},
                            .cluster = 1,
                            .shared_bytes = shared_bytes,
                            .carve_out = -1};
    return kit_run_as(kit, entry, grid, parameters);
}

const uint64_t *kit_out(struct kit *kit, const char *settings, const char *text, unsigned blocks,
                        unsigned threads, uint32_t shared_bytes)
{
    kit_open(kit, settings);
    kit_load(kit, text);
    const uint64_t parameters[] = {kit_take(kit, KIT_OUT_BYTES)};
    kit_run(kit, "e", blocks, threads, shared_bytes, parameters);
    return kit_data(kit, parameters[0]);
}

int kit_result(const char *settings, const char *text, unsigned threads, const char *part)
{
    struct kit kit;
    kit_out(&kit, settings, text, 1, threads, 1024);
    int result = kit.outcome.result;
    if (!strstr(kit.outcome.text, part))
        fail_msg("%s", kit.outcome.text);
    kit_close(&kit);
    return result;
}
