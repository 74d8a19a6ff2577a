#include "base/input.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[256];

static int enter(void **state)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/fathom-input-XXXXXX", parent ? parent : "/tmp");
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave(void **state)
{
    unlink("pipe");
    return chdir("/") < 0 ? -1 : rmdir(folder);
}

static void what_is_not_there_is_refused(void **state)
{
    struct input input = {.steps = NULL};
    struct error error = {0};
    assert_int_equal(input_open(&input, "nothing", "give another", &error), ERROR_USAGE);
    assert_string_equal(error.text, "nothing: No such file or directory: give another");
}

/* A writer that opens the pipe late, and one that has it open and writes late. tests/faults has
 * one that never comes. */
static void a_pipe_is_read_whole_once_a_program_writes_to_it(void **state)
{
    if (mkfifo("pipe", 0600) < 0)
        skip();
    for (int late = 0; late < 2; late++) {
        struct input input = {.steps = NULL};
        struct error error = {0};
        char text[8] = "";
        const pid_t child = fork();
        if (child == 0) {
            usleep(late ? 0 : 120000);
            FILE *to = fopen("pipe", "w");
            usleep(late ? 120000 : 0);
            _exit(to && fputs("abc", to) >= 0 && fclose(to) == 0 ? 0 : 1);
        }
        assert_int_equal(input_open(&input, "pipe", "give another", &error), 0);
        assert_int_equal(fread(text, 1, sizeof text, input.stream), 3);
        assert_string_equal(text, "abc");
        assert_int_equal(input_close(&input, 0, &error), 0);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

/* The kernel's log is such a file: as root, with nothing new in it, reading it waits for ever. */
static void a_regular_file_is_never_waited_for(void **state)
{
    struct input input = {.steps = NULL};
    struct error error = {0};
    if (input_open(&input, "/proc/self/stat", "give another", &error) < 0)
        skip();
    assert_true(fcntl(fileno(input.stream), F_GETFL) & O_NONBLOCK);
    assert_int_not_equal(fgetc(input.stream), EOF);
    assert_int_equal(input_close(&input, 0, &error), 0);
}

static void write_file(const char *flags, const char *text)
{
    FILE *to = fopen("file", flags);
    assert_non_null(to);
    assert_true(fputs(text, to) >= 0);
    assert_int_equal(fclose(to), 0);
}

/* Each is written in the moment in which it is opened, when the file system's time stands still. */
static void a_file_that_is_written_while_it_is_read_is_refused(void **state)
{
    static const struct {
        const char *flags, *text;
    } writes[] = {{"r+", "abd"}, {"w", "abd"}, {"a", "d"}, {"w", ""}};
    for (size_t i = 0; i < 20 * sizeof writes / sizeof *writes; i++) {
        struct input input = {.steps = NULL};
        struct error error = {0};
        write_file("w", "abc");
        assert_int_equal(input_open(&input, "file", "give another", &error), 0);
        assert_int_equal(fgetc(input.stream), 'a');
        write_file(writes[i % 4].flags, writes[i % 4].text);
        assert_int_equal(input_close(&input, i % 2 ? ERROR_USAGE : 0, &error), ERROR_USAGE);
        assert_string_equal(error.text,
                            "file: it changed while it was read: try again when it is complete");
    }
    unlink("file");
}

static void a_file_that_rests_or_is_replaced_is_read(void **state)
{
    for (int replaced = 0; replaced < 2; replaced++) {
        struct input input = {.steps = NULL};
        struct error error = {0};
        write_file("w", "abc");
        assert_int_equal(input_open(&input, "file", "give another", &error), 0);
        if (replaced)
            unlink("file");
        write_file("a", replaced ? "abd" : "");
        assert_int_equal(fgetc(input.stream), 'a');
        assert_int_equal(input_close(&input, ERROR_SYSTEM, &error), ERROR_SYSTEM);
        assert_int_equal(input_open(&input, "file", "give another", &error), 0);
        assert_int_equal(input_close(&input, 0, &error), 0);
        unlink("file");
    }
}

/* No more than a moment is left for the second. */
static void pipes_are_waited_for_together(void **state)
{
    int steps = 198;
    if (mkfifo("silent", 0600) < 0)
        skip();
    for (int i = 0; i < 2; i++) {
        struct input input = {.steps = &steps};
        struct error error = {0};
        assert_int_equal(input_open(&input, "silent", "give another", &error), ERROR_USAGE);
        assert_int_equal(steps, 200 + i);
    }
    unlink("silent");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(a_pipe_is_read_whole_once_a_program_writes_to_it),
        cmocka_unit_test(a_regular_file_is_never_waited_for),
        cmocka_unit_test(a_file_that_is_written_while_it_is_read_is_refused),
        cmocka_unit_test(a_file_that_rests_or_is_replaced_is_read),
        cmocka_unit_test(pipes_are_waited_for_together),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
