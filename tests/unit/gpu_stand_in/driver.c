#include "client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    ".visible .const .align 8 .b8 bank[256];\n.global .b8 here[64];\n"
    ".extern .shared .align 16 .b8 scratch[];\n"
    ".entry put(.param .u64 out, .param .u64 value) { .reg .b64 %o, %v;\n"
    "ld.param.u64 %o, [out]; ld.param.u64 %v, [value]; st.global.u64 [%o], %v; }\n"
    ".entry constant(.param .u64 out) { .reg .b64 %o, %v; .reg .b32 %a; mov.u32 %a, bank;\n"
    "ld.param.u64 %o, [out]; ld.const.u64 %v, [%a+8]; st.global.u64 [%o], %v; }\n"
    ".entry fail() { trap; }\n"
    ".entry empty() { ret; }\n";

static uint64_t take(struct client *client, size_t bytes)
{
    uint64_t address = 0;
    WORKS(client->cuMemAlloc_v2(&address, bytes));
    return address;
}

static uint64_t word_at(struct client *client, uint64_t address)
{
    uint64_t word = 0;
    WORKS(client->cuMemcpyDtoH_v2(&word, address, sizeof word));
    return word;
}

static void devices_are_described(void **state)
{
    struct client client;
    char name[64], bus[32];
    unsigned char uuid[2][16];
    int value;
    size_t bytes;
    client_open(&client, "turing,devices=2", "", NULL);
    WORKS(client.cuDeviceGetCount(&value));
    assert_int_equal(value, 2);
    WORKS(client.cuDeviceGet(&value, 1));
    assert_int_equal(value, 1);
    assert_int_equal(client.cuDeviceGet(&value, 2), 101);
    assert_int_equal(client.cuDeviceGet(&value, -1), 101);
    WORKS(client.cuDeviceGetName(name, sizeof name, 0));
    assert_string_equal(name, "modelled GPU (turing)");
    WORKS(client.cuDeviceTotalMem_v2(&bytes, 0));
    assert_int_equal(bytes, (size_t)11 << 30);
    static const int attributes[][2] = {{8, 48 << 10},  {9, 65536},       {10, 32}, {13, 1545000},
                                        {16, 68},       {38, 5632 << 10}, {75, 7},  {76, 5},
                                        {81, 64 << 10}, {97, 64 << 10},   {120, 0}};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        WORKS(client.cuDeviceGetAttribute(&value, attributes[i][0], 0));
        assert_int_equal(value, attributes[i][1]);
    }
    assert_int_equal(client.cuDeviceGetAttribute(&value, 9999, 0), 1);
    WORKS(client.cuDeviceGetPCIBusId(bus, sizeof bus, 1));
    assert_string_equal(bus, "0000:11:00.0");
    WORKS(client.cuDeviceGetUuid(uuid[0], 0));
    WORKS(client.cuDeviceGetUuid_v2(uuid[1], 1));
    assert_true(memcmp(uuid[0], uuid[1], sizeof uuid[0]) != 0);
    WORKS(client.cuDriverGetVersion(&value));
    assert_int_equal(value, 12040);
    client_close(&client);
}

static void what_comes_too_early_is_refused(void **state)
{
    struct client client;
    uint64_t address;
    int value;
    void *context;
    client_load(&client, "tiny", "");
    assert_int_equal(client.cuDeviceGetCount(&value), 3);
    WORKS(client.cuInit(0));
    assert_int_equal(client.cuMemAlloc_v2(&address, 8), 201);
    assert_int_equal(client.cuDevicePrimaryCtxRetain(&context, 1), 101);
    assert_int_equal(client.cuDevicePrimaryCtxRelease(0), 201);
    assert_int_equal(client.cuCtxSetCurrent(&value), 201);
    WORKS(client.cuDevicePrimaryCtxRetain(&context, 0));
    WORKS(client.cuDevicePrimaryCtxRetain(&context, 0));
    WORKS(client.cuCtxSetCurrent(context));
    WORKS(client.cuMemAlloc_v2(&address, 8));
    WORKS(client.cuDevicePrimaryCtxRelease_v2(0));
    WORKS(client.cuMemFree_v2(address));
    WORKS(client.cuDevicePrimaryCtxRelease_v2(0));
    assert_int_equal(client.cuMemAlloc_v2(&address, 8), 201);
    client_close(&client);
}

static void the_model_tells_all_of_itself(void **state)
{
    struct client client;
    client_load(&client, "volta,l2=1M,devices=3", "");
    const char *model = client.fathomModel();
    assert_non_null(strstr(model, "preset=volta "));
    assert_non_null(strstr(model, " l2=1048576 "));
    assert_non_null(strstr(model, " devices=3 "));
    assert_non_null(strstr(model, " carve_out=0:8192:16384:32768:65536:98304"));
    client_close(&client);
    client_load(&client, "tiny,colour=red", "");
    assert_non_null(strstr(client.fathomModel(), "colour=red"));
    assert_int_equal(client.cuInit(0), 999);
    client_close(&client);
    client_load(&client, "tiny,devices=0", "");
    assert_int_equal(client.cuInit(0), 100);
    client_close(&client);
}

static void kernels_see_parameters_constants_and_memory(void **state)
{
    struct client client;
    uint64_t bank, here, words[32] = {5, 77};
    size_t bytes;
    client_open(&client, "volta", "", text);
    uint64_t out = take(&client, 64);
    const uint64_t parameters[] = {out, UINT64_C(0x123456789abcdef0)};
    WORKS(client_launch(&client, "put", 1, 1, 0, NULL, parameters));
    WORKS(client.cuCtxSynchronize());
    assert_int_equal(word_at(&client, out), parameters[1]);
    WORKS(client.cuModuleGetGlobal_v2(&bank, &bytes, client.module, "bank"));
    assert_int_equal(bytes, 256);
    WORKS(client.cuMemcpyHtoD_v2(bank, words, sizeof words));
    WORKS(client_launch(&client, "constant", 1, 1, 0, NULL, parameters));
    assert_int_equal(word_at(&client, out), 77);
    WORKS(client.cuModuleGetGlobal_v2(&here, NULL, client.module, "here"));
    assert_int_equal(word_at(&client, here), 0);
    assert_int_equal(client.cuModuleGetGlobal_v2(&here, NULL, client.module, "there"), 500);
    assert_int_equal(client.cuModuleGetGlobal_v2(&here, NULL, client.module, "scratch"), 500);
    assert_int_equal(client_launch(&client, "nothing", 1, 1, 0, NULL, parameters), 500);
    WORKS(client.cuModuleUnload(client.module));
    assert_int_equal(client.cuModuleUnload(client.module), 400);
    client_close(&client);
}

static void copies_and_fills_arrive(void **state)
{
    struct client client;
    uint32_t words[64], back[64];
    void *pinned, *stream;
    client_open(&client, "volta", "", NULL);
    uint64_t a = take(&client, sizeof words), b = take(&client, sizeof words);
    for (uint32_t i = 0; i < 64; i++)
        words[i] = i * 3;
    WORKS(client.cuStreamCreate(&stream, 1));
    WORKS(client.cuMemcpyHtoDAsync_v2(a, words, sizeof words, stream));
    WORKS(client.cuMemcpyDtoDAsync_v2(b, a, sizeof words, stream));
    WORKS(client.cuMemsetD32Async(b + 8, 0xabcd, 2, stream));
    WORKS(client.cuMemsetD8Async(b + 20, 0x11, 4, stream));
    WORKS(client.cuMemsetD8_v2(b + 28, 0x22, 1));
    WORKS(client.cuMemsetD32_v2(b + 32, 0x33, 1));
    WORKS(client.cuMemHostAlloc(&pinned, sizeof words, 0));
    WORKS(client.cuMemcpyDtoHAsync_v2(pinned, b, sizeof words, stream));
    WORKS(client.cuStreamSynchronize(stream));
    words[2] = words[3] = 0xabcd;
    words[5] = 0x11111111;
    words[7] = 0x22;
    words[8] = 0x33;
    assert_memory_equal(pinned, words, sizeof words);
    WORKS(client.cuMemcpyDtoH_v2(back, b, sizeof back));
    assert_memory_equal(back, words, sizeof words);
    assert_int_equal(client.cuMemcpyDtoH_v2(back, b + 512, 8), 1);
    assert_int_equal(client.cuMemcpyHtoD_v2(0, words, 8), 1);
    assert_int_equal(client.cuMemsetD32_v2(b + 2, 0, 1), 1);
    assert_int_equal(client.cuMemFree_v2(a + 8), 1);
    assert_int_equal(client.cuMemFreeHost(words), 1);
    WORKS(client.cuMemFreeHost(pinned));
    WORKS(client.cuStreamDestroy_v2(stream));
    assert_int_equal(client.cuStreamQuery(stream), 400);
    client_close(&client);
}

static void memory_runs_out(void **state)
{
    struct client client;
    size_t free_bytes, all;
    uint64_t address;
    client_open(&client, "tiny", "", NULL);
    WORKS(client.cuMemGetInfo_v2(&free_bytes, &all));
    assert_int_equal(all, 128 << 20);
    assert_true(free_bytes >= all / 2 && free_bytes <= all - 1);
    assert_int_equal(client.cuMemAlloc_v2(&address, free_bytes + 512), 2);
    WORKS(client.cuMemAlloc_v2(&address, free_bytes));
    WORKS(client.cuMemGetInfo_v2(&free_bytes, &all));
    assert_int_equal(free_bytes, 0);
    assert_int_equal(client.cuMemAlloc_v2(&address, 0), 1);
    client_close(&client);
}

static void texts_that_do_not_compile_leave_a_log(void **state)
{
    struct client client;
    char log[256] = "", small[8] = "";
    client_open(&client, "turing,driver=9000", "", NULL);
    assert_int_equal(client_compile(&client, "sm_70", ".entry e() { frob; }", log, sizeof log),
                     218);
    assert_non_null(strstr(log, "frob"));
    assert_int_equal(client_compile(&client, "sm_70", "nonsense", small, sizeof small), 218);
    assert_int_equal(strlen(small), sizeof small - 1);
    assert_int_equal(client_compile(&client, "sm_90", ".entry e() { ret; }", log, sizeof log), 209);
    WORKS(client_compile(&client, "sm_75", ".entry e() { ret; }", log, sizeof log));
    assert_string_equal(log, "");
    client_close(&client);
    client_open(&client, "turing,driver=8000", "", NULL);
    assert_int_equal(client_compile(&client, "sm_70", ".entry e() { ret; }", log, sizeof log), 222);
    assert_non_null(strstr(log, ".version 6.0"));
    client_close(&client);
}

/* A kernel that fails makes the next call fail, and all after it, until the context is gone. */
static void errors_of_kernels_stay(void **state)
{
    struct client client;
    uint64_t address;
    client_open(&client, "tiny", "", text);
    WORKS(client_launch(&client, "fail", 1, 1, 0, NULL, NULL));
    assert_int_equal(client.cuCtxSynchronize(), 715);
    assert_int_equal(client.cuMemAlloc_v2(&address, 8), 715);
    assert_int_equal(client_launch(&client, "empty", 1, 1, 0, NULL, NULL), 715);
    WORKS(client.cuDevicePrimaryCtxRelease(0));
    WORKS(client.cuDevicePrimaryCtxRetain(&client.context, 0));
    WORKS(client.cuCtxSetCurrent(client.context));
    WORKS(client.cuMemAlloc_v2(&address, 8));
    WORKS(client_compile(&client, "sm_70", text, NULL, 0));
    const uint64_t nowhere[] = {8, 8};
    WORKS(client_launch(&client, "put", 1, 1, 0, NULL, nowhere));
    assert_int_equal(client.cuStreamQuery(NULL), 700);
    client_close(&client);
}

static void launches_that_ask_too_much_are_refused(void **state)
{
    struct client client;
    void *function;
    int blocks;
    client_open(&client, "turing", "", text);
    assert_int_equal(client_launch(&client, "empty", 0, 1, 0, NULL, NULL), 1);
    assert_int_equal(client_launch(&client, "empty", 1, 0, 0, NULL, NULL), 1);
    assert_int_equal(client_launch(&client, "empty", 1, 1025, 0, NULL, NULL), 1);
    assert_int_equal(client_launch(&client, "empty", 1, 32, 48 * 1024 + 1, NULL, NULL), 1);
    WORKS(client_launch(&client, "empty", 1, 1024, 48 * 1024, NULL, NULL));
    WORKS(client.cuModuleGetFunction(&function, client.module, "empty"));
    assert_int_equal(client.cuFuncSetAttribute(function, 8, 64 * 1024 + 1), 1);
    WORKS(client.cuFuncSetAttribute(function, 8, 64 * 1024));
    WORKS(client_launch(&client, "empty", 1, 32, 64 * 1024, NULL, NULL));
    assert_int_equal(client.cuFuncSetAttribute(function, 9, 101), 1);
    assert_int_equal(client.cuFuncSetAttribute(function, 77, 0), 1);
    assert_int_equal(client.cuFuncSetAttribute(&client, 9, 0), 400);
    WORKS(client.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 256, 16 * 1024));
    assert_int_equal(blocks, 4);
    client_close(&client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_described),
        cmocka_unit_test(what_comes_too_early_is_refused),
        cmocka_unit_test(the_model_tells_all_of_itself),
        cmocka_unit_test(kernels_see_parameters_constants_and_memory),
        cmocka_unit_test(copies_and_fills_arrive),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(texts_that_do_not_compile_leave_a_log),
        cmocka_unit_test(errors_of_kernels_stay),
        cmocka_unit_test(launches_that_ask_too_much_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
