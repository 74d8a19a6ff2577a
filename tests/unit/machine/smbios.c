/* SMBIOS structures that are made here: what they say is read, and what is none of them is left. */
#include "machine/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { FIELDS = 0x5c, TABLE = 1024 };

struct table {
    unsigned char bytes[TABLE];
    size_t size;
    struct machine machine;
};

static unsigned char *begin(struct table *table, int type, size_t length)
{
    unsigned char *at = table->bytes + table->size;
    memset(at, 0, length);
    at[0] = (unsigned char)type;
    at[1] = (unsigned char)length;
    table->size += length;
    return at;
}

/* One NUL ends a text, and another all of them. */
static void end(struct table *table, const char *texts, size_t size)
{
    memcpy(table->bytes + table->size, texts, size);
    table->size += size;
}
#define TEXTS(texts) texts "\0", sizeof texts "\0"

static void put(unsigned char *structure, size_t at, uint32_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        structure[at + i] = (unsigned char)(value >> 8 * i);
}

/* 16 GiB of DDR4-3200. */
static unsigned char *begin_module(struct table *table)
{
    unsigned char *module = begin(table, 17, FIELDS);
    put(module, 0x08, 72, 2);
    put(module, 0x0a, 64, 2);
    put(module, 0x0c, 16384, 2);
    module[0x10] = 1;
    module[0x11] = 2;
    module[0x12] = 0x1a;
    put(module, 0x15, 3200, 2);
    module[0x17] = 3;
    module[0x1a] = 4;
    module[0x1b] = 0xf2;
    put(module, 0x20, 2933, 2);
    return module;
}

static const struct declared_facts *read_table(struct table *table)
{
    smbios_add_modules(&table->machine, table->bytes, table->size);
    return &table->machine.facts.declared;
}

static void a_module_is_read_among_other_structures(void **state)
{
    struct table table = {.size = 0};
    begin(&table, 0, 24);
    end(&table, TEXTS("17"));
    begin_module(&table);
    end(&table, TEXTS("  DIMM_A1 \0Bank\x01\0Maker\0Part"));
    begin(&table, 16, 23);
    end(&table, "\0", 2); /* without texts */
    begin_module(&table);
    end(&table, TEXTS("DIMM_B1"));
    begin(&table, 127, 4);
    end(&table, "\0", 2);
    begin_module(&table); /* behind the end */
    end(&table, TEXTS("DIMM_C1"));
    const struct declared_facts *declared = read_table(&table);
    assert_int_equal(declared->module_count, 2);
    const struct declared_module *module = &declared->modules[0];
    assert_string_equal(module->slot, "DIMM_A1");
    assert_string_equal(module->bank, "Bank?");
    assert_string_equal(module->maker, "Maker");
    assert_string_equal(module->part, "Part");
    assert_string_equal(module->type, "DDR4");
    assert_int_equal(module->size_bytes, UINT64_C(16) << 30);
    assert_int_equal(module->rated_mts, 3200);
    assert_int_equal(module->configured_mts, 2933);
    assert_int_equal(module->total_bits, 72);
    assert_int_equal(module->ranks, 2);
    /* A text that its structure does not have is not one of the next structure. */
    assert_string_equal(declared->modules[1].slot, "DIMM_B1");
    assert_null(declared->modules[1].bank);
    assert_null(declared->modules[1].part);
    pool_free(&table.machine.pool);
}

static void large_numbers_have_fields_of_their_own(void **state)
{
    struct table table = {.size = 0};
    unsigned char *module = begin_module(&table);
    put(module, 0x0c, 0x7fff, 2);
    put(module, 0x1c, 65536, 4);
    put(module, 0x15, 0xffff, 2);
    put(module, 0x54, 70000, 4);
    put(module, 0x20, 0xffff, 2);
    put(module, 0x58, 0xffffffff, 4);
    end(&table, TEXTS("A"));
    module = begin_module(&table);
    put(module, 0x0c, 0x8000 | 512, 2); /* in KiB */
    put(module, 0x0a, 0xffff, 2);
    put(module, 0x12, 0xee, 1);
    end(&table, TEXTS("B"));
    module = begin_module(&table);
    put(module, 0x0c, 0xffff, 2);
    end(&table, TEXTS("C"));
    module = begin_module(&table);
    put(module, 0x0c, 0, 2);
    end(&table, TEXTS("D"));
    const struct declared_facts *declared = read_table(&table);
    assert_int_equal(declared->module_count, 4);
    assert_int_equal(declared->modules[0].size_bytes, UINT64_C(64) << 30);
    assert_int_equal(declared->modules[0].rated_mts, 70000);
    assert_int_equal(declared->modules[0].configured_mts, 0); /* no memory is as fast */
    assert_int_equal(declared->modules[1].size_bytes, 512 * 1024);
    assert_int_equal(declared->modules[1].data_bits, 0);
    assert_null(declared->modules[1].type);
    assert_int_equal(declared->modules[2].size_bytes, 0);
    assert_false(declared->modules[2].empty);
    assert_true(declared->modules[3].empty);
    assert_int_equal(declared->modules[3].rated_mts, 0);
    pool_free(&table.machine.pool);
}

/* A table of 1999 has fewer fields. */
static void short_structures_have_fewer_facts(void **state)
{
    struct table table = {.size = 0};
    unsigned char *module = begin(&table, 17, 0x15);
    put(module, 0x0c, 256, 2);
    module[0x10] = 1;
    end(&table, TEXTS("DIMM0"));
    begin(&table, 17, 6); /* too short to be a module */
    end(&table, TEXTS("x"));
    const struct declared_facts *declared = read_table(&table);
    assert_int_equal(declared->module_count, 1);
    assert_int_equal(declared->modules[0].size_bytes, 256 << 20);
    assert_int_equal(declared->modules[0].rated_mts, 0);
    pool_free(&table.machine.pool);
}

/* Whole structures before the damage are read, and nothing behind the table. */
static void every_cut_is_survived(void **state)
{
    struct table whole = {.size = 0};
    begin_module(&whole);
    end(&whole, TEXTS("A\0B\0C\0D"));
    const size_t first = whole.size;
    begin_module(&whole);
    end(&whole, TEXTS("E\0F\0G\0H"));
    for (size_t size = 0; size <= whole.size; size++) {
        struct machine machine = {.cpu_count = 0};
        /* A copy of that length, so that a tool sees what is read behind it. */
        unsigned char *table = test_malloc(size + 1);
        memcpy(table, whole.bytes, size);
        smbios_add_modules(&machine, table, size);
        assert_int_equal(machine.facts.declared.module_count, size == whole.size ? 2
                                                              : size >= first    ? 1
                                                                                 : 0);
        test_free(table);
        pool_free(&machine.pool);
    }
    for (size_t at = 0; at < whole.size; at++) {
        struct table damaged = whole;
        damaged.machine = (struct machine){.cpu_count = 0};
        damaged.bytes[at] ^= 0xff;
        assert_true(read_table(&damaged)->module_count <= 2);
        pool_free(&damaged.machine.pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_is_read_among_other_structures),
        cmocka_unit_test(large_numbers_have_fields_of_their_own),
        cmocka_unit_test(short_structures_have_fewer_facts),
        cmocka_unit_test(every_cut_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
