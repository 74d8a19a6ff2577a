/* Regions of memory behind CXL: the kernel's Documentation/ABI/testing/sysfs-bus-cxl. */
#include "machine/declared/parts.h"
#include "machine/files.h"
#include "machine/topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char bus[] = "/sys/bus/cxl/devices";

/* More devices do not share a region, nor in larger pieces (CXL 3.1, 8.2.4.20). */
enum { WAYS_MAX = 16, PIECE_MAX = 16 * 1024, NAME_MAX_BYTES = 64 };

/* "0x40000000"; 0 where it is none. */
static uint64_t hexadecimal(struct pool *pool, const char *root, const char *region)
{
    const char *text = files_line(pool, root, "%s/%s/size", bus, region);
    char *end;
    if (!text || strncmp(text, "0x", 2) != 0)
        return 0;
    errno = 0;
    const unsigned long long value = strtoull(text + 2, &end, 16);
    return errno || *end || end == text + 2 || value > INT64_MAX ? 0 : value;
}

static unsigned count_of(const char *root, const char *region, const char *name, unsigned most)
{
    uint64_t value = 0;
    return files_number(&value, root, "%s/%s/%s", bus, region, name) && value <= most
               ? (unsigned)value
               : 0;
}

/* The nodes of a region's dax devices: regionX/dax_regionX/daxX.Y/target_node. */
static int nodes_of(struct cpulist *nodes, struct machine *machine, const char *root,
                    const char *region)
{
    char **names;
    const char *folder = pool_printf(&machine->pool, "%s/%s/dax_%s", bus, region, region);
    const size_t count = folder ? files_names(&machine->pool, &names, root, folder) : 0;
    int code = folder ? 0 : ERROR_SYSTEM;
    *nodes = (struct cpulist){0};
    for (size_t i = 0; i < count && code == 0; i++) {
        uint64_t node;
        if (files_number(&node, root, "%s/%s/target_node", folder, names[i]) && node <= CPU_ID_MAX)
            code = cpulist_add(nodes, (int)node);
    }
    return code;
}

static int add_region(struct machine *machine, const char *root, const char *name)
{
    struct declared_facts *declared = &machine->facts.declared;
    struct cpulist nodes;
    int code = nodes_of(&nodes, machine, root, name);
    struct declared_cxl *region =
        code == 0 ? declared_append(machine, &declared->cxl, &declared->cxl_count, sizeof *region)
                  : NULL;
    if (region)
        *region = (struct declared_cxl){
            .name = name,
            .mode = files_line(&machine->pool, root, "%s/%s/mode", bus, name),
            .size_bytes = hexadecimal(&machine->pool, root, name),
            .interleave_ways = count_of(root, name, "interleave_ways", WAYS_MAX),
            .interleave_bytes = count_of(root, name, "interleave_granularity", PIECE_MAX),
            .nodes = nodes.count ? cpulist_pooled(&machine->pool, &nodes) : NULL,
        };
    cpulist_free(&nodes);
    return region ? code : ERROR_SYSTEM;
}

int declared_cxl(struct machine *machine, const char *root)
{
    char **names;
    const size_t count = files_names(&machine->pool, &names, root, bus);
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++)
        if (strlen(names[i]) < NAME_MAX_BYTES && declared_number_of(names[i], "region") >= 0)
            code = add_region(machine, root, names[i]);
    return code;
}
