#include "show/render/page/page.h"

#include "page.h"

#include <math.h>

static char *repeat_of(struct probe_result *probe)
{
    char *text = NULL;
    size_t size = 0;
    const char *command[] = {"fathom", "cores"};
    struct document document = {.run = {.command = command, .command_count = 2, .seed = 7}};
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    html_repeat(out, &document, probe);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void what_was_left_out_is_no_setting_and_the_seed_is_said_once(void **state)
{
    (void)state;
    struct factor parameters[] = {{"op", "cas", NAN},
                                  {parameter_not_measured, "pairs of <one> core", NAN},
                                  {"seed", "7", NAN}};
    struct probe_result probe = {.parameters = parameters, .parameter_count = 3};
    char *text = repeat_of(&probe);
    assert_string_equal(text, "<p class=repeat>Not measured: pairs of &lt;one&gt; core</p>\n"
                              "<p class=repeat>To repeat: <code>fathom cores --seed 7</code> "
                              "<span class=parameters>(op cas)</span></p>\n");
    free(text);
}

static void what_has_no_settings_has_its_command_alone(void **state)
{
    (void)state;
    struct probe_result probe = {0};
    char *text = repeat_of(&probe);
    assert_string_equal(text,
                        "<p class=repeat>To repeat: <code>fathom cores --seed 7</code> </p>\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_left_out_is_no_setting_and_the_seed_is_said_once),
        cmocka_unit_test(what_has_no_settings_has_its_command_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
