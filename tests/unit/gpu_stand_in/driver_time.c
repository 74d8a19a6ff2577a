/* What the driver's events, the host's clock and NVML tell, and injected faults. */
#include "client.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    ".entry spin(.param .u64 n) { .reg .b64 %n; .reg .pred %k; ld.param.u64 %n, [n];\n"
    "LOOP: sub.u64 %n, %n, 1; setp.ne.u64 %k, %n, 0; @%k bra LOOP; }\n"
    ".entry clocks(.param .u64 out) { .reg .b64 %o, %c, %t; ld.param.u64 %o, [out];\n"
    "mov.u64 %c, %clock64; mov.u64 %t, %globaltimer; st.global.u64 [%o], %c;\n"
    "st.global.u64 [%o+8], %t; }\n"
    ".entry empty() { ret; }\n";

enum { MEGABYTE = 1000000 };

typedef int any_call(long, long, long, long, long, long, long, long, long, long, long);

static void assert_about(double value, double expected, double share)
{
    if (!(fabs(value - expected) <= share * expected))
        fail_msg("%g for %g", value, expected);
}

static double elapsed_us(struct client *client, void *begin, void *end)
{
    float ms = -1;
    WORKS(client->cuEventElapsedTime(&ms, begin, end));
    return (double)ms * 1e3;
}

static void two_events(struct client *client, void **events)
{
    for (int i = 0; i < 2; i++)
        WORKS(client->cuEventCreate(&events[i], 0));
}

static void copies_take_as_long_as_declared(void **state)
{
    (void)state;
    static const struct {
        bool pinned;
        double gb_s;
    } cases[] = {{true, 12.5}, {false, 4}};
    for (size_t i = 0; i < 2; i++) {
        struct client client;
        void *events[2], *host = NULL;
        uint64_t device;
        client_open(&client, "tiny,pinned_bandwidth=12.5,pageable_bandwidth=4,copy_us=3", "", NULL);
        two_events(&client, events);
        WORKS(client.cuMemAlloc_v2(&device, 10 * MEGABYTE));
        if (cases[i].pinned)
            WORKS(client.cuMemHostAlloc(&host, 10 * MEGABYTE, 0));
        else
            host = calloc(1, 10 * MEGABYTE);
        for (int out = 0; out < 2; out++) {
            WORKS(client.cuEventRecord(events[0], NULL));
            WORKS(out ? client.cuMemcpyDtoHAsync_v2(host, device, 10 * MEGABYTE, NULL)
                      : client.cuMemcpyHtoDAsync_v2(device, host, 10 * MEGABYTE, NULL));
            WORKS(client.cuEventRecord(events[1], NULL));
            WORKS(client.cuEventSynchronize(events[1]));
            assert_about(elapsed_us(&client, events[0], events[1]), 1e4 / cases[i].gb_s + 3, 1e-3);
        }
        if (!cases[i].pinned)
            free(host);
        client_close(&client);
    }
}

/* In two streams both directions go on at once, in one they follow each other. */
static void directions_have_engines_of_their_own(void **state)
{
    (void)state;
    for (int together = 0; together < 2; together++) {
        struct client client;
        void *streams[2], *events[2], *host;
        uint64_t device;
        client_open(&client, "tiny,pinned_bandwidth=10,copy_us=0", "", NULL);
        two_events(&client, events);
        for (int i = 0; i < 2; i++)
            WORKS(client.cuStreamCreate(&streams[i], 1));
        WORKS(client.cuMemAlloc_v2(&device, 10 * MEGABYTE));
        WORKS(client.cuMemHostAlloc(&host, 10 * MEGABYTE, 0));
        WORKS(client.cuEventRecord(events[0], streams[0]));
        WORKS(client.cuStreamWaitEvent(streams[1], events[0], 0));
        WORKS(client.cuMemcpyHtoDAsync_v2(device, host, 10 * MEGABYTE, streams[0]));
        WORKS(client.cuMemcpyDtoHAsync_v2(host, device, 10 * MEGABYTE, streams[together]));
        WORKS(client.cuEventRecord(events[1], streams[together]));
        WORKS(client.cuStreamWaitEvent(streams[0], events[1], 0));
        WORKS(client.cuEventRecord(events[1], streams[0]));
        assert_about(elapsed_us(&client, events[0], events[1]), together ? 1000 : 2000, 1e-3);
        client_close(&client);
    }
}

static void the_null_stream_waits_for_all_but_those_apart(void **state)
{
    (void)state;
    for (unsigned apart = 0; apart < 2; apart++) {
        struct client client;
        void *stream, *events[2];
        client_open(&client, "tiny", "", text);
        two_events(&client, events);
        WORKS(client.cuStreamCreate(&stream, apart));
        WORKS(client.cuEventRecord(events[0], NULL));
        const uint64_t parameters[] = {100000};
        WORKS(client_launch(&client, "spin", 1, 1, 0, stream, parameters));
        WORKS(client.cuEventRecord(events[1], NULL));
        double us = elapsed_us(&client, events[0], events[1]);
        if (apart)
            assert_true(us >= 0 && us <= 10);
        else
            assert_true(us >= 500 && us <= 5000);
        client_close(&client);
    }
}

static void kernels_take_their_cycles(void **state)
{
    (void)state;
    double us[2];
    for (int i = 0; i < 2; i++) {
        struct client client;
        void *events[2];
        client_open(&client, i ? "tiny,clock_mhz=500,launch_us=0" : "tiny,launch_us=0", "", text);
        two_events(&client, events);
        WORKS(client.cuEventRecord(events[0], NULL));
        const uint64_t parameters[] = {1000000};
        WORKS(client_launch(&client, "spin", 1, 1, 0, NULL, parameters));
        WORKS(client.cuEventRecord(events[1], NULL));
        us[i] = elapsed_us(&client, events[0], events[1]);
        client_close(&client);
    }
    assert_true(us[0] >= 3000 && us[0] <= 50000);
    assert_about(us[1], 2 * us[0], 1e-3);
}

static void the_host_sees_launches_take_time(void **state)
{
    (void)state;
    struct client client;
    client_open(&client, "tiny,launch_us=7", "", text);
    for (int i = 0; i < 3; i++) {
        unsigned long long before = client.fathomModelNs();
        WORKS(client_launch(&client, "empty", 1, 1, 0, NULL, NULL));
        assert_true(client.fathomModelNs() - before < 7000);
        WORKS(client.cuCtxSynchronize());
        assert_about((double)(client.fathomModelNs() - before), 7000, 0.02);
    }
    client_close(&client);
}

static void the_timer_goes_on_from_kernel_to_kernel(void **state)
{
    (void)state;
    struct client client;
    uint64_t out, seen[2], before[2] = {0, 0};
    client_open(&client, "tiny,timer_ns=1024,wobble=20", "", text);
    WORKS(client.cuMemAlloc_v2(&out, sizeof seen));
    for (int i = 0; i < 20; i++) {
        WORKS(client_launch(&client, "clocks", 1, 1, 0, NULL, &out));
        WORKS(client.cuMemcpyDtoH_v2(seen, out, sizeof seen));
        assert_true(seen[0] > before[0]);
        assert_true(seen[1] > before[1]);
        assert_int_equal(seen[1] % 1024, 0);
        memcpy(before, seen, sizeof seen);
    }
    client_close(&client);
}

static void nvml_tells_the_clock_of_the_last_kernel(void **state)
{
    (void)state;
    struct client client;
    void *device;
    unsigned value, lowest = UINT32_MAX, highest = 0;
    unsigned long long reasons;
    char version[80];
    client_open(&client,
                "tiny,clock_mhz=2000,wobble=10,throttle=0x24,power_w=250.5,temperature_c=71", "",
                text);
    assert_int_equal(client.nvmlDeviceGetHandleByPciBusId_v2("0000:10:00.0", &device), 1);
    WORKS(client.nvmlInit_v2());
    WORKS(client.nvmlDeviceGetHandleByPciBusId_v2("0000:10:00.0", &device));
    WORKS(client.nvmlDeviceGetHandleByPciBusId_v2("00000000:10:00.0", &device));
    for (int i = 0; i < 40; i++) {
        WORKS(client_launch(&client, "empty", 1, 1, 0, NULL, NULL));
        WORKS(client.nvmlDeviceGetClockInfo(device, 1, &value));
        lowest = value < lowest ? value : lowest;
        highest = value > highest ? value : highest;
    }
    assert_true(lowest >= 1800 && lowest <= 1850);
    assert_true(highest >= 1950 && highest <= 2000);
    WORKS(client.nvmlDeviceGetClockInfo(device, 2, &value));
    assert_int_equal(value, 1000);
    WORKS(client.nvmlDeviceGetPowerUsage(device, &value));
    assert_int_equal(value, 250500);
    WORKS(client.nvmlDeviceGetTemperature(device, 0, &value));
    assert_int_equal(value, 71);
    WORKS(client.nvmlDeviceGetCurrentClocksThrottleReasons(device, &reasons));
    assert_int_equal(reasons, 0x24);
    WORKS(client.nvmlSystemGetDriverVersion(version, sizeof version));
    assert_string_equal(version, "modelled 12.4");
    assert_int_equal(client.nvmlDeviceGetHandleByPciBusId_v2("0000:99:00.0", &device), 6);
    assert_int_equal(client.nvmlDeviceGetHandleByPciBusId_v2("nowhere", &device), 2);
    WORKS(client.nvmlShutdown());
    client_close(&client);
}

/* Faults are looked for before anything else, so that arguments do not matter. */
static void every_call_can_fail(void **state)
{
    (void)state;
    struct client client;
    char fault[80];
    client_load(&client, "tiny", "");
#define FAILS(name, arguments)                                                                     \
    snprintf(fault, sizeof fault, "%s=317", #name);                                                \
    setenv("FATHOM_GPU_FAULT", fault, 1);                                                          \
    assert_int_equal(((any_call *)(void (*)(void))client.name)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),   \
                     317);
    CLIENT_CALLS(FAILS)
#undef FAILS
    setenv("FATHOM_GPU_FAULT", "", 1);
    WORKS(client.cuInit(0));
    client_close(&client);
}

static void faults_are_counted_and_some_of_them_stay(void **state)
{
    (void)state;
    struct client client;
    uint64_t address;
    client_open(&client, "tiny", "cuMemAlloc:2=2,cuLaunchKernel:2=719", text);
    WORKS(client.cuMemAlloc_v2(&address, 8));
    assert_int_equal(client.cuMemAlloc_v2(&address, 8), 2);
    WORKS(client.cuMemAlloc_v2(&address, 8));
    WORKS(client_launch(&client, "empty", 1, 1, 0, NULL, NULL));
    assert_int_equal(client_launch(&client, "empty", 1, 1, 0, NULL, NULL), 719);
    assert_int_equal(client_launch(&client, "empty", 1, 1, 0, NULL, NULL), 719);
    assert_int_equal(client.cuMemAlloc_v2(&address, 8), 719);
    client_close(&client);
}

static void what_hangs_is_never_ready_and_waited_for_in_vain(void **state)
{
    (void)state;
    struct client client;
    void *stream, *other, *events[2];
    float ms;
    client_open(&client, "tiny,hang_s=0.01", "cuLaunchKernel:2=hang", text);
    two_events(&client, events);
    WORKS(client.cuStreamCreate(&stream, 1));
    WORKS(client.cuStreamCreate(&other, 1));
    WORKS(client_launch(&client, "empty", 1, 1, 0, stream, NULL));
    WORKS(client.cuEventRecord(events[0], stream));
    WORKS(client_launch(&client, "empty", 1, 1, 0, stream, NULL));
    WORKS(client.cuEventRecord(events[1], stream));
    for (int i = 0; i < 100; i++) {
        assert_int_equal(client.cuStreamQuery(stream), 600);
        assert_int_equal(client.cuEventQuery(events[1]), 600);
        WORKS(client.cuStreamQuery(other));
        WORKS(client.cuEventQuery(events[0]));
    }
    assert_int_equal(client.cuEventElapsedTime(&ms, events[0], events[1]), 600);
    assert_int_equal(client.cuStreamSynchronize(stream), 702);
    assert_int_equal(client.cuStreamQuery(stream), 702);
    client_close(&client);
}

static void what_is_no_fault_makes_all_fail(void **state)
{
    (void)state;
    struct client client;
    client_load(&client, "tiny", "cuInit=often");
    assert_int_equal(client.cuInit(0), 999);
    assert_non_null(strstr(client.fathomModel(), "cuInit=often"));
    client_close(&client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_take_as_long_as_declared),
        cmocka_unit_test(directions_have_engines_of_their_own),
        cmocka_unit_test(the_null_stream_waits_for_all_but_those_apart),
        cmocka_unit_test(kernels_take_their_cycles),
        cmocka_unit_test(the_host_sees_launches_take_time),
        cmocka_unit_test(the_timer_goes_on_from_kernel_to_kernel),
        cmocka_unit_test(nvml_tells_the_clock_of_the_last_kernel),
        cmocka_unit_test(every_call_can_fail),
        cmocka_unit_test(faults_are_counted_and_some_of_them_stay),
        cmocka_unit_test(what_hangs_is_never_ready_and_waited_for_in_vain),
        cmocka_unit_test(what_is_no_fault_makes_all_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
