/* What dmidecode printed, in the words of several of its versions. */
#include "machine/declared/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int read_text(struct machine *machine, const char *text, size_t size, struct error *error)
{
    char path[] = "/tmp/fathom-dmidecode-XXXXXX";
    const int file = mkstemp(path);
    *machine = (struct machine){.cpu_count = 0};
    assert_true(file >= 0);
    assert_int_equal(write(file, text, size), (ssize_t)size);
    close(file);
    const int code = declared_dmidecode(machine, path, error);
    unlink(path);
    return code;
}

static const char printed[] =
    "# dmidecode 3.4\nGetting SMBIOS data from sysfs.\nSMBIOS 3.3.0 present.\n\n"
    "Handle 0x0022, DMI type 16, 23 bytes\nPhysical Memory Array\n\tLocation: System Board\n"
    "\tMaximum Capacity: 4 TB\n\n"
    "Handle 0x0024, DMI type 17, 92 bytes\nMemory Device\n\tArray Handle: 0x0022\n"
    "\tTotal Width: 72 bits\n\tData Width: 64 bits\n\tSize: 32 GB\n\tForm Factor: DIMM\n"
    "\tLocator: DIMM_A1\n\tBank Locator: P0 CHANNEL A\n\tType: DDR4\n"
    "\tType Detail: Synchronous Registered (Buffered)\n\tSpeed: 3200 MT/s\n"
    "\tManufacturer: Example\n\tSerial Number: 12345678\n\tPart Number: EX-3200-32   \n\tRank: 2\n"
    "\tConfigured Memory Speed: 2933 MT/s\n\tMemory Technology: DRAM\n\n"
    "Handle 0x0025, DMI type 17, 92 bytes\nMemory Device\n\tTotal Width: Unknown\n"
    "\tData Width: Unknown\n\tSize: No Module Installed\n\tLocator: DIMM_B1\n"
    "\tBank Locator: P0 CHANNEL B\n\tType: Unknown\n\tSpeed: Unknown\n\n"
    "Handle 0x0026, DMI type 17, 34 bytes\nMemory Device\n\tSize: 8192 MB\r\n"
    "\tLocator: DIMM_C1\r\n\tType: DDR3\n\tSpeed: 1600 MHz\n\tConfigured Clock Speed: 1333 MHz\n"
    "\tManufacturer: Not Specified";

static void modules_are_those_of_the_text(void **state)
{
    (void)state;
    struct machine machine;
    struct error error = {0};
    assert_int_equal(read_text(&machine, printed, sizeof printed - 1, &error), 0);
    const struct declared_facts *declared = &machine.facts.declared;
    assert_int_equal(declared->module_count, 3);
    const struct declared_module *module = &declared->modules[0];
    assert_string_equal(module->slot, "DIMM_A1");
    assert_string_equal(module->bank, "P0 CHANNEL A");
    assert_string_equal(module->type, "DDR4");
    assert_string_equal(module->maker, "Example");
    assert_string_equal(module->part, "EX-3200-32");
    assert_int_equal(module->size_bytes, UINT64_C(32) << 30);
    assert_int_equal(module->rated_mts, 3200);
    assert_int_equal(module->configured_mts, 2933);
    assert_int_equal(module->data_bits, 64);
    assert_int_equal(module->total_bits, 72);
    assert_int_equal(module->ranks, 2);
    assert_true(declared->modules[1].empty);
    assert_string_equal(declared->modules[1].slot, "DIMM_B1");
    assert_null(declared->modules[1].type);
    assert_int_equal(declared->modules[2].size_bytes, UINT64_C(8) << 30);
    assert_int_equal(declared->modules[2].rated_mts, 1600);
    assert_int_equal(declared->modules[2].configured_mts, 1333);
    assert_null(declared->modules[2].maker);
    pool_free(&machine.pool);
}

static void numbers_that_are_none_are_unknown(void **state)
{
    (void)state;
    static const char text[] =
        "Memory Device\n\tSize: 99999999999999999999 GB\n\tSpeed: -3200 MT/s\n"
        "\tConfigured Memory Speed: 4294967296 MT/s\n\tData Width: 64 bytes\n\tRank: x\n"
        "\tTotal Width:\n\tLocator: \x1b[2J\n\tBank Locator:\nMemory Device\n\tSize: 5 PB\n";
    struct machine machine;
    struct error error = {0};
    assert_int_equal(read_text(&machine, text, sizeof text - 1, &error), 0);
    const struct declared_module *module = &machine.facts.declared.modules[0];
    assert_int_equal(machine.facts.declared.module_count, 2);
    assert_int_equal(module->size_bytes + module->rated_mts + module->configured_mts, 0);
    assert_int_equal(module->data_bits + module->ranks + module->total_bits, 0);
    assert_string_equal(module->slot, "?[2J");
    assert_null(module->bank);
    assert_int_equal(machine.facts.declared.modules[1].size_bytes, 0);
    pool_free(&machine.pool);
}

/* A line of any length is one line: nothing in its middle begins a fact. */
static void long_lines_are_cut(void **state)
{
    (void)state;
    char text[4096] = "Memory Device\n\tLocator: ";
    struct machine machine;
    struct error error = {0};
    const size_t begin = strlen(text);
    memset(text + begin, 'x', 2000);
    strcpy(text + begin + 2000, "\tSize: 1 GB\n\tSpeed: 3200 MT/s\n");
    assert_int_equal(read_text(&machine, text, strlen(text), &error), 0);
    assert_int_equal(machine.facts.declared.modules[0].size_bytes, 0);
    assert_int_equal(machine.facts.declared.modules[0].rated_mts, 3200);
    pool_free(&machine.pool);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    struct machine machine;
    struct error error = {0};
    assert_int_equal(read_text(&machine, "Memory Devices\n\tSize: 1 GB\n", 27, &error),
                     ERROR_USAGE);
    assert_non_null(strstr(error.text, "has no \"Memory Device\": give what 'sudo dmidecode"));
    assert_int_equal(read_text(&machine, "", 0, &error), ERROR_USAGE);
    pool_free(&machine.pool);
    assert_int_equal(declared_dmidecode(&machine, "/missing/file", &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, "--smbios /missing/file can't be opened"));
    assert_int_equal(declared_dmidecode(&machine, "/", &error), ERROR_USAGE);
    assert_int_equal(declared_dmidecode(&machine, "/dev/zero", &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, "too large"));
    pool_free(&machine.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_are_those_of_the_text),
        cmocka_unit_test(numbers_that_are_none_are_unknown),
        cmocka_unit_test(long_lines_are_cut),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
