#include "base/save.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* Every test works in a new folder of its own and has to leave exactly the files that it names. */
static char folder[256];

static int enter(void **state)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/fathom-save-XXXXXX", parent ? parent : "/tmp");
    umask(022);
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave(void **state)
{
    DIR *open_folder = opendir(folder);
    if (!open_folder)
        return -1;
    for (const struct dirent *entry; (entry = readdir(open_folder)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove(entry->d_name);
    closedir(open_folder);
    return chdir("/") < 0 ? -1 : rmdir(folder);
}

static void assert_files(int expected)
{
    int count = -2; /* . and .. */
    DIR *open_folder = opendir(".");
    assert_non_null(open_folder);
    while (readdir(open_folder))
        count++;
    closedir(open_folder);
    assert_int_equal(count, expected);
}

static void assert_content(const char *path, const char *expected)
{
    char text[100] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_int_equal(length, strlen(expected));
    assert_string_equal(text, expected);
}

static unsigned mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    return (unsigned)status.st_mode;
}

static int write_text(const void *content, FILE *file, struct error *error)
{
    fputs(content, file);
    return 0;
}

static int write_half(const void *content, FILE *file, struct error *error)
{
    fputs(content, file);
    fflush(file);
    return error_set(error, ERROR_SYSTEM, "the pen broke");
}

static void assert_refused(const char *path, const char *why)
{
    struct error error = {0};
    assert_int_equal(save_file(path, write_text, "new", &error), ERROR_USAGE);
    assert_int_equal(error.code, ERROR_USAGE);
    assert_ptr_equal(strstr(error.text, path), error.text);
    assert_non_null(strstr(error.text, why));
    assert_non_null(strstr(error.text, "choose another file or folder to write to"));
}

static void make(const char *path, mode_t mode)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, "old", 3), 3);
    assert_int_equal(fchmod(file, mode), 0);
    close(file);
}

static void a_new_file_has_the_mode_of_the_umask(void **state)
{
    assert_int_equal(save_file("a", write_text, "new", NULL), 0);
    assert_content("a", "new");
    assert_int_equal(mode_of("a") & 0777, 0644);
    umask(077);
    assert_int_equal(save_file("b", write_text, "new", NULL), 0);
    assert_int_equal(mode_of("b") & 0777, 0600);
    assert_files(2);
}

static void a_replaced_file_keeps_its_mode(void **state)
{
    static const mode_t modes[] = {0600, 0640, 0666, 0755};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        make("a", modes[i]);
        assert_int_equal(save_file("a", write_text, "new", NULL), 0);
        assert_content("a", "new");
        assert_int_equal(mode_of("a") & 0777, modes[i]);
        unlink("a");
    }
    assert_files(0);
}

static void through_a_link_the_file_it_names_is_replaced(void **state)
{
    assert_int_equal(mkdir("deep", 0755), 0);
    make("deep/target", 0640);
    assert_int_equal(symlink("deep/target", "link"), 0);
    assert_int_equal(symlink("link", "link-to-link"), 0);
    assert_int_equal(save_file("link-to-link", write_text, "new", NULL), 0);
    assert_true(S_ISLNK(mode_of("link")) && S_ISLNK(mode_of("link-to-link")));
    assert_content("deep/target", "new");
    assert_int_equal(mode_of("deep/target") & 0777, 0640);
    assert_files(3);
    unlink("deep/target");
    assert_int_equal(rmdir("deep"), 0); /* no temporary file beside the target either */
}

static void links_to_nothing_are_refused_and_stay(void **state)
{
    assert_int_equal(symlink("nothing", "link"), 0);
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_refused("link", "a link to a file that is not there");
    assert_refused("loop", "");
    assert_true(S_ISLNK(mode_of("link")) && S_ISLNK(mode_of("loop")));
    assert_files(2);
}

static void what_is_no_file_is_written_directly(void **state)
{
    assert_int_equal(save_file("/dev/null", write_text, "new", NULL), 0);
    assert_true(S_ISCHR(mode_of("/dev/null")));
    assert_int_equal(mkfifo("pipe", 0600), 0);
    int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    assert_int_equal(save_file("pipe", write_text, "new", NULL), 0);
    char text[20] = "";
    assert_int_equal(read(reader, text, sizeof text - 1), 3);
    assert_string_equal(text, "new");
    close(reader);
    assert_true(S_ISFIFO(mode_of("pipe")));
    assert_files(1);
}

static void impossible_places_are_refused(void **state)
{
    make("file", 0644);
    assert_int_equal(symlink("/", "root"), 0);
    assert_refused(".", "it is a directory");
    assert_refused("/", "it is a directory");
    assert_refused("root", "it is a directory");
    assert_refused("missing/a", "No such file or directory");
    assert_refused("missing/", "No such file or directory");
    assert_refused("file/a", "Not a directory");
    assert_refused("file/", "Not a directory");
    assert_refused("", "No such file or directory");
    char name[301];
    memset(name, 'x', 300);
    name[300] = '\0';
    assert_refused(name, "");
    assert_content("file", "old");
    assert_files(2);
}

static void a_name_of_the_greatest_length_fits(void **state)
{
    char name[256];
    memset(name, 'x', 255);
    name[255] = '\0';
    assert_int_equal(save_file(name, write_text, "new", NULL), 0);
    assert_content(name, "new");
    assert_files(1);
}

static void a_writer_that_fails_leaves_the_old_file(void **state)
{
    struct error error = {0};
    make("a", 0644);
    assert_int_equal(save_file("a", write_half, "half", &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, "the pen broke"));
    assert_content("a", "old");
    assert_int_equal(save_file("b", write_half, "half", NULL), ERROR_USAGE);
    assert_files(1);
}

static void protected_files_and_folders_are_refused(void **state)
{
    const bool root = geteuid() == 0;
    if (root && (chown(".", 65534, (gid_t)-1) < 0 || setresuid(65534, 65534, 0) < 0))
        skip(); /* nothing is protected from root, which can't become another user here */
    make("a", 0444);
    assert_refused("a", "Permission denied");
    assert_content("a", "old");
    assert_files(1);
    assert_int_equal(chmod(".", 0555), 0);
    assert_refused("b", "Permission denied");
    assert_int_equal(chmod(".", 0755), 0);
    assert_int_equal(root ? setresuid(0, 0, 0) : 0, 0);
    assert_files(1);
}

static void a_stranger_under_the_temporary_name_is_left_alone(void **state)
{
    char stranger[100];
    snprintf(stranger, sizeof stranger, ".fathom-%ld-0.tmp", (long)getpid());
    make(stranger, 0644);
    make("a", 0644);
    assert_int_equal(save_file("a", write_text, "new", NULL), 0);
    assert_content("a", "new");
    assert_content(stranger, "old");
    assert_files(2);
}

/* The number of a process that has ended. */
static long dead_process(void)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return child;
}

static void make_leftover(long pid, const char *end)
{
    char name[100];
    snprintf(name, sizeof name, ".fathom-%ld-0.tmp%s", pid, end);
    make(name, 0600);
}

static void leftovers_of_dead_processes_are_removed(void **state)
{
    struct saving saving;
    const long dead = dead_process();
    make_leftover(dead, "");
    make_leftover(getpid(), "");
    make_leftover(dead, "x");
    assert_int_equal(save_file("a", write_text, "new", NULL), 0);
    assert_files(3);
    make_leftover(dead, "");
    assert_int_equal(saving_begin(&saving, "a", false, NULL), 0);
    saving_free(&saving);
    assert_files(3);
}

/* Another machine, or another container, may be writing it. */
static void a_leftover_that_somebody_holds_stays(void **state)
{
    char name[100];
    const long dead = dead_process();
    make_leftover(dead, "");
    snprintf(name, sizeof name, ".fathom-%ld-0.tmp", dead);
    const int held = open(name, O_WRONLY | O_CLOEXEC);
    assert_int_equal(flock(held, LOCK_EX), 0);
    assert_int_equal(save_file("a", write_text, "new", NULL), 0);
    assert_files(2);
    close(held);
    assert_int_equal(save_file("a", write_text, "new", NULL), 0);
    assert_files(1);
}

static void what_is_possible_is_reported_and_nothing_is_left(void **state)
{
    struct error error = {0};
    assert_int_equal(save_possible("new", &error), 0);
    assert_files(0);
    FILE *file = fopen("old", "w");
    assert_non_null(file);
    fputs("kept", file);
    fclose(file);
    assert_int_equal(save_possible("old", &error), 0);
    assert_content("old", "kept");
    assert_files(1);
    assert_int_equal(save_possible("/dev/null", &error), 0);
    assert_int_equal(save_possible("missing/new", &error), ERROR_USAGE);
    assert_string_equal(error.text, "missing/new: No such file or directory: choose another file "
                                    "or folder to write to");
    assert_int_equal(save_possible(".", &error), ERROR_USAGE);
    assert_int_equal(save_possible("", &error), ERROR_USAGE);
    assert_int_equal(symlink("away", "link"), 0);
    assert_int_equal(save_possible("link", &error), ERROR_USAGE);
    assert_files(2);
}

/* --- files that are written again and again --- */

static void assert_update(struct saving *saving, const char *text)
{
    assert_int_equal(saving_update(saving, write_text, text, NULL), 0);
}

/* One that was killed has left its part, and another measures at the same time. */
static void nobody_else_s_part_is_written_to(void **state)
{
    struct saving one, other;
    make("a", 0644);
    make("a.partial", 0600);
    assert_int_equal(saving_begin(&one, "a", false, NULL), 0);
    assert_int_equal(saving_begin(&other, "a", false, NULL), 0);
    assert_update(&one, "one");
    assert_update(&other, "other");
    assert_content("a.partial", "old");
    assert_content("a.2.partial", "one");
    assert_content("a.3.partial", "other");
    assert_int_equal(saving_finish(&one, write_text, "one, whole", NULL), 0);
    assert_content("a", "one, whole");
    assert_int_equal(saving_finish(&other, write_text, "other, whole", NULL), 0);
    assert_content("a", "other, whole");
    assert_files(2);
    saving_free(&one);
    saving_free(&other);
}

static void a_made_up_name_is_the_next_that_is_free(void **state)
{
    static const char *const names[] = {"run.json", "run-2.json", "run-3.json"};
    struct saving savings[3];
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(saving_begin(&savings[i], "run.json", true, NULL), 0);
    for (size_t i = 0; i < 3; i++) {
        assert_update(&savings[i], names[i]);
        assert_string_equal(savings[i].name, names[i]);
        assert_null(saving_beside(&savings[i]));
    }
    for (size_t i = 0; i < 3; i++) {
        assert_content(names[i], names[i]);
        assert_int_equal(saving_finish(&savings[i], write_text, "all", NULL), 0);
        assert_content(names[i], "all");
        saving_free(&savings[i]);
    }
    assert_files(3);
}

/* Who was interrupted waits for nobody. */
static void a_stream_alone_is_written_without_waiting(void **state)
{
    struct error error = {0};
    make("file", 0644);
    assert_int_equal(save_to_stream("file", write_text, "new", &error), 0);
    assert_int_equal(save_to_stream("none", write_text, "new", &error), 0);
    assert_content("file", "old");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(save_to_stream("pipe", write_text, "new", &error), ERROR_USAGE);
    assert_string_equal(
        error.text, "pipe: no program reads from it: choose another file or folder to write to");
    int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    assert_int_equal(save_to_stream("pipe", write_text, "new", &error), 1);
    char text[20] = "";
    assert_int_equal(read(reader, text, sizeof text - 1), 3);
    assert_string_equal(text, "new");
    close(reader);
    assert_int_equal(save_to_stream("/dev/null", write_half, "half", &error), ERROR_USAGE);
    assert_files(2);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_new_file_has_the_mode_of_the_umask),
        IN_A_FOLDER(a_replaced_file_keeps_its_mode),
        IN_A_FOLDER(through_a_link_the_file_it_names_is_replaced),
        IN_A_FOLDER(links_to_nothing_are_refused_and_stay),
        IN_A_FOLDER(what_is_no_file_is_written_directly),
        IN_A_FOLDER(impossible_places_are_refused),
        IN_A_FOLDER(a_name_of_the_greatest_length_fits),
        IN_A_FOLDER(a_writer_that_fails_leaves_the_old_file),
        IN_A_FOLDER(protected_files_and_folders_are_refused),
        IN_A_FOLDER(a_stranger_under_the_temporary_name_is_left_alone),
        IN_A_FOLDER(leftovers_of_dead_processes_are_removed),
        IN_A_FOLDER(a_leftover_that_somebody_holds_stays),
        IN_A_FOLDER(what_is_possible_is_reported_and_nothing_is_left),
        IN_A_FOLDER(nobody_else_s_part_is_written_to),
        IN_A_FOLDER(a_made_up_name_is_the_next_that_is_free),
        IN_A_FOLDER(a_stream_alone_is_written_without_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
