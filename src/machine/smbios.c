/*
 * Memory modules from the firmware's SMBIOS table: structures of type 17, "Memory Device", in
 * DMTF's DSP0134 (3.7, section 7.18; section 6.1 for the form of a structure). Linux shows the
 * whole table in /sys/firmware/dmi/tables/DMI and, if the module dmi-sysfs is loaded, each
 * structure in /sys/firmware/dmi/entries; only root may read either.
 */
#include "machine/files.h"
#include "machine/parts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    HEADER = 4, /* bytes: type, length of the structure without its texts, handle */
    TYPE_MODULE = 17,
    TYPE_END = 127,
    RANKS_MASK = 15,
};

/* Larger numbers are garbage. */
enum { MODULES_MAX = 4096, MTS_MAX = 1000 * 1000, BITS_MAX = (1 << 16) - 2 };

/* Offsets of the fields. */
enum {
    AT_TOTAL_WIDTH = 0x08,
    AT_DATA_WIDTH = 0x0a,
    AT_SIZE = 0x0c,
    AT_SLOT = 0x10,
    AT_BANK = 0x11,
    AT_TYPE = 0x12,
    AT_SPEED = 0x15,
    AT_MAKER = 0x17,
    AT_PART = 0x1a,
    AT_ATTRIBUTES = 0x1b,
    AT_EXTENDED_SIZE = 0x1c,
    AT_CONFIGURED = 0x20,
    AT_EXTENDED_SPEED = 0x54,
    AT_EXTENDED_CONFIGURED = 0x58,
};

/* Section 7.18.2. Other types are not main memory of a machine that runs this, or unknown. */
static const struct {
    unsigned char code;
    const char *name;
} types[] = {
    {0x0f, "SDRAM"}, {0x12, "DDR"},    {0x13, "DDR2"},   {0x18, "DDR3"},   {0x1a, "DDR4"},
    {0x1b, "LPDDR"}, {0x1c, "LPDDR2"}, {0x1d, "LPDDR3"}, {0x1e, "LPDDR4"}, {0x1f, "NVDIMM"},
    {0x20, "HBM"},   {0x21, "HBM2"},   {0x22, "DDR5"},   {0x23, "LPDDR5"}, {0x24, "HBM3"},
};

/* A structure: `length` bytes of fields, then its texts, up to `end`. */
struct structure {
    const unsigned char *fields, *end;
    size_t length;
};

/* A little-endian number; 0 if an older structure lacks the field. */
static uint32_t field(const struct structure *structure, size_t at, size_t bytes)
{
    uint32_t value = 0;
    if (at + bytes > structure->length)
        return 0;
    for (size_t i = bytes; i-- > 0;)
        value = value << 8 | structure->fields[at + i];
    return value;
}

/* The field at `at` is the number of a text, counted from 1; 0: no text. */
static const char *text(struct pool *pool, const struct structure *structure, size_t at)
{
    uint32_t number = field(structure, at, 1);
    const unsigned char *begin = structure->fields + structure->length;
    for (; number > 1 && begin < structure->end; number--) {
        const unsigned char *nul = memchr(begin, 0, (size_t)(structure->end - begin));
        begin = nul ? nul + 1 : structure->end;
    }
    const unsigned char *nul =
        begin < structure->end ? memchr(begin, 0, (size_t)(structure->end - begin)) : NULL;
    return number == 1 && nul ? text_inert(pool, (const char *)begin, (size_t)(nul - begin)) : NULL;
}

static unsigned at_most(uint32_t value, uint32_t most)
{
    return value <= most ? value : 0;
}

static uint64_t size_of(const struct structure *structure)
{
    const uint32_t size = field(structure, AT_SIZE, 2);
    if (size == 0xffff)
        return 0;
    if (size == 0x7fff) /* in MiB */
        return (uint64_t)(field(structure, AT_EXTENDED_SIZE, 4) & INT32_MAX) << 20;
    return size & 0x8000 ? (uint64_t)(size & 0x7fff) << 10 : (uint64_t)size << 20;
}

/* In MT/s, 0: unknown. All ones mean that the number is in the extended field. */
static unsigned speed(const struct structure *structure, size_t at, size_t extended)
{
    const uint32_t value = field(structure, at, 2);
    return at_most(value == 0xffff ? field(structure, extended, 4) : value, MTS_MAX);
}

static const char *type_of(const struct structure *structure)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].code == field(structure, AT_TYPE, 1))
            return types[i].name;
    return NULL;
}

static void add_module(struct machine *machine, const struct structure *structure)
{
    struct declared_facts *declared = &machine->facts.declared;
    struct pool *pool = &machine->pool;
    if (structure->length <= AT_TYPE || declared->module_count == MODULES_MAX)
        return;
    struct declared_module *module =
        machine_append(machine, &declared->modules, &declared->module_count, sizeof *module);
    *module = (struct declared_module){
        .slot = text(pool, structure, AT_SLOT),
        .bank = text(pool, structure, AT_BANK),
        .empty = field(structure, AT_SIZE, 2) == 0,
    };
    if (module->empty)
        return;
    module->size_bytes = size_of(structure);
    module->type = type_of(structure);
    module->rated_mts = speed(structure, AT_SPEED, AT_EXTENDED_SPEED);
    module->configured_mts = speed(structure, AT_CONFIGURED, AT_EXTENDED_CONFIGURED);
    module->data_bits = at_most(field(structure, AT_DATA_WIDTH, 2), BITS_MAX);
    module->total_bits = at_most(field(structure, AT_TOTAL_WIDTH, 2), BITS_MAX);
    module->ranks = field(structure, AT_ATTRIBUTES, 1) & RANKS_MASK;
    module->maker = text(pool, structure, AT_MAKER);
    module->part = text(pool, structure, AT_PART);
}

/* The end of a structure's texts, after two NULs; NULL if the table ends before. */
static const unsigned char *end_of_texts(const unsigned char *texts, const unsigned char *end)
{
    for (const unsigned char *at = texts; at + 1 < end; at++)
        if (!at[0] && !at[1])
            return at + 2;
    return NULL;
}

void smbios_add_modules(struct machine *machine, const unsigned char *table, size_t size)
{
    const unsigned char *at = table, *end = table + size;
    while (end - at >= HEADER && at[0] != TYPE_END) {
        struct structure structure = {.fields = at, .length = at[1]};
        if (structure.length < HEADER || (size_t)(end - at) < structure.length ||
            !(structure.end = end_of_texts(at + structure.length, end)))
            break;
        if (at[0] == TYPE_MODULE)
            add_module(machine, &structure);
        at = structure.end;
    }
}

void declared_modules(struct machine *machine, const char *root)
{
    const size_t *found = &machine->facts.declared.module_count;
    struct pool *pool = &machine->pool;
    size_t size;
    unsigned char *bytes = files_bytes(pool, &size, root, "/sys/firmware/dmi/tables/DMI");
    if (bytes)
        smbios_add_modules(machine, bytes, size);
    bool more = !*found;
    for (int i = 0; i < MODULES_MAX && more; i++) {
        const size_t before = *found;
        bytes = files_bytes(pool, &size, root, "/sys/firmware/dmi/entries/17-%d/raw", i);
        if (bytes)
            smbios_add_modules(machine, bytes, size);
        more = *found > before;
    }
}

/* `dmidecode --dump-bin` writes an entry point of 32 bytes, "_SM_" or "_SM3_", before the table. */
void declared_modules_of_file(struct machine *machine, const char *path)
{
    enum { ENTRY = 32 };
    static const char how[] =
        "give a copy of the firmware's table: sudo cat /sys/firmware/dmi/tables/DMI > FILE";
    struct pool *pool = &machine->pool;
    size_t size;
    unsigned char *bytes = files_bytes(pool, &size, NULL, "%s", path);
    if (!bytes)
        pool_leave(pool, ERROR_USAGE, "--smbios %s can't be read: %s; %s", path,
                   access(path, R_OK) < 0 ? strerror(errno) : "it is no file", how);
    const size_t skipped = size > ENTRY && memcmp(bytes, "_SM", 3) == 0 ? ENTRY : 0;
    smbios_add_modules(machine, bytes + skipped, size - skipped);
    if (!machine->facts.declared.module_count)
        pool_leave(pool, ERROR_USAGE, "--smbios %s has no memory module: %s", path, how);
}
