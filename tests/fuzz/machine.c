/* Whatever a machine's files say, the machine is read, or it is said why not. An input is a tree as
 * in tests/machines/: lines "PATH = TEXT", and "PATH <<END" before more lines. The whole of it is
 * the firmware's table of modules too, and a copy of it. */
#include "machine/machine.h"
#include "../machines/tree.h"
#include "conclude/channels.h"
#include "fuzz.h"
#include "machine/conditions.h"
#include "machine/hwloc_load.h"
#include "machine/parts.h"

#include <dlfcn.h>
#include <hwloc.h>
#include <setjmp.h>

enum { FILES = 200 };

/* A topology of files is tried in a child first, because hwloc has assertions for files that
 * contradict each other; half of the time went into children. Without a sanitizer, which would
 * report what a jump leaves unfreed, none is started, and such an assertion ends the input. */
static jmp_buf given_up;
#if !__has_feature(address_sanitizer)
pid_t fork(void)
{
    return -1;
}

void __assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
    Dl_info caller = {0};
    if (dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "hwloc"))
        longjmp(given_up, 1);
    fprintf(stderr, "does not hold: %s (%s:%u, %s)\n", what, file, line, function);
    abort();
}
#endif

/* hwloc opens its plug-ins' libraries for the first topology and closes them after the last, which
 * took four fifths of the time: one topology stays, and no plug-in is looked for. The folder stays,
 * too: each new name would become another variable of the environment, which nobody frees. */
static const char *begin(void)
{
    static struct tree tree;
    static hwloc_topology_t kept;
    if (kept)
        return tree.root;
    setenv("HWLOC_PLUGINS_PATH", "/nowhere", 1);
    fuzz_require(hwloc_topology_init(&kept) == 0, "a topology can be made");
    fuzz_require(tree_new(&tree), "a folder can be made");
    return tree.root;
}

/* hwloc 2.9 forgets the models of CPUs where /proc/cpuinfo contradicts /sys; it is built without
 * the frame pointers that would name its functions. That fathom frees every topology is tested by
 * those of machine/topology under the same sanitizer. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhwloc.so\n";
}

/* Nothing is written outside of the tree, and nothing but files that fathom reads. */
static bool is_allowed(const char *path)
{
    return (strncmp(path, "proc/", 5) == 0 || strncmp(path, "sys/", 4) == 0) &&
           strlen(path) < 200 && !strstr(path, "..") && !strstr(path, "//") &&
           path[strlen(path) - 1] != '/';
}

static void put(const struct tree *tree, const char *path, const char *content, size_t size)
{
    char name[256];
    snprintf(name, sizeof name, "/%s", path);
    if (is_allowed(path))
        tree_put(tree, name, content, size);
}

static void plant(const struct tree *tree, char *text)
{
    char *line, *rest = text;
    for (int files = 0; files < FILES && (line = strsep(&rest, "\n")); files++) {
        char *there = strstr(line, " <<END"), *is = strstr(line, " = ");
        if (there && rest) {
            char *end = strstr(rest, "\nEND\n");
            *there = '\0';
            put(tree, line, rest, end ? (size_t)(end - rest) + 1 : strlen(rest));
            rest = end ? end + 5 : NULL;
        } else if (is) {
            *is = '\0';
            put(tree, line, is + 3, strlen(is + 3));
        }
    }
}

/* What no machine exceeds is unknown, and texts are for terminals. */
static void check_declared(const struct declared_facts *declared)
{
    struct pool pool = {0};
    struct channels channels;
    for (size_t i = 0; i < declared->way_count; i++)
        fuzz_require(declared->ways[i].read_latency_ns <= 1000000 && *declared->ways[i].from,
                     "a way is one of this world");
    for (size_t i = 0; i < declared->weight_count; i++)
        fuzz_require(declared->weights[i].weight >= 1 && declared->weights[i].weight <= 255,
                     "a weight is one of the kernel's");
    for (size_t i = 0; i < declared->share_count; i++)
        fuzz_require(!declared->shares[i].of_ways ||
                         declared->shares[i].ways <= declared->shares[i].of_ways,
                     "a share is no more than there is");
    for (size_t i = 0; i < declared->module_count; i++) {
        const struct declared_module *module = &declared->modules[i];
        char clean[256];
        fuzz_require(module->rated_mts <= 1000000 && module->configured_mts <= 1000000,
                     "no memory is faster");
        fuzz_require(!module->slot ||
                         strcmp(clean_text(module->slot, clean, sizeof clean), module->slot) == 0,
                     "a slot's name is inert");
    }
    channels_read(&channels, declared, &pool);
    fuzz_require(!(channels.bytes_per_second <= 0), "all channels carry something, or unknown");
    pool_free(&pool);
}

struct reading {
    struct machine *machine;
    const char *path;
};

static int read_file(void *with)
{
    const struct reading *reading = with;
    declared_modules_of_file(reading->machine, reading->path);
    return 0;
}

/* The modules by a copy of the firmware's table. */
static void read_modules(const struct tree *tree, const uint8_t *bytes, size_t size)
{
    char path[300];
    struct machine machine = {0};
    struct error error = {0};
    tree_put(tree, "/modules", bytes, size);
    snprintf(path, sizeof path, "%s/modules", tree->root);
    const int code =
        pool_enter(&machine.pool, read_file, &(struct reading){&machine, path}, &error);
    if (code < 0)
        fuzz_check_error(code, &error);
    check_declared(&machine.facts.declared);
    machine_free(&machine);
}

static void read_machine(const struct machine_source *source)
{
    struct machine machine = {0};
    struct error error = {0};
    const int code = machine_read(&machine, source, &error);
    if (code < 0) {
        fuzz_check_error(code, &error);
        return;
    }
    struct pool pool = {0};
    struct conditions conditions = {0};
    struct checks checks = {0};
    fuzz_require(conditions_read(&machine, source, &pool, &conditions, &checks, &error) == 0,
                 "conditions can be read of any machine");
    fuzz_require(machine_memory_budget(&machine) > 0 || machine.memory_available_bytes < 2,
                 "unknown memory is not none");
    check_declared(&machine.facts.declared);
    pool_free(&pool);
    machine_free(&machine);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct tree tree;
    char *text = fuzz_text(bytes, size);
    snprintf(tree.root, sizeof tree.root, "%s", begin());
    mkdir(tree.root, 0700);
    plant(&tree, text);
    tree_put(&tree, "/sys/firmware/dmi/tables/DMI", bytes, size);
    if (setjmp(given_up) == 0)
        read_machine(&(struct machine_source){.root = tree.root});
    else
        hwloc_leave();
    read_modules(&tree, bytes, size);
    tree_remove(&tree);
    free(text);
    return 0;
}
