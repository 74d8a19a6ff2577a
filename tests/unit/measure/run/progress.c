/* What a program tells of its progress, by a file, a named pipe and a command; and what is refused.
 */
#include "measure/run/progress.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { WAITS_MOST = 2000 }; /* of 5 ms each */

struct told {
    char path[64];
    int nothing;
    struct progress progress;
    struct error error;
};

static void begin(struct told *told)
{
    *told = (struct told){.nothing = open("/dev/null", O_RDWR | O_CLOEXEC)};
    strcpy(told->path, "/tmp/fathom-progress-XXXXXX");
    assert_non_null(mkdtemp(told->path));
    strcat(told->path, "/at");
}

static void begin_reading(struct told *told, const char *command)
{
    assert_int_equal(progress_open(&told->progress, command ? NULL : told->path, command,
                                   told->nothing, &told->error),
                     0);
}

static void end(struct told *told)
{
    progress_close(&told->progress);
    close(told->nothing);
    unlink(told->path);
    *strrchr(told->path, '/') = '\0';
    rmdir(told->path);
}

static void put(struct told *told, const char *how, const char *text)
{
    FILE *file = fopen(told->path, how);
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Reads until something is told. */
static int reads(struct told *told)
{
    int code = 0;
    for (int i = 0; i < WAITS_MOST && code == 0; i++) {
        usleep(5000);
        code = progress_read(&told->progress, &told->error);
    }
    return code;
}

static void a_file_is_read_again_and_again(void **state)
{
    struct told told;
    begin(&told);
    begin_reading(&told, NULL);
    assert_int_equal(progress_read(&told.progress, &told.error), 0); /* it is not there yet */
    assert_true(told.progress.value < 0);
    put(&told, "w", "12\n");
    assert_int_equal(reads(&told), 1);
    assert_float_equal(told.progress.value, 12, 0);
    put(&told, "w", "13.5\n"); /* written anew */
    assert_int_equal(reads(&told), 1);
    assert_float_equal(told.progress.value, 13.5, 0);
    put(&told, "a", "100\n2"); /* a log whose last line is not complete */
    while (told.progress.value < 100)
        assert_int_equal(reads(&told), 1);
    assert_float_equal(told.progress.value, 100, 0);
    put(&told, "a", "00\n300");
    assert_int_equal(reads(&told), 1);
    assert_float_equal(told.progress.value, 200, 0);
    end(&told);
}

static void a_named_pipe_is_read(void **state)
{
    struct told told;
    begin(&told);
    assert_int_equal(mkfifo(told.path, 0600), 0);
    begin_reading(&told, NULL);
    const int writer = open(told.path, O_WRONLY); /* waits for the reader */
    assert_true(writer >= 0);
    for (int i = 1; i <= 1000; i++)
        dprintf(writer, "%d\n", i);
    while (told.progress.value < 1000)
        assert_int_equal(reads(&told), 1);
    close(writer);
    put(&told, "w", "2000 \n"); /* by another writer, like a shell's echo */
    assert_int_equal(reads(&told), 1);
    assert_float_equal(told.progress.value, 2000, 0);
    end(&told);
}

static void a_command_is_asked(void **state)
{
    struct told told;
    begin(&told);
    put(&told, "w", "done 7 of 9\n");
    char command[256];
    snprintf(command, sizeof command, "awk '{print $2}' %s", told.path);
    begin_reading(&told, command);
    assert_int_equal(reads(&told), 1);
    assert_float_equal(told.progress.value, 7, 0);
    put(&told, "w", "done 8 of 9\n");
    assert_int_equal(reads(&told), 1);
    assert_float_equal(told.progress.value, 8, 0);
    end(&told);
}

static void what_is_no_progress_is_refused(void **state)
{
    static const char *const commands[] = {"echo -5",     "echo half",
                                           "echo 5 of 9", "echo inf",
                                           "echo 0x",     "seq 100 -1 1 > /dev/null; echo nan"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct told told;
        begin(&told);
        begin_reading(&told, commands[i]);
        assert_int_equal(reads(&told), ERROR_IMPOSSIBLE);
        assert_non_null(strstr(told.error.text, commands[i]));
        assert_non_null(strstr(told.error.text, "where a number from 0 on"));
        end(&told);
    }
}

static void progress_that_goes_back_is_refused(void **state)
{
    struct told told;
    begin(&told);
    put(&told, "w", "20\n");
    begin_reading(&told, NULL);
    assert_int_equal(reads(&told), 1);
    put(&told, "w", "10\n"); /* by a program that begins, over an earlier run's */
    assert_int_equal(reads(&told), 1);
    told.progress.begun = true;
    put(&told, "w", "3\n");
    assert_int_equal(reads(&told), ERROR_IMPOSSIBLE);
    assert_non_null(strstr(told.error.text, "goes back from 10 to 3"));
    end(&told);
}

/* A command that ends in no time at all, prints nothing or can't be run tells nothing. */
static void silence_is_no_progress(void **state)
{
    static const char *const commands[] = {"true", "no-such-command", "exec sleep 3600", "echo"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct told told;
        begin(&told);
        begin_reading(&told, commands[i]);
        for (int wait = 0; wait < 20; wait++) {
            usleep(5000);
            assert_int_equal(progress_read(&told.progress, &told.error), 0);
        }
        assert_true(told.progress.value < 0);
        end(&told);
    }
}

int main(void)
{
    struct told told;
    begin(&told);
    const int code = progress_open(&told.progress, NULL, "true", told.nothing, &told.error);
    end(&told);
    if (code == ERROR_IMPOSSIBLE) {
        puts("1..0 # SKIP this system runs no program");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_again_and_again),
        cmocka_unit_test(a_named_pipe_is_read),
        cmocka_unit_test(a_command_is_asked),
        cmocka_unit_test(what_is_no_progress_is_refused),
        cmocka_unit_test(progress_that_goes_back_is_refused),
        cmocka_unit_test(silence_is_no_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
