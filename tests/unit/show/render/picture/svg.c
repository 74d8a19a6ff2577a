#include "show/render/picture/picture.h"

#include "made_up.h"

#include <math.h>

static char *picture_of(const struct document *document, const char *chart)
{
    struct capture capture = {0};
    struct error error = {0};
    const struct output_content content = {.documents = &document, .count = 1, .chart = chart};
    if (output_render(output_by_name("svg"), capture_begin(&capture), &content, &error) < 0)
        fail_msg("%s", error.text);
    return capture_end(&capture);
}

static void a_hostile_document_is_inert(void **state)
{
    struct document document;
    sample_hostile(&document);
    char *picture = picture_of(&document, NULL);
    assert_inert(picture);
    assert_null(strstr(picture, "<script"));
    assert_null(strstr(picture, "nan"));
    assert_null(strstr(picture, "inf"));
    free(picture);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hostile_document_is_inert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
