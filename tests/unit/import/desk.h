/* Where a test reads a table: options, the document that it becomes, and what was said of it. */
#ifndef FATHOM_TESTS_IMPORT_DESK_H
#define FATHOM_TESTS_IMPORT_DESK_H

#include "import/import.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct desk {
    struct settings settings;
    struct document document;
    struct error error;
};

static int set_up(void **state)
{
    static struct desk desk;
    desk = (struct desk){0};
    *state = &desk;
    return settings_add(&desk.settings, import_options, NULL);
}

static int tear_down(void **state)
{
    struct desk *desk = *state;
    settings_free(&desk->settings);
    document_free(&desk->document);
    return 0;
}

#define DESK_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static inline int read_text(struct desk *desk, const struct import_format *format, const char *text)
{
    document_free(&desk->document);
    struct import_text whole = {"table", text, strlen(text)};
    return import_read(format, &whole, &desk->settings, &desk->document, &desk->error);
}

/* A file below tests/data. */
static inline void read_sample(struct desk *desk, const struct import_format *format,
                               const char *name)
{
    char path[4096];
    const char *source = getenv("FATHOM_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/%s", source ? source : ".", name);
    document_free(&desk->document);
    if (import_file(format, path, &desk->settings, &desk->document, &desk->error) != 0)
        fail_msg("%s", desk->error.text);
}

static inline void assert_refused(struct desk *desk, const struct import_format *format,
                                  const char *text, const char *said)
{
    assert_int_equal(read_text(desk, format, text), ERROR_USAGE);
    if (!strstr(desk->error.text, said))
        fail_msg("\"%s\" does not hold \"%s\"", desk->error.text, said);
}

#endif
