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
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/fathom-input-XXXXXX", parent ? parent : "/tmp");
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave(void **state)
{
    (void)state;
    unlink("pipe");
    return chdir("/") < 0 ? -1 : rmdir(folder);
}

static void what_is_not_there_is_refused(void **state)
{
    struct error error = {0};
    (void)state;
    assert_null(input_open("nothing", "give another", &error));
    assert_int_equal(error.code, ERROR_USAGE);
    assert_string_equal(error.text, "nothing: No such file or directory: give another");
}

/* A writer that opens the pipe late, and one that has it open and writes late. tests/faults has
 * one that never comes. */
static void a_pipe_is_read_whole_once_a_program_writes_to_it(void **state)
{
    (void)state;
    if (mkfifo("pipe", 0600) < 0)
        skip();
    for (int late = 0; late < 2; late++) {
        struct error error = {0};
        char text[8] = "";
        const pid_t child = fork();
        if (child == 0) {
            usleep(late ? 0 : 120000);
            FILE *to = fopen("pipe", "w");
            usleep(late ? 120000 : 0);
            _exit(to && fputs("abc", to) >= 0 && fclose(to) == 0 ? 0 : 1);
        }
        FILE *stream = input_open("pipe", "give another", &error);
        assert_non_null(stream);
        assert_int_equal(fread(text, 1, sizeof text, stream), 3);
        assert_string_equal(text, "abc");
        fclose(stream);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

/* The kernel's log is such a file: as root, with nothing new in it, reading it waits for ever. */
static void a_regular_file_is_never_waited_for(void **state)
{
    struct error error = {0};
    (void)state;
    FILE *stream = input_open("/proc/self/stat", "give another", &error);
    if (!stream)
        skip();
    assert_true(fcntl(fileno(stream), F_GETFL) & O_NONBLOCK);
    assert_int_not_equal(fgetc(stream), EOF);
    fclose(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(a_pipe_is_read_whole_once_a_program_writes_to_it),
        cmocka_unit_test(a_regular_file_is_never_waited_for),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
