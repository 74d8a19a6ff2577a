#include "machine/hwloc_load.h"

#include "machine/child.h"
#include "machine/files.h"

#include <stdlib.h>
#include <string.h>

/*
 * Only environment variables make hwloc read below another root, and a variable that the user has
 * set (HWLOC_XMLFILE, say) would override a root. So they are set around the load and put back
 * after it. The environment belongs to the whole process: a machine is read before any thread is
 * started, and a guest of another program changes nothing.
 */
struct variable {
    const char *name;
    const char *value; /* NULL: not set */
    char *before;
};

static int swap_in(struct variable *variables, size_t count)
{
    int result = 0;
    for (size_t i = 0; i < count; i++) {
        const char *before = getenv(variables[i].name);
        variables[i].before = before ? strdup(before) : NULL;
        if (before && !variables[i].before)
            result = -1;
        if (variables[i].value)
            result |= setenv(variables[i].name, variables[i].value, 1);
        else
            result |= unsetenv(variables[i].name);
    }
    return result;
}

static void swap_out(struct variable *variables, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (variables[i].before)
            setenv(variables[i].name, variables[i].before, 1);
        else
            unsetenv(variables[i].name);
        free(variables[i].before);
    }
}

/* Returns 0, or -1 when hwloc fails. HIDE=2 silences its own messages about odd files. */
static int load_below(hwloc_topology_t topology, const struct machine_source *source)
{
    const char *root = source->root;
    struct variable variables[] = {
        {"HWLOC_HIDE_ERRORS", "2", NULL},
        {"HWLOC_FSROOT", root, NULL},
        {"HWLOC_XMLFILE", NULL, NULL},
        {"HWLOC_SYNTHETIC", NULL, NULL},
        {"HWLOC_CPUID_PATH", NULL, NULL},
        {"HWLOC_THISSYSTEM", NULL, NULL},
        /* Without "stop", hwloc would describe the host by CPUID when the root holds nothing. */
        {"HWLOC_COMPONENTS", "linux,stop", NULL},
    };
    /* On the machine itself the user's own variables for hwloc apply. */
    size_t count = root ? sizeof variables / sizeof *variables : source->guest ? 0 : 1;
    int result = swap_in(variables, count);
    if (result == 0)
        result = hwloc_topology_load(topology);
    swap_out(variables, count);
    return result;
}

struct loading {
    hwloc_topology_t topology;
    const struct machine_source *source;
};

static bool is_loaded(void *of)
{
    const struct loading *loading = of;
    return load_below(loading->topology, loading->source) == 0;
}

int hwloc_load(hwloc_topology_t *topology, const struct machine_source *source, struct error *error)
{
    if (hwloc_topology_init(topology) != 0)
        return error_set(error, ERROR_SYSTEM, "hwloc can't start: out of memory");
    if (source->synthetic && hwloc_topology_set_synthetic(*topology, source->synthetic) != 0) {
        hwloc_topology_destroy(*topology);
        return error_set(error, ERROR_USAGE,
                         "synthetic topology '%s': write it as hwloc does, like pack:2 core:8 pu:2",
                         source->synthetic);
    }
    /* hwloc's x86 backend binds the caller to one CPU after another, also outside of its mask. It
     * knows nothing that sysfs doesn't, so it is used only where there is no sysfs. */
    struct cpulist online;
    if (!source->root && !source->synthetic &&
        files_cpulist(&online, NULL, "/sys/devices/system/cpu/online")) {
        cpulist_free(&online);
        hwloc_topology_set_components(*topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    }
    /* Describes the whole machine; limits.c finds out what of it may be used. */
    hwloc_topology_set_flags(*topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_icache_types_filter(*topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    /* hwloc asserts that a kernel's files do not contradict each other, and those of a stranger's
     * tree may: an assertion that fails must not end fathom, so a child tries first. */
    struct loading loading = {*topology, source};
    if ((source->root && !child_try(is_loaded, &loading)) || !is_loaded(&loading)) {
        hwloc_topology_destroy(*topology);
        *topology = NULL;
    }
    return 0;
}
