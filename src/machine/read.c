/* Reads a machine: all of its parts, in the order in which they need each other. */
#include "machine/files.h"
#include "machine/parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The numbers of the online CPUs where there is no topology to read: "cpu3 ..." in /proc/stat or
 * else "processor : 3" in /proc/cpuinfo. The kernel prints them in ascending order. */
static int add_bare_cpus(struct machine *machine, const char *root, const char *path,
                         const char *line_format)
{
    int result = 0, last = -1;
    char *text = files_text(root, "%s", path);
    for (const char *line = text; result == 0 && line; line = strchr(line, '\n')) {
        line += *line == '\n';
        char digits[8], after = '\n'; /* the last line may end the text */
        if (sscanf(line, line_format, digits, &after) < 1 || !isspace((unsigned char)after) ||
            atoi(digits) <= last || atoi(digits) > CPU_ID_MAX)
            continue;
        last = atoi(digits);
        result = machine_add_cpu(machine, last);
    }
    free(text);
    return result;
}

static int find_bare_cpus(struct machine *machine, const char *root)
{
    int result = add_bare_cpus(machine, root, "/proc/stat", "cpu%7[0-9]%c");
    if (result == 0 && machine->cpu_count == 0)
        result = add_bare_cpus(machine, root, "/proc/cpuinfo", "processor : %7[0-9]%c");
    return result;
}

static int check_root(const char *root, struct error *error)
{
    struct stat status;
    if (root && (stat(root, &status) != 0 || !S_ISDIR(status.st_mode)))
        return error_set(error, ERROR_USAGE,
                         "root '%s' is not a directory: name one that holds proc/ and sys/", root);
    return 0;
}

static int read_parts(struct machine *machine, const struct machine_source *source,
                      struct error *error)
{
    const char *root = source->root;
    int code = topology_read(machine, source, error);
    if (code < 0)
        return code;
    for (size_t i = 0; i < machine->facts.node_count; i++)
        if (__builtin_add_overflow(machine->facts.memory_bytes,
                                   machine->facts.nodes[i].memory_bytes,
                                   &machine->facts.memory_bytes)) {
            machine->facts.memory_bytes = 0;
            break;
        }
    code = nodes_read(machine, source);
    if (code == 0 && !machine->live && !root)
        return limits_none(machine);
    if (code == 0 && machine->cpu_count == 0)
        code = find_bare_cpus(machine, root);
    int (*const parts[])(struct machine *, const char *) = {
        identity_read,
        limits_read,
        declared_nodes,
        declared_cxl,
        declared_shares,
        declared_clocks,
        source->smbios ? NULL : declared_modules,
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts && code == 0; i++)
        code = parts[i] ? parts[i](machine, root) : 0;
    return code == 0 && source->smbios ? declared_modules_of_file(machine, source->smbios, error)
                                       : code;
}

int machine_read(struct machine *machine, const struct machine_source *source, struct error *error)
{
    struct error why = {0};
    *machine = (struct machine){0};
    /* A synthetic machine has no files, so a root is ignored. */
    struct machine_source only = *source;
    if (only.synthetic)
        only.root = NULL;
    int code = check_root(only.root, &why);
    if (code == 0)
        code = read_parts(machine, &only, &why);
    machine->facts.threads = (unsigned)machine->cpu_count;
    if (code == 0 && machine->allowed.count == 0)
        code = error_set(&why, ERROR_IMPOSSIBLE,
                         "no CPU found%s%s: the system's files in /proc and /sys "
                         "are missing or contradict each other",
                         only.root ? " below " : "", only.root ? only.root : "");
    if (code == 0)
        return 0;
    machine_free(machine);
    return error_set(error, code, "%s",
                     *why.text ? why.text : "out of memory while the machine was read");
}
