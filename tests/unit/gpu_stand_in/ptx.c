#include "../../gpu/stand_in/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 7.8\n.target sm_90\n.address_size 64\n"

enum { NEWEST = 90, TEXT_BYTES = 4096 };

static struct ptx_module read(const char *text)
{
    struct ptx_module module;
    char error[PTX_ERROR_BYTES];
    if (ptx_read(&module, text, NEWEST, error) != PTX_FINE)
        fail_msg("%s", error);
    return module;
}

static void a_module_is_taken_apart(void **state)
{
    (void)state;
    struct ptx_module module = read(
        "// a comment\n" HEAD "/* and\nanother */\n"
        ".extern .shared .align 16 .b8 scratch[];\n"
        ".visible .const .align 16 .b8 bank[1000];\n.const .u32 more;\n"
        ".global .align 8 .b8 here[64];\n"
        ".visible .entry one(.param .u32 a, .param .u64 b,\n .param .u32 c) .maxntid 64, 2, 1\n"
        "{\n.reg .b64 %x, %y<3>;\n.reg .pred %k;\n"
        "ld.param.u64 %y2, [b]; LOOP: .pragma \"nounroll\";\n"
        "@!%k bra LOOP;\nret;\n}\n"
        ".entry two() { ret; }\n");
    assert_int_equal(module.version, 78);
    assert_int_equal(module.target, 90);
    assert_int_equal(module.function_count, 2);
    assert_int_equal(module.constant_bytes, 1004);
    const struct ptx_function *one = ptx_find(&module, "one");
    assert_non_null(one);
    assert_int_equal(one->parameter_count, 3);
    assert_int_equal(one->parameters[1].at, 8);
    assert_int_equal(one->parameters[2].at, 16);
    assert_int_equal(one->parameter_bytes, 20);
    assert_int_equal(one->most_threads, 128);
    assert_int_equal(one->registers, PTX_REGISTERS + 5);
    assert_int_equal(one->count, 4); /* and the exit that ends every body */
    assert_int_equal(one->code[0].op, OP_PARAMETER);
    assert_int_equal(one->code[0].value[0], PTX_REGISTERS + 3);
    assert_int_equal(one->code[0].offset, 8);
    assert_int_equal(one->code[1].op, OP_BRANCH);
    assert_int_equal(one->code[1].target, 1);
    assert_true(one->code[1].guard_not);
    assert_int_equal(one->code[1].guard, PTX_REGISTERS + 4);
    assert_int_equal(one->code[1].line, 17);
    assert_null(ptx_find(&module, "three"));
    ptx_free(&module);
}

static void loads_are_decoded(void **state)
{
    (void)state;
    struct ptx_module module = read(HEAD ".entry e() {\n.reg .b64 %p, %q; .reg .b32 %a<4>;\n"
                                         "ld.global.ca.v2.u64 {%p, %q}, [%p+16];\n"
                                         "ld.global.cg.u32 %a0, [%p+-4];\n"
                                         "ld.global.nc.v4.u32 {%a0, %a1, %a2, %a3}, [%p];\n"
                                         "ld.cv.u8 %a0, [4096];\n"
                                         "st.shared.s16 [%a1], -5;\n"
                                         "atom.global.add.u64 %p, [%p], 0;\n"
                                         "red.shared.max.s32 [%a0+8], %a1;\n}\n");
    const struct ptx_instruction *code = ptx_find(&module, "e")->code;
    static const struct {
        uint8_t op, count, bytes, space, cache;
        int64_t offset;
    } expected[] = {
        {OP_LOAD, 2, 8, SPACE_GLOBAL, CACHE_ALL, 16},
        {OP_LOAD, 1, 4, SPACE_GLOBAL, CACHE_GLOBAL, -4},
        {OP_LOAD, 4, 4, SPACE_GLOBAL, CACHE_READ_ONLY, 0},
        {OP_LOAD, 1, 1, SPACE_GENERIC, CACHE_VOLATILE, 0},
        {OP_STORE, 1, 2, SPACE_SHARED, CACHE_DEFAULT, 0},
        {OP_ATOMIC, 1, 8, SPACE_GLOBAL, CACHE_DEFAULT, 0},
        {OP_ATOMIC, 1, 4, SPACE_SHARED, CACHE_DEFAULT, 8},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(code[i].op, expected[i].op);
        assert_int_equal(code[i].count, expected[i].count);
        assert_int_equal(code[i].bytes, expected[i].bytes);
        assert_int_equal(code[i].space, expected[i].space);
        assert_int_equal(code[i].cache, expected[i].cache);
        assert_int_equal(code[i].offset, expected[i].offset);
    }
    assert_int_equal(code[6].value[0], PTX_NOWHERE);
    assert_int_equal(code[6].sub, ATOMIC_MAX);
    ptx_free(&module);
}

/* A body between registers and the closing brace; the line of the error, and a part of it. */
static const struct {
    const char *body;
    unsigned line;
    const char *part;
} wrong[] = {
    {"frobnicate.u32 %a, %a;", 6, "'frobnicate'"},
    {"\n\nadd.u32 %a, %a, %z;", 8, "'%z'"},
    {"add.u32 %a, %a, %n0;", 6, "'%n0'"},
    {"add.u32 %a, %a, %b3;", 6, "'%b3'"},
    {"add.u32 %a, %a;", 6, "','"},
    {"add.u32 %a, %a, %a", 7, "';'"},
    {"add %a, %a, %a;", 6, "types"},
    {"add.pred %k, %k, %k;", 6, "types"},
    {"add.u32.u32 %a, %a, %a;", 6, "types"},
    {"add.fancy.u32 %a, %a, %a;", 6, "'.fancy'"},
    {"bra NOWHERE;", 6, "'NOWHERE'"},
    {"L: L: ret;", 6, "'L'"},
    {"@%z bra L; L:", 6, "'%z'"},
    {"ld.global.u32 %a, %a;", 6, "address"},
    {"ld.global.v2.u32 %a, [%a];", 6, "vector"},
    {"ld.param.u64 %a, [nothing];", 6, "'nothing'"},
    {"ld.global.u64 %a, [p];", 6, "state space"},
    {"ld.global.pred %k, [%a];", 6, "types"},
    {"mul.u32 %a, %a, %a;", 6, ".lo"},
    {"setp.u32 %k, %a, %a;", 6, "comparison"},
    {"cvt.u32 %a, %a;", 6, "two types"},
    {"atom.global.add.u8 %a, [%a], 1;", 6, "not modelled"},
    {"tex.2d.v4.u32.s32 {%a,%a,%a,%a}, [%a, {%a}];", 6, "2d"},
    {"mov.u32 %a, {%a, %a, %a};", 6, "'mov'"},
    {"mov.u32 %a, \"text\";", 6, "name expected"},
    {"{", 8, "end of the text"},
    {"/* never closed", 6, "comment"},
    {".reg .b32 %c<5000>;", 6, "registers"},
    {".reg .b99 %c;", 6, "register type"},
    {"call foo;", 6, "'call'"},
};

static void errors_name_the_line_and_the_word(void **state)
{
    (void)state;
    char text[TEXT_BYTES], error[PTX_ERROR_BYTES], line[32];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ptx_module module;
        snprintf(text, sizeof text,
                 HEAD ".entry e(.param .u64 p)\n{ .reg .b32 %%a, %%b<3>; .reg .pred %%k;\n%s\n}\n",
                 wrong[i].body);
        error[0] = '\0';
        assert_int_equal(ptx_read(&module, text, NEWEST, error), PTX_INVALID);
        snprintf(line, sizeof line, "line %u;", wrong[i].line);
        if (!strstr(error, line) || !strstr(error, wrong[i].part))
            fail_msg("%s: %s", wrong[i].body, error);
        assert_int_equal(module.function_count, 0);
    }
}

static void modules_that_are_wrong_as_a_whole_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum ptx_result result;
        const char *part;
    } cases[] = {
        {"", PTX_INVALID, ".version"},
        {"int main(void);", PTX_INVALID, ".version"},
        {".version 7\n", PTX_INVALID, ".version"},
        {".version 7.8\n.target gfx90", PTX_INVALID, "gfx90"},
        {".version 7.8\n.target sm_100\n", PTX_TOO_NEW_FOR_DEVICE, ".target"},
        {HEAD ".func f() { ret; }", PTX_INVALID, ".func"},
        {HEAD ".const .b8 a[65537];", PTX_INVALID, "constant"},
        {HEAD ".entry e(.param .u64 a .param .u64 b) { ret; }", PTX_INVALID, "','"},
        {HEAD ".entry e() ret;", PTX_INVALID, "'{'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ptx_module module;
        char error[PTX_ERROR_BYTES] = "";
        enum ptx_result result = ptx_read(&module, cases[i].text, NEWEST, error);
        if (result != cases[i].result || !strstr(error, cases[i].part))
            fail_msg("%s: %d %s", cases[i].text, (int)result, error);
    }
}

static void what_a_target_lacks_is_refused(void **state)
{
    (void)state;
    static const char *const bodies[] = {"barrier.cluster.arrive;", "mapa.u64 %p, %p, %a;",
                                         "ld.shared::cluster.u32 %a, [%a];"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char text[TEXT_BYTES], error[PTX_ERROR_BYTES];
        struct ptx_module module;
        static const char format[] =
            ".version 7.8\n.target sm_%u\n.entry e() { .reg .b64 %%p; .reg .b32 %%a; %s }";
        snprintf(text, sizeof text, format, 80, bodies[i]);
        assert_int_equal(ptx_read(&module, text, NEWEST, error), PTX_INVALID);
        assert_non_null(strstr(error, "requires .target sm_90"));
        snprintf(text, sizeof text, format, 90, bodies[i]);
        module = read(text);
        ptx_free(&module);
    }
}

/* A product and a sum, and an offset that is known, cost nothing of their own. */
static void pairs_that_are_one_instruction_are_found(void **state)
{
    (void)state;
    struct ptx_module module = read(
        HEAD
        ".const .b8 bank[64]; .entry e() { .reg .b64 %p, %q, %b; .reg .b32 %a, %c, %d, %e, %f;\n"
        "mov.u32 %c, bank; mov.u32 %d, 1; mov.u32 %d, 2;\n"
        "mul.wide.u32 %q, %a, 4; add.u64 %q, %q, %b;\n"
        "mul.wide.u32 %q, %a, 4; add.u64 %p, %q, %b;\n"
        "add.u32 %a, %a, %c; ld.const.u32 %a, [%a];\n"
        "add.u32 %a, %a, %d; ld.const.u32 %a, [%a];\n"
        "add.u32 %a, %a, 8; ld.const.u32 %a, [%a];\n"
        "mov.u32 %e, %tid.x; add.u32 %a, %a, %e; ld.const.u32 %a, [%a];\n"
        "mov.u32 %f, %a; add.u32 %a, %a, %f; ld.const.u32 %a, [%a]; }");
    static const bool folded[] = {false, false, false, true,  false, false, false,
                                  true,  false, false, false, true,  false, false,
                                  false, false, false, false, false};
    const struct ptx_instruction *code = ptx_find(&module, "e")->code;
    for (size_t i = 0; i < sizeof folded / sizeof *folded; i++)
        if (code[i].folded != folded[i])
            fail_msg("instruction %zu", i);
    ptx_free(&module);
}

/* Cut off anywhere, or with one byte changed, a text is read or refused, and nothing else. */
static void broken_texts_do_no_harm(void **state)
{
    (void)state;
    static const char text[] =
        HEAD ".const .align 16 .b8 bank[64];\n.entry e(.param .u64 p)\n{\n.reg .b64 %p<4>;\n"
             ".reg .pred %k;\nld.param.u64 %p1, [p];\nL: ld.global.v2.u64 {%p2, %p3}, [%p1+8];\n"
             "setp.ne.u64 %k, %p2, 0x10;\n@%k bra L;\nmov.u64 %p0, %clock64;\n"
             "st.global.u64 [%p1], %p0;\nret;\n}\n";
    char copy[sizeof text], error[PTX_ERROR_BYTES];
    unsigned taken = 0;
    for (size_t i = 0; i < sizeof text; i++) {
        static const char others[] = {'\0', ' ', '}', '{', ';', '9', '%', '[', ':', '"', '/'};
        for (size_t j = 0; j < sizeof others; j++) {
            struct ptx_module module;
            memcpy(copy, text, sizeof text);
            copy[i] = others[j];
            if (ptx_read(&module, copy, NEWEST, error) == PTX_FINE)
                taken++;
            ptx_free(&module);
        }
    }
    assert_true(taken >= 1 && taken <= sizeof text * 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_is_taken_apart),
        cmocka_unit_test(loads_are_decoded),
        cmocka_unit_test(errors_name_the_line_and_the_word),
        cmocka_unit_test(modules_that_are_wrong_as_a_whole_are_refused),
        cmocka_unit_test(what_a_target_lacks_is_refused),
        cmocka_unit_test(pairs_that_are_one_instruction_are_found),
        cmocka_unit_test(broken_texts_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
