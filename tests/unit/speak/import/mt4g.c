#include "desk.h"

static void what_is_declared_goes_to_the_machine(void **state)
{
    struct desk *desk = *state;
    read_sample(desk, &mt4g_format, "tools/mt4g.json");
    const struct gpu_facts *gpu = &desk->document.machine.gpus[0];
    assert_string_equal(gpu->name, "Made-up GPU");
    assert_string_equal(gpu->capability, "7.5");
    assert_true(gpu->l2_bytes == 1048576 && gpu->memory_bytes == 4294967296);
    assert_true(gpu->clock_hz == 1.4e9 && gpu->multiprocessors == 14);
    assert_true(gpu->scratchpad_bytes == 65536 && gpu->memory_bus_bits == 128);
    assert_string_equal(desk->document.machine.cpu_model, "Made-up CPU");
}

static void what_is_not_read_is_counted(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &mt4g_format,
                               "{\"memory\": {\"l1\": {\"somethingElse\": {\"size\": 32},"
                               "\"latency\": {\"p50\": 5, \"unit\": \"cycles\"}}}}"),
                     0);
    assert_true(desk->text.unread == 1 && desk->text.unread_line == 0);
    assert_string_equal(desk->text.unread_shown, "memory/l1/somethingElse/size");
    assert_int_equal(read_text(desk, &mt4g_format,
                               "{\"memory\": {\"l4\": {\"latency\": {\"mean\": 7, \"p50\": 7}},"
                               "\"l1\": {\"latency\": {\"p50\": 5, \"unit\": \"cycles\"}}}}"),
                     0);
    assert_int_equal(desk->text.unread, 1); /* a memory of another name */
    assert_string_equal(desk->text.unread_shown, "memory/l4/latency/mean");
}

static void what_is_no_such_document_is_refused(void **state)
{
    struct desk *desk = *state;
    assert_refused(desk, &mt4g_format, "", "is empty");
    assert_refused(desk, &mt4g_format, "{\n\"memory\": }",
                   "is not JSON at line 2, column 11: a value is missing");
    assert_refused(desk, &mt4g_format, "{\"memory\": {", "ends in the middle");
    assert_refused(desk, &mt4g_format, "[1, 2]", "holds no latency");
    assert_refused(desk, &mt4g_format, "9.5", "holds no latency");
    assert_refused(desk, &mt4g_format,
                   "{\"memory\": {\"l1\": {\"latency\": {\"p50\": 5, \"unit\": \"miles\"}}}}",
                   "memory L1, latency: has no unit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(what_is_declared_goes_to_the_machine),
        DESK_TEST(what_is_not_read_is_counted),
        DESK_TEST(what_is_no_such_document_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
