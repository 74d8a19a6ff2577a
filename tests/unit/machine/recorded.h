/* A machine that is read from recorded files, for tests of code that uses it. */
#ifndef FATHOM_TESTS_MACHINE_RECORDED_H
#define FATHOM_TESTS_MACHINE_RECORDED_H

#include "machine/machine.h"

#include "../../machines/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct tree tree;
static struct machine machine;

static int set_up(void **state)
{
    tree = (struct tree){""};
    machine = (struct machine){0};
    return 0;
}

static int tear_down(void **state)
{
    machine_free(&machine);
    if (*tree.root)
        tree_remove(&tree);
    return 0;
}

/* The machine whose files lie in the tree already. */
static inline void read_below_root(void)
{
    struct error error = {0};
    struct machine_source source = {.root = tree.root};
    if (machine_read(&machine, &source, &error) < 0)
        fail_msg("%s", error.text);
}

/* One of tests/machines. */
static inline void read_tree(const char *name)
{
    assert_true(tree_unpack(&tree, name));
    read_below_root();
}

static inline void read_synthetic(const char *description)
{
    struct error error = {0};
    struct machine_source source = {.synthetic = description};
    if (machine_read(&machine, &source, &error) < 0)
        fail_msg("%s", error.text);
}

#endif
