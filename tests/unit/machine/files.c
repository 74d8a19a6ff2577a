/* Reading system files: a file that is missing or damaged is an unknown fact and no error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../machines/tree.h"
#include "machine/files.h"

static struct tree tree;
static struct pool pool;

static int set_up(void **state)
{
    return tree_new(&tree) ? 0 : -1;
}

static int tear_down(void **state)
{
    tree_remove(&tree);
    pool_free(&pool);
    return 0;
}

static void put(const char *path, const char *text)
{
    assert_true(tree_put_text(&tree, path, text));
}

static void what_is_no_file_has_no_text(void **state)
{
    put("/directory/file", "x");
    char fifo[512];
    snprintf(fifo, sizeof fifo, "%s/fifo", tree.root);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_null(files_text(tree.root, "/missing"));
    assert_null(files_text(tree.root, "/directory"));
    assert_null(files_text(tree.root, "/directory/file/below"));
    assert_null(files_text(tree.root, "/fifo")); /* and doesn't wait for a writer */
    assert_null(files_text(tree.root, "/%0*d", 5000, 0));
}

static void huge_text_is_cut(void **state)
{
    size_t size = 3 * (size_t)FILES_TEXT_MAX;
    char *content = malloc(size);
    assert_non_null(content);
    memset(content, 'x', size);
    assert_true(tree_put(&tree, "/huge", content, size));
    free(content);
    char *text = files_text(tree.root, "/huge");
    assert_non_null(text);
    assert_int_equal(strlen(text), FILES_TEXT_MAX - 1);
    free(text);
}

static void a_line_is_inert(void **state)
{
    put("/line", " \x1b[31mred\x07\xff name\nsecond");
    put("/empty", "\n\n");
    assert_string_equal(files_line(&pool, tree.root, "/line"), "?[31mred?? name");
    assert_null(files_line(&pool, tree.root, "/empty"));
    assert_null(files_line(&pool, tree.root, "/missing"));
}

static void a_number_is_nothing_else(void **state)
{
    static const char *const bad[] = {
        "", "-1", "+1", "1 2", "0x10", "max", "1.5", "12K", "18446744073709551616"};
    uint64_t value = 7;
    put("/number", "18446744073709551615\n");
    assert_true(files_number(&value, tree.root, "/number"));
    assert_true(value == UINT64_MAX);
    value = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put("/number", bad[i]);
        assert_false(files_number(&value, tree.root, "/number"));
    }
    assert_false(files_number(&value, tree.root, "/missing"));
    assert_int_equal(value, 7);
}

static void assert_list(const char *text, const char *expected)
{
    struct cpulist list;
    char found[128];
    put("/list", text);
    assert_true(files_cpulist(&pool, &list, tree.root, "/list"));
    assert_string_equal(cpulist_format(&list, found, sizeof found), expected);
}

static void cpu_lists_are_as_the_kernel_writes_them(void **state)
{
    assert_list("0-3,8,10-11\n", "0-3,8,10-11");
    assert_list("\n", "");
    assert_list("5", "5");
    assert_list("1048576", "1048576");
}

static void garbage_is_no_cpu_list(void **state)
{
    static const char *const bad[] = {"3-1", "1,1",     "4,2",          "-1",
                                      "0-",  "0,",      ",0",           "a",
                                      "0 1", "1048577", "0-4294967295", "0-3,0-1048576"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct cpulist list;
        put("/list", bad[i]);
        assert_false(files_cpulist(&pool, &list, tree.root, "/list"));
        assert_int_equal(list.count, 0);
        assert_null(list.ids);
    }
}

static void names_are_sorted_and_visible(void **state)
{
    char **names;
    put("/names/cpu1", "");
    put("/names/cpu0/x", "");
    put("/names/.hidden", "");
    assert_int_equal(files_names(&pool, &names, tree.root, "/names"), 2);
    assert_string_equal(names[0], "cpu0");
    assert_string_equal(names[1], "cpu1");
    assert_int_equal(files_names(&pool, &names, tree.root, "/names/cpu1"), 0);
    assert_int_equal(files_names(&pool, &names, tree.root, "/missing"), 0);
}

static const char text[] = "MemTotal:       16 kB\n"
                           "MemTotalExtra: 3\n"
                           "model name\t: Some CPU \n"
                           "model\t\t: 1\n"
                           "inactive_file 4096\n"
                           "bad: 12 MB\n"
                           "over: 18446744073709551615 kB\n"
                           "Cpus_allowed_list:\t0-1,4\n"
                           "empty:\n";

static void numbers_are_found_by_key(void **state)
{
    uint64_t value = 7;
    assert_true(text_number(&value, text, "MemTotal"));
    assert_int_equal(value, 16384);
    assert_true(text_number(&value, text, "inactive_file"));
    assert_int_equal(value, 4096);
    assert_false(text_number(&value, text, "bad"));
    assert_false(text_number(&value, text, "over"));
    assert_false(text_number(&value, text, "model name"));
    assert_false(text_number(&value, text, "MemTot"));
    assert_int_equal(value, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_no_file_has_no_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(huge_text_is_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_line_is_inert, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_number_is_nothing_else, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cpu_lists_are_as_the_kernel_writes_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(garbage_is_no_cpu_list, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_are_sorted_and_visible, set_up, tear_down),
        cmocka_unit_test_setup_teardown(numbers_are_found_by_key, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
