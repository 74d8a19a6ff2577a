#include "show/report/names.h"
#include "show/render/page/page.h"

#include "page.h"

static void assert_names(const char *const files[3], const char *const names[3])
{
    struct document documents[3] = {0};
    const struct document *list[3];
    for (size_t i = 0; i < 3; i++) {
        documents[i].file = files[i];
        documents[i].machine.hostname = "host";
        list[i] = &documents[i];
    }
    for (size_t i = 0; i < 3; i++) {
        struct line line = {0};
        line_add_document(&line, list, 3, i);
        assert_string_equal(line.text, names[i]);
    }
}

static void documents_are_named_by_as_much_of_their_paths_as_distinguishes_them(void **state)
{
    (void)state;
    assert_names((const char *[]){"/tmp/a.json", "b.json", "./c.json"},
                 (const char *[]){"a.json", "b.json", "c.json"});
    assert_names((const char *[]){"x/y/run.json", "x/z/run.json", "run.json"},
                 (const char *[]){"y/run.json", "z/run.json", "C host"});
    assert_names((const char *[]){"a/y/run.json", "b/y/run.json", "/y/run.json"},
                 (const char *[]){"a/y/run.json", "b/y/run.json", "/y/run.json"});
    assert_names((const char *[]){"run.json", "run.json", "old-run.json"},
                 (const char *[]){"A host", "B host", "old-run.json"});
    assert_names((const char *[]){NULL, "standard input", "\x1b[2Jrun"},
                 (const char *[]){"A host", "standard input", "?[2Jrun"});
}

static void the_only_document_is_named_by_its_host(void **state)
{
    (void)state;
    struct document document = {.file = "run.json", .machine.cpu_model = "some CPU"};
    const struct document *list[] = {&document};
    struct line line = {0};
    line_add_document(&line, list, 1, 0);
    assert_string_equal(line.text, "some CPU");
}

static char *put_by(void put(FILE *, const char *), const char *text)
{
    struct capture capture = {0};
    put(capture_begin(&capture), text);
    return capture_end(&capture);
}

static void a_name_may_be_broken_behind_its_dots(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"L2.bandwidth.read", "L2.<wbr>bandwidth.<wbr>read"},
        {"saturated_by", "saturated_<wbr>by"},
        {"a.<b>.", "a.<wbr>&lt;b&gt;."},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *text = put_by(html_name, names[i][0]);
        assert_string_equal(text, names[i][1]);
        free(text);
    }
}

static void an_option_is_not_broken(void **state)
{
    (void)state;
    static const char *const sentences[][2] = {
        {"repeat with --thorough", "repeat with <span class=option>--thorough</span>"},
        {"time (--a or --b), <more>",
         "time (<span class=option>--a</span> or <span class=option>--b"
         "</span>), &lt;more&gt;"},
        {"a--", "a<span class=option>--</span>"},
        {"--0123456789012345678901234567890123456789",
         "--0123456789012345678901234567890123456789"},
        {"run -o x -", "run <span class=option>-o</span> x -"},
        {"lock it (nvidia-smi -lgc)", "lock it (nvidia-smi <span class=option>-lgc</span>)"},
        {"plain", "plain"},
        {NULL, ""},
    };
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        char *text = put_by(html_sentence, sentences[i][0]);
        assert_string_equal(text, sentences[i][1]);
        free(text);
    }
}

static void several_documents_have_their_dates_beside_their_files(void **state)
{
    (void)state;
    struct document a = {.file = "a.json", .run.started = "2026-11-21T04:18:25Z"};
    struct document b = {.file = "b.json", .run.started = "last <week>"};
    const struct document *list[] = {&a, &b};
    char *page = page_of(list, 2);
    assert_int_equal(count_of(page,
                              "<th scope=col>a.<wbr>json <small class=remark>2026-11-21 04:18 "
                              "UTC</small>"),
                     1);
    assert_int_equal(count_of(page, "<p class=host>b.<wbr>json <small class=date>last "
                                    "&lt;week&gt;</small>"),
                     2);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_named_by_as_much_of_their_paths_as_distinguishes_them),
        cmocka_unit_test(the_only_document_is_named_by_its_host),
        cmocka_unit_test(a_name_may_be_broken_behind_its_dots),
        cmocka_unit_test(an_option_is_not_broken),
        cmocka_unit_test(several_documents_have_their_dates_beside_their_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
