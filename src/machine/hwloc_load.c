#include "machine/hwloc_load.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t inside = PTHREAD_MUTEX_INITIALIZER;
/* How often this thread is inside: loads_in_a_child() forks there. */
static _Thread_local unsigned depth;

void hwloc_leave(void)
{
    if (--depth == 0)
        pthread_mutex_unlock(&inside);
}

static void lock(void)
{
    if (depth++ == 0)
        pthread_mutex_lock(&inside);
}

/* The child's only thread is the one that forked, so no other thread is inside. */
static void begin_in_a_child(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    memcpy(&inside, &fresh, sizeof inside);
    if (--depth)
        pthread_mutex_lock(&inside);
}

static void wait_at_forks(void)
{
    pthread_atfork(lock, hwloc_leave, begin_in_a_child);
}

void hwloc_enter(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, wait_at_forks);
    lock();
}

/*
 * hwloc reads below another root only if an environment variable says so, and a variable that the
 * user has set (HWLOC_XMLFILE, say) would override the root. So the variables are set for the load
 * and restored after it. All threads of a process share its environment: fathom reads the machine
 * before it starts a thread, and as a library in another program it sets no variable.
 */
struct variable {
    const char *name;
    const char *value; /* NULL: not set */
    char *before;
};

/* Returns 0, or -1 if hwloc fails. HWLOC_HIDE_ERRORS=2 suppresses its messages about odd files. */
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
        /* Without "stop", hwloc would describe the host by CPUID if the root is empty. */
        {"HWLOC_COMPONENTS", "linux,stop", NULL},
    };
    /* On the machine itself the user's own variables for hwloc apply. */
    size_t count = root ? sizeof variables / sizeof *variables : source->guest ? 0 : 1;
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
    if (result == 0)
        result = hwloc_topology_load(topology);
    for (size_t i = 0; i < count; i++) {
        if (variables[i].before)
            setenv(variables[i].name, variables[i].before, 1);
        else
            unsetenv(variables[i].name);
        free(variables[i].before);
    }
    return result;
}

/* --- in a child first --- */

/* Whether the child answered before it ended. */
static bool has_answered(int answer)
{
    char byte;
    ssize_t got;
    do
        got = read(answer, &byte, 1);
    while (got < 0 && errno == EINTR);
    return got == 1;
}

/* hwloc asserts that the kernel's files do not contradict each other, but those of a recorded tree
 * may: a failed assertion then ends only the child. The answer comes through a pipe, because a
 * program that ignores SIGCHLD can't get a child's exit status. */
static bool loads_in_a_child(hwloc_topology_t topology, const struct machine_source *source)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return true;
    const pid_t child = fork();
    if (child == 0) {
        /* Runs in the child, which writes a byte if hwloc loads the files. It leaves no core file,
         * prints nothing, and runs no function that the program registered by atexit(). */
        const int nowhere = open("/dev/null", O_WRONLY);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0});
        signal(SIGABRT, SIG_DFL);
        if (nowhere >= 0)
            dup2(nowhere, STDERR_FILENO);
        const bool well = load_below(topology, source) == 0 && write(ends[1], "", 1) == 1;
        _exit(well ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    close(ends[1]);
    const bool well = child < 0 || has_answered(ends[0]);
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return well;
}

/* A container may hide the folder of the nodes behind an empty one, for which hwloc has an
 * assertion too. */
static bool is_odd(const struct machine_source *source)
{
    static const char nodes[] = "/sys/devices/system/node",
                      online[] = "/sys/devices/system/node/online";
    return source->root ||
           (!source->synthetic && access(nodes, F_OK) == 0 && access(online, R_OK) < 0);
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
     * finds nothing that sysfs does not say, so it is used only if there is no sysfs. */
    if (!source->root && !source->synthetic && access("/sys/devices/system/cpu/online", R_OK) == 0)
        hwloc_topology_set_components(*topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    /* Describes the whole machine; limits.c finds out which CPUs may be used. */
    hwloc_topology_set_flags(*topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_icache_types_filter(*topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    if ((is_odd(source) && !loads_in_a_child(*topology, source)) ||
        load_below(*topology, source) < 0) {
        hwloc_topology_destroy(*topology);
        *topology = NULL;
    }
    return 0;
}
