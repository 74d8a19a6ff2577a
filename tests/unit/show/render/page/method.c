#include "show/render/page/page.h"

#include "page.h"

/* A page is read for what stands between these two. */
static char *part_of(const char *page, const char *from, const char *to)
{
    const char *begin = strstr(page, from), *end = begin ? strstr(begin, to) : NULL;
    if (!begin || !end)
        fail_msg("no part from %s to %s", from, to);
    return strndup(begin, (size_t)(end - begin));
}

/* Each kind of probe has its own loops; those that no clock stood around are not among them. */
static void the_loops_are_those_of_what_was_measured(void **state)
{
    (void)state;
    struct document gpu, cpu = {0};
    read_made_up(&gpu);
    sample_document(&cpu, 4, 2);
    const struct document *list[] = {&gpu, &cpu};
    char *page = page_of(list, 1);
    char *method = part_of(page, "<section id=method", "</section>");
    assert_null(strstr(method, "On CPUs"));
    assert_int_equal(count_of(method, "On GPUs reached through CUDA"), 1);
    if (*html_kernels_cuda) {
        assert_non_null(strstr(method, "<code>chase_ca</code>"));
        assert_non_null(strstr(method, "ld.global.u64 %p, [%p];   (16 times)"));
        assert_null(strstr(method, "<code>sweep</code>"));
    }
    assert_in_range(strlen(page), 1, 600000);
    free(method);
    free(page);
    gpu.machine.gpus[0].backend = gpu.machine.gpus[1].backend = "opencl";
    page = page_of(list, 1);
    assert_non_null(strstr(page, "reached through OpenCL"));
    assert_null(strstr(page, "ld.global.u64"));
    if (*html_kernels_opencl)
        assert_non_null(strstr(page, "__kernel void chase_64("));
    free(page);
    page = page_of(list, 2);
    method = part_of(page, "<section id=method", "</section>");
    assert_int_equal(count_of(method, "On CPUs"), 1);
    if (*html_loops) {
        assert_non_null(strstr(method, "<code>chase_run</code>"));
        static const char *const others[] = {"set_up", "stream_find", "lay_out", "helper"};
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            assert_null(strstr(html_loops, others[i]));
    }
    free(method);
    free(page);
    document_free(&gpu);
    document_free(&cpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loops_are_those_of_what_was_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
