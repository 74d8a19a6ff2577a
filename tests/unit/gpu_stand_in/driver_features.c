/* What not every device has: clusters, textures, peers; and a driver that is too old. */
#include "client.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    ".entry get(.param .u64 out, .param .u64 from) { .reg .b64 %o, %v;\n"
    "ld.param.u64 %o, [out]; ld.param.u64 %v, [from]; ld.global.u64 %v, [%v];\n"
    "st.global.u64 [%o], %v; }\n"
    ".entry texel(.param .u64 out, .param .u64 object, .param .u64 index) {\n"
    ".reg .b64 %o, %t, %x; .reg .b32 %a, %b, %c, %d;\n"
    "ld.param.u64 %o, [out]; ld.param.u64 %t, [object]; ld.param.u64 %x, [index];\n"
    "cvt.u32.u64 %a, %x; tex.1d.v4.u32.s32 {%a, %b, %c, %d}, [%t, {%a}];\n"
    "st.global.u32 [%o], %a; st.global.u32 [%o+4], %b; }\n"
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

static void clusters_are_for_those_that_have_them(void **state)
{
    (void)state;
    /* CUlaunchConfig with one attribute, the clusters' shape. */
    struct {
        int id;
        unsigned padding, shape[3], rest[13];
    } attribute = {.id = 4, .shape = {4, 1, 1}};
    struct {
        unsigned grid[3], block[3], shared_bytes;
        void *stream, *attributes;
        unsigned count;
    } config = {{8, 1, 1}, {32, 1, 1}, 0, NULL, &attribute, 1};
    static const char *const models[] = {"tiny", "volta"};
    for (size_t i = 0; i < 2; i++) {
        struct client client;
        void *function;
        bool has = i == 0;
        client_open(&client, models[i], "", text);
        WORKS(client.cuModuleGetFunction(&function, client.module, "empty"));
        config.grid[0] = 8;
        attribute.shape[0] = 4;
        assert_int_equal(client.cuLaunchKernelEx(&config, function, NULL, NULL), has ? 0 : 801);
        config.grid[0] = 7;
        assert_int_equal(client.cuLaunchKernelEx(&config, function, NULL, NULL), has ? 912 : 801);
        config.grid[0] = attribute.shape[0] = 8;
        assert_int_equal(client.cuLaunchKernelEx(&config, function, NULL, NULL), has ? 912 : 801);
        attribute.shape[0] = 1;
        WORKS(client.cuLaunchKernelEx(&config, function, NULL, NULL));
        WORKS(client.cuCtxSynchronize());
        client_close(&client);
    }
}

static void textures_are_linear_memory(void **state)
{
    (void)state;
    struct client client;
    uint64_t object, out, memory;
    uint32_t words[8] = {10, 11, 12, 13, 14, 15, 16, 17}, found[2];
    struct {
        int type;
        uint64_t address;
        int format;
        unsigned channels;
        size_t bytes;
        int rest[32];
    } resource = {.type = 2, .format = 3, .channels = 2, .bytes = sizeof words};
    int texture[32] = {0};
    client_open(&client, "volta", "", text);
    resource.address = memory = take(&client, sizeof words);
    out = take(&client, 8);
    WORKS(client.cuMemcpyHtoD_v2(memory, words, sizeof words));
    WORKS(client.cuTexObjectCreate(&object, &resource, texture, NULL));
    for (uint64_t i = 0; i < 5; i++) {
        const uint64_t parameters[] = {out, object, i};
        WORKS(client_launch(&client, "texel", 1, 1, 0, NULL, parameters));
        WORKS(client.cuMemcpyDtoH_v2(found, out, sizeof found));
        assert_int_equal(found[0], i < 4 ? words[2 * i] : 0);
        assert_int_equal(found[1], i < 4 ? words[2 * i + 1] : 0);
    }
    resource.bytes += 512;
    assert_int_equal(client.cuTexObjectCreate(&object, &resource, texture, NULL), 1);
    WORKS(client.cuTexObjectDestroy(object));
    assert_int_equal(client.cuTexObjectDestroy(object), 1);
    client_close(&client);
}

static void peers_are_reached_when_they_are_opened(void **state)
{
    (void)state;
    for (int peers = 0; peers < 2; peers++) {
        struct client client;
        void *other;
        int can;
        client_open(&client, peers ? "tiny,devices=2" : "tiny,devices=2,peers=0", "", text);
        uint64_t out = take(&client, 8);
        WORKS(client.cuDevicePrimaryCtxRetain(&other, 1));
        WORKS(client.cuCtxSetCurrent(other));
        uint64_t far = take(&client, 8);
        WORKS(client.cuMemsetD8_v2(far, 7, 8));
        WORKS(client.cuCtxSetCurrent(client.context));
        WORKS(client.cuDeviceCanAccessPeer(&can, 0, 1));
        assert_int_equal(can, peers);
        WORKS(client.cuMemcpyPeerAsync(out, client.context, far, other, 8, NULL));
        assert_int_equal(word_at(&client, out), UINT64_C(0x0707070707070707));
        WORKS(client.cuMemsetD8_v2(out, 0, 8));
        assert_int_equal(client.cuCtxEnablePeerAccess(other, 0), peers ? 0 : 217);
        assert_int_equal(client.cuCtxEnablePeerAccess(other, 0), peers ? 704 : 217);
        const uint64_t parameters[] = {out, far};
        WORKS(client_launch(&client, "get", 1, 1, 0, NULL, parameters));
        assert_int_equal(client.cuCtxSynchronize(), peers ? 0 : 700);
        if (peers)
            assert_int_equal(word_at(&client, out), UINT64_C(0x0707070707070707));
        WORKS(client.cuDevicePrimaryCtxRelease(1));
        client_close(&client);
    }
}

static void an_old_driver_lacks_calls(void **state)
{
    (void)state;
    static const char *const lacks[] = {"cuDevicePrimaryCtxRetain", "cuLaunchKernelEx",
                                        "cuStreamCreate", "nvmlInit_v2"};
    static const char *const has[] = {"cuInit", "cuMemAlloc_v2", "cuLaunchKernel", "fathomModel"};
    void *library = dlopen(getenv("FATHOM_TEST_OLD_STAND_IN"), RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    for (size_t i = 0; i < 4; i++) {
        assert_null(dlsym(library, lacks[i]));
        assert_non_null(dlsym(library, has[i]));
    }
    assert_int_equal(dlclose(library), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_are_for_those_that_have_them),
        cmocka_unit_test(textures_are_linear_memory),
        cmocka_unit_test(peers_are_reached_when_they_are_opened),
        cmocka_unit_test(an_old_driver_lacks_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
