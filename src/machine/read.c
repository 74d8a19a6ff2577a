/* Reads all parts of a machine in the order in which they depend on each other. */
#include "machine/files.h"
#include "machine/hwloc_load.h"
#include "machine/os.h"
#include "machine/parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Adds the online CPUs by number if hwloc found none: from "cpu3 ..." in /proc/stat or else
 * "processor : 3" in /proc/cpuinfo. The kernel prints them in ascending order. */
static void add_bare_cpus(struct machine *machine, const char *root, const char *path,
                          const char *line_format)
{
    int last = -1;
    char *text = files_pooled(&machine->pool, root, "%s", path);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        char digits[8], after = '\n'; /* stays '\n' if the number ends the text */
        if (sscanf(line, line_format, digits, &after) < 1 || !isspace((unsigned char)after) ||
            atoi(digits) <= last || atoi(digits) > CPU_ID_MAX)
            continue;
        last = atoi(digits);
        machine_add_cpu(machine, last);
    }
}

struct reading {
    struct machine *machine;
    struct machine_source source;
    hwloc_topology_t topology; /* NULL if hwloc could not describe the machine */
    struct cpulist mask;       /* the affinity mask of this thread; empty if unknown */
};

/* Allocates only in the machine's pool, so leaving it at any moment leaks nothing. */
static int read_parts(void *with)
{
    const struct reading *reading = with;
    struct machine *machine = reading->machine;
    const char *root = reading->source.root, *smbios = reading->source.smbios;
    if (reading->topology)
        topology_read(machine, reading->topology, &reading->source);
    for (size_t i = 0; i < machine->facts.node_count; i++)
        if (__builtin_add_overflow(machine->facts.memory_bytes,
                                   machine->facts.nodes[i].memory_bytes,
                                   &machine->facts.memory_bytes)) {
            machine->facts.memory_bytes = 0;
            break;
        }
    nodes_read(machine, &reading->source);
    if (!machine->live && !root) {
        limits_none(machine);
        return 0;
    }
    if (!machine->cpu_count)
        add_bare_cpus(machine, root, "/proc/stat", "cpu%7[0-9]%c");
    if (!machine->cpu_count)
        add_bare_cpus(machine, root, "/proc/cpuinfo", "processor : %7[0-9]%c");
    identity_read(machine, root);
    limits_read(machine, root, &reading->mask);
    if (machine->live && !machine->facts.cache_count)
        cpuid_read(machine);
    declared_nodes(machine, root);
    declared_cxl(machine, root);
    declared_shares(machine, root);
    declared_clocks(machine, root);
    if (smbios)
        declared_modules_of_file(machine, smbios);
    else
        declared_modules(machine, root);
    return 0;
}

int machine_read(struct machine *machine, const struct machine_source *source, struct error *error)
{
    struct reading reading = {.machine = machine, .source = *source};
    struct stat status;
    *machine = (struct machine){0};
    if (source->synthetic) /* it has no files, so a root is ignored */
        reading.source.root = NULL;
    const char *root = reading.source.root;
    if (root && (stat(root, &status) != 0 || !S_ISDIR(status.st_mode)))
        return error_set(error, ERROR_USAGE,
                         "root '%s' is not a directory: name one that holds proc/ and sys/", root);
    hwloc_enter();
    int code = hwloc_load(&reading.topology, &reading.source, error);
    if (code < 0) {
        hwloc_leave();
        return code;
    }
    /* HWLOC_XMLFILE and other variables can make hwloc describe another machine. */
    machine->root = root;
    machine->live = !root && !source->synthetic &&
                    (!reading.topology || hwloc_topology_is_thissystem(reading.topology));
    if (machine->live)
        os_affinity(&reading.mask, NULL);
    code = pool_enter(&machine->pool, read_parts, &reading, error);
    cpulist_free(&reading.mask);
    if (reading.topology)
        hwloc_topology_destroy(reading.topology);
    hwloc_leave();
    machine->facts.threads = (unsigned)machine->cpu_count;
    if (code == 0 && machine->allowed.count == 0)
        code = error_set(error, ERROR_IMPOSSIBLE,
                         "no CPU found%s%s: the system's files in /proc and /sys "
                         "are missing or contradict each other",
                         root ? " below " : "", root ? root : "");
    if (code < 0)
        machine_free(machine);
    return code;
}
