/* Programs that are run: how they end, what they are given, and that nothing of them is left. */
#include "machine/child.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Runs a script of the shell to its end; what it writes comes back. */
static struct child_end run(const char *script, bool small_pages, char *wrote, size_t size)
{
    char shell[] = "sh", option[] = "-c", text[512];
    char *const arguments[] = {shell, option, text, NULL};
    int out[2];
    struct child child;
    struct child_end end;
    struct error error;
    int stopped;
    strncpy(text, script, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    const struct child_plan plan = {.arguments = arguments,

                                    .small_pages = small_pages,
                                    .streams = {nothing, out[1], nothing}};
    assert_int_equal(child_start(&child, &plan, &error), 0);
    close(out[1]);
    while (!child_ended(&child, &stopped))
        usleep(1000);
    assert_int_equal(stopped, 0);
    child_reap(&child, &end);
    size_t length = 0;
    for (ssize_t bytes = 1; bytes > 0 && length + 1 < size; length += (size_t)bytes)
        bytes = read(out[0], wrote + length, size - 1 - length);
    wrote[length] = '\0';
    close(out[0]);
    close(nothing);
    return end;
}

static void its_end_is_told(void **state)
{
    char wrote[64];
    struct child_end end = run("echo heard; exit 7", false, wrote, sizeof wrote);
    assert_int_equal(end.status, 7);
    assert_int_equal(end.signal, 0);
    assert_string_equal(wrote, "heard\n");
    end = run("kill -TERM $$", false, wrote, sizeof wrote);
    assert_int_equal(end.status, -1);
    assert_int_equal(end.signal, SIGTERM);
}

/* What it had started is ended with it: else the pipe would stay open for an hour. */
static void nothing_of_it_is_left(void **state)
{
    char wrote[64];
    assert_int_equal(run("sleep 3600 & exit 0", false, wrote, sizeof wrote).status, 0);
}

static void huge_pages_are_taken_away(void **state)
{
    char wrote[64];
    run("grep THP_enabled /proc/self/status", false, wrote, sizeof wrote);
    if (!strstr(wrote, "1") || getenv("FATHOM_EMULATED")) /* an emulator ignores it */
        skip();
    run("grep THP_enabled /proc/self/status", true, wrote, sizeof wrote);
    assert_non_null(strstr(wrote, "0"));
}

static void what_is_no_program_is_refused(void **state)
{
    char name[] = "/tmp/fathom-child-XXXXXX";
    char *const arguments[] = {name, NULL};
    struct child child;
    struct error error;
    const int file = mkstemp(name);
    assert_true(file >= 0);
    const struct child_plan plan = {.arguments = arguments, .streams = {0, 1, 2}};
    assert_int_equal(child_start(&child, &plan, &error), ERROR_USAGE); /* it may not be run */
    close(file);
    unlink(name);
    assert_int_equal(child_start(&child, &plan, &error), ERROR_USAGE);
    assert_int_equal(child.id, 0);
}

/* It stops, as one does that asks a terminal, and is ended all the same. */
static void one_that_stops_is_seen(void **state)
{
    char shell[] = "sh", option[] = "-c", text[] = "kill -STOP $$; exit 0";
    char *const arguments[] = {shell, option, text, NULL};
    struct child child;
    struct child_end end;
    struct error error;
    int stopped;
    const struct child_plan plan = {.arguments = arguments, .streams = {0, 1, 2}};
    assert_int_equal(child_start(&child, &plan, &error), 0);
    while (!child_ended(&child, &stopped))
        usleep(1000);
    assert_int_equal(stopped, SIGSTOP);
    child_reap(&child, &end);
    assert_int_equal(end.signal, SIGKILL);
}

int main(void)
{
    char name[] = "true";
    char *const arguments[] = {name, NULL};
    const struct child_plan plan = {.arguments = arguments, .streams = {0, 1, 2}};
    struct child child;
    struct child_end end;
    struct error error;
    const int code = child_start(&child, &plan, &error);
    if (code == ERROR_IMPOSSIBLE) {
        puts("1..0 # SKIP this system runs no program");
        return 0;
    }
    if (code == 0)
        child_reap(&child, &end);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_end_is_told),
        cmocka_unit_test(nothing_of_it_is_left),
        cmocka_unit_test(huge_pages_are_taken_away),
        cmocka_unit_test(what_is_no_program_is_refused),
        cmocka_unit_test(one_that_stops_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
