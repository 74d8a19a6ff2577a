#include "base/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { NOBODY = 65534 };

static char folder[256];

static int enter(void **state)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/fathom-target-XXXXXX", parent ? parent : "/tmp");
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave(void **state)
{
    static const char *const names[] = {"open/link", "open/pipe", "open/deep/file", "open/deep",
                                        "open",      "file",      "link",           "way",
                                        "chain",     "pipe"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(names[i]);
    return chdir("/") < 0 ? -1 : rmdir(folder);
}

static void touch(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static void assert_target(const char *path, enum target_kind kind, const char *real)
{
    struct target target;
    struct error error = {0};
    assert_int_equal(target_look(&target, path, &error), 0);
    assert_int_equal(target.kind, kind);
    assert_string_equal(target.path, real);
    target_free(&target);
}

static void assert_refused(const char *path, const char *why)
{
    struct target target;
    struct error error = {0};
    assert_int_equal(target_look(&target, path, &error), ERROR_USAGE);
    assert_ptr_equal(strstr(error.text, path), error.text);
    assert_non_null(strstr(error.text, why));
    target_free(&target);
}

static void names_of_descriptors_are_known(void **state)
{
    assert_int_equal(target_channel("/dev/stdout"), 1);
    assert_int_equal(target_channel("/dev/stderr"), 2);
    assert_int_equal(target_channel("/dev/fd/63"), 63);
    assert_int_equal(target_channel("/proc/self/fd/0"), 0);
    assert_int_equal(target_channel("/dev/fd/"), -1);
    assert_int_equal(target_channel("/dev/fd/1x"), -1);
    assert_int_equal(target_channel("/dev/fd/9999999999"), -1);
    assert_int_equal(target_channel("/dev/null"), -1);
    assert_int_equal(target_channel(""), -1);
    assert_refused("/dev/fd/987654321", "Bad file descriptor");
}

static void links_are_followed_to_their_end(void **state)
{
    touch("file");
    assert_int_equal(mkdir("open", 0755), 0);
    assert_int_equal(mkdir("open/deep", 0755), 0);
    touch("open/deep/file");
    assert_int_equal(symlink("open/deep", "way"), 0);
    assert_int_equal(symlink("way/file", "chain"), 0);
    assert_int_equal(symlink("../file", "open/link"), 0);
    assert_target("file", TARGET_FILE, "file");
    assert_target("way/file", TARGET_FILE, "open/deep/file");
    assert_target("chain", TARGET_FILE, "open/deep/file");
    assert_target("open/link", TARGET_FILE, "open/../file");
    assert_target("./way//new", TARGET_NEW, "./open/deep//new");
    assert_target("/dev/null", TARGET_STREAM, "/dev/null");
    assert_refused("way", "it is a directory");
}

/* One's own, and those of the folder's owner, are no traps. */
static void own_links_and_pipes_are_followed_anywhere(void **state)
{
    touch("file");
    assert_int_equal(mkdir("open", 0755), 0);
    assert_int_equal(chmod("open", 01777), 0);
    assert_int_equal(symlink("../file", "open/link"), 0);
    assert_int_equal(mkfifo("open/pipe", 0600), 0);
    assert_target("open/link", TARGET_FILE, "open/../file");
    assert_target("open/pipe", TARGET_STREAM, "open/pipe");
}

static void another_user_s_are_traps_where_anybody_may_write(void **state)
{
    touch("file");
    assert_int_equal(mkdir("open", 0755), 0);
    assert_int_equal(mkdir("open/deep", 0755), 0);
    assert_int_equal(symlink("../file", "open/link"), 0);
    assert_int_equal(symlink("open/link", "link"), 0);
    assert_int_equal(symlink("open", "way"), 0);
    assert_int_equal(mkfifo("open/pipe", 0666), 0);
    if (geteuid() != 0 || lchown("open/link", NOBODY, NOBODY) < 0 ||
        chown("open/pipe", NOBODY, NOBODY) < 0)
        skip();
    assert_target("open/link", TARGET_FILE, "open/../file");
    assert_target("open/pipe", TARGET_STREAM, "open/pipe");
    assert_int_equal(chmod("open", 01777), 0);
    assert_refused("open/link", "another user made a link there");
    assert_refused("link", "another user made a link there");
    assert_refused("open/pipe", "another user made a pipe there");
    assert_refused("way/pipe", "another user made a pipe there");
    assert_int_equal(chown("open", NOBODY, NOBODY), 0);
    assert_target("open/link", TARGET_FILE, "open/../file");
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(names_of_descriptors_are_known),
        IN_A_FOLDER(links_are_followed_to_their_end),
        IN_A_FOLDER(own_links_and_pipes_are_followed_anywhere),
        IN_A_FOLDER(another_user_s_are_traps_where_anybody_may_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
