/* Generated code runs, and its memory is never writable and executable at once; its instructions
 * are asserted by tests/kernels/front. */
#include "measure/kernels/front.h"

#include "machine/pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { COUNT = 40, PAGES = 128, REFUSE_GAIN = 65 /* PR_SET_MDWE, which old headers lack */ };

static uint32_t places[COUNT];

static struct front fresh(enum front_kind kind, size_t each, bool random, bool sparse)
{
    const size_t page = pages_bytes(PAGES_OF_4K);
    if (!front_has(0) || !page)
        skip(); /* no code for this architecture, or no calls of this system */
    struct front front = {.bytes = PAGES * page,
                          .code = {kind, random, sparse, COUNT, each, 7, places}};
    front.memory = pages_map(front.bytes, PAGES_OF_4K, page);
    assert_non_null(front.memory);
    return front;
}

/* The rights of the mapping that holds the address: "r-xp". */
static void rights_of(const void *at, char rights[5])
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    strcpy(rights, "?");
    while (fgets(line, sizeof line, maps)) {
        unsigned long long from, to;
        char found[5];
        if (sscanf(line, "%llx-%llx %4s", &from, &to, found) == 3 && from <= (uintptr_t)at &&
            (uintptr_t)at < to)
            strcpy(rights, found);
    }
    fclose(maps);
}

static void code_of_each_kind_runs_and_can_be_made_anew(void **state)
{
    static const struct {
        enum front_kind kind;
        size_t each;
        bool random, sparse;
    } codes[] = {{FRONT_JUMPS, 16, false},
                 {FRONT_JUMPS, 64, true},
                 {FRONT_JUMPS, 128, false},
                 {FRONT_JUMPS, FRONT_PAGE / 2 + 64, false, true},
                 {FRONT_JUMPS, 2 * FRONT_PAGE + 64, false, false},
                 {FRONT_PLAIN, 4, false},
                 {FRONT_PLAIN, 8, false}};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        struct front front = fresh(codes[i].kind, codes[i].each, codes[i].random, codes[i].sparse);
        char rights[5];
        front.code.kept = codes[i].each > FRONT_PAGE / 2;
        if (codes[i].kind == FRONT_PLAIN && !front_has(codes[i].each))
            continue;
        for (int again = 0; again < 2; again++) {
            assert_true(front_make(&front));
            front_run(&front, 3);
            rights_of(front.memory, rights);
            assert_string_equal(rights, "r-xp");
        }
        pages_unmap(front.memory, front.bytes);
    }
}

static void jumps_visit_every_place_once(void **state)
{
    struct front front = fresh(FRONT_JUMPS, 64, true, false);
    bool seen[COUNT] = {false};
    size_t moved = 0;
    assert_true(front_make(&front));
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(places[i] < COUNT && !seen[places[i]]);
        seen[places[i]] = true;
        moved += places[i] != i;
    }
    assert_true(places[0] == 0 && moved > COUNT / 2);
    pages_unmap(front.memory, front.bytes);
}

static void a_refusal_leaves_no_code(void **state)
{
    struct front front = fresh(FRONT_JUMPS, 16, false, false);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (prctl(REFUSE_GAIN, 1, 0, 0, 0) < 0)
            _exit(77);
        const bool made = front_make(&front);
        _exit(made || front.entry || front_run(&front, 1) != 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip(); /* this kernel has no such policy */
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_of_each_kind_runs_and_can_be_made_anew),
        cmocka_unit_test(jumps_visit_every_place_once),
        cmocka_unit_test(a_refusal_leaves_no_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
