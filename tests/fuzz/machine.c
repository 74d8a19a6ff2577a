/* Whatever a machine's files say, the machine is read, or it is said why not. An input is a tree as
 * in tests/machines/: lines "PATH = TEXT", and "PATH <<END" before more lines. */
#include "machine/machine.h"
#include "../machines/tree.h"
#include "fuzz.h"
#include "machine/conditions.h"

enum { FILES = 200 };

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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct tree tree;
    struct machine machine = {0};
    struct error error = {0};
    char *text = fuzz_text(bytes, size);
    fuzz_require(tree_new(&tree), "a folder can be made");
    plant(&tree, text);
    const struct machine_source source = {.root = tree.root};
    const int code = machine_read(&machine, &source, &error);
    if (code < 0) {
        fuzz_check_error(code, &error);
    } else {
        struct pool pool = {0};
        struct conditions conditions = {0};
        struct remarks remarks = {0};
        fuzz_require(conditions_read(&machine, &source, &pool, &conditions, &remarks, &error) == 0,
                     "conditions can be read of any machine");
        fuzz_require(machine_memory_budget(&machine) > 0 || machine.memory_available_bytes < 2,
                     "unknown memory is not none");
        pool_free(&pool);
        machine_free(&machine);
    }
    tree_remove(&tree);
    free(text);
    return 0;
}
