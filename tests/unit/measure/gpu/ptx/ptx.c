#include "measure/gpu/ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* All that may stand in a text: what the stand-in driver of the tests can carry out. */
static const char *const instructions[] = {"add.u32",
                                           "add.u64",
                                           "atom.global.add.u64",
                                           "atom.global.exch.b64",
                                           "atom.shared.add.u32",
                                           "bar.sync",
                                           "barrier.cluster.arrive",
                                           "barrier.cluster.wait",
                                           "bra",
                                           "cvt.u32.u64",
                                           "cvt.u64.u32",
                                           "cvta.shared.u64",
                                           "cvta.to.global.u64",
                                           "div.u32",
                                           "div.u64",
                                           "ld.const.u32",
                                           "ld.global.L1::no_allocate.v2.u64",
                                           "ld.global.cg.u32",
                                           "ld.global.cg.u64",
                                           "ld.global.cg.v2.u64",
                                           "ld.global.cv.u64",
                                           "ld.global.nc.u64",
                                           "ld.global.u32",
                                           "ld.global.u64",
                                           "ld.global.v2.u64",
                                           "ld.param.u64",
                                           "ld.shared.u32",
                                           "ld.shared.v2.u64",
                                           "ld.u32",
                                           "ld.u64",
                                           "mad.lo.u32",
                                           "mad.lo.u64",
                                           "mapa.u64",
                                           "membar.gl",
                                           "mov.u32",
                                           "mov.u64",
                                           "mul.hi.u32",
                                           "mul.lo.u32",
                                           "mul.lo.u64",
                                           "mul.wide.u32",
                                           "rem.u32",
                                           "rem.u64",
                                           "ret",
                                           "selp.b64",
                                           "setp.eq.b32",
                                           "setp.eq.b64",
                                           "setp.ge.u64",
                                           "setp.lt.u64",
                                           "setp.ne.b32",
                                           "setp.ne.b64",
                                           "st.global.u32",
                                           "st.global.u64",
                                           "st.global.v2.u64",
                                           "st.shared.u32",
                                           "st.shared.v2.u64",
                                           "st.u32",
                                           "st.u64",
                                           "sub.u32",
                                           "sub.u64",
                                           "tex.1d.v4.u32.s32",
                                           "trap",
                                           "xor.b64"};
static const char *const special_registers[] = {"%tid.x",           "%tid.y",    "%ntid.x",
                                                "%ctaid.x",         "%nctaid.x", "%smid",
                                                "%cluster_ctarank", "%clock64",  "%globaltimer"};

static bool is_one_of(const char *const *list, size_t count, const char *text, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(list[i]) == length && !strncmp(list[i], text, length))
            return true;
    }
    return false;
}

/* The body of an entry, from its name to its last brace, to be freed; NULL where there is none. */
static char *entry(const char *text, const char *name)
{
    char head[64];
    snprintf(head, sizeof head, ".visible .entry %s(", name);
    const char *start = strstr(text, head);
    const char *end = start ? strstr(start, "\n}\n") : NULL;
    return end ? strndup(start, (size_t)(end - start) + 1) : NULL;
}

static size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

static void the_lowest_target_that_has_all_is_taken(void **state)
{
    (void)state;
    static const struct {
        unsigned capability;
        const char *head;
    } cases[] = {{50, ".version 4.0\n.target sm_50\n.address_size 64\n"},
                 {61, ".version 4.0\n.target sm_50\n.address_size 64\n"},
                 {89, ".version 4.0\n.target sm_50\n.address_size 64\n"},
                 {90, ".version 7.8\n.target sm_90\n.address_size 64\n"},
                 {121, ".version 7.8\n.target sm_90\n.address_size 64\n"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char *text = ptx_text(cases[i].capability);
        assert_non_null(text);
        assert_int_equal(strncmp(text, cases[i].head, strlen(cases[i].head)), 0);
        free(text);
    }
}

static void a_text_has_every_kernel_that_its_target_can(void **state)
{
    (void)state;
    static const unsigned capabilities[] = {50, 75, 90, 120};
    for (size_t i = 0; i < LENGTH(capabilities); i++) {
        char *text = ptx_text(capabilities[i]);
        size_t kernels = 0;
        for (const struct ptx_kernel *kernel = ptx_kernels; kernel->name; kernel++) {
            char *body = entry(text, kernel->name);
            assert_int_equal(body != NULL, kernel->least_capability <= capabilities[i]);
            kernels += body != NULL;
            free(body);
        }
        assert_int_equal(occurrences(text, ".entry "), kernels);
        assert_true(kernels >= 20);
        assert_non_null(strstr(text, " " PTX_CONSTANT_BANK "[65536];"));
        free(text);
    }
}

static void parameters_are_all_64_bits_wide_and_in_order(void **state)
{
    (void)state;
    char *text = ptx_text(90);
    for (const struct ptx_kernel *kernel = ptx_kernels; kernel->name; kernel++) {
        char *body = entry(text, kernel->name);
        char *names = strdup(kernel->names), *rest = names;
        const char *at = body;
        unsigned count = 0;
        for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
            char declared[64], used[64];
            snprintf(declared, sizeof declared, ".param .u64 p_%s%s\n", name, *rest ? "," : ")");
            at = strstr(at, declared);
            assert_non_null(at);
            snprintf(used, sizeof used, ", [p_%s];", name);
            assert_non_null(strstr(at, used));
            count++;
        }
        assert_int_equal(count, kernel->parameters);
        assert_int_equal(occurrences(body, ".param ."), count);
        free(names);
        free(body);
    }
    free(text);
}

/* A register is special, or `declared`, the lines at the head of a body, names it. */
static bool is_register(const char *declared, const char *at, size_t length)
{
    char inside[40], last[40];
    snprintf(inside, sizeof inside, " %.*s,", (int)length, at);
    snprintf(last, sizeof last, " %.*s;", (int)length, at);
    return strstr(declared, inside) || strstr(declared, last) ||
           is_one_of(special_registers, LENGTH(special_registers), at, length);
}

/* A line of a body that is no label and no directive. */
static void assert_instruction(const char *body, const char *declared, const char *line,
                               size_t length)
{
    const char *end = line + length, *at = line + strspn(line, " ");
    assert_int_equal(end[-1], ';');
    if (*at == '@') {
        assert_int_equal(strncmp(at, "@%k ", 4), 0);
        at += 4;
    }
    if (!is_one_of(instructions, LENGTH(instructions), at, strcspn(at, " ;")))
        fail_msg("unknown: %.*s", (int)length, line);
    if (!strncmp(at, "bra ", 4)) {
        char label[32];
        snprintf(label, sizeof label, "\n%.*s:\n", (int)strcspn(at + 4, ";"), at + 4);
        assert_int_equal(occurrences(body, label), 1);
    }
    while ((at = memchr(at + 1, '%', (size_t)(end - at - 1)))) {
        if (!is_register(declared, at, strcspn(at, " ,;]}+")))
            fail_msg("no register: %.*s", (int)length, line);
    }
}

static void the_language_is_small(void **state)
{
    (void)state;
    static const unsigned capabilities[] = {50, 90};
    for (size_t i = 0; i < LENGTH(capabilities); i++) {
        char *text = ptx_text(capabilities[i]);
        for (const struct ptx_kernel *kernel = ptx_kernels; kernel->name; kernel++) {
            char *body = entry(text, kernel->name);
            const char *start = body ? strstr(body, "\n{\n") + 3 : "", *line = start;
            while (!strncmp(line, "    .reg ", 9))
                line += strcspn(line, "\n") + 1;
            char *declared = strndup(start, (size_t)(line - start));
            for (size_t length; *line; line += length + 1) {
                length = strcspn(line, "\n");
                if (line[length - 1] != ':' && strncmp(line, "    .pragma ", 12))
                    assert_instruction(body, declared, line, length);
            }
            free(declared);
            free(body);
        }
        free(text);
    }
}

/* What stands between two texts, the second after the first; to be freed. */
static char *between(const char *text, const char *first, const char *second)
{
    const char *start = strstr(text, first);
    const char *end = start ? strstr(start, second) : NULL;
    assert_non_null(end);
    return strndup(start, (size_t)(end - start));
}

static void a_timed_loop_has_one_group_of_loads(void **state)
{
    (void)state;
    static const struct {
        const char *name, *load, *warm;
        size_t rings; /* the loops of all; 0: one that is warmed and timed */
    } cases[] = {{"chase_ca", "ld.global.u64 %p, [%p];"},
                 {"chase_ca_index", "ld.global.u32 %a, [%q];"},
                 {"chase_ca_vector", "ld.global.v2.u64 {%p, %v"},
                 {"chase_cg", "ld.global.cg.u64 %p, [%p];"},
                 {"chase_nc", "ld.global.nc.u64 %p, [%p];"},
                 {"chase_cv", "ld.global.cv.u64 %p, [%p];"},
                 {"chase_atomic", "atom.global.add.u64 %p, [%p], 0;"},
                 {"chase_texture", "tex.1d.v4.u32.s32 {%a, %b, %i, %j}, [%texture, {%a}];"},
                 {"chase_nc_after_ca", "ld.global.nc.u64 %p, [%p];", "ld.global.u64 %p, [%p];"},
                 {"chase_texture_after_ca", "tex.1d.v4.u32.s32 {%a, %b, %i, %j}, [%texture, {%a}];",
                  "ld.global.u32 %a, [%q];"},
                 {"chase_ca_rival", "ld.global.u64 %p, [%p];", .rings = 3},
                 {"chase_constant", "ld.const.u32 %a, [%i];"},
                 {"chase_shared", "ld.shared.u32 %a, [%a];"},
                 {"chase_shared_atomic", "atom.shared.add.u32 %a, [%a], 0;"},
                 {"chase_shared_warp", "ld.shared.u32 %a, [%a];"},
                 {"chase_cluster", "ld.u64 %p, [%p];"}};
    char *text = ptx_text(90);
    size_t chases = 0;
    for (const struct ptx_kernel *kernel = ptx_kernels; kernel->name; kernel++)
        chases += !strncmp(kernel->name, "chase_", 6);
    assert_int_equal(chases, LENGTH(cases));
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char *body = entry(text, cases[i].name);
        char *timed = between(body, ", %clock64;", ", %clock64;\n    mov.u64 %t1");
        char *loop = between(timed, "LOOP:\n    .pragma \"nounroll\";\n", "bra LOOP;");
        assert_int_equal(occurrences(loop, cases[i].load), PTX_LOADS);
        assert_int_equal(occurrences(timed, cases[i].load), PTX_LOADS);
        /* The warm-up has the same loads, unless others are asked for, and both a guard. */
        const char *warm = cases[i].warm ? cases[i].warm : cases[i].load;
        const size_t loops = cases[i].rings ? cases[i].rings : cases[i].warm ? 1 : 2;
        assert_int_equal(occurrences(body, cases[i].load), loops * PTX_LOADS);
        assert_true(occurrences(body, warm) >= PTX_LOADS);
        assert_non_null(strstr(timed, ", -1;\n    @%k trap;\n    mov.u64 %c1"));
        free(loop);
        free(timed);
        free(body);
    }
    free(text);
}

static void assert_chase(enum gpu_path path, unsigned width_bits, const char *name)
{
    const struct ptx_kernel *kernel = ptx_chase(path, width_bits, GPU_ITSELF);
    if (!name) {
        assert_null(kernel);
        return;
    }
    assert_non_null(kernel);
    assert_string_equal(kernel->name, name);
}

static void chases_are_found_by_path_and_width(void **state)
{
    (void)state;
    static const struct {
        enum gpu_path path;
        unsigned width_bits; /* its own */
        const char *name;
    } paths[] = {{GPU_L1, 64, "chase_ca"},
                 {GPU_L2, 64, "chase_cg"},
                 {GPU_READ_ONLY, 64, "chase_nc"},
                 {GPU_UNCACHED, 64, "chase_cv"},
                 {GPU_ATOMIC, 64, "chase_atomic"},
                 {GPU_TEXTURE, 32, "chase_texture"},
                 {GPU_CONSTANT, 32, "chase_constant"},
                 {GPU_SHARED, 32, "chase_shared"},
                 {GPU_SHARED_ATOMIC, 32, "chase_shared_atomic"},
                 {GPU_SHARED_WARP, 32, "chase_shared_warp"},
                 {GPU_CLUSTER, 64, "chase_cluster"}};
    /* All but scalar loads, which are AMD's, and loads that are not kept, of which there are
     * streams alone. */
    assert_int_equal(LENGTH(paths), GPU_PATH_COUNT - 2);
    assert_chase(GPU_NO_ALLOCATE, 0, NULL);
    assert_string_equal(ptx_chase(GPU_READ_ONLY, 0, GPU_PLAIN_LOADS)->name, "chase_nc_after_ca");
    assert_string_equal(ptx_chase(GPU_TEXTURE, 0, GPU_PLAIN_LOADS)->name, "chase_texture_after_ca");
    assert_string_equal(ptx_chase(GPU_TEXTURE, 0, GPU_NOTHING)->name, "chase_texture");
    assert_string_equal(ptx_chase(GPU_L1, 0, GPU_RIVAL)->name, "chase_ca_rival");
    assert_null(ptx_chase(GPU_TEXTURE, 0, GPU_RIVAL));
    assert_null(ptx_chase(GPU_CONSTANT, 0, GPU_PLAIN_LOADS));
    assert_chase(GPU_SCALAR, 0, NULL);
    for (size_t i = 0; i < LENGTH(paths); i++) {
        assert_chase(paths[i].path, 0, paths[i].name);
        assert_chase(paths[i].path, paths[i].width_bits, paths[i].name);
        assert_chase(paths[i].path, 16, NULL);
        if (paths[i].path != GPU_L1) {
            assert_chase(paths[i].path, 96 - paths[i].width_bits, NULL);
            assert_chase(paths[i].path, 128, NULL);
        }
    }
    assert_chase(GPU_L1, 32, "chase_ca_index");
    assert_chase(GPU_L1, 128, "chase_ca_vector");
    assert_chase(GPU_PATH_COUNT, 0, NULL);
    assert_int_equal(ptx_chase(GPU_CLUSTER, 0, GPU_ITSELF)->least_capability, 90);
    assert_int_equal(ptx_chase(GPU_L1, 0, GPU_ITSELF)->least_capability, 50);
}

static void streams_are_found_by_traffic_and_place(void **state)
{
    (void)state;
    static const char *const kinds[] = {
        [GPU_READ] = "read", [GPU_WRITE] = "write", [GPU_COPY] = "copy"};
    for (unsigned i = 0; i < LENGTH(kinds); i++) {
        for (int shared = 0; shared < 2; shared++) {
            char name[64];
            snprintf(name, sizeof name, "stream_%s%s", shared ? "shared_" : "", kinds[i]);
            assert_string_equal(
                ptx_stream((enum gpu_traffic)i, shared ? GPU_SHARED : GPU_L2, shared)->name, name);
        }
    }
    assert_string_equal(ptx_stream(GPU_READ, GPU_L1, false)->name, "stream_plain_read");
    assert_string_equal(ptx_stream(GPU_READ, GPU_L1, true)->name, "stream_near_read");
    assert_string_equal(ptx_stream(GPU_READ, GPU_NO_ALLOCATE, false)->name, "stream_passing_read");
    assert_null(ptx_stream(GPU_WRITE, GPU_L1, true));
}

static void a_round_of_a_stream_is_as_long_as_it_says(void **state)
{
    (void)state;
    char *text = ptx_text(50);
    char *body = entry(text, "stream_copy");
    char *loop = between(body, "LOOP:", "bra LOOP;");
    assert_int_equal(occurrences(loop, "ld.global.cg.v2.u64") * 16, ptx_stream_round_bytes);
    assert_int_equal(occurrences(loop, "st.global.v2.u64") * 16, ptx_stream_round_bytes);
    char chunk[64];
    snprintf(chunk, sizeof chunk, "mul.wide.u32 %%chunk, %%j, %zu;", ptx_stream_round_bytes);
    assert_non_null(strstr(body, chunk));
    free(loop);
    free(body);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_target_that_has_all_is_taken),
        cmocka_unit_test(a_text_has_every_kernel_that_its_target_can),
        cmocka_unit_test(parameters_are_all_64_bits_wide_and_in_order),
        cmocka_unit_test(the_language_is_small),
        cmocka_unit_test(a_timed_loop_has_one_group_of_loads),
        cmocka_unit_test(chases_are_found_by_path_and_width),
        cmocka_unit_test(streams_are_found_by_traffic_and_place),
        cmocka_unit_test(a_round_of_a_stream_is_as_long_as_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
