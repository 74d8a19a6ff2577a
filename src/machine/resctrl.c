/*
 * The shares of caches and memory bandwidth that resctrl allows this process: the schemata of its
 * control group, see the kernel's Documentation/arch/x86/resctrl.rst (filesystems/resctrl.rst since
 * 6.17). A process of the default group has the shares of the group of the CPU that it runs on.
 */
#include "machine/files.h"
#include "machine/parts.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char mount[] = "/sys/fs/resctrl";

enum { MASK_BITS = 32, NAME_BYTES = 16 };

/* --- which group --- */

static const char *group_of(struct machine *machine, const char *root)
{
    char *text = files_pooled(&machine->pool, root, "/proc/self/cpu_resctrl_groups");
    const char *group = text ? text_value(&machine->pool, text, "res") : NULL;
    /* A group is a folder right below the mount, so other names are garbage. */
    if (group && strcmp(group, "/") != 0)
        return strchr(group, '/') || *group == '.' ? NULL : group;
    /* The group of the CPUs that may be used, "" for the default one; NULL if they are in several.
     */
    char **names;
    const size_t count = files_names(&machine->pool, &names, root, mount);
    for (size_t i = 0; i < count; i++) {
        struct cpulist cpus;
        if (!files_cpulist(&machine->pool, &cpus, root, "%s/%s/cpus_list", mount, names[i]))
            continue;
        const size_t common = cpulist_common(&machine->allowed, &cpus);
        if (common)
            return common == machine->allowed.count ? names[i] : NULL;
    }
    return "";
}

/* --- what it may use --- */

/* Counts the ways in a hexadecimal mask; false if it is no mask, or has too many bits. */
static bool read_mask(const char *text, unsigned *ways)
{
    char *end;
    if (!isxdigit((unsigned char)*text))
        return false;
    errno = 0;
    const unsigned long long mask = strtoull(text, &end, 16);
    if (errno || (*end && !isspace((unsigned char)*end) && *end != ';') || mask >> MASK_BITS)
        return false;
    *ways = (unsigned)__builtin_popcountll(mask);
    return true;
}

/* Percent on Intel's processors, else NAN: AMD counts in units of an eighth of a GB/s, in which a
 * value up to 100 looks like a percentage. */
static double read_percent(const struct machine *machine, const char *text)
{
    char *end;
    const char *vendor = machine->facts.cpu_vendor;
    const long value = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : 0;
    return vendor && strcmp(vendor, "GenuineIntel") == 0 && value > 0 && value <= 100 &&
                   (!*end || *end == ';' || isspace((unsigned char)*end))
               ? (double)value
               : NAN;
}

/* Adds "0=7ff" of a cache, or "0=50" of a bandwidth. */
static void add_share(struct machine *machine, const char *resource, unsigned of_ways,
                      const char *text)
{
    struct declared_facts *declared = &machine->facts.declared;
    char *end;
    const long domain = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : -1;
    struct declared_share share = {
        .resource = resource, .domain = (int)domain, .of_ways = of_ways, .percent = NAN};
    if (domain < 0 || domain > CPU_ID_MAX || *end != '=')
        return;
    if (*resource == 'M')
        share.percent = read_percent(machine, end + 1);
    if (*resource == 'M'
            ? isnan(share.percent)
            : !read_mask(end + 1, &share.ways) || !share.ways || (of_ways && share.ways > of_ways))
        return;
    struct declared_share *slot =
        machine_append(machine, &declared->shares, &declared->share_count, sizeof *slot);
    *slot = share;
}

/* Adds the shares of a line like "L3:0=7ff;1=7ff". */
static void add_line(struct machine *machine, const char *root, const char *line)
{
    char name[NAME_BYTES];
    const size_t length = strcspn(line, ":\n");
    if (line[length] != ':' || length == 0 || length >= sizeof name)
        return;
    memcpy(name, line, length);
    name[length] = '\0';
    if (!((name[0] == 'L' && (name[1] == '2' || name[1] == '3')) || strcmp(name, "MB") == 0) ||
        name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")])
        return;
    const char *resource = pool_strdup(&machine->pool, name);
    const char *mask = files_line(&machine->pool, root, "%s/info/%s/cbm_mask", mount, resource);
    unsigned of_ways = 0;
    if (mask && !read_mask(mask, &of_ways))
        of_ways = 0;
    for (const char *at = line + length + 1;; at++) {
        at += strspn(at, " \t");
        add_share(machine, resource, of_ways, at);
        at += strcspn(at, ";\n");
        if (*at != ';')
            return;
    }
}

void declared_shares(struct machine *machine, const char *root)
{
    struct pool *pool = &machine->pool;
    const bool mounted = files_pooled(pool, root, "%s/schemata", mount);
    const char *group = mounted ? group_of(machine, root) : NULL;
    const char *line =
        group ? files_pooled(pool, root, "%s/%s%sschemata", mount, group, *group ? "/" : "") : NULL;
    if (line)
        machine->facts.declared.share_group = *group ? group : "/";
    for (; line; line = strchr(line, '\n')) {
        line += strspn(line, " \t\n");
        add_line(machine, root, line);
    }
}
