/*
 * At which sizes the C library changes its way: the same at every look, and where a tunable says
 * so. Called with an argument it prints what it finds, for itself: tunables are read when a program
 * starts.
 */
#include "machine/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROOM = 16, THRESHOLD = 12345 };
static const uint64_t MOST = 1 << 20;

static void every_look_shows_the_same(void **state)
{
    (void)state;
    for (int function = STEPS_MEMCPY; function <= STEPS_MEMSET; function++) {
        struct steps_switch first[ROOM], again[ROOM];
        const size_t count = steps_switches((enum steps_function)function, MOST, first, ROOM);
        if (!count)
            skip();
        assert_int_equal(steps_switches((enum steps_function)function, MOST, again, ROOM), count);
        assert_int_equal(first[0].bytes, 1);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(first[i].bytes, again[i].bytes);
            assert_int_equal(first[i].kind, again[i].kind);
            assert_in_range(first[i].kind, STEPS_PLAIN, STEPS_PAST);
            assert_true(first[i].bytes <= MOST);
            assert_true(i == 0 || (first[i].bytes > first[i - 1].bytes &&
                                   first[i].kind != first[i - 1].kind));
        }
    }
}

static void no_room_is_no_overrun(void **state)
{
    (void)state;
    struct steps_switch none[1] = {{7, STEPS_UNKNOWN}};
    assert_int_equal(steps_switches(STEPS_MEMCPY, MOST, none, 0), 0);
    assert_int_equal(none[0].bytes, 7);
}

/* The first size of that kind with those tunables; 0: there is none. */
static uint64_t first_with(const char *tunables, enum steps_kind kind)
{
    int ends[2];
    char text[4096] = "";
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        setenv("GLIBC_TUNABLES", tunables, 1);
        execl("/proc/self/exe", "steps", "print", (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t got; (got = read(ends[0], text + used, sizeof text - 1 - used)) > 0;)
        used += (size_t)got;
    close(ends[0]);
    waitpid(child, NULL, 0);
    for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
        unsigned long long bytes;
        char name[16];
        if (sscanf(at, "%llu %15s", &bytes, name) == 2 && strcmp(name, steps_kind_names[kind]) == 0)
            return bytes;
        if (!strchr(at, '\n'))
            break;
    }
    return 0;
}

/* glibc may round a threshold to its vectors, and begins at it or behind it. */
static void a_tunable_moves_the_size(void **state)
{
    (void)state;
    if (!first_with("", STEPS_STRING))
        skip(); /* another library, processor or architecture */
    const uint64_t moved = first_with("glibc.cpu.x86_rep_movsb_threshold=12345", STEPS_STRING);
    if (!moved)
        skip(); /* a sanitizer's memcpy goes another way for larger sizes */
    assert_in_range(moved, THRESHOLD - 64, THRESHOLD + 64);
}

static int print(void)
{
    struct steps_switch switches[ROOM];
    const size_t count = steps_switches(STEPS_MEMCPY, MOST, switches, ROOM);
    for (size_t i = 0; i < count; i++)
        printf("%llu %s\n", (unsigned long long)switches[i].bytes,
               steps_kind_names[switches[i].kind]);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_look_shows_the_same),
        cmocka_unit_test(no_room_is_no_overrun),
        cmocka_unit_test(a_tunable_moves_the_size),
    };
    (void)argv;
    return argc > 1 ? print() : cmocka_run_group_tests(tests, NULL, NULL);
}
