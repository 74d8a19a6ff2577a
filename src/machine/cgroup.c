/* See cgroups(7), Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/ in the Linux sources. */
#include "machine/cgroup.h"

#include "machine/files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cpulist_narrow(struct cpulist *list, const struct cpulist *to)
{
    size_t kept = 0;
    if (cpulist_common(list, to) == 0)
        return false;
    for (size_t i = 0; i < list->count; i++)
        if (cpulist_has(to, list->ids[i]))
            list->ids[kept++] = list->ids[i];
    list->count = kept;
    return true;
}

/* --- one level of a path --- */

static void limit_cpus(struct cgroup_limits *limits, const struct cpulist *cpus)
{
    if (!limits->cpus_known && cpus->count) {
        limits->cpus = *cpus;
        limits->cpus_known = true;
        return;
    }
    cpulist_narrow(&limits->cpus, cpus);
}

static void limit_bytes(uint64_t *bytes, uint64_t limit, uint64_t used)
{
    uint64_t free_bytes = limit > used ? limit - used : 0;
    if (limit != UINT64_MAX && free_bytes < *bytes)
        *bytes = free_bytes;
}

/* Page cache counts as usage, but the kernel reclaims it if memory is short, so it counts as free.
 */
static void limit_memory(struct cgroup_limits *limits, uint64_t limit, uint64_t usage,
                         uint64_t reclaimable)
{
    limit_bytes(&limits->memory_bytes, limit, usage > reclaimable ? usage - reclaimable : 0);
}

static void limit_time(struct cgroup_limits *limits, double quota_us, double period_us)
{
    if (quota_us > 0 && period_us > 0 && quota_us / period_us < limits->cpu_quota)
        limits->cpu_quota = quota_us / period_us;
}

static uint64_t number_or(uint64_t otherwise, const char *root, const char *directory,
                          const char *file)
{
    uint64_t value = otherwise;
    files_number(&value, root, "%s/%s", directory, file);
    return value;
}

static uint64_t statistic(const char *root, const char *directory, const char *key,
                          uint64_t otherwise)
{
    char *text = files_text(root, "%s/memory.stat", directory);
    uint64_t value = otherwise;
    if (text)
        text_number(&value, text, key);
    free(text);
    return value;
}

/* The files end in "max" and "current" in version 2, in "limit_in_bytes" and "usage_in_bytes" in
 * version 1. */
static void limit_huge(struct cgroup_limits *limits, const char *root, const char *directory,
                       const char *limit, const char *usage)
{
    static const char *const sizes[CGROUP_HUGE_SIZES] = {
        [CGROUP_HUGE_2M] = "2MB", [CGROUP_HUGE_1G] = "1GB"};
    for (int i = 0; i < CGROUP_HUGE_SIZES; i++) {
        char file[2][64];
        snprintf(file[0], sizeof file[0], "hugetlb.%s.%s", sizes[i], limit);
        snprintf(file[1], sizeof file[1], "hugetlb.%s.%s", sizes[i], usage);
        limit_bytes(&limits->huge_bytes[i], number_or(UINT64_MAX, root, directory, file[0]),
                    number_or(0, root, directory, file[1]));
    }
}

static void read_unified(struct cgroup_limits *limits, struct pool *pool, const char *root,
                         const char *directory)
{
    struct cpulist cpus;
    if (files_cpulist(pool, &cpus, root, "%s/cpuset.cpus.effective", directory))
        limit_cpus(limits, &cpus);

    uint64_t max = number_or(UINT64_MAX, root, directory, "memory.max");
    uint64_t high = number_or(UINT64_MAX, root, directory, "memory.high"); /* throttled above it */
    if (max != UINT64_MAX || high != UINT64_MAX)
        limit_memory(limits, max < high ? max : high,
                     number_or(0, root, directory, "memory.current"),
                     statistic(root, directory, "inactive_file", 0));

    limit_huge(limits, root, directory, "max", "current");

    char *text = files_text(root, "%s/cpu.max", directory);
    unsigned long long quota_us, period_us;
    if (text &&
        sscanf(text, "%20llu %20llu", &quota_us, &period_us) == 2) /* "max 100000": no quota */
        limit_time(limits, (double)quota_us, (double)period_us);
    free(text);
}

static void read_v1_memory(struct cgroup_limits *limits, struct pool *pool, const char *root,
                           const char *directory)
{
    /* hierarchical_memory_limit includes limits of groups above a container's own mount. */
    uint64_t limit = number_or(UINT64_MAX, root, directory, "memory.limit_in_bytes");
    uint64_t above = statistic(root, directory, "hierarchical_memory_limit", UINT64_MAX);
    if (limit != UINT64_MAX || above != UINT64_MAX)
        limit_memory(limits, limit < above ? limit : above,
                     number_or(0, root, directory, "memory.usage_in_bytes"),
                     statistic(root, directory, "total_inactive_file", 0));
}

static void read_v1_cpu(struct cgroup_limits *limits, struct pool *pool, const char *root,
                        const char *directory)
{
    limit_time(limits, (double)number_or(0, root, directory, "cpu.cfs_quota_us"), /* -1: none */
               (double)number_or(0, root, directory, "cpu.cfs_period_us"));
}

static void read_v1_cpuset(struct cgroup_limits *limits, struct pool *pool, const char *root,
                           const char *directory)
{
    struct cpulist cpus;
    if (files_cpulist(pool, &cpus, root, "%s/cpuset.effective_cpus", directory) ||
        files_cpulist(pool, &cpus, root, "%s/cpuset.cpus", directory))
        limit_cpus(limits, &cpus);
}

static void read_v1_huge(struct cgroup_limits *limits, struct pool *pool, const char *root,
                         const char *directory)
{
    limit_huge(limits, root, directory, "limit_in_bytes", "usage_in_bytes");
}

static const struct hierarchy {
    const char *controller; /* "": version 2 */
    void (*read)(struct cgroup_limits *, struct pool *, const char *root, const char *directory);
} hierarchies[] = {
    {"", read_unified},         {"memory", read_v1_memory}, {"cpu", read_v1_cpu},
    {"cpuset", read_v1_cpuset}, {"hugetlb", read_v1_huge},
};

/* --- finding the path --- */

/* Whether a list with commas, as in /proc/self/cgroup and mountinfo, names the controller. */
static bool lists_controller(const char *list, const char *controller)
{
    size_t length = strlen(controller);
    for (const char *item = list;; item++) {
        size_t item_length = strcspn(item, ",");
        if (item_length == length && strncmp(item, controller, length) == 0)
            return true;
        item += item_length;
        if (!*item)
            return false;
    }
}

/* The group's path, "/system.slice/job.scope", from /proc/self/cgroup: "4:cpu,cpuacct:/path". */
static bool find_group(char group[FILES_PATH_MAX], const char *text, const char *controller)
{
    for (const char *line = text; *line; line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        const char *controllers = memchr(line, ':', length);
        const char *path =
            controllers ? memchr(controllers + 1, ':', (size_t)(line + length - controllers - 1))
                        : NULL;
        char list[FILES_LINE_MAX];
        if (path && path - controllers <= (ptrdiff_t)sizeof list &&
            line + length - path <= FILES_PATH_MAX) {
            snprintf(list, sizeof list, "%.*s", (int)(path - controllers - 1), controllers + 1);
            snprintf(group, FILES_PATH_MAX, "%.*s", (int)(line + length - path - 1), path + 1);
            if (group[0] == '/' && lists_controller(list, controller))
                return true;
        }
        line += length;
    }
    return false;
}

/* mountinfo writes blanks in paths as "\040". */
static void decode_octal(char *path)
{
    char *to = path;
    for (const char *from = path; *from; to++) {
        if (from[0] == '\\' && strspn(from + 1, "01234567") >= 3) {
            *to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

struct mount {
    char point[FILES_PATH_MAX]; /* where it is mounted */
    char top[FILES_PATH_MAX];   /* the directory of the hierarchy that is mounted there */
};

/* One line of mountinfo: id parent major:minor top point options ... - type source super-options */
static bool parse_mount(struct mount *mount, const char *line, size_t length,
                        const char *controller)
{
    char copy[2 * FILES_PATH_MAX];
    if (length >= sizeof copy)
        return false;
    memcpy(copy, line, length);
    copy[length] = '\0';
    const char *tail = strstr(copy, " - ");
    char type[16], options[FILES_LINE_MAX];
    if (!tail || sscanf(tail, " - %15s %*s %255s", type, options) != 2 ||
        sscanf(copy, "%*s %*s %*s %4095s %4095s", mount->top, mount->point) != 2)
        return false;
    decode_octal(mount->top);
    decode_octal(mount->point);
    return *controller ? strcmp(type, "cgroup") == 0 && lists_controller(options, controller)
                       : strcmp(type, "cgroup2") == 0;
}

/* The part of the group's path below the mount, "" if the path is outside of it: a container often
 * sees its own group as the top of the mount, but the path of the group as on the host. */
static const char *below_mount(const struct mount *mount, const char *group)
{
    size_t top = strcmp(mount->top, "/") == 0 ? 0 : strlen(mount->top);
    if (strstr(group, "/..") || strncmp(group, mount->top, top) != 0 ||
        (group[top] && group[top] != '/'))
        return "";
    return group + top;
}

static bool find_mount(struct mount *mount, const char *text, const char *controller)
{
    for (const char *line = text; *line; line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        if (parse_mount(mount, line, length, controller))
            return true;
        line += length;
    }
    return false;
}

static void read_path(struct cgroup_limits *limits, struct pool *pool, const char *root,
                      const struct mount *mount, const char *group,
                      const struct hierarchy *hierarchy)
{
    char directory[2 * FILES_PATH_MAX];
    size_t top = strlen(mount->point);
    snprintf(directory, sizeof directory, "%s%s", mount->point, below_mount(mount, group));
    for (;;) {
        hierarchy->read(limits, pool, root, directory);
        char *slash = strrchr(directory, '/');
        if (!slash || (size_t)(slash - directory) < top)
            return;
        *slash = '\0';
    }
}

void cgroup_read(struct cgroup_limits *limits, struct pool *pool, const char *root)
{
    *limits = (struct cgroup_limits){
        .memory_bytes = UINT64_MAX, .huge_bytes = {UINT64_MAX, UINT64_MAX}, .cpu_quota = INFINITY};
    char *groups = files_pooled(pool, root, "/proc/self/cgroup");
    char *mounts = files_pooled(pool, root, "/proc/self/mountinfo");
    for (size_t i = 0; groups && mounts && i < sizeof hierarchies / sizeof *hierarchies; i++) {
        char group[FILES_PATH_MAX];
        struct mount mount;
        if (find_group(group, groups, hierarchies[i].controller) &&
            find_mount(&mount, mounts, hierarchies[i].controller))
            read_path(limits, pool, root, &mount, group, &hierarchies[i]);
    }
    pool_give_back(pool, mounts);
}
